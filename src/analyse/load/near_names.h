/* SPDX-License-Identifier: Apache-2.0 */
/* What else could be meant by a name that a store does not have (base/near.h). */
#ifndef SL_ANALYSE_LOAD_NEAR_NAMES_H
#define SL_ANALYSE_LOAD_NEAR_NAMES_H

#include "base/buf.h"
#include "base/err.h"

#include <sqlite3.h>

/* Appends "; did you mean 'a'?", of the texts that sql yields, one a row; or nothing. */
void sl_query_near(struct sl_buf *b, sqlite3 *db, const char *sql, const char *name);

/* Fills err: there is no such event (EVENT or TYPE/EVENT), and what else could be meant.  Returns its code. */
int sl_no_event(sqlite3 *db, const char *name, struct sl_err *err);

#endif
