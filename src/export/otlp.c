/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as OTLP has it: ids are hexadecimal, integers of 64 bits are texts, enumerations numbers.  Of which span of a
 * store a span was is said by the attributes spanloom.type, spanloom.key and spanloom.times (read/trace/otlp_reader.c).
 */
#include "base/json_out.h"
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

static void put_hex(struct sl_buf *b, const char *key, const uint64_t *x, int words)
{
    char text[32];

    for (int i = 16 * words; i-- > 0;)
        text[i] = "0123456789abcdef"[x[i / 16] >> 4 * (15 - i % 16) & 15];
    sl_json_bytes(b, key, text, (size_t)(16 * words));
}

static void put_ids(struct sl_buf *b, const struct sl_exported_identity *is)
{
    put_hex(b, "traceId", is->trace, 2);
    put_hex(b, "spanId", &is->span, 1);
}

static void put_double(struct sl_buf *b, const char *key, double d)
{
    if (isfinite(d))
        sl_json_real(b, key, d);
    else
        sl_json_text(b, key, d > 0 ? "Infinity" : "-Infinity");
}

/* The member of a value that has it. */
static void put_value(struct sl_buf *b, const struct sl_exported_value *v)
{
    if (v->type == SQLITE_INTEGER)
        sl_json_digits(b, "intValue", v->i);
    else if (v->type == SQLITE_FLOAT)
        put_double(b, "doubleValue", v->d);
    else
        sl_json_bytes(b, "stringValue", v->s, v->n);
}

/* An attribute, up to the members of its value. */
static void open_attribute(struct sl_buf *b, const char *key)
{
    sl_json_open(b, NULL, '{');
    sl_json_text(b, "key", key);
    sl_json_open(b, "value", '{');
}

static void close_attribute(struct sl_buf *b)
{
    sl_buf_adds(b, "}}");
}

static void put_attribute(struct sl_buf *b, const char *key, const char *value)
{
    open_attribute(b, key);
    sl_json_text(b, "stringValue", value);
    close_attribute(b);
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
        open_attribute(b, o->name.s);
        if (k - i == 1) {
            put_value(b, &v[i]);
        } else {
            sl_buf_adds(b, "\"arrayValue\":{\"values\":[");
            for (size_t each = i; each < k; each++) {
                sl_json_open(b, NULL, '{');
                put_value(b, &v[each]);
                sl_json_close(b, '}');
            }
            sl_buf_adds(b, "]}");
        }
        close_attribute(b);
        o->counts->attributes += k - i;
    }
}

/* What it is of, up to the items of its scope; `scopes` and `items` are the words for them. */
static void open_resource(struct sl_buf *b, const char *component, const char *scopes, const char *items)
{
    sl_json_open(b, NULL, '{');
    sl_json_open(b, "resource", '{');
    sl_json_open(b, "attributes", '[');
    put_attribute(b, "service.name", component);
    sl_buf_adds(b, "]}");
    sl_json_open(b, scopes, '[');
    sl_json_open(b, NULL, '{');
    sl_json_raw(b, "scope", "{\"name\":\"spanloom\",\"version\":\"" SL_VERSION "\"}");
    sl_json_open(b, items, '[');
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
        if (!line.n)
            sl_buf_adds(&line, "{\"resourceSpans\":[");
        open_resource(&line, c->name, "scopeSpans", "spans");
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
        if (!any)
            sl_json_open(b, "links", '[');
        any = true;
        sl_json_open(b, NULL, '{');
        put_ids(b, &is);
        sl_json_open(b, "attributes", '[');
        put_attribute(b, "spanloom.kind", kinds[l->kind]);
        put_attribute(b, "spanloom.rule", l->rule);
        if (!l->said) {
            open_attribute(b, "spanloom.confidence");
            put_double(b, "doubleValue", l->confidence);
            close_attribute(b);
        }
        sl_buf_adds(b, "]}");
    }
    if (any)
        sl_json_close(b, ']');
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
    sl_json_open(b, NULL, '{');
    put_ids(b, &is);
    if (in) {
        parent = identity(o, in);
        put_hex(b, "parentSpanId", &parent.span, 1);
    }
    sl_json_text(b, "name", name);
    sl_json_int(b, "kind", 1);
    sl_json_digits(b, "startTimeUnixNano", span->begin_ns);
    sl_json_digits(b, "endTimeUnixNano", span->end_ns);
    sl_json_open(b, "attributes", '[');
    put_attribute(b, "spanloom.type", span->type);
    put_attribute(b, "spanloom.key", span->key);
    if (times)
        put_attribute(b, "spanloom.times", times);
    if (in != span->parent) {
        parent = identity(o, span->parent);
        open_attribute(b, "spanloom.named_in");
        put_hex(b, "stringValue", &parent.span, 1);
        close_attribute(b);
    }
    put_attributes(o, b);
    sl_json_close(b, ']');
    if (o->s->event.n > 2 * (size_t)implied)
        sl_json_open(b, "events", '[');
    for (size_t i = implied; i + implied < o->s->event.n; i++) {
        sl_json_open(b, NULL, '{');
        sl_json_digits(b, "timeUnixNano", o->s->event.v[i].time_ns);
        sl_json_text(b, "name", o->s->event.v[i].name);
        sl_json_close(b, '}');
    }
    if (o->s->event.n > 2 * (size_t)implied)
        sl_json_close(b, ']');
    o->counts->spans++;
    o->counts->events += o->s->event.n;
    put_links(o, b, in);
    sl_json_close(b, '}');
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
            sl_buf_adds(&line, "{\"resourceMetrics\":[");
            open_resource(&line, span->component, "scopeMetrics", "metrics");
        }
        if (!same) {
            if (points % POINTS)
                sl_buf_adds(&line, "]}}");
            sl_json_open(&line, NULL, '{');
            sl_json_text(&line, "name", name);
            sl_buf_adds(&line, ",\"gauge\":{\"dataPoints\":[");
            sl_buf_clear(&metric);
            sl_buf_adds(&metric, name);
        }
        sl_json_open(&line, NULL, '{');
        sl_json_digits(&line, "timeUnixNano", sqlite3_column_int64(q, 0));
        if (v.type == SQLITE_INTEGER)
            sl_json_digits(&line, "asInt", v.i);
        else
            put_double(&line, "asDouble", v.d);
        sl_json_open(&line, "attributes", '[');
        open_attribute(&line, "spanloom.span");
        put_hex(&line, "stringValue", &is.span, 1);
        close_attribute(&line);
        sl_buf_adds(&line, "]}");
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
