/* SPDX-License-Identifier: Apache-2.0 */
#include "show/show.h"

#include <math.h>
#include <string.h>

char *sl_show_number(double v, bool sign, char *buf)
{
    double unit, round;
    char count[32];
    int power;

    if (isnan(v))
        return strcpy(buf, "");
    if (!(fabs(v) < 1e15) || (v != 0 && fabs(v) < 1e-6)) {
        snprintf(buf, SL_SHOW_NUMBER, sign ? "%+.2e" : "%.2e", v);
        return buf;
    }
    power = v != 0 ? (int)floor(log10(fabs(v))) : 0;
    power += v != 0 && fabs(v) >= 9.995 * pow(10, power); /* 0.99999 is 1.00 */
    unit = pow(10, power - 2);
    round = power < 2 ? v : nearbyint(v / unit) * unit;
    if (power < 2)
        snprintf(buf, SL_SHOW_NUMBER, sign && v != 0 ? "%+.*f" : "%.*f", v != 0 ? 2 - power : 0, v);
    else
        snprintf(buf, SL_SHOW_NUMBER, "%s%s",
                 v < 0  ? "-"
                 : sign ? "+"
                        : "",
                 sl_show_count((unsigned long long)(fabs(round) + 0.5), count));
    return buf;
}

char *sl_show_interval(double low, double high, char *buf)
{
    char a[SL_SHOW_NUMBER], b[SL_SHOW_NUMBER];

    if (isnan(low) || isnan(high))
        return strcpy(buf, "");
    snprintf(buf, 2 * SL_SHOW_NUMBER, "%s to %s", sl_show_number(low, true, a), sl_show_number(high, true, b));
    return buf;
}
