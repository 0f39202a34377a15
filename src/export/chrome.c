/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What viewers show are B and E, as Perfetto takes the times of X events for doubles; the numbers that they cannot
 * hold, and what they do not know, are in args.spanloom, by which import makes the spans again
 * (read/trace/chrome_spans.c).
 */
#include "export/formats.h"

#include <math.h>
#include <stdlib.h>

struct chrome {
    struct sl_spans *s;
    struct sl_out *out;
    struct sl_timeline_counts *counts;
    struct sl_buf line, name;
    bool any;
};

static int end_line(struct chrome *c)
{
    sl_buf_addc(&c->line, '}');
    sl_out_write(c->out, c->any ? ",\n" : "", c->any ? 2 : 0);
    c->any = true;
    sl_out_buf(c->out, &c->line);
    return sl_out_failed(c->out) ? SL_EIO : 0;
}

static void put_text(struct chrome *c, const char *before, const char *s)
{
    sl_buf_adds(&c->line, before);
    sl_buf_add_json(&c->line, s, strlen(s));
}

static void put_int(struct chrome *c, const char *before, int64_t i)
{
    sl_buf_adds(&c->line, before);
    sl_buf_add_int(&c->line, i);
}

static void put_where(struct chrome *c, const struct sl_track *t)
{
    put_int(c, ",\"pid\":", t->group);
    put_int(c, ",\"tid\":", t->lane);
}

/* Nanoseconds as microseconds with three decimals. */
static void put_time(struct chrome *c, int64_t ns)
{
    uint64_t u = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    char behind[4] = {'.', (char)('0' + u % 1000 / 100), (char)('0' + u % 100 / 10), (char)('0' + u % 10)};

    sl_buf_adds(&c->line, ns < 0 ? ",\"ts\":-" : ",\"ts\":");
    sl_buf_add_int(&c->line, (int64_t)(u / 1000));
    sl_buf_add(&c->line, behind, sizeof behind);
}

static void put_value(struct chrome *c, const struct sl_exported_value *v)
{
    char text[32];

    if (v->type == SQLITE_INTEGER)
        sl_buf_add_int(&c->line, v->i);
    else if (v->type == SQLITE_FLOAT && isfinite(v->d)) {
        sl_real_text(v->d, text);
        sl_buf_adds(&c->line, text);
        if (!strpbrk(text, ".e"))
            sl_buf_adds(&c->line, ".0");
    } else if (v->type == SQLITE_FLOAT)
        put_text(c, "", v->d > 0 ? "Infinity" : "-Infinity");
    else
        sl_buf_add_json(&c->line, v->s, v->n);
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
        put_text(c, ",", c->name.s);
        sl_buf_adds(&c->line, k - i > 1 ? ":[" : ":");
        for (size_t each = i; each < k; each++) {
            sl_buf_adds(&c->line, each > i ? "," : "");
            put_value(c, &v[each]);
        }
        sl_buf_adds(&c->line, k - i > 1 ? "]" : "");
    }
}

/* What belongs to a span, as args. */
static int put_span(struct chrome *c, int64_t id, struct sl_err *err)
{
    static const char *const kinds[] = {"", "in", "facet", "after", "flow"};
    int rc = sl_spans_links(c->s, id, err);

    put_int(c, ",\"args\":{\"spanloom\":{\"id\":", id);
    for (size_t i = 0; i < c->s->event.n; i++) {
        put_text(c, i ? ",[" : ",\"events\":[[", c->s->event.v[i].name);
        put_int(c, ",\"", c->s->event.v[i].time_ns);
        sl_buf_adds(&c->line, "\"]");
    }
    sl_buf_adds(&c->line, c->s->event.n ? "]" : "");
    for (size_t i = 0; i < c->s->link.n; i++) {
        const struct sl_exported_link *l = &c->s->link.v[i];
        put_text(c, i ? ",[" : ",\"links\":[[", kinds[l->kind]);
        put_int(c, ",", l->other);
        put_text(c, ",", l->rule);
        if (!l->said) {
            struct sl_exported_value sure = {.type = SQLITE_FLOAT, .d = l->confidence};
            sl_buf_addc(&c->line, ',');
            put_value(c, &sure);
        }
        sl_buf_addc(&c->line, ']');
    }
    sl_buf_adds(&c->line, c->s->link.n ? "]}" : "}");
    put_values(c, c->s->value.v, c->s->value.n);
    sl_buf_addc(&c->line, '}');
    return rc;
}

/* ---- the timeline ---- */

static int metadata(struct chrome *c, const struct sl_track *t, const char *what, const char *key)
{
    put_text(c, "{\"ph\":\"M\",\"name\":", what);
    put_where(c, t);
    put_text(c, ",\"args\":{", key);
    return 0;
}

static int group(void *to, const struct sl_track *place, struct sl_err *err)
{
    struct chrome *c = to;

    (void)err;
    metadata(c, place, "process_name", "name");
    put_text(c, ":", place->name);
    sl_buf_addc(&c->line, '}');
    end_line(c);
    metadata(c, place, "process_sort_index", "sort_index");
    put_int(c, ":", place->group);
    sl_buf_addc(&c->line, '}');
    return end_line(c);
}

static int track(void *to, const struct sl_track *t, struct sl_err *err)
{
    struct chrome *c = to;

    (void)err;
    if (t->kind == SL_TRACK_COUNTER)
        return 0;
    metadata(c, t, "thread_name", "name");
    put_text(c, ":", t->name);
    sl_buf_addc(&c->line, '}');
    end_line(c);
    metadata(c, t, "thread_sort_index", "sort_index");
    put_int(c, ":", t->lane);
    sl_buf_addc(&c->line, '}');
    return end_line(c);
}

/* An arrow must begin before it ends. */
static int put_arrow(struct chrome *c, const struct sl_track *t, int64_t ns, const struct sl_arrow *a)
{
    if (a->to_here ? a->other_ns >= ns : ns >= a->other_ns) {
        c->counts->arrows -= a->to_here;
        return 0;
    }
    sl_buf_adds(&c->line, "{\"ph\":\"");
    sl_buf_adds(&c->line, a->to_here ? "f\",\"bp\":\"e" : "s");
    sl_buf_addf(&c->line, "\",\"name\":\"link\",\"cat\":\"link\",\"id\":\"0x%llx\"", (unsigned long long)a->number);
    put_where(c, t);
    put_time(c, ns);
    return end_line(c);
}

static int begin(void *to, const struct sl_track *t, int64_t ns, const struct sl_slice *s, struct sl_err *err)
{
    struct chrome *c = to;
    int rc;

    put_text(c, "{\"ph\":\"B\",\"name\":", s->name);
    put_text(c, ",\"cat\":", s->span->type);
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
    sl_buf_adds(&c->line, "{\"ph\":\"E\"");
    put_where(c, t);
    put_time(c, ns);
    return end_line(c);
}

static int instant(void *to, const struct sl_track *t, int64_t ns, const struct sl_instant *i, struct sl_err *err)
{
    struct chrome *c = to;

    (void)err;
    put_text(c, "{\"ph\":\"i\",\"s\":\"t\",\"name\":", i->name);
    sl_buf_adds(&c->line, i->n ? ",\"cat\":\"sample\"" : ",\"cat\":\"event\"");
    put_where(c, t);
    put_time(c, ns);
    put_int(c, ",\"args\":{\"span\":", i->span);
    if (i->n) { /* whose names may be any */
        put_int(c, ",\"spanloom\":{\"sampled\":", i->span);
        sl_buf_addc(&c->line, '}');
        put_values(c, i->value, i->n);
    }
    sl_buf_addc(&c->line, '}');
    return end_line(c);
}

static int counter(void *to, const struct sl_track *t, int64_t ns, const struct sl_exported_value *v,
                   struct sl_err *err)
{
    struct chrome *c = to;

    (void)err;
    put_text(c, "{\"ph\":\"C\",\"name\":", t->name);
    put_int(c, ",\"cat\":\"", t->span);
    sl_buf_addc(&c->line, '"');
    put_where(c, t);
    put_time(c, ns);
    put_text(c, ",\"args\":{", v->name);
    sl_buf_addc(&c->line, ':');
    put_value(c, v);
    sl_buf_addc(&c->line, '}');
    return end_line(c);
}

/* ---- what is no part of a picture ---- */

/* Which spans there are: the first of all, so that the others can name them. */
static int put_identities(struct chrome *c, struct sl_err *err)
{
    struct sl_exported_span span;
    int rc;

    while ((rc = sl_spans_next(c->s, &span, err)) == 1) {
        put_int(c, "{\"ph\":\"M\",\"name\":\"spanloom.span\",\"pid\":0,\"tid\":0,\"args\":{\"id\":", span.id);
        put_text(c, ",\"type\":", span.type);
        put_text(c, ",\"key\":", span.key);
        if (span.parent)
            put_int(c, ",\"parent\":", span.parent);
        sl_buf_addc(&c->line, '}');
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
        sl_buf_adds(&c->line, "{\"ph\":\"M\",\"name\":\"spanloom.untimed\",\"pid\":0,\"tid\":0");
        if (!rc)
            rc = sl_spans_values(c->s, &span, err);
        if (!rc)
            rc = put_span(c, span.id, err);
        if (rc || (rc = end_line(c)))
            break;
    }
    return rc;
}

int sl_export_chrome(struct sl_spans *s, struct sl_out *out, struct sl_timeline_counts *counts, struct sl_err *err)
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
