/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "show/show.h"

#include <math.h>
#include <string.h>

char *sl_show_bar(double share, int width, char *buf)
{
    static const char *const part[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int eighths, full;

    if (!(share > 0))
        share = 0;
    eighths = (int)lround((share < 1 ? share : 1) * width * 8);
    if (share > 0 && !eighths)
        eighths = 1; /* little is not nothing */
    full = eighths / 8;
    *buf = 0;
    for (int i = 0; i < full; i++)
        strcat(buf, "█");
    return strcat(buf, part[eighths % 8]);
}

const char *sl_show_level(double share)
{
    static const char *const level[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    int i = (int)ceil((share < 1 ? share : 1) * 8) - 1;

    return share > 0 ? level[i > 0 ? i : 0] : " ";
}

double sl_show_most(struct sl_table *t, const char *name)
{
    int column = sl_table_column(t, name);
    double most = 0;

    while (sl_table_next(t, NULL) > 0)
        most = sl_table_real(t, column) > most ? sl_table_real(t, column) : most;
    sl_table_rewind(t);
    return most;
}

char *sl_show_time(int64_t ns, double step_s, char *buf)
{
    enum { SECONDS = 19 }; /* characters up to the fraction */
    int digits = 0;

    for (double s = step_s; digits < 9 && fabs(s - round(s)) > 1e-6 * s; s *= 10)
        digits++;
    sl_time_text(ns, buf);
    if (buf[SECONDS] != '.') /* years of five digits */
        return buf;
    if (ns % 1000000000 && !digits && step_s > 0)
        digits = 9;
    strcpy(buf + SECONDS + (digits ? digits + 1 : 0), "Z");
    return buf;
}

char *sl_show_moment(int64_t ns, double step_s, bool date, char *buf)
{
    char *t, *z;

    sl_show_time(ns, step_s, buf);
    if (!date && (t = strchr(buf, 'T')) && (z = strchr(t, 'Z'))) {
        *z = 0;
        memmove(buf, t + 1, strlen(t));
    }
    return buf;
}

/* "2026-11-20", and what stands behind the T without its Z. */
static void take_apart(int64_t ns, double step_s, char *date, char *clock)
{
    char *t;

    sl_show_moment(ns, step_s, false, clock);
    sl_show_time(ns, step_s, date);
    if ((t = strchr(date, 'T')))
        *t = 0;
}

char *sl_show_period(int64_t from_ns, int64_t to_ns, double step_s, char *buf)
{
    char day[2][SL_TIME_TEXT], clock[2][SL_TIME_TEXT];
    bool same;

    take_apart(from_ns, step_s, day[0], clock[0]);
    take_apart(to_ns, step_s, day[1], clock[1]);
    same = !strcmp(day[0], day[1]);
    if (same && !strcmp(clock[0], clock[1])) {
        snprintf(buf, SL_SHOW_PERIOD, "%.31s %.31s UTC", day[0], clock[0]);
        return buf;
    }
    snprintf(buf, SL_SHOW_PERIOD, "%.31s %.31s to %.31s%s%.31s UTC", day[0], clock[0], same ? "" : day[1],
             same ? "" : " ", clock[1]);
    return buf;
}

bool sl_show_one_day(struct sl_table *t, const char *name, char *date)
{
    int column = sl_table_column(t, name);
    char other[SL_TIME_TEXT], clock[SL_TIME_TEXT];
    bool same = true;

    *date = 0;
    while (sl_table_next(t, NULL) > 0) {
        take_apart(sl_table_int(t, column), 1, other, clock);
        same &= !*date || !strcmp(date, other);
        strcpy(date, other);
    }
    sl_table_rewind(t);
    if (!same)
        *date = 0;
    return *date;
}

char *sl_show_digits(double v, char *buf)
{
    double a = fabs(v);

    if (isnan(v))
        return strcpy(buf, "-");
    if (a >= 1e7)
        snprintf(buf, 32, "%.3g", v);
    else
        snprintf(buf, 32, "%.*f",
                 a >= 99.95 || a == 0 ? 0
                 : a >= 9.995         ? 1
                 : a >= 0.9995        ? 2
                 : a >= 0.09995       ? 3
                                      : 4,
                 v);
    return buf;
}
