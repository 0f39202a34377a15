/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text logs.  `head` patterns say what begins a record; lines that match none continue the record before (dumps,
 * tracebacks).  Without head every line is a record.
 */
#include "base/mem.h"
#include "read/text/text.h"

#include <stdlib.h>

struct pending {
    bool dos;           /* lines end in CRLF */
    bool open, swallow; /* swallow: the record was handed on already, its other lines are passed over */
    int64_t line;
    size_t length, message; /* from t->start */
    const struct sl_pattern *head;
};

/* The wording that worked last is tried first: a file hardly ever mixes them. */
static const struct sl_pattern *find_head(struct sl_parse *p, int *order, const char *s, size_t n, size_t *message)
{
    for (int i = 0; i < p->input->nhead; i++) {
        const size_t *at = sl_pattern_match(&p->input->bare[order[i]], p->match, s, n, 0);
        if (at) {
            int found = order[i];
            *message = at[1];
            memmove(order + 1, order, (size_t)i * sizeof *order);
            order[0] = found;
            return &p->input->head[found];
        }
    }
    return NULL;
}

/* Line ends inside of the record become LF, whatever the file has; in place, as the buffer is ours. */
static size_t unix_lines(char *s, size_t n)
{
    size_t to = 0;

    for (size_t i = 0; i < n; i++)
        if (s[i] != '\r' || i + 1 == n || s[i + 1] != '\n')
            s[to++] = s[i];
    return to;
}

static void finish(struct sl_text *t, struct pending *q)
{
    if (q->open && q->dos)
        q->length = unix_lines(t->buf + t->start, q->length);
    if (q->open)
        sl_parse_text(t->p, q->line, t->buf + t->start, q->length, q->head, q->message);
    q->open = false;
}

static bool blank(const char *s, size_t n)
{
    while (n && (*s == ' ' || *s == '\t'))
        s++, n--;
    return n == 0;
}

static int run(struct sl_parse *p, const char *path, struct sl_err *err)
{
    const struct sl_input *in = p->input;
    size_t ncomment = in->comment ? strlen(in->comment) : 0;
    struct pending q = {0};
    struct sl_text t;
    int *order, rc = sl_text_open(&t, p, path, err);

    if (rc)
        return rc;
    order = sl_alloc((size_t)(in->nhead + 1) * sizeof *order);
    for (int i = 0; i < in->nhead; i++)
        order[i] = i;
    while (!sl_parse_stopped(p)) {
        const struct sl_pattern *head;
        char *s;
        size_t n, message = 0;

        if (!q.open)
            t.start = t.at;
        rc = sl_text_line(&t, &s, &n, err);
        if (rc <= 0)
            break;
        if (ncomment && n >= ncomment && !memcmp(s, in->comment, ncomment))
            continue;
        if (!in->nhead) {
            if (!blank(s, n))
                sl_parse_text(p, t.line, s, n, NULL, 0);
            continue;
        }
        head = find_head(p, order, s, n, &message);
        if (head) {
            finish(&t, &q);
            t.start = (size_t)(s - t.buf);
            q = (struct pending){.open = true, .line = t.line, .length = n, .message = message, .head = head};
            q.dos = s[n] == '\r';
        } else if (q.open) {
            q.length = (size_t)(s - t.buf) - t.start + n;
            if (q.length > SL_LINE_MAX) {
                finish(&t, &q);
                q.swallow = true;
            }
        } else if (!q.swallow && !blank(s, n)) {
            sl_parse_reject(p, t.line, "no record begins here", s, n);
        }
    }
    finish(&t, &q);
    free(order);
    return sl_text_close(&t, rc, err);
}

const struct sl_reader sl_reader_lines = {
    .name = "lines",
    .keys = " head comment ",
    .run = run,
    .grows = true,
    .appends = true,
};
