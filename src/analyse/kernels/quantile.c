/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/quantile.h"
#include "analyse/kernels/random.h"
#include "base/mem.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- sorting ---- */

enum { FEW = 24, BITS = 11, DIGITS = 6, BUCKETS = 1 << BITS };

static void sort_few(double *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        double x = v[i];
        size_t j = i;
        for (; j && v[j - 1] > x; j--)
            v[j] = v[j - 1];
        v[j] = x;
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Unsigned numbers in the order of the reals, and back: positive ones get the sign bit, of negative ones all is turned.
 */
static uint64_t to_key(uint64_t bits)
{
    return bits ^ (bits >> 63 ? UINT64_MAX : (uint64_t)1 << 63);
}

static uint64_t from_key(uint64_t key)
{
    return key ^ (key >> 63 ? (uint64_t)1 << 63 : UINT64_MAX);
}

static unsigned digit(uint64_t key, int d)
{
    return (unsigned)(key >> (d * BITS)) & (BUCKETS - 1);
}

/* One digit: from, with `count` of each value of it, to `to`.  false: all have the same, and nothing was done. */
static bool distribute(const uint64_t *from, uint64_t *to, size_t n, int d, size_t *count)
{
    size_t at = 0;

    if (count[digit(from[0], d)] == n)
        return false;
    for (size_t b = 0; b < BUCKETS; b++) {
        size_t here = count[b];
        count[b] = at;
        at += here;
    }
    for (size_t i = 0; i < n; i++)
        to[count[digit(from[i], d)]++] = from[i];
    return true;
}

static void sort_many(double *v, size_t n)
{
    uint64_t *a = sl_realloc(NULL, n * sizeof *a), *b = sl_realloc(NULL, n * sizeof *b);
    size_t(*count)[BUCKETS] = sl_alloc(DIGITS * sizeof *count);

    memcpy(a, v, n * sizeof *a);
    for (size_t i = 0; i < n; i++) {
        a[i] = to_key(a[i]);
        for (int d = 0; d < DIGITS; d++)
            count[d][digit(a[i], d)]++;
    }
    for (int d = 0; d < DIGITS; d++)
        if (distribute(a, b, n, d, count[d])) {
            uint64_t *other = a;
            a = b;
            b = other;
        }
    for (size_t i = 0; i < n; i++)
        a[i] = from_key(a[i]);
    memcpy(v, a, n * sizeof *a);
    free(a);
    free(b);
    free(count);
}

void sl_sort(double *v, size_t n)
{
    if (n <= FEW)
        sort_few(v, n);
    else if (n <= 2 * BUCKETS)
        qsort(v, n, sizeof *v, by_value);
    else
        sort_many(v, n);
}

/* ---- selection ---- */

enum { SAMPLE = 127, SAMPLE_FEW = 7, MANY = 4000 };

/* One of v, near the k-th but rather beyond it as seen from the nearer end: so the k-th stays on the small side. */
static double pivot(const double *v, size_t n, size_t k, uint64_t *random)
{
    double s[SAMPLE], p = ((double)k + 0.5) / (double)n;
    int m = n < MANY ? SAMPLE_FEW : SAMPLE, at;
    double beyond = 1.5 * sqrt(m * p * (1 - p));

    for (int i = 0; i < m; i++)
        s[i] = v[sl_random_below(random, n)];
    sort_few(s, (size_t)m);
    at = (int)(m * p + (p < 0.5 ? beyond : -beyond));
    return s[at < 0 ? 0 : at >= m ? m - 1 : at];
}

static void swap(double *a, double *b)
{
    double x = *a;

    *a = *b;
    *b = x;
}

void sl_select(double *v, size_t n, size_t k)
{
    uint64_t random = n;

    while (n > FEW) {
        double x = pivot(v, n, k, &random);
        size_t i = 0, j = n - 1;
        /* Both stop at what equals x, so that equal values are halved as well; then i is j or j + 1. */
        for (;;) {
            while (v[i] < x)
                i++;
            while (v[j] > x)
                j--;
            if (i >= j)
                break;
            swap(&v[i++], &v[j--]);
        }
        if (k == i && i == j)
            return; /* v[i] is x, and in its place */
        if (k <= j) {
            n = j + 1;
        } else {
            v += i;
            k -= i;
            n -= i;
        }
    }
    sort_few(v, n);
}

/* ---- quantiles ---- */

static double between(double low, double high, double share)
{
    double x;

    if (share <= 0 || low == high)
        return low;
    x = (1 - share) * low + share * high; /* NaN stays NaN */
    return x < low ? low : x > high ? high : x;
}

double sl_quantile_sorted(const double *v, size_t n, double p)
{
    double h = n ? (double)(n - 1) * p : 0;
    size_t k = (size_t)h;

    if (!n)
        return NAN;
    return k + 1 < n ? between(v[k], v[k + 1], h - (double)k) : v[n - 1];
}

double sl_quantile(double *v, size_t n, double p)
{
    double h = n ? (double)(n - 1) * p : 0, high = INFINITY;
    size_t k = (size_t)h;

    for (size_t i = 0; i < n; i++)
        if (isnan(v[i]))
            return NAN;
    if (!n)
        return NAN;
    k = k < n ? k : n - 1;
    sl_select(v, n, k);
    if (k + 1 == n)
        return v[k];
    for (size_t i = k + 1; i < n; i++)
        high = v[i] < high ? v[i] : high;
    return between(v[k], high, h - (double)k);
}
