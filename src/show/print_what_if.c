/* SPDX-License-Identifier: Apache-2.0 */
#include "show/print_what_if.h"
#include "base/clock.h"

#include <math.h>

/* Beside what all of it took. */
static const char *seconds(double s, double makespan, bool sign, char buf[40])
{
    char text[32];

    snprintf(buf, 40, "%s%s", s < 0 ? "-" : sign && s > 0 ? "+" : "", sl_seconds_beside(fabs(s), makespan, text));
    return buf;
}

/* How wide times are: "-12 min 30 s" where there are any such. */
static int time_width(double makespan)
{
    return makespan >= 119.5 ? 12 : 10;
}

/* helps: without what was, that stands in the heading. */
static void show_row(FILE *out, const struct sl_table *t, int width, bool helps)
{
    double makespan = sl_table_real(t, SL_CHANGE_MAKESPAN);
    char was[40], now[40], saved[40];

    int wide = time_width(makespan);

    fprintf(out, "%-*s", width, sl_table_text_or_empty(t, SL_CHANGE));
    if (!helps)
        fprintf(out, "  %*s", wide - 1, seconds(makespan, makespan, false, was));
    fprintf(out, " %*s %*s", wide - 1, seconds(sl_table_real(t, SL_CHANGE_NEW), makespan, false, now), wide,
            seconds(sl_table_real(t, SL_CHANGE_S), makespan, true, saved));
    fprintf(out, sl_table_is_null(t, SL_CHANGE_PERCENT) ? "\n" : " %+6.1f %%\n", sl_table_real(t, SL_CHANGE_PERCENT));
}

/* That a replay is in doubt, if it is. */
static void show_doubt(FILE *out, const struct sl_table *t)
{
    double bias = sl_table_real_or_nan(t, SL_CHANGE_BIAS), makespan = sl_table_real(t, SL_CHANGE_MAKESPAN);
    char was[40], comes[40];

    if (fabs(bias) * 100 >= SL_DOUBT_PERCENT)
        fprintf(out,
                "in doubt: without any change it comes to %s, not %s,\n"
                "as tasks waited while workers were free (at another manager, or to be sent)\n",
                seconds(makespan * (1 + bias), makespan, false, comes), seconds(makespan, makespan, false, was));
}

/* What is taken for granted, a line each. */
static void show_assumed(FILE *out, const struct sl_table *t)
{
    const char *s = sl_table_text(t, SL_CHANGE_ASSUMED, NULL), *end;

    for (; s && *s; s = *end ? end + 2 : end) {
        end = strstr(s, "; ");
        end = end ? end : s + strlen(s);
        fprintf(out, "%.*s\n", (int)(end - s), s);
    }
    show_doubt(out, t);
}

static int width_of(const char *s)
{
    int n = 0;

    for (; *s; s++)
        n += (*s & 0xC0) != 0x80;
    return n;
}

static int show_one(FILE *out, struct sl_table *t, struct sl_err *err)
{
    int rc = sl_table_next(t, err), width, wide;

    if (rc <= 0)
        return rc;
    width = width_of(sl_table_text_or_empty(t, SL_CHANGE));
    width = width > 6 ? width : 6;
    show_assumed(out, t);
    wide = time_width(sl_table_real(t, SL_CHANGE_MAKESPAN));
    fprintf(out, "%-*s  %*s %*s %*s\n", width, "change", wide - 1, "was", wide - 1, "would be", wide, "difference");
    show_row(out, t, width, false);
    return 0;
}

/* Percent that are worth a line: more than what a replay can be off by. */
static double worth(const struct sl_table *t)
{
    double off = 100 * fabs(sl_table_real(t, SL_CHANGE_BIAS));

    return off > 0.5 ? off : 0.5;
}

static bool saves(const struct sl_table *t)
{
    return !sl_table_is_null(t, SL_CHANGE_PERCENT) && sl_table_real(t, SL_CHANGE_PERCENT) <= -worth(t);
}

int sl_show_what_if(FILE *out, struct sl_result *r, bool helps, struct sl_err *err)
{
    struct sl_table *t = sl_result_find(r, "change");
    int rc, width = 6, little = 0, rows = 0;
    double least = 0;
    char was[40];

    if (!helps)
        return show_one(out, t, err);
    while ((rc = sl_table_next(t, err)) > 0) {
        int n = width_of(sl_table_text_or_empty(t, SL_CHANGE));
        width = saves(t) && n > width ? n : width;
    }
    sl_table_rewind(t);
    while (!rc && (rc = sl_table_next(t, err)) > 0) {
        rc = 0;
        if (!rows++ && !little) {
            double makespan = sl_table_real(t, SL_CHANGE_MAKESPAN);
            int wide = time_width(makespan);
            fprintf(out, "it took %s; one thing changed, and all of it replayed:\n",
                    seconds(makespan, makespan, false, was));
            show_doubt(out, t);
            fprintf(out, "\n%-*s %*s %*s\n", width, "change", wide - 1, "would be", wide, "difference");
        }
        if (saves(t))
            show_row(out, t, width, true);
        little += !saves(t);
        least = worth(t);
    }
    if (little)
        fprintf(out, "%d other%s would save less than %.1f %%%s\n", little, little == 1 ? "" : "s", least,
                least > SL_DOUBT_PERCENT ? ", which is how far off the replay may be" : "");
    return rc;
}
