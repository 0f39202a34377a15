/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons that end when they know: against the definition, and how often they are wrong where one looks always. */
#include "unit.h"

#include "analyse/kernels/beta.h"
#include "experiment/search/turns.h"

#include <math.h>

static uint64_t seed;

static double uniform(void)
{
    return ((double)(rnd(&seed) >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* ---- made machines ---- */

enum kind { CALM, HEAVY, DRIFTING, SLOW_SECOND, CAUCHY, KINDS };

struct machine {
    enum kind kind;
    double noise, state; /* of the logarithm of a score */
    double change;       /* what the new one is worse by, likewise */
};

/* Heavy: one in ten is five times as far.  Drifting: of which the next has nine tenths again, with a trend.  Slow
 * second: what runs second in a pair is slower by six times the noise. */
static double measure(struct machine *m, bool new, bool second, size_t pair)
{
    double error = normal();

    m->state = 0.9 * m->state + normal();
    switch (m->kind) {
    case HEAVY: error *= uniform() < 0.1 ? 5 : 1; break;
    case DRIFTING: error += m->state + 0.1 * (double)pair; break;
    case SLOW_SECOND: error += second ? 6 : 0; break;
    case CAUCHY: error = fmax(-50, fmin(50, tan(M_PI * (uniform() - 0.5)))); break;
    default: break;
    }
    return exp(3 + m->noise * error + (new ? m->change : 0));
}

static void pair(struct sl_compare *c, const struct sl_compare_rule *rule, struct machine *m)
{
    bool first = uniform() < 0.5; /* is the new one */
    double a = measure(m, first, false, c->worse.difference.n), b = measure(m, !first, true, c->worse.difference.n);

    sl_compare_add(c, rule, first ? b : a, first ? a : b);
}

/* ---- against the definition ---- */

static double capital_at(const double *d, size_t n, double shift, int side)
{
    long double sum = 0;

    for (int k = 0; k < 7; k++) {
        long double product = 1;
        for (size_t i = 0; i < n; i++) {
            double sorted[64], middle, clip = 0, x;
            for (int pass = 0; pass < 2; pass++) { /* the median, and that of what is left */
                for (size_t j = 0; j < i; j++) {
                    double v = pass ? fabs(d[j] - middle) : d[j];
                    size_t at = j;
                    for (; at > 0 && sorted[at - 1] > v; at--)
                        sorted[at] = sorted[at - 1];
                    sorted[at] = v;
                }
                x = i ? (sorted[(i - 1) / 2] + sorted[i / 2]) / 2 : 0;
                if (!pass)
                    middle = x;
                else if (i >= 2)
                    clip = 1.5 * 1.482602218505602 * x * (1 + 1.0 / (double)i);
            }
            for (size_t j = 0; j < i && i >= 2 && clip == 0; j++)
                clip += fabs(d[j] - middle) / (double)i;
            clip = i >= 2 && clip == 0 ? 1e-300 : clip;
            x = (d[i] - shift) * side;
            x = clip == 0 ? 0.5 * ((x > 0) - (x < 0)) : x > clip ? 1 : x < -clip ? -1 : x / clip;
            product *= 1 + pow(1.6, -k) * x;
        }
        sum += product / 7;
    }
    return (double)sum;
}

static void defined(void **state)
{
    (void)state;
    seed = 1;
    for (size_t n = 1; n <= 40; n += 3)
        for (int of = 0; of < 4; of++) {
            struct sl_sequential s = {0};
            struct sl_shift_interval got;
            double rich = 2 / 0.05, step;
            for (size_t i = 0; i < n; i++)
                sl_sequential_add(&s, of == 3 ? 0.25 : 0.3 * of + normal());
            got = sl_sequential_shift(&s, 0.05);
            step = of == 3 ? 1e-6 : 1e-4;
            assert_true(got.low <= got.estimate && got.estimate <= got.high);
            if (isinf(got.low)) {
                assert_true(capital_at(s.difference.v, n, -1e6, 1) < rich);
            } else {
                assert_true(capital_at(s.difference.v, n, got.low - step, 1) >= rich);
                assert_true(capital_at(s.difference.v, n, got.low + step, 1) < rich);
                assert_true(sl_sequential_passed(&s, 0.05, got.low - step, 1));
                assert_false(sl_sequential_passed(&s, 0.05, got.low + step, 1));
            }
            if (isinf(got.high)) {
                assert_true(capital_at(s.difference.v, n, 1e6, -1) < rich);
            } else {
                assert_true(capital_at(s.difference.v, n, got.high + step, -1) >= rich);
                assert_true(capital_at(s.difference.v, n, got.high - step, -1) < rich);
            }
            sl_sequential_free(&s);
        }
}

/* Products beyond the range of double, and differences that are all the same or far apart. */
static void extremes(void **state)
{
    struct sl_sequential s = {0};
    struct sl_shift_interval got;

    (void)state;
    for (size_t i = 0; i < 3000; i++)
        sl_sequential_add(&s, 0.5 + (i % 2 ? 1e-3 : -1e-3));
    got = sl_sequential_shift(&s, 0.05);
    assert_true(fabs(got.estimate - 0.5) < 1e-4 && got.low > 0.499 && got.high < 0.501);
    assert_true(sl_sequential_passed(&s, 1e-9, 0, 1) && sl_sequential_more(&s, 0.05, 0, 1) == 0);
    assert_true(isinf(sl_sequential_more(&s, 0.05, 0, -1)));
    sl_sequential_free(&s);
    for (size_t i = 0; i < 40; i++)
        sl_sequential_add(&s, i % 2 ? 1e300 : -1e300);
    got = sl_sequential_shift(&s, 0.05);
    assert_true(fabs(got.estimate) < 2e299 && got.low < 0 && got.high > 0);
    sl_sequential_free(&s);
    assert_true(isnan(sl_sequential_shift(&s, 0.05).estimate) && !sl_sequential_passed(&s, 0.05, 0, 1));
}

/* ---- how often they are wrong ---- */

/* What looks after each pair with a t test at 5 %, as many do. */
static bool t_test_passes(const struct sl_sequential *s)
{
    size_t n = s->difference.n;
    double mean = 0, squares = 0;

    if (n < 5)
        return false;
    for (size_t i = 0; i < n; i++)
        mean += s->difference.v[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (s->difference.v[i] - mean) * (s->difference.v[i] - mean);
    return sl_t_two_sided(mean / sqrt(squares / (double)(n - 1) / (double)n), (double)(n - 1)) < 0.05;
}

enum { STUDIES = SANITIZED ? 200 : 1000, LOOKS = 60 };

/* The same beside the same: at most 5 % + 3 standard errors ever see a change, each side half. */
static void cries_no_wolf(void **state)
{
    size_t alarms = 0, naive = 0;

    (void)state;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        size_t wrong[2] = {0};
        seed = 7 + kind;
        for (size_t study = 0; study < STUDIES; study++) {
            struct machine m = {kind, 0.05, 0, 0};
            struct sl_compare_rule rule = {0, 0.01, 0.05, false};
            struct sl_compare c = {0};
            bool above = false, below = false, t = false;
            for (size_t i = 0; i < LOOKS; i++) {
                pair(&c, &rule, &m);
                above |= sl_sequential_passed(&c.worse, 0.05, 0, 1);
                below |= sl_sequential_passed(&c.worse, 0.05, 0, -1);
                t |= kind == CALM && study < STUDIES / 2 && t_test_passes(&c.worse);
            }
            wrong[0] += above;
            wrong[1] += below;
            naive += t;
            sl_compare_free(&c);
        }
        for (int side = 0; side < 2; side++) {
            if ((double)wrong[side] > STUDIES * 0.025 + 3 * sqrt(STUDIES * 0.025))
                fail_msg("kind %d: %zu of %d", (int)kind, wrong[side], STUDIES);
            alarms += wrong[side];
        }
    }
    assert_true(alarms > KINDS * STUDIES / 100); /* it does not stay silent, either */
    assert_true(naive > STUDIES / 2 * 0.15);     /* and to look with a t test would be wrong */
}

struct outcomes {
    size_t verdicts[SL_COMPARE_CLOSE + 1], missed, pairs; /* missed: the truth was not in the interval at the end */
};

static struct outcomes compare_often(enum kind kind, double change, const struct sl_compare_rule *rule, size_t studies,
                                     size_t most)
{
    struct outcomes out = {0};

    for (size_t study = 0; study < studies; study++) {
        struct machine m = {kind, 0.03, 0, log1p(change)};
        struct sl_compare c = {0};
        struct sl_compared of = {0};
        if (rule->rate)
            m.change = log1p(-change);
        do {
            pair(&c, rule, &m);
            of = sl_compare_judge(&c, rule);
        } while (of.verdict == SL_COMPARE_UNKNOWN && of.pairs < most);
        out.verdicts[of.verdict]++;
        out.pairs += of.pairs;
        out.missed += !(of.low <= change && change <= of.high);
        sl_compare_free(&c);
    }
    return out;
}

/* Many comparisons each, to their end. */
static void gates(void **state)
{
    enum { N = SANITIZED ? 100 : 500, FEW = N * 2 / 5 };
    const struct sl_compare_rule at_5 = {0.05, 0.01, 0.05, false}, at_2 = {0.02, 0.004, 0.05, false},
                                 rate = {0.05, 0.01, 0.05, true}, any = {NAN, 0.01, 0.05, false};
    struct outcomes o;

    (void)state;
    seed = 11;
    o = compare_often(HEAVY, 0, &at_5, N, 100); /* the same beside the same never fails a gate of 5 % */
    assert_int_equal(o.verdicts[SL_COMPARE_WORSE], 0);
    assert_true(o.verdicts[SL_COMPARE_SAME] > N * 0.95 && o.pairs < N * 40);
    o = compare_often(DRIFTING, 0.05, &at_5, N, 60); /* at the threshold, wrong at most at the stated rate */
    assert_true(o.verdicts[SL_COMPARE_WORSE] <= N * 0.025 + 3 * sqrt(N * 0.025));
    assert_true(o.missed <= N * 0.05 + 3 * sqrt(N * 0.05));
    o = compare_often(HEAVY, 0.05, &at_2, N, 200); /* a planted 5 % is found */
    assert_true(o.verdicts[SL_COMPARE_WORSE] > N * 0.98 && o.pairs < N * 60);
    o = compare_often(CALM, 0.10, &rate, FEW, 100); /* a rate that falls by a tenth */
    assert_true(o.verdicts[SL_COMPARE_WORSE] > FEW * 0.975);
    o = compare_often(CALM, -0.05, &at_5, FEW, 100);
    assert_int_equal(o.verdicts[SL_COMPARE_WORSE], 0);
    assert_true(o.verdicts[SL_COMPARE_BETTER] + o.verdicts[SL_COMPARE_SAME] == FEW);
    o = compare_often(HEAVY, 0.05, &any, 50, 400); /* without a gate: how much it is */
    assert_true(o.verdicts[SL_COMPARE_WORSE] > 45 && o.missed <= 50 * 0.05 + 3 * sqrt(50 * 0.05));
}

/* What is said to be missing is about what is missing. */
static void foretold(void **state)
{
    const struct sl_compare_rule rule = {0.05, 0.001, 0.05, false};
    size_t good = 0, asked = 0;

    (void)state;
    seed = 5;
    for (size_t study = 0; study < 100; study++) {
        struct machine m = {CALM, 0.05, 0, log1p(0.09)};
        struct sl_compare c = {0};
        struct sl_compared of;
        double said = 0;
        do {
            pair(&c, &rule, &m);
            of = sl_compare_judge(&c, &rule);
            if (of.pairs == 25)
                said = of.more;
        } while (of.verdict == SL_COMPARE_UNKNOWN);
        if (of.pairs > 25) {
            double took = (double)of.pairs - 25;
            asked++;
            good += said >= 1 && isfinite(said) && said < 6 * took + 20 && took < 6 * said + 20;
        }
        sl_compare_free(&c);
    }
    assert_true(asked > 50 && good > asked * 8 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(defined), cmocka_unit_test(extremes),
                                       cmocka_unit_test(cries_no_wolf), cmocka_unit_test(gates),
                                       cmocka_unit_test(foretold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
