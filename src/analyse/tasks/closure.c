/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/tasks/closure.h"
#include "analyse/ext.h"
#include "analyse/load/fast_rows.h"

#include <stdlib.h>

/* ---- roles ---- */

struct roles {
    const struct sl_graph *g;
    unsigned char *role;
};

static int role_row(void *to, sqlite3_value **v)
{
    static const char *const names[] = {"", "workflow", "task", "attempt", "worker", "batch", "job"};
    struct roles *r = to;
    const char *type = (const char *)sqlite3_value_text(v[0]), *role = (const char *)sqlite3_value_text(v[1]);
    uint32_t rank = type ? sl_names_find(&r->g->names, type) : SL_NO_INDEX;

    for (int i = 1; i < 7 && rank != SL_NO_INDEX && role; i++)
        if (!strcmp(role, names[i]))
            r->role[rank] = (unsigned char)i;
    return 0;
}

int sl_roles_load(unsigned char **role, const struct sl_graph *g, sqlite3 *db, struct sl_err *err)
{
    struct roles r = {g, *role = sl_alloc((size_t)g->names.n + 1)};

    if (sqlite3_table_column_metadata(db, NULL, "sl_role", "role", NULL, NULL, NULL, NULL, NULL) != SQLITE_OK)
        return 0;
    return sl_query_each(db, "SELECT sl_query_each(?1, type, role) FROM sl_role", role_row, &r, err);
}

/* ---- attempts ---- */

void sl_closure_init(struct sl_closure *r, const struct sl_graph *g, const unsigned char *role)
{
    *r = (struct sl_closure){.g = g, .role = role, .attempt = sl_alloc((size_t)g->n * sizeof *r->attempt)};
    sl_walk_init(&r->walk, g);
}

void sl_closure_free(struct sl_closure *r)
{
    sl_walk_free(&r->walk);
    free(r->attempt);
    *r = (struct sl_closure){0};
}

/* The facets of an attempt are that attempt. */
static uint32_t attempt_of(struct sl_closure *r, uint32_t span)
{
    const struct sl_csr *f = &r->g->facet;

    for (size_t i = f->start[span]; i < f->start[span + 1]; i++)
        if (sl_walk_has(&r->walk, f->to[i]) && sl_closure_is(r, f->to[i], SL_ROLE_ATTEMPT) && r->attempt[f->to[i]])
            return r->attempt[f->to[i]];
    return ++r->attempts;
}

static void lead(struct sl_closure *r, const struct sl_csr *c, uint32_t from)
{
    size_t n = r->walk.n;

    sl_walk_spread(&r->walk, c, from);
    for (; n < r->walk.n; n++) {
        uint32_t x = r->walk.span[n];
        r->attempt[x] = 0; /* of an older task */
        r->attempt[x] = sl_closure_is(r, x, SL_ROLE_ATTEMPT) ? attempt_of(r, x) : r->attempt[from];
    }
}

void sl_closure_task(struct sl_closure *r, uint32_t task)
{
    r->attempts = 0;
    sl_walk_begin(&r->walk, task);
    r->attempt[task] = 0;
    for (size_t i = 0; i < r->walk.n; i++) {
        lead(r, &r->g->facet, r->walk.span[i]);
        lead(r, &r->g->sub, r->walk.span[i]);
    }
}
