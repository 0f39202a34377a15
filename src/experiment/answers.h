/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be asked of an experiment, each as rows: the same for SQL (table functions experiment_NAME) and for results.
 * An answer is added by its columns and its function in answers.c, and by its line in sqlfn.c.
 */
#ifndef SL_EXPERIMENT_ANSWERS_H
#define SL_EXPERIMENT_ANSWERS_H

#include "experiment/runs.h"

union sl_answer_cell {
    int64_t i;     /* INT64_MIN: NULL */
    double d;      /* NaN: NULL */
    const char *s; /* NULL: NULL */
};

struct sl_answer_column {
    const char *name;
    char type;        /* i, d, s as above */
    const char *unit; /* NULL: none, or that of the score */
};

/* Rows, and what they borrow. */
struct sl_answer_rows {
    size_t n, columns;
    SL_VEC(union sl_answer_cell) cell;
    const struct sl_runs *runs;
    struct sl_arena arena;
};

struct sl_asked {
    struct sl_question q;
    const char *of, *by; /* of scatter: the treatment, and the factor that colours; NULL: none */
    sqlite3 *db;         /* of what asks for logs */
};

struct sl_answer {
    const char *name;
    const struct sl_answer_column *column;
    size_t columns;
    int (*fill)(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err);
    bool failed, coarse; /* how its runs are to be loaded: as of q, see runs.h */
};

enum sl_answer_of {
    SL_ANSWER_ABOUT,
    SL_ANSWER_FACTORS,
    SL_ANSWER_DELTAS,
    SL_ANSWER_MEANS,
    SL_ANSWER_MODEL,
    SL_ANSWER_TILES,
    SL_ANSWER_FIT,
    SL_ANSWER_SEQUENCE,
    SL_ANSWER_SHAPLEY,
    SL_ANSWER_VECTORS,
    SL_ANSWER_PCA,
    SL_ANSWER_LOADINGS,
    SL_ANSWER_PCA_SCORES,
    SL_ANSWER_SCATTER,
    SL_ANSWER_VARIANCE,
    SL_ANSWER_FAILURES,
    SL_ANSWER_DRIFT,
    SL_ANSWER_RESIDUALS,
    SL_ANSWER_ENOUGH,
    SL_ANSWER_PRECISION,
    SL_ANSWER_LOGS,
    SL_ANSWER_PARTS,
    SL_ANSWERS
};
extern const struct sl_answer sl_answers[SL_ANSWERS];

/* Columns of some answers, as others read them. */
enum {
    SL_ABOUT_EXPERIMENT,
    SL_ABOUT_RUNS,
    SL_ABOUT_FAILED,
    SL_ABOUT_INCOMPLETE,
    SL_ABOUT_UNIT,
    SL_ABOUT_FIRST_NS,
    SL_ABOUT_LAST_NS,
    SL_ABOUT_TIMED,
    SL_ABOUT_ON_END,
    SL_ABOUT_ON_END_RANDOM
};
enum {
    SL_DELTAS_TREATMENT,
    SL_DELTAS_BEFORE,
    SL_DELTAS_AFTER,
    SL_DELTAS_DELTA,
    SL_DELTAS_LOG2,
    SL_DELTAS_BEFORE_RUN,
    SL_DELTAS_AFTER_RUN
};
enum {
    SL_MEANS_TREATMENT,
    SL_MEANS_PAIRS,
    SL_MEANS_DELTA,
    SL_MEANS_LOWER,
    SL_MEANS_UPPER,
    SL_MEANS_P,
    SL_MEANS_P_HOLM,
    SL_MEANS_P_BH,
    SL_MEANS_RUNS_WITHOUT,
    SL_MEANS_RUNS_WITH,
    SL_MEANS_WITHOUT,
    SL_MEANS_WITH,
    SL_MEANS_DIFFERENCE,
    SL_MEANS_DIFFERENCE_LOWER,
    SL_MEANS_DIFFERENCE_UPPER,
    SL_MEANS_DIFFERENCE_P,
    SL_MEANS_DIFFERENCE_P_HOLM,
    SL_MEANS_DIFFERENCE_P_BH,
    SL_MEANS_LACKS,
    SL_MEANS_DIFFERENCE_LACKS
};
enum {
    SL_MODEL_TERM,
    SL_MODEL_ESTIMATE,
    SL_MODEL_ERROR,
    SL_MODEL_LOWER,
    SL_MODEL_UPPER,
    SL_MODEL_T,
    SL_MODEL_P,
    SL_MODEL_P_HOLM,
    SL_MODEL_P_BH,
    SL_MODEL_FOLLOWS,
    SL_MODEL_RUNS,
    SL_MODEL_DF,
    SL_MODEL_R_SQUARED,
    SL_MODEL_ADJ_R_SQUARED,
    SL_MODEL_RESIDUAL_STDDEV,
    SL_MODEL_F,
    SL_MODEL_F_P,
    SL_MODEL_METHOD,
    SL_MODEL_KEPT,
    SL_MODEL_ALPHA,
    SL_MODEL_LAMBDA,
    SL_MODEL_LAMBDA_1SE,
    SL_MODEL_CV_R_SQUARED,
    SL_MODEL_CENSORED,
    SL_MODEL_LIMIT
};
enum {
    SL_TILES_TREATMENT,
    SL_TILES_OTHER,
    SL_TILES_ESTIMATE,
    SL_TILES_LOWER,
    SL_TILES_UPPER,
    SL_TILES_P,
    SL_TILES_P_HOLM,
    SL_TILES_P_BH
};
enum {
    SL_SEQUENCE_STEP,
    SL_SEQUENCE_TREATMENT,
    SL_SEQUENCE_BEFORE,
    SL_SEQUENCE_AFTER,
    SL_SEQUENCE_DELTA,
    SL_SEQUENCE_RUNS,
    SL_SEQUENCE_MEASURED,
    SL_SEQUENCE_PAIRS,
    SL_SEQUENCE_P,
    SL_SEQUENCE_FOLLOWS,
    SL_SEQUENCE_METHOD
};

enum {
    SL_VARIANCE_FACTOR,
    SL_VARIANCE_DF,
    SL_VARIANCE_SHARE,
    SL_VARIANCE_LOWER,
    SL_VARIANCE_UPPER,
    SL_VARIANCE_ALONE,
    SL_VARIANCE_LAST,
    SL_VARIANCE_F,
    SL_VARIANCE_P,
    SL_VARIANCE_P_HOLM,
    SL_VARIANCE_P_BH,
    SL_VARIANCE_RUNS,
    SL_VARIANCE_R_SQUARED,
    SL_VARIANCE_BY_CHANCE,
    SL_VARIANCE_EXACT
};
enum { SL_LOGS_RUN, SL_LOGS_NAMED, SL_LOGS_PLACE, SL_LOGS_WORKFLOW, SL_LOGS_FOUND, SL_LOGS_WHY };
enum {
    SL_PARTS_TERM,
    SL_PARTS_KIND,
    SL_PARTS_PART,
    SL_PARTS_ESTIMATE,
    SL_PARTS_ERROR,
    SL_PARTS_LOWER,
    SL_PARTS_UPPER,
    SL_PARTS_P,
    SL_PARTS_P_HOLM,
    SL_PARTS_SHARE,
    SL_PARTS_MEAN,
    SL_PARTS_IN,
    SL_PARTS_RUNS
};

enum {
    SL_FAILURES_TREATMENT,
    SL_FAILURES_RUNS_WITHOUT,
    SL_FAILURES_FAILED_WITHOUT,
    SL_FAILURES_RUNS_WITH,
    SL_FAILURES_FAILED_WITH,
    SL_FAILURES_DIFFERENCE,
    SL_FAILURES_LOWER,
    SL_FAILURES_UPPER,
    SL_FAILURES_P,
    SL_FAILURES_P_HOLM,
    SL_FAILURES_P_BH,
    SL_FAILURES_BETTER,
    SL_FAILURES_BETTER_LOWER,
    SL_FAILURES_BETTER_UPPER
};

enum {
    SL_DRIFT_STRETCH,
    SL_DRIFT_FIRST_NS,
    SL_DRIFT_LAST_NS,
    SL_DRIFT_RUNS,
    SL_DRIFT_LEVEL,
    SL_DRIFT_LOWER,
    SL_DRIFT_UPPER,
    SL_DRIFT_CHANGE,
    SL_DRIFT_CHANGE_LOWER,
    SL_DRIFT_CHANGE_UPPER,
    SL_DRIFT_TREND,
    SL_DRIFT_TREND_LOWER,
    SL_DRIFT_TREND_UPPER,
    SL_DRIFT_TREND_P,
    SL_DRIFT_SIGMA,
    SL_DRIFT_TOGETHER
};

enum {
    SL_ENOUGH_TERM,
    SL_ENOUGH_ESTIMATE,
    SL_ENOUGH_WIDTH,
    SL_ENOUGH_NEXT_WIDTH,
    SL_ENOUGH_SURE_SINCE,
    SL_ENOUGH_SURE_SINCE_NS,
    SL_ENOUGH_NEEDED,
    SL_ENOUGH_RUNS
};

/* Fills in the rows, which borrow r.  On success *out is to be freed with sl_answer_free(). */
int sl_answer(struct sl_answer_rows *out, const struct sl_runs *r, const struct sl_answer *answer,
              const struct sl_asked *a, struct sl_err *err);
void sl_answer_free(struct sl_answer_rows *r);

#endif
