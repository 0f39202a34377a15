/* SPDX-License-Identifier: Apache-2.0 */
/* How far the clocks of sources are off. */
#ifndef SL_RESULT_SKEW_TABLES_H
#define SL_RESULT_SKEW_TABLES_H

#include "result/table.h"
#include "store/store.h"

#include <stdint.h>

/* Tables: skew, a row a source that tells of the span `within`, or of what belongs to it (0: each source); by_path, the
 * same, references first, then by their paths. */
int sl_result_skew(struct sl_result *r, struct sl_store *st, int64_t within, struct sl_err *err);

#endif
