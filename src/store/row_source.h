/* SPDX-License-Identifier: Apache-2.0 */
/* sl_rows, a virtual table of rows that lie in memory (docs/decisions/0003-rows-through-a-virtual-table.md). */
#ifndef SL_STORE_ROW_SOURCE_H
#define SL_STORE_ROW_SOURCE_H

#include "store/store.h"

/* sl_rows yields *current as it is when a statement begins; NULL: no rows.  Borrows current as long as db is open. */
void sl_row_source_register(sqlite3 *db, const struct sl_row_source **current);

#endif
