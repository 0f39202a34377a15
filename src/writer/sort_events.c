/* SPDX-License-Identifier: Apache-2.0 */
/* Events by span and time.  Every event of an import passes here: most spans have few of them, most in order. */
#include "writer/writer_internal.h"

#include <stdlib.h>

#define CMP(a, b) ((a) < (b) ? -1 : (a) > (b))

static int by_time(const struct sl_event_row *a, const struct sl_event_row *b)
{
    int c = CMP(a->time_ns, b->time_ns);
    if (!c)
        c = CMP(a->type, b->type);
    if (!c)
        c = CMP(a->source, b->source);
    return c ? c : CMP(a->place, b->place);
}

/* Where the ascending run that begins at i ends. */
static size_t run_end(const struct sl_event_row *v, size_t i, size_t n)
{
    for (i++; i < n && by_time(&v[i - 1], &v[i]) <= 0; i++)
        ;
    return i < n ? i : n;
}

static void merge(struct sl_event_row *to, const struct sl_event_row *v, size_t at, size_t mid, size_t end)
{
    for (size_t a = at, b = mid, k = at; k < end; k++)
        to[k] = a < mid && (b == end || by_time(&v[a], &v[b]) <= 0) ? v[a++] : v[b++];
}

/* Natural merge sort: each pass halves the number of runs. */
static void merge_runs(struct sl_event_row *v, size_t n, struct sl_event_row *tmp)
{
    while (run_end(v, 0, n) < n) {
        for (size_t at = 0, end; at < n; at = end) {
            size_t mid = run_end(v, at, n);
            end = mid < n ? run_end(v, mid, n) : n;
            merge(tmp, v, at, mid, end);
        }
        memcpy(v, tmp, n * sizeof *v);
    }
}

/* By insertion, until that has moved so much that merging is the better way. */
static void sort_span(struct sl_event_row *v, size_t n, struct sl_event_row *tmp)
{
    size_t moved = 0;

    for (size_t i = 1; i < n; i++) {
        struct sl_event_row e;
        size_t k = i;
        if (by_time(&v[i - 1], &v[i]) <= 0)
            continue;
        if (moved > 8 * n) {
            merge_runs(v, n, tmp);
            return;
        }
        for (e = v[i]; k > 0 && by_time(&v[k - 1], &e) > 0; k--)
            v[k] = v[k - 1];
        v[k] = e;
        moved += i - k;
    }
}

/* Radix by span, which keeps the order of equal ones, then each span by itself. */
void sl_sort_events(struct sl_event_row *v, size_t n)
{
    struct sl_event_row *tmp = sl_realloc(NULL, n * sizeof *v), *from = v, *to = tmp;

    for (int shift = 0; n && shift < 32; shift += 11) {
        size_t count[2049] = {0};
        for (size_t i = 0; i < n; i++)
            count[(from[i].span >> shift & 2047) + 1]++;
        if (count[(from[0].span >> shift & 2047) + 1] == n)
            continue; /* all alike in these bits */
        for (int i = 0; i < 2047; i++)
            count[i + 1] += count[i];
        for (size_t i = 0; i < n; i++)
            to[count[from[i].span >> shift & 2047]++] = from[i];
        struct sl_event_row *t = from;
        from = to;
        to = t;
    }
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && from[end].span == from[i].span; end++)
            ;
        sort_span(from + i, end - i, to);
    }
    if (n && from != v)
        memcpy(v, from, n * sizeof *v);
    free(tmp);
}
