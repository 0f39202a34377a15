/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/change_points.h"
#include "analyse/kernels/quantile.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* Sums of the first i values, about the mean of all. */
struct sums {
    double *one, *square;
};

static double cost(const struct sums *s, size_t from, size_t to)
{
    double sum = s->one[to] - s->one[from];
    return s->square[to] - s->square[from] - sum * sum / (double)(to - from);
}

static struct sums add_up(const double *v, size_t n)
{
    struct sums s = {.one = sl_alloc(2 * (n + 1) * sizeof *s.one)};
    double mean = 0;

    s.square = s.one + n + 1;
    for (size_t i = 0; i < n; i++)
        mean += v[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        s.one[i + 1] = s.one[i] + (v[i] - mean);
        s.square[i + 1] = s.square[i] + (v[i] - mean) * (v[i] - mean);
    }
    return s;
}

size_t sl_changes(const double *v, size_t n, double penalty, size_t *begin)
{
    struct sums s = add_up(v, n);
    double *best = sl_alloc((n + 1) * sizeof *best); /* cost of the first t values */
    size_t *from = sl_alloc(2 * (n + 1) * sizeof *from), *last = from + n + 1, candidates = 0, segments = 0;

    best[0] = -penalty;
    for (size_t t = 1; t <= n; t++) {
        size_t kept = 0;
        from[candidates++] = t - 1;
        best[t] = INFINITY;
        for (size_t i = 0; i < candidates; i++) {
            double c = best[from[i]] + cost(&s, from[i], t) + penalty;
            if (c < best[t]) {
                best[t] = c;
                last[t] = from[i];
            }
        }
        for (size_t i = 0; i < candidates; i++) /* the others can be the last change of nothing that follows */
            if (best[from[i]] + cost(&s, from[i], t) <= best[t])
                from[kept++] = from[i];
        candidates = kept;
    }
    for (size_t t = n; t > 0; t = last[t])
        segments++;
    for (size_t t = n, k = segments; k-- > 0; t = last[t])
        begin[k] = last[t];
    free(s.one);
    free(best);
    free(from);
    return segments;
}

/* Variance of v[i + lag] - v[i] about their median, where what is beyond two deviations counts as two. */
static double spread(const double *v, size_t n, size_t lag, double *d)
{
    /* of a normal distribution: a deviation by the median of |d|; the mean of squares up to four */
    const double normal = 1.482602218505602, cut = 0.9205369256363231;
    double middle, most, sum = 0;

    for (size_t i = 0; i + lag < n; i++)
        d[i] = v[i + lag] - v[i];
    middle = sl_quantile(d, n - lag, 0.5);
    for (size_t i = 0; i + lag < n; i++)
        d[i] = fabs(d[i] - middle);
    most = 2 * normal * sl_quantile(d, n - lag, 0.5);
    for (size_t i = 0; i + lag < n; i++)
        sum += fmin(d[i] * d[i], most * most);
    return sum / (double)(n - lag) / cut;
}

void sl_changes_noise(const double *v, size_t n, double *sigma, double *together)
{
    double *d = sl_alloc(n * sizeof *d), one = spread(v, n, 1, d), two = spread(v, n, 2, d);

    *together = one > 0 ? fmin(fmax(two / one - 1, 0), 0.9) : 0;
    *sigma = sqrt(one / 2 / (1 - *together));
    free(d);
}

double sl_changes_long_run(double sigma, double together, size_t n)
{
    double most = fmin(together + 1 / sqrt((double)n), 0.9);
    return sigma * sqrt((1 + most) / (1 - most));
}
