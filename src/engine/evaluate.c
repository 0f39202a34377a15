/* SPDX-License-Identifier: Apache-2.0 */
/* What a record's fields come to: templates, names, spans, times. */
#include "base/buf.h"
#include "base/hash.h"
#include "base/json.h"
#include "engine/engine_internal.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- fields and templates ---- */

bool sl_apply_reject(struct sl_parse *p, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(p->reason, sizeof p->reason, fmt, ap);
    va_end(ap);
    return false;
}

const char *sl_apply_field_name(const struct sl_parse *p, int slot)
{
    return sl_intern_text(&p->recipe->fields, (uint32_t)slot + 1);
}

bool sl_apply_missing(const struct sl_value *v)
{
    return v->kind == SL_NONE || (v->kind == SL_TEXT && v->n == 0);
}

/* Declared integers become integers; false: it is none, and the record is rejected. */
static bool typed(struct sl_parse *p, int slot)
{
    struct sl_value *v = &p->f[slot];
    const char *s = v->s;
    uint32_t i = 0;
    int64_t x = 0;

    if (!p->recipe->is_int[slot] || v->kind == SL_INT || sl_apply_missing(v))
        return true;
    if (v->kind == SL_REAL) {
        if (!(v->d > -9e18 && v->d < 9e18) || v->d != (double)(int64_t)v->d)
            return sl_apply_reject(p, "%s=%g is not an integer", sl_apply_field_name(p, slot), v->d);
        x = (int64_t)v->d;
    } else {
        i = s[0] == '-';
        if (i == v->n)
            return sl_apply_reject(p, "%s='%.*s' is not an integer", sl_apply_field_name(p, slot), (int)v->n, s);
        for (; i < v->n; i++) {
            if (s[i] < '0' || s[i] > '9' || __builtin_mul_overflow(x, 10, &x) ||
                __builtin_add_overflow(x, s[i] - '0', &x))
                return sl_apply_reject(p, "%s='%.*s' is not an integer", sl_apply_field_name(p, slot),
                                       (int)(v->n < 80 ? v->n : 80), s);
        }
        if (s[0] == '-')
            x = -x;
    }
    *v = (struct sl_value){.kind = SL_INT, .i = x};
    return true;
}

size_t sl_apply_value_text(const struct sl_value *v, char *digits, const char **s)
{
    *s = v->s;
    if (v->kind == SL_TEXT || v->s)
        return v->n;
    *s = digits;
    if (v->kind == SL_INT)
        return sl_int_text(v->i, digits);
    return sl_real_text(v->d, digits);
}

/* Evaluates t; texts made of several parts live in the scratch arena. *which is a missing field. */
int sl_apply_evaluate(struct sl_parse *p, const struct sl_template *t, struct sl_value *out, int *which)
{
    char digits[32];
    const char *s;
    char *to;
    size_t n = 0;

    if (t->n == 1 && t->part[0].field >= 0) {
        int slot = t->part[0].field;
        if (!typed(p, slot))
            return SL_BAD;
        *which = slot;
        *out = p->f[slot];
        return sl_apply_missing(out) ? SL_MISSING : SL_GOOD;
    }
    for (int i = 0; i < t->n; i++) {
        const struct sl_template_part *a = &t->part[i];
        if (a->field < 0) {
            n += a->len;
            continue;
        }
        if (!typed(p, a->field))
            return SL_BAD;
        *which = a->field;
        if (sl_apply_missing(&p->f[a->field]))
            return SL_MISSING;
        n += sl_apply_value_text(&p->f[a->field], digits, &s);
    }
    to = sl_arena_alloc(&p->scratch, n + 1);
    *out = (struct sl_value){.kind = SL_TEXT, .s = to, .n = (uint32_t)n};
    for (int i = 0; i < t->n; i++) {
        const struct sl_template_part *a = &t->part[i];
        size_t len = a->len;
        s = a->text;
        if (a->field >= 0)
            len = sl_apply_value_text(&p->f[a->field], digits, &s);
        memcpy(to, s, len);
        to += len;
    }
    *to = 0;
    return SL_GOOD;
}

int sl_apply_name(struct sl_parse *p, const struct sl_named *n, uint32_t *id, int *which)
{
    struct sl_value v;
    struct sl_buf clean = {0};
    char digits[32];
    const char *s;
    size_t len;
    uint64_t h;
    int rc;

    *id = n->id;
    if (n->id)
        return SL_GOOD;
    rc = sl_apply_evaluate(p, &n->t, &v, which);
    if (rc != SL_GOOD)
        return rc;
    len = sl_apply_value_text(&v, digits, &s);
    h = sl_hash(s, len); /* 64 good bits: two names of one recipe do not collide */
    if (p->names[h % 64].hash == h && p->names[h % 64].id) {
        *id = p->names[h % 64].id;
        return SL_GOOD;
    }
    if (sl_utf8_valid(s, len) < len) {
        sl_buf_add_utf8(&clean, s, len);
        *id = sl_recipes_name(p->set, clean.s, clean.n);
        sl_buf_free(&clean);
    } else {
        *id = sl_recipes_name(p->set, s, len);
    }
    p->names[h % 64] = (typeof(p->names[0])){h, *id};
    return SL_GOOD;
}

/* ---- mentions ---- */

/* Is this span, which mention d named last, meant again? */
static bool again(const struct sl_batch_span *s, int32_t parent, const struct sl_mention *d, const struct sl_value *v)
{
    struct sl_key key = {SL_KEY_INT, {.i = v->i}};

    if (s->parent != parent || s->type != d->type.id || (v->kind != SL_TEXT && v->kind != SL_INT))
        return false;
    if (v->kind == SL_TEXT && s->key.n != SL_KEY_INT)
        return s->key.n == v->n && !memcmp(s->key.s, v->s, v->n);
    if (v->kind == SL_TEXT)
        key = sl_key_of(v->s, v->n);
    return s->key.n == SL_KEY_INT && key.n == SL_KEY_INT && s->key.i == key.i;
}

/* A key as the store will have it; it lives as long as s, or in the scratch arena. */
static struct sl_key key_of(struct sl_parse *p, const char *s, size_t n)
{
    struct sl_buf clean = {0};

    if (sl_utf8_valid(s, n) < n) {
        sl_buf_add_utf8(&clean, s, n);
        s = sl_arena_copy(&p->scratch, clean.s, clean.n);
        n = clean.n;
        sl_buf_free(&clean);
    }
    return sl_key_of(s, n);
}

/* The name of a type that a text is. */
static uint32_t type_of(struct sl_parse *p, const char *s, size_t n)
{
    struct sl_key clean = key_of(p, s, n);

    return clean.n == SL_KEY_INT ? sl_recipes_name(p->set, s, n) : sl_recipes_name(p->set, clean.s, clean.n);
}

/* The span at the end of a path: ["TYPE", "KEY", "TYPE", "KEY", ...], each in the one before. */
static int32_t span_of_path(struct sl_parse *p, const struct sl_value *path)
{
    struct sl_json c = {.at = path->s, .end = path->s + path->n};
    struct sl_json_text text;
    int32_t span = -1;
    const char *s;
    size_t n;
    uint32_t type;

    if (path->kind != SL_TEXT || *c.at != '[')
        goto none;
    c.at++;
    for (bool first = true; sl_json_next(&c, ']', first) == SL_JSON_OK; first = false) {
        if (sl_json_value(&c, &text, 1) != SL_JSON_OK || text.kind != '"')
            goto none;
        s = sl_json_unescape(&text, &p->scratch, &n);
        type = type_of(p, s, n);
        if (!n || sl_json_next(&c, ']', false) != SL_JSON_OK || sl_json_value(&c, &text, 1) != SL_JSON_OK ||
            text.kind != '"')
            goto none;
        s = sl_json_unescape(&text, &p->scratch, &n);
        span = (int32_t)sl_batch_span(p->batch, span, type, key_of(p, s, n));
    }
    if (span >= 0)
        return span;
none:
    sl_apply_reject(p, "'%.*s' is no path of types and keys", (int)(path->n < 80 ? path->n : 80), path->s);
    return -2;
}

/* The span that mention m names; -1: a key field is missing, -2: bad. */
int32_t sl_apply_span(struct sl_parse *p, int m, int *which)
{
    const struct sl_mention *d = &p->recipe->mention[m];
    struct sl_value v;
    struct sl_key key;
    uint32_t type;
    int32_t parent = -1, span;
    char digits[32]; /* the key's, until the batch has it */
    int rc;

    if (d->of_context && p->memo[m] >= 0)
        return p->memo[m];
    if (d->path.n) {
        rc = sl_apply_evaluate(p, &d->path, &v, which);
        return rc == SL_GOOD ? span_of_path(p, &v) : rc == SL_MISSING ? -1 : -2;
    }
    if (d->parent >= 0) {
        parent = sl_apply_span(p, d->parent, which);
        if (parent < 0)
            return parent;
    }
    rc = sl_apply_evaluate(p, &d->key, &v, which);
    if (rc == SL_MISSING && d->otherwise.n)
        rc = sl_apply_evaluate(p, &d->otherwise, &v, which);
    if (rc == SL_GOOD && p->memo[m] >= 0 && again(&p->batch->spans.v[p->memo[m]], parent, d, &v))
        return p->memo[m];
    if (rc == SL_GOOD)
        rc = sl_apply_name(p, &d->type, &type, which);
    if (rc != SL_GOOD)
        return rc == SL_MISSING ? -1 : -2;
    if (v.kind == SL_INT) {
        key = (struct sl_key){SL_KEY_INT, {.i = v.i}};
    } else {
        const char *s;
        size_t n = sl_apply_value_text(&v, digits, &s);
        key = key_of(p, s, n);
    }
    span = (int32_t)sl_batch_span(p->batch, parent, type, key);
    p->memo[m] = span;
    return span;
}

void sl_apply_make_strong(struct sl_parse *p, struct sl_mark *k, int32_t s)
{
    for (; s >= 0 && !p->batch->spans.v[s].strong; s = p->batch->spans.v[s].parent) {
        p->batch->spans.v[s].strong = true;
        if (k)
            *sl_vec_add(&k->made_strong) = (uint32_t)s;
    }
}

/* >= 0: the span; -1: weak and not to be named; -2: the record is rejected. */
int32_t sl_apply_refer(struct sl_parse *p, struct sl_mark *k, struct sl_ref r)
{
    int which = 0;
    int32_t s = sl_apply_span(p, r.mention, &which);

    if (s == -1 && !r.weak) {
        sl_apply_reject(p, "%s: field %s is missing", p->recipe->mention[r.mention].alias,
                        sl_apply_field_name(p, which));
        return -2;
    }
    if (s >= 0 && !r.weak) {
        sl_apply_make_strong(p, k, s);
        p->batch->spans.v[s].written |= p->recipe->mention[r.mention].in_writer;
    }
    if (s >= 0 && p->mode == SL_PARSE_NAMING)
        *sl_vec_add(&p->touched) = (uint32_t)s;
    return s;
}

/* ---- time ---- */

/* Parses by the input's i-th declaration. */
static bool parse_time(struct sl_parse *p, int i, const char *s, size_t n, int64_t *ns, bool *naive)
{
    typeof(p->times[0]) *last = i < (int)(sizeof p->times / sizeof *p->times) ? &p->times[i] : NULL;

    if (last && n && last->n == n && !memcmp(last->text, s, n)) {
        *ns = last->ns;
        *naive = last->naive;
        return true;
    }
    if (!sl_time_parse(&p->input->time[i].format, s, n, ns, naive))
        return false;
    if (last && n <= sizeof last->text) {
        memcpy(last->text, s, n);
        last->n = (uint32_t)n;
        last->ns = *ns;
        last->naive = *naive;
    }
    return true;
}

bool sl_apply_field_time(struct sl_parse *p, int slot, int64_t *ns, bool *naive, bool *there)
{
    const struct sl_value *v = &p->f[slot];
    const char *s = "", *lacks = NULL;
    bool declared = false;
    char digits[32];
    size_t n;

    *there = !sl_apply_missing(v);
    if (!*there)
        return true;
    n = v->kind == SL_INT ? 0 : sl_apply_value_text(v, digits, &s);
    for (int i = 0; i < p->input->ntime; i++) {
        if (p->input->time[i].field != slot)
            continue;
        if (v->kind == SL_INT && p->input->time[i].format.kind == SL_TIME_UNIX_NS) { /* as readers of traces have it */
            *ns = v->i;
            *naive = false;
            return true;
        }
        if (!n)
            n = sl_apply_value_text(v, digits, &s);
        declared = true;
        if (!parse_time(p, i, s, n, ns, naive)) {
            struct sl_time_format dated = p->input->time[i].format;
            dated.lacks = NULL;
            if (sl_time_parse(&dated, s, n, ns, naive))
                lacks = p->input->time[i].format.lacks;
            continue;
        }
        if (*naive && p->input->zone_s != INT32_MIN) /* the recipe knows */
            *naive = __builtin_sub_overflow(*ns, p->input->zone_s * (int64_t)1000000000, ns);
        return true;
    }
    if (declared && (lacks || sl_time_of_day(s, n)))
        return sl_apply_reject(p, "%s='%.*s' is %s; the field and its format must hold year, month and day",
                               sl_apply_field_name(p, slot), (int)(n < 60 ? n : 60), s, lacks ? lacks : SL_TIME_OF_DAY);
    if (declared)
        return sl_apply_reject(p, "%s='%.*s' is not a time of the declared format", sl_apply_field_name(p, slot),
                               (int)(n < 60 ? n : 60), s);
    return sl_apply_reject(p, "no format is declared for the time field %s", sl_apply_field_name(p, slot));
}

/* The record's own time: the first of the declared time fields that is there. */
bool sl_apply_time(struct sl_parse *p, int64_t *ns, bool *naive)
{
    bool there = false;

    for (int i = 0; i < p->input->ntime && !there; i++)
        if (!sl_apply_field_time(p, p->input->time[i].field, ns, naive, &there))
            return false;
    return there ? true : sl_apply_reject(p, "the record has no time");
}

#define SL_SECOND_NS ((int64_t)1000000000)

/* The root of what the file is about, else of what the rule is about; -1: not known. */
static int32_t root_of_zone(struct sl_parse *p, const struct sl_rule *u)
{
    int m = p->recipe->nabout ? p->recipe->about_mention[0] : u->span.mention, which;
    int32_t root = m < 0 ? -1 : sl_apply_span(p, m, &which);

    while (root >= 0 && p->batch->spans.v[root].parent >= 0)
        root = p->batch->spans.v[root].parent;
    return root;
}

/*
 * Zones are quarters of an hour apart.  The two times need not be of the same moment (a batch job is named a little
 * before it is submitted), but where they are further apart, they are not of one event, and teach nothing.
 */
static bool zone_offset(int64_t local, int64_t absolute, int32_t *offset)
{
    const int64_t quarter = 900 * SL_SECOND_NS, near = 60 * SL_SECOND_NS;
    int64_t d, quarters;

    if (__builtin_sub_overflow(local, absolute, &d) || d < -86400 * SL_SECOND_NS || d > 86400 * SL_SECOND_NS)
        return false;
    quarters = (d + (d >= 0 ? quarter / 2 : -quarter / 2)) / quarter;
    d -= quarters * quarter;
    *offset = (int32_t)quarters * 900;
    return d >= -near && d <= near && *offset <= 15 * 3600 && *offset >= -15 * 3600;
}

/* A record with absolute and local time teaches the offset of the root span that it is about. */
void sl_apply_learn_zone(struct sl_parse *p, const struct sl_rule *u)
{
    int64_t absolute = 0, local = 0, t;
    bool have_absolute = false, have_local = false, naive, there;
    struct sl_batch_zone *last;
    int32_t offset, root;

    if (!p->input->teaches)
        return;
    for (int i = 0; i < p->input->ntime; i++) {
        if (!sl_apply_field_time(p, p->input->time[i].field, &t, &naive, &there) || !there)
            continue;
        if (naive && !have_local)
            local = t, have_local = true;
        else if (!naive && !have_absolute)
            absolute = t, have_absolute = true;
    }
    if (!have_absolute || !have_local || !zone_offset(local, absolute, &offset) || (root = root_of_zone(p, u)) < 0)
        return;
    last = p->batch->zones.n ? &p->batch->zones.v[p->batch->zones.n - 1] : NULL;
    if (last && last->offset_s == offset && last->root == (uint32_t)root) {
        last->since_ns = absolute < last->since_ns ? absolute : last->since_ns;
        last->until_ns = absolute > last->until_ns ? absolute : last->until_ns;
        return;
    }
    *sl_vec_add(&p->batch->zones) = (struct sl_batch_zone){(uint32_t)root, absolute, absolute, offset};
}
