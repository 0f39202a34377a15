/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events by span and time, links by their spans.  All of an import pass here: most spans have few of them, most in
 * order.
 */
#include "writer/writer_internal.h"

#include <stddef.h>
#include <stdlib.h>

#define CMP(a, b) ((a) < (b) ? -1 : (a) > (b))

/*
 * By the span that is the first member of each row (of `size` bytes, a constant where this is inlined); equal ones stay
 * in order.  True: they lie in tmp then.
 */
static inline __attribute__((always_inline)) bool radix(void *rows, void *tmp, size_t n, size_t size)
{
    char *from = rows, *to = tmp, *t;

    for (int shift = 0; n && shift < 32; shift += 11) {
        size_t count[2049] = {0};
        uint32_t span;
#define DIGIT(i) (memcpy(&span, from + (i)*size, sizeof span), span >> shift & 2047)
        for (size_t i = 0; i < n; i++)
            count[DIGIT(i) + 1]++;
        if (count[DIGIT(0) + 1] == n)
            continue; /* all alike in these bits */
        for (int i = 0; i < 2047; i++)
            count[i + 1] += count[i];
        for (size_t i = 0; i < n; i++)
            memcpy(to + count[DIGIT(i)]++ * size, from + i * size, size);
#undef DIGIT
        t = from;
        from = to;
        to = t;
    }
    return from != (char *)rows;
}

/* ---- events ---- */

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

void sl_sort_events(struct sl_event_row *v, size_t n)
{
    struct sl_event_row *tmp = sl_realloc(NULL, n * sizeof *v), *from = v, *to = tmp;
    bool there = radix(v, tmp, n, sizeof *v);

    _Static_assert(offsetof(struct sl_event_row, span) == 0, "radix() sorts by the first member");
    if (there)
        from = tmp, to = v;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && from[end].span == from[i].span; end++)
            ;
        sort_span(from + i, end - i, to);
    }
    if (there)
        memcpy(v, from, n * sizeof *v);
    free(tmp);
}

/* ---- links ---- */

static int compare_links(const void *x, const void *y)
{
    const struct sl_link_row *a = x, *b = y;
    int c = CMP(a->left, b->left);
    if (!c)
        c = CMP(a->kind, b->kind);
    if (!c)
        c = CMP(a->right, b->right);
    if (!c)
        c = CMP(a->source, b->source);
    return c ? c : CMP(a->place, b->place);
}

void sl_sort_links(struct sl_link_row *v, size_t n)
{
    struct sl_link_row *tmp = sl_realloc(NULL, n * sizeof *v), *from = v;

    _Static_assert(offsetof(struct sl_link_row, left) == 0, "radix() sorts by the first member");
    if (radix(v, tmp, n, sizeof *v))
        from = tmp;
    for (size_t i = 0, end; i < n; i = end) {
        bool ordered = true;
        for (end = i + 1; end < n && from[end].left == from[i].left; end++)
            ordered &= compare_links(&from[end - 1], &from[end]) <= 0;
        if (!ordered)
            qsort(from + i, end - i, sizeof *v, compare_links);
    }
    if (from != v)
        memcpy(v, from, n * sizeof *v);
    free(tmp);
}
