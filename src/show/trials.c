/* SPDX-License-Identifier: Apache-2.0 */
#include "show/trials.h"
#include "base/clock.h"
#include "show/show.h"

#include <math.h>
#include <string.h>

enum { PERCENT = 3 * SL_SHOW_NUMBER };

/* What is 1e-12 is rounding. */
static double real(const struct sl_table *t, int column)
{
    double v = sl_table_real_or_nan(t, column);
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

static void put_verdict(FILE *out, const struct sl_table *t)
{
    const char *verdict = sl_table_text_or_empty(t, SL_COMPARISON_VERDICT);
    double change = real(t, SL_COMPARISON_CHANGE), low = real(t, SL_COMPARISON_LOWER),
           high = real(t, SL_COMPARISON_UPPER), gate = real(t, SL_COMPARISON_FAIL_ON);
    bool time = is_time(sl_table_text_or_empty(t, SL_COMPARISON_UNIT));
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
        put_pairs(out, real(t, SL_COMPARISON_MORE));
    }
}

void sl_show_comparison(FILE *out, const struct sl_result *r)
{
    struct sl_table *t = sl_result_find(r, "comparison");
    const char *unit, *name[2];
    char n[SL_SHOW_NUMBER], took[SL_SECONDS_TEXT];
    int64_t failed[2], pairs;
    int width;

    sl_table_rewind(t);
    sl_table_next(t, NULL);
    unit = sl_table_text_or_empty(t, SL_COMPARISON_UNIT);
    name[0] = sl_table_text_or_empty(t, SL_COMPARISON_BASE);
    name[1] = sl_table_text_or_empty(t, SL_COMPARISON_NEW);
    failed[0] = sl_table_int(t, SL_COMPARISON_BASE_FAILED);
    failed[1] = sl_table_int(t, SL_COMPARISON_NEW_FAILED);
    pairs = sl_table_int(t, SL_COMPARISON_N);
    width = (int)(strlen(name[0]) > strlen(name[1]) ? strlen(name[0]) : strlen(name[1]));
    width = width > 50 ? 50 : width;
    put_verdict(out, t);
    fputc('\n', out);
    for (int side = 0; side < 2; side++) {
        fprintf(out, "%-4s  %-*.*s  %8s%s%s", side ? "new" : "base", width, width, name[side],
                sl_show_number(real(t, side ? SL_COMPARISON_NEW_SCORE : SL_COMPARISON_BASE_SCORE), false, n),
                *unit && pairs ? " " : "", pairs ? unit : "");
        if (failed[side])
            fprintf(out, "  (%lld failed)", (long long)failed[side]);
        fputc('\n', out);
    }
    fprintf(out, "%lld pair%s, each in random order, in %s; ", (long long)pairs, pairs == 1 ? "" : "s",
            sl_seconds_text(real(t, SL_COMPARISON_ELAPSED), took));
    if (sl_table_is_null(t, SL_COMPARISON_LOWER) && sl_table_is_null(t, SL_COMPARISON_UPPER))
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

    for (sl_table_rewind(t); sl_table_next(t, NULL) > 0; first = false) {
        const char *unit = sl_table_text_or_empty(t, SL_SETTINGS_UNIT);
        if (first && strlen(unit) > 9)
            width = strlen(unit) < 16 ? (int)strlen(unit) : 16;
        if (first)
            fprintf(out, "%-*s %*.16s  %-18s %4s\n", SETTING, "setting", width, unit, "95 % interval", "runs");
        put_name(out, sl_table_text_or_empty(t, SL_SETTINGS_SETTING));
        snprintf(between, sizeof between, "%s to %s", sl_show_number(real(t, SL_SETTINGS_LOWER), false, l),
                 sl_show_number(real(t, SL_SETTINGS_UPPER), false, h));
        fprintf(out, " %*s  %-18s %4lld\n", width, sl_show_number(real(t, SL_SETTINGS_SCORE), false, n), between,
                (long long)sl_table_int(t, SL_SETTINGS_RUNS));
    }
}

void sl_show_tuned(FILE *out, const struct sl_result *r)
{
    struct sl_table *t = sl_result_find(r, "tuned");
    const char *best;
    double change, low, high;
    bool time;
    char n[SL_SHOW_NUMBER], between[PERCENT];

    sl_table_rewind(t);
    sl_table_next(t, NULL);
    best = sl_table_text_or_empty(t, SL_TUNED_BEST);
    change = real(t, SL_TUNED_CHANGE);
    low = real(t, SL_TUNED_LOWER);
    high = real(t, SL_TUNED_UPPER);
    time = is_time(sl_table_text_or_empty(t, SL_TUNED_UNIT));
    if (sl_table_int(t, SL_TUNED_IS_BASE))
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
    fprintf(out, "%lld of %lld runs searched", (long long)sl_table_int(t, SL_TUNED_SEARCHED),
            (long long)sl_table_int(t, SL_TUNED_BUDGET));
    if (sl_table_int(t, SL_TUNED_PAIRS))
        fprintf(out, "; then %lld pairs of the best and the base, which alone\nsay how much better it is",
                (long long)sl_table_int(t, SL_TUNED_PAIRS));
    if (sl_table_int(t, SL_TUNED_FAILED))
        fprintf(out, "; %lld failed", (long long)sl_table_int(t, SL_TUNED_FAILED));
    fputc('\n', out);
}

static void put_expected(FILE *out, const struct sl_table *t)
{
    char n[SL_SHOW_NUMBER], l[SL_SHOW_NUMBER], h[SL_SHOW_NUMBER];
    long long runs = (long long)sl_table_int(t, SL_SETTINGS_RUNS);

    fprintf(out, "      expected: %s %s (%s to %s)", sl_show_number(real(t, SL_SETTINGS_SCORE), false, n),
            sl_table_text_or_empty(t, SL_SETTINGS_UNIT), sl_show_number(real(t, SL_SETTINGS_LOWER), false, l),
            sl_show_number(real(t, SL_SETTINGS_UPPER), false, h));
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

    for (sl_table_rewind(t); sl_table_next(t, NULL) > 0;) {
        const char *what = sl_table_text_or_empty(t, SL_SETTINGS_FOR);
        if (!strcmp(what, "effects")) {
            fprintf(out, "%s %s\n      narrows most the effect of %s: from +-%s %% to +-%s %%\n",
                    first ? "next:" : "then:", sl_table_text_or_empty(t, SL_SETTINGS_SETTING),
                    sl_table_text_or_empty(t, SL_SETTINGS_NARROWS),
                    sl_show_number(100 * real(t, SL_SETTINGS_BEFORE), false, before),
                    sl_show_number(100 * real(t, SL_SETTINGS_AFTER), false, after));
            first = false;
        } else if (!strcmp(what, "best")) {
            fprintf(out, "or, to find the best: %s\n      the best of all with a chance of %.0f %%\n",
                    sl_table_text_or_empty(t, SL_SETTINGS_SETTING), 100 * real(t, SL_SETTINGS_CHANCE));
        }
        put_expected(out, t);
    }
}

/* ---- histories ---- */

static void put_step(FILE *out, const struct sl_table *t)
{
    double change = real(t, SL_HISTORY_CHANGE), low = real(t, SL_HISTORY_LOWER), high = real(t, SL_HISTORY_UPPER);
    bool time = is_time(sl_table_text_or_empty(t, SL_HISTORY_UNIT)), worse = change > 0;
    int64_t commits = sl_table_int(t, SL_HISTORY_COMMITS);
    char n[SL_SHOW_NUMBER], between[PERCENT];

    fprintf(out, "%s by %s %% (%s) ", time ? (worse ? "slower" : "faster") : (worse ? "worse" : "better"),
            sl_show_number(100 * fabs(change), false, n),
            worse ? range(low, high, false, between) : range(-high, -low, false, between));
    if (commits == 1)
        fprintf(out, "since %s %.40s\n", sl_table_text_or_empty(t, SL_HISTORY_TO),
                sl_table_text_or_empty(t, SL_HISTORY_SUBJECT));
    else
        fprintf(out, "in one of the %lld commits %s..%s\n", (long long)commits,
                sl_table_text_or_empty(t, SL_HISTORY_FROM), sl_table_text_or_empty(t, SL_HISTORY_TO));
}

void sl_show_history(FILE *out, const struct sl_result *r)
{
    struct sl_table *t = sl_result_find(r, "history");
    char n[SL_SHOW_NUMBER], between[PERCENT];
    size_t changed = 0, unknown = 0;

    for (sl_table_rewind(t); sl_table_next(t, NULL) > 0;) {
        const char *verdict = sl_table_text_or_empty(t, SL_HISTORY_VERDICT);
        if (!strcmp(verdict, "changed"))
            changed++, put_step(out, t);
        unknown += !strcmp(verdict, "unknown");
    }
    if (!changed)
        fprintf(out, unknown ? "not known: no change is sure yet\n" : "no change\n");
    sl_table_rewind(t);
    for (bool first = true; sl_table_next(t, NULL) > 0; first = false) {
        if (first)
            fprintf(out, "\n%-10s %9s %9s  %-21s %6s  %s\n", "commit", sl_table_text_or_empty(t, SL_HISTORY_UNIT),
                    "change", "interval", "rounds", "subject");
        if (sl_table_is_null(t, SL_HISTORY_FROM)) {
            fprintf(out, "%-10.10s %9s %41s %.28s\n", sl_table_text_or_empty(t, SL_HISTORY_TO),
                    sl_show_number(real(t, SL_HISTORY_SCORE), false, n), "",
                    sl_table_text_or_empty(t, SL_HISTORY_SUBJECT));
            continue;
        }
        fprintf(out, "%-10.10s %9s ", sl_table_text_or_empty(t, SL_HISTORY_TO),
                sl_show_number(real(t, SL_HISTORY_SCORE), false, n));
        snprintf(n, sizeof n, "%+.3g %%", 100 * real(t, SL_HISTORY_CHANGE));
        fprintf(out, "%9s  %-21s %6lld  %.20s\n", sl_table_is_null(t, SL_HISTORY_CHANGE) ? "" : n,
                range(real(t, SL_HISTORY_LOWER), real(t, SL_HISTORY_UPPER), true, between),
                (long long)sl_table_int(t, SL_HISTORY_ROUNDS), sl_table_text_or_empty(t, SL_HISTORY_SUBJECT));
    }
    if (unknown)
        fprintf(out, "%zu step%s not settled: go on with the same command\n", unknown, unknown == 1 ? " is" : "s are");
}
