/* SPDX-License-Identifier: Apache-2.0 */
/* Alignments of small sequences against all alignments that there are. */
#include "unit.h"

#include "bind/align.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 6 };

/* ---- every alignment there is ---- */

struct all {
    const struct sl_align_item *a, *b;
    uint32_t na, nb;
    double slack;
    int partner[MOST]; /* of a; -1: none */
    uint32_t best;     /* cost of the cheapest */
    uint32_t with[MOST]
                 [MOST + 1]; /* cost of the cheapest with this pair; [..][MOST]: of the cheapest where a has none */
};

static bool may_pair(const struct all *s, uint32_t i, uint32_t j)
{
    const struct sl_align_item *a = &s->a[i], *b = &s->b[j];

    if (a->label && b->label && a->label != b->label)
        return false;
    if (!isnan(a->from_s) && !isnan(b->from_s) && a->from_s < b->from_s - s->slack)
        return false;
    if (!isnan(a->to_s) && !isnan(b->to_s) && a->to_s > b->to_s + s->slack)
        return false;
    return isnan(a->from_s) || isnan(b->to_s) || a->from_s <= b->to_s + s->slack;
}

static void finish(struct all *s)
{
    uint32_t cost = 0;
    bool used[MOST] = {false};

    for (uint32_t i = 0; i < s->na; i++) {
        if (s->partner[i] < 0)
            cost += s->a[i].skip;
        else
            used[s->partner[i]] = true;
    }
    for (uint32_t j = 0; j < s->nb; j++)
        cost += used[j] ? 0 : s->b[j].skip;
    s->best = cost < s->best ? cost : s->best;
    for (uint32_t i = 0; i < s->na; i++) {
        uint32_t *w = &s->with[i][s->partner[i] < 0 ? MOST : s->partner[i]];
        *w = cost < *w ? cost : *w;
    }
}

static void every(struct all *s, uint32_t i, uint32_t from)
{
    if (i == s->na) {
        finish(s);
        return;
    }
    s->partner[i] = -1;
    every(s, i + 1, from);
    for (uint32_t j = from; j < s->nb; j++)
        if (may_pair(s, i, j)) {
            s->partner[i] = (int)j;
            every(s, i + 1, j + 1);
        }
}

static uint64_t seed = 20261120;

static uint32_t any(uint32_t n)
{
    return (uint32_t)below(&seed, n);
}

static void make(struct sl_align_item *v, uint32_t n, int64_t first, bool right)
{
    for (uint32_t i = 0; i < n; i++) {
        double from = i * (right ? 1.0 : 1.1) + any(10) / 5.0 + (right ? 0 : 1);
        v[i] = (struct sl_align_item){.id = first + i,
                                      .from_s = any(6) ? from : NAN,
                                      .to_s = any(4) ? from + any(8) + (right ? 1 : 0) : NAN,
                                      .label = any(3),
                                      .skip = any(4)};
    }
}

static void all_alignments(void **state)
{
    (void)state;
    for (int round = 0; round < 20000; round++) {
        struct sl_align_item a[MOST], b[MOST];
        struct all s = {.a = a, .b = b, .na = any(MOST + 1), .nb = any(MOST + 1), .slack = 0.25, .best = UINT32_MAX};
        struct sl_align al;
        size_t p = 0;
        make(a, s.na, 1, false);
        make(b, s.nb, 101, true);
        memset(s.with, 0xff, sizeof s.with);
        every(&s, 0, 0);
        sl_align(&al, a, s.na, b, s.nb, s.slack);
        assert_false(al.given_up);
        assert_int_equal(al.cost, s.best);
        for (uint32_t i = 0; i < s.na; i++) {
            uint32_t possible = 0, limit = s.best + SL_ALIGN_MARGIN;
            for (uint32_t j = 0; j < s.nb; j++)
                possible += s.with[i][j] <= limit;
            for (uint32_t j = 0; j < s.nb; j++)
                if (s.with[i][j] <= limit) {
                    assert_true(p < al.pair.n);
                    assert_int_equal(al.pair.v[p].a, i);
                    assert_int_equal(al.pair.v[p].b, j);
                    assert_int_equal(al.pair.v[p].certain, possible == 1 && s.with[i][MOST] > limit);
                    p++;
                }
        }
        assert_int_equal(p, al.pair.n);
        sl_align_free(&al);
    }
}

/* ---- what it is for ---- */

static void burst(struct sl_align_item *v, uint32_t n, double late, uint32_t skip)
{
    for (uint32_t i = 0; i < n; i++)
        v[i] = (struct sl_align_item){
            .id = 1 + i, .from_s = i * 0.001 + late, .to_s = 10 + i * 0.01 - late, .label = 7, .skip = skip};
}

static void a_burst_of_equals(void **state)
{
    enum { N = 5000 };
    struct sl_align_item *a = sl_alloc(N * sizeof *a), *b = sl_alloc(N * sizeof *b);
    struct sl_align al;

    (void)state;
    burst(a, N, 0.002, 3);
    burst(b, N, 0, 9);
    sl_align(&al, a, N, b, N, 0.5);
    assert_int_equal(al.pair.n, N);
    for (uint32_t i = 0; i < N; i++)
        assert_true(al.pair.v[i].a == i && al.pair.v[i].b == i && al.pair.v[i].certain);
    sl_align_free(&al);

    /* one of those that failed was never handed over, and nothing says which */
    for (uint32_t j = 0; j < N; j++)
        b[j].skip = 1;
    sl_align(&al, a, N - 1, b, N, 0.5);
    assert_int_equal(al.cost, 1);
    for (size_t p = 0; p < al.pair.n; p++)
        assert_false(al.pair.v[p].certain);
    sl_align_free(&al);

    /* the last hundred were not handed over any more */
    for (uint32_t j = 0; j < N; j++)
        b[j].skip = j < N - 100 ? 9 : 0;
    sl_align(&al, a, N - 100, b, N, 0.5);
    assert_int_equal(al.pair.n, N - 100);
    for (size_t p = 0; p < al.pair.n; p++)
        assert_true(al.pair.v[p].a == al.pair.v[p].b && al.pair.v[p].certain);
    sl_align_free(&al);
    free(a);
    free(b);
}

/* Two threads hand over: the second thing of one may overtake what the other has in its hands. */
static void a_race(void **state)
{
    struct sl_align_item a[4], b[4];
    struct sl_align al;

    (void)state;
    burst(a, 4, 0.0, 3);
    burst(b, 4, 0, 9);
    for (int i = 0; i < 4; i++) {
        a[i].to_s = NAN;
        b[i].to_s = 20;
        b[i].from_s = i * 5; /* far apart */
        a[i].from_s = i * 5 + 0.01;
        b[i].lane = i == 2 ? 2 : 1;
    }
    sl_align(&al, a, 4, b, 4, 0.5);
    assert_int_equal(al.pair.n, 4);
    for (size_t p = 0; p < 4; p++)
        assert_true(al.pair.v[p].certain);
    sl_align_free(&al);
    b[2].from_s = b[1].from_s + 0.1; /* at once with the second */
    a[2].from_s = b[2].from_s + 0.01;
    sl_align(&al, a, 4, b, 4, 0.5);
    for (size_t p = 0; p < 4; p++)
        assert_int_equal(al.pair.v[p].certain, p == 0 || p == 3);
    assert_int_equal(al.pair.n, 6);
    sl_align_free(&al);
}

/* What must have a partner has none: times or order lie. */
static void a_contradiction(void **state)
{
    struct sl_align_item a[4], b[4];
    struct sl_align al;

    (void)state;
    burst(a, 4, 0.0, SL_ALIGN_NEVER);
    burst(b, 4, 0, SL_ALIGN_NEVER);
    a[2].label = 8;
    sl_align(&al, a, 4, b, 4, 0.5);
    assert_int_equal(al.cost, 2 * SL_ALIGN_NEVER);
    assert_true(al.pair.n > 0);
    for (size_t p = 0; p < al.pair.n; p++)
        assert_false(al.pair.v[p].certain);
    sl_align_free(&al);
}

static void too_many_to_tell(void **state)
{
    enum { N = 20000 };
    struct sl_align_item *a = sl_alloc(N * sizeof *a), *b = sl_alloc(N * sizeof *b);
    struct sl_align al;

    (void)state;
    burst(a, N, 0.0, 1);
    burst(b, N, 0, 1);
    for (uint32_t i = 0; i < N; i++)
        a[i].label = 8; /* nothing fits */
    sl_align(&al, a, N, b, N, 0.5);
    assert_true(al.given_up);
    assert_int_equal(al.pair.n, 0);
    sl_align_free(&al);
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_alignments),  cmocka_unit_test(a_burst_of_equals), cmocka_unit_test(a_race),
        cmocka_unit_test(a_contradiction), cmocka_unit_test(too_many_to_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
