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

double sl_show_round(double seconds)
{
    static const double round[] = {1,    2,    5,    10,   15,    20,    30,    60,    120,    300,    600,   900,
                                   1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000, 864000};
    double p;

    if (!(seconds > 1e-9))
        return 1e-9;
    for (size_t i = 0; i < sizeof round / sizeof *round && seconds > 0.5; i++)
        if (seconds <= round[i])
            return round[i];
    p = pow(10, floor(log10(seconds)));
    for (int i = 1; i <= 10; i = i == 1 ? 2 : i == 2 ? 5 : 10)
        if (seconds <= p * i * (1 + 1e-9) || i == 10)
            return p * i;
    return seconds;
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
