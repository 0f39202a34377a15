/* SPDX-License-Identifier: Apache-2.0 */
/* What an experiment says of its treatments: the questions of experiment/questions.h as tables. */
#ifndef SL_RESULT_EXPERIMENT_H
#define SL_RESULT_EXPERIMENT_H

#include "experiment/questions.h"
#include "result/table.h"
#include "store/store.h"

/*
 * Tables: the one that is asked for, by the question's name; about (of one row) and factors.  Rows are in the order in
 * which people want them: effects that help most first, times as they went by.
 */
int sl_result_experiment(struct sl_result *r, struct sl_store *st, const struct sl_experiment_fn *fn,
                         const struct sl_question *q, struct sl_err *err);

/* clang-format off */
#define SL_BOTH(COLUMN, row) \
    COLUMN(row, TEXT, treatment, NULL, NULL) \
    COLUMN(row, REAL, delta, NULL, "in all runs") \
    COLUMN(row, REAL, lower, NULL, "95 % interval") \
    COLUMN(row, REAL, upper, NULL, NULL) \
    COLUMN(row, INTEGER, pairs, "pairs", NULL) \
    COLUMN(row, REAL, vs_delta, NULL, "in those where the condition holds") \
    COLUMN(row, REAL, vs_lower, NULL, NULL) \
    COLUMN(row, REAL, vs_upper, NULL, NULL) \
    COLUMN(row, INTEGER, vs_pairs, "pairs", NULL) \
    COLUMN(row, REAL, difference, NULL, "of group means") \
    COLUMN(row, REAL, vs_difference, NULL, NULL)
#define SL_BESIDE(COLUMN, row) \
    COLUMN(row, TEXT, treatment, NULL, NULL) \
    COLUMN(row, REAL, model, NULL, "what the model says") \
    COLUMN(row, REAL, lower, NULL, "95 % interval of model") \
    COLUMN(row, REAL, upper, NULL, NULL) \
    COLUMN(row, REAL, delta, NULL, "mean of the deltas") \
    COLUMN(row, INTEGER, pairs, "pairs", NULL) \
    COLUMN(row, REAL, difference, NULL, "of group means")
/* clang-format on */
SL_ROW(sl_both, SL_BOTH);
SL_ROW(sl_beside, SL_BESIDE);

/* The table `both`: each treatment's mean delta in all runs that q asks for, and in those where `vs` holds, too. */
int sl_result_experiment_vs(struct sl_result *r, struct sl_store *st, const struct sl_question *q, const char *vs,
                            struct sl_err *err);
/* The table `beside`: the model's estimate of each treatment, its mean delta and the difference of group means. */
int sl_result_experiment_beside(struct sl_result *r, struct sl_store *st, const struct sl_question *q,
                                struct sl_err *err);

/* The table `deltas`, as the CSV of the study has it: factor, before, after, delta, and for each factor its level in
 * the run before. */
int sl_result_experiment_members(struct sl_result *r, struct sl_store *st, const struct sl_question *q,
                                 struct sl_err *err);
/* The table `runs`: what tells runs apart and where their logs are, where an import said so, then a column a factor,
 * the time in seconds since the epoch where there is one, and the score, empty where a run failed. */
int sl_result_experiment_runs(struct sl_result *r, struct sl_store *st, const struct sl_question *q,
                              struct sl_err *err);

#endif
