/* SPDX-License-Identifier: Apache-2.0 */
/* What model.c and the files of other fits than least squares have in common. */
#ifndef SL_EXPERIMENT_MODEL_INTERNAL_H
#define SL_EXPERIMENT_MODEL_INTERNAL_H

#include "experiment/model.h"

/* Fills in the estimates of m, whose terms and columns are there.  model_net.c */
int sl_model_fit_net(struct sl_linear_model *m, const struct sl_question *q, struct sl_err *err);

#endif
