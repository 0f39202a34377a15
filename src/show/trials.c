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
    return fabs(v) < 1e3 ? nearbyint(v * 1e12) / 1e12 : v;
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

/* "+4.20 to +8.00 %"; an end that is not known yet is a question mark. */
static char *range(double low, double high, bool sign, char *buf)
{
    char a[SL_SHOW_NUMBER] = "?", b[SL_SHOW_NUMBER] = "?";

    if (!isnan(low))
        sl_show_number(100 * low, sign, a);
    if (!isnan(high))
        sl_show_number(100 * high, sign, b);
    snprintf(buf, PERCENT, "%s to %s %%", a, b);
    return buf;
}

static void put_pairs(FILE *out, double more)
{
    char n[SL_SHOW_NUMBER];

    if (isnan(more) || more > 1e6)
        fputs("; how many more pairs it takes cannot be said\n", out);
    else
        fprintf(out, "; some %s more pair%s would tell\n", sl_show_count((unsigned long long)more, n),
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
        fprintf(out, "not known: %s %% (%s)", sl_show_number(100 * change, true, n), range(low, high, true, between));
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
    fprintf(out,
            "%lld pair%s, each in random order, in %s; the interval is wrong in at most 5 %%\n"
            "of comparisons, though one looks after each pair\n",
            (long long)pairs, pairs == 1 ? "" : "s", sl_seconds_text(real(t, SL_COMPARISON_ELAPSED), took));
}
