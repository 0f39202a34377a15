/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The questions about an experiment, each with its columns and the function that makes its rows.  SQL has one as
 * experiment_NAME() (sqlfn.c), a result as its table NAME.  A question is added by its columns here, its line in
 * SL_EXPERIMENT_FNS and its struct sl_experiment_fn, sl_experiment_NAME.
 */
#ifndef SL_EXPERIMENT_QUESTIONS_H
#define SL_EXPERIMENT_QUESTIONS_H

#include "base/rows.h"
#include "experiment/runs.h"

struct sl_experiment_fn {
    const char *name, *about;     /* "means"; what it tells, in a line */
    const struct sl_columns *row; /* its columns */
    /* All rows, into out, which has none and owns their texts. */
    int (*fill)(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err);
    bool failed, coarse;            /* how its runs are to be loaded: as of struct sl_question */
    bool orders;                    /* its last two arguments are an order of treatments, and groups of them */
    double (*key)(const void *row); /* by which people want its rows, ascending; NULL: as they are */
    bool as_cost;                   /* that also where more is better; else descending then */
};

/* clang-format off */
#define SL_EXPERIMENT_FNS(FN) \
    FN(about) \
    FN(factors) \
    FN(deltas) \
    FN(means) \
    FN(model) \
    FN(tiles) \
    FN(fit) \
    FN(sequence) \
    FN(shapley) \
    FN(vectors) \
    FN(pca) \
    FN(loadings) \
    FN(pca_scores) \
    FN(scatter) \
    FN(variance) \
    FN(failures) \
    FN(drift) \
    FN(residuals) \
    FN(enough) \
    FN(precision) \
    FN(logs) \
    FN(parts)

#define SL_ABOUT(COLUMN, row) \
    COLUMN(row, TEXT, experiment, NULL, NULL) \
    COLUMN(row, INTEGER, runs, "runs", "with a score") \
    COLUMN(row, INTEGER, failed, "runs", NULL) \
    COLUMN(row, INTEGER, incomplete, "runs", "where the level of some factor is not known") \
    COLUMN(row, TEXT, unit, NULL, "of scores") \
    COLUMN(row, INTEGER, first_ns, "ns", "the first run; NULL: nothing says when runs were") \
    COLUMN(row, INTEGER, last_ns, "ns", "the last run") \
    COLUMN(row, INTEGER, timed, NULL, "1: it is known when runs were") \
    COLUMN(row, REAL, on_end, "runs", "so many runs follow each other with the same levels, on average") \
    COLUMN(row, REAL, on_end_random, "runs", "so many would if they came in random order")
/* A row for each level. */
#define SL_LEVEL(COLUMN, row) \
    COLUMN(row, TEXT, factor, NULL, NULL) \
    COLUMN(row, TEXT, kind, NULL, "constant, boolean, numeric, categorical, or identity: it tells runs apart") \
    COLUMN(row, INTEGER, levels, NULL, "how many the factor has") \
    COLUMN(row, TEXT, level, NULL, NULL) \
    COLUMN(row, INTEGER, runs, "runs", "with this level") \
    COLUMN(row, INTEGER, joined, "runs", "before the factor was there; they count as without") \
    COLUMN(row, INTEGER, unknown, "runs", "of which the level is not known") \
    COLUMN(row, TEXT, base, NULL, "of the first level: stated, lowest, or not run (no run has the stated one)")
#define SL_DELTA(COLUMN, row) \
    COLUMN(row, TEXT, treatment, NULL, NULL) \
    COLUMN(row, REAL, before, NULL, "the score without") \
    COLUMN(row, REAL, after, NULL, "the score with") \
    COLUMN(row, REAL, delta, NULL, "after - before") \
    COLUMN(row, REAL, log2, NULL, "of after / before") \
    COLUMN(row, INTEGER, before_run, NULL, "its span") \
    COLUMN(row, INTEGER, after_run, NULL, "its span")
#define SL_SCATTER(COLUMN, row) \
    COLUMN(row, REAL, before, NULL, "the score without") \
    COLUMN(row, REAL, after, NULL, "the score with") \
    COLUMN(row, REAL, delta, NULL, "after - before") \
    COLUMN(row, REAL, log2, NULL, "of after / before") \
    COLUMN(row, TEXT, colour, NULL, "the level of the other factor") \
    COLUMN(row, INTEGER, before_run, NULL, "its span") \
    COLUMN(row, INTEGER, after_run, NULL, "its span")
/* lacks: "few" runs on one side; "on end": its runs follow each other, so that some drawings have none of them; "few
 * pairs": too few of these runs are in pairs. */
#define SL_MEAN(COLUMN, row) \
    COLUMN(row, TEXT, treatment, NULL, NULL) \
    COLUMN(row, INTEGER, pairs, "pairs", NULL) \
    COLUMN(row, REAL, delta, NULL, "mean of the deltas") \
    COLUMN(row, REAL, lower, NULL, "95 % interval of delta") \
    COLUMN(row, REAL, upper, NULL, NULL) \
    COLUMN(row, REAL, p, NULL, "that there is no effect") \
    COLUMN(row, REAL, p_holm, NULL, "p as one of so many, by Holm") \
    COLUMN(row, REAL, p_bh, NULL, "p as one of so many, by Benjamini & Hochberg") \
    COLUMN(row, INTEGER, runs_without, "runs", "of the base level") \
    COLUMN(row, INTEGER, runs_with, "runs", "of the treatment's level") \
    COLUMN(row, REAL, mean_without, NULL, "of these runs") \
    COLUMN(row, REAL, mean_with, NULL, "of these runs") \
    COLUMN(row, REAL, difference, NULL, "mean_with - mean_without") \
    COLUMN(row, REAL, difference_lower, NULL, "95 % interval of difference") \
    COLUMN(row, REAL, difference_upper, NULL, NULL) \
    COLUMN(row, REAL, difference_p, NULL, NULL) \
    COLUMN(row, REAL, difference_p_holm, NULL, NULL) \
    COLUMN(row, REAL, difference_p_bh, NULL, NULL) \
    COLUMN(row, TEXT, lacks, NULL, "why delta has no interval: few, on end or few pairs; NULL: it has") \
    COLUMN(row, TEXT, difference_lacks, NULL, "why difference has none")
#define SL_MODEL(COLUMN, row) \
    COLUMN(row, TEXT, term, NULL, "as R calls it") \
    COLUMN(row, REAL, estimate, NULL, "NULL: it follows from others") \
    COLUMN(row, REAL, std_error, NULL, NULL) \
    COLUMN(row, REAL, lower, NULL, "95 % interval") \
    COLUMN(row, REAL, upper, NULL, NULL) \
    COLUMN(row, REAL, t, NULL, NULL) \
    COLUMN(row, REAL, p, NULL, NULL) \
    COLUMN(row, REAL, p_holm, NULL, "p as one of so many, by Holm") \
    COLUMN(row, REAL, p_bh, NULL, "p as one of so many, by Benjamini & Hochberg") \
    COLUMN(row, TEXT, follows, NULL, "what it is of others: 1 - a - b") \
    COLUMN(row, INTEGER, runs, "runs", NULL) \
    COLUMN(row, INTEGER, df, NULL, "degrees of freedom; NULL: not by least squares") \
    COLUMN(row, REAL, r_squared, NULL, NULL) \
    COLUMN(row, REAL, adj_r_squared, NULL, NULL) \
    COLUMN(row, REAL, residual_stddev, NULL, NULL) \
    COLUMN(row, REAL, f, NULL, NULL) \
    COLUMN(row, REAL, f_p, NULL, NULL) \
    COLUMN(row, TEXT, method, NULL, "least squares, Tobit or elastic net") \
    COLUMN(row, REAL, kept, NULL, "by an elastic net: in which share of 100 drawings of the runs it is not 0") \
    COLUMN(row, REAL, alpha, NULL, "of an elastic net") \
    COLUMN(row, REAL, lambda, NULL, NULL) \
    COLUMN(row, REAL, lambda_1se, NULL, "a larger one, not clearly worse") \
    COLUMN(row, REAL, cv_r_squared, NULL, "of runs that were left out") \
    COLUMN(row, INTEGER, censored, "runs", "by a Tobit model: so many failed runs are `limit` or worse") \
    COLUMN(row, REAL, limit, NULL, NULL)
#define SL_TILE(COLUMN, row) \
    COLUMN(row, TEXT, treatment, NULL, NULL) \
    COLUMN(row, TEXT, other, NULL, NULL) \
    COLUMN(row, REAL, estimate, NULL, "what both change beyond what each does") \
    COLUMN(row, REAL, lower, NULL, "95 % interval") \
    COLUMN(row, REAL, upper, NULL, NULL) \
    COLUMN(row, REAL, p, NULL, NULL) \
    COLUMN(row, REAL, p_holm, NULL, "p as one of so many, by Holm") \
    COLUMN(row, REAL, p_bh, NULL, "p as one of so many, by Benjamini & Hochberg")
#define SL_FIT(COLUMN, row) \
    COLUMN(row, INTEGER, run, NULL, "its span") \
    COLUMN(row, INTEGER, time_ns, "ns", NULL) \
    COLUMN(row, REAL, measured, NULL, NULL) \
    COLUMN(row, REAL, fitted, NULL, "what the model says") \
    COLUMN(row, REAL, residual, NULL, "measured - fitted")
#define SL_STEP(COLUMN, row) \
    COLUMN(row, INTEGER, step, NULL, "NULL: the model can tell nothing of the treatment") \
    COLUMN(row, TEXT, treatment, NULL, "NULL: none yet") \
    COLUMN(row, REAL, before, NULL, "the score before it, by the model") \
    COLUMN(row, REAL, after, NULL, NULL) \
    COLUMN(row, REAL, delta, NULL, NULL) \
    COLUMN(row, INTEGER, runs, "runs", "with exactly these treatments") \
    COLUMN(row, REAL, measured, NULL, "their mean") \
    COLUMN(row, INTEGER, pairs, NULL, "1: pairs of treatments are in the model") \
    COLUMN(row, REAL, p, NULL, "of the treatment by itself") \
    COLUMN(row, TEXT, follows, NULL, "what it is of others") \
    COLUMN(row, TEXT, method, NULL, "as of experiment_model()")
#define SL_SHAPLEY(COLUMN, row) \
    COLUMN(row, TEXT, treatment, NULL, NULL) \
    COLUMN(row, REAL, value, NULL, "what it adds, on average over all orders") \
    COLUMN(row, REAL, least, NULL, "in any order") \
    COLUMN(row, REAL, most, NULL, "in any order") \
    COLUMN(row, TEXT, follows, NULL, "what it is of others") \
    COLUMN(row, REAL, lower, NULL, "95 % interval of value") \
    COLUMN(row, REAL, upper, NULL, NULL)
#define SL_VECTOR(COLUMN, row) \
    COLUMN(row, INTEGER, sequence, NULL, "a random order") \
    COLUMN(row, TEXT, treatment, NULL, NULL) \
    COLUMN(row, REAL, effect, NULL, "what it changed in this order")
#define SL_COMPONENT(COLUMN, row) \
    COLUMN(row, INTEGER, component, NULL, NULL) \
    COLUMN(row, REAL, stddev, NULL, NULL) \
    COLUMN(row, REAL, share, NULL, "of the variance") \
    COLUMN(row, REAL, cumulative, NULL, NULL)
#define SL_LOADING(COLUMN, row) \
    COLUMN(row, INTEGER, component, NULL, NULL) \
    COLUMN(row, TEXT, treatment, NULL, NULL) \
    COLUMN(row, REAL, loading, NULL, NULL)
#define SL_PCA_SCORE(COLUMN, row) \
    COLUMN(row, INTEGER, sequence, NULL, NULL) \
    COLUMN(row, INTEGER, component, NULL, NULL) \
    COLUMN(row, REAL, score, NULL, NULL)
#define SL_VARIANCE(COLUMN, row) \
    COLUMN(row, TEXT, factor, NULL, "or (time): all terms of time together") \
    COLUMN(row, INTEGER, df, NULL, "columns that it adds when it comes last") \
    COLUMN(row, REAL, share, NULL, "what it adds to R2, on average over orders of factors (LMG)") \
    COLUMN(row, REAL, lower, NULL, "95 % interval of share; never below 0") \
    COLUMN(row, REAL, upper, NULL, NULL) \
    COLUMN(row, REAL, alone, NULL, "R2 of the model that has it alone") \
    COLUMN(row, REAL, last, NULL, "what R2 loses without it") \
    COLUMN(row, REAL, f, NULL, "test of that: drop1(test = \"F\") of R") \
    COLUMN(row, REAL, p, NULL, NULL) \
    COLUMN(row, REAL, p_holm, NULL, "p as one of so many, by Holm") \
    COLUMN(row, REAL, p_bh, NULL, "p as one of so many, by Benjamini & Hochberg") \
    COLUMN(row, INTEGER, runs, "runs", NULL) \
    COLUMN(row, REAL, r_squared, NULL, "of all factors") \
    COLUMN(row, REAL, by_chance, NULL, "what a column that does nothing would take, on average") \
    COLUMN(row, INTEGER, exact, NULL, "1: over all orders; 0: over a sample of them")
#define SL_FAILURE(COLUMN, row) \
    COLUMN(row, TEXT, treatment, NULL, NULL) \
    COLUMN(row, INTEGER, runs_without, "runs", NULL) \
    COLUMN(row, INTEGER, failed_without, "runs", NULL) \
    COLUMN(row, INTEGER, runs_with, "runs", NULL) \
    COLUMN(row, INTEGER, failed_with, "runs", NULL) \
    COLUMN(row, REAL, difference, NULL, "of the shares that failed") \
    COLUMN(row, REAL, lower, NULL, "95 % interval of difference") \
    COLUMN(row, REAL, upper, NULL, NULL) \
    COLUMN(row, REAL, p, NULL, "that both are the same: Fisher's exact test") \
    COLUMN(row, REAL, p_holm, NULL, "p as one of so many, by Holm") \
    COLUMN(row, REAL, p_bh, NULL, "p as one of so many, by Benjamini & Hochberg") \
    COLUMN(row, REAL, better, NULL, "chance that a run with it beats one without; failed runs are the worst") \
    COLUMN(row, REAL, better_lower, NULL, "95 % interval of better") \
    COLUMN(row, REAL, better_upper, NULL, NULL)
#define SL_STRETCH(COLUMN, row) \
    COLUMN(row, INTEGER, stretch, NULL, "between two changes") \
    COLUMN(row, INTEGER, first_ns, "ns", "its first run") \
    COLUMN(row, INTEGER, last_ns, "ns", "its last run") \
    COLUMN(row, INTEGER, runs, "runs", NULL) \
    COLUMN(row, REAL, level, NULL, "of log(score), less what treatments do") \
    COLUMN(row, REAL, lower, NULL, "95 % interval") \
    COLUMN(row, REAL, upper, NULL, NULL) \
    COLUMN(row, REAL, change, NULL, "to the stretch before") \
    COLUMN(row, REAL, change_lower, NULL, NULL) \
    COLUMN(row, REAL, change_upper, NULL, NULL) \
    COLUMN(row, REAL, trend, NULL, "of all runs, an hour") \
    COLUMN(row, REAL, trend_lower, NULL, NULL) \
    COLUMN(row, REAL, trend_upper, NULL, NULL) \
    COLUMN(row, REAL, trend_p, NULL, NULL) \
    COLUMN(row, REAL, sigma, NULL, "noise from run to run") \
    COLUMN(row, REAL, together, NULL, "how much of it the next run has again")
#define SL_RESIDUAL(COLUMN, row) \
    COLUMN(row, INTEGER, run, NULL, "its span") \
    COLUMN(row, INTEGER, time_ns, "ns", NULL) \
    COLUMN(row, REAL, score, NULL, NULL) \
    COLUMN(row, REAL, residual, NULL, "of log(score), by a model without time") \
    COLUMN(row, INTEGER, stretch, NULL, NULL) \
    COLUMN(row, REAL, level, NULL, "of the stretch")
#define SL_ENOUGH(COLUMN, row) \
    COLUMN(row, TEXT, term, NULL, NULL) \
    COLUMN(row, REAL, estimate, NULL, NULL) \
    COLUMN(row, REAL, half_width, NULL, "of its 95 % interval") \
    COLUMN(row, REAL, next_half_width, NULL, "by 100 runs more") \
    COLUMN(row, INTEGER, sure_since, "runs", "by so many, and ever after, the interval is without 0") \
    COLUMN(row, INTEGER, sure_since_ns, "ns", NULL) \
    COLUMN(row, REAL, needed, "runs", "so many it would take, if it is as estimated") \
    COLUMN(row, INTEGER, runs, "runs", NULL)
#define SL_POINT(COLUMN, row) \
    COLUMN(row, TEXT, term, NULL, NULL) \
    COLUMN(row, INTEGER, runs, "runs", "the first ones") \
    COLUMN(row, INTEGER, time_ns, "ns", "of the last of them") \
    COLUMN(row, REAL, estimate, NULL, NULL) \
    COLUMN(row, REAL, lower, NULL, "95 % interval") \
    COLUMN(row, REAL, upper, NULL, NULL)
#define SL_RUN_LOG(COLUMN, row) \
    COLUMN(row, INTEGER, run, NULL, "its span") \
    COLUMN(row, TEXT, named, NULL, "what its column says") \
    COLUMN(row, TEXT, place, NULL, "the path that was looked below") \
    COLUMN(row, INTEGER, workflow, NULL, "its span") \
    COLUMN(row, INTEGER, found, NULL, "how many workflows there are") \
    COLUMN(row, TEXT, why_not, NULL, "why it has none")
#define SL_PART(COLUMN, row) \
    COLUMN(row, TEXT, term, NULL, NULL) \
    COLUMN(row, TEXT, kind, NULL, "path, transition; left out: what is told under some settings alone") \
    COLUMN(row, TEXT, part, NULL, "NULL: the whole") \
    COLUMN(row, REAL, estimate, "s", NULL) \
    COLUMN(row, REAL, std_error, "s", NULL) \
    COLUMN(row, REAL, lower, "s", "95 % interval") \
    COLUMN(row, REAL, upper, "s", NULL) \
    COLUMN(row, REAL, p, NULL, NULL) \
    COLUMN(row, REAL, p_holm, NULL, "p as one of so many, by Holm") \
    COLUMN(row, REAL, share, NULL, "of the whole") \
    COLUMN(row, REAL, mean, "s", "of all runs") \
    COLUMN(row, INTEGER, occurs, "runs", "in how many it occurs") \
    COLUMN(row, INTEGER, runs, "runs", NULL)
/* clang-format on */

SL_ROW(sl_about_row, SL_ABOUT);
SL_ROW(sl_level_row, SL_LEVEL);
SL_ROW(sl_delta_row, SL_DELTA);
SL_ROW(sl_scatter_row, SL_SCATTER);
SL_ROW(sl_mean, SL_MEAN);
SL_ROW(sl_model_row, SL_MODEL);
SL_ROW(sl_tile, SL_TILE);
SL_ROW(sl_fit_row, SL_FIT);
SL_ROW(sl_step_row, SL_STEP);
SL_ROW(sl_shapley_row, SL_SHAPLEY);
SL_ROW(sl_vector_row, SL_VECTOR);
SL_ROW(sl_component_row, SL_COMPONENT);
SL_ROW(sl_loading_row, SL_LOADING);
SL_ROW(sl_pca_score, SL_PCA_SCORE);
SL_ROW(sl_variance_row, SL_VARIANCE);
SL_ROW(sl_failure, SL_FAILURE);
SL_ROW(sl_stretch_row, SL_STRETCH);
SL_ROW(sl_residual_row, SL_RESIDUAL);
SL_ROW(sl_enough_row, SL_ENOUGH);
SL_ROW(sl_point_row, SL_POINT);
SL_ROW(sl_run_log_row, SL_RUN_LOG);
SL_ROW(sl_part_row, SL_PART);

#define SL_EXPERIMENT_FN(name) extern const struct sl_experiment_fn sl_experiment_##name;
SL_EXPERIMENT_FNS(SL_EXPERIMENT_FN)
#undef SL_EXPERIMENT_FN

/*
 * Rows of fn, into out, which has none, of what q asks for of db; q->failed and q->coarse are those of fn or more.
 */
int sl_experiment_ask(struct sl_rows *out, sqlite3 *db, const struct sl_experiment_fn *fn, const struct sl_question *q,
                      struct sl_err *err);

/*
 * From now on runs and rows of db are kept for who asks again, until sl_experiment_forget(): for who knows that the
 * store does not change meanwhile.  One store at a time, in one thread.  false: it is so already.
 */
bool sl_experiment_remember(sqlite3 *db);
void sl_experiment_forget(void);

#endif
