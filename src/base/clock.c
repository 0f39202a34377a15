/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

int64_t sl_clock_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t sl_clock_mono_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

char *sl_time_text(int64_t ns, char *buf)
{
    int64_t sec = ns / 1000000000, frac = ns % 1000000000, day, rest, era, doe, yoe, doy, mp, y;

    if (frac < 0) {
        frac += 1000000000;
        sec--;
    }
    day = sec / 86400;
    rest = sec % 86400;
    if (rest < 0) {
        rest += 86400;
        day--;
    }
    day += 719468; /* civil_from_days, H. Hinnant, "chrono-compatible low-level date algorithms" */
    era = (day >= 0 ? day : day - 146096) / 146097;
    doe = day - era * 146097;
    yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    mp = (5 * doy + 2) / 153;
    y = yoe + era * 400 + (mp >= 10);
    snprintf(buf, SL_TIME_TEXT, "%04d-%02d-%02dT%02d:%02d:%02d.%09dZ", (int)y, (int)(mp < 10 ? mp + 3 : mp - 9),
             (int)(doy - (153 * mp + 2) / 5 + 1), (int)(rest / 3600), (int)(rest / 60 % 60), (int)(rest % 60),
             (int)frac);
    return buf;
}

/*
 * The limits are where rounding would make more of a unit than there is: 999.6 us is 1 ms, 119.7 s is 2 min, 7199.7 s
 * is 2 h.
 */
char *sl_seconds_text(double s, char *buf)
{
    double a = s < 0 ? -s : s;
    const char *minus = s < 0 ? "-" : "";
    long long seconds = a < 1e12 ? (long long)(a + 0.5) : 0, minutes = a < 1e12 ? (long long)(a / 60 + 0.5) : 0;

    if (a < 0.5e-9)
        snprintf(buf, SL_SECONDS_TEXT, "0 s");
    else if (a < 999.5e-9)
        snprintf(buf, SL_SECONDS_TEXT, "%.0f ns", s * 1e9);
    else if (a < 999.5e-6)
        snprintf(buf, SL_SECONDS_TEXT, "%.0f us", s * 1e6);
    else if (a < 999.5e-3)
        snprintf(buf, SL_SECONDS_TEXT, "%.3g ms", s * 1e3);
    else if (a < 119.5)
        snprintf(buf, SL_SECONDS_TEXT, "%.3g s", s);
    else if (!(a < 1e12))
        snprintf(buf, SL_SECONDS_TEXT, "%.3g s", s);
    else if (seconds < 7200)
        snprintf(buf, SL_SECONDS_TEXT, "%s%lld min %02lld s", minus, seconds / 60, seconds % 60);
    else
        snprintf(buf, SL_SECONDS_TEXT, "%s%lld h %02lld min", minus, minutes / 60, minutes % 60);
    return buf;
}

char *sl_seconds_beside(double s, double most, char *buf)
{
    double a = s < 0 ? -s : s, unit = most >= 0.9995 ? 1 : most >= 0.9995e-3 ? 1e-3 : 0, n = unit > 0 ? a / unit : 0;

    if (a >= 59.95 && a < 119.5 && most >= 119.5)
        snprintf(buf, SL_SECONDS_TEXT, "%s1 min %02d s", s < 0 ? "-" : "", (int)(a + 0.5) - 60);
    else if (a >= 3599.5 && a < 7200 && most >= 7200)
        snprintf(buf, SL_SECONDS_TEXT, "%s%d h %02d min", s < 0 ? "-" : "", (int)(a / 60 + 0.5) / 60,
                 (int)(a / 60 + 0.5) % 60);
    else if (n < 0.5e-3 || (n >= 119.5 && most >= 119.5) || n >= 1e9)
        sl_seconds_text(s, buf);
    else
        snprintf(buf, SL_SECONDS_TEXT, "%.*f %s",
                 n >= 99.95    ? 0
                 : n >= 9.995  ? 1
                 : n >= 0.9995 ? 2
                               : 3,
                 s / unit, unit < 1 ? "ms" : "s");
    return buf;
}
