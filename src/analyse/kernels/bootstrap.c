/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/bootstrap.h"
#include "analyse/kernels/quantile.h"
#include "analyse/kernels/random.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* Gamma(shape, 1), shape >= 1; Marsaglia & Tsang, ACM Trans. Math. Softw. 26 (2000) 363. */
static double gamma_variate(double shape, uint64_t *random)
{
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);

    for (;;) {
        double x = sl_random_normal(random), v = 1 + c * x;
        v = v * v * v;
        if (v > 0 && log(sl_random_real(random)) < x * x / 2 + d - d * v + d * log(v))
            return d * v;
    }
}

static double drawn(const double *v, size_t n, double u)
{
    size_t i = (size_t)(u * (double)n);
    return v[i < n ? i : n - 1];
}

/* The p-quantile of one resample of v. */
static double resampled(const double *v, size_t n, double p, uint64_t *random)
{
    double h = (double)(n - 1) * p;
    size_t k = (size_t)h + 1; /* of the order statistic, from 1 */
    double left = gamma_variate((double)k, random), right = gamma_variate((double)(n - k + 1), random);
    double u = left / (left + right), low = drawn(v, n, u), high, share = h - floor(h);

    if (k == n || share == 0)
        return low;
    u += (1 - u) * -expm1(log(sl_random_real(random)) / (double)(n - k));
    high = drawn(v, n, u);
    return low == high ? low : (1 - share) * low + share * high;
}

int sl_bootstrap_quantile(struct sl_interval *out, const double *a, size_t na, const double *b, size_t nb, double p,
                          double level, size_t rounds, struct sl_err *err)
{
    uint64_t random = 20261120;
    double *d;

    if (!na || !nb)
        return sl_err(err, SL_EUSAGE, "a sample is empty");
    if (!(p >= 0 && p <= 1) || !(level > 0 && level < 1) || !rounds)
        return sl_err(err, SL_EUSAGE, "no such quantile, level or number of rounds: %g, %g, %zu", p, level, rounds);
    d = sl_alloc(rounds * sizeof *d);
    for (size_t i = 0; i < rounds; i++) {
        double from = resampled(a, na, p, &random);
        d[i] = resampled(b, nb, p, &random) - from;
    }
    out->difference = sl_quantile_sorted(b, nb, p) - sl_quantile_sorted(a, na, p);
    out->low = sl_quantile(d, rounds, (1 - level) / 2);
    out->high = sl_quantile(d, rounds, (1 + level) / 2);
    free(d);
    return 0;
}

void sl_bootstrap_blocks(uint32_t *times, size_t n, uint64_t *random)
{
    size_t length = (size_t)ceil(cbrt((double)n)), drawn = 0;

    memset(times, 0, n * sizeof *times);
    while (drawn < n) {
        size_t at = sl_random_below(random, n);
        for (size_t i = 0; i < length && drawn < n; i++, drawn++)
            times[(at + i) % n]++;
    }
}
