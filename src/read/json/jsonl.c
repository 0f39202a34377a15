/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON, one object a line.  A line may end in a comma, and lines of a lone [ or ] are passed over, so that a
 * written-out array can be read.
 *
 * A writer that fails within a record leaves a beginning without a line end, and the next record follows in the same
 * line (Parsl's JSONLogging, when a program logs what is no JSON: an exception).  That record is read: it begins as
 * the records before it did, with the same key.
 */
#include "read/json/flatten.h"
#include "read/text/text.h"

struct state {
    struct sl_flatten flat;
    struct sl_buf first; /* {"key": as records of this file begin */
};

static void remember_begin(struct state *s, const char *text, size_t n)
{
    const char *colon = n > 2 && text[0] == '{' && text[1] == '"' ? memchr(text, ':', n) : NULL;

    if (colon && !s->first.n)
        sl_buf_add(&s->first, text, (size_t)(colon + 1 - text));
}

static void one_line(struct state *s, int64_t line, const char *text, size_t n)
{
    const char *why = sl_flatten_record(&s->flat, line, text, n), *at = text;

    if (!why) {
        remember_begin(s, text, n);
        return;
    }
    sl_parse_reject(s->flat.p, line, why, text, n);
    while (s->first.n && (at = memmem(at + 1, (size_t)(text + n - at - 1), s->first.s, s->first.n)))
        if (!sl_flatten_record(&s->flat, line, at, (size_t)(text + n - at)))
            break;
}

static int run(struct sl_parse *p, const char *path, struct sl_err *err)
{
    struct state s = {.flat = {.p = p}};
    struct sl_text t;
    int rc = sl_text_open(&t, p, path, err);

    if (rc)
        return rc;
    t.max = SL_JSON_MAX;
    while (!sl_parse_stopped(p)) {
        char *text;
        size_t n;
        t.start = t.at;
        rc = sl_text_line(&t, &text, &n, err);
        if (rc <= 0)
            break;
        while (n && (*text == ' ' || *text == '\t'))
            text++, n--;
        while (n && (text[n - 1] == ' ' || text[n - 1] == '\t' || text[n - 1] == ','))
            n--;
        if (n == 0 || (n == 1 && (*text == '[' || *text == ']')))
            continue;
        one_line(&s, t.line, text, n);
    }
    sl_flatten_free(&s.flat);
    sl_buf_free(&s.first);
    return sl_text_close(&t, rc, err);
}

const struct sl_reader sl_reader_jsonl = {
    .name = "jsonl",
    .keys = " text json empty defaults ",
    .run = run,
    .grows = true,
    .appends = true,
};
