/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a treatment t does, measured: every pair of a run of X and a run of X + {t}, where X is a set of treatments and
 * both runs are alike in all else.  All repeats of X are paired with all repeats of X + {t}.
 */
#ifndef SL_EXPERIMENT_DELTAS_H
#define SL_EXPERIMENT_DELTAS_H

#include "experiment/runs.h"

/* Runs of the same levels are a cell. */
struct sl_cells {
    size_t n;
    uint32_t *of;    /* cell of each run */
    uint32_t *begin; /* n + 1: run[begin[c]..begin[c + 1]) are those of c, by time */
    uint32_t *run;
};

/* Two cells that differ in one factor alone, which has its base level in one and the treatment's in the other. */
struct sl_cell_pair {
    uint32_t treatment, without, with;
};

struct sl_deltas {
    struct sl_cells cells;
    SL_VEC(struct sl_cell_pair) pair; /* by treatment, then by the time of the first run of `without`, then of `with` */
};

/* O(runs * factors).  To be freed with sl_deltas_free().  A level that is not known is alike only to another such. */
void sl_deltas_make(struct sl_deltas *out, const struct sl_runs *r);
void sl_deltas_free(struct sl_deltas *d);

/* The cell of these levels (one for each factor); negative: no run has them. */
int64_t sl_cells_find(const struct sl_cells *c, const struct sl_runs *r, const int32_t *level);

#endif
