/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that `spanloom serve` gets: what is whole stays within its bytes, and is the same however it comes in. */
#include "serve/request.h"

#include "fuzz.h"

static void inside(struct sl_piece a, const char *b, size_t n)
{
    MUST(!a.s ? a.n == 0 : a.s >= b && a.n <= n && a.s <= b + (n - a.n));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char token[] = "0123456789abcdef0123456789abcdef";
    char *b = malloc(size ? size : 1), value[40];
    struct sl_request r, again;
    int rc;

    if (size)
        memcpy(b, data, size);
    rc = sl_request_parse(&r, b, size);
    MUST(rc == 0 || rc == 1 || (rc <= -400 && rc >= -505));
    if (rc == 1) {
        struct sl_piece all[] = {r.path, r.query, r.host, r.origin, r.site, r.token, r.body};
        size_t end = (size_t)(r.body.s - b) + r.body.n;
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            inside(all[i], b, size);
        MUST(r.path.n && *r.path.s == '/' && (r.post || !r.body.n) && r.body.n <= SL_REQUEST_BODY);
        MUST(sl_request_parse(&again, b, end) == 1);
        for (size_t n = 0; n < end; n += 1 + end / 50)
            MUST(sl_request_parse(&again, b, n) == 0); /* none is whole before its end */
        rc = sl_request_refused(&r, 8080, token);
        MUST(rc == 0 || rc == 403 || rc == 421);
        if (!rc && r.path.n > 5 && !memcmp(r.path.s, "/api/", 5))
            MUST(sl_piece_is(r.token, token));
        if (sl_request_value(&r, "run", value, sizeof value))
            MUST(memchr(value, 0, sizeof value));
        MUST(!sl_request_value(&r, "run", value, 0));
    }
    free(b);
    return 0;
}
