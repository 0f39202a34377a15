/* SPDX-License-Identifier: Apache-2.0 */
/* What came of runs that were made to answer a question: comparisons, searches, histories. */
#ifndef SL_RESULT_TRIALS_H
#define SL_RESULT_TRIALS_H

#include "result/table.h"

/* clang-format off */
/* The table "comparison", which has one row; changes are shares, above 0 where the new one is worse. */
#define SL_COMPARISON(COLUMN, row) \
    COLUMN(row, TEXT, verdict, NULL, "as of sl_compare_verdicts") \
    COLUMN(row, TEXT, base, NULL, NULL) \
    COLUMN(row, TEXT, new, NULL, NULL) \
    COLUMN(row, REAL, change, NULL, NULL) \
    COLUMN(row, REAL, lower, NULL, "NULL: not known yet") \
    COLUMN(row, REAL, upper, NULL, NULL) \
    COLUMN(row, INTEGER, pairs, "pairs", NULL) \
    COLUMN(row, REAL, more_pairs, "pairs", "would tell") \
    COLUMN(row, REAL, base_score, NULL, "geometric mean") \
    COLUMN(row, REAL, new_score, NULL, "geometric mean") \
    COLUMN(row, TEXT, unit, NULL, NULL) \
    COLUMN(row, INTEGER, base_failed, "runs", NULL) \
    COLUMN(row, INTEGER, new_failed, "runs", NULL) \
    COLUMN(row, REAL, fail_on, NULL, "the change that is too much") \
    COLUMN(row, REAL, elapsed_s, "s", NULL)
/* The table "settings": what a model says of them, best first.  Its column for_what is called "for". */
#define SL_SETTING(COLUMN, row) \
    COLUMN(row, TEXT, setting, NULL, NULL) \
    COLUMN(row, TEXT, for_what, NULL, "best, base or effects: why it is there; NULL: it is among the best") \
    COLUMN(row, REAL, score, NULL, NULL) \
    COLUMN(row, REAL, lower, NULL, "95 % interval of its mean") \
    COLUMN(row, REAL, upper, NULL, NULL) \
    COLUMN(row, INTEGER, runs, "runs", NULL) \
    COLUMN(row, REAL, chance, NULL, "that it is the best of all; NULL: not asked") \
    COLUMN(row, TEXT, narrows, NULL, "the treatment of which a run of it would narrow the interval most") \
    COLUMN(row, REAL, before, NULL, "half of that interval, as a share of the score") \
    COLUMN(row, REAL, after, NULL, NULL) \
    COLUMN(row, TEXT, unit, NULL, NULL)
/* The table "tuned", one row: the best by the base, in pairs of runs of their own. */
#define SL_TUNED(COLUMN, row) \
    COLUMN(row, TEXT, best, NULL, NULL) \
    COLUMN(row, REAL, change, NULL, "share of the base's cost; NULL: nothing better, or not known yet") \
    COLUMN(row, REAL, lower, NULL, "95 % interval of change") \
    COLUMN(row, REAL, upper, NULL, NULL) \
    COLUMN(row, INTEGER, pairs, "pairs", NULL) \
    COLUMN(row, INTEGER, searched, "runs", NULL) \
    COLUMN(row, INTEGER, failed, "runs", NULL) \
    COLUMN(row, INTEGER, budget, "runs", NULL) \
    COLUMN(row, INTEGER, is_base, NULL, NULL) \
    COLUMN(row, TEXT, unit, NULL, NULL)
/* The table "history": neighbours among the commits that were measured. */
#define SL_HISTORY(COLUMN, row) \
    COLUMN(row, TEXT, from, NULL, "the last commit before; ids, short") \
    COLUMN(row, TEXT, to, NULL, NULL) \
    COLUMN(row, TEXT, subject, NULL, NULL) \
    COLUMN(row, INTEGER, commits, "commits", "from the one to the other") \
    COLUMN(row, TEXT, verdict, NULL, NULL) \
    COLUMN(row, REAL, change, NULL, "share of the cost: above 0 is worse") \
    COLUMN(row, REAL, lower, NULL, NULL) \
    COLUMN(row, REAL, upper, NULL, NULL) \
    COLUMN(row, REAL, score, NULL, "geometric mean of `to`") \
    COLUMN(row, INTEGER, rounds, "rounds", NULL) \
    COLUMN(row, TEXT, unit, NULL, NULL)
/* clang-format on */
SL_ROW(sl_comparison_row, SL_COMPARISON);
SL_ROW(sl_setting_row, SL_SETTING);
SL_ROW(sl_tuned_row, SL_TUNED);
SL_ROW(sl_history_row, SL_HISTORY);

/* Another row of the table: texts are copied, what is infinite becomes NULL. */
void sl_result_comparison(struct sl_result *r, const struct sl_comparison_row *row);
void sl_result_setting(struct sl_result *r, const struct sl_setting_row *row);
void sl_result_tuned(struct sl_result *r, const struct sl_tuned_row *row);
void sl_result_history(struct sl_result *r, const struct sl_history_row *row);

#endif
