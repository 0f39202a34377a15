/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/beta.h"

#include <math.h>
#include <stdbool.h>

enum { LARGE = 10, MOST_TERMS = 100000 };

static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign); /* lgamma() would write to a global */
}

/* ln G(x) less Stirling's formula, x >= LARGE (DLMF 5.11.1); the next term is below 2e-17 there. */
static double stirling_rest(double x)
{
    static const double term[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                  1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400};
    double sum = 0;

    for (int i = sizeof term / sizeof *term; i-- > 0;)
        sum = sum / (x * x) + term[i];
    return sum / x;
}

/* ln B(a, b).  Where an argument is large, ln G of millions must not be subtracted from each other. */
static double log_beta(double a, double b)
{
    double large = a > b ? a : b, small = a > b ? b : a;

    if (large < LARGE)
        return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
    if (small < LARGE)
        return log_gamma(small) + stirling_rest(large) - stirling_rest(a + b) + small - small * log(a + b) +
               (large - 0.5) * log1p(-small / (a + b));
    return stirling_rest(a) + stirling_rest(b) - stirling_rest(a + b) + 0.5 * log(2 * M_PI / small) +
           small * log(small / (a + b)) + (large - 0.5) * log1p(-small / (a + b));
}

/* The continued fraction DLMF 8.17.22 by Lentz's method (Thompson & Barnett, J. Comput. Phys. 64 (1986) 490).  It takes
 * some sqrt(a + b) steps. */
static double fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double f = 1, c = tiny, d = 0;

    for (int i = 0; i < MOST_TERMS; i++) {
        double m = floor(i / 2.0), step;
        double e = !i      ? 1
                   : i % 2 ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                           : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 + e * d;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = 1 + e / c;
        c = fabs(c) < tiny ? tiny : c;
        step = i ? c * d : 1;
        f *= step;
        if (i > 1 && fabs(step - 1) < 1e-15)
            break;
    }
    return f;
}

static double log_of(double x, double x_rest)
{
    return x > 0.5 ? log1p(-x_rest) : log(x);
}

double sl_beta_inc(double a, double b, double x, double x_rest)
{
    bool other = x > (a + 1) / (a + b + 2);
    double front, part;

    if (isnan(x))
        return NAN;
    if (x <= 0 || x_rest <= 0)
        return x <= 0 ? 0 : 1;
    front = exp(a * log_of(x, x_rest) + b * log_of(x_rest, x) - log_beta(a, b));
    part = other ? front / b * fraction(b, a, x_rest) : front / a * fraction(a, b, x);
    part = other ? 1 - part : part;
    return part < 0 ? 0 : part > 1 ? 1 : part;
}

double sl_t_two_sided(double t, double df)
{
    double u = t / df * t; /* t^2 / df */

    if (isnan(t))
        return NAN;
    return isinf(u) ? 0 : sl_beta_inc(df / 2, 0.5, 1 / (1 + u), u / (1 + u));
}

double sl_t_quantile(double level, double df)
{
    double low = 0, high = 1;

    while (1 - sl_t_two_sided(high, df) < level && high < 1e300)
        high *= 2;
    for (int i = 0; i < 200 && high - low > 1e-15 * high; i++) {
        double mid = low + (high - low) / 2;
        if (1 - sl_t_two_sided(mid, df) < level)
            low = mid;
        else
            high = mid;
    }
    return low + (high - low) / 2;
}

double sl_f_upper(double f, double df1, double df2)
{
    double u = df1 / df2 * f;

    if (isnan(f))
        return NAN;
    return isinf(u) ? 0 : sl_beta_inc(df2 / 2, df1 / 2, 1 / (1 + u), u / (1 + u));
}
