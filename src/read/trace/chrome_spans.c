/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of a trace that spanloom export chrome made of a store (export/chrome.c): which spans there are, then what
 * belongs to each.  What else is in it is for viewers.
 */
#include "read/trace/chrome_spans.h"
#include "read/json/leaves.h"

static bool is(const struct sl_json_text *t, const char *s)
{
    return t->n == strlen(s) && !memcmp(t->s, s, t->n);
}

static bool called(const struct sl_trace_model_text *t, const char *s)
{
    return t->n == strlen(s) && !memcmp(t->s, s, t->n);
}

static bool whole_number(const char *s, size_t n, int64_t *to)
{
    bool minus = n && *s == '-';

    *to = 0;
    for (size_t i = minus; i < n; i++)
        if (s[i] < '0' || s[i] > '9' || __builtin_mul_overflow(*to, 10, to) ||
            (minus ? __builtin_sub_overflow(*to, s[i] - '0', to) : __builtin_add_overflow(*to, s[i] - '0', to)))
            return false;
    return n > minus;
}

static uint64_t number(const struct sl_json_text *t)
{
    int64_t x;

    return whole_number(t->s, t->n, &x) && x > 0 ? (uint64_t)x : 0;
}

/* The next member of the object that c is in; false: there is no more. */
static bool member(struct sl_json *c, bool first, struct sl_json_text *key, struct sl_json_text *value)
{
    return sl_json_next(c, '}', first) == SL_JSON_OK && sl_json_key(c, key) == SL_JSON_OK &&
           sl_json_value(c, value, 1) == SL_JSON_OK;
}

static struct sl_json inside(const char *s, size_t n)
{
    return (struct sl_json){.at = s + 1, .end = s + n};
}

static const char *add(struct sl_known *k, const struct sl_trace_model_event *e, struct sl_arena *arena)
{
    struct sl_json c = inside(e->args.s, e->args.n);
    struct sl_json_text key, value;
    uint64_t id = 0, parent = 0;
    const char *type = "", *name = "";
    size_t ntype = 0, nname = 0;

    for (bool first = true; member(&c, first, &key, &value); first = false) {
        if (is(&key, "id"))
            id = number(&value);
        else if (is(&key, "parent"))
            parent = number(&value);
        else if (is(&key, "type"))
            type = sl_json_unescape(&value, arena, &ntype);
        else if (is(&key, "key"))
            name = sl_json_unescape(&value, arena, &nname);
    }
    return id && sl_known_add(k, id, parent, type, ntype, name, nname) ? NULL : "not a span that could be named";
}

/* [[NAME, "NS"], ...]; begin and end are told with the span. */
static void events(struct sl_known *k, uint64_t id, const struct sl_json_text *list, int64_t place,
                   struct sl_arena *arena)
{
    struct sl_json c = inside(list->s, list->n);
    struct sl_json_text item, name, time;

    for (bool first = true; sl_json_next(&c, ']', first) == SL_JSON_OK && sl_json_value(&c, &item, 1) == SL_JSON_OK;
         first = false) {
        struct sl_json in = inside(item.s, item.n);
        int64_t ns;
        size_t n;
        const char *s;
        if (item.kind != '[' || sl_json_next(&in, ']', true) || sl_json_value(&in, &name, 1) ||
            sl_json_next(&in, ']', false) || sl_json_value(&in, &time, 1) || !whole_number(time.s, time.n, &ns)) {
            sl_parse_reject(sl_known_parse(k), place, "an event of a span that has no name or no time", item.s,
                            item.n < 80 ? item.n : 80);
            continue;
        }
        s = sl_json_unescape(&name, arena, &n);
        sl_known_event(k, id, s, n, ns, place);
    }
}

/* [[KIND, ID, RULE], ...], with a CONFIDENCE where a binding made it */
static void links(struct sl_known *k, uint64_t id, const struct sl_json_text *list, int64_t place)
{
    struct sl_json c = inside(list->s, list->n);
    struct sl_json_text item, kind, other, rule;

    for (bool first = true; sl_json_next(&c, ']', first) == SL_JSON_OK && sl_json_value(&c, &item, 1) == SL_JSON_OK;
         first = false) {
        struct sl_json in = inside(item.s, item.n);
        if (item.kind == '[' && !sl_json_next(&in, ']', true) && !sl_json_value(&in, &kind, 1) &&
            !sl_json_next(&in, ']', false) && !sl_json_value(&in, &other, 1))
            sl_known_link(k, id, kind.s, kind.n, number(&other),
                          !sl_json_next(&in, ']', false) && !sl_json_value(&in, &rule, 1) &&
                              !sl_json_next(&in, ']', false) && sl_known_follows(rule.s, rule.n),
                          place);
    }
}

/* Attributes, or samples: of a list, several values of one name. */
static bool values(struct sl_known *k, const struct sl_trace_model_event *e, const char *but, uint64_t id,
                   const char *kind, int64_t ns, struct sl_arena *arena)
{
    struct sl_json_text key, value, item;
    bool more = true;

    for (size_t turn = 0; more; turn++) { /* the first of each, the second, ... */
        struct sl_json c = inside(e->args.s, e->args.n);
        bool begun = false;
        more = false;
        for (bool first = true; member(&c, first, &key, &value); first = false) {
            struct sl_json in = inside(value.s, value.n);
            size_t n;
            const char *name;
            if (is(&key, "spanloom") || (but && is(&key, but)))
                continue;
            if (value.kind == '[') {
                size_t at = 0;
                bool there = false;
                for (bool one = true;
                     sl_json_next(&in, ']', one) == SL_JSON_OK && sl_json_value(&in, &item, 1) == SL_JSON_OK;
                     one = false) {
                    if (at == turn) {
                        value = item;
                        there = true;
                    }
                    more |= at++ > turn;
                }
                if (!there)
                    continue;
            } else if (turn) {
                continue;
            }
            if (!begun && !sl_known_begin(k, id, kind, e->place + (int64_t)turn)) /* a place has one record */
                return false;
            if (!begun && ns != INT64_MIN)
                sl_known_time(k, "time", ns);
            begun = true;
            name = sl_json_unescape(&key, arena, &n);
            sl_known_value(k, name, n, sl_leaf_value(&value, arena));
        }
        if (begun)
            sl_known_end(k);
        else if (!turn && ns == INT64_MIN && sl_known_begin(k, id, kind, e->place)) /* it is there, without any */
            sl_known_end(k);
    }
    return true;
}

static const char *span(struct sl_known *k, const struct sl_trace_model_event *e, struct sl_arena *arena)
{
    struct sl_json c = inside(e->args.s, e->args.n);
    struct sl_json_text key, value, ours = {0}, told = {0}, linked = {0};
    uint64_t id = 0;

    for (bool first = true; member(&c, first, &key, &value); first = false)
        if (is(&key, "spanloom") && value.kind == '{')
            ours = value;
    if (!ours.n)
        return "a span without what it is";
    c = inside(ours.s, ours.n);
    for (bool first = true; member(&c, first, &key, &value); first = false) {
        if (is(&key, "id"))
            id = number(&value);
        else if (is(&key, "events") && value.kind == '[')
            told = value;
        else if (is(&key, "links") && value.kind == '[')
            linked = value;
    }
    if (!sl_known_has(k, id))
        return "of a span that nothing before says which it is";
    values(k, e, NULL, id, "span", INT64_MIN, arena);
    if (told.n)
        events(k, id, &told, e->place, arena);
    if (linked.n)
        links(k, id, &linked, e->place);
    return NULL;
}

const char *sl_chrome_span(struct sl_known *k, const struct sl_trace_model_event *e, struct sl_arena *arena)
{
    int64_t id;

    switch (e->phase) {
    case 'M':
        if (called(&e->name, "spanloom.span") && e->args.n)
            return add(k, e, arena);
        return called(&e->name, "spanloom.untimed") && e->args.n ? span(k, e, arena) : NULL;
    case 'B': return e->args.n ? span(k, e, arena) : "a span without what it is";
    case 'i':
        if (!called(&e->category, "sample") || !e->args.n)
            return NULL;
        {
            struct sl_json c = inside(e->args.s, e->args.n);
            struct sl_json_text key, value;
            id = 0;
            for (bool first = true; member(&c, first, &key, &value); first = false)
                if (is(&key, "span"))
                    id = (int64_t)number(&value);
        }
        if (!e->timed || !sl_known_has(k, (uint64_t)id))
            return "a sample of a span that is not known";
        values(k, e, "span", (uint64_t)id, "span sample", e->ts_ns, arena);
        return NULL;
    case 'C':
        if (!whole_number(e->category.s ? e->category.s : "", e->category.n, &id) || !e->timed || !e->args.n ||
            !sl_known_has(k, (uint64_t)id))
            return "a sample of a span that is not known";
        values(k, e, NULL, (uint64_t)id, "span sample", e->ts_ns, arena);
        return NULL;
    default: return NULL;
    }
}
