/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces in JSON: the Trace Event Format of Chrome, and what passes for it.  A list of events, or an object with such
 * a list in traceEvents, compressed or not.  Brackets and commas between events are not insisted upon: the list may be
 * open at the end (PerfFlowAspect), without commas (DFTracer), or begin again in the middle (a program that ran again).
 * What is no event costs itself, up to the next event or the next line.  The place of an event is its line.
 */
#include "base/json.h"
#include "read/json/leaves.h"
#include "read/text/text.h"
#include "read/trace/chrome_spans.h"
#include "read/trace/model.h"

#include <stdlib.h>

enum { MEMBER_MAX = 1 << 20, HOPELESS = 100, SHOWN = 200 };

enum where { OUTSIDE, IN_LIST, IN_OBJECT, SKIPPING, AFTER_FAULT, RECOVERING };

struct doc {
    struct sl_parse *p;
    struct sl_trace_model *trace;
    struct sl_known *known; /* it was made of a store; NULL: it was not */
    struct sl_text t;
    struct sl_arena arena;    /* of one event */
    enum where where, resume; /* resume: after a fault */
    bool outer;               /* the list is in an object */
    int64_t line;
    uint64_t events, faults;
    int depth; /* SKIPPING: brackets open */
    bool in_text, escaped;
};

static bool key_is(const struct sl_json_text *k, const char *s)
{
    return k->n == strlen(s) && !memcmp(k->s, s, k->n);
}

static struct sl_trace_model_text text(struct doc *d, const struct sl_json_text *v)
{
    struct sl_trace_model_text t = {NULL, 0};

    if (v->kind == '"' || v->kind == '0')
        t.s = sl_json_unescape(v, &d->arena, &t.n);
    return t;
}

/* ---- one event ---- */

/* A time, as a number or as a text. */
static bool time_of(const struct sl_json_text *v, int64_t *ns, bool *there, const char **why)
{
    if (v->kind == 'n')
        return true;
    *there = (v->kind == '0' || v->kind == '"') && sl_json_us(v->s, v->n, ns);
    if (!*there)
        *why = "a time that is no number of microseconds, or out of range";
    return *there;
}

/* id2: {"local": ...} or {"global": ...} */
static void scoped_id(struct doc *d, const struct sl_json_text *v, struct sl_trace_model_event *e)
{
    struct sl_json c = {.at = v->s, .end = v->s + v->n};
    struct sl_json_text key, id;

    for (c.at++; c.at < c.end;) {
        sl_json_blank(&c);
        if (*c.at == ',') {
            c.at++;
            continue;
        }
        if (*c.at != '"' || sl_json_string(&c, &key))
            return;
        sl_json_blank(&c);
        c.at++;
        sl_json_blank(&c);
        if (sl_json_value(&c, &id, 1))
            return;
        e->local = key_is(&key, "local");
        e->global = key_is(&key, "global");
        if (e->local || e->global)
            e->id = text(d, &id);
    }
}

/* A member of an event. */
static void member(struct doc *d, const struct sl_json_text *k, const struct sl_json_text *v,
                   struct sl_trace_model_event *e, const char **why)
{
    switch (k->n) {
    case 1:
        if (*k->s == 's' && v->kind == '"' && v->n)
            e->reach = *v->s;
        break;
    case 2:
        if (key_is(k, "ph") && v->kind == '"')
            e->phase = v->n == 1 ? *v->s : v->n ? '?' : 0;
        else if (key_is(k, "ts"))
            time_of(v, &e->ts_ns, &e->timed, why);
        else if (key_is(k, "id"))
            e->id = text(d, v);
        else if (key_is(k, "bp"))
            e->enclosing = v->kind == '"' && v->n == 1 && *v->s == 'e';
        break;
    case 3:
        if (key_is(k, "pid"))
            e->pid = text(d, v);
        else if (key_is(k, "tid"))
            e->tid = text(d, v);
        else if (key_is(k, "cat"))
            e->category = text(d, v);
        else if (key_is(k, "dur"))
            time_of(v, &e->dur_ns, &e->lasts, why);
        else if (key_is(k, "id2") && v->kind == '{')
            scoped_id(d, v, e);
        break;
    case 4:
        if (key_is(k, "name"))
            e->name = text(d, v);
        else if (key_is(k, "args") && v->kind == '{')
            e->args = (struct sl_trace_model_text){v->s, v->n};
        break;
    case 5:
        if (key_is(k, "scope"))
            e->scope = text(d, v);
        break;
    default: break;
    }
}

/* At {; what is between the commas of an event is not insisted upon either, so that a comma too many is none. */
static enum sl_json_status scan_event(struct doc *d, struct sl_json *c, struct sl_trace_model_event *e, bool *any,
                                      const char **why)
{
    struct sl_json_text key, value;
    enum sl_json_status rc;

    c->at++;
    for (;;) {
        sl_json_blank(c);
        if (c->at == c->end)
            return SL_JSON_MORE;
        if (*c->at == ',') {
            c->at++;
            continue;
        }
        if (*c->at == '}')
            break;
        if ((rc = sl_json_key(c, &key)))
            return rc;
        if ((rc = sl_json_value(c, &value, 0)))
            return rc;
        *any = true;
        member(d, &key, &value, e, why);
    }
    c->at++;
    return SL_JSON_OK;
}

static void fault(struct doc *d)
{
    d->resume = d->where == OUTSIDE ? OUTSIDE : IN_LIST;
    d->where = AFTER_FAULT;
}

static void reject(struct doc *d, const char *why, const char *s, const char *end)
{
    const char *nl = memchr(s, '\n', (size_t)(end - s));

    d->faults++;
    end = nl ? nl : end;
    sl_trace_model_reject(d->trace, d->line, why, s, (size_t)(end - s) < SHOWN ? (size_t)(end - s) : SHOWN);
}

static enum sl_json_status event(struct doc *d, struct sl_json *c)
{
    struct sl_trace_model_event e = {.place = d->line};
    const char *from = c->at, *why = NULL;
    bool any = false;
    enum sl_json_status rc = scan_event(d, c, &e, &any, &why);

    if (rc == SL_JSON_MORE) {
        c->at = from;
        c->lines = 0;
    } else if (rc == SL_JSON_BAD) {
        reject(d, "not JSON", from, c->end);
        fault(d);
    } else if (any) { /* {} closes what was open, where scripts do so */
        d->events++;
        if (!why)
            why = d->known ? sl_chrome_span(d->known, &e, &d->arena) : sl_trace_model_add(d->trace, &e);
        if (why)
            reject(d, why, from, c->at);
    }
    if (d->arena.bytes)
        sl_arena_reset(&d->arena);
    return rc == SL_JSON_MORE ? SL_JSON_MORE : SL_JSON_OK;
}

/* ---- around the events ---- */

static bool key_was(const char *key, size_t n, const char *is)
{
    return strlen(is) == n && !memcmp(key, is, n);
}

/* Where the times of the trace begin: what is known to say so, in microseconds or nanoseconds since the epoch. */
static void learn_base(void *to, const char *key, size_t n, struct sl_value v)
{
    struct doc *d = to;
    int64_t ns;

    if (key_was(key, n, "spanloom") && !d->known && v.kind == SL_TEXT && v.n == sizeof SL_CHROME_SPANS - 1 &&
        !memcmp(v.s, SL_CHROME_SPANS, v.n))
        d->known = sl_known_new(d->p);
    if (v.kind == SL_NONE || !v.s)
        return;
    if ((key_was(key, n, "clock-offset-since-epoch") || key_was(key, n, "beginningOfTime")) &&
        sl_json_us(v.s, v.n, &ns))
        sl_trace_model_base(d->trace, ns);
    else if (key_was(key, n, "baseTimeNanoseconds")) {
        static const struct sl_time_format format = {.kind = SL_TIME_UNIX_NS};
        bool naive;
        if (sl_time_parse(&format, v.s, v.n, &ns, &naive))
            sl_trace_model_base(d->trace, ns);
    }
}

/* A number keeps its digits. */
static struct sl_value as_text(const struct sl_json_text *v)
{
    return (struct sl_value){.kind = SL_TEXT, .s = v->s, .n = v->n};
}

static void object_member(struct doc *d, const struct sl_json_text *k, const struct sl_json_text *v)
{
    if (v->kind == '{' && (key_is(k, "metadata") || key_is(k, "viztracer_metadata") || key_is(k, "otherData")))
        sl_json_leaves(v->s, v->n, &d->arena, learn_base, d);
    else if (v->kind == '0' || v->kind == '"')
        learn_base(d, k->s, k->n, as_text(v));
    sl_arena_reset(&d->arena);
}

/* One member of the object around the list; its value may be larger than what is held. */
static enum sl_json_status in_object(struct doc *d, struct sl_json *c)
{
    struct sl_json_text key, value;
    struct sl_json from = *c;
    enum sl_json_status rc;

    if (*c->at == ',') {
        c->at++;
        return SL_JSON_OK;
    }
    if (*c->at == '}' || *c->at == ']') {
        c->at++;
        d->where = OUTSIDE;
        return SL_JSON_OK;
    }
    if (*c->at != '"')
        goto broken;
    if ((rc = sl_json_string(c, &key)) == SL_JSON_BAD)
        goto broken;
    if (rc == SL_JSON_OK) {
        sl_json_blank(c);
        if (c->at < c->end && *c->at != ':')
            goto broken;
        c->at += c->at < c->end;
        sl_json_blank(c);
    }
    if (rc == SL_JSON_MORE || c->at == c->end) {
        *c = from;
        return SL_JSON_MORE;
    }
    if (*c->at == '[' && key_is(&key, "traceEvents")) {
        c->at++;
        d->where = IN_LIST;
        d->outer = true;
        return SL_JSON_OK;
    }
    rc = sl_json_value(c, &value, 0);
    if (rc == SL_JSON_OK) {
        object_member(d, &key, &value);
        return SL_JSON_OK;
    }
    if (rc == SL_JSON_MORE && c->end - from.at < MEMBER_MAX) {
        *c = from;
        return SL_JSON_MORE;
    }
    c->at = key.s + key.n + 1; /* too large, or nested too deeply: no matter what it says */
    c->lines = from.lines;
    d->where = SKIPPING;
    d->depth = 0;
    d->in_text = d->escaped = false;
    return SL_JSON_OK;
broken:
    *c = from;
    reject(d, "not JSON", c->at, c->end);
    fault(d);
    return SL_JSON_OK;
}

/* The value of a member, up to the comma or bracket behind it. */
static void skip(struct doc *d, struct sl_json *c)
{
    for (; c->at < c->end; c->at++) {
        char b = *c->at;
        c->lines += b == '\n';
        if (d->in_text) {
            if (d->escaped)
                d->escaped = false;
            else if (b == '\\')
                d->escaped = true;
            else if (b == '"')
                d->in_text = false;
        } else if (b == '"') {
            d->in_text = true;
        } else if (b == '{' || b == '[') {
            d->depth++;
        } else if ((b == '}' || b == ']' || b == ',') && d->depth == 0) {
            d->where = IN_OBJECT;
            return;
        } else if (b == '}' || b == ']') {
            d->depth--;
        }
    }
}

static bool is_one_of(const struct sl_json_text *k, const char *const *list)
{
    while (*list && !key_is(k, *list))
        list++;
    return *list != NULL;
}

/* Is this the object around the events?  Its first key says so: outside of a list, all but those of events. */
static enum sl_json_status first_key(struct doc *d, struct sl_json *c)
{
    static const char *const of_events[] = {"name", "cat", "ph", "ts",  "pid",   "tid",   "id", "dur",   "args", "tts",
                                            "tdur", "s",   "bp", "id2", "scope", "cname", "sf", "stack", NULL};
    static const char *const of_objects[] = {"traceEvents", "displayTimeUnit", "otherData", "metadata", NULL};
    struct sl_json peek = *c;
    struct sl_json_text key;
    enum sl_json_status rc;

    peek.at++;
    sl_json_blank(&peek);
    if (peek.at == peek.end)
        return SL_JSON_MORE;
    if (*peek.at != '"')
        return event(d, c);
    if ((rc = sl_json_string(&peek, &key)) != SL_JSON_OK)
        return rc == SL_JSON_MORE ? rc : event(d, c);
    if (d->where == IN_LIST ? !is_one_of(&key, of_objects) : is_one_of(&key, of_events))
        return event(d, c);
    c->at++;
    d->where = IN_OBJECT;
    return SL_JSON_OK;
}

/* To where an event may begin again: here, behind a bracket in this line, or in the next line. */
static void recover(struct doc *d, struct sl_json *c)
{
    if (d->where == AFTER_FAULT && c->end - c->at > 1 && c->at[0] == '{' && c->at[1] == '"') {
        d->where = d->resume;
        return;
    }
    d->where = RECOVERING;
    for (; c->at < c->end && *c->at != '\n'; c->at++) {
        if (*c->at != '}')
            continue;
        while (c->at + 1 < c->end && (c->at[1] == ',' || c->at[1] == ' ' || c->at[1] == '}'))
            c->at++;
        if (c->at + 1 < c->end && c->at[1] == '{') {
            c->at++;
            break;
        }
    }
    if (c->at < c->end)
        d->where = d->resume;
}

/* The next thing; MORE: it is not all there. */
static enum sl_json_status step(struct doc *d, struct sl_json *c)
{
    if (d->where == SKIPPING) {
        skip(d, c);
        return SL_JSON_OK;
    }
    if (d->where == AFTER_FAULT || d->where == RECOVERING) {
        recover(d, c);
        return SL_JSON_OK;
    }
    sl_json_blank(c);
    d->line += c->lines;
    c->lines = 0;
    if (c->at == c->end)
        return SL_JSON_OK;
    if (d->where == IN_OBJECT)
        return in_object(d, c);
    switch (*c->at) {
    case '{': return first_key(d, c);
    case '[':
        d->outer &= d->where == IN_LIST;
        d->where = IN_LIST;
        break;
    case ']':
        d->where = d->outer ? IN_OBJECT : OUTSIDE;
        d->outer = false;
        break;
    case '}':
        d->where = OUTSIDE;
        d->outer = false;
        break;
    case ',': break;
    default:
        reject(d, "not an event of a trace", c->at, c->end);
        fault(d);
        return SL_JSON_OK;
    }
    c->at++;
    return SL_JSON_OK;
}

static int read_on(struct doc *d, struct sl_err *err)
{
    struct sl_text *t = &d->t;
    int rc;

    while (!sl_parse_stopped(d->p)) {
        size_t held = t->end - t->at;
        enum sl_json_status got = SL_JSON_OK;
        struct sl_json c;
        t->start = t->at;
        if ((rc = sl_text_more(t, err)) < 0)
            return rc;
        if (rc == 0)
            break;
        if (held > SL_JSON_MAX && t->end - t->at > held) { /* one event of more than 16 MiB */
            c = (struct sl_json){.at = t->buf + t->at, .end = t->buf + t->end};
            reject(d, "an event of more than 16 MiB", c.at, c.end);
            fault(d);
            t->at += held;
        }
        if (d->line == 0) {
            d->line = 1;
            if (t->end >= 3 && !memcmp(t->buf, "\xEF\xBB\xBF", 3))
                t->at += 3;
        }
        c = (struct sl_json){.at = t->buf + t->at, .end = t->buf + t->end};
        while (c.at < c.end && got == SL_JSON_OK && (d->events || d->faults < HOPELESS)) {
            got = step(d, &c);
            d->line += c.lines;
            c.lines = 0;
        }
        t->at = d->events || d->faults < HOPELESS ? (size_t)(c.at - t->buf) : t->end;
    }
    return 0;
}

static void at_the_end(struct doc *d)
{
    struct sl_text *t = &d->t;
    const char *damage = sl_bytes_damage(t->from);

    if (sl_parse_stopped(d->p))
        return;
    if (t->at < t->end || damage)
        reject(d,
               damage                  ? damage
               : d->where == IN_OBJECT ? "the document is cut off"
                                       : "the last event is cut off",
               t->buf + t->at, t->buf + t->end);
}

static int run(struct sl_parse *p, const char *path, struct sl_err *err)
{
    struct doc d = {.p = p};
    int rc = sl_text_open(&d.t, p, path, err);

    if (rc)
        return rc;
    d.t.cut_is_reject = true;
    d.trace = sl_trace_model_new(p);
    rc = read_on(&d, err);
    at_the_end(&d);
    rc = sl_text_close(&d.t, rc, err);
    if (d.known) {
        sl_known_finish(d.known);
        sl_known_free(d.known);
    }
    sl_trace_model_end(d.trace);
    sl_trace_model_free(d.trace);
    sl_arena_free(&d.arena);
    return rc;
}

const struct sl_reader sl_reader_chrome = {
    .name = "chrome",
    .keys = " empty defaults ",
    .run = run,
    .grows = true,
};
