/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"
#include "writer/ids.h"

static struct sl_key key(const char *s)
{
    return sl_key_of(s, strlen(s));
}

static void find_and_add(void **state)
{
    struct sl_ids t = {0};
    uint32_t run, task, other;
    char text[] = "volatile";

    (void)state;
    assert_int_equal(sl_ids_find(&t, UINT32_MAX, 1, key("run")), UINT32_MAX);
    run = sl_ids_add(&t, UINT32_MAX, 1, key("run"));
    task = sl_ids_add(&t, run, 2, key("5"));
    assert_int_equal(sl_ids_find(&t, run, 2, (struct sl_key){SL_KEY_INT, {.i = 5}}), task);
    assert_int_equal(sl_ids_add(&t, run, 2, key("5")), task);
    assert_int_equal(sl_ids_find(&t, run, 2, key("05")), UINT32_MAX);
    assert_int_equal(sl_ids_find(&t, run, 3, key("5")), UINT32_MAX);
    assert_int_equal(sl_ids_find(&t, UINT32_MAX, 2, key("5")), UINT32_MAX);
    assert_int_equal(sl_ids_find(&t, task, 2, key("5")), UINT32_MAX);
    t.v[task].type |= SL_ID_REAL | SL_ID_MENTIONED; /* flags are no part of the identity */
    assert_int_equal(sl_ids_find(&t, run, 2, key("5")), task);
    other = sl_ids_add(&t, task, 3, key(text));
    text[0] = 'X';
    assert_int_equal(sl_ids_find(&t, task, 3, key("volatile")), other);
    assert_int_equal(sl_ids_root(&t, other), run);
    assert_int_equal(sl_ids_root(&t, run), run);
    assert_int_equal(sl_ids_key(&t.v[other]).n, 8);
    assert_int_equal(sl_ids_key(&t.v[task]).i, 5);
    assert_int_equal(t.n, 3);
    sl_ids_free(&t);
}

static void grows(void **state)
{
    struct sl_ids t = {0};
    char s[32];

    (void)state;
    for (int twice = 0; twice < 2; twice++)
        for (uint32_t i = 0; i < 50000; i++) {
            int n = snprintf(s, sizeof s, i % 3 ? "%u" : "text%u", i / 5);
            uint32_t parent = i % 5 ? i - i % 5 : UINT32_MAX;
            assert_int_equal(sl_ids_add(&t, parent, 1 + i % 5, sl_key_of(s, (size_t)n)), i);
            t.v[i].type |= SL_ID_REAL;
        }
    assert_int_equal(t.n, 50000);
    assert_int_equal(sl_ids_root(&t, 49999), 49995);
    for (uint32_t i = 0; i < 2000; i++) /* the same key in each of many parents */
        assert_int_equal(sl_ids_add(&t, i, 9, key("5")), 50000 + i);
    sl_ids_rehash(&t);
    assert_int_equal(sl_ids_find(&t, 49995, 5, key("9999")), 49999);
    sl_ids_free(&t);
}

static bool paired(const struct sl_ids *t, uint32_t a, uint32_t b)
{
    bool yes = t->v[a].partner == b + 1;

    for (size_t i = 0; i < t->partners.n; i++)
        yes |= t->partners.v[i].a == a && t->partners.v[i].b == b;
    return yes;
}

static void pairs_go_both_ways_and_stand_once(void **state)
{
    enum { N = 12 };
    struct sl_ids t = {0};
    bool want[N][N] = {{0}};
    uint64_t r = 23;
    size_t pairs = 0, stored = 0;

    (void)state;
    for (int i = 0; i < N; i++)
        sl_ids_add(&t, UINT32_MAX, 1, (struct sl_key){SL_KEY_INT, {.i = i}});
    for (int i = 0; i < 400; i++) {
        uint32_t a = (uint32_t)below(&r, N), b = (uint32_t)below(&r, N);
        bool new = a != b && !want[a][b];
        assert_int_equal(sl_ids_pair(&t, a, b), new);
        want[a][b] = want[b][a] = a != b;
        pairs += new;
    }
    for (uint32_t a = 0; a < N; a++) {
        stored += t.v[a].partner != 0;
        for (uint32_t b = 0; b < N; b++)
            assert_int_equal(paired(&t, a, b), want[a][b]);
    }
    assert_int_equal(stored + t.partners.n, 2 * pairs);
    sl_ids_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(find_and_add),
        cmocka_unit_test(grows),
        cmocka_unit_test(pairs_go_both_ways_and_stand_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
