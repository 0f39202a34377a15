/* SPDX-License-Identifier: Apache-2.0 */
/* What people see of an experiment (result/experiment.h). */
#ifndef SL_SHOW_EXPERIMENT_EXPERIMENT_TABLES_H
#define SL_SHOW_EXPERIMENT_EXPERIMENT_TABLES_H

#include "result/experiment.h"

#include <stdio.h>

struct sl_experiment_look {
    bool log, rate, all; /* of a model: percent; more is better; every row */
    const char *vs, *by; /* of sl_show_both(); of sl_show_scatter() and _parts(): the treatment, and what colours */
    bool transitions;    /* of parts: these, not the critical path */
};

void sl_show_means(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look);
void sl_show_both(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look);
void sl_show_model(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look);
void sl_show_beside(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look);
void sl_show_tiles(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look);
void sl_show_fit(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look);
void sl_show_sequence(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look);
void sl_show_shapley(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look);
void sl_show_components(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look);
void sl_show_deltas(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look);
void sl_show_scatter(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look);
void sl_show_factors(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look);
void sl_show_logs(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look);
void sl_show_parts(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look);

/* experiment_statistics.c */
/* Of an elastic net; sl_show_model() calls it where the model is one. */
void sl_show_net(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look);
void sl_show_variance(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look);
void sl_show_failures(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look);
void sl_show_drift(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look);
/* What a trend of such runs is told in, "a day": of minutes, hours, days and weeks the largest that they span some of;
 * its length in hours at *unit. */
const char *sl_show_trend_unit(const struct sl_about_row *about, double *unit);
void sl_show_enough(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look);

#endif
