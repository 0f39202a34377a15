/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/regression/adjust.h"
#include "base/mem.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

struct one {
    double p;
    size_t at;
};

static int by_p(const void *a, const void *b)
{
    const struct one *x = a, *y = b;
    return x->p < y->p ? -1 : x->p > y->p ? 1 : x->at < y->at ? -1 : x->at > y->at;
}

/* Those that are comparisons, ascending; how many. */
static size_t sorted(struct one *v, const double *p, size_t n)
{
    size_t m = 0;

    for (size_t i = 0; i < n; i++)
        if (!isnan(p[i]))
            v[m++] = (struct one){p[i], i};
    qsort(v, m, sizeof *v, by_p);
    return m;
}

static void adjust(double *out, const double *p, size_t n, int holm)
{
    struct one *v = sl_alloc(n * sizeof *v + 1);
    size_t m = sorted(v, p, n);
    double last = holm ? 0 : 1;

    for (size_t i = 0; i < n; i++)
        out[i] = NAN;
    for (size_t k = 0; k < m; k++) {
        size_t i = holm ? k : m - 1 - k;
        double q = v[i].p * (holm ? (double)(m - i) : (double)m / (double)(i + 1));
        last = holm ? fmax(last, q) : fmin(last, q);
        out[v[i].at] = fmin(last, 1);
    }
    free(v);
}

void sl_adjust_holm(double *out, const double *p, size_t n)
{
    adjust(out, p, n, 1);
}

void sl_adjust_bh(double *out, const double *p, size_t n)
{
    adjust(out, p, n, 0);
}

static double *member(const double *first, size_t bytes, size_t i)
{
    return (double *)((uintptr_t)first + i * bytes);
}

void sl_adjust_members(size_t n, size_t bytes, const double *p, double *holm, double *bh)
{
    double *v = sl_alloc(3 * n * sizeof *v + 1);

    for (size_t i = 0; i < n; i++)
        v[i] = *member(p, bytes, i);
    sl_adjust_holm(v + n, v, n);
    sl_adjust_bh(v + 2 * n, v, n);
    for (size_t i = 0; i < n; i++) {
        *member(holm, bytes, i) = v[n + i];
        *member(bh, bytes, i) = v[2 * n + i];
    }
    free(v);
}
