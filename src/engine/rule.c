/* SPDX-License-Identifier: Apache-2.0 */
/* Applying one rule to a record: its events, values, links. */
#include "base/buf.h"
#include "engine/engine_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void json_value(struct sl_buf *b, const struct sl_value *v)
{
    switch (v->kind) {
    case SL_NONE: sl_buf_add(b, "null", 4); break;
    case SL_TEXT: sl_buf_add_json(b, v->s, v->n); break;
    case SL_INT: sl_buf_add_int(b, v->i); break;
    case SL_REAL:
        if (v->d - v->d != 0) /* infinite or not a number: JSON has neither */
            sl_buf_addf(b, "\"%g\"", v->d);
        else if (v->d > -1e15 && v->d < 1e15 && v->d == (double)(int64_t)v->d && (v->d != 0 || !signbit(v->d)))
            sl_buf_add_int(b, (int64_t)v->d); /* %.17g prints the same */
        else
            sl_buf_addf(b, "%.17g", v->d);
        break;
    }
}

/* Samples are numbers: a text that is none rejects the record. */
static bool numeric(struct sl_parse *p, struct sl_value *v, int which)
{
    char *end, copy[64];

    if (v->kind != SL_TEXT)
        return true;
    if (v->n < sizeof copy) {
        memcpy(copy, v->s, v->n);
        copy[v->n] = 0;
        v->d = strtod(copy, &end);
        if (end != copy && !*end && v->d - v->d == 0) { /* not infinite, not NaN */
            v->kind = SL_REAL;
            return true;
        }
    }
    return sl_apply_reject(p, "sample %s='%.*s' is not a number", sl_apply_field_name(p, which),
                           (int)(v->n < 40 ? v->n : 40), v->s);
}

static bool is_alike(const struct sl_rule *u, int slot)
{
    for (int i = 0; i < u->nalike; i++)
        if (u->alike[i] == slot)
            return true;
    return false;
}

static void add_alike(struct sl_parse *p, const struct sl_rule *u, uint32_t span)
{
    struct sl_batch_values v = {.span = span, .place = p->place, .alike = true};
    struct sl_buf shape = {0}, *b = p->text;

    sl_buf_clear(b);
    for (int i = 0; i < u->nalike; i++) {
        const struct sl_value *x = &p->f[u->alike[i]];
        const char *name = sl_apply_field_name(p, u->alike[i]);
        if (sl_apply_missing(x))
            continue;
        sl_buf_add(&shape, name, strlen(name) + 1);
        sl_buf_addc(b, b->n ? ',' : '[');
        json_value(b, x);
    }
    if (b->n) {
        sl_buf_addc(b, ']');
        v.shape = sl_recipes_shape(p->set, shape.s, shape.n);
        v.n = (uint32_t)b->n;
        v.json = sl_arena_copy(&p->batch->arena, b->s, b->n);
        *sl_vec_add(&p->batch->attrs) = v;
    }
    sl_buf_free(&shape);
}

static bool add_values(struct sl_parse *p, const struct sl_rule *u, uint32_t span, bool samples)
{
    const struct sl_pairs *pairs = samples ? &u->samples : &u->attrs;
    struct sl_batch_values v = {.span = span, .shape = pairs->shape, .place = p->place};
    struct sl_buf shape = {0}, *b = p->text;
    bool any = false, ok = true;
    size_t last = 0;
    int which = 0;

    if (!pairs->n && !pairs->all)
        return true;
    sl_buf_clear(b);
    sl_buf_addc(b, '[');
    for (int i = 0; i < (pairs->all ? p->recipe->nown : pairs->n) && ok; i++) {
        struct sl_value x = {0};
        uint32_t name = 0;
        int rc;
        if (pairs->all) { /* every field that is the record's own */
            int slot = p->recipe->own[i];
            const char *n;
            if (sl_apply_missing(&p->f[slot]) || (samples ? p->f[slot].kind == SL_TEXT : is_alike(u, slot)))
                continue;
            x = p->f[slot];
            n = sl_apply_field_name(p, slot);
            sl_buf_add(&shape, n, strlen(n) + 1);
        } else {
            rc = sl_apply_evaluate(p, &pairs->v[i].value, &x, &which);
            if (rc == SL_GOOD && samples && !numeric(p, &x, which))
                rc = SL_BAD;
            if (rc == SL_BAD) {
                ok = false;
                break;
            }
            if (rc == SL_MISSING)
                x.kind = SL_NONE;
            if (!pairs->shape) {
                if (rc == SL_MISSING || sl_apply_name(p, &pairs->v[i].name, &name, &which) != SL_GOOD)
                    continue;
                pthread_mutex_lock(&p->set->lock);
                sl_buf_add(&shape, sl_intern_text(&p->set->names, name), sl_intern_len(&p->set->names, name) + 1);
                pthread_mutex_unlock(&p->set->lock);
            }
        }
        any |= x.kind != SL_NONE;
        if (b->n > 1)
            sl_buf_addc(b, ',');
        json_value(b, &x);
        if (x.kind != SL_NONE)
            last = b->n;
    }
    if (!pairs->all && pairs->shape && any) /* NULLs at the end need not be there */
        b->n = last;
    for (size_t i = 0; pairs->all && i < p->extra.n; i++) {
        if (sl_apply_missing(&p->extra.v[i].v) || (samples && p->extra.v[i].v.kind == SL_TEXT))
            continue;
        any = true;
        sl_buf_add_utf8(&shape, p->extra.v[i].name, p->extra.v[i].n); /* a NUL would part it in two */
        sl_buf_addc(&shape, 0);
        if (b->n > 1)
            sl_buf_addc(b, ',');
        json_value(b, &p->extra.v[i].v);
    }
    sl_buf_addc(b, ']');
    if (ok && any) {
        if (!v.shape)
            v.shape = sl_recipes_shape(p->set, shape.s, shape.n);
        if (samples)
            ok = sl_apply_time(p, &v.time_ns, &v.naive);
        v.n = (uint32_t)b->n;
        v.json = sl_arena_copy(&p->batch->arena, b->s, b->n);
        if (ok && samples)
            *sl_vec_add(&p->batch->samples) = v;
        else if (ok)
            *sl_vec_add(&p->batch->attrs) = v;
    }
    sl_buf_free(&shape);
    return ok;
}

/* JSON as it stands in the file; bytes of other encodings, which are in its texts, as add_json would write them. */
static void whole_json(struct sl_buf *b, const char *s, size_t n)
{
    for (;;) {
        size_t good = sl_utf8_valid(s, n);
        sl_buf_add(b, s, good);
        if (good == n)
            return;
        sl_buf_addf(b, "\\\\x%02x", (unsigned char)s[good]);
        s += good + 1;
        n -= good + 1;
    }
}

void sl_apply_raw(struct sl_parse *p, int32_t span)
{
    struct sl_buf *b = p->text;

    sl_buf_clear(b);
    if (p->whole) {
        whole_json(b, p->whole, p->nwhole);
        *sl_vec_add(&p->batch->raws) =
            (struct sl_batch_raw){p->place, span, sl_arena_copy(&p->batch->arena, b->s, b->n)};
        return;
    }
    sl_buf_addc(b, '{');
    for (int i = 0; i < p->recipe->nfields; i++) {
        const char *n = sl_apply_field_name(p, i);
        if (p->f[i].kind == SL_NONE || n[0] == '_')
            continue;
        if (b->n > 1)
            sl_buf_addc(b, ',');
        sl_buf_add_json(b, n, strlen(n));
        sl_buf_addc(b, ':');
        json_value(b, &p->f[i]);
    }
    for (size_t i = 0; i < p->extra.n; i++) {
        if (b->n > 1)
            sl_buf_addc(b, ',');
        sl_buf_add_json(b, p->extra.v[i].name, p->extra.v[i].n);
        sl_buf_addc(b, ':');
        json_value(b, &p->extra.v[i].v);
    }
    sl_buf_addc(b, '}');
    *sl_vec_add(&p->batch->raws) = (struct sl_batch_raw){p->place, span, sl_arena_copy(&p->batch->arena, b->s, b->n)};
}

/* The later of two fields, of those that are there. */
static bool event_time(struct sl_parse *p, const struct sl_rule_event *u, struct sl_batch_event *e, bool *there)
{
    struct sl_batch_event o = *e;
    bool other = false;

    if (!sl_apply_field_time(p, u->time, &e->time_ns, &e->naive, there) ||
        (u->other >= 0 && !sl_apply_field_time(p, u->other, &o.time_ns, &o.naive, &other)))
        return false;
    if (other && (!*there || o.time_ns > e->time_ns))
        *e = o;
    *there |= other;
    return true;
}

static bool add_events(struct sl_parse *p, const struct sl_rule *u, uint32_t span)
{
    int which = 0;

    for (int i = 0; i < u->nevent; i++) {
        struct sl_batch_event e = {.span = span, .place = p->place};
        bool there = true;
        int rc;
        if (u->event[i].time >= 0) {
            if (!event_time(p, &u->event[i], &e, &there))
                return false;
            if (!there)
                continue; /* an empty time column asserts no event */
        } else if (!sl_apply_time(p, &e.time_ns, &e.naive)) {
            return false;
        }
        rc = sl_apply_name(p, &u->event[i].name, &e.type, &which);
        if (rc == SL_MISSING)
            return sl_apply_reject(p, "the event's name needs the field %s, which is missing",
                                   sl_apply_field_name(p, which));
        if (rc == SL_BAD)
            return false;
        *sl_vec_add(&p->batch->events) = e;
    }
    return true;
}

static bool add_links(struct sl_parse *p, struct sl_mark *k, const struct sl_rule *u)
{
    for (int i = 0; i < u->nrelation; i++) {
        const struct sl_relation *r = &u->relation[i];
        int32_t a = sl_apply_refer(p, k, r->left), b = sl_apply_refer(p, k, r->right);
        if (a == -2 || b == -2)
            return false;
        if (a < 0 || b < 0 || a == b)
            continue;
        *sl_vec_add(&p->batch->links) = (struct sl_batch_link){
            (uint32_t)a, (uint32_t)b, u->name, (uint8_t)r->kind, (uint8_t)(r->left.weak + 2 * r->right.weak), p->place};
    }
    return true;
}

static const char *arena_text(struct sl_parse *p, const struct sl_value *v)
{
    char digits[32];
    const char *s;
    size_t n = sl_apply_value_text(v, digits, &s);

    return sl_arena_copy(&p->batch->arena, s, n);
}

static bool add_shares(struct sl_parse *p, const struct sl_rule *u)
{
    int which;

    for (int i = 0; i < u->nshare; i++) {
        struct sl_value value, scope;
        int a = sl_apply_evaluate(p, &u->share[i].value, &value, &which),
            b = sl_apply_evaluate(p, &u->share[i].scope, &scope, &which);
        if (a == SL_BAD || b == SL_BAD)
            return false;
        if (a == SL_GOOD && b == SL_GOOD) {
            *sl_vec_add(&p->batch->shares) =
                (struct sl_batch_share){u->share[i].field, arena_text(p, &scope), arena_text(p, &value)};
            if (p->mode == SL_PARSE_SHARES && p->input->reader->grows)
                p->stop = true;
        }
    }
    return true;
}

/* Where the span's own key is not told, one of that kind in the parent wrote it. */
static bool add_wrotes(struct sl_parse *p, struct sl_mark *k, const struct sl_rule *u)
{
    for (int i = 0; i < u->nwrote; i++) {
        const struct sl_mention *m = &p->recipe->mention[u->wrote[i].mention];
        struct sl_batch_wrote w = {.rule = u->name, .place = p->place};
        struct sl_ref r = {u->wrote[i].mention, true};
        struct sl_value path;
        int which, rc = sl_apply_evaluate(p, &u->wrote[i].path, &path, &which);
        int32_t span;
        if (rc == SL_MISSING)
            continue;
        if (rc == SL_BAD || (span = sl_apply_refer(p, k, r)) == -2)
            return false;
        if (span == -1 && m->parent >= 0) {
            r.mention = m->parent;
            span = sl_apply_refer(p, k, r);
            w.of_type = m->type.id;
        }
        if (span == -2)
            return false;
        if (span < 0)
            continue;
        w.span = (uint32_t)span;
        w.path = arena_text(p, &path);
        *sl_vec_add(&p->batch->wrotes) = w;
    }
    return true;
}

/* Before when: is asked, so that it can ask about what was kept; and again for each hit of each:, which may say by
 * what. */
void sl_apply_look_up(struct sl_parse *p, const struct sl_rule *u)
{
    char digits[32];
    const char *s;
    size_t n;

    for (int i = 0; i < u->nlook; i++) {
        struct sl_value by;
        const struct sl_kept *e;
        int which;
        if (!sl_apply_missing(&p->f[u->look[i].value]) || sl_apply_evaluate(p, &u->look[i].by, &by, &which) != SL_GOOD)
            continue;
        n = sl_apply_value_text(&by, digits, &s);
        if ((e = sl_variables_get(p->variables, u->look[i].value, u->look[i].by_id, s, n)))
            p->f[u->look[i].value] = (struct sl_value){.kind = SL_TEXT, .s = e->is, .n = e->nis};
    }
}

/* How often this rule, and others that count the same, came to this value of by; kept, so that look: finds it. */
static void count_up(struct sl_parse *p, const struct sl_rule *u)
{
    char digits[32], number[32];
    const char *s;
    size_t n;

    for (int i = 0; i < u->ncount; i++) {
        const struct sl_keep *c = &u->count[i];
        const struct sl_kept *last;
        struct sl_value by;
        int64_t now;
        int which;
        if (sl_apply_evaluate(p, &c->by, &by, &which) != SL_GOOD)
            continue;
        n = sl_apply_value_text(&by, digits, &s);
        last = sl_variables_get(p->variables, c->value, c->by_id, s, n);
        now = (last ? strtoll(sl_arena_copy(&p->scratch, last->is, last->nis), NULL, 10) : 0) + 1;
        sl_variables_put(p->variables, c->value, c->by_id, s, n, number, sl_int_text(now, number));
        p->f[c->value] = (struct sl_value){.kind = SL_INT, .i = now};
    }
}

/* reject: a rule knows that something is wrong with such a record. */
static bool reject_by_rule(struct sl_parse *p, const struct sl_rule *u)
{
    struct sl_value why;
    char digits[32];
    const char *s;
    int which, n, rc = sl_apply_evaluate(p, &u->reject, &why, &which);

    if (rc == SL_MISSING)
        return sl_apply_reject(p, "rejected by the recipe, line %d", u->line);
    if (rc == SL_GOOD) {
        n = (int)sl_apply_value_text(&why, digits, &s);
        sl_apply_reject(p, "%.*s", n < 200 ? n : 200, s);
    }
    return false;
}

bool sl_apply_rule(struct sl_parse *p, struct sl_mark *k, const struct sl_rule *u)
{
    int32_t span = -1;
    char digits[32];
    const char *s;
    size_t n;

    sl_apply_look_up(p, u);
    if (p->mode == SL_PARSE_SHARES) {
        return add_shares(p, u);
    }
    if (u->reject.n)
        return reject_by_rule(p, u);
    if (p->mode == SL_PARSE_IMPORT)
        sl_apply_learn_zone(p, u);
    count_up(p, u);
    for (int i = 0; i < u->nkeep; i++) {
        char more[32];
        const char *is;
        const struct sl_value *v = &p->f[u->keep[i].value];
        struct sl_value by;
        size_t nis;
        int which;
        if (sl_apply_missing(v) || sl_apply_evaluate(p, &u->keep[i].by, &by, &which) != SL_GOOD)
            continue;
        n = sl_apply_value_text(&by, digits, &s);
        nis = sl_apply_value_text(v, more, &is);
        sl_variables_put(p->variables, u->keep[i].value, u->keep[i].by_id, s, n, is, nis);
    }
    if (u->span.mention >= 0 && (span = sl_apply_refer(p, k, u->span)) < 0)
        return false;
    for (int i = 0; i < u->nmention; i++)
        if (sl_apply_refer(p, k, u->mention[i]) == -2)
            return false;
    if (span >= 0 && u->nalike)
        add_alike(p, u, (uint32_t)span);
    if (span >= 0 && (!add_events(p, u, (uint32_t)span) || !add_values(p, u, (uint32_t)span, false) ||
                      !add_values(p, u, (uint32_t)span, true)))
        return false;
    if (!add_links(p, k, u) || !add_shares(p, u) || !add_wrotes(p, k, u))
        return false;
    if (u->raw)
        sl_apply_raw(p, span);
    return true;
}
