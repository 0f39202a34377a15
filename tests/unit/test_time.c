/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "recipe/time.h"
#include "unit.h"

#include <time.h>

enum { NAIVE = 1, BAD = 2 };

static const struct {
    const char *spec, *text;
    int64_t ns;
    int flags;
} cases[] = {
    /* seconds and parts of them, exactly */
    {"unix", "0", 0, 0},
    {"unix", "1795162290", 1795162290000000000, 0},
    {"unix", "1795162290.537", 1795162290537000000, 0},
    {"unix", "1795162290.123456789", 1795162290123456789, 0},
    {"unix", "1795162290.1234567899999", 1795162290123456789, 0}, /* cut, not rounded */
    {"unix", "1795162290.", 1795162290000000000, 0},
    {"unix", "-1.5", -1500000000, 0},
    {"unix", "-0.000000001", -1, 0},
    {"unix", "9223372036.854775807", INT64_MAX, 0},
    {"unix", "9223372036.854775808", 0, BAD},
    {"unix", "9223372037", 0, BAD},
    {"unix", "99999999999999999999", 0, BAD},
    {"unix", "", 0, BAD},
    {"unix", "-", 0, BAD},
    {"unix", ".5", 0, BAD},
    {"unix", "+5", 0, BAD},
    {"unix", "1e9", 0, BAD},
    {"unix", "12 ", 0, BAD},
    /* what a program prints of its double, to so many digits */
    {"unix.6", "1795162290.5371239", 1795162290537124000, 0},
    {"unix.6", "1795162290.537", 1795162290537000000, 0},
    {"unix.6", "1795162290", 1795162290000000000, 0},
    {"unix.6", "1795162290.9999998", 1795162291000000000, 0},
    {"unix.6", "1795162290.9999995", 1795162291000000000, 0}, /* ...99952316: up */
    {"unix.6", "1795162290.0000025", 1795162290000002000, 0}, /* ...00000238: down */
    {"unix.6", "1795162290.0000005", 1795162290000000000, 0}, /* ...00000048: down */
    {"unix.6", "-1.0000005", -1000001000, 0},                 /* ...00500000003: away from zero */
    {"unix.0", "2.5", 2000000000, 0},                         /* half to even */
    {"unix.0", "3.5", 4000000000, 0},
    {"unix.3", "1795162290.0625", 1795162290062000000, 0},
    {"unix.9", "0.000000001", 1, 0},
    {"unix.0", "9223372036", 9223372036000000000, 0},
    {"unix.0", "9223372036.9", 0, BAD},
    {"unix.6", "", 0, BAD},
    {"unix.6", "1e9", 0, BAD},
    {"unix.6", "nan", 0, BAD},
    {"unix.6", "0x10", 0, BAD},
    {"unix.6", "1795162290.53712390000000000000000000000001", 0, BAD},
    {"unix_ms", "1795162290537", 1795162290537000000, 0},
    {"unix_ms", "1795162290537.25", 1795162290537250000, 0},
    {"unix_ms", "1.0000019", 1000001, 0},
    {"unix_ms", "9223372036855", 0, BAD},
    {"unix_us", "1795162290537001", 1795162290537001000, 0},
    {"unix_us", "1795162290537001.5", 1795162290537001500, 0},
    {"unix_us", "-3.25", -3250, 0},
    {"unix_ns", "1795162290537000001", 1795162290537000001, 0}, /* 19 digits, which no double holds */
    {"unix_ns", "9223372036854775807", INT64_MAX, 0},
    {"unix_ns", "9223372036854775808", 0, BAD},
    {"unix_ns", "12345678901234567890", 0, BAD},
    {"unix_ns", "5.9", 5, 0},
    /* ISO 8601 and its relatives */
    {"iso", "2026-11-20 08:11:30.537", 1795162290537000000, NAIVE},
    {"iso", "2026-11-20 08:11:30,537", 1795162290537000000, NAIVE},
    {"iso", "2026-11-20T08:11:30", 1795162290000000000, NAIVE},
    {"iso", "2026-11-20T08:11", 1795162260000000000, NAIVE},
    {"iso", "2026-11-20", 1795132800000000000, NAIVE},
    {"iso", "2026-11-20T08:11:30Z", 1795162290000000000, 0},
    {"iso", "2026-11-20T08:11:30z", 1795162290000000000, 0},
    {"iso", "2026-11-20 08:11:30.5 +01:00", 1795158690500000000, 0},
    {"iso", "2026-11-20T13:41:30+05:30", 1795162290000000000, 0},
    {"iso", "2026-11-20T13:41:30+0530", 1795162290000000000, 0},
    {"iso", "2026-11-20T13:11:30+05", 1795162290000000000, 0},
    {"iso", "2026-11-20T04:41:30-03:30", 1795162290000000000, 0},
    {"iso", "2026-11-20T08:11:30.1234567891Z", 1795162290123456789, 0},
    {"iso", "1969-12-31T23:59:59.999999999Z", -1, 0},
    {"iso", "2016-12-31T23:59:60Z", 1483228800000000000, 0}, /* a leap second is the next second */
    {"iso", "2024-02-29T00:00:00Z", 1709164800000000000, 0},
    {"iso", "2000-02-29T00:00:00Z", 951782400000000000, 0},
    {"iso", "1678-01-01T00:00:00Z", -9214560000000000000, 0},
    {"iso", "2261-12-31T23:59:59.999999999Z", 9214646399999999999, 0},
    {"iso", "1677-12-31T00:00:00Z", 0, BAD},
    {"iso", "2262-01-01T00:00:00Z", 0, BAD},
    {"iso", "2025-02-29T00:00:00Z", 0, BAD},
    {"iso", "1900-02-29T00:00:00Z", 0, BAD},
    {"iso", "2026-02-30 00:00:00", 0, BAD},
    {"iso", "2026-04-31 00:00:00", 0, BAD},
    {"iso", "2026-13-01 00:00:00", 0, BAD},
    {"iso", "2026-00-01 00:00:00", 0, BAD},
    {"iso", "2026-01-00 00:00:00", 0, BAD},
    {"iso", "2026-11-20 24:00:00", 0, BAD},
    {"iso", "2026-11-20 08:60:00", 0, BAD},
    {"iso", "2026-11-20 08:11:61", 0, BAD},
    {"iso", "2026-11-20 08:11:30+24:00", 0, BAD},
    {"iso", "2026-11-20 08:11:30 +01:00x", 0, BAD},
    {"iso", "2026-11-20_08:11:30", 0, BAD},
    {"iso", "26-11-20 08:11:30", 0, BAD},
    {"iso", "2026-11-20 8:11:30", 0, BAD},
    {"iso", "2026-11-2", 0, BAD},
    {"iso", "", 0, BAD},
    {"iso", "None", 0, BAD},
    /* patterns */
    {"%Y/%m/%d %H:%M:%S", "2026/11/20 08:11:30", 1795162290000000000, NAIVE},
    {"%Y/%m/%d %H:%M:%S.%f", "2026/11/20 08:11:30.000537", 1795162290000537000, NAIVE},
    {"%d/%b/%Y:%H:%M:%S %z", "20/Nov/2026:09:11:30 +0100", 1795162290000000000, 0},
    {"%b %d %H:%M:%S %Y", "Nov  20 08:11:30 2026", 1795162290000000000, NAIVE}, /* any run of blanks */
    {"%y%m%d", "261120", 1795132800000000000, NAIVE},
    {"%y%m%d", "680101", 3092601600000000000, NAIVE}, /* POSIX: 69 to 99 are the last century */
    {"%y%m%d", "690101", -31536000000000000, NAIVE},
    {"%Y%%%m%d", "2026%1101", 1793491200000000000, NAIVE},
    {"%Y-%m-%d %H:%M", "1970-01-01 8:5", 29100000000000, NAIVE},
    {"%H:%M", "8:5", 0, BAD}, /* of which day? */
    {"%%d%%m%%Y%H:%M", "%d%m%Y8:05", 0, BAD},
    {"%b %d %H:%M:%S", "Nov 20 08:11:30", 0, BAD},
    {"%Y-%m", "2026-11", 0, BAD},
    {"%Y-%m-%d", "2026-11-20 ", 0, BAD},
    {"%Y-%m-%d", "2026-11", 0, BAD},
    {"%b", "Foo", 0, BAD},
    {"%b", "No", 0, BAD},
    {"%S.%f", "1.", 0, BAD},
    {"%q", "1", 0, BAD},
    {"%Y%", "2026", 0, BAD},
    {"%", "", 0, BAD},
};

static void every_format(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = strlen(cases[i].text), nspec = strlen(cases[i].spec);
        char *text = malloc(n + 1), *spec = malloc(nspec + 1); /* exactly as large: a read behind the end is seen */
        struct sl_time_format f;
        int64_t ns = 42;
        bool naive = false, ok;
        memcpy(text, cases[i].text, n);
        memcpy(spec, cases[i].spec, nspec + 1);
        assert_true(sl_time_format(&f, spec));
        ok = sl_time_parse(&f, text, n, &ns, &naive);
        if (ok != !(cases[i].flags & BAD) || (ok && (ns != cases[i].ns || naive != (cases[i].flags & NAIVE))))
            fail_msg("%s as %s: %s %lld%s", cases[i].text, cases[i].spec, ok ? "is" : "is no time", (long long)ns,
                     naive ? " naive" : "");
        free(text);
        free(spec);
    }
}

/* A text log and a JSON log of the same records: printf("%f") and the shortest digits that give the same double. */
static void rounds_as_printf_does(void **state)
{
    struct sl_time_format exact, rounded[10];
    uint64_t seed = 1795162290;

    (void)state;
    assert_true(sl_time_format(&exact, "unix"));
    for (int digits = 0; digits <= 9; digits++) {
        char spec[] = "unix.0";
        spec[5] = (char)('0' + digits);
        assert_true(sl_time_format(&rounded[digits], spec));
    }
    for (int i = 0; i < (SANITIZED ? 10000 : 100000); i++) {
        char text[64], json[64];
        double d;
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        d = i % 4 ? 1795162290 + (double)(seed >> 36) / 256 : (double)(seed >> 33) / 1048576.0;
        for (int p = 10; p <= 17; p++) { /* as repr() in Python, of so many digits before the point */
            snprintf(json, sizeof json, "%.*g", p, d);
            if (strtod(json, NULL) == d)
                break;
        }
        if (strchr(json, 'e'))
            continue;
        for (int digits = 0; digits <= 9; digits++) {
            int64_t a, b;
            bool naive;
            snprintf(text, sizeof text, "%.*f", digits, d);
            assert_true(sl_time_parse(&exact, text, strlen(text), &a, &naive));
            assert_true(sl_time_parse(&rounded[digits], json, strlen(json), &b, &naive));
            if (a != b)
                fail_msg("%s as unix.%d is %lld, printf has %s", json, digits, (long long)b, text);
        }
    }
}

static void names_of_formats(void **state)
{
    struct sl_time_format f;

    (void)state;
    assert_true(sl_time_format(&f, "unix"));
    assert_int_equal(f.kind, SL_TIME_UNIX);
    assert_true(sl_time_format(&f, "%Y %m %d"));
    assert_int_equal(f.kind, SL_TIME_PATTERN);
    assert_null(f.lacks);
    assert_true(sl_time_format(&f, "%H:%M:%S"));
    assert_string_equal(f.lacks, SL_TIME_OF_DAY);
    assert_true(sl_time_format(&f, "%b %d %H:%M:%S"));
    assert_string_equal(f.lacks, "a date without a year");
    assert_true(sl_time_format(&f, "unix.6"));
    assert_int_equal(f.kind, SL_TIME_UNIX_ROUND);
    assert_int_equal(f.digits, 6);
    assert_false(sl_time_format(&f, "unix."));
    assert_false(sl_time_format(&f, "unix.10"));
    assert_false(sl_time_format(&f, "unix_s"));
    assert_false(sl_time_format(&f, "ISO"));
    assert_false(sl_time_format(&f, ""));
}

/* Against the C library: what strftime writes, read back. */
static void agrees_with_the_library(void **state)
{
    struct sl_time_format iso, pattern, zoned;
    uint64_t r = 11;

    (void)state;
    sl_time_format(&iso, "iso");
    sl_time_format(&pattern, "%d %b %Y, %H h %M min %S s");
    sl_time_format(&zoned, "%Y%m%dT%H%M%S.%f%z");
    for (int i = 0; i < 4000; i++) {
        int64_t sec = (int64_t)below(&r, 18428000000) - 9214000000, ns,
                offset = (int64_t)below(&r, 2 * 96 + 1) * 900 - 86400;
        uint32_t frac = (uint32_t)below(&r, 1000000000);
        time_t t = (time_t)sec;
        struct tm tm, back = {0};
        char text[80];
        bool naive;
        size_t n;
        gmtime_r(&t, &tm);
        n = strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm);
        assert_non_null(strptime(text, "%Y-%m-%d %H:%M:%S", &back));
        assert_int_equal(timegm(&back), sec);
        assert_true(sl_time_parse(&iso, text, n, &ns, &naive));
        assert_true(naive && ns == sec * 1000000000);
        n += (size_t)sprintf(text + n, ",%09u", frac);
        assert_true(sl_time_parse(&iso, text, n, &ns, &naive));
        assert_true(ns == sec * 1000000000 + frac);
        n = strftime(text, sizeof text, "%d %b %Y, %H h %M min %S s", &tm);
        assert_true(sl_time_parse(&pattern, text, n, &ns, &naive));
        assert_true(naive && ns == sec * 1000000000);
        if (offset <= -86400 || offset >= 86400)
            continue;
        t += offset;
        gmtime_r(&t, &tm);
        n = strftime(text, sizeof text, "%Y%m%dT%H%M%S", &tm);
        n += (size_t)sprintf(text + n, ".%09u%c%02d%02d", frac, offset < 0 ? '-' : '+', (int)llabs(offset) / 3600,
                             (int)llabs(offset) / 60 % 60);
        assert_true(sl_time_parse(&zoned, text, n, &ns, &naive));
        assert_true(!naive && ns == sec * 1000000000 + frac);
    }
}

/* What we print, read back. */
static void round_trip(void **state)
{
    struct sl_time_format iso, unix_ns;
    uint64_t r = 13;
    char text[SL_TIME_TEXT];

    (void)state;
    sl_time_format(&iso, "iso");
    sl_time_format(&unix_ns, "unix_ns");
    for (int i = 0; i < 20000; i++) {
        int64_t ns = (int64_t)(rnd(&r) >> 1) - (int64_t)(rnd(&r) >> 1), got;
        bool naive;
        if (ns < -9214560000000000000 || ns >= 9214646400000000000)
            continue;
        sl_time_text(ns, text);
        assert_true(sl_time_parse(&iso, text, strlen(text), &got, &naive));
        assert_true(!naive && got == ns);
        snprintf(text, sizeof text, "%lld", (long long)ns);
        assert_true(sl_time_parse(&unix_ns, text, strlen(text), &got, &naive));
        assert_true(!naive && got == ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format),
        cmocka_unit_test(names_of_formats),
        cmocka_unit_test(rounds_as_printf_does),
        cmocka_unit_test(agrees_with_the_library),
        cmocka_unit_test(round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
