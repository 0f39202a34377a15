/* SPDX-License-Identifier: Apache-2.0 */
/* Designs against textbooks, against enumeration, and against all there are. */
#include "analyse/kernels/random.h"
#include "design/settings/designs.h"
#include "unit.h"

#include <math.h>

/* ---- fractions ---- */

/* Words of 3 and more letters, by length, in the designs of minimum aberration: Wu and Hamada, Experiments, 3rd ed.,
 * tables 5A; Box, Hunter and Hunter, Statistics for Experimenters, 2nd ed., table 6.22; Chen, Sun and Wu, Int. Stat.
 * Rev. 61 (1993) 131. */
static const struct {
    int factors, bits, resolution;
    double words[9]; /* of length 3, 4, ... */
} textbook[] = {
    {3, 2, 3, {1}},
    {4, 3, 4, {0, 1}},
    {5, 4, 5, {0, 0, 1}},
    {5, 3, 3, {2, 1}},
    {6, 5, 6, {0, 0, 0, 1}},
    {6, 4, 4, {0, 3}},
    {6, 3, 3, {4, 3}},
    {7, 6, 7, {0, 0, 0, 0, 1}},
    {7, 5, 4, {0, 1, 2}},
    {7, 4, 4, {0, 7}},
    {7, 3, 3, {7, 7, 0, 0, 1}},
    {8, 6, 5, {0, 0, 2, 1}},
    {8, 5, 4, {0, 3, 4}},
    {8, 4, 4, {0, 14, 0, 0, 0, 1}},
    {9, 6, 4, {0, 1, 4, 2}},
    {9, 5, 4, {0, 6, 8, 0, 0, 1}},
    {9, 4, 3, {4, 14, 8, 0, 4, 1}},
    {10, 5, 4, {0, 10, 16, 0, 0, 5}},
    {11, 5, 4, {0, 25, 0, 27, 0, 10, 0, 1}},
    {15, 4, 3, {35, 105, 168, 280, 435, 435, 280, 168, 105}},
};

static void fractions_are_those_of_textbooks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof textbook / sizeof *textbook; i++) {
        struct sl_fraction f;
        struct sl_err err = {0};
        if (sl_fraction_of_runs(&f, textbook[i].factors, textbook[i].bits, &err))
            fail_msg("%s", err.text);
        assert_int_equal(f.resolution, textbook[i].resolution);
        for (int k = 0; k < 9; k++)
            if (3 + k <= textbook[i].factors && f.words[3 + k] != textbook[i].words[k])
                fail_msg("2^(%d-%d): %g words of length %d, and there are %g", f.factors, f.factors - f.bits,
                         f.words[3 + k], 3 + k, textbook[i].words[k]);
    }
}

/* Generators as they are printed in the books; letters are bits. */
static uint32_t product(const char *letters)
{
    uint32_t c = 0;

    for (; *letters; letters++)
        c |= UINT32_C(1) << (*letters - 'A');
    return c;
}

static void generators_are_those_of_textbooks(void **state)
{
    static const struct {
        int factors, bits;
        const char *generators[4];
    } books[] = {{4, 3, {"ABC"}}, {5, 4, {"ABCD"}}, {7, 3, {"AB", "AC", "BC", "ABC"}}, {5, 3, {"AB", "AC"}}};

    (void)state;
    for (size_t i = 0; i < sizeof books / sizeof *books; i++) {
        struct sl_fraction f;
        assert_int_equal(sl_fraction_of_runs(&f, books[i].factors, books[i].bits, NULL), 0);
        for (int k = 0; k < f.bits; k++)
            assert_int_equal(f.column[k], 1u << k);
        for (int k = f.bits; k < f.factors; k++)
            assert_int_equal(f.column[k], product(books[i].generators[k - f.bits]));
        assert_true(f.best);
    }
}

/* The words counted one by one: all products of columns that are the identity. */
static void words_are_counted(void **state)
{
    uint64_t random = 7;

    (void)state;
    for (int round = 0; round < 200; round++) {
        struct sl_fraction f = {.bits = 2 + (int)sl_random_below(&random, 4)};
        double words[12] = {0};
        f.factors = f.bits + (int)sl_random_below(&random, 5);
        for (int i = 0; i < f.factors; i++)
            f.column[i] = i < f.bits ? 1u << i : 1 + (uint32_t)sl_random_below(&random, (1u << f.bits) - 1);
        for (uint32_t set = 1; set < 1u << f.factors; set++) {
            uint32_t c = 0;
            for (int i = 0; i < f.factors; i++)
                c ^= set >> i & 1 ? f.column[i] : 0;
            words[__builtin_popcount(set)] += !c;
        }
        sl_fraction_words(&f);
        for (int k = 1; k <= f.factors; k++)
            assert_true(f.words[k] == words[k]);
    }
}

static void the_smallest_fraction_of_a_resolution(void **state)
{
    /* Montgomery, Design and Analysis of Experiments, table 8.14: factors, resolution, the fewest runs */
    static const int table[][3] = {{3, 3, 4},  {4, 4, 8},   {5, 5, 16},  {5, 3, 8},  {6, 4, 16},  {7, 3, 8},
                                   {7, 4, 16}, {8, 4, 16},  {8, 5, 64},  {9, 4, 32}, {11, 3, 16}, {15, 3, 16},
                                   {6, 5, 32}, {10, 4, 32}, {16, 3, 32}, {16, 4, 32}};

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table - SANITIZED; i++) { /* the last two are much alike, and dear */
        struct sl_fraction f;
        struct sl_err err = {0};
        if (sl_fraction_of_resolution(&f, table[i][0], table[i][1], &err))
            fail_msg("%s", err.text);
        if (1 << f.bits != table[i][2])
            fail_msg("%d factors of resolution %d: %d runs", table[i][0], table[i][1], 1 << f.bits);
    }
}

/* ---- designs of a plan ---- */

static struct sl_plan plan;
static bool vary[16];
static int32_t high[16];
static struct sl_design_of of = {&plan, vary, high};

static void plan_of(const char *factors, const char *constraints)
{
    char text[2000];
    struct sl_err err = {0};

    snprintf(text, sizeof text, "experiment: t\ncommand: x\nfactors: {%s}\nconstraints: [%s]\n", factors, constraints);
    if (sl_plan_parse(&plan, "t.yaml", text, strlen(text), &err))
        fail_msg("%s", err.text);
    for (size_t f = 0; f < plan.factor.n; f++) {
        vary[f] = true;
        high[f] = (int32_t)plan.factor.v[f].level.n - 1;
    }
}

#define TWO(x) x ": {placebo: yes}"
#define THREE(x) x ": {levels: [lo, mid, hi], placebo: yes}"
#define FIVE TWO("a") ", " TWO("b") ", " TWO("c") ", " TWO("d") ", " TWO("e")

static void all_allowed(const struct sl_settings *s)
{
    for (size_t i = 0; i < sl_settings_n(s); i++)
        assert_null(sl_plan_broken(&plan, sl_setting(s, i)));
}

static void all_different(const struct sl_settings *s)
{
    for (size_t i = 0; i < sl_settings_n(s); i++)
        for (size_t k = 0; k < i; k++)
            assert_memory_not_equal(sl_setting(s, i), sl_setting(s, k), s->factors * sizeof(int32_t));
}

static void full_and_one_at_a_time(void **state)
{
    struct sl_settings s;
    size_t left;

    (void)state;
    plan_of(TWO("a") ", " THREE("b") ", " TWO("c"), "{not: [a, c]}");
    s = (struct sl_settings){.factors = 3};
    assert_int_equal(sl_design_full(&s, &of, 100, &left, NULL), 0);
    assert_int_equal(sl_settings_n(&s), 9); /* 12, of which 3 have a and c */
    assert_int_equal(left, 3);
    all_allowed(&s);
    all_different(&s);
    sl_vec_clear(&s.level);
    assert_int_equal(sl_design_full(&s, &of, 11, &left, NULL), SL_EUSAGE);
    sl_vec_clear(&s.level);
    assert_int_equal(sl_design_one_at_a_time(&s, &of, true, false, &left, NULL), 0);
    assert_int_equal(sl_settings_n(&s), 5); /* the base, a, b=mid, b=hi, c */
    assert_int_equal(sl_design_one_at_a_time(&s, &of, false, true, &left, NULL), SL_EUSAGE);
    sl_settings_free(&s);
    sl_plan_free(&plan);
    plan_of(TWO("a") ", " TWO("b") ", " TWO("c"), "{if: a, then: b}");
    s = (struct sl_settings){.factors = 3};
    assert_int_equal(sl_design_one_at_a_time(&s, &of, true, true, &left, NULL), 0);
    assert_int_equal(left, 2);              /* a alone; all but b */
    assert_int_equal(sl_settings_n(&s), 6); /* base, b, c; all, all but a, all but c */
    sl_settings_free(&s);
    sl_plan_free(&plan);
}

static void random_settings(void **state)
{
    struct sl_settings s = {.factors = 5}, again = {.factors = 5};

    (void)state;
    plan_of(FIVE, "{not: [a, b]}, {exclusive: [c, d, e]}");
    assert_int_equal(sl_design_random(&s, &of, 10, 3, NULL), 0);
    assert_int_equal(sl_design_random(&again, &of, 10, 3, NULL), 0);
    assert_int_equal(sl_settings_n(&s), 10);
    assert_memory_equal(s.level.v, again.level.v, s.level.n * sizeof(int32_t));
    all_allowed(&s);
    all_different(&s);
    sl_vec_clear(&s.level);
    assert_int_equal(sl_design_random(&s, &of, 100, 3, NULL), 0); /* there are 3 * 4 */
    all_allowed(&s);
    sl_settings_free(&s);
    sl_settings_free(&again);
    sl_plan_free(&plan);
}

static void a_fraction_is_refused_where_constraints_break_it(void **state)
{
    struct sl_settings s = {.factors = 5};
    struct sl_fraction f;
    struct sl_err err = {0};

    (void)state;
    plan_of(FIVE, "{not: [a, b]}");
    assert_int_equal(sl_fraction_of_runs(&f, 5, 4, NULL), 0);
    assert_int_equal(sl_design_fraction(&s, &of, &f, &err), SL_EUSAGE);
    assert_non_null(strstr(err.text, "4 of the 16 runs"));
    sl_settings_free(&s);
    sl_plan_free(&plan);
}

/* ---- balance ---- */

static int most_off(const struct sl_settings *s, uint32_t f, uint32_t g)
{
    int n = (int)sl_settings_n(s), lf = (int)plan.factor.v[f].level.n, lg = (int)plan.factor.v[g].level.n, most = 0;

    for (int k = 0; k < lf; k++)
        for (int l = 0; l < lg; l++) {
            int count = 0, cells = f == g ? lf : lf * lg, even = n / cells, rest = n % cells != 0;
            for (int i = 0; i < n; i++)
                count += sl_setting(s, (size_t)i)[f] == k && sl_setting(s, (size_t)i)[g] == l;
            if (f == g && k != l)
                continue;
            int off = count < even ? even - count : count > even + rest ? count - even - rest : 0;
            most = off > most ? off : most;
        }
    return most;
}

static void balanced(const char *factors, const char *constraints, size_t n, int single, int pair)
{
    struct sl_settings s, again;
    struct sl_err err = {0};
    int off_single, off_pair;

    plan_of(factors, constraints);
    s = again = (struct sl_settings){.factors = plan.factor.n};
    if (sl_design_balanced(&s, &of, n, 5, &off_single, &off_pair, &err))
        fail_msg("%s", err.text);
    assert_int_equal(sl_settings_n(&s), n);
    all_allowed(&s);
    all_different(&s);
    assert_true(off_single <= single && off_pair <= pair);
    for (uint32_t f = 0; f < plan.factor.n; f++)
        for (uint32_t g = f; g < plan.factor.n; g++) {
            bool free = true; /* of a constraint */
            for (size_t i = 0; i < plan.constraint.n; i++) {
                const struct sl_plan_constraint *c = &plan.constraint.v[i];
                free &= f == g || !(c->all.v[0].factor == f && c->all.v[1].factor == g);
            }
            assert_true(!free || most_off(&s, f, g) <= (f == g ? off_single : off_pair));
        }
    assert_int_equal(sl_design_balanced(&again, &of, n, 5, &off_single, &off_pair, &err), 0);
    assert_memory_equal(s.level.v, again.level.v, s.level.n * sizeof(int32_t));
    sl_settings_free(&s);
    sl_settings_free(&again);
    sl_plan_free(&plan);
}

static void balanced_designs(void **state)
{
    struct sl_err err = {0};
    struct sl_settings s = {.factors = 2};
    int a, b;

    (void)state;
    plan_of(TWO("a") ", " TWO("b"), "");
    if (sl_design_balanced(&s, &of, 4, 1, &a, &b, &err) == SL_ENOTFOUND && strstr(err.text, "has no Z3")) {
        sl_plan_free(&plan);
        skip();
    }
    sl_vec_clear(&s.level);
    assert_int_equal(sl_design_balanced(&s, &of, 5, 1, &a, &b, &err), SL_EUSAGE); /* there are four settings */
    sl_settings_free(&s);
    sl_plan_free(&plan);
    balanced(FIVE, "", 8, 0, 0);                                      /* an orthogonal array exists */
    balanced(FIVE, "{not: [a, b]}", 8, 0, 0);                         /* a or b, four times each, or fewer */
    balanced(FIVE, "{not: [a, b]}, {if: c, then: d}", 8, 2, 2);       /* what two constraints leave */
    balanced(THREE("x") ", " THREE("y") ", " TWO("a"), "", 18, 0, 0); /* 3 x 3 x 2 */
    balanced(THREE("x") ", " TWO("y") ", " TWO("a"), "{not: {x: hi, y: 1}}", 6, 1, 1);
}

/* ---- optimal designs ---- */

static double log_det(const struct sl_settings *a, const struct sl_settings *b, const size_t *rows, size_t n)
{
    double m[5][5] = {{0}}, sum = 0;
    size_t terms = a->factors + 1, had = b ? sl_settings_n(b) : 0;

    for (size_t r = 0; r < n + had; r++) {
        const int32_t *s = r < n ? sl_setting(a, rows ? rows[r] : r) : sl_setting(b, r - n);
        for (size_t i = 0; i < terms; i++)
            for (size_t k = 0; k < terms; k++)
                m[i][k] += (i ? 2 * s[i - 1] - 1 : 1) * (k ? 2 * s[k - 1] - 1 : 1);
    }
    for (size_t i = 0; i < terms; i++) { /* elimination, which needs no pivots here */
        if (m[i][i] < 1e-9)
            return -INFINITY;
        sum += log(m[i][i]);
        for (size_t k = i + 1; k < terms; k++)
            for (size_t j = terms; j-- > i;)
                m[k][j] -= m[k][i] / m[i][i] * m[i][j];
    }
    return sum;
}

/* Of n runs out of all, with repetition: the best there is. */
static double best_of_all(const struct sl_settings *all, const struct sl_settings *had, size_t n)
{
    size_t rows[8] = {0}, i = 0;
    double best = -INFINITY;

    while (i < n) {
        double det = log_det(all, had, rows, n);
        best = det > best ? det : best;
        for (i = 0; i < n && ++rows[i] == sl_settings_n(all); i++)
            ;
        for (size_t k = 0; i < n && k < i; k++) /* in ascending order: each set once */
            rows[k] = rows[i];
    }
    return best;
}

static void optimal_designs_are_the_best_there_are(void **state)
{
    static const char *const constraints[] = {"", "{not: [a, b]}", "{if: a, then: c}, {not: [b, d]}"};

    (void)state;
    for (size_t c = 0; c < 3; c++)
        for (size_t nhad = 0; nhad <= 4; nhad += 2)
            for (size_t n = 3; n <= 5; n++) {
                struct sl_settings all = {.factors = 4}, had = {.factors = 4}, s = {.factors = 4};
                double det, best;
                size_t left;
                plan_of(TWO("a") ", " TWO("b") ", " TWO("c") ", " TWO("d"), constraints[c]);
                assert_int_equal(sl_design_full(&all, &of, 16, &left, NULL), 0);
                if (nhad)
                    assert_int_equal(sl_design_random(&had, &of, nhad, 9 + c, NULL), 0);
                assert_int_equal(sl_design_optimal(&s, &of, &had, n, false, 3, &det, NULL), 0);
                assert_int_equal(sl_settings_n(&s), n);
                all_allowed(&s);
                best = best_of_all(&all, &had, n);
                if (isfinite(best) || isfinite(det))
                    if (fabs(best - det) > 1e-6 || fabs(log_det(&s, &had, NULL, n) - det) > 1e-6)
                        fail_msg("%zu beside %zu (%s): %g, best %g", n, nhad, constraints[c], det, best);
                sl_settings_free(&all);
                sl_settings_free(&had);
                sl_settings_free(&s);
                sl_plan_free(&plan);
            }
}

/* ---- constraints ---- */

enum { CF = 4, CL = 3, CC = 7 }; /* factors, levels of each, constraints at most */

/* Random constraints of one or two literals, as bits: sets[c][f] are the levels of a literal, 0: none. */
static int draw_constraints(struct sl_buf *b, unsigned sets[CC][CF], uint64_t *seed)
{
    int n = 1 + (int)sl_random_below(seed, CC);

    sl_buf_adds(b, "experiment: e\ncommand: 'true'\nfactors:\n");
    for (int f = 0; f < CF; f++)
        sl_buf_addf(b, "  f%d: {levels: [l0, l1, l2], placebo: yes}\n", f);
    sl_buf_adds(b, "constraints:\n");
    for (int c = 0; c < n; c++) {
        bool any = false;
        memset(sets[c], 0, sizeof sets[c]);
        sl_buf_adds(b, "  - not: {");
        for (int k = 0; k < 2; k++) {
            int f = (int)sl_random_below(seed, CF);
            if (sets[c][f])
                continue;
            sets[c][f] = 1 + (unsigned)sl_random_below(seed, (1 << CL) - 1);
            sl_buf_addf(b, "%sf%d: [", any ? ", " : "", f);
            for (int l = 0, m = 0; l < CL; l++)
                if (sets[c][f] >> l & 1)
                    sl_buf_addf(b, "%sl%d", m++ ? ", " : "", l);
            sl_buf_adds(b, "]");
            any = true;
        }
        sl_buf_adds(b, "}\n");
    }
    return n;
}

/* Is a setting left by these constraints, the one at `without` aside? */
static bool any_left(unsigned sets[CC][CF], const bool *with, int n)
{
    for (int code = 0; code < 81; code++) {
        bool broken = false;
        for (int c = 0; c < n; c++) {
            bool all = with[c];
            for (int f = 0, rest = code; f < CF; f++, rest /= CL)
                all &= !sets[c][f] || sets[c][f] >> rest % CL & 1;
            broken |= all;
        }
        if (!broken)
            return true;
    }
    return false;
}

static void conflicts_are_those_of_enumeration(void **state)
{
    enum { ROUNDS = SANITIZED ? 1000 : 4000 };
    uint64_t seed = 19;
    int found = 0;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned sets[CC][CF];
        struct sl_buf b = {0};
        struct sl_plan p;
        struct sl_err err = {0};
        bool all[CC], named[CC] = {false};
        int n = draw_constraints(&b, sets, &seed), rc = sl_plan_parse(&p, "e.yaml", b.s, b.n, &err);
        memset(all, 1, sizeof all);
        if (any_left(sets, all, n) != !rc)
            fail_msg("%s%s", b.s, err.text);
        found += rc != 0;
        for (int c = 0; rc && c < n; c++) {
            char line[32];
            snprintf(line, sizeof line, "(line %d)", 9 + c); /* behind 8 lines of the rest */
            named[c] = strstr(err.text, line);
        }
        if (rc && !strstr(err.text, " more;")) { /* those that are named conflict, and none of them is too many */
            assert_false(any_left(sets, named, n));
            for (int c = 0; c < n; c++)
                if (named[c]) {
                    named[c] = false;
                    assert_true(any_left(sets, named, n));
                    named[c] = true;
                }
        }
        sl_plan_free(&p);
        sl_buf_free(&b);
    }
    assert_in_range(found, ROUNDS / 100, ROUNDS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conflicts_are_those_of_enumeration),
        cmocka_unit_test(fractions_are_those_of_textbooks),
        cmocka_unit_test(generators_are_those_of_textbooks),
        cmocka_unit_test(words_are_counted),
        cmocka_unit_test(the_smallest_fraction_of_a_resolution),
        cmocka_unit_test(full_and_one_at_a_time),
        cmocka_unit_test(random_settings),
        cmocka_unit_test(a_fraction_is_refused_where_constraints_break_it),
        cmocka_unit_test(balanced_designs),
        cmocka_unit_test(optimal_designs_are_the_best_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
