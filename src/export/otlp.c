/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as OTLP has it: ids are hexadecimal, integers of 64 bits are texts, enumerations numbers.  Of which span of a
 * store a span was is said by the attributes spanloom.type, spanloom.key and spanloom.times (read/trace/otlp.c).
 */
#include "export/formats.h"
#include "export_otlp.sql.h"

#include <math.h>
#include <stdlib.h>

enum { BATCH = 512, POINTS = 1000 };

struct otlp {
    struct sl_spans *s;
    struct sl_out *out;
    struct sl_export_counts *counts;
    struct sl_buf name;
    SL_VEC(struct component {
        char *name;
        struct sl_buf spans;
    })
    component;
    size_t spans; /* in the batch */
};

static void put_hex(struct sl_buf *b, uint64_t x)
{
    char text[16];

    for (int i = 16; i-- > 0; x >>= 4)
        text[i] = "0123456789abcdef"[x & 15];
    sl_buf_add(b, text, sizeof text);
}

static void put_span_id(struct sl_buf *b, const char *before, const struct sl_exported_identity *is)
{
    sl_buf_adds(b, before);
    put_hex(b, is->span);
    sl_buf_addc(b, '"');
}

static void put_trace_id(struct sl_buf *b, const char *before, const struct sl_exported_identity *is)
{
    sl_buf_adds(b, before);
    put_hex(b, is->trace[0]);
    put_hex(b, is->trace[1]);
    sl_buf_addc(b, '"');
}

static void put_int(struct sl_buf *b, const char *before, int64_t i)
{
    sl_buf_adds(b, before);
    sl_buf_add_int(b, i);
    sl_buf_addc(b, '"');
}

static void put_double(struct sl_buf *b, double d)
{
    char text[32];

    if (isfinite(d)) {
        sl_real_text(d, text);
        sl_buf_adds(b, text);
    } else {
        sl_buf_adds(b, d > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    }
}

static void put_value(struct sl_buf *b, const struct sl_exported_value *v)
{
    if (v->type == SQLITE_INTEGER) {
        put_int(b, "{\"intValue\":\"", v->i);
    } else if (v->type == SQLITE_FLOAT) {
        sl_buf_adds(b, "{\"doubleValue\":");
        put_double(b, v->d);
    } else {
        sl_buf_adds(b, "{\"stringValue\":");
        sl_buf_add_json(b, v->s, v->n);
    }
    sl_buf_addc(b, '}');
}

static void put_attribute(struct sl_buf *b, const char *before, const char *key, const char *value)
{
    sl_buf_adds(b, before);
    sl_buf_add_json(b, key, strlen(key));
    sl_buf_adds(b, ",\"value\":{\"stringValue\":");
    sl_buf_add_json(b, value, strlen(value));
    sl_buf_adds(b, "}}");
}

static void put_attributes(struct otlp *o, struct sl_buf *b)
{
    const struct sl_exported_value *v = o->s->value.v;

    for (size_t i = 0, k; i < o->s->value.n; i = k) {
        for (k = i + 1; k < o->s->value.n && !strcmp(v[k].name, v[i].name);)
            k++;
        sl_buf_clear(&o->name);
        sl_buf_adds(&o->name, sl_spans_reserved(v[i].name) ? "args." : "");
        sl_buf_adds(&o->name, v[i].name);
        sl_buf_adds(b, ",{\"key\":");
        sl_buf_add_json(b, o->name.s, o->name.n);
        sl_buf_adds(b, k - i > 1 ? ",\"value\":{\"arrayValue\":{\"values\":[" : ",\"value\":");
        for (size_t each = i; each < k; each++) {
            sl_buf_adds(b, each > i ? "," : "");
            put_value(b, &v[each]);
        }
        sl_buf_adds(b, k - i > 1 ? "]}}}" : "}");
        o->counts->attributes += k - i;
    }
}

static struct sl_buf *spans_of(struct otlp *o, const char *component)
{
    size_t i = 0;

    while (i < o->component.n && strcmp(o->component.v[i].name, component) != 0)
        i++;
    if (i == o->component.n)
        sl_vec_add(&o->component)->name = sl_strdup(component);
    return &o->component.v[i].spans;
}

static int end_line(struct otlp *o)
{
    return sl_out_failed(o->out) ? SL_EIO : 0;
}

static int flush(struct otlp *o)
{
    struct sl_buf line = {0};

    for (size_t i = 0; i < o->component.n; i++) {
        struct component *c = &o->component.v[i];
        if (!c->spans.n)
            continue;
        sl_buf_adds(&line, line.n ? "," : "{\"resourceSpans\":[");
        put_attribute(&line, "{\"resource\":{\"attributes\":[{\"key\":", "service.name", c->name);
        sl_buf_adds(&line,
                    "]},\"scopeSpans\":[{\"scope\":{\"name\":\"spanloom\",\"version\":\"" SL_VERSION "\"},\"spans\":[");
        sl_out_buf(o->out, &line);
        sl_out_buf(o->out, &c->spans);
        sl_buf_adds(&line, "]}]}");
    }
    if (line.n)
        sl_buf_adds(&line, "]}\n");
    sl_out_buf(o->out, &line);
    sl_buf_free(&line);
    o->spans = 0;
    return end_line(o);
}

/* What it lies in: the span beside it that does, such as the call around a call; else what it is named in; 0: a root.
 */
static int64_t container(struct otlp *o, const struct sl_exported_span *span)
{
    const struct sl_outline *all = &o->s->outline;
    uint32_t parent = span->parent ? sl_spans_index(o->s, span->parent) : SL_NO_INDEX;

    for (size_t i = 0; parent != SL_NO_INDEX && i < o->s->link.n; i++)
        if (o->s->link.v[i].kind == SL_IN && o->s->link.v[i].said &&
            all->parent[sl_spans_index(o->s, o->s->link.v[i].other)] == parent)
            return o->s->link.v[i].other;
    return span->parent;
}

static struct sl_exported_identity identity(struct otlp *o, int64_t id)
{
    return sl_outline_identity(&o->s->outline, sl_spans_index(o->s, id));
}

static void put_links(struct otlp *o, struct sl_buf *b, int64_t in)
{
    static const char *const kinds[] = {"", "in", "facet", "after", "flow"};
    bool any = false;

    for (size_t i = 0; i < o->s->link.n; i++) {
        const struct sl_exported_link *l = &o->s->link.v[i];
        struct sl_exported_identity is;
        o->counts->links++;
        if (l->kind == SL_IN && l->other == in && l->said) /* it is parentSpanId */
            continue;
        is = identity(o, l->other);
        put_trace_id(b, any ? ",{\"traceId\":\"" : ",\"links\":[{\"traceId\":\"", &is);
        put_span_id(b, ",\"spanId\":\"", &is);
        put_attribute(b, ",\"attributes\":[{\"key\":", "spanloom.kind", kinds[l->kind]);
        put_attribute(b, ",{\"key\":", "spanloom.rule", l->rule);
        if (!l->said) {
            struct sl_exported_value sure = {.type = SQLITE_FLOAT, .d = l->confidence};
            sl_buf_adds(b, ",{\"key\":\"spanloom.confidence\",\"value\":");
            put_value(b, &sure);
            sl_buf_addc(b, '}');
        }
        sl_buf_adds(b, "]}");
        any = true;
    }
    sl_buf_adds(b, any ? "]" : "");
}

/* When it was: first and last event, or those of what lies in it; the times that import makes of that are in the word.
 */
static const char *interval(struct otlp *o, struct sl_exported_span *span, bool implied)
{
    if (span->timed)
        return implied ? NULL : "events";
    if (sl_spans_contained(o->s, span->id, &span->begin_ns, &span->end_ns))
        return "contained";
    o->counts->untimed++;
    return "unknown";
}

static int put_span(struct otlp *o, struct sl_exported_span *span, struct sl_err *err)
{
    struct sl_buf *b = spans_of(o, span->component);
    struct sl_exported_identity is = identity(o, span->id), parent;
    const char *times, *name = sl_spans_label(o->s, span, &o->name);
    bool implied;
    int64_t in;
    int rc = sl_spans_links(o->s, span->id, err);

    if (!rc)
        rc = sl_spans_values(o->s, span, err);
    if (!rc)
        rc = sl_spans_events(o->s, span, err);
    if (rc)
        return rc;
    implied = sl_spans_begin_and_end(o->s);
    times = interval(o, span, implied);
    in = container(o, span);
    put_trace_id(b, b->n ? ",{\"traceId\":\"" : "{\"traceId\":\"", &is);
    put_span_id(b, ",\"spanId\":\"", &is);
    if (in) {
        parent = identity(o, in);
        put_span_id(b, ",\"parentSpanId\":\"", &parent);
    }
    sl_buf_adds(b, ",\"name\":");
    sl_buf_add_json(b, name, strlen(name));
    put_int(b, ",\"kind\":1,\"startTimeUnixNano\":\"", span->begin_ns);
    put_int(b, ",\"endTimeUnixNano\":\"", span->end_ns);
    put_attribute(b, ",\"attributes\":[{\"key\":", "spanloom.type", span->type);
    put_attribute(b, ",{\"key\":", "spanloom.key", span->key);
    if (times)
        put_attribute(b, ",{\"key\":", "spanloom.times", times);
    if (in != span->parent) {
        parent = identity(o, span->parent);
        sl_buf_adds(b, ",{\"key\":\"spanloom.named_in\",\"value\":{\"stringValue\":\"");
        put_hex(b, parent.span);
        sl_buf_adds(b, "\"}}");
    }
    put_attributes(o, b);
    sl_buf_addc(b, ']');
    for (size_t i = implied; i + implied < o->s->event.n; i++) {
        put_int(b, i == implied ? ",\"events\":[{\"timeUnixNano\":\"" : ",{\"timeUnixNano\":\"",
                o->s->event.v[i].time_ns);
        sl_buf_adds(b, ",\"name\":");
        sl_buf_add_json(b, o->s->event.v[i].name, strlen(o->s->event.v[i].name));
        sl_buf_addc(b, '}');
    }
    sl_buf_adds(b, o->s->event.n > 2 * (size_t)implied ? "]" : "");
    o->counts->spans++;
    o->counts->events += o->s->event.n;
    put_links(o, b, in);
    sl_buf_addc(b, '}');
    return ++o->spans == BATCH ? flush(o) : 0;
}

/* ---- samples ---- */

/* All of a span, some a line. */
static int put_samples(struct otlp *o, const struct sl_exported_span *span, sqlite3_stmt *q, struct sl_err *err)
{
    struct sl_exported_identity is = identity(o, span->id);
    struct sl_buf line = {0}, metric = {0};
    uint64_t points = 0;
    int rc;

    sqlite3_bind_int64(q, 1, span->id);
    while ((rc = sl_store_step(o->s->st, q, err)) == 1) {
        struct sl_exported_value v = sl_spans_value(q, 2);
        const char *name = sl_store_text(q, 1);
        bool same = line.n && !strcmp(metric.s, name);
        if (v.type == SQLITE_TEXT)
            continue;
        if (!line.n) {
            put_attribute(&line, "{\"resourceMetrics\":[{\"resource\":{\"attributes\":[{\"key\":", "service.name",
                          span->component);
            sl_buf_adds(&line, "]},\"scopeMetrics\":[{\"scope\":{\"name\":\"spanloom\",\"version\":\"" SL_VERSION
                               "\"},\"metrics\":[");
        }
        if (!same) {
            sl_buf_adds(&line, points % POINTS ? "]}},{\"name\":" : "{\"name\":");
            sl_buf_add_json(&line, name, strlen(name));
            sl_buf_adds(&line, ",\"gauge\":{\"dataPoints\":[");
            sl_buf_clear(&metric);
            sl_buf_adds(&metric, name);
        }
        put_int(&line, same ? ",{\"timeUnixNano\":\"" : "{\"timeUnixNano\":\"", sqlite3_column_int64(q, 0));
        if (v.type == SQLITE_INTEGER) {
            put_int(&line, ",\"asInt\":\"", v.i);
        } else {
            sl_buf_adds(&line, ",\"asDouble\":");
            put_double(&line, v.d);
        }
        sl_buf_adds(&line, ",\"attributes\":[{\"key\":\"spanloom.span\",\"value\":{\"stringValue\":\"");
        put_hex(&line, is.span);
        sl_buf_adds(&line, "\"}}]}");
        o->counts->samples++;
        if (++points % POINTS)
            continue;
        sl_buf_adds(&line, "]}}]}]}]}\n");
        sl_out_buf(o->out, &line);
        if ((rc = end_line(o)))
            break;
    }
    sqlite3_reset(q);
    if (line.n && !rc) {
        sl_buf_adds(&line, "]}}]}]}]}\n");
        sl_out_buf(o->out, &line);
    }
    sl_buf_free(&line);
    sl_buf_free(&metric);
    return rc ? rc : end_line(o);
}

static int put_all_samples(struct otlp *o, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(o->s->st, sql_samples, err),
                 *of = q ? sl_store_prepare(o->s->st, sql_sampled, err) : NULL;
    int rc = of ? 0 : SL_ESTORE;

    while (!rc && (rc = sl_store_step(o->s->st, of, err)) == 1) {
        struct sl_exported_span span;
        rc = sl_spans_get(o->s, sqlite3_column_int64(of, 0), &span, err);
        if (rc == 1) {
            char *component = sl_strdup(span.component);
            span.component = component; /* the texts of a span that was asked for go with the next */
            rc = put_samples(o, &span, q, err);
            free(component);
        }
    }
    sqlite3_finalize(q);
    sqlite3_finalize(of);
    return rc;
}

int sl_export_otlp(struct sl_spans *s, struct sl_out *out, struct sl_export_counts *counts, struct sl_err *err)
{
    struct otlp o = {.s = s, .out = out, .counts = counts};
    struct sl_exported_span span;
    int rc;

    *counts = (struct sl_export_counts){0};
    rc = sl_spans_begin(s, true, err);
    if (!rc)
        rc = sl_outline_identities(&s->outline, &s->words, err);
    while (!rc && (rc = sl_spans_next(s, &span, err)) == 1)
        if ((rc = put_span(&o, &span, err)))
            break;
    if (!rc)
        rc = flush(&o);
    if (!rc)
        rc = put_all_samples(&o, err);
    for (size_t i = 0; i < o.component.n; i++) {
        free(o.component.v[i].name);
        sl_buf_free(&o.component.v[i].spans);
    }
    sl_vec_free(&o.component);
    sl_buf_free(&o.name);
    return sl_out_failed(out) ? 0 : rc; /* which says why when it is closed */
}
