/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans and metrics of OpenTelemetry: JSON of OTLP (opentelemetry-proto, "JSON Protobuf Encoding"), a request a line as
 * its file exporters write it, or over several lines, one after the other or in a list.  The place of a span is the
 * line of its request.  One request is held at a time.  Spans that spanloom export otlp wrote are the same spans again
 * (known.h); others are otel.span in otel.trace, by their ids.
 * Above 600 lines, as three kinds of things (our spans, those of others, metrics) share one walk and its helpers.
 */
#include "base/buf.h"
#include "base/json.h"
#include "read/json/leaves.h"
#include "read/text/text.h"
#include "read/trace/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { REQUEST_MAX = 1 << 30, SHOWN = 200, HEX = 33 };

struct attribute {
    const char *name;
    size_t n;
    struct sl_json_text value; /* an AnyValue */
};
typedef SL_VEC(struct attribute) attributes;

struct own { /* what a span of ours says of itself */
    struct sl_json_text type, key, times, named_in;
};

struct otlp {
    struct sl_parse *p;
    struct sl_text t;
    struct sl_known *known;
    struct sl_arena arena; /* of one request */
    int64_t line;          /* where the request begins */
    struct sl_buf resource, path;
    struct sl_json_text resource_text; /* its attributes are told once for each request */
    attributes attr;
};

static bool is(const struct sl_json_text *t, const char *s)
{
    return t->n == strlen(s) && !memcmp(t->s, s, t->n);
}

static bool member(struct sl_json *c, bool first, struct sl_json_text *key, struct sl_json_text *value)
{
    return sl_json_next(c, '}', first) == SL_JSON_OK && sl_json_key(c, key) == SL_JSON_OK &&
           sl_json_value(c, value, 1) == SL_JSON_OK;
}

static bool item(struct sl_json *c, bool first, struct sl_json_text *value)
{
    return sl_json_next(c, ']', first) == SL_JSON_OK && sl_json_value(c, value, 1) == SL_JSON_OK;
}

static struct sl_json inside(const struct sl_json_text *t)
{
    return t->n ? (struct sl_json){.at = t->s + 1, .end = t->s + t->n} : (struct sl_json){0}; /* there may be none */
}

/* The value of a member of an object; kind 0: it has none. */
static struct sl_json_text get(const struct sl_json_text *object, const char *name)
{
    struct sl_json c = inside(object);
    struct sl_json_text key, value;

    if (object->kind == '{')
        for (bool first = true; member(&c, first, &key, &value); first = false)
            if (is(&key, name))
                return value;
    return (struct sl_json_text){0};
}

static bool whole_number(const struct sl_json_text *t, int64_t *to)
{
    bool minus = t->n && *t->s == '-';

    *to = 0;
    for (size_t i = minus; i < t->n; i++)
        if (t->s[i] < '0' || t->s[i] > '9' || __builtin_mul_overflow(*to, 10, to) ||
            (minus ? __builtin_sub_overflow(*to, t->s[i] - '0', to) : __builtin_add_overflow(*to, t->s[i] - '0', to)))
            return false;
    return t->n > minus && (t->kind == '"' || t->kind == '0');
}

/* ---- ids ---- */

static int base64(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;

    return at ? (int)(at - digits) : -1;
}

/* An id of n bytes as lower-case digits; false: it is none, or zero.  Some write it in base64, as Protobuf does. */
static bool id_of(const struct sl_json_text *t, size_t n, char to[HEX])
{
    static const char hex[] = "0123456789abcdef";
    bool any = false;

    if (t->kind != '"')
        return false;
    if (t->n == 2 * n) {
        for (size_t i = 0; i < 2 * n; i++) {
            char c = t->s[i] >= 'A' && t->s[i] <= 'F' ? (char)(t->s[i] + 32) : t->s[i];
            if (!c || !strchr(hex, c))
                return false;
            any |= c != '0';
            to[i] = c;
        }
    } else if (t->n == (n + 2) / 3 * 4) {
        uint32_t bits = 0;
        size_t have = 0, out = 0;
        for (size_t i = 0; i < t->n && out < n; i++) {
            int d = base64(t->s[i]);
            if (d < 0)
                return false;
            bits = bits << 6 | (uint32_t)d;
            have += 6;
            if (have >= 8) {
                unsigned byte = bits >> (have -= 8) & 0xff;
                to[2 * out] = hex[byte >> 4];
                to[2 * out++ + 1] = hex[byte & 15];
                any |= byte != 0;
            }
        }
    } else {
        return false;
    }
    to[2 * n] = 0;
    return any;
}

static uint64_t number_of(const char *hex)
{
    return strtoull(hex, NULL, 16);
}

/* ---- values ---- */

/* An AnyValue that is no list and no map; kind SL_NONE: it is. */
static struct sl_value scalar(struct otlp *o, const struct sl_json_text *any)
{
    struct sl_json c = inside(any);
    struct sl_json_text key, value;
    struct sl_value v = {.kind = SL_NONE};

    if (any->kind != '{' || !member(&c, true, &key, &value))
        return v;
    if (is(&key, "stringValue") || is(&key, "bytesValue") || is(&key, "boolValue")) {
        size_t n = value.n;
        v.s = value.kind == '"' ? sl_json_unescape(&value, &o->arena, &n) : value.s;
        v.n = (uint32_t)n;
        v.kind = SL_TEXT;
    } else if (is(&key, "intValue")) {
        int64_t i;
        if (whole_number(&value, &i))
            v = (struct sl_value){.kind = SL_INT, .i = i};
        else
            v = (struct sl_value){.kind = SL_TEXT, .s = value.s, .n = value.n};
    } else if (is(&key, "doubleValue")) {
        char text[64];
        snprintf(text, sizeof text, "%.*s", (int)(value.n < 60 ? value.n : 60), value.s); /* Infinity, too */
        v = (struct sl_value){.kind = SL_REAL, .d = strtod(text, NULL)};
        if (v.d != v.d)
            v = (struct sl_value){.kind = SL_TEXT, .s = "NaN", .n = 3};
    }
    return v;
}

/* [{"key": NAME, "value": AnyValue}, ...], those of maps and lists as a.b and a.0, behind what is in o->path. */
static void gather(struct otlp *o, const struct sl_json_text *list, bool flat, int depth);

static void gather_value(struct otlp *o, const struct sl_json_text *any, bool flat, int depth)
{
    struct sl_json c = inside(any);
    struct sl_json_text key, value, one, values;
    size_t before = o->path.n;

    if (any->kind != '{' || depth > 16)
        return;
    if (flat && member(&c, true, &key, &value) && value.kind == '{' && (values = get(&value, "values")).kind == '[') {
        if (is(&key, "kvlistValue")) {
            sl_buf_addc(&o->path, '.');
            gather(o, &values, flat, depth + 1);
        } else {
            struct sl_json in = inside(&values);
            int64_t i = 0;
            for (bool first = true; item(&in, first, &one); first = false) {
                o->path.n = before;
                sl_buf_addc(&o->path, '.');
                sl_buf_add_int(&o->path, i++);
                gather_value(o, &one, flat, depth + 1);
            }
        }
        o->path.n = before;
        return;
    }
    *sl_vec_add(&o->attr) = (struct attribute){sl_arena_copy(&o->arena, o->path.s, o->path.n), o->path.n, *any};
}

static void gather(struct otlp *o, const struct sl_json_text *list, bool flat, int depth)
{
    struct sl_json c = inside(list);
    struct sl_json_text one;
    size_t before = o->path.n;

    if (list->kind != '[')
        return;
    for (bool first = true; item(&c, first, &one); first = false) {
        struct sl_json_text key = get(&one, "key"), value = get(&one, "value");
        size_t n;
        const char *s = key.kind == '"' ? sl_json_unescape(&key, &o->arena, &n) : NULL;
        o->path.n = before;
        if (!s || !n)
            continue;
        sl_buf_add(&o->path, s, n);
        gather_value(o, &value, flat, depth);
    }
    o->path.n = before;
}

static void gather_all(struct otlp *o, const struct sl_json_text *list, bool flat)
{
    sl_vec_clear(&o->attr);
    sl_buf_clear(&o->path);
    gather(o, list, flat, 0);
}

static void set_text(struct otlp *o, const char *field, const char *s, size_t n)
{
    int slot = sl_parse_slot(o->p, field, strlen(field));

    if (slot >= 0 || *field != '_')
        sl_parse_set(o->p, slot, field, strlen(field), (struct sl_value){.kind = SL_TEXT, .s = s, .n = (uint32_t)n});
}

static void set_json(struct otlp *o, const char *field, const struct sl_json_text *t)
{
    size_t n = t->n;
    const char *s = t->kind == '"' ? sl_json_unescape(t, &o->arena, &n) : t->s;

    if (t->kind == '"' || t->kind == '0')
        set_text(o, field, s, n);
}

static bool set_time(struct otlp *o, const char *field, const struct sl_json_text *t)
{
    int slot = sl_parse_slot(o->p, field, strlen(field));
    int64_t ns;

    if (!whole_number(t, &ns) || ns == 0) /* 0: unknown */
        return false;
    if (slot >= 0)
        sl_parse_set(o->p, slot, field, strlen(field), (struct sl_value){.kind = SL_INT, .i = ns});
    return true;
}

/* An attribute; what we call so ourselves is args.NAME. */
static void set_attribute(struct otlp *o, const struct attribute *a, struct sl_value v)
{
    static const char *const ours[] = {"name", "kind", "scope", "status", "status_message", "trace_state"};
    const char *name = a->name;
    size_t n = a->n;
    int slot;

    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strlen(ours[i]) == n && !memcmp(ours[i], name, n)) {
            char *other = sl_arena_alloc(&o->arena, n + 6);
            n = (size_t)sprintf(other, "args.%s", ours[i]);
            name = other;
        }
    if (v.kind == SL_NONE || memchr(name, 0, n))
        return;
    slot = *name == '_' ? -1 : sl_parse_slot(o->p, name, n);
    if (slot == o->p->recipe->field_text || slot == o->p->recipe->field_table)
        slot = -1;
    sl_parse_set(o->p, slot, name, n, v);
}

static void set_attributes(struct otlp *o, const struct sl_json_text *list)
{
    gather_all(o, list, true);
    for (size_t i = 0; i < o->attr.n; i++)
        set_attribute(o, &o->attr.v[i], scalar(o, &o->attr.v[i].value));
}

static void reject(struct otlp *o, const char *why, const struct sl_json_text *t)
{
    sl_parse_reject(o->p, o->line, why, t->s, t->n < SHOWN ? t->n : SHOWN);
}

/* ---- spans of ours ---- */

static bool of_ours(struct otlp *o, const struct sl_json_text *span, struct own *to)
{
    struct sl_json_text attributes = get(span, "attributes"), one;
    struct sl_json c = inside(&attributes);

    (void)o;
    *to = (struct own){0};
    if (attributes.kind != '[')
        return false;
    for (bool first = true; item(&c, first, &one); first = false) {
        struct sl_json_text key = get(&one, "key"), value = get(&one, "value");
        if (key.n < 9 || memcmp(key.s, "spanloom.", 9) != 0)
            break; /* they come first */
        value = get(&value, "stringValue");
        if (is(&key, "spanloom.type"))
            to->type = value;
        else if (is(&key, "spanloom.key"))
            to->key = value;
        else if (is(&key, "spanloom.times"))
            to->times = value;
        else if (is(&key, "spanloom.named_in"))
            to->named_in = value;
    }
    return to->type.kind == '"' && to->key.kind == '"';
}

/* Makes it known; false: what it is named in is not yet. */
static bool introduce(struct otlp *o, const struct sl_json_text *span, const struct own *own)
{
    struct sl_json_text id = get(span, "spanId"),
                        parent = own->named_in.kind ? own->named_in : get(span, "parentSpanId");
    char number[HEX], in[HEX];
    const char *type, *key;
    size_t ntype, nkey;
    uint64_t within = id_of(&parent, 8, in) ? number_of(in) : 0;

    if (!id_of(&id, 8, number))
        return true; /* which is told later */
    if (within && !sl_known_has(o->known, within))
        return false;
    type = sl_json_unescape(&own->type, &o->arena, &ntype);
    key = sl_json_unescape(&own->key, &o->arena, &nkey);
    sl_known_add(o->known, number_of(number), within, type, ntype, key, nkey);
    return true;
}

/* The attributes, in turns: lists are several values of one name. */
static void known_attributes(struct otlp *o, uint64_t id, const struct sl_json_text *span, const struct own *own)
{
    struct sl_json_text list = get(span, "attributes"), begin = get(span, "startTimeUnixNano"),
                        end = get(span, "endTimeUnixNano");
    bool more = true;
    int64_t ns;

    gather_all(o, &list, false);
    for (size_t turn = 0; more && sl_known_begin(o->known, id, "span", o->line + (int64_t)turn); turn++) {
        more = false;
        for (size_t i = 0; i < o->attr.n; i++) {
            const struct attribute *a = &o->attr.v[i];
            struct sl_json_text array = get(&a->value, "arrayValue"), values = get(&array, "values"), one = a->value;
            bool there = !turn;
            if (a->n > 9 && !memcmp(a->name, "spanloom.", 9) &&
                (!strcmp(a->name + 9, "type") || !strcmp(a->name + 9, "key") || !strcmp(a->name + 9, "times") ||
                 !strcmp(a->name + 9, "named_in")))
                continue;
            if (values.kind == '[') {
                struct sl_json c = inside(&values);
                size_t at = 0;
                struct sl_json_text each;
                there = false;
                for (bool first = true; item(&c, first, &each); first = false, at++) {
                    if (at == turn) {
                        one = each;
                        there = true;
                    }
                    more |= at > turn;
                }
            }
            if (there)
                sl_known_value(o->known, a->name, a->n, scalar(o, &one));
        }
        if (!turn && !own->times.kind) {
            if (whole_number(&begin, &ns))
                sl_known_time(o->known, "begin", ns);
            if (whole_number(&end, &ns))
                sl_known_time(o->known, "end", ns);
        }
        sl_known_end(o->known);
    }
}

static void known_span(struct otlp *o, const struct sl_json_text *span, const struct own *own)
{
    struct sl_json_text id = get(span, "spanId"), list, one, parent = get(span, "parentSpanId");
    char hex[HEX];
    uint64_t number;

    if (!id_of(&id, 8, hex) || !sl_known_has(o->known, number_of(hex))) {
        reject(o, "a span whose id is none, or that lies in one that is not in the file", span);
        return;
    }
    number = number_of(hex);
    known_attributes(o, number, span, own);
    list = get(span, "events");
    if (list.kind == '[') {
        struct sl_json c = inside(&list);
        for (bool first = true; item(&c, first, &one); first = false) {
            struct sl_json_text name = get(&one, "name"), time = get(&one, "timeUnixNano");
            int64_t ns;
            size_t n;
            const char *s;
            if (name.kind != '"' || !whole_number(&time, &ns)) {
                reject(o, "an event that has no name or no time", &one);
                continue;
            }
            s = sl_json_unescape(&name, &o->arena, &n);
            sl_known_event(o->known, number, s, n, ns, o->line);
        }
    }
    if (own->named_in.kind && id_of(&parent, 8, hex))
        sl_known_link(o->known, number, "in", 2, number_of(hex), false, o->line);
    list = get(span, "links");
    if (list.kind == '[') {
        struct sl_json c = inside(&list);
        for (bool first = true; item(&c, first, &one); first = false) {
            struct sl_json_text to = get(&one, "spanId"), says = get(&one, "attributes"), kind;
            bool sure = true, follows = true;
            gather_all(o, &says, true);
            for (size_t i = 0; i < o->attr.n; i++) {
                sure &= strcmp(o->attr.v[i].name, "spanloom.confidence") != 0;
                if (!strcmp(o->attr.v[i].name, "spanloom.rule")) {
                    kind = get(&o->attr.v[i].value, "stringValue");
                    follows = kind.kind != '"' || sl_known_follows(kind.s, kind.n);
                }
            }
            for (size_t i = 0; i < o->attr.n; i++)
                if (o->attr.v[i].n == 13 && !memcmp(o->attr.v[i].name, "spanloom.kind", 13) && id_of(&to, 8, hex)) {
                    kind = get(&o->attr.v[i].value, "stringValue");
                    sl_known_link(o->known, number, kind.s, kind.n, number_of(hex), !sure && follows, o->line);
                }
        }
    }
}

/* ---- spans of others ---- */

static void begin_record(struct otlp *o, const char *kind)
{
    sl_parse_begin(o->p, o->line);
    set_text(o, "_kind", kind, strlen(kind));
    set_text(o, "_resource", o->resource.s, o->resource.n);
}

static const char *word_of(const struct sl_json_text *t, const char *const *words, size_t n, const char *prefix)
{
    int64_t i;

    if (t->kind == '0' && whole_number(t, &i) && i >= 0 && i < (int64_t)n)
        return words[i];
    for (size_t w = 0; t->kind == '"' && w < n; w++) /* "SPAN_KIND_SERVER" */
        if (t->n > strlen(prefix) && t->n - strlen(prefix) == strlen(words[w]) &&
            !strncasecmp(t->s + strlen(prefix), words[w], strlen(words[w])))
            return words[w];
    return "";
}

static void other_span(struct otlp *o, const struct sl_json_text *span, const struct sl_json_text *scope)
{
    static const char *const kinds[] = {"", "internal", "server", "client", "producer", "consumer"}, *const codes[] = {
                                                                                                         "", "ok",
                                                                                                         "error"};
    struct sl_json_text trace = get(span, "traceId"), id = get(span, "spanId"), parent = get(span, "parentSpanId"),
                        name = get(span, "name"), attributes = get(span, "attributes"), kind = get(span, "kind"),
                        status = get(span, "status"), begin = get(span, "startTimeUnixNano"),
                        end = get(span, "endTimeUnixNano"), state = get(span, "traceState"), one, list,
                        code = get(&status, "code"), message = get(&status, "message"), scope_name = get(scope, "name");
    char t[HEX], s[HEX], in[HEX];
    const char *word;

    if (!id_of(&trace, 16, t) || !id_of(&id, 8, s)) {
        reject(o, "a span without traceId and spanId, of 32 and 16 digits", span);
        return;
    }
    begin_record(o, "otel span");
    set_text(o, "_trace", t, 32);
    set_text(o, "_span", s, 16);
    if (id_of(&parent, 8, in))
        set_text(o, "_parent", in, 16);
    set_time(o, "_begin", &begin);
    set_time(o, "_end", &end);
    set_json(o, "name", &name);
    set_json(o, "scope", &scope_name);
    set_json(o, "status_message", &message);
    set_json(o, "trace_state", &state);
    if (*(word = word_of(&kind, kinds, 6, "SPAN_KIND_")))
        set_text(o, "kind", word, strlen(word));
    if (*(word = word_of(&code, codes, 3, "STATUS_CODE_")))
        set_text(o, "status", word, strlen(word));
    set_attributes(o, &attributes);
    sl_parse_end(o->p);
    list = get(span, "events");
    struct sl_json c = inside(&list);
    for (bool first = true; list.kind == '[' && item(&c, first, &one); first = false) {
        struct sl_json_text called = get(&one, "name"), time = get(&one, "timeUnixNano"),
                            more = get(&one, "attributes");
        begin_record(o, "otel event");
        set_text(o, "_trace", t, 32);
        set_text(o, "_span", s, 16);
        set_json(o, "_event", &called);
        set_time(o, "_time", &time);
        gather_all(o, &more, true);
        if (o->attr.n) {
            set_text(o, "_args", "1", 1);
            o->p->whole = one.s;
            o->p->nwhole = one.n;
        }
        sl_parse_end(o->p);
        o->p->whole = NULL;
        o->p->nwhole = 0;
    }
    list = get(span, "links");
    c = inside(&list);
    for (bool first = true; list.kind == '[' && item(&c, first, &one); first = false) {
        struct sl_json_text to_trace = get(&one, "traceId"), to = get(&one, "spanId");
        char other[HEX];
        if (!id_of(&to_trace, 16, other) || !id_of(&to, 8, in)) {
            reject(o, "a link without traceId and spanId", &one);
            continue;
        }
        begin_record(o, "otel link");
        set_text(o, "_trace", t, 32);
        set_text(o, "_span", s, 16);
        set_text(o, "_to_trace", other, 32);
        set_text(o, "_to_span", in, 16);
        sl_parse_end(o->p);
    }
}

/* ---- metrics ---- */

/* A point of a gauge or a sum: of one of our spans, or of the resource; its attributes are in the metric's name. */
static void point(struct otlp *o, const struct sl_json_text *metric, const struct sl_json_text *p)
{
    struct sl_json_text name = get(metric, "name"), time = get(p, "timeUnixNano"), says = get(p, "attributes"),
                        i = get(p, "asInt"), d = get(p, "asDouble");
    struct sl_value v = {.kind = SL_NONE};
    struct sl_buf called = {0};
    char number[HEX] = "", text[64];
    const char *s;
    size_t n;
    int64_t ns;

    if (i.kind && whole_number(&i, &ns))
        v = (struct sl_value){.kind = SL_INT, .i = ns};
    else if (d.kind == '0' || d.kind == '"') {
        snprintf(text, sizeof text, "%.*s", (int)(d.n < 60 ? d.n : 60), d.s);
        v = (struct sl_value){.kind = SL_REAL, .d = strtod(text, NULL)};
    }
    if (name.kind != '"' || !whole_number(&time, &ns) || v.kind == SL_NONE || v.d != v.d) {
        reject(o, "a point of a metric that has no name, no time or no value", p);
        return;
    }
    s = sl_json_unescape(&name, &o->arena, &n);
    sl_buf_add(&called, s, n);
    gather_all(o, &says, true);
    for (size_t k = 0; k < o->attr.n; k++) {
        struct sl_value a = scalar(o, &o->attr.v[k].value);
        if (o->attr.v[k].n == 13 && !memcmp(o->attr.v[k].name, "spanloom.span", 13)) {
            struct sl_json_text id = get(&o->attr.v[k].value, "stringValue");
            if (!id_of(&id, 8, number))
                *number = 0;
            continue;
        }
        sl_buf_addc(&called, called.n == n ? '{' : ',');
        sl_buf_add(&called, o->attr.v[k].name, o->attr.v[k].n);
        sl_buf_addc(&called, '=');
        if (a.kind == SL_INT)
            sl_buf_add_int(&called, a.i);
        else if (a.kind == SL_TEXT)
            sl_buf_add(&called, a.s, a.n);
        else
            sl_buf_addf(&called, "%g", a.d);
    }
    if (called.n > n)
        sl_buf_addc(&called, '}');
    if (*number && sl_known_has(o->known, number_of(number))) {
        if (sl_known_begin(o->known, number_of(number), "span sample", o->line)) {
            sl_known_time(o->known, "time", ns);
            sl_known_value(o->known, called.s, called.n, v);
            sl_known_end(o->known);
        }
    } else {
        begin_record(o, "otel metric");
        set_time(o, "_time", &time);
        sl_parse_set(o->p, -1, called.s, called.n, v);
        sl_parse_end(o->p);
    }
    sl_buf_free(&called);
}

static void metric(struct otlp *o, const struct sl_json_text *m)
{
    static const char *const kinds[] = {"gauge", "sum"};
    struct sl_json_text data = {0}, points, one;

    for (size_t i = 0; i < 2 && data.kind != '{'; i++)
        data = get(m, kinds[i]);
    points = get(&data, "dataPoints");
    if (points.kind != '[') { /* histograms and the like */
        begin_record(o, "other");
        sl_parse_end(o->p);
        return;
    }
    struct sl_json c = inside(&points);
    for (bool first = true; item(&c, first, &one); first = false)
        point(o, m, &one);
}

/* ---- requests ---- */

/* What spans of a resource lie in: its service and instance, or its host and process. */
static void name_resource(struct otlp *o)
{
    static const char *const names[] = {"service.namespace", "service.name", "service.instance.id", "host.name",
                                        "process.pid"};
    struct sl_value v[5] = {{0}};

    for (size_t i = 0; i < o->attr.n; i++)
        for (size_t k = 0; k < 5; k++)
            if (o->attr.v[i].n == strlen(names[k]) && !memcmp(o->attr.v[i].name, names[k], o->attr.v[i].n))
                v[k] = scalar(o, &o->attr.v[i].value);
    if (v[2].kind != SL_NONE)
        v[3] = v[4] = (struct sl_value){.kind = SL_NONE};
    sl_buf_clear(&o->resource);
    for (size_t k = 0; k < 5; k++) {
        if (v[k].kind == SL_NONE)
            continue;
        if (o->resource.n)
            sl_buf_addc(&o->resource, k == 1 ? '/' : k == 4 ? ':' : '@');
        if (v[k].kind == SL_INT)
            sl_buf_add_int(&o->resource, v[k].i);
        else if (v[k].kind == SL_TEXT)
            sl_buf_add(&o->resource, v[k].s, v[k].n);
    }
    if (!o->resource.n)
        sl_buf_adds(&o->resource, "unknown");
}

static void resource(struct otlp *o, const struct sl_json_text *r)
{
    struct sl_json_text attributes = get(r, "attributes");

    gather_all(o, &attributes, true);
    name_resource(o);
    o->resource_text = attributes;
}

/* Its attributes, where something lies in it that is not one of our spans. */
static void tell_resource(struct otlp *o)
{
    if (!o->resource_text.kind)
        return;
    begin_record(o, "otel resource");
    set_attributes(o, &o->resource_text);
    sl_parse_end(o->p);
    o->resource_text.kind = 0;
}

enum pass { KNOW, TELL };

/* Each span or metric of a request; how many are still to be introduced. */
static size_t each(struct otlp *o, const struct sl_json_text *request, enum pass pass)
{
    struct sl_json_text spans = get(request, "resourceSpans"), metrics = get(request, "resourceMetrics"), r, s, one,
                        scope;
    size_t missing = 0;

    for (int kind = 0; kind < 2; kind++) {
        struct sl_json_text *list = kind ? &metrics : &spans;
        struct sl_json c = inside(list);
        for (bool first = true; list->kind == '[' && item(&c, first, &r); first = false) {
            struct sl_json_text scopes = get(&r, kind ? "scopeMetrics" : "scopeSpans"), of = get(&r, "resource");
            struct sl_json in = inside(&scopes);
            if (pass == TELL)
                resource(o, &of);
            for (bool begin = true; scopes.kind == '[' && item(&in, begin, &s); begin = false) {
                struct sl_json_text items = get(&s, kind ? "metrics" : "spans");
                struct sl_json each = inside(&items);
                scope = get(&s, "scope");
                for (bool first_item = true; items.kind == '[' && item(&each, first_item, &one); first_item = false) {
                    struct own own;
                    if (kind && pass == TELL) {
                        metric(o, &one);
                    } else if (!kind && of_ours(o, &one, &own)) {
                        if (pass == TELL)
                            known_span(o, &one, &own);
                        else
                            missing += !introduce(o, &one, &own);
                    } else if (!kind && pass == TELL) {
                        tell_resource(o);
                        other_span(o, &one, &scope);
                    }
                    if (sl_parse_stopped(o->p))
                        return 0;
                }
            }
        }
    }
    return missing;
}

static void request(struct otlp *o, const struct sl_json_text *t)
{
    size_t missing, before = SIZE_MAX;

    if (t->kind == '[') { /* several */
        struct sl_json c = inside(t);
        struct sl_json_text one;
        for (bool first = true; item(&c, first, &one); first = false)
            request(o, &one);
        return;
    }
    if (!get(t, "resourceSpans").kind && !get(t, "resourceMetrics").kind) {
        if (get(t, "resourceLogs").kind) {
            begin_record(o, "other");
            sl_parse_end(o->p);
        } else {
            reject(o, "not a request of OTLP: no resourceSpans, resourceMetrics or resourceLogs", t);
        }
        return;
    }
    while ((missing = each(o, t, KNOW)) && missing < before) /* a span may stand before what it is named in */
        before = missing;
    each(o, t, TELL);
}

static void fault(struct otlp *o, struct sl_json *c, const char *why)
{
    const char *nl = memchr(c->at, '\n', (size_t)(c->end - c->at));
    struct sl_json_text t = {.s = c->at, .n = (uint32_t)((nl ? nl : c->end) - c->at)};

    reject(o, why, &t);
    c->at = nl ? nl : c->end;
}

/* What is whole in the buffer. */
static void requests(struct otlp *o, bool last)
{
    struct sl_text *in = &o->t;
    struct sl_json c = {.at = in->buf + in->at, .end = in->buf + in->end};

    while (!sl_parse_stopped(o->p)) {
        struct sl_json_text t;
        enum sl_json_status rc;
        sl_json_blank(&c);
        o->line += c.lines;
        c.lines = 0;
        in->at = (size_t)(c.at - in->buf);
        if (c.at == c.end)
            return;
        if (*c.at != '{' && *c.at != '[') {
            fault(o, &c, "not JSON");
            continue;
        }
        rc = sl_json_value(&c, &t, 0);
        if (rc == SL_JSON_OK) {
            request(o, &t);
            sl_arena_reset(&o->arena);
        } else if (rc == SL_JSON_BAD || last) {
            c = (struct sl_json){.at = in->buf + in->at, .end = c.end};
            fault(o, &c, rc == SL_JSON_BAD ? "not JSON" : "the last request is cut off");
        } else {
            return;
        }
    }
}

static int run(struct sl_parse *p, const char *path, struct sl_err *err)
{
    struct otlp o = {.p = p, .line = 1};
    int rc = sl_text_open(&o.t, p, path, err), more = 0;
    size_t enough = 0;

    if (rc)
        return rc;
    o.t.cut_is_reject = true;
    o.known = sl_known_new(p);
    while (!sl_parse_stopped(p)) {
        o.t.start = o.t.at;
        if ((more = sl_text_more(&o.t, err)) <= 0)
            break;
        if (o.t.end - o.t.at < enough) /* to look again at twice as much */
            continue;
        requests(&o, false);
        enough = 2 * (o.t.end - o.t.at);
        if (o.t.end - o.t.at > REQUEST_MAX) {
            more = sl_err(err, SL_EFORMAT, "%s:%lld: a request of more than 1 GiB", path, (long long)o.line);
            break;
        }
    }
    if (more == 0)
        requests(&o, true);
    if (more == 0 && sl_bytes_damage(o.t.from))
        sl_parse_reject(p, o.line, sl_bytes_damage(o.t.from), "", 0);
    rc = sl_text_close(&o.t, more < 0 ? more : 0, err);
    if (!rc)
        sl_known_finish(o.known);
    sl_known_free(o.known);
    sl_arena_free(&o.arena);
    sl_buf_free(&o.resource);
    sl_buf_free(&o.path);
    sl_vec_free(&o.attr);
    return rc;
}

const struct sl_reader sl_reader_otlp = {
    .name = "otlp",
    .keys = "",
    .run = run,
    .grows = true,
};
