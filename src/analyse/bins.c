/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/bins.h"
#include "analyse/ext.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

double sl_round_seconds(double seconds)
{
    static const double round[] = {1,    2,    5,    10,   15,    20,    30,    60,    120,    300,    600,   900,
                                   1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000, 864000};
    double p;

    if (!(seconds > 1e-9))
        return 1e-9;
    for (size_t i = 0; i < sizeof round / sizeof *round && seconds > 0.5; i++)
        if (seconds <= round[i])
            return round[i];
    p = pow(10, floor(log10(seconds)));
    for (int i = 1; i <= 10; i = i == 1 ? 2 : i == 2 ? 5 : 10)
        if (seconds <= p * i * (1 + 1e-9) || i == 10)
            return p * i;
    return seconds;
}

/* "36 bins" */
static int number_of_bins(const char *text)
{
    char *end;
    long n = text && *text >= '1' && *text <= '9' ? strtol(text, &end, 10) : 0;

    return n > 0 && n <= SL_BINS_MOST && !strcmp(end, " bins") ? (int)n : 0;
}

int sl_bins_width(struct sl_bins *b, sqlite3_value *seconds, struct sl_err *err)
{
    double s = seconds ? sqlite3_value_double(seconds) : 0;
    int type = seconds ? sqlite3_value_numeric_type(seconds) : SQLITE_NULL;
    const char *text = seconds ? (const char *)sqlite3_value_text(seconds) : NULL;

    b->width_ns = 1;
    if ((b->about = number_of_bins(text)))
        return 0;
    if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) || !(s >= 1e-9 && s <= 9e9))
        return sl_err(err, SL_EUSAGE, "the width of a bin is seconds, more than 0, such as 60 or 0.5; not '%s'",
                      text ? text : "NULL");
    b->width_ns = (int64_t)llround(s * 1e9);
    return 0;
}

void sl_bins_fit(struct sl_bins *b, int64_t from, int64_t to)
{
    double range_s = ((double)to - (double)from) / 1e9;

    if (b->about)
        b->width_ns = llround(sl_round_seconds(range_s > 0 ? range_s / b->about : 1) * 1e9);
}

int sl_bins_over(struct sl_bins *b, int64_t from, int64_t to, int64_t min, int64_t max, struct sl_err *err)
{
    int64_t least = sl_bins_of(b, min) + (min % b->width_ns != 0), most = sl_bins_of(b, max);

    b->first = sl_bins_of(b, from);
    b->last = sl_bins_of(b, to);
    if (min > INT64_MIN && least > b->first)
        b->first = least;
    if (most < b->last)
        b->last = most;
    if (b->first <= b->last && (uint64_t)b->last - (uint64_t)b->first >= SL_BINS_MOST)
        return sl_err(err, SL_EUSAGE,
                      "%llu bins of %g s are more than %d; make them wider, or choose some: WHERE time_ns BETWEEN ...",
                      (unsigned long long)b->last - (unsigned long long)b->first + 1, (double)b->width_ns / 1e9,
                      SL_BINS_MOST);
    return 0;
}

int64_t sl_bins_begin(const struct sl_bins *b, int64_t i)
{
    __int128 t = sl_bins_edge(b, i);
    return t < INT64_MIN ? INT64_MIN : (int64_t)t;
}

/* ---- sorting ---- */

enum { DIGIT = 11, VALUES = 1 << DIGIT, FEW = 64 };

static void insertion_sort(struct sl_change *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct sl_change x = v[i];
        size_t k = i;
        for (; k && v[k - 1].time_ns > x.time_ns; k--)
            v[k] = v[k - 1];
        v[k] = x;
    }
}

/* Stable by one digit of the time since `least`; false: all have the same. */
static bool pass(const struct sl_change *from, struct sl_change *to, size_t n, uint64_t least, int shift, size_t *at)
{
    memset(at, 0, VALUES * sizeof *at);
    for (size_t i = 0; i < n; i++)
        at[(((uint64_t)from[i].time_ns - least) >> shift) % VALUES]++;
    for (size_t i = 0, sum = 0; i < VALUES; i++) {
        size_t k = at[i];
        if (k == n)
            return false;
        at[i] = sum;
        sum += k;
    }
    for (size_t i = 0; i < n; i++)
        to[at[(((uint64_t)from[i].time_ns - least) >> shift) % VALUES]++] = from[i];
    return true;
}

/* scratch: as long as v. */
static void radix_sort(struct sl_change *v, size_t n, struct sl_change *scratch)
{
    size_t at[VALUES];
    struct sl_change *a = v, *b = scratch;
    int64_t least = INT64_MAX, most = INT64_MIN;
    uint64_t range;

    for (size_t i = 0; i < n; i++) {
        least = v[i].time_ns < least ? v[i].time_ns : least;
        most = v[i].time_ns > most ? v[i].time_ns : most;
    }
    range = (uint64_t)most - (uint64_t)least;
    for (int shift = 0; shift < 64 && range >> shift; shift += DIGIT)
        if (pass(a, b, n, (uint64_t)least, shift, at)) {
            struct sl_change *t = a;
            a = b;
            b = t;
        }
    if (a != v)
        memcpy(v, a, n * sizeof *v);
}

/* Two halves, and then these merged, so that half as much memory again is enough. */
void sl_changes_sort(struct sl_change *v, size_t n)
{
    size_t half = n / 2, i = 0, k = half, to = 0;
    struct sl_change *scratch;

    if (n <= FEW) {
        insertion_sort(v, n);
        return;
    }
    scratch = sl_realloc(NULL, (n - half) * sizeof *scratch);
    radix_sort(v, half, scratch);
    radix_sort(v + half, n - half, scratch);
    memcpy(scratch, v, half * sizeof *v);
    while (i < half)
        v[to++] = k < n && v[k].time_ns < scratch[i].time_ns ? v[k++] : scratch[i++];
    free(scratch);
}
