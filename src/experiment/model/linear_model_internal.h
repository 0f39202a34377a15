/* SPDX-License-Identifier: Apache-2.0 */
/* What model.c and the files of other fits than least squares have in common. */
#ifndef SL_EXPERIMENT_MODEL_LINEAR_MODEL_INTERNAL_H
#define SL_EXPERIMENT_MODEL_LINEAR_MODEL_INTERNAL_H

#include "experiment/model/linear_model.h"

/* Fills in the estimates of m, whose terms and columns are there.  model_net.c */
int sl_model_fit_net(struct sl_linear_model *m, const struct sl_question *q, struct sl_err *err);

/*
 * Of failed runs is only known that they scored q->limit or worse.  Puts that into the scores of m; errors: no run
 * failed.  Then, when least squares has told which terms there are, fits the rest.  model_limit.c
 */
int sl_model_set_limit(struct sl_linear_model *m, const struct sl_runs *r, const struct sl_question *q,
                       struct sl_err *err);
int sl_model_fit_limit(struct sl_linear_model *m, const struct sl_runs *r, struct sl_err *err);

#endif
