/* SPDX-License-Identifier: Apache-2.0 */
/* What runs.c and levels.c have in common. */
#ifndef SL_EXPERIMENT_RUNS_INTERNAL_H
#define SL_EXPERIMENT_RUNS_INTERNAL_H

#include "experiment/runs.h"

/*
 * Puts levels of a factor together where there are more than SL_LEVELS_MANY: of numbers, quarters of the runs, called
 * "low..high"; of texts, those with fewer than SL_LEVELS_FEW runs, called "(others)", the last.  The levels of the runs
 * of r are there, its treatments are not yet.  *base: the level that is the base, before and after; negative: none is.
 */
enum { SL_LEVELS_MANY = 8, SL_LEVELS_FEW = 5, SL_LEVELS_BINS = 4 };
void sl_levels_coarsen(struct sl_runs *r, uint32_t factor, int32_t *base);

/* Before the first run that has a level, a treatment had not been thought of, so it was not applied. */
void sl_levels_join(struct sl_runs *r, uint32_t factor);

/* Of a factor whose base is stated: that is level `at`, which comes first; negative: no run has it. */
void sl_levels_base(struct sl_runs *r, uint32_t factor, int32_t at);

/* Makes one level of a factor of texts where more than every second run has its own, and more than SL_LEVELS_NAMES are
 * there: SL_FACTOR_IDENTITY. */
enum { SL_LEVELS_NAMES = 12 };
void sl_levels_identity(struct sl_runs *r, uint32_t factor);

#endif
