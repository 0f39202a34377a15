/* SPDX-License-Identifier: Apache-2.0 */
/* The hash map beside an array that is searched from its beginning. */
#include "base/map.h"
#include "unit.h"

enum { MOST = 3000 };

struct model {
    uint64_t hash[MOST];
    size_t n;
};

/* What was added with this hash, each once, and nothing else. */
static void same(const struct sl_map *m, const struct model *model, uint64_t hash)
{
    bool seen[MOST] = {false};
    size_t at = hash;
    uint32_t index;

    while (sl_map_next(m, hash, &at, &index)) {
        assert_true(index < model->n);
        assert_false(seen[index]);
        seen[index] = true;
        assert_int_equal((uint32_t)model->hash[index], (uint32_t)hash); /* it keeps 32 bits */
    }
    for (size_t i = 0; i < model->n; i++)
        if (model->hash[i] == hash)
            assert_true(seen[i]);
}

static void all_the_same(const struct sl_map *m, const struct model *model)
{
    assert_int_equal(m->n, model->n);
    for (size_t i = 0; i < model->n; i++)
        same(m, model, model->hash[i]);
}

static void add(struct sl_map *m, struct model *model, uint64_t hash)
{
    sl_map_add(m, hash, (uint32_t)model->n);
    model->hash[model->n++] = hash;
}

static void nothing_is_in_an_empty_map(void **state)
{
    struct sl_map m = {0};
    struct model model = {.n = 0};

    (void)state;
    same(&m, &model, 0);
    same(&m, &model, UINT64_MAX);
    sl_map_clear(&m);
    sl_map_free(&m);
    add(&m, &model, 7);
    same(&m, &model, 8);
    sl_map_free(&m);
    model.n = 0;
    same(&m, &model, 7);
}

/* Hashes of `kinds` values: of few, most are those of others too, and of all, none is. */
static void random_operations(uint64_t seed, uint64_t kinds, unsigned shift)
{
    struct sl_map m = {0};
    struct model model = {.n = 0};

    for (int step = 0; step < 4000; step++) {
        uint64_t hash = below(&seed, kinds) << shift;
        uint64_t what = below(&seed, 1000);
        if (what == 0) {
            sl_map_clear(&m);
            model.n = 0;
        } else if (what < 500 && model.n < MOST) {
            add(&m, &model, hash);
        } else {
            same(&m, &model, hash);
        }
        if (step % 500 == 0)
            all_the_same(&m, &model);
    }
    all_the_same(&m, &model);
    sl_map_free(&m);
}

static void it_is_what_a_search_finds(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        random_operations(seed, 1, 0);    /* one hash */
        random_operations(seed, 20, 0);   /* neighbours in the table */
        random_operations(seed, 500, 20); /* one place of the table, other hashes */
        random_operations(seed, 100, 32); /* the 32 bits that are kept are the same */
        random_operations(seed, UINT64_MAX, 0);
    }
}

/* All at the last place of the table: they go on at its beginning, however large it has become. */
static void it_grows(void **state)
{
    struct sl_map m = {0};
    struct model model = {.n = 0};

    (void)state;
    for (int i = 0; i < MOST; i++) {
        add(&m, &model, i % 3 ? UINT64_MAX : (uint64_t)i);
        assert_true(m.n * 2 <= m.slots); /* half of it is free, so that a search ends */
        if ((m.n & (m.n - 1)) == 0)
            all_the_same(&m, &model);
    }
    all_the_same(&m, &model);
    sl_map_clear(&m);
    assert_true(m.slots >= 2 * MOST); /* keeps its memory */
    model.n = 0;
    same(&m, &model, UINT64_MAX);
    add(&m, &model, 1);
    all_the_same(&m, &model);
    sl_map_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_in_an_empty_map),
        cmocka_unit_test(it_is_what_a_search_finds),
        cmocka_unit_test(it_grows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
