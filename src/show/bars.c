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

double sl_show_most(struct sl_table *t, int column)
{
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
    if (ns % 1000000000 && !digits)
        digits = 9;
    strcpy(buf + SECONDS + (digits ? digits + 1 : 0), "Z");
    return buf;
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
