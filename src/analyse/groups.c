/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/groups.h"
#include "analyse/ext.h"
#include "analyse/load/fast_rows.h"
#include "analyse_groups.sql.h"

#include <stdlib.h>

static const char *const names[] = {"", "app", "executor", "node", "worker", "type"};

int sl_by_find(enum sl_by *by, const char *word, struct sl_err *err)
{
    *by = SL_GROUP_BY_NONE;
    if (!word || !*word)
        return 0;
    for (int i = SL_GROUP_BY_APP; i <= SL_GROUP_BY_TYPE; i++)
        if (!strcmp(word, names[i])) {
            *by = (enum sl_by)i;
            return 0;
        }
    return sl_err(err, SL_EUSAGE, "there are app, executor, node, worker and type, not '%s'", word);
}

const char *sl_by_name(enum sl_by by)
{
    return names[by];
}

/* ---- what spans say ---- */

static int own_row(void *to, sqlite3_value **v)
{
    struct sl_groups *x = to;
    uint32_t span = sl_graph_find(x->g, sqlite3_value_int64(v[0]));
    const char *text = (const char *)sqlite3_value_text(v[1]);

    if (span != SL_NO_INDEX && text && *text && !x->own[span])
        x->own[span] = sl_intern(&x->name, text, strlen(text));
    return 0;
}

/* Of sub the other way round, by counting. */
static void find_up(struct sl_groups *x)
{
    const struct sl_csr *sub = &x->g->sub;
    uint32_t n = x->g->n;

    x->up.start = sl_alloc(((size_t)n + 2) * sizeof *x->up.start);
    x->up.to = sl_alloc(((size_t)sub->start[n] + 1) * sizeof *x->up.to);
    for (uint32_t i = 0; i < sub->start[n]; i++)
        x->up.start[sub->to[i] + 2]++;
    for (size_t i = 2; i < (size_t)n + 2; i++)
        x->up.start[i] += x->up.start[i - 1];
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = sub->start[i]; k < sub->start[i + 1]; k++)
            x->up.to[x->up.start[sub->to[k] + 1]++] = i;
}

static int holds_row(void *to, sqlite3_value **v)
{
    struct sl_groups *x = to;
    const char *type = (const char *)sqlite3_value_text(v[0]);
    uint32_t rank = type ? sl_names_find(&x->g->names, type) : SL_NO_INDEX;

    if (rank != SL_NO_INDEX)
        x->holds[rank] = true;
    return 0;
}

int sl_groups_open(struct sl_groups *out, const struct sl_graph *g, sqlite3 *db, enum sl_by by, struct sl_err *err)
{
    static const char *const sql[] = {[SL_GROUP_BY_APP] = sql_app,
                                      [SL_GROUP_BY_EXECUTOR] = sql_executor,
                                      [SL_GROUP_BY_NODE] = sql_node,
                                      [SL_GROUP_BY_WORKER] = sql_worker};
    int rc;

    *out = (struct sl_groups){.by = by, .db = db, .g = g};
    if (by == SL_GROUP_BY_NONE)
        return 0;
    sl_walk_init(&out->above, g);
    sl_walk_init(&out->below, g);
    if (by == SL_GROUP_BY_TYPE)
        return 0;
    out->own = sl_alloc(((size_t)g->n + 1) * sizeof *out->own);
    out->holds = sl_alloc((size_t)g->names.n + 1);
    find_up(out);
    if (sqlite3_prepare_v2(db, sql_last, -1, &out->last, NULL) != SQLITE_OK)
        return sl_query_err(db, err);
    if (sqlite3_table_column_metadata(db, NULL, "sl_role", "role", NULL, NULL, NULL, NULL, NULL) != SQLITE_OK)
        return by == SL_GROUP_BY_EXECUTOR || by == SL_GROUP_BY_WORKER ? 0
                                                                      : sl_query_each(db, sql[by], own_row, out, err);
    rc = sl_query_each(db, sql_holds, holds_row, out, err);
    return rc ? rc : sl_query_each(db, sql[by], own_row, out, err);
}

void sl_groups_free(struct sl_groups *x)
{
    sqlite3_finalize(x->last);
    sl_walk_free(&x->above);
    sl_walk_free(&x->below);
    free(x->up.start);
    free(x->up.to);
    free(x->own);
    free(x->holds);
    sl_intern_free(&x->name);
    *x = (struct sl_groups){0};
}

/* ---- of one span ---- */

/* What it says, or the nearest that it lies in. */
static uint32_t above(struct sl_groups *x, uint32_t span)
{
    struct sl_walk *w = &x->above;

    if (x->own[span])
        return x->own[span];
    sl_walk_begin(w, span);
    for (size_t i = 0; i < w->n; i++) {
        if (x->own[w->span[i]])
            return x->own[w->span[i]];
        sl_walk_spread(w, &x->g->facet, w->span[i]);
        sl_walk_spread(w, &x->up, w->span[i]);
    }
    return 0;
}

static int64_t last_event(struct sl_groups *x, uint32_t span)
{
    int64_t last = INT64_MIN;

    sqlite3_bind_int64(x->last, 1, x->g->id.v[span]);
    if (sqlite3_step(x->last) == SQLITE_ROW && sqlite3_column_type(x->last, 0) != SQLITE_NULL)
        last = sqlite3_column_int64(x->last, 0);
    sqlite3_reset(x->last);
    return last;
}

/* Of its parts. */
static uint32_t below(struct sl_groups *x, uint32_t span)
{
    struct sl_walk *w = &x->below;
    uint32_t found = 0, of = 0;
    int64_t last_ns = 0;
    bool timed = false, many = false;

    sl_walk_closure(w, span);
    for (size_t i = 0; i < w->n; i++)
        many |= x->g->type[w->span[i]] != SL_NO_INDEX && x->holds[x->g->type[w->span[i]]];
    for (size_t i = 1; i < w->n; i++) {
        uint32_t group = above(x, w->span[i]);
        int64_t at;
        if (!group || (found == group && !timed))
            continue;
        if (!found) {
            found = group;
            of = w->span[i];
            continue;
        }
        if (many)
            return 0;
        if (!timed) { /* where there is a choice only: which of them had the first is looked up again */
            timed = true;
            last_ns = last_event(x, of);
            for (size_t k = 1; k < i; k++)
                if (above(x, w->span[k]) == found && (at = last_event(x, w->span[k])) > last_ns)
                    last_ns = at;
        }
        if ((at = last_event(x, w->span[i])) > last_ns) {
            found = group;
            last_ns = at;
        }
    }
    return found;
}

uint32_t sl_groups_of(struct sl_groups *x, uint32_t span)
{
    uint32_t group;

    if (x->by == SL_GROUP_BY_NONE)
        return 0;
    if (x->by == SL_GROUP_BY_TYPE) {
        const char *type = x->g->type[span] == SL_NO_INDEX ? "" : x->g->names.text[x->g->type[span]];
        return *type ? sl_intern(&x->name, type, strlen(type)) : 0;
    }
    group = above(x, span);
    return group || x->by == SL_GROUP_BY_APP ? group : below(x, span);
}
