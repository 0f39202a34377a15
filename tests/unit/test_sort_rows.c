/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"
#include "writer/writer_internal.h"

#include <time.h>

enum { MANY = 256 * 1024 };

static int compare(const void *x, const void *y)
{
    const struct sl_event_row *a = x, *b = y;
    if (a->span != b->span)
        return a->span < b->span ? -1 : 1;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->zone < b->zone ? -1 : a->zone > b->zone; /* where it stood: equal ones stay in order */
}

/* Sorts, checks against qsort, and gives the CPU time of the sort alone. */
static double sorted(struct sl_event_row *v, size_t n)
{
    struct sl_event_row *want = malloc((n + 1) * sizeof *v);
    clock_t start;
    double s;

    for (size_t i = 0; i < n; i++)
        v[i].zone = (uint32_t)i;
    memcpy(want, v, n * sizeof *v);
    qsort(want, n, sizeof *want, compare);
    start = clock();
    sl_sort_events(v, n);
    s = (double)(clock() - start) / CLOCKS_PER_SEC;
    for (size_t i = 0; i < n; i++)
        assert_int_equal(compare(&v[i], &want[i]), 0);
    free(want);
    return s;
}

static void any_order(void **state)
{
    static struct sl_event_row v[3000];
    uint64_t seed = 7;

    (void)state;
    for (size_t n = 0; n < 3000; n += n < 40 ? 1 : 370)
        for (uint64_t spans = 1; spans < 100000; spans *= 9)
            for (int64_t times = 1; times < 100000; times *= 31) {
                for (size_t i = 0; i < n; i++)
                    v[i] = (struct sl_event_row){.span = (uint32_t)(below(&seed, spans) * 40001),
                                                 .time_ns = (int64_t)below(&seed, (uint64_t)times) - 2,
                                                 .type = (uint32_t)below(&seed, 3),
                                                 .source = (uint32_t)below(&seed, 2),
                                                 .place = (int64_t)below(&seed, 2)};
                sorted(v, n);
            }
}

/* All events of one span, in orders in which logs come: as many comparisons as n log n, or it takes ten seconds. */
static void one_span(void **state)
{
    struct sl_event_row *v = calloc(MANY, sizeof *v);
    uint64_t seed = 7;

    (void)state;
    for (int order = 0; order < 5; order++) {
        for (int64_t i = 0; i < MANY; i++)
            v[i] = (struct sl_event_row){.span = 1,
                                         .time_ns = order == 0   ? (i + MANY / 2) % MANY /* two halves, swapped */
                                                    : order == 1 ? MANY - i
                                                    : order == 2 ? i % 512 * MANY + i /* 512 files, one by one */
                                                    : order == 3 ? i ^ 1
                                                                 : (int64_t)below(&seed, MANY)};
        assert_true(sorted(v, MANY) < 1.5);
    }
    free(v);
}

static int compare_links(const void *x, const void *y)
{
    const struct sl_link_row *a = x, *b = y;
    int64_t d[] = {(int64_t)a->left - b->left, a->kind - b->kind, (int64_t)a->right - b->right,
                   (int64_t)a->source - b->source, a->place - b->place};
    for (size_t i = 0; i < 5; i++)
        if (d[i])
            return d[i] < 0 ? -1 : 1;
    return 0;
}

static void links(void **state)
{
    static struct sl_link_row v[3000], want[3000];
    uint64_t seed = 7;

    (void)state;
    for (size_t n = 0; n < 3000; n += n < 40 ? 1 : 370)
        for (uint64_t spans = 1; spans < 100000; spans *= 9) {
            for (size_t i = 0; i < n; i++)
                v[i] = (struct sl_link_row){.left = (uint32_t)(below(&seed, spans) * 40001),
                                            .right = (uint32_t)below(&seed, 30),
                                            .kind = (uint8_t)(1 + below(&seed, 4)),
                                            .source = (uint32_t)below(&seed, 2),
                                            .place = (int64_t)below(&seed, 5)};
            memcpy(want, v, n * sizeof *v);
            qsort(want, n, sizeof *want, compare_links);
            sl_sort_links(v, n);
            for (size_t i = 0; i < n; i++)
                assert_int_equal(compare_links(&v[i], &want[i]), 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_order), cmocka_unit_test(one_span),
                                       cmocka_unit_test(links)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
