/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "base/clock.h"
#include "base/intern.h"
#include "base/json.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/rows.h"
#include "unit.h"

#include <math.h>
#include <time.h>

static void buf_grows_and_stays_terminated(void **state)
{
    struct sl_buf b = {0};
    char want[3001];

    (void)state;
    for (int i = 0; i < 3000; i++) {
        want[i] = (char)('a' + i % 26);
        sl_buf_addc(&b, want[i]);
        assert_int_equal(b.n, i + 1);
        assert_int_equal(b.s[b.n], 0);
    }
    want[3000] = 0;
    assert_string_equal(b.s, want);
    sl_buf_addf(&b, "%s%d", want, 42);
    assert_int_equal(b.n, 6002);
    assert_string_equal(b.s + 6000, "42");
    sl_buf_clear(&b);
    assert_string_equal(b.s, "");
    sl_buf_add(&b, "a\0b", 3);
    assert_int_equal(b.n, 3);
    assert_memory_equal(b.s, "a\0b", 4);
    sl_buf_free(&b);
    assert_null(b.s);
    sl_buf_free(&b);
    sl_buf_clear(&b);
    sl_buf_add(&b, NULL, 0);
    assert_string_equal(b.s, "");
    sl_buf_free(&b);
}

static const struct {
    const char *in;
    size_t n;
    const char *utf8, *json;
} escapes[] = {
    {"", 0, "", "\"\""},
    {"plain", 5, "plain", "\"plain\""},
    {"a\"b\\c", 5, "a\"b\\c", "\"a\\\"b\\\\c\""},
    {"\n\t\r\x1f", 4, "\n\t\r\x1f", "\"\\n\\t\\u000d\\u001f\""},
    {"\x7f", 1, "\x7f", "\"\x7f\""},
    {"\0", 1, "\\x00", "\"\\\\x00\""},
    {"\xc3\xa9", 2, "\xc3\xa9", "\"\xc3\xa9\""},
    {"\xe2\x82\xac\xf0\x9f\x98\x80", 7, "\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xe2\x82\xac\xf0\x9f\x98\x80\""},
    {"\xc3", 1, "\\xc3", "\"\\\\xc3\""},                    /* cut */
    {"\xe2\x82x", 3, "\\xe2\\x82x", "\"\\\\xe2\\\\x82x\""}, /* cut in the middle */
    {"\xc0\xaf", 2, "\\xc0\\xaf", "\"\\\\xc0\\\\xaf\""},    /* overlong */
    {"\xe0\x9f\xbf", 3, "\\xe0\\x9f\\xbf", "\"\\\\xe0\\\\x9f\\\\xbf\""},
    {"\xed\xa0\x80", 3, "\\xed\\xa0\\x80", "\"\\\\xed\\\\xa0\\\\x80\""},                 /* a surrogate */
    {"\xf4\x90\x80\x80", 4, "\\xf4\\x90\\x80\\x80", "\"\\\\xf4\\\\x90\\\\x80\\\\x80\""}, /* above U+10FFFF */
    {"\xf4\x8f\xbf\xbf", 4, "\xf4\x8f\xbf\xbf", "\"\xf4\x8f\xbf\xbf\""},
    {"\xff\xfe", 2, "\\xff\\xfe", "\"\\\\xff\\\\xfe\""},
};

static void what_is_not_utf8_is_escaped(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        struct sl_buf b = {0};
        char *exact = malloc(escapes[i].n ? escapes[i].n : 1);
        memcpy(exact, escapes[i].in, escapes[i].n);
        sl_buf_add_utf8(&b, exact, escapes[i].n);
        assert_string_equal(b.s, escapes[i].utf8);
        assert_int_equal(sl_utf8_valid(b.s, b.n), b.n);
        sl_buf_clear(&b);
        sl_buf_add_json(&b, exact, escapes[i].n);
        assert_string_equal(b.s, escapes[i].json);
        sl_buf_free(&b);
        free(exact);
    }
}

/* RFC 3629, table 3-7 of the Unicode standard, written out byte by byte. */
static size_t slow_sequence(const unsigned char *s, size_t n)
{
    static const unsigned char row[][8] = {
        /* from, to of each byte */
        {0x01, 0x7F, 0, 0, 0, 0, 0, 0},
        {0xC2, 0xDF, 0x80, 0xBF, 0, 0, 0, 0},
        {0xE0, 0xE0, 0xA0, 0xBF, 0x80, 0xBF, 0, 0},
        {0xE1, 0xEC, 0x80, 0xBF, 0x80, 0xBF, 0, 0},
        {0xED, 0xED, 0x80, 0x9F, 0x80, 0xBF, 0, 0},
        {0xEE, 0xEF, 0x80, 0xBF, 0x80, 0xBF, 0, 0},
        {0xF0, 0xF0, 0x90, 0xBF, 0x80, 0xBF, 0x80, 0xBF},
        {0xF1, 0xF3, 0x80, 0xBF, 0x80, 0xBF, 0x80, 0xBF},
        {0xF4, 0xF4, 0x80, 0x8F, 0x80, 0xBF, 0x80, 0xBF},
    };

    for (size_t r = 0; r < sizeof row / sizeof *row; r++) {
        size_t len = 0;
        while (len < 4 && row[r][2 * len + 1] && len < n && s[len] >= row[r][2 * len] && s[len] <= row[r][2 * len + 1])
            len++;
        if (len == 4 || (len && !row[r][2 * len + 1]))
            return len;
    }
    return 0;
}

static void utf8_agrees_with_the_table(void **state)
{
    static const unsigned char odd[] = {0,    0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF,
                                        0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF};
    uint64_t r = 1;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        unsigned char s[6];
        size_t n = below(&r, 7), want = 0, len;
        for (size_t k = 0; k < n; k++)
            s[k] = odd[below(&r, sizeof odd)];
        while (want < n && (len = slow_sequence(s + want, n - want)))
            want += len;
        assert_int_equal(sl_utf8_valid((char *)s, n), want);
    }
}

static void vec_zeroes_and_keeps(void **state)
{
    SL_VEC(struct {
        int a;
        char *b;
    })
    v = {0};

    (void)state;
    for (int i = 0; i < 1000; i++) {
        typeof(v.v) e = sl_vec_add(&v);
        assert_int_equal(e->a, 0);
        assert_null(e->b);
        e->a = i;
        e->b = (char *)"x";
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(v.v[i].a, i);
    sl_vec_clear(&v);
    assert_int_equal(sl_vec_add(&v)->a, 0); /* zeroed again when it is used again */
    sl_vec_free(&v);
    assert_null(v.v);
    assert_int_equal(v.n + v.cap, 0);
}

static void arena_copies_stay_where_they_are(void **state)
{
    struct sl_arena a = {0};
    char *s[500], text[2000];
    uint64_t r = 7;

    (void)state;
    memset(text, 'x', sizeof text);
    for (int i = 0; i < 500; i++) {
        size_t n = below(&r, sizeof text - 1);
        s[i] = sl_arena_copy(&a, text, n);
        assert_int_equal(strlen(s[i]), n);
        assert_int_equal((uintptr_t)s[i] % 8, 0);
        if (n)
            s[i][0] = (char)('A' + i % 26);
    }
    memset(sl_arena_alloc(&a, 300000), 1, 300000); /* larger than a block */
    for (int i = 0; i < 500; i++)
        assert_true(!*s[i] || *s[i] == 'A' + i % 26);
    sl_arena_reset(&a);
    assert_int_equal(a.bytes, 0);
    assert_string_equal(sl_arena_copy(&a, "again", 5), "again");
    assert_string_equal(sl_arena_copy(&a, NULL, 0), "");
    sl_arena_free(&a);
    sl_arena_free(&a);
}

static void strings_once(void **state)
{
    struct sl_intern t = {0};
    char name[32];

    (void)state;
    assert_int_equal(sl_intern_find(&t, "a", 1), 0);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 5000; i++) {
            int n = snprintf(name, sizeof name, "name%d", i);
            assert_int_equal(sl_intern(&t, name, (size_t)n), i + 1);
        }
    assert_int_equal(t.of.n, 5000);
    assert_string_equal(sl_intern_text(&t, 4711), "name4710");
    assert_int_equal(sl_intern_len(&t, 4711), 8);
    assert_int_equal(sl_intern_find(&t, "name5000", 8), 0);
    assert_int_equal(sl_intern_find(&t, "name47100", 8), 4711); /* the length counts */
    assert_int_equal(sl_intern(&t, "a\0b", 3), 5001);
    assert_int_equal(sl_intern(&t, "a\0c", 3), 5002);
    assert_int_equal(sl_intern(&t, "", 0), 5003);
    assert_int_equal(sl_intern(&t, NULL, 0), 5003);
    sl_intern_free(&t);
}

static void clock_text(void **state)
{
    static const struct {
        int64_t ns;
        const char *text;
    } of[] = {
        {0, "1970-01-01T00:00:00.000000000Z"},
        {-1, "1969-12-31T23:59:59.999999999Z"},
        {1795162290537000001, "2026-11-20T08:11:30.537000001Z"},
        {951782400000000000, "2000-02-29T00:00:00.000000000Z"},
        {-2203891200000000000, "1900-03-01T00:00:00.000000000Z"}, /* no leap year */
        {INT64_MAX, "2262-04-11T23:47:16.854775807Z"},
        {INT64_MIN, "1677-09-21T00:12:43.145224192Z"},
    };
    uint64_t r = 3;
    char got[SL_TIME_TEXT], want[64];

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        assert_string_equal(sl_time_text(of[i].ns, got), of[i].text);
    for (int i = 0; i < 20000; i++) {
        int64_t ns = (int64_t)rnd(&r), sec = ns / 1000000000, frac = ns % 1000000000;
        struct tm tm;
        if (frac < 0)
            frac += 1000000000, sec--;
        gmtime_r(&(time_t){sec}, &tm);
        strftime(want, sizeof want, "%Y-%m-%dT%H:%M:%S", &tm);
        snprintf(want + 19, sizeof want - 19, ".%09dZ", (int)frac);
        assert_string_equal(sl_time_text(ns, got), want);
    }
    assert_true(sl_clock_now_ns() > 1700000000000000000);
    assert_true(sl_clock_mono_ns() <= sl_clock_mono_ns());
}

/* All of one screen can be compared by eye. */
static void seconds_beside_others(void **state)
{
    static const struct {
        double s, most;
        const char *text;
    } of[] = {
        {31.4, 31.4, "31.4 s"},          {14, 31.4, "14.0 s"},         {0.406, 31.4, "0.406 s"},
        {0.00283, 31.4, "0.003 s"},      {0.0001, 31.4, "100 us"},     {-9.996, 31.4, "-10.0 s"},
        {312.4, 31.4, "312 s"},          {9000, 31.4, "9000 s"},       {0, 31.4, "0 s"},
        {0.0228, 0.692, "22.8 ms"},      {0.6692, 0.692, "669 ms"},    {0.00004, 0.692, "0.040 ms"},
        {57.3, 288, "57.3 s"},           {59.96, 288, "1 min 00 s"},   {117.4, 125, "1 min 57 s"},
        {119.4, 125, "1 min 59 s"},      {119.6, 125, "2 min 00 s"},   {186, 288, "3 min 06 s"},
        {3600, 15370, "1 h 00 min"},     {5395, 15370, "1 h 30 min"},  {7190, 15370, "2 h 00 min"},
        {46 * 60, 15370, "46 min 00 s"}, {15370, 15370, "4 h 16 min"}, {0.0004, 0.0009, "400 us"},
        {99.96, 100, "100 s"},           {1.2, 0.9, "1200 ms"},        {-75, 288, "-1 min 15 s"},
    };
    char got[SL_SECONDS_TEXT];

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        assert_string_equal(sl_seconds_beside(of[i].s, of[i].most, got), of[i].text);
}

static void integers_as_texts(void **state)
{
    int64_t known[] = {0, 1, -1, 9, 10, -10, 99, 100, INT32_MIN, INT64_MAX, INT64_MAX - 1, INT64_MIN, INT64_MIN + 1};
    unsigned short seed[3] = {1, 2, 3};

    (void)state;
    for (size_t i = 0; i < 20000; i++) {
        int64_t random = (int64_t)((uint64_t)jrand48(seed) << 32 ^ (uint32_t)jrand48(seed)) >> i % 64;
        int64_t x = i < sizeof known / sizeof *known ? known[i] : random;
        char text[24], want[32];
        int n = snprintf(want, sizeof want, "%lld", (long long)x);
        assert_int_equal(sl_int_text(x, text), n);
        assert_string_equal(text, want);
    }
}

/* The fewest digits from 15 on that give the number back. */
static void reals_as_texts(void **state)
{
    static const struct {
        double d;
        const char *text;
    } known[] = {{0.1, "0.1"},
                 {1e25, "1e+25"},
                 {1.1e25, "1.1e+25"},
                 {1790000000123456.0, "1790000000123456"},
                 {1.0 / 3, "0.3333333333333333"},
                 {5e-324, "4.94065645841247e-324"},
                 {-2.5, "-2.5"}};
    unsigned short seed[3] = {1, 2, 3};
    char text[32];

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = sl_real_text(known[i].d, text);
        assert_int_equal(n, strlen(text));
        assert_string_equal(text, known[i].text);
    }
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = (uint64_t)jrand48(seed) << 32 ^ (uint32_t)jrand48(seed);
        double d;
        memcpy(&d, &bits, sizeof d);
        if (d - d != 0)
            continue;
        sl_real_text(d, text);
        assert_true(strtod(text, NULL) == d);
        for (int digits = 15; digits < 17; digits++) { /* nothing shorter does */
            char shorter[40];
            snprintf(shorter, sizeof shorter, "%.*g", digits, d);
            if (strtod(shorter, NULL) == d) {
                assert_true(strlen(text) <= strlen(shorter));
                break;
            }
        }
    }
}

static bool json_is(const char *text, bool strict)
{
    struct sl_json c = {.at = text, .end = text + strlen(text), .strict = strict};
    struct sl_json_text t;

    return !sl_json_value(&c, &t, 0) && c.at == c.end;
}

static void json_is_strict_where_asked(void **state)
{
    static const char *const good[] = {
        "{}",           "[]",   "[0]",     "[-0.5e+3]", "{\"a\":[1,{\"b\":null}]}", "\"\\u00e9\\/\\b\"",
        "\"\xff\x7f\"", "true", "[1E400]", "[ 1\t]"};
    static const char *const liberal[] = {"[1,]", "{\"a\":1,}", "[01]", "[1.]", "\"\\x\"", "\"\\u12g4\"", "\"a\tb\""};
    static const char *const bad[] = {"[,1]", "[1 2]", "{\"a\" 1}", "{1:2}",    "[1}",     "[1e]",
                                      "[-]",  "[.5]",  "[+1]",      "\"a\nb\"", "[truth]", "[nan]"};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(json_is(good[i], true));
    for (size_t i = 0; i < sizeof liberal / sizeof *liberal; i++)
        assert_true(json_is(liberal[i], false) && !json_is(liberal[i], true));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(json_is(bad[i], false) || json_is(bad[i], true));
    assert_false(json_is("12", false)); /* more digits may come */
    assert_true(json_is("12", true));
}

static void json_texts(void **state)
{
    static const struct {
        const char *text, *strict, *liberal;
    } v[] = {{"\"a\\n\\u00e9\\ud83d\\ude00\"", "a\n\xc3\xa9\xf0\x9f\x98\x80", "a\n\xc3\xa9\xf0\x9f\x98\x80"},
             {"\"\\ud800x\"", "?x", "\xef\xbf\xbdx"}, /* half a pair */
             {"\"\\udc80x\"", "\xed\xb2\x80x", "\xef\xbf\xbdx"}};
    struct sl_arena a = {0};

    (void)state;
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        for (int strict = 0; strict < 2; strict++) {
            struct sl_json c = {.at = v[i].text, .end = v[i].text + strlen(v[i].text), .strict = strict};
            struct sl_json_text t;
            size_t n;
            assert_int_equal(sl_json_string(&c, &t), SL_JSON_OK);
            assert_string_equal(sl_json_unescape(&t, &a, &n), strict ? v[i].strict : v[i].liberal);
        }
    sl_arena_free(&a);
}

/* Commas come where they are due, and only there; what is no number is null. */
static void json_is_written(void **unused)
{
    struct sl_buf b = {0};

    (void)unused;
    sl_json_open(&b, NULL, '{');
    sl_json_text(&b, "a", "{");
    sl_json_open(&b, "b", '[');
    sl_json_real(&b, NULL, 0.1);
    sl_json_real(&b, NULL, NAN);
    sl_json_open(&b, NULL, '[');
    sl_json_close(&b, ']');
    sl_json_int(&b, NULL, INT64_MIN);
    sl_json_close(&b, ']');
    sl_json_name(&b, "c\"d\x01\xff ");
    sl_json_truth(&b, NULL, true);
    sl_json_digits(&b, "e", -1);
    sl_json_exact(&b, "f", INT64_C(1) << 53);
    sl_json_exact(&b, "g", (INT64_C(1) << 53) + 1);
    sl_json_text(&b, "h", NULL);
    sl_json_close(&b, '}');
    sl_buf_addc(&b, '\n');
    sl_json_open(&b, NULL, '{');
    sl_json_close(&b, '}');
    assert_string_equal(b.s, "{\"a\":\"{\",\"b\":[0.1,null,[],-9223372036854775808],\"c\\\"d\\u0001\\\\xff \":true,"
                             "\"e\":\"-1\",\"f\":9007199254740992,\"g\":\"9007199254740993\",\"h\":null}\n{}");
    sl_buf_free(&b);
}

/* clang-format off */
#define ROW(COLUMN, row) \
    COLUMN(row, TEXT, name, NULL, NULL) \
    COLUMN(row, REAL, size, NULL, NULL) \
    COLUMN(row, ANY, any, NULL, NULL)
/* clang-format on */
SL_ROW(row, ROW);

static double size_of_row(const void *x)
{
    return ((const struct row *)x)->size;
}

/* The names of the rows, one letter each. */
static const char *names_of(const struct sl_rows *r, char *buf)
{
    for (size_t i = 0; i < r->n; i++)
        buf[i] = *((const struct row *)sl_rows_at(r, i))->name;
    buf[r->n] = 0;
    return buf;
}

static void rows_are_sorted_and_copied(void **state)
{
    static const double sizes[] = {2, NAN, 1, 2, -INFINITY, 1};
    struct sl_rows r = {.columns = &row_columns}, copy = {.columns = &row_columns};
    char name[] = "a", buf[16];

    (void)state;
    sl_rows_sort(&r, size_of_row, false); /* none */
    for (size_t i = 0; i < 6; i++) {
        struct row *x = sl_rows_add(&r);
        name[0] = (char)('a' + i);
        x->name = sl_rows_text(&r, name);
        x->size = sizes[i];
        x->any = (struct sl_cell){SL_CELL_TEXT, 1, {.s = x->name}};
    }
    sl_rows_sort(&r, size_of_row, false);
    assert_string_equal(names_of(&r, buf), "ecfadb"); /* equal ones as they were, NaN last */
    sl_rows_copy(&copy, &r);
    sl_rows_sort(&r, size_of_row, true);
    assert_string_equal(names_of(&r, buf), "adcfeb");
    sl_rows_free(&r); /* the copy has texts of its own */
    assert_string_equal(names_of(&copy, buf), "ecfadb");
    assert_string_equal(((const struct row *)sl_rows_at(&copy, 5))->any.s, "b");
    ((struct row *)sl_rows_add(&copy))->name = "z";
    assert_true(isnan(((const struct row *)sl_rows_at(&copy, 6))->size));
    sl_rows_free(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_is_strict_where_asked),
        cmocka_unit_test(json_texts),
        cmocka_unit_test(json_is_written),
        cmocka_unit_test(buf_grows_and_stays_terminated),
        cmocka_unit_test(what_is_not_utf8_is_escaped),
        cmocka_unit_test(utf8_agrees_with_the_table),
        cmocka_unit_test(vec_zeroes_and_keeps),
        cmocka_unit_test(arena_copies_stay_where_they_are),
        cmocka_unit_test(strings_once),
        cmocka_unit_test(clock_text),
        cmocka_unit_test(seconds_beside_others),
        cmocka_unit_test(integers_as_texts),
        cmocka_unit_test(reals_as_texts),
        cmocka_unit_test(rows_are_sorted_and_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
