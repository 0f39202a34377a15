/* SPDX-License-Identifier: Apache-2.0 */
/* How far the clocks of sources are off. */
#ifndef SL_RESULT_SKEW_H
#define SL_RESULT_SKEW_H

#include "result/table.h"
#include "store/store.h"

/* Tables: skew, a row a source; by_path, the same, references first, then by their paths. */
int sl_result_skew(struct sl_result *r, struct sl_store *st, struct sl_err *err);

#endif
