/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules fall into stages, each of which ends with a merge, except the last.  In a stage every kind of event goes
 * its own way, whatever happens around it, so it is worked out once for each kind (closing).  Only merges look at the
 * sequence of a root.
 */
#include "analyse/lens/lens.h"
#include "analyse/lens/rules.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/intern.h"

#include <stdlib.h>

struct group { /* of events that are one */
    int64_t time_ns;
    uint32_t of;
};

struct stage {
    size_t from, to;            /* its ignore and rename rules */
    struct sl_lens_rule *merge; /* NULL: the last stage */
    uint32_t *image;            /* by kind, later by code: what a kind appears as; SL_NO_INDEX: it is ignored */
    uint32_t *merged;           /* the same for what the merge takes; SL_NO_INDEX: it does not */
    size_t kinds;               /* as many as image and merged know */
    uint64_t *next;             /* by code: the number of the first group that this kind is not in */
    uint64_t groups;            /* of all roots so far: numbers go on, so that `next` need not be emptied */
    SL_VEC(struct group) group; /* of the root at hand */
};

struct sl_lens {
    struct sl_lens_rules rules;
    struct sl_intern kind; /* "TYPE\0EVENT"; kind k has the id k + 1 */
    struct sl_buf text;
    SL_VEC(struct stage) stage;
    uint32_t *code; /* by kind */
    uint32_t *of;   /* the kind, by code */
};

/* ---- kinds ---- */

uint32_t sl_lens_kind(struct sl_lens *l, const char *type, const char *event)
{
    sl_buf_clear(&l->text);
    sl_buf_add(&l->text, type, strlen(type) + 1);
    sl_buf_adds(&l->text, event);
    return sl_intern(&l->kind, l->text.s, l->text.n) - 1;
}

static const char *type_of(const struct sl_lens *l, uint32_t kind)
{
    return sl_intern_text(&l->kind, kind + 1);
}

static const char *event_of(const struct sl_lens *l, uint32_t kind)
{
    const char *type = type_of(l, kind);
    return type + strlen(type) + 1;
}

uint32_t sl_lens_codes(const struct sl_lens *l)
{
    return (uint32_t)l->kind.of.n;
}

const char *sl_lens_span_type(const struct sl_lens *l, uint32_t code)
{
    return type_of(l, l->of[code]);
}

const char *sl_lens_event_type(const struct sl_lens *l, uint32_t code)
{
    return event_of(l, l->of[code]);
}

uint32_t sl_lens_see(const struct sl_lens *l, uint32_t kind)
{
    return l->stage.v[0].image[l->code[kind]];
}

/* ---- loading ---- */

int sl_lens_load(struct sl_lens **out, sqlite3 *db, struct sl_err *err)
{
    struct sl_lens *l = sl_alloc(sizeof *l);
    int rc = sl_lens_rules_read(&l->rules, db, err);
    size_t from = 0;

    *out = NULL;
    if (rc) {
        free(l);
        return rc;
    }
    for (size_t i = 0; i <= l->rules.rule.n; i++)
        if (i == l->rules.rule.n || l->rules.rule.v[i].what == SL_LENS_MERGE) {
            *sl_vec_add(&l->stage) =
                (struct stage){.from = from, .to = i, .merge = i < l->rules.rule.n ? &l->rules.rule.v[i] : NULL};
            from = i + 1;
        }
    *out = l;
    return 0;
}

void sl_lens_free(struct sl_lens *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->stage.n; i++) {
        free(l->stage.v[i].image);
        free(l->stage.v[i].merged);
        free(l->stage.v[i].next);
        sl_vec_free(&l->stage.v[i].group);
    }
    sl_vec_free(&l->stage);
    sl_intern_free(&l->kind);
    sl_buf_free(&l->text);
    sl_lens_rules_free(&l->rules);
    free(l->code);
    free(l->of);
    free(l);
}

bool sl_lens_clear(const struct sl_lens *l)
{
    return !l->rules.rule.n;
}

/* ---- closing ---- */

/* A text of its own: that of the kind moves into sl_buf. */
static bool hits(const struct sl_lens *l, struct sl_lens_rule *r, uint32_t kind)
{
    struct sl_buf both = {0};
    const char *type = type_of(l, kind);
    bool hit;

    sl_buf_addf(&both, "%s/%s", type, event_of(l, kind));
    hit = sl_lens_rule_hits(r, type, both.s);
    sl_buf_free(&both);
    return hit;
}

static uint32_t become(struct sl_lens *l, const struct sl_lens_rule *r, uint32_t kind)
{
    return sl_lens_kind(l, r->type ? r->type : type_of(l, kind), r->event ? r->event : event_of(l, kind));
}

static uint32_t look(struct sl_lens *l, const struct stage *s, uint32_t kind)
{
    for (size_t i = s->from; i < s->to && kind != SL_NO_INDEX; i++) {
        struct sl_lens_rule *r = &l->rules.rule.v[i];
        if (hits(l, r, kind))
            kind = r->what == SL_LENS_IGNORE ? SL_NO_INDEX : become(l, r, kind);
    }
    return kind;
}

struct kinds {
    SL_VEC(uint32_t) v;
    SL_VEC(bool) has;
};

static void add_kind(struct kinds *k, uint32_t kind)
{
    if (kind == SL_NO_INDEX)
        return;
    while (k->has.n <= kind)
        (void)sl_vec_add(&k->has);
    if (!k->has.v[kind])
        *sl_vec_add(&k->v) = kind;
    k->has.v[kind] = true;
}

/* Where the kinds of `in` go; out: as what they leave. */
static void close_stage(struct sl_lens *l, struct stage *s, const struct kinds *in, struct kinds *out)
{
    struct kinds seen = {0};
    size_t n = sl_lens_codes(l);

    s->image = sl_alloc(n * sizeof *s->image);
    memset(s->image, 0xff, n * sizeof *s->image);
    for (size_t i = 0; i < in->v.n; i++)
        add_kind(&seen, s->image[in->v.v[i]] = look(l, s, in->v.v[i]));
    s->kinds = sl_lens_codes(l);
    s->image = sl_realloc(s->image, s->kinds * sizeof *s->image);
    memset(s->image + n, 0xff, (s->kinds - n) * sizeof *s->image);
    s->merged = sl_alloc(s->kinds * sizeof *s->merged);
    for (size_t i = 0; i < s->kinds; i++)
        s->merged[i] = SL_NO_INDEX;
    for (size_t i = 0; i < seen.v.n; i++) {
        uint32_t kind = seen.v.v[i];
        if (s->merge && hits(l, s->merge, kind))
            s->merged[kind] = become(l, s->merge, kind);
        add_kind(out, s->merged[kind] != SL_NO_INDEX ? s->merged[kind] : kind);
    }
    sl_vec_free(&seen.v);
    sl_vec_free(&seen.has);
}

static int by_names(const void *a, const void *b, void *lens)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int d = strcmp(type_of(lens, x), type_of(lens, y));

    return d ? d : strcmp(event_of(lens, x), event_of(lens, y));
}

/* From kinds, as they came, to codes, as they are ordered. */
static uint32_t *in_order(const struct sl_lens *l, uint32_t *old, size_t n)
{
    size_t codes = sl_lens_codes(l);
    uint32_t *v = sl_alloc(codes * sizeof *v);

    for (size_t i = 0; i < codes; i++)
        v[i] = SL_NO_INDEX;
    for (size_t i = 0; i < n; i++)
        v[l->code[i]] = old[i] == SL_NO_INDEX ? SL_NO_INDEX : l->code[old[i]];
    free(old);
    return v;
}

void sl_lens_close(struct sl_lens *l)
{
    struct kinds in = {0}, out = {0};
    uint32_t n;

    for (uint32_t i = 0; i < sl_lens_codes(l); i++)
        add_kind(&in, i);
    for (size_t i = 0; i < l->stage.n; i++) {
        close_stage(l, &l->stage.v[i], &in, &out);
        sl_vec_free(&in.v);
        sl_vec_free(&in.has);
        in = out;
        out = (struct kinds){0};
    }
    sl_vec_free(&in.v);
    sl_vec_free(&in.has);
    n = sl_lens_codes(l);
    l->of = sl_alloc(n * sizeof *l->of);
    l->code = sl_alloc(n * sizeof *l->code);
    for (uint32_t i = 0; i < n; i++)
        l->of[i] = i;
    if (n)
        qsort_r(l->of, n, sizeof *l->of, by_names, l);
    for (uint32_t i = 0; i < n; i++)
        l->code[l->of[i]] = i;
    for (size_t i = 0; i < l->stage.n; i++) {
        struct stage *s = &l->stage.v[i];
        s->image = in_order(l, s->image, s->kinds);
        s->merged = in_order(l, s->merged, s->kinds);
        s->next = sl_alloc(n * sizeof *s->next);
    }
}

const char *sl_lens_idle(const struct sl_lens *l, bool temp, int64_t id, size_t *at)
{
    for (size_t i = 0; i < l->rules.rule.n; i++) {
        const struct sl_lens_rule *r = &l->rules.rule.v[i];
        while (r->temp == temp && r->id == id && *at < r->pattern.n)
            if (!r->pattern.v[(*at)++].hit)
                return r->pattern.v[*at - 1].text;
    }
    return NULL;
}

/* ---- the events of a root ---- */

/*
 * An event goes to the first group that is not over and has none of its kind; where all have, it begins another.  So
 * the groups that have a kind are always the first ones, and one number a kind says which.
 */
static size_t merge(struct stage *s, struct sl_timed_event *v, size_t n, uint32_t *events)
{
    uint64_t open = s->groups; /* the first group that is not over */
    size_t out = 0;

    sl_vec_clear(&s->group);
    for (size_t i = 0; i < n; i++) {
        uint32_t to = s->merged[v[i].code];
        uint64_t *next = &s->next[v[i].code], end = s->groups + s->group.n;
        if (to == SL_NO_INDEX) {
            v[out++] = v[i];
            continue;
        }
        while (open < end &&
               (uint64_t)v[i].time_ns - (uint64_t)s->group.v[open - s->groups].time_ns > s->merge->within_ns)
            open++;
        *next = *next < open ? open : *next;
        if (*next < end) {
            if (events)
                events[s->group.v[*next - s->groups].of] += events[v[i].of] ? events[v[i].of] : 1;
        } else {
            *sl_vec_add(&s->group) = (struct group){v[i].time_ns, v[i].of};
            if (events && !events[v[i].of])
                events[v[i].of] = 1;
            v[out++] = (struct sl_timed_event){v[i].time_ns, to, v[i].of};
        }
        ++*next;
    }
    s->groups += s->group.n;
    return out;
}

size_t sl_lens_merge(struct sl_lens *l, struct sl_timed_event *v, size_t n, uint32_t *events)
{
    for (size_t i = 0; i < l->stage.n; i++) {
        struct stage *s = &l->stage.v[i];
        if (i && s->to > s->from) {
            size_t out = 0;
            for (size_t k = 0; k < n; k++)
                if (s->image[v[k].code] != SL_NO_INDEX)
                    v[out++] = (struct sl_timed_event){v[k].time_ns, s->image[v[k].code], v[k].of};
            n = out;
            sl_timed_events_sort(v, n); /* equal times, by the new names */
        }
        if (s->merge) {
            n = merge(s, v, n, events);
            sl_timed_events_sort(v, n);
        }
    }
    return n;
}

/* ---- all events ---- */

/* (rank of a span type, rank of an event type) -> kind */
struct pairs {
    SL_VEC(struct pair { uint32_t type, event, kind; }) v;
    struct sl_map by_ranks;
};

static uint32_t pair_kind(struct pairs *p, struct sl_lens *l, const struct sl_names *names, uint32_t type,
                          uint32_t event)
{
    uint64_t hash = sl_hash_mix(type, event);
    size_t at = hash;
    uint32_t kind;

    for (uint32_t i; sl_map_next(&p->by_ranks, hash, &at, &i);)
        if (p->v.v[i].type == type && p->v.v[i].event == event)
            return p->v.v[i].kind;
    kind = sl_lens_kind(l, names->text[type], names->text[event]);
    sl_map_add(&p->by_ranks, hash, (uint32_t)p->v.n);
    *sl_vec_add(&p->v) = (struct pair){type, event, kind};
    return kind;
}

void sl_lens_events(struct sl_lens *l, const struct sl_graph *g, struct sl_events *e)
{
    struct pairs p = {0};
    uint32_t *code = sl_alloc(e->n * sizeof *code); /* there can be more of them than types */
    size_t out = 0;

    for (uint32_t i = 0; i < g->n; i++)
        for (size_t k = e->start[i]; k < e->start[i + 1]; k++)
            code[k] = pair_kind(&p, l, &g->names, g->type[i], sl_number_at(&e->type, k));
    sl_vec_free(&p.v);
    sl_map_free(&p.by_ranks);
    sl_lens_close(l);
    for (uint32_t i = 0; i < g->n; i++) {
        size_t k = e->start[i], end = e->start[i + 1];
        e->start[i] = (uint32_t)out;
        for (; k < end; k++) {
            e->time_ns[out] = e->time_ns[k];
            code[out] = sl_lens_see(l, code[k]);
            out += code[out] != SL_NO_INDEX;
        }
    }
    e->start[g->n] = (uint32_t)out;
    e->n = out;
    free(e->type.v);
    e->type = (struct sl_numbers){code, out, sizeof *code};
}
