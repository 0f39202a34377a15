/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/moments.h"

#include <math.h>

double sl_scale_of(const double *v, size_t n)
{
    double most = 0;
    int e;

    for (size_t i = 0; i < n; i++)
        most = fabs(v[i]) > most ? fabs(v[i]) : most;
    if (most == 0)
        return 0;
    frexp(most, &e);
    return ldexp(1, e < -1000 ? 1000 : -e);
}

/* About v[0], so that equal values have exactly their mean. */
static double mean(const double *v, size_t n, double scale)
{
    double sum = 0;

    for (size_t i = 1; i < n; i++)
        sum += (v[i] - v[0]) * scale;
    return v[0] * scale + sum / (double)n;
}

/* Sums about the means that are given; what rounding has left in these is taken out again. */
static void sum_block(struct sl_moments *b, const double *x, const double *y)
{
    double dx = 0, dy = 0, n = (double)b->n;

    for (size_t i = 0; i < b->n; i++) {
        double u = x[i] * b->scale_x - b->mean_x, w = y ? y[i] * b->scale_y - b->mean_y : 0;
        dx += u;
        dy += w;
        b->xx += u * u;
        b->yy += w * w;
        b->xy += u * w;
    }
    b->xx -= dx * dx / n;
    b->yy -= dy * dy / n;
    b->xy -= dx * dy / n;
}

static void merge(struct sl_moments *m, const struct sl_moments *b)
{
    double dx = b->mean_x - m->mean_x, dy = b->mean_y - m->mean_y;
    double share = (double)b->n / (double)(m->n + b->n), weight = (double)m->n * share;

    m->xx += b->xx + dx * dx * weight;
    m->yy += b->yy + dy * dy * weight;
    m->xy += b->xy + dx * dy * weight;
    m->mean_x += dx * share;
    m->mean_y += dy * share;
    m->n += b->n;
}

void sl_moments_add(struct sl_moments *m, const double *x, const double *y, size_t n)
{
    struct sl_moments b = {.n = n};

    if (!n)
        return;
    if (m->scale_x == 0)
        m->scale_x = sl_scale_of(x, n);
    if (m->scale_y == 0 && y)
        m->scale_y = sl_scale_of(y, n);
    b.scale_x = m->scale_x;
    b.scale_y = m->scale_y;
    b.mean_x = mean(x, n, b.scale_x);
    b.mean_y = y ? mean(y, n, b.scale_y) : 0;
    sum_block(&b, x, y);
    merge(m, &b);
}

double sl_moments_stddev(const struct sl_moments *m)
{
    if (m->n < 2)
        return NAN;
    return m->scale_x == 0 ? 0 : sqrt(m->xx / (double)(m->n - 1)) / m->scale_x;
}

double sl_moments_corr(const struct sl_moments *m)
{
    double product, r;

    if (m->n < 2 || m->xx == 0 || m->yy == 0)
        return NAN;
    product = m->xx * m->yy; /* its root is exact where y is x, or double that */
    r = isnormal(product) ? m->xy / sqrt(product) : m->xy / sqrt(m->xx) / sqrt(m->yy);
    return r > 1 ? 1 : r < -1 ? -1 : r;
}
