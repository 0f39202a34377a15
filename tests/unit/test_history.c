/* SPDX-License-Identifier: Apache-2.0 */
/* Made histories: what was planted is found, at its commit, and little else. */
#include "unit.h"

#include "analyse/kernels/random.h"
#include "experiment/search/history.h"

#include <math.h>

enum { COMMITS = 60, ROUNDS = 60, STUDIES = SANITIZED ? 8 : 40 };

struct made {
    size_t at[3];
    double by[3]; /* of log cost, from that commit on; 0: nothing */
    double noise;
};

/* Drift that is larger than what is planted. */
static double measure(const struct made *m, size_t commit, double *drift, uint64_t *random)
{
    double cost = 2;

    for (int k = 0; k < 3; k++)
        cost += commit >= m->at[k] ? m->by[k] : 0;
    *drift = 0.98 * *drift + 0.02 * sl_random_normal(random);
    return cost + *drift + m->noise * sl_random_normal(random) * (sl_random_real(random) < 0.1 ? 4 : 1);
}

/* How many runs it took. */
static size_t search(struct sl_history *h, const struct made *m, uint64_t seed)
{
    uint64_t random = seed;
    double drift = 0;
    size_t commit[COMMITS], n, runs = 0;

    for (size_t round = 0; round < ROUNDS && (n = sl_history_round(h, &random, commit)) > 0; round++)
        for (size_t i = 0; i < n; i++, runs++) {
            assert_false(h->broken[commit[i]]);
            *sl_vec_add(&h->score) =
                (struct sl_history_score){commit[i], round, measure(m, commit[i], &drift, &random)};
        }
    return runs;
}

struct tally {
    size_t found, elsewhere, held, runs, measured;
};

static struct tally search_often(const struct made *m, size_t commits)
{
    struct tally t = {0};

    for (uint64_t study = 0; study < STUDIES; study++) {
        bool broken[COMMITS] = {[7] = true, [29] = true};
        struct sl_history h = {.commits = commits, .first = 8, .within = 0.04, .alpha = 0.05, .broken = broken};
        struct sl_history_step *step;
        size_t n, wrong = 0;
        t.runs += search(&h, m, 1000 + study);
        n = sl_history_steps(&h, &step);
        t.measured += n + 1;
        for (size_t k = 0; k < n; k++) {
            double truth = 0;
            for (int j = 0; j < 3; j++)
                truth += step[k].old < m->at[j] && m->at[j] <= step[k].new ? m->by[j] : 0;
            wrong += step[k].verdict == SL_HISTORY_CHANGED && truth == 0;
            for (int j = 0; j < 3; j++)
                if (m->by[j] != 0 && step[k].verdict == SL_HISTORY_CHANGED && step[k].new == m->at[j] &&
                    step[k].old + 1 + broken[step[k].old + 1] == step[k].new) {
                    t.found++;
                    t.held += step[k].low <= expm1(truth) && expm1(truth) <= step[k].high;
                }
        }
        t.elsewhere += wrong > 0;
        free(step);
        sl_vec_free(&h.score);
    }
    return t;
}

static void planted(void **state)
{
    const struct made one = {.at = {23}, .by = {0.15}, .noise = 0.02},
                      two = {.at = {30, 50}, .by = {0.12, -0.10}, .noise = 0.015};
    struct tally t = search_often(&one, COMMITS);

    (void)state;
    assert_true(t.found >= STUDIES - 3 && t.held >= t.found - 4 && t.elsewhere <= 4);
    assert_true(t.measured < STUDIES * 14); /* of 60 commits */
    t = search_often(&two, COMMITS);        /* commit 29 cannot be built */
    assert_true(t.found >= STUDIES * 2 - STUDIES / 4 && t.elsewhere <= 4);
    assert_true(t.runs < STUDIES * 600);
}

static void nothing_planted(void **state)
{
    const struct made none = {.noise = 0.02};
    struct tally t = search_often(&none, COMMITS), few = search_often(&none, 6);

    (void)state;
    assert_true(t.elsewhere <= 2 + 4 && few.elsewhere <= 2 + 4 && t.found + few.found == 0);
    assert_true(t.measured <= STUDIES * 9);
}

static void edges(void **state)
{
    bool broken[COMMITS] = {0};
    struct sl_history h = {.commits = 2, .first = 8, .within = 0.05, .alpha = 0.05, .broken = broken};
    struct sl_history_step *step;
    uint64_t random = 1;
    size_t commit[COMMITS];

    (void)state;
    assert_int_equal(sl_history_round(&h, &random, commit), 2);
    broken[0] = true;
    assert_int_equal(sl_history_round(&h, &random, commit), 0);
    assert_int_equal(sl_history_steps(&h, &step), 0);
    free(step);
    h.commits = 20; /* the first that can be built is measured instead */
    assert_int_equal(sl_history_steps(&h, &step), 7);
    assert_int_equal(step[0].old, 1);
    assert_true(isnan(step[0].change) && isinf(step[0].low) && isinf(step[0].high) && !step[0].settled);
    free(step);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(planted), cmocka_unit_test(nothing_planted),
                                       cmocka_unit_test(edges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
