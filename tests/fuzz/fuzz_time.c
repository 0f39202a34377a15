/* SPDX-License-Identifier: Apache-2.0 */
/* Times: the first line is a format, the rest a time. */
#include "base/clock.h"
#include "recipe/time.h"

#include "fuzz.h"

/* [-]digits[.digits] in units of `unit` ns, by arithmetic that cannot overflow; false: it is not that. */
static bool slow_unix(const char *s, size_t n, int64_t unit, int64_t *ns)
{
    __int128 whole = 0, frac = 0;
    int64_t scale = unit;
    size_t i = n && *s == '-', digits = 0;

    for (; i < n && s[i] >= '0' && s[i] <= '9'; i++, digits++) {
        whole = whole * 10 + (s[i] - '0');
        if (whole > INT64_MAX)
            return false;
    }
    if (!digits || digits > 19) /* also when they are zeros */
        return false;
    if (i < n && s[i] == '.')
        for (i++; i < n && s[i] >= '0' && s[i] <= '9'; i++) {
            scale /= 10;
            frac += (s[i] - '0') * scale;
        }
    whole = whole * unit + frac;
    if (i < n || whole > INT64_MAX)
        return false;
    *ns = (int64_t)(*s == '-' ? -whole : whole);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nl = size ? memchr(data, '\n', size) : NULL;
    size_t nspec = nl ? (size_t)(nl - data) : size, n = nl ? size - nspec - 1 : 0;
    char *spec = sl_strndup((const char *)data, nspec), *text = malloc(n ? n : 1), out[SL_TIME_TEXT];
    struct sl_time_format f, iso = {.kind = SL_TIME_ISO};
    int64_t ns = 0, again;
    bool naive = false, other;

    if (n)
        memcpy(text, nl + 1, n);
    if (sl_time_format(&f, spec)) {
        bool ok = sl_time_parse(&f, text, n, &ns, &naive);
        if (f.kind <= SL_TIME_UNIX_NS) {
            static const int64_t unit[] = {1000000000, 1000000, 1000, 1};
            bool want = slow_unix(text, n, unit[f.kind], &again);
            MUST(ok == want && (!ok || (again == ns && !naive)));
        }
        if (ok && f.kind == SL_TIME_UNIX_ROUND) { /* as printf rounds it */
            char digits[40] = "", printed[80];
            MUST(n < sizeof digits && !naive);
            memcpy(digits, text, n);
            snprintf(printed, sizeof printed, "%.*f", f.digits, strtod(digits, NULL));
            MUST(slow_unix(printed, strlen(printed), 1000000000, &again) && again == ns);
        }
        if (ok && ns > INT64_C(-9214560000000000000)) { /* from 1678 on */
            sl_time_text(ns, out);
            MUST(sl_time_parse(&iso, out, strlen(out), &again, &other) == (ns < INT64_C(9214646400000000000)));
            if (ns < INT64_C(9214646400000000000))
                MUST(again == ns && !other);
        }
        if (ok && naive && f.kind == SL_TIME_ISO && n < 100 && n > 10) { /* a zone moves it, by just so much */
            char zoned[120];
            snprintf(zoned, sizeof zoned, "%.*s+05:30", (int)n, text);
            if (sl_time_parse(&iso, zoned, n + 6, &again, &other))
                MUST(again == ns - INT64_C(19800000000000) && !other);
        }
    }
    free(spec);
    free(text);
    return 0;
}
