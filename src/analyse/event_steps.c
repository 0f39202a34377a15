/* SPDX-License-Identifier: Apache-2.0 */
/* One pass writes down the kind and the duration of each transition; then these are dealt out, kind by kind. */
#include "analyse/event_steps.h"
#include "analyse/ext.h"
#include "analyse/kernels/quantile.h"
#include "base/hash.h"
#include "base/map.h"

#include <stdlib.h>

struct gather {
    struct sl_transitions *t;
    struct sl_sequencing sequencing;
    SL_VEC(uint32_t) kind; /* of each transition, an index */
    SL_VEC(double) seconds;
    SL_VEC(double) history;
    SL_VEC(uint32_t) at;   /* by group: into t->group, plus 1 */
    struct sl_map by_ends; /* kinds */
};

static uint32_t kind_of(struct gather *g, uint32_t from, uint32_t to)
{
    uint64_t hash = sl_hash_mix(from, to);
    size_t at = hash;

    for (uint32_t i; sl_map_next(&g->by_ends, hash, &at, &i);)
        if (g->t->kind.v[i].from == from && g->t->kind.v[i].to == to)
            return i;
    sl_map_add(&g->by_ends, hash, (uint32_t)g->t->kind.n);
    *sl_vec_add(&g->t->kind) = (struct sl_transition){.from = from, .to = to};
    return (uint32_t)g->t->kind.n - 1;
}

/* Times of garbage may be further apart than 2^63. */
static double seconds(int64_t from_ns, int64_t to_ns)
{
    return (double)((uint64_t)to_ns - (uint64_t)from_ns) / 1e9;
}

/* Into its group, number `group`. */
static void add_grouped(struct gather *g, uint32_t group, const char *name, double s)
{
    struct sl_history_group *h;

    while (g->at.n <= group)
        *sl_vec_add(&g->at) = 0;
    if (!g->at.v[group]) {
        sl_vec_add(&g->t->group)->name = sl_strdup(name);
        g->at.v[group] = (uint32_t)g->t->group.n;
    }
    h = &g->t->group.v[g->at.v[group] - 1];
    if (h->n == h->cap)
        h->v = sl_vec_grow(h->v, &h->cap, sizeof *h->v);
    h->v[h->n++] = s;
}

static void add_history(struct gather *g, const struct sl_timed_event *v, size_t n)
{
    struct sl_transitions *t = g->t;

    t->roots++;
    sl_sequences_add(&g->sequencing, v, n);
    if (!n)
        return;
    if (!g->history.n || v[0].time_ns < t->first_ns)
        t->first_ns = v[0].time_ns;
    if (!g->history.n || v[n - 1].time_ns > t->last_ns)
        t->last_ns = v[n - 1].time_ns;
    *sl_vec_add(&g->history) = seconds(v[0].time_ns, v[n - 1].time_ns);
    for (size_t i = 1; i < n; i++) {
        uint32_t kind = kind_of(g, v[i - 1].code, v[i].code);
        t->kind.v[kind].n++;
        *sl_vec_add(&g->kind) = kind;
        *sl_vec_add(&g->seconds) = seconds(v[i - 1].time_ns, v[i].time_ns);
    }
}

static int by_codes(const void *a, const void *b)
{
    const struct sl_transition *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static void deal_out(struct gather *g)
{
    struct sl_transitions *t = g->t;
    double *at = t->seconds = sl_alloc(g->seconds.n * sizeof *t->seconds);

    for (size_t i = 0; i < t->kind.n; i++) {
        t->kind.v[i].v = at;
        at += t->kind.v[i].n;
        t->kind.v[i].n = 0;
    }
    for (size_t i = 0; i < g->kind.n; i++) {
        struct sl_transition *k = &t->kind.v[g->kind.v[i]];
        k->v[k->n++] = g->seconds.v[i];
    }
    sl_vec_free(&g->kind);
    sl_vec_free(&g->seconds);
    for (size_t i = 0; i < t->kind.n; i++)
        sl_sort(t->kind.v[i].v, t->kind.v[i].n);
    if (t->kind.n)
        qsort(t->kind.v, t->kind.n, sizeof *t->kind.v, by_codes);
}

static int by_group(const void *a, const void *b)
{
    const struct sl_history_group *x = a, *y = b;
    int none = strcmp(y->name, SL_GROUP_NONE) == 0, other = strcmp(x->name, SL_GROUP_NONE) == 0;

    return none != other ? other - none : strcmp(x->name, y->name);
}

/* What is asked of roots takes what SQL gives.  part: what belongs to `within` will do. */
static int open_roots(struct sl_root_events *s, sqlite3 *db, const char *type, int64_t within, bool part,
                      struct sl_err *err)
{
    sqlite3_stmt *q = NULL;
    sqlite3_value *id = NULL;
    int rc;

    if (within && sqlite3_prepare_v2(db, "SELECT ?1", -1, &q, NULL) == SQLITE_OK &&
        sqlite3_bind_int64(q, 1, within) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
        id = sqlite3_value_dup(sqlite3_column_value(q, 0));
    rc = within && !id ? sl_err(err, SL_ESTORE, "cannot ask for a span: %s", sl_sqlite_words(db))
                       : sl_root_events_open(s, db, part ? id : NULL, err);
    if (!rc)
        rc = sl_root_events_of(s, type, id, err);
    sqlite3_value_free(id);
    sqlite3_finalize(q);
    return rc;
}

int sl_transitions_make(struct sl_transitions *out, sqlite3 *db, const char *type, int64_t within, enum sl_by by,
                        struct sl_err *err)
{
    struct sl_groups groups = {0};
    struct gather g = {.t = out, .sequencing.s = &out->seq};
    int rc;

    *out = (struct sl_transitions){0};
    rc = open_roots(&out->names, db, type, within, by == SL_GROUP_BY_NONE, err);
    if (!rc)
        rc = sl_groups_open(&groups, &out->names.g, db, by, err);
    if (!rc)
        while ((rc = sl_root_events_next(&out->names, err)) > 0) {
            const struct sl_timed_event *v = out->names.v;
            size_t n = out->names.n;
            add_history(&g, v, n);
            if (n && by != SL_GROUP_BY_NONE) {
                uint32_t group = sl_groups_of(&groups, out->names.root);
                add_grouped(&g, group, sl_groups_name(&groups, group), seconds(v[0].time_ns, v[n - 1].time_ns));
            }
        }
    sl_groups_free(&groups);
    sl_vec_free(&g.at);
    for (size_t i = 0; i < out->group.n; i++)
        sl_sort(out->group.v[i].v, out->group.v[i].n);
    if (out->group.n)
        qsort(out->group.v, out->group.n, sizeof *out->group.v, by_group);
    sl_root_events_done(&out->names);
    sl_sequences_finish(&g.sequencing);
    sl_map_free(&g.by_ends);
    deal_out(&g);
    out->history = g.history.v;
    out->histories = g.history.n;
    if (out->histories)
        sl_sort(out->history, out->histories);
    return rc;
}

void sl_transitions_free(struct sl_transitions *t)
{
    sl_vec_free(&t->kind);
    for (size_t i = 0; i < t->group.n; i++) {
        free(t->group.v[i].name);
        free(t->group.v[i].v);
    }
    sl_vec_free(&t->group);
    sl_sequences_free(&t->seq);
    sl_root_events_free(&t->names);
    free(t->history);
    free(t->seconds);
    *t = (struct sl_transitions){0};
}
