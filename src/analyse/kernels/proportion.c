/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/proportion.h"

#include <math.h>

static void wilson(double p, double n, double *low, double *high)
{
    const double z = 1.959963984540054; /* 95 % of a normal distribution are within */
    double middle = p + z * z / (2 * n), half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)), by = 1 + z * z / n;

    *low = (middle - half) / by;
    *high = (middle + half) / by;
}

void sl_proportion_interval(const uint64_t x[2], const uint64_t n[2], double *low, double *high)
{
    double p[2], l[2], u[2];

    for (int i = 0; i < 2; i++) {
        p[i] = (double)x[i] / (double)n[i];
        wilson(p[i], (double)n[i], &l[i], &u[i]);
    }
    *low = p[1] - p[0] - hypot(p[1] - l[1], u[0] - p[0]);
    *high = p[1] - p[0] + hypot(u[1] - p[1], p[0] - l[0]);
}

static double log_choose(uint64_t n, uint64_t k)
{
    return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

double sl_proportion_fisher(const uint64_t x[2], const uint64_t n[2])
{
    uint64_t all = x[0] + x[1], from = all > n[0] ? all - n[0] : 0, to = all < n[1] ? all : n[1];
    double whole = log_choose(n[0] + n[1], all), mine, sum = 0;

    mine = exp(log_choose(n[1], x[1]) + log_choose(n[0], x[0]) - whole);
    for (uint64_t k = from; k <= to; k++) {
        double p = exp(log_choose(n[1], k) + log_choose(n[0], all - k) - whole);
        if (p <= mine * (1 + 1e-7)) /* as likely, but for rounding, counts */
            sum += p;
    }
    return sum < 1 ? sum : 1;
}
