/* SPDX-License-Identifier: Apache-2.0 */
/* What would fewer runs have told, and what would more? */
#ifndef SL_EXPERIMENT_PRECISION_H
#define SL_EXPERIMENT_PRECISION_H

#include "experiment/model.h"

enum { SL_PRECISION_POINTS = 200, SL_PRECISION_NEXT = 100 };

/* An estimate by the first `runs` runs of the model; NaN: they do not tell it. */
struct sl_precision_point {
    double estimate, lower, upper;
};

struct sl_precision_term {
    size_t term; /* of the model: a treatment by itself */
    struct sl_precision_point *point;
    size_t sure_since; /* by so many runs, and all points since, its interval is on the same side of 0; 0: it is not */
    double width;      /* half of its interval, by all runs */
    double next_width; /* the same with SL_PRECISION_NEXT runs more of the same kind */
    double needed; /* so many runs, if it is as estimated and runs go on like this, its interval would not contain 0 */
};

struct sl_precision {
    struct sl_linear_model model;
    size_t points, *runs; /* of each point, ascending; the last has all runs of the model */
    size_t terms;
    struct sl_precision_term *term;
};

/*
 * Of the model that q asks for, without pairs: least squares by the first runs, by ever more of them, at up to
 * SL_PRECISION_POINTS points.  Widths fall as 1 / sqrt(runs).  Who looks after each run and stops when it is sure is
 * wrong more often than 1 of 20 times; this is told in hindsight. On success *out is to be freed with
 * sl_precision_free().  SL_EUSAGE: there are not more runs than terms.
 */
int sl_precision_make(struct sl_precision *out, const struct sl_runs *r, const struct sl_question *q,
                      struct sl_err *err);
void sl_precision_free(struct sl_precision *p);

#endif
