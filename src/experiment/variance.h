/* SPDX-License-Identifier: Apache-2.0 */
/* How much of the variance of scores each factor explains. */
#ifndef SL_EXPERIMENT_VARIANCE_H
#define SL_EXPERIMENT_VARIANCE_H

#include "experiment/model.h"

struct sl_variance_share { /* all are shares of the whole variance of the scores, or of their logarithm */
    const char *name;      /* of a factor; "(time)": all terms of time together */
    size_t df;             /* columns that it adds when it comes last */
    double share;          /* what it adds to R^2, on average over all orders in which factors may come */
    double low, high;      /* 95 % interval of the share; never below 0 */
    double alone;          /* R^2 of the model that has it alone */
    double last;           /* what R^2 loses without it */
    double f, p;           /* test of the latter: R's drop1(test = "F") */
    double p_holm, p_bh;
};

struct sl_variance {
    size_t n, runs;
    struct sl_variance_share *share; /* largest first; names are those of the runs */
    double r_squared;
    double chance; /* what a column that does nothing would take, on average: (1 - R^2) / degrees of freedom left */
    bool exact;    /* over all orders; else over a sample of them */
};

/*
 * Of the model that q asks for, without pairs.  Shares are those of Lindeman, Merenda & Gold (Introduction to Bivariate
 * and Multivariate Analysis, 1980, p. 119), known as LMG: Shapley values of R^2.  They add up to R^2, whatever the
 * order in which factors are told.  Up to SL_VARIANCE_ALL_ORDERS factors over all orders, of more (or of many levels)
 * over 2000 random ones. Intervals: percentiles of 200 rounds of the bootstrap of blocks (kernels/bootstrap.h), moved
 * so that the median is the share, since all of a round is larger by its noise, the more so of a factor of many levels.
 * On success *out is to be freed with sl_variance_free().  Errors are those of sl_model_fit(); or all scores are equal.
 */
enum { SL_VARIANCE_ALL_ORDERS = 16 };
int sl_variance_make(struct sl_variance *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err);
void sl_variance_free(struct sl_variance *s);

#endif
