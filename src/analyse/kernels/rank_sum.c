/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/rank_sum.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 4000000 };

struct stratum {
    struct sl_ranked *v;
    size_t n, here;
    size_t least, sum, most; /* sums of twice the ranks: they are whole numbers, where values are equal, too */
    double variance;         /* of that sum */
};

static int by_stratum(const void *a, const void *b)
{
    const struct sl_ranked *p = a, *q = b;

    if (p->stratum != q->stratum)
        return p->stratum < q->stratum ? -1 : 1;
    return (p->x > q->x) - (p->x < q->x);
}

/* Twice the rank of each, in their order. */
static void rank(size_t *ranks, const struct stratum *s)
{
    for (size_t i = 0, end; i < s->n; i = end) {
        for (end = i + 1; end < s->n && s->v[end].x == s->v[i].x; end++)
            ;
        for (size_t k = i; k < end; k++)
            ranks[k] = i + 1 + end;
    }
}

static void measure(struct stratum *s, const size_t *ranks)
{
    double mean = (double)s->n + 1, squares = 0, others = (double)(s->n - s->here);

    for (size_t i = 0; i < s->n; i++) {
        squares += ((double)ranks[i] - mean) * ((double)ranks[i] - mean);
        s->least += i < s->here ? ranks[i] : 0;
        s->most += i >= s->n - s->here ? ranks[i] : 0;
        s->sum += s->v[i].here ? ranks[i] : 0;
    }
    s->variance = (double)s->here * others / ((double)s->n * ((double)s->n - 1)) * squares;
}

/* ways[sum - least]: how probable each sum of the stratum is. */
static void distribute(double *ways, const struct stratum *s, const size_t *ranks)
{
    size_t width = s->most + 1;
    double *of = sl_alloc((s->here + 1) * width * sizeof *of), all = 0; /* of[k][sum]: so many of k values */

    of[0] = 1;
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = i + 1 < s->here ? i + 1 : s->here; k > 0; k--)
            for (size_t sum = ranks[i]; sum < width; sum++)
                of[k * width + sum] += of[(k - 1) * width + sum - ranks[i]];
    for (size_t sum = s->least; sum <= s->most; sum++)
        all += of[s->here * width + sum];
    for (size_t sum = s->least; sum <= s->most; sum++)
        ways[sum - s->least] = of[s->here * width + sum] / all;
    free(of);
}

/* Of all strata, one added to those before it. */
static double exactly(struct stratum *s, size_t strata, const size_t *ranks, size_t width)
{
    double *all = sl_alloc(3 * width * sizeof *all), *ways = all + width, *next = ways + width, p = 0;
    size_t most = 0, sum = 0;

    all[0] = 1;
    for (size_t i = 0; i < strata; ranks += s[i].n, i++) {
        distribute(ways, &s[i], ranks);
        memset(next, 0, width * sizeof *next);
        for (size_t a = 0; a <= most; a++)
            for (size_t b = 0; all[a] > 0 && b <= s[i].most - s[i].least; b++)
                next[a + b] += all[a] * ways[b];
        most += s[i].most - s[i].least;
        sum += s[i].sum - s[i].least;
        memcpy(all, next, width * sizeof *next);
    }
    for (size_t a = sum; a <= most; a++)
        p += all[a];
    free(all);
    return fmin(1, p);
}

static double nearly(const struct stratum *s, size_t strata)
{
    double more = 0, variance = 0;

    for (size_t i = 0; i < strata; i++) {
        more += (double)s[i].sum - (double)s[i].here * ((double)s[i].n + 1);
        variance += s[i].variance;
    }
    return variance > 0 ? 0.5 * erfc(more / sqrt(2 * variance)) : 1;
}

/* The strata that have values of both, and the ranks of theirs. */
static size_t divide(struct stratum *s, size_t *ranks, struct sl_ranked *v, size_t n)
{
    size_t strata = 0;

    for (size_t i = 0, end; i < n; i = end) {
        struct stratum one = {.v = v + i};
        for (end = i; end < n && v[end].stratum == v[i].stratum; end++)
            one.here += v[end].here;
        one.n = end - i;
        if (!one.here || one.here == one.n)
            continue;
        rank(ranks, &one);
        measure(&one, ranks);
        ranks += one.n;
        s[strata++] = one;
    }
    return strata;
}

double sl_rank_sum_p(struct sl_ranked *v, size_t n)
{
    struct stratum *s = sl_alloc((n + 1) * sizeof *s);
    size_t *ranks = sl_alloc((n + 1) * sizeof *ranks), strata, width = 1;
    double steps = 0, p = NAN;

    qsort(v, n, sizeof *v, by_stratum);
    strata = divide(s, ranks, v, n);
    for (size_t i = 0; i < strata; i++) {
        size_t own = s[i].most - s[i].least + 1;
        steps += (double)s[i].n * (double)s[i].here * (double)s[i].most + (double)width * (double)own;
        width += own - 1;
    }
    if (strata)
        p = steps <= MOST_STEPS ? exactly(s, strata, ranks, width) : nearly(s, strata);
    free(ranks);
    free(s);
    return p;
}
