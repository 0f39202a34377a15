/* SPDX-License-Identifier: Apache-2.0 */
#include "experiment/search/turns.h"

#include <math.h>

const char *const sl_compare_verdicts[] = {
    [SL_COMPARE_UNKNOWN] = "unknown", [SL_COMPARE_WORSE] = "worse",   [SL_COMPARE_BETTER] = "better",
    [SL_COMPARE_SAME] = "same",       [SL_COMPARE_LITTLE] = "little", [SL_COMPARE_CLOSE] = "close"};

void sl_compare_add(struct sl_compare *c, const struct sl_compare_rule *rule, double base, double new)
{
    double ratio = log(new) - log(base);

    c->sum[0] += log(base);
    c->sum[1] += log(new);
    sl_sequential_add(&c->worse, rule->rate ? -ratio : ratio);
}

/* Of a logarithm of how often worse: what share of the score that is. */
static double share(const struct sl_compare_rule *rule, double worse)
{
    return rule->rate ? -expm1(-worse) : expm1(worse);
}

static double logarithm(const struct sl_compare_rule *rule, double share)
{
    return rule->rate ? -log1p(-share) : log1p(share);
}

/* With a threshold, what is asked is on which side of it the new one is. */
static enum sl_compare_verdict by_threshold(const struct sl_compared *of, const struct sl_compare_rule *rule)
{
    if (of->low > rule->fail_on)
        return SL_COMPARE_WORSE;
    if (of->high < rule->fail_on)
        return of->low > 0 ? SL_COMPARE_LITTLE : of->high < 0 ? SL_COMPARE_BETTER : SL_COMPARE_SAME;
    return of->high - of->low <= 2 * rule->within ? SL_COMPARE_CLOSE : SL_COMPARE_UNKNOWN;
}

/* Without one, how much it is: to a quarter, or to `within`. */
static enum sl_compare_verdict by_width(const struct sl_compared *of, const struct sl_compare_rule *rule)
{
    double half = (of->high - of->low) / 2;

    if (of->low >= -rule->within && of->high <= rule->within && of->low <= 0 && of->high >= 0)
        return SL_COMPARE_SAME;
    if (half > fmax(rule->within, fabs(of->worse) / 4))
        return SL_COMPARE_UNKNOWN;
    return of->low > 0 ? SL_COMPARE_WORSE : of->high < 0 ? SL_COMPARE_BETTER : SL_COMPARE_SAME;
}

/* Pairs to the nearest end: where the estimate passes the threshold, or the interval is narrow, as 1 / sqrt(pairs). */
static double more(const struct sl_compare *c, const struct sl_compare_rule *rule, const struct sl_compared *of)
{
    double half = (of->high - of->low) / 2, wanted = rule->within, narrow, n = (double)of->pairs;

    if (isnan(rule->fail_on))
        wanted = fmax(wanted, fabs(of->worse) / 4);
    narrow = isfinite(half) ? fmax(ceil(n * (half * half / (wanted * wanted) - 1)), 1) : INFINITY;
    if (isnan(rule->fail_on))
        return narrow;
    for (int side = -1; side <= 1; side += 2)
        narrow = fmin(narrow, sl_sequential_more(&c->worse, rule->alpha, logarithm(rule, rule->fail_on), side));
    return narrow;
}

struct sl_compared sl_compare_judge(const struct sl_compare *c, const struct sl_compare_rule *rule)
{
    size_t n = c->worse.difference.n;
    struct sl_shift_interval shift = sl_sequential_shift(&c->worse, rule->alpha);
    struct sl_compared of = {.pairs = n,
                             .worse = share(rule, shift.estimate),
                             .low = share(rule, shift.low),
                             .high = share(rule, shift.high),
                             .base = n ? exp(c->sum[0] / (double)n) : NAN,
                             .new = n ? exp(c->sum[1] / (double)n) : NAN};

    of.low = isfinite(shift.low) ? of.low : -INFINITY;
    of.high = isfinite(shift.high) ? of.high : INFINITY;
    of.verdict = !n ? SL_COMPARE_UNKNOWN : isnan(rule->fail_on) ? by_width(&of, rule) : by_threshold(&of, rule);
    if (of.verdict == SL_COMPARE_UNKNOWN)
        of.more = more(c, rule, &of);
    return of;
}

void sl_compare_free(struct sl_compare *c)
{
    sl_sequential_free(&c->worse);
}
