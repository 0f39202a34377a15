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

enum { /* of the table "settings": what a model says of them, best first */
       SL_SETTINGS_SETTING,
       SL_SETTINGS_FOR, /* "best", "base", "effects": why it is there; NULL: it is among the best */
       SL_SETTINGS_SCORE,
       SL_SETTINGS_LOWER, /* 95 %, of its mean */
       SL_SETTINGS_UPPER,
       SL_SETTINGS_RUNS,
       SL_SETTINGS_CHANCE,  /* that it is the best of all; NULL: not asked */
       SL_SETTINGS_NARROWS, /* what run would narrow most: a treatment; NULL */
       SL_SETTINGS_BEFORE,  /* half of its interval, as a share of the score */
       SL_SETTINGS_AFTER,
       SL_SETTINGS_UNIT
};
struct sl_settings_row {
    const char *setting, *for_what, *narrows, *unit;
    double score, low, high, chance, before, after;
    size_t runs;
};
void sl_result_setting(struct sl_result *r, const struct sl_settings_row *row);

enum { /* of the table "tuned", one row: the best by the base, in pairs of runs of their own */
       SL_TUNED_BEST,
       SL_TUNED_CHANGE, /* share of the base's cost, below 0 where it is better; NULL: nothing better, or not known yet
                         */
       SL_TUNED_LOWER,
       SL_TUNED_UPPER,
       SL_TUNED_PAIRS,
       SL_TUNED_SEARCHED,
       SL_TUNED_FAILED,
       SL_TUNED_BUDGET,
       SL_TUNED_IS_BASE,
       SL_TUNED_UNIT
};
struct sl_tuned_row {
    const char *best, *unit;
    double change, low, high;
    size_t pairs, searched, failed, budget;
    bool is_base;
};
void sl_result_tuned(struct sl_result *r, const struct sl_tuned_row *row);

enum {                  /* of the table "history": neighbours among the commits that were measured */
       SL_HISTORY_FROM, /* the last commit before */
       SL_HISTORY_TO,   /* ids, short */
       SL_HISTORY_SUBJECT,
       SL_HISTORY_COMMITS, /* from the one to the other */
       SL_HISTORY_VERDICT,
       SL_HISTORY_CHANGE, /* shares of the cost: above 0 is worse */
       SL_HISTORY_LOWER,
       SL_HISTORY_UPPER,
       SL_HISTORY_SCORE, /* geometric mean of `to` */
       SL_HISTORY_ROUNDS,
       SL_HISTORY_UNIT
};
struct sl_history_row {
    const char *from, *to, *subject, *verdict, *unit;
    size_t commits, rounds;
    double change, low, high, score;
};
void sl_result_history(struct sl_result *r, const struct sl_history_row *row);

#endif
