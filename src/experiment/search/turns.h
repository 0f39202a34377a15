/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two settings, measured in turns until it is known which is better, and by how much.  A pair is both, one right after
 * the other, which of them first decided by a coin; so time, and what the first leaves to the second, are no effect.
 */
#ifndef SL_EXPERIMENT_SEARCH_TURNS_H
#define SL_EXPERIMENT_SEARCH_TURNS_H

#include "analyse/kernels/sequential.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* When it is known. */
struct sl_compare_rule {
    double fail_on; /* worse by more than this share is to be told: 0.05; NaN: any change is */
    double within;  /* an interval of +- so much is narrow enough */
    double alpha;   /* the chance to be wrong, whenever one looks (kernels/sequential.h): 0.05 */
    bool rate;      /* more is better */
};

struct sl_compare {
    struct sl_sequential worse; /* a pair's logarithm of how often worse the new one is */
    double sum[2];              /* of the logarithms of both sides' scores */
};

enum sl_compare_verdict {
    SL_COMPARE_UNKNOWN,
    SL_COMPARE_WORSE,  /* by more than fail_on, or than nothing, and sure */
    SL_COMPARE_BETTER, /* than nothing */
    SL_COMPARE_SAME,   /* not worse by fail_on, and the interval has 0; without fail_on: no change beyond `within` */
    SL_COMPARE_LITTLE, /* worse, but by less than fail_on */
    SL_COMPARE_CLOSE   /* the interval is narrow, and has fail_on inside */
};
extern const char *const sl_compare_verdicts[]; /* "unknown", ... */

struct sl_compared {
    enum sl_compare_verdict verdict;
    size_t pairs;
    double worse, low, high; /* shares, as fail_on: how much worse the new one is; NaN, infinite: not known */
    double base, new;        /* geometric means of the scores; NaN: no pair */
    double more;             /* of UNKNOWN: some so many pairs more would tell; infinite: cannot be said */
};

/* A pair's scores, finite and above 0. */
void sl_compare_add(struct sl_compare *c, const struct sl_compare_rule *rule, double base, double new);

/* It is known, or narrow enough, unless the verdict is UNKNOWN.  *of may be asked after every pair. */
struct sl_compared sl_compare_judge(const struct sl_compare *c, const struct sl_compare_rule *rule);

void sl_compare_free(struct sl_compare *c);

#endif
