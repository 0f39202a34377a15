/* SPDX-License-Identifier: Apache-2.0 */
#include "show/experiment/print_trials.h"
#include "base/clock.h"
#include "show/show.h"

#include <math.h>
#include <string.h>

enum { PERCENT = 3 * SL_SHOW_NUMBER };

/* What is 1e-12 is rounding. */
static double exact(double v)
{
    return fabs(v) < 1e3 ? nearbyint(v * 1e12) / 1e12 + 0.0 : v;
}

/* Is a unit one of time, of which more is slower? */
static bool is_time(const char *unit)
{
    static const char *const times[] = {"s", "ms", "us", "ns", "min", "h"};
    size_t n = strcspn(unit, "/");

    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (strlen(times[i]) == n && !strncmp(unit, times[i], n))
            return true;
    return false;
}

/* "+4.20 to +8.00 %"; where an end is not known yet, "at most +8.00 %". */
static char *range(double low, double high, bool sign, char *buf)
{
    char a[SL_SHOW_NUMBER] = "?", b[SL_SHOW_NUMBER] = "?";

    if (!isnan(low))
        sl_show_number(100 * low + 0.0, sign, a);
    if (!isnan(high))
        sl_show_number(100 * high + 0.0, sign, b);
    if (isnan(low) && isnan(high))
        strcpy(buf, "no interval yet");
    else if (isnan(low) || isnan(high))
        snprintf(buf, PERCENT, "%s %s %%", isnan(low) ? "at most" : "at least", isnan(low) ? b : a);
    else
        snprintf(buf, PERCENT, "%s to %s %%", a, b);
    return buf;
}

static void put_pairs(FILE *out, double more)
{
    char n[SL_SHOW_NUMBER];

    if (isnan(more) || more > 1e6)
        fputs(";\nhow many more pairs it takes cannot be said\n", out);
    else
        fprintf(out, ";\nsome %s more pair%s would tell\n", sl_show_count((unsigned long long)more, n),
                more == 1 ? "" : "s");
}

static void put_verdict(FILE *out, const struct sl_comparison_row *x)
{
    const char *verdict = x->verdict;
    double change = exact(x->change), low = exact(x->lower), high = exact(x->upper), gate = exact(x->fail_on);
    bool time = is_time(x->unit);
    const char *worse = time ? "slower" : "worse", *better = time ? "faster" : "better";
    char n[SL_SHOW_NUMBER], g[SL_SHOW_NUMBER], between[PERCENT];

    snprintf(g, sizeof g, "%.3g", 100 * gate);
    if (!strcmp(verdict, "worse")) {
        fprintf(out, "%s by %s %% (%s), sure", worse, sl_show_number(100 * change, false, n),
                range(low, high, false, between));
        fprintf(out, isnan(gate) ? "\n" : "; that is more than %s %%\n", g);
    } else if (!strcmp(verdict, "better")) {
        fprintf(out, "%s by %s %% (%s), sure\n", better, sl_show_number(-100 * change, false, n),
                range(-high, -low, false, between));
    } else if (!strcmp(verdict, "little")) {
        fprintf(out, "%s by %s %% (%s), less than %s %%\n", worse, sl_show_number(100 * change, false, n),
                range(low, high, false, between), g);
    } else if (!strcmp(verdict, "same")) {
        double most = fmax(fabs(low), fabs(high));
        if (!isnan(gate) && (isnan(low) || -low > gate))
            fprintf(out, "not %s by more than %s %%: ", worse, g);
        else
            fprintf(out, "no change larger than %s %%: ", isnan(gate) ? sl_show_number(100 * most, false, n) : g);
        fprintf(out, "%s %% (%s)\n", sl_show_number(100 * change, true, n), range(low, high, true, between));
    } else if (!strcmp(verdict, "close")) {
        fprintf(out, "too close to %s %% to tell: %s %% (%s)\n", g, sl_show_number(100 * change, true, n),
                range(low, high, true, between));
    } else if (isnan(change)) {
        fputs("not known: no pair of runs\n", out);
    } else {
        fprintf(out, "not known: %s %%", sl_show_number(100 * change, true, n));
        if (isnan(low) && isnan(high))
            fputs(", of too few pairs for an interval", out);
        else
            fprintf(out, " (%s)", range(low, high, true, between));
        put_pairs(out, exact(x->more_pairs));
    }
}

void sl_show_comparison(FILE *out, const struct sl_result *r)
{
    const struct sl_comparison_row *x = sl_table_at(sl_result_find(r, "comparison"), 0);
    const char *unit, *name[2];
    char n[SL_SHOW_NUMBER], took[SL_SECONDS_TEXT];
    int64_t failed[2], pairs;
    int width;

    unit = x->unit;
    name[0] = x->base;
    name[1] = x->new;
    failed[0] = x->base_failed;
    failed[1] = x->new_failed;
    pairs = x->pairs;
    width = (int)(strlen(name[0]) > strlen(name[1]) ? strlen(name[0]) : strlen(name[1]));
    width = width > 50 ? 50 : width;
    put_verdict(out, x);
    fputc('\n', out);
    for (int side = 0; side < 2; side++) {
        fprintf(out, "%-4s  %-*.*s  %8s%s%s", side ? "new" : "base", width, width, name[side],
                sl_show_number(exact(side ? x->new_score : x->base_score), false, n), *unit && pairs ? " " : "",
                pairs ? unit : "");
        if (failed[side])
            fprintf(out, "  (%lld failed)", (long long)failed[side]);
        fputc('\n', out);
    }
    fprintf(out, "%lld pair%s, each in random order, in %s; ", (long long)pairs, pairs == 1 ? "" : "s",
            sl_seconds_text(exact(x->elapsed_s), took));
    if (isnan(x->lower) && isnan(x->upper))
        fputs("9 are the least that give an interval\n", out);
    else
        fputs("the interval is wrong in at most 5 %\n"
              "of comparisons, though one looks after each pair\n",
              out);
}

/* ---- settings ---- */

enum { SETTING = 36 };

/* A name that does not fit has a line to itself. */
static void put_name(FILE *out, const char *name)
{
    if (strlen(name) > SETTING)
        fprintf(out, "%s\n%-*s", name, SETTING, "");
    else
        fprintf(out, "%-*s", SETTING, name);
}

static void put_settings(FILE *out, struct sl_table *t)
{
    char n[SL_SHOW_NUMBER], l[SL_SHOW_NUMBER], h[SL_SHOW_NUMBER], between[2 * SL_SHOW_NUMBER + 8];
    bool first = true;
    int width = 9; /* of scores: that of their unit */

    for (const struct sl_setting_row *x; (x = sl_table_row(t, NULL)); first = false) {
        const char *unit = x->unit;
        if (first && strlen(unit) > 9)
            width = strlen(unit) < 16 ? (int)strlen(unit) : 16;
        if (first)
            fprintf(out, "%-*s %*.16s  %-18s %4s\n", SETTING, "setting", width, unit, "95 % interval", "runs");
        put_name(out, x->setting);
        snprintf(between, sizeof between, "%s to %s", sl_show_number(exact(x->lower), false, l),
                 sl_show_number(exact(x->upper), false, h));
        fprintf(out, " %*s  %-18s %4lld\n", width, sl_show_number(exact(x->score), false, n), between,
                (long long)x->runs);
    }
}

void sl_show_tuned(FILE *out, const struct sl_result *r)
{
    const struct sl_tuned_row *x = sl_table_at(sl_result_find(r, "tuned"), 0);
    const char *best;
    double change, low, high;
    bool time;
    char n[SL_SHOW_NUMBER], between[PERCENT];

    best = x->best;
    change = exact(x->change);
    low = exact(x->lower);
    high = exact(x->upper);
    time = is_time(x->unit);
    if (x->is_base)
        fputs("nothing better than the base was found\n", out);
    else if (isnan(change))
        fprintf(out, "best so far: %s; how much better it is, is not known yet\n", best);
    else if (high < 0)
        fprintf(out, "best: %s, %s by %s %% (%s), sure\n", best, time ? "faster" : "better",
                sl_show_number(-100 * change, false, n), range(-high, -low, false, between));
    else
        fprintf(out, "best: %s, but that it is %s than the base may be chance: %s %% (%s)\n", best,
                time ? "faster" : "better", sl_show_number(100 * change, true, n), range(low, high, true, between));
    fputc('\n', out);
    put_settings(out, sl_result_find(r, "settings"));
    fprintf(out, "%lld of %lld runs searched", (long long)x->searched, (long long)x->budget);
    if (x->pairs)
        fprintf(out, "; then %lld pairs of the best and the base, which alone\nsay how much better it is",
                (long long)x->pairs);
    if (x->failed)
        fprintf(out, "; %lld failed", (long long)x->failed);
    fputc('\n', out);
}

static void put_expected(FILE *out, const struct sl_setting_row *x)
{
    char n[SL_SHOW_NUMBER], l[SL_SHOW_NUMBER], h[SL_SHOW_NUMBER];
    long long runs = (long long)x->runs;

    fprintf(out, "      expected: %s %s (%s to %s)", sl_show_number(exact(x->score), false, n), x->unit,
            sl_show_number(exact(x->lower), false, l), sl_show_number(exact(x->upper), false, h));
    if (runs)
        fprintf(out, "; %lld run%s it\n", runs, runs == 1 ? " has" : "s have");
    else
        fputs("; no run has it\n", out);
}

void sl_show_suggested(FILE *out, const struct sl_result *r)
{
    struct sl_table *t = sl_result_find(r, "settings");
    char before[SL_SHOW_NUMBER], after[SL_SHOW_NUMBER];
    bool first = true;

    for (const struct sl_setting_row *x; (x = sl_table_row(t, NULL));) {
        const char *what = x->for_what ? x->for_what : "";
        if (!strcmp(what, "effects")) {
            fprintf(out, "%s %s\n      narrows most the effect of %s: from +-%s %% to +-%s %%\n",
                    first ? "next:" : "then:", x->setting, x->narrows,
                    sl_show_number(100 * exact(x->before), false, before),
                    sl_show_number(100 * exact(x->after), false, after));
            first = false;
        } else if (!strcmp(what, "best")) {
            fprintf(out, "or, to find the best: %s\n      the best of all with a chance of %.0f %%\n", x->setting,
                    100 * exact(x->chance));
        }
        put_expected(out, x);
    }
}

/* ---- histories ---- */

static void put_step(FILE *out, const struct sl_history_row *x)
{
    double change = exact(x->change), low = exact(x->lower), high = exact(x->upper);
    bool time = is_time(x->unit), worse = change > 0;
    int64_t commits = x->commits;
    char n[SL_SHOW_NUMBER], between[PERCENT];

    fprintf(out, "%s by %s %% (%s) ", time ? (worse ? "slower" : "faster") : (worse ? "worse" : "better"),
            sl_show_number(100 * fabs(change), false, n),
            worse ? range(low, high, false, between) : range(-high, -low, false, between));
    if (commits == 1)
        fprintf(out, "since %s %.40s\n", x->to, x->subject);
    else
        fprintf(out, "in one of the %lld commits %s..%s\n", (long long)commits, x->from, x->to);
}

void sl_show_history(FILE *out, const struct sl_result *r)
{
    struct sl_table *t = sl_result_find(r, "history");
    char n[SL_SHOW_NUMBER], between[PERCENT];
    size_t changed = 0, unknown = 0;

    for (const struct sl_history_row *x; (x = sl_table_row(t, NULL));) {
        const char *verdict = x->verdict ? x->verdict : "";
        if (!strcmp(verdict, "changed"))
            changed++, put_step(out, x);
        unknown += !strcmp(verdict, "unknown");
    }
    if (!changed)
        fprintf(out, unknown ? "not known: no change is sure yet\n" : "no change\n");
    sl_table_rewind(t);
    for (const struct sl_history_row *x; (x = sl_table_row(t, NULL));) {
        if (t->at == 1)
            fprintf(out, "\n%-10s %9s %9s  %-21s %6s  %s\n", "commit", x->unit, "change", "interval", "rounds",
                    "subject");
        if (!x->from) {
            fprintf(out, "%-10.10s %9s %41s %.28s\n", x->to, sl_show_number(exact(x->score), false, n), "", x->subject);
            continue;
        }
        fprintf(out, "%-10.10s %9s ", x->to, sl_show_number(exact(x->score), false, n));
        snprintf(n, sizeof n, "%+.3g %%", 100 * exact(x->change));
        fprintf(out, "%9s  %-21s %6lld  %.20s\n", isnan(x->change) ? "" : n,
                range(exact(x->lower), exact(x->upper), true, between), (long long)x->rounds, x->subject);
    }
    if (unknown)
        fprintf(out, "%zu step%s not settled: go on with the same command\n", unknown, unknown == 1 ? " is" : "s are");
}
