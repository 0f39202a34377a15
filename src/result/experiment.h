/* SPDX-License-Identifier: Apache-2.0 */
/* What an experiment says of its treatments: the answers of src/experiment/answers.h as tables. */
#ifndef SL_RESULT_EXPERIMENT_H
#define SL_RESULT_EXPERIMENT_H

#include "experiment/answers.h"
#include "result/table.h"
#include "store/store.h"

/*
 * Tables: the one that is asked for, by the answer's name; about (of one row) and factors.  Rows are in the order in
 * which people want them: effects that help most first, times as they went by.
 */
int sl_result_experiment(struct sl_result *r, struct sl_store *st, enum sl_answer_of which, const struct sl_asked *a,
                         struct sl_err *err);

/* The table `both`: each treatment's mean delta in all runs that a asks for, and in those where `vs` holds, too. */
enum {
    SL_BOTH_TREATMENT,
    SL_BOTH_DELTA,
    SL_BOTH_LOWER,
    SL_BOTH_UPPER,
    SL_BOTH_PAIRS,
    SL_BOTH_VS,
    SL_BOTH_VS_LOWER,
    SL_BOTH_VS_UPPER,
    SL_BOTH_VS_PAIRS,
    SL_BOTH_DIFFERENCE,
    SL_BOTH_VS_DIFFERENCE
};
int sl_result_experiment_vs(struct sl_result *r, struct sl_store *st, const struct sl_asked *a, const char *vs,
                            struct sl_err *err);

/* The table `beside`: the model's estimate of each treatment, its mean delta and the difference of group means. */
enum {
    SL_BESIDE_TREATMENT,
    SL_BESIDE_MODEL,
    SL_BESIDE_MODEL_LOWER,
    SL_BESIDE_MODEL_UPPER,
    SL_BESIDE_DELTA,
    SL_BESIDE_PAIRS,
    SL_BESIDE_DIFFERENCE
};
int sl_result_experiment_beside(struct sl_result *r, struct sl_store *st, const struct sl_asked *a, struct sl_err *err);

/* The table `deltas`, as the CSV of the study has it: factor, before, after, delta, and for each factor its level in
 * the run before. */
int sl_result_experiment_members(struct sl_result *r, struct sl_store *st, const struct sl_asked *a,
                                 struct sl_err *err);
/* The table `runs`: what tells runs apart and where their logs are, where an import said so, then a column a factor,
 * the time in seconds since the epoch where there is one, and the score, empty where a run failed. */
int sl_result_experiment_runs(struct sl_result *r, struct sl_store *st, const struct sl_asked *a, struct sl_err *err);

#endif
