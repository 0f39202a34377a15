/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What viewers show are B and E, as Perfetto takes the times of X events for doubles; the numbers that they cannot
 * hold, and what they do not know, are in args.spanloom, by which import makes the spans again
 * (read/trace/chrome_spans.c).
 */
#include "base/json_out.h"
#include "export/formats.h"

#include <math.h>
#include <stdlib.h>

struct chrome {
    struct sl_spans *s;
    struct sl_out *out;
    struct sl_export_counts *counts;
    struct sl_buf line, name;
    bool any;
};

static int end_line(struct chrome *c)
{
    sl_json_close(&c->line, '}');
    sl_out_write(c->out, c->any ? ",\n" : "", c->any ? 2 : 0);
    c->any = true;
    sl_out_buf(c->out, &c->line);
    return sl_out_failed(c->out) ? SL_EIO : 0;
}

static void put_where(struct chrome *c, const struct sl_track *t)
{
    sl_json_int(&c->line, "pid", t->group);
    sl_json_int(&c->line, "tid", t->lane);
}

/* Nanoseconds as microseconds with three decimals. */
static void put_time(struct chrome *c, int64_t ns)
{
    uint64_t u = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    char behind[4] = {'.', (char)('0' + u % 1000 / 100), (char)('0' + u % 100 / 10), (char)('0' + u % 10)};

    sl_json_raw(&c->line, "ts", ns < 0 ? "-" : "");
    sl_buf_add_int(&c->line, (int64_t)(u / 1000));
    sl_buf_add(&c->line, behind, sizeof behind);
}

/* An event, up to its members but for ph and name. */
static void open_event(struct chrome *c, const char *ph, const char *name)
{
    sl_json_open(&c->line, NULL, '{');
    sl_json_text(&c->line, "ph", ph);
    if (name)
        sl_json_text(&c->line, "name", name);
}

static void put_value(struct chrome *c, const struct sl_exported_value *v)
{
    if (v->type == SQLITE_INTEGER) {
        sl_json_int(&c->line, NULL, v->i);
    } else if (v->type == SQLITE_FLOAT && isfinite(v->d)) {
        char text[32];
        sl_real_text(v->d, text);
        sl_json_raw(&c->line, NULL, text);
        sl_buf_adds(&c->line, strpbrk(text, ".e") ? "" : ".0");
    } else if (v->type == SQLITE_FLOAT) {
        sl_json_text(&c->line, NULL, v->d > 0 ? "Infinity" : "-Infinity");
    } else {
        sl_json_bytes(&c->line, NULL, v->s, v->n);
    }
}

/* Members of an object that is open. */
static void put_values(struct chrome *c, const struct sl_exported_value *v, size_t n)
{
    for (size_t i = 0, k; i < n; i = k) {
        for (k = i + 1; k < n && !strcmp(v[k].name, v[i].name);)
            k++;
        sl_buf_clear(&c->name);
        sl_buf_adds(&c->name, sl_spans_reserved(v[i].name) ? "args." : "");
        sl_buf_adds(&c->name, v[i].name);
        sl_json_name(&c->line, c->name.s);
        if (k - i > 1)
            sl_json_open(&c->line, NULL, '[');
        for (size_t each = i; each < k; each++)
            put_value(c, &v[each]);
        if (k - i > 1)
            sl_json_close(&c->line, ']');
    }
}

/* What belongs to a span, as args. */
static int put_span(struct chrome *c, int64_t id, struct sl_err *err)
{
    static const char *const kinds[] = {"", "in", "facet", "after", "flow"};
    int rc = sl_spans_links(c->s, id, err);

    sl_json_open(&c->line, "args", '{');
    sl_json_open(&c->line, "spanloom", '{');
    sl_json_int(&c->line, "id", id);
    if (c->s->event.n)
        sl_json_open(&c->line, "events", '[');
    for (size_t i = 0; i < c->s->event.n; i++) {
        sl_json_open(&c->line, NULL, '[');
        sl_json_text(&c->line, NULL, c->s->event.v[i].name);
        sl_json_digits(&c->line, NULL, c->s->event.v[i].time_ns);
        sl_json_close(&c->line, ']');
    }
    if (c->s->event.n)
        sl_json_close(&c->line, ']');
    if (c->s->link.n)
        sl_json_open(&c->line, "links", '[');
    for (size_t i = 0; i < c->s->link.n; i++) {
        const struct sl_exported_link *l = &c->s->link.v[i];
        sl_json_open(&c->line, NULL, '[');
        sl_json_text(&c->line, NULL, kinds[l->kind]);
        sl_json_int(&c->line, NULL, l->other);
        sl_json_text(&c->line, NULL, l->rule);
        if (!l->said)
            put_value(c, &(struct sl_exported_value){.type = SQLITE_FLOAT, .d = l->confidence});
        sl_json_close(&c->line, ']');
    }
    if (c->s->link.n)
        sl_json_close(&c->line, ']');
    sl_json_close(&c->line, '}');
    put_values(c, c->s->value.v, c->s->value.n);
    sl_json_close(&c->line, '}');
    return rc;
}

/* ---- the timeline ---- */

/* What a process or a thread is called, and where it stands among the others. */
static int metadata(struct chrome *c, const struct sl_track *t, const char *name_is, const char *place_is,
                    int64_t place)
{
    open_event(c, "M", name_is);
    put_where(c, t);
    sl_json_open(&c->line, "args", '{');
    sl_json_text(&c->line, "name", t->name);
    sl_json_close(&c->line, '}');
    end_line(c);
    open_event(c, "M", place_is);
    put_where(c, t);
    sl_json_open(&c->line, "args", '{');
    sl_json_int(&c->line, "sort_index", place);
    sl_json_close(&c->line, '}');
    return end_line(c);
}

static int group(void *to, const struct sl_track *place, struct sl_err *err)
{
    (void)err;
    return metadata(to, place, "process_name", "process_sort_index", place->group);
}

static int track(void *to, const struct sl_track *t, struct sl_err *err)
{
    (void)err;
    return t->kind == SL_TRACK_COUNTER ? 0 : metadata(to, t, "thread_name", "thread_sort_index", t->lane);
}

/* An arrow must begin before it ends. */
static int put_arrow(struct chrome *c, const struct sl_track *t, int64_t ns, const struct sl_arrow *a)
{
    if (a->to_here ? a->other_ns >= ns : ns >= a->other_ns) {
        c->counts->links -= a->to_here;
        return 0;
    }
    open_event(c, a->to_here ? "f" : "s", NULL);
    if (a->to_here)
        sl_json_text(&c->line, "bp", "e");
    sl_json_text(&c->line, "name", "link");
    sl_json_text(&c->line, "cat", "link");
    sl_buf_addf(&c->line, ",\"id\":\"0x%llx\"", (unsigned long long)a->number);
    put_where(c, t);
    put_time(c, ns);
    return end_line(c);
}

static int begin(void *to, const struct sl_track *t, int64_t ns, const struct sl_slice *s, struct sl_err *err)
{
    struct chrome *c = to;
    int rc;

    open_event(c, "B", s->name);
    sl_json_text(&c->line, "cat", s->span->type);
    put_where(c, t);
    put_time(c, ns);
    rc = put_span(c, s->span->id, err);
    if (!rc)
        rc = end_line(c);
    for (size_t i = 0; !rc && i < s->narrows; i++)
        rc = put_arrow(c, t, ns, &s->arrow[i]);
    return rc;
}

static int end(void *to, const struct sl_track *t, int64_t ns, struct sl_err *err)
{
    struct chrome *c = to;

    (void)err;
    open_event(c, "E", NULL);
    put_where(c, t);
    put_time(c, ns);
    return end_line(c);
}

static int instant(void *to, const struct sl_track *t, int64_t ns, const struct sl_instant *i, struct sl_err *err)
{
    struct chrome *c = to;

    (void)err;
    open_event(c, "i", NULL);
    sl_json_text(&c->line, "s", "t");
    sl_json_text(&c->line, "name", i->name);
    sl_json_text(&c->line, "cat", i->n ? "sample" : "event");
    put_where(c, t);
    put_time(c, ns);
    sl_json_open(&c->line, "args", '{');
    sl_json_int(&c->line, "span", i->span);
    if (i->n) { /* whose names may be any */
        sl_json_open(&c->line, "spanloom", '{');
        sl_json_int(&c->line, "sampled", i->span);
        sl_json_close(&c->line, '}');
        put_values(c, i->value, i->n);
    }
    sl_json_close(&c->line, '}');
    return end_line(c);
}

static int counter(void *to, const struct sl_track *t, int64_t ns, const struct sl_exported_value *v,
                   struct sl_err *err)
{
    struct chrome *c = to;

    (void)err;
    open_event(c, "C", t->name);
    sl_json_digits(&c->line, "cat", t->span);
    put_where(c, t);
    put_time(c, ns);
    sl_json_open(&c->line, "args", '{');
    sl_json_name(&c->line, v->name);
    put_value(c, v);
    sl_json_close(&c->line, '}');
    return end_line(c);
}

/* ---- what is no part of a picture ---- */

static const struct sl_track nowhere;

/* Which spans there are: the first of all, so that the others can name them. */
static int put_identities(struct chrome *c, struct sl_err *err)
{
    struct sl_exported_span span;
    int rc;

    while ((rc = sl_spans_next(c->s, &span, err)) == 1) {
        open_event(c, "M", "spanloom.span");
        put_where(c, &nowhere);
        sl_json_open(&c->line, "args", '{');
        sl_json_int(&c->line, "id", span.id);
        sl_json_text(&c->line, "type", span.type);
        sl_json_text(&c->line, "key", span.key);
        if (span.parent)
            sl_json_int(&c->line, "parent", span.parent);
        sl_json_close(&c->line, '}');
        if ((rc = end_line(c)))
            break;
    }
    return rc;
}

/* Spans that have no events have a place nowhere else. */
static int put_untimed(struct chrome *c, struct sl_err *err)
{
    struct sl_exported_span span;
    int rc;

    while ((rc = sl_spans_next(c->s, &span, err)) == 1) {
        rc = sl_spans_events(c->s, &span, err);
        if (!rc && span.timed)
            continue;
        open_event(c, "M", "spanloom.untimed");
        put_where(c, &nowhere);
        if (!rc)
            rc = sl_spans_values(c->s, &span, err);
        if (!rc)
            rc = put_span(c, span.id, err);
        if (rc || (rc = end_line(c)))
            break;
    }
    return rc;
}

int sl_export_chrome(struct sl_spans *s, struct sl_out *out, struct sl_export_counts *counts, struct sl_err *err)
{
    static const struct sl_timeline_writer writer = {group, track, begin, end, instant, counter};
    static const char head[] =
        "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"spanloom\":\"spans 1\"},\"traceEvents\":[\n";
    struct chrome c = {.s = s, .out = out, .counts = counts};
    int rc;

    sl_out_write(out, head, sizeof head - 1);
    rc = sl_spans_begin(s, false, err);
    if (!rc)
        rc = put_identities(&c, err);
    if (!rc)
        rc = sl_timeline(s, &writer, &c, counts, err);
    if (!rc)
        rc = put_untimed(&c, err);
    sl_out_write(out, "\n]}\n", 4);
    sl_buf_free(&c.line);
    sl_buf_free(&c.name);
    return sl_out_failed(out) ? 0 : rc; /* which says why when it is closed */
}
