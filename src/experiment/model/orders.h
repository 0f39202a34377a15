/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Treatments applied one after the other, from none to all that help.  What a set of treatments costs is what a model
 * of log(score) says of it: few of the sets were measured, and a logarithm never becomes a cost below 0.  Where some
 * runs are there, their mean is told beside it.
 */
#ifndef SL_EXPERIMENT_MODEL_ORDERS_H
#define SL_EXPERIMENT_MODEL_ORDERS_H

#include "experiment/deltas.h"
#include "experiment/model/linear_model.h"

struct sl_applied {
    int32_t treatment; /* -1: none yet, the first step */
    double score;      /* of the model, after this treatment */
    double delta;      /* to the step before */
    size_t runs;       /* measured with exactly these treatments */
    double measured;   /* their mean; NaN: none */
};

struct sl_sequence {
    SL_VEC(struct sl_applied) step;
    struct sl_linear_model model;
    struct sl_deltas deltas;
};

/*
 * By q: in the order that it gives; or all treatments that help, best first (greedy: at each step what helps most,
 * until nothing does), of the first group, then of the next.  What is in no group comes last.  Pairs are in the model
 * where there are at least twice as many runs as terms.  To be freed with sl_sequence_free().
 */
int sl_sequence_make(struct sl_sequence *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err);
void sl_sequence_free(struct sl_sequence *s);

/*
 * Shapley values of n <= SL_SHAPLEY_MOST players: what each adds, averaged over all n! orders in which they may come.
 * value[S] is what the players of the set S (bit i: player i) come to together, 2^n of them.  least, most: the smallest
 * and largest that a player adds in any order.  O(n 2^n).
 */
enum { SL_SHAPLEY_MOST = 24 };
void sl_shapley(double *out, double *least, double *most, const double *value, int n);

/* What each treatment of s (but the first step) adds, over all orders: arrays of as many.  SL_EUSAGE: too many. */
int sl_sequence_shapley(const struct sl_sequence *s, const struct sl_runs *r, double *out, double *least, double *most,
                        struct sl_err *err);

/*
 * 95 % intervals of these values: percentiles of 200 rounds of the bootstrap of blocks (kernels/bootstrap.h), in each
 * of which the model is fitted again; the treatments stay.  false, and nothing is filled in: there are more than 16, or
 * the model is an elastic net, too large, or not told by what is drawn.  shapley_intervals.c
 */
bool sl_sequence_shapley_intervals(const struct sl_sequence *s, const struct sl_runs *r, double *low, double *high);

/* Whether name is one of "a,b*": `*` stands for any text. */
bool sl_name_in(const char *patterns, size_t n, const char *name);

#endif
