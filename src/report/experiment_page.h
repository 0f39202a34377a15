/* SPDX-License-Identifier: Apache-2.0 */
/* An experiment as a page: which treatments matter, by how much and how sure, and all that leads there. */
#ifndef SL_REPORT_EXPERIMENT_PAGE_H
#define SL_REPORT_EXPERIMENT_PAGE_H

#include "base/buf.h"
#include "result/experiment.h"

/*
 * Appends the body of page/report.html, HTML with the specifications of its plots, and its title.  Of what cannot be
 * said, the page says why; an error is only what makes all of it impossible: there is no experiment, or no score.
 * st is open for reading, with the analysis functions.
 */
int sl_report_experiment(struct sl_buf *title, struct sl_buf *body, struct sl_store *st, const struct sl_question *q,
                         struct sl_err *err);

#endif
