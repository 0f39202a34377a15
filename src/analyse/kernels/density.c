/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/density.h"
#include "analyse/kernels/moments.h"
#include "analyse/kernels/quantile.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* ---- histogram ---- */

static void find_range(const double *v, size_t n, double *low, double *high)
{
    *low = *high = v[0];
    for (size_t i = 1; i < n; i++) {
        *low = v[i] < *low ? v[i] : *low;
        *high = v[i] > *high ? v[i] : *high;
    }
}

size_t sl_bins_default(double *v, size_t n)
{
    double low, high, iqr_half, bins;

    find_range(v, n, &low, &high);
    iqr_half = sl_quantile(v, n, 0.75) / 2 - sl_quantile(v, n, 0.25) / 2; /* halves cannot overflow */
    if (iqr_half > 0)
        bins = ceil((high / 2 - low / 2) / (2 * iqr_half) * cbrt((double)n));
    else
        bins = ceil(log2((double)n)) + 1;
    return bins < 1 ? 1 : bins > SL_BINS_DEFAULT_MOST ? SL_BINS_DEFAULT_MOST : (size_t)bins;
}

static bool holds(const struct sl_histogram_bins *b, size_t i, double x)
{
    return b->edge[i] <= x && (x < b->edge[i + 1] || i + 1 == b->n);
}

/* The last edge that is not above x. */
static size_t search(const struct sl_histogram_bins *b, double x)
{
    size_t low = 0, high = b->n;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (b->edge[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void sl_histogram(struct sl_histogram_bins *out, double *v, size_t n, size_t bins)
{
    double low, high, width;

    if (!bins)
        bins = sl_bins_default(v, n);
    find_range(v, n, &low, &high);
    if (low == high)
        bins = 1;
    *out = (struct sl_histogram_bins){bins, sl_alloc((bins + 1) * sizeof(double)), sl_alloc(bins * sizeof(uint64_t))};
    for (size_t i = 0; i < bins; i++) {
        double share = (double)i / (double)bins;
        /* two forms, since the range itself may be too large */
        out->edge[i] = isinf(high - low) ? low * (1 - share) + high * share : low + (high - low) * share;
    }
    out->edge[bins] = high;
    width = high / (double)bins - low / (double)bins;
    for (size_t i = 0; i < n; i++) {
        double at = width > 0 ? (v[i] - low) / width : 0; /* right but for rounding */
        size_t bin = at >= 0 && at < (double)bins ? (size_t)at : bins - 1;
        out->count[holds(out, bin, v[i]) ? bin : search(out, v[i])]++;
    }
}

void sl_bins_free(struct sl_histogram_bins *b)
{
    free(b->edge);
    free(b->count);
    *b = (struct sl_histogram_bins){0};
}

/* ---- kernel density ---- */

enum { TERMS = 10, CELLS_PER_H = 8, FAR = 9, CUT = 3 };

double sl_bandwidth(const double *v, size_t n, double factor)
{
    struct sl_moments m = {0};
    double sd, iqr;

    for (size_t i = 0; i < n; i += SL_MOMENTS_BLOCK)
        sl_moments_add(&m, v + i, NULL, n - i < SL_MOMENTS_BLOCK ? n - i : SL_MOMENTS_BLOCK);
    sd = sl_moments_stddev(&m);
    if (!(sd > 0))
        return NAN;
    iqr = (sl_quantile_sorted(v, n, 0.75) - sl_quantile_sorted(v, n, 0.25)) / 1.34;
    return factor * (iqr > 0 && iqr < sd ? iqr : sd) * pow((double)n, -0.2);
}

/* Sums of d^k / k!, d in units of h, of values about c. */
static void expand(double *moment, const double *v, size_t n, double c, double h)
{
    for (int k = 0; k < TERMS; k++)
        moment[k] = 0;
    for (size_t i = 0; i < n; i++) {
        double d = (v[i] - c) / h, term = 1;
        for (int k = 0; k < TERMS; k++) {
            moment[k] += term;
            term *= d / (k + 1);
        }
    }
}

/* Sum of exp(-(z - d)^2 / 2): exp(-z^2 / 2) times the moments and Hermite's polynomials He_k (DLMF 18.12.16). */
static double evaluate(const double *moment, double z)
{
    double before = 0, he = 1, sum = 0;

    for (int k = 0; k < TERMS; k++) {
        double next = z * he - k * before;
        sum += moment[k] * he;
        before = he;
        he = next;
    }
    return exp(-z * z / 2) * sum;
}

/* The first point that is not below `least`; `points` where there is none. */
static size_t point_at(const double *x, size_t points, double step, double least)
{
    double at = ceil((least - x[0]) / step);

    return at <= 0 ? 0 : at >= (double)points ? points : (size_t)at;
}

bool sl_kde(double *x, double *density, size_t points, const double *v, size_t n, double h)
{
    double low = v[0] - CUT * h, high = v[n - 1] + CUT * h, step = (high - low) / (double)(points - 1);
    double norm = 1 / ((double)n * sqrt(2 * M_PI)) / h, moment[TERMS];

    if (!isfinite(high - low) || !isfinite(norm))
        return false;
    for (size_t i = 0; i < points; i++) {
        x[i] = i + 1 == points ? high : low + step * (double)i;
        density[i] = 0;
    }
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && v[end] - v[first] <= h / CELLS_PER_H;)
            end++;
        double c = v[first] + (v[end - 1] - v[first]) / 2;
        size_t from = step > 0 ? point_at(x, points, step, c - FAR * h) : 0;
        size_t to = step > 0 ? point_at(x, points, step, c + FAR * h) : points;
        if (from < to)
            expand(moment, v + first, end - first, c, h);
        for (size_t i = from; i < to; i++)
            density[i] += evaluate(moment, (x[i] - c) / h);
    }
    for (size_t i = 0; i < points; i++)
        density[i] *= norm;
    return true;
}
