/* SPDX-License-Identifier: Apache-2.0 */
/* What answers.c and answers_orders.c have in common. */
#ifndef SL_EXPERIMENT_ANSWERS_INTERNAL_H
#define SL_EXPERIMENT_ANSWERS_INTERNAL_H

#include "experiment/answers.h"

/* A new row; its cells are to be filled in. */
union sl_answer_cell *sl_answer_add(struct sl_answer_rows *out);
/* A copy that lives as long as the rows. */
const char *sl_answer_keep(struct sl_answer_rows *out, const char *s);

/* answers_orders.c */
enum {
    SL_SEQUENCE_COLUMNS = 11,
    SL_SHAPLEY_COLUMNS = 7,
    SL_VECTOR_COLUMNS = 3,
    SL_COMPONENT_COLUMNS = 4,
    SL_LOADING_COLUMNS = 3,
    SL_PCA_SCORE_COLUMNS = 3,
};
extern const struct sl_answer_column sl_sequence_columns[SL_SEQUENCE_COLUMNS], sl_shapley_columns[SL_SHAPLEY_COLUMNS],
    sl_vector_columns[SL_VECTOR_COLUMNS], sl_component_columns[SL_COMPONENT_COLUMNS],
    sl_loading_columns[SL_LOADING_COLUMNS], sl_pca_score_columns[SL_PCA_SCORE_COLUMNS];
int sl_answer_sequence(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err);
int sl_answer_shapley(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err);
int sl_answer_vectors(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err);
int sl_answer_components(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err);
int sl_answer_loadings(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err);
int sl_answer_pca_scores(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err);

/* answers_statistics.c */
enum {
    SL_VARIANCE_COLUMNS = SL_VARIANCE_EXACT + 1,
    SL_FAILURES_COLUMNS = SL_FAILURES_BETTER_UPPER + 1,
    SL_DRIFT_COLUMNS = SL_DRIFT_TOGETHER + 1,
    SL_RESIDUAL_COLUMNS = 6,
    SL_ENOUGH_COLUMNS = SL_ENOUGH_RUNS + 1,
    SL_PRECISION_COLUMNS = 6
};
extern const struct sl_answer_column sl_variance_columns[SL_VARIANCE_COLUMNS], sl_failures_columns[SL_FAILURES_COLUMNS],
    sl_drift_columns[SL_DRIFT_COLUMNS], sl_residual_columns[SL_RESIDUAL_COLUMNS], sl_enough_columns[SL_ENOUGH_COLUMNS],
    sl_precision_columns[SL_PRECISION_COLUMNS];
int sl_answer_variance(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err);
int sl_answer_failures(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err);
int sl_answer_drift(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err);
int sl_answer_residuals(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err);
int sl_answer_enough(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err);
int sl_answer_precision(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err);

/* answers_logs.c */
enum { SL_LOGS_COLUMNS = SL_LOGS_WHY + 1, SL_PARTS_COLUMNS = SL_PARTS_RUNS + 1 };
extern const struct sl_answer_column sl_logs_columns[SL_LOGS_COLUMNS], sl_parts_columns[SL_PARTS_COLUMNS];
int sl_answer_logs(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err);
int sl_answer_parts(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err);

#endif
