/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"
#include "writer/zone.h"

#include <stdlib.h>

#define HOUR ((int64_t)3600 * 1000000000)

static int64_t utc(struct sl_zone_steps *z, int64_t local)
{
    return local - sl_zone_step_of(z, local)->offset_s * (int64_t)1000000000;
}

static void learn(struct sl_zones *z, uint32_t root, int64_t t, int32_t offset)
{
    sl_zones_learn(z, root, t, t, offset);
}

static void one_offset(void **state)
{
    struct sl_zones z = {0};
    struct sl_zone_steps *s;

    (void)state;
    assert_null(sl_zones_get(&z, 1));
    learn(&z, 1, 100 * HOUR, 19800);
    s = sl_zones_get(&z, 1);
    assert_true(s->learned);
    assert_string_equal(s->how, "learned");
    assert_int_equal(s->step.n, 1);
    assert_true(utc(s, 0) == -5 * HOUR - HOUR / 2); /* it holds before it was seen, too */
    assert_true(utc(s, 200 * HOUR) == 194 * HOUR + HOUR / 2);
    learn(&z, 1, 50 * HOUR, 19800);
    learn(&z, 1, 150 * HOUR, 19800);
    assert_int_equal(s->step.n, 1);
    assert_true(s->step.v[0].since_ns == 50 * HOUR && s->step.v[0].until_ns == 150 * HOUR);
    assert_null(sl_zones_get(&z, 2));
    sl_zones_free(&z);
}

/* Records of files come in any order: the steps are the same. */
static void any_order(void **state)
{
    enum { N = 9 };
    /* winter, summer, another continent; half hours */
    static const struct {
        int64_t hour;
        int32_t offset;
    } seen[N] = {{10, 3600}, {20, 3600},   {25, 3600},   {30, 7200},  {31, 7200},
                 {40, 7200}, {50, -12600}, {60, -12600}, {61, -12600}};
    uint64_t r = 31;

    (void)state;
    for (int round = 0; round < 3000; round++) {
        struct sl_zones z = {0};
        struct sl_zone_steps *s;
        int order[N];
        for (int i = 0; i < N; i++)
            order[i] = i;
        for (int i = N - 1; i > 0; i--) {
            int k = (int)below(&r, (uint64_t)i + 1), t = order[i];
            order[i] = order[k];
            order[k] = t;
        }
        for (int i = 0; i < N; i++)
            learn(&z, 7, seen[order[i]].hour * HOUR, seen[order[i]].offset);
        s = sl_zones_get(&z, 7);
        assert_int_equal(s->step.n, 3);
        assert_true(s->step.v[0].since_ns == 10 * HOUR && s->step.v[0].offset_s == 3600);
        assert_true(s->step.v[1].since_ns == 30 * HOUR && s->step.v[1].offset_s == 7200);
        assert_true(s->step.v[2].since_ns == 50 * HOUR && s->step.v[2].offset_s == -12600);
        for (int i = 0; i < N; i++)
            assert_true(utc(s, seen[i].hour * HOUR + seen[i].offset * (int64_t)1000000000) == seen[i].hour * HOUR);
        sl_zones_free(&z);
    }
}

/* Summer time ends at hour 100 (UTC): 02:00 to 03:00 happens twice, and the later meaning is taken. */
static void repeated_hour(void **state)
{
    struct sl_zones z = {0};
    struct sl_zone_steps *s;

    (void)state;
    sl_zones_learn(&z, 1, 100 * HOUR, 120 * HOUR, 3600);
    learn(&z, 1, 10 * HOUR, 7200);
    s = sl_zones_get(&z, 1);
    assert_true(utc(s, 100 * HOUR + HOUR) == 100 * HOUR);
    assert_true(utc(s, 101 * HOUR + HOUR / 2) == 100 * HOUR + HOUR / 2);
    assert_true(utc(s, 101 * HOUR - 1) == 99 * HOUR - 1);
    sl_zones_free(&z);
}

static void assumed_gives_way(void **state)
{
    struct sl_zones z = {0};
    struct sl_zone_steps *s = sl_zones_set(&z, 3, -18000, "assumed", false);

    (void)state;
    assert_false(s->learned);
    assert_true(utc(s, 0) == 5 * HOUR);
    learn(&z, 3, HOUR, 3600);
    s = sl_zones_get(&z, 3);
    assert_true(s->learned);
    assert_string_equal(s->how, "learned");
    assert_int_equal(s->step.n, 1);
    assert_true(utc(s, 0) == -HOUR);
    sl_zones_free(&z);
}

/* The ends of what a time can be. */
static void far_apart(void **state)
{
    static const int64_t first = -9214560000000000000, last = 9214646399999999999;
    struct sl_zones z = {0};
    struct sl_zone_steps *s;

    (void)state;
    learn(&z, 1, last - HOUR, 3600);
    learn(&z, 1, first + HOUR, -3600);
    s = sl_zones_get(&z, 1);
    assert_int_equal(sl_zone_step_of(s, first)->offset_s, -3600);
    assert_int_equal(sl_zone_step_of(s, last)->offset_s, 3600);
    sl_zones_free(&z);
}

static void copies_and_drops(void **state)
{
    struct sl_zones z = {0};
    struct sl_zone_steps *s;

    (void)state;
    learn(&z, 1, 10 * HOUR, 3600);
    learn(&z, 1, 20 * HOUR, 7200);
    sl_zones_get(&z, 1)->step.v[0].id = 5;
    for (uint32_t root = 2; root < 40; root++)
        sl_zones_copy(&z, root, sl_zones_get(&z, 1), "facet");
    learn(&z, 1, 30 * HOUR, 0);
    s = sl_zones_get(&z, 17);
    assert_int_equal(s->step.n, 2); /* a copy, and its rows are its own */
    assert_int_equal(s->step.v[0].id, 0);
    assert_string_equal(s->how, "facet");
    assert_true(s->learned);
    sl_zones_drop(&z, 17);
    assert_null(sl_zones_get(&z, 17));
    for (uint32_t root = 1; root < 40; root++)
        if (root != 17)
            assert_int_equal(sl_zones_get(&z, root)->root, root);
    sl_zones_drop(&z, 17);
    sl_zones_free(&z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_offset),        cmocka_unit_test(any_order), cmocka_unit_test(repeated_hour),
        cmocka_unit_test(assumed_gives_way), cmocka_unit_test(far_apart), cmocka_unit_test(copies_and_drops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
