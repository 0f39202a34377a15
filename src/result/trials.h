/* SPDX-License-Identifier: Apache-2.0 */
/* What came of runs that were made to answer a question: comparisons, searches, histories. */
#ifndef SL_RESULT_TRIALS_H
#define SL_RESULT_TRIALS_H

#include "experiment/compare.h"
#include "result/table.h"

enum { /* of the table "comparison", which has one row; changes are shares, above 0 where the new one is worse */
       SL_COMPARISON_VERDICT,
       SL_COMPARISON_BASE,
       SL_COMPARISON_NEW,
       SL_COMPARISON_CHANGE,
       SL_COMPARISON_LOWER, /* NULL: not known yet */
       SL_COMPARISON_UPPER,
       SL_COMPARISON_N, /* pairs */
       SL_COMPARISON_MORE,
       SL_COMPARISON_BASE_SCORE, /* geometric means */
       SL_COMPARISON_NEW_SCORE,
       SL_COMPARISON_UNIT,
       SL_COMPARISON_BASE_FAILED,
       SL_COMPARISON_NEW_FAILED,
       SL_COMPARISON_FAIL_ON,
       SL_COMPARISON_ELAPSED
};

struct sl_comparison_row {
    const char *base, *new, *unit;
    const struct sl_compared *is;
    size_t base_failed, new_failed;
    double fail_on, elapsed_s;
};
void sl_result_comparison(struct sl_result *r, const struct sl_comparison_row *row);

#endif
