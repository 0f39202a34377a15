/* SPDX-License-Identifier: Apache-2.0 */
/* Do scores change with time, apart from what treatments do?  Slowly, or from one run to the next? */
#ifndef SL_EXPERIMENT_DRIFT_H
#define SL_EXPERIMENT_DRIFT_H

#include "experiment/model.h"

struct sl_stretch {                         /* between two changes */
    size_t begin, end;                      /* of the runs of the model: begin..end - 1 */
    double level;                           /* mean of what is left, where outliers count as less */
    double low, high;                       /* 95 % of it */
    double change, change_low, change_high; /* to the one before; NaN: there is none */
};

struct sl_drift {
    struct sl_linear_model model; /* without time */
    double *left;                 /* of each run of the model: log(score) less what the model says */
    struct sl_stretch *stretch;
    size_t stretches;
    double sigma, together;                       /* see kernels/changes.h */
    double trend, trend_low, trend_high, trend_p; /* of what is left, an hour */
};

/*
 * What is left by the model of log(score) that q asks for, without its terms of time, in the order of time.  Values
 * further than three standard deviations from the median of the 21 around them count as three (Hampel's filter).
 * Changes: kernels/changes.h, with a penalty of 3 log(n) times the long-run variance: twice log(n) would do where the
 * number of changes were all that is asked (Yao, Stat. Probab. Lett. 6 (1988) 181); a third is about what Zhang &
 * Siegmund's criterion has (Biometrics 63 (2007) 22), and finds a change in 1 of 100 made studies that have none, in 10
 * of 100 where the next run has 70 % of an error again (`make coverage`).  A trend, by least squares, costs as much as
 * one change; where it says it better than all changes, there is one stretch.  Intervals, of levels given the changes,
 * and of the trend, take errors that come together into account. On success *out is to be freed with sl_drift_free().
 * SL_EUSAGE: nothing says when, fewer than 10 runs, the times are the same; and those of sl_model_fit().
 */
int sl_drift_make(struct sl_drift *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err);
void sl_drift_free(struct sl_drift *d);

#endif
