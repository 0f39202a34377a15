/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/request.h"

#include "unit.h"

static const char token[] = "0123456789abcdef0123456789abcdef";

static int parse(struct sl_request *r, const char *text)
{
    return sl_request_parse(r, text, strlen(text));
}

static void whole(void **state)
{
    static const char text[] = "POST /api/sql?run=a%20b&x=1 HTTP/1.1\r\nHost: 127.0.0.1:80\r\ncontent-length: "
                               "8\r\nX-Other:  \r\n\r\nSELECT 1more";
    struct sl_request r;
    char value[20];

    (void)state;
    assert_int_equal(parse(&r, text), 1);
    assert_true(r.post);
    assert_true(sl_piece_is(r.path, "/api/sql"));
    assert_true(sl_piece_is(r.query, "run=a%20b&x=1"));
    assert_true(sl_piece_is(r.host, "127.0.0.1:80"));
    assert_true(sl_piece_is(r.body, "SELECT 1"));
    assert_null(r.token.s);
    assert_true(sl_request_value(&r, "run", value, sizeof value));
    assert_string_equal(value, "a b");
    assert_true(sl_request_value(&r, "x", value, sizeof value));
    assert_string_equal(value, "1");
    assert_false(sl_request_value(&r, "un", value, sizeof value));
    assert_false(sl_request_value(&r, "run", value, 3));
    for (size_t n = 0; n < sizeof text - 5; n++) /* in pieces: not before its last byte */
        assert_int_equal(sl_request_parse(&r, text, n), 0);
}

static void refused(void **state)
{
    static const struct {
        const char *text;
        int status;
    } of[] = {
        {"GET / HTTP/1.1\n\n", 400},
        {"GET  / HTTP/1.1\r\n\r\n", 400},
        {"GET /a b HTTP/1.1\r\n\r\n", 400},
        {"GET http://x/ HTTP/1.1\r\n\r\n", 400},
        {"GET / HTTP/2.0\r\n\r\n", 505},
        {"GET / HTTP/1.1 \r\n\r\n", 400},
        {"PUT / HTTP/1.1\r\n\r\n", 405},
        {"\r\n\r\n", 400},
        {"get / HTTP/1.1\r\n\r\n", 405},
        {"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n folded: a\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nX-Spanloom-Token: a\r\nx-spanloom-token: b\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx", 400},
        {"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400},
        {"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", 400},
        {"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 413},
        {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 501},
        {"\x16\x03\x01\r\n", 400},
    };
    struct sl_request r;

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        assert_int_equal(parse(&r, of[i].text), -of[i].status);
}

static void too_large(void **state)
{
    char b[SL_REQUEST_HEAD + 10];
    struct sl_request r;
    size_t n = 0;

    (void)state;
    memset(b, 'a', sizeof b);
    memcpy(b, "GET /", 5);
    assert_int_equal(sl_request_parse(&r, b, sizeof b), -431);
    assert_int_equal(sl_request_parse(&r, b, SL_REQUEST_HEAD - 1), 0);
    n = (size_t)sprintf(b, "GET / HTTP/1.1\r\n");
    for (int i = 0; i <= SL_REQUEST_FIELDS; i++)
        n += (size_t)sprintf(b + n, "a: b\r\n");
    n += (size_t)sprintf(b + n, "\r\n");
    assert_int_equal(sl_request_parse(&r, b, n), -431);
}

static int asked(const char *path, const char *fields)
{
    char b[400];
    struct sl_request r;

    snprintf(b, sizeof b, "GET %s HTTP/1.1\r\n%s\r\n", path, fields);
    assert_int_equal(parse(&r, b), 1);
    return sl_request_refused(&r, 8080, token);
}

#define HOST "Host: 127.0.0.1:8080\r\n"
#define TOKEN "X-Spanloom-Token: 0123456789abcdef0123456789abcdef\r\n"

static void who_asks(void **state)
{
    (void)state;
    assert_int_equal(asked("/", HOST), 0);
    assert_int_equal(asked("/", "Host: localhost:8080\r\nSec-Fetch-Site: cross-site\r\n"), 0); /* a link to it */
    assert_int_equal(asked("/", ""), 421);
    assert_int_equal(asked("/", "Host: 127.0.0.1:8081\r\n"), 421);
    assert_int_equal(asked("/", "Host: evil.example:8080\r\n"), 421);
    assert_int_equal(asked("/", "Host: 127.0.0.1:8080.evil.example\r\n"), 421);
    assert_int_equal(asked("/api/runs", HOST TOKEN), 0);
    assert_int_equal(asked("/api/runs", HOST TOKEN "Origin: http://127.0.0.1:8080\r\nSec-Fetch-Site: same-origin\r\n"),
                     0);
    assert_int_equal(asked("/api/runs", HOST), 403);
    assert_int_equal(asked("/api/runs", HOST "X-Spanloom-Token: \r\n"), 403);
    assert_int_equal(asked("/api/runs", HOST "X-Spanloom-Token: 0123456789abcdef0123456789abcdee\r\n"), 403);
    assert_int_equal(asked("/api/runs", HOST "X-Spanloom-Token: 0123456789abcdef0123456789abcdef0\r\n"), 403);
    assert_int_equal(asked("/api/runs", HOST TOKEN "Origin: http://localhost:8080\r\n"), 403);
    assert_int_equal(asked("/api/runs", HOST TOKEN "Origin: null\r\n"), 403);
    assert_int_equal(asked("/api/runs", HOST TOKEN "Sec-Fetch-Site: same-site\r\n"), 403);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole),
        cmocka_unit_test(refused),
        cmocka_unit_test(too_large),
        cmocka_unit_test(who_asks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
