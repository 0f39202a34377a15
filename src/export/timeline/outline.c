/* SPDX-License-Identifier: Apache-2.0 */
#include "export/timeline/outline.h"
#include "base/buf.h"
#include "base/hash.h"
#include "timeline_outline.sql.h"

#include <stdlib.h>

enum { DEPTH = 64, SPANS_MAX = 1 << 30, NONE = 0x7fffffff };
#define AROUND 0x80000000u /* the label is that of what it lies in */

struct loading {
    struct sl_outline *o;
    struct sl_words *w;
    SL_VEC(int64_t) parent, alike;
    SL_VEC(uint32_t) type;
    SL_VEC(struct end {
        uint32_t cause;
        struct sl_cause effect;
    })
    end;
    uint8_t *rank; /* of the label that a span has so far; 0: none */
    struct sl_idmap alikes;
    SL_VEC(struct {
        uint32_t label;
        uint8_t rank;
    })
    alike_label;
    sl_exported_values value;
    struct sl_arena arena;
};

/* ---- spans and links ---- */

static int add_span(void *of, sqlite3_stmt *row, struct sl_err *err)
{
    struct loading *l = of;

    if (l->o->id.n == SPANS_MAX)
        return sl_err(err, SL_EFORMAT, "more than %d spans: export one run, with --run", SPANS_MAX);
    *sl_vec_add(&l->o->id) = sqlite3_column_int64(row, 0);
    *sl_vec_add(&l->parent) = sqlite3_column_int64(row, 1);
    *sl_vec_add(&l->type) = sl_idmap_find(&l->w->names, sqlite3_column_int64(row, 2));
    *sl_vec_add(&l->alike) = sqlite3_column_int64(row, 3);
    return 0;
}

static void add_end(struct loading *l, uint32_t cause, enum sl_link_kind kind, uint32_t effect)
{
    *sl_vec_add(&l->end) = (struct end){cause, {effect, (unsigned)(kind - 1) & 3}};
}

static int add_link(void *of, sqlite3_stmt *row, struct sl_err *err)
{
    struct loading *l = of;
    int64_t kind = sqlite3_column_int64(row, 0);
    uint32_t left = sl_idmap_find(&l->o->id, sqlite3_column_int64(row, 1)),
             right = sl_idmap_find(&l->o->id, sqlite3_column_int64(row, 2));

    (void)err;
    if (left == SL_NO_INDEX || right == SL_NO_INDEX)
        return 0;
    if (kind == SL_AFTER)
        add_end(l, right, SL_AFTER, left);
    else if (kind == SL_IN || kind == SL_FLOW)
        add_end(l, left, (enum sl_link_kind)kind, right);
    l->o->any_after |= kind == SL_AFTER;
    return 0;
}

static void put_causes(struct loading *l, struct sl_causes *to, bool effects)
{
    size_t n = l->o->id.n;

    to->start = sl_alloc((n + 2) * sizeof *to->start);
    to->of = sl_alloc((l->end.n + 1) * sizeof *to->of);
    for (size_t i = 0; i < l->end.n; i++)
        to->start[(effects ? l->end.v[i].cause : l->end.v[i].effect.span) + 2]++;
    for (size_t i = 2; i < n + 2; i++)
        to->start[i] += to->start[i - 1];
    for (size_t i = 0; i < l->end.n; i++) {
        struct sl_cause c = l->end.v[i].effect;
        uint32_t at = effects ? l->end.v[i].cause : c.span;
        if (!effects)
            c.span = l->end.v[i].cause & (SPANS_MAX - 1);
        to->of[to->start[at + 1]++] = c;
    }
}

/* ---- what they are called ---- */

/* The best of a list of values, where it is better than rank: its label. */
static int best(struct loading *l, sqlite3_stmt *row, uint8_t *rank, uint32_t *label, struct sl_err *err)
{
    int rc;

    sl_vec_clear(&l->value);
    sl_arena_reset(&l->arena);
    rc = sl_words_values(l->w, sqlite3_column_int64(row, 1), sl_store_text(row, 2),
                         (size_t)sqlite3_column_bytes(row, 2), true, &l->arena, &l->value, err);
    for (size_t i = 0; !rc && i < l->value.n; i++) {
        const struct sl_exported_value *v = &l->value.v[i];
        uint8_t is = (uint8_t)sl_words_rank(v->name);
        char text[32];
        if (*rank && is >= *rank)
            continue;
        if (v->type == SQLITE_TEXT && v->n)
            *label = sl_intern(&l->o->labels, v->s, v->n);
        else if (v->type != SQLITE_TEXT)
            *label = sl_intern(&l->o->labels, text,
                               v->type == SQLITE_INTEGER ? sl_int_text(v->i, text) : sl_real_text(v->d, text));
        else
            continue;
        *rank = is;
    }
    return rc;
}

static int add_alike(void *of, sqlite3_stmt *row, struct sl_err *err)
{
    struct loading *l = of;
    uint8_t rank = 0;
    uint32_t label = 0;
    int rc = 0;

    if (!sl_words_call(l->w, sqlite3_column_int64(row, 1)) || (rc = best(l, row, &rank, &label, err)) || !label)
        return rc;
    *sl_vec_add(&l->alikes) = sqlite3_column_int64(row, 0);
    sl_vec_add(&l->alike_label);
    l->alike_label.v[l->alike_label.n - 1].label = label;
    l->alike_label.v[l->alike_label.n - 1].rank = rank;
    return 0;
}

static int add_called(void *of, sqlite3_stmt *row, struct sl_err *err)
{
    struct loading *l = of;
    uint32_t i;

    if (!sl_words_call(l->w, sqlite3_column_int64(row, 1)) ||
        (i = sl_idmap_find(&l->o->id, sqlite3_column_int64(row, 0))) == SL_NO_INDEX)
        return 0;
    return best(l, row, &l->rank[i], &l->o->label[i], err);
}

static int load_labels(struct loading *l, bool part, struct sl_err *err)
{
    struct sl_outline *o = l->o;
    struct sl_store *st = l->w->st;
    int rc = sl_store_each(st, sql_called_alike, add_alike, l, err, "");

    sl_idmap_finish(&l->alikes);
    if (!rc)
        rc = sl_store_each(st, part ? sql_called_of_part : sql_called, add_called, l, err, "");
    for (size_t i = 0; !rc && i < o->id.n; i++) {
        uint32_t a = l->alike.v[i] ? sl_idmap_find(&l->alikes, l->alike.v[i]) : SL_NO_INDEX;
        if (a != SL_NO_INDEX && (!l->rank[i] || l->alike_label.v[a].rank < l->rank[i]))
            o->label[i] = l->alike_label.v[a].label;
    }
    return rc;
}

int sl_outline_load(struct sl_outline *o, struct sl_words *w, bool part, struct sl_err *err)
{
    struct loading l = {.o = o, .w = w};
    int rc;

    *o = (struct sl_outline){0};
    rc = sl_store_each(w->st, sql_outlines, add_span, &l, err, "");
    sl_idmap_finish(&o->id);
    o->parent = sl_alloc((o->id.n + 1) * sizeof *o->parent);
    for (uint32_t i = 0; !rc && i < o->id.n; i++) {
        o->parent[i] = l.parent.v[i] ? sl_idmap_find(&o->id, l.parent.v[i]) : SL_NO_INDEX;
        if (o->parent[i] != SL_NO_INDEX)
            add_end(&l, o->parent[i], SL_IN, i);
    }
    sl_vec_free(&l.parent);
    o->type = l.type.v;
    if (!rc)
        rc = sl_store_each(w->st, part ? sql_causes_of_part : sql_causes, add_link, &l, err, "");
    put_causes(&l, &o->cause, false);
    put_causes(&l, &o->effect, true);
    sl_vec_free(&l.end);
    o->label = sl_alloc((o->id.n + 1) * sizeof *o->label);
    l.rank = sl_alloc(o->id.n + 1);
    if (!rc)
        rc = load_labels(&l, part, err);
    free(l.rank);
    sl_vec_free(&l.alike);
    sl_idmap_free(&l.alikes);
    sl_vec_free(&l.alike_label);
    sl_vec_free(&l.value);
    sl_arena_free(&l.arena);
    return rc;
}

void sl_outline_free(struct sl_outline *o)
{
    sl_idmap_free(&o->id);
    free(o->parent);
    free(o->type);
    free(o->cause.start);
    free(o->cause.of);
    free(o->effect.start);
    free(o->effect.of);
    free(o->label);
    sl_intern_free(&o->labels);
    free(o->hash);
    free(o->root);
    sl_vec_free(&o->trace);
}

/* In labels; NONE. */
static uint32_t find_label(struct sl_outline *o, uint32_t i, int depth)
{
    uint32_t found = NONE;

    if (o->label[i] || depth == DEPTH)
        return o->label[i] ? o->label[i] & ~AROUND : NONE;
    o->label[i] = AROUND | NONE; /* meanwhile, as spans can lie in one another */
    for (uint32_t c = o->cause.start[i]; found == NONE && c < o->cause.start[i + 1]; c++)
        if (sl_cause_kind(o->cause.of[c]) == SL_IN)
            found = find_label(o, o->cause.of[c].span, depth + 1);
    o->label[i] = AROUND | found;
    return found;
}

const char *sl_outline_label(struct sl_outline *o, uint32_t span, bool around)
{
    uint32_t label = NONE;

    if (span == SL_NO_INDEX)
        return NULL;
    if (around)
        label = find_label(o, span, 0);
    else if (o->label[span] && !(o->label[span] & AROUND))
        label = o->label[span];
    return label == NONE ? NULL : sl_intern_text(&o->labels, label);
}

/* ---- identities ---- */

/* The UUID that a text begins with, as two words; a run id is one. */
static bool uuid(const char *s, uint64_t to[2])
{
    int digits = 0;

    to[0] = to[1] = 0;
    for (int i = 0; i < 36; i++) {
        static const char hex[] = "0123456789abcdef";
        const char *digit = s[i] ? strchr(hex, s[i]) : NULL;
        if (i == 8 || i == 13 || i == 18 || i == 23) {
            if (s[i] != '-')
                return false;
            continue;
        }
        if (!digit)
            return false;
        to[digits / 16] = to[digits / 16] << 4 | (uint64_t)(digit - hex);
        digits++;
    }
    return !s[36] || s[36] == '/';
}

struct identities {
    struct sl_outline *o;
    struct sl_words *w;
    uint32_t at;
};

/* Of its own; those of its parents come into it when all are there. */
static int add_identity(void *of, sqlite3_stmt *row, struct sl_err *err)
{
    struct identities *n = of;
    struct sl_outline *o = n->o;
    const char *type = sl_words_name(n->w, sqlite3_column_int64(row, 1)), *key = sl_store_text(row, 2);
    uint64_t hash = XXH3_64bits(type, strlen(type)), trace[2];
    uint32_t i = n->at++;

    if (i == o->id.n || o->id.v[i] != sqlite3_column_int64(row, 0))
        return sl_err(err, SL_ESTORE, "the store changes while it is exported; try again");
    o->hash[i] = XXH3_64bits_withSeed(key, strlen(key), hash);
    o->root[i] = SL_NO_INDEX;
    if (o->parent[i] != SL_NO_INDEX)
        return 0;
    if (!uuid(key, trace)) {
        XXH128_hash_t h = XXH3_128bits_withSeed(key, strlen(key), hash);
        trace[0] = h.high64;
        trace[1] = h.low64 | 1; /* never zero */
    }
    o->root[i] = (uint32_t)o->trace.n;
    sl_vec_add(&o->trace);
    memcpy(o->trace.v[o->root[i]].word, trace, sizeof trace);
    o->hash[i] += !o->hash[i];
    return 0;
}

static void place_identity(struct sl_outline *o, uint32_t i, int depth)
{
    uint32_t in = o->parent[i];

    if (o->root[i] != SL_NO_INDEX)
        return;
    if (depth < DEPTH)
        place_identity(o, in, depth + 1);
    o->root[i] = o->root[in] == SL_NO_INDEX ? 0 : o->root[in]; /* too deep, as only a damaged store has it */
    o->hash[i] = sl_hash_mix(o->hash[i], o->hash[in]);
    o->hash[i] += !o->hash[i];
}

int sl_outline_identities(struct sl_outline *o, struct sl_words *w, struct sl_err *err)
{
    struct identities n = {.o = o, .w = w};
    int rc;

    o->hash = sl_alloc((o->id.n + 1) * sizeof *o->hash);
    o->root = sl_alloc((o->id.n + 1) * sizeof *o->root);
    rc = sl_store_each(w->st, sql_keys, add_identity, &n, err, "");
    if (!rc && !o->trace.n)
        sl_vec_add(&o->trace);
    for (uint32_t i = 0; !rc && i < n.at; i++)
        place_identity(o, i, 0);
    return rc;
}

struct sl_exported_identity sl_outline_identity(const struct sl_outline *o, uint32_t span)
{
    struct sl_exported_identity is = {{0, 1}, 1};

    if (span != SL_NO_INDEX) {
        memcpy(is.trace, o->trace.v[o->root[span]].word, sizeof is.trace);
        is.span = o->hash[span];
    }
    return is;
}
