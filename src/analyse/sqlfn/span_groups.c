/* SPDX-License-Identifier: Apache-2.0 */
/*
 * span_groups([span_type]): what --by puts spans together by (analyse/groups.h): one row a span.
 *
 *   span       an id
 *   app, executor, node, worker    those that it belongs to; NULL: nothing says
 *   type       its own
 *
 *     SELECT app, avg(duration_s) FROM two_events('invoked', 'returned') JOIN span_groups() USING (span) GROUP BY app;
 *
 * It reads all spans and links once, also for a join that asks span by span; what is not asked for is not looked for.
 */
#include "analyse/ext.h"
#include "analyse/groups.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"
#include "base/mem.h"

#include <stdlib.h>

enum { SPAN, APP, EXECUTOR, NODE, WORKER, TYPE, COLUMNS };

struct state {
    sqlite3 *db;
    struct sl_graph g;
    bool loaded;
    struct sl_groups by[SL_GROUP_BY_TYPE + 1];
    uint32_t type; /* SL_NO_INDEX: all */
    bool none;
    uint32_t at, until;
};

static void end(void *state)
{
    struct state *s = state;

    for (int i = SL_GROUP_BY_APP; i <= SL_GROUP_BY_TYPE; i++)
        sl_groups_free(&s->by[i]);
    if (s->loaded)
        sl_graph_free(&s->g);
    s->loaded = false;
}

static void skip(struct state *s)
{
    while (s->at < s->until && (s->none || (s->type != SL_NO_INDEX && s->g.type[s->at] != s->type)))
        s->at++;
}

static uint32_t first_from(const struct sl_idmap *id, int64_t min)
{
    size_t low = 0, high = id->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (id->v[middle] < min)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    const char *type = call->arg[0] ? (const char *)sqlite3_value_text(call->arg[0]) : NULL;
    int rc = s->loaded ? 0 : sl_graph_load(&s->g, call->db, 0, err);

    s->db = call->db;
    if (rc)
        return rc;
    s->loaded = true;
    s->type = type ? sl_names_find(&s->g.names, type) : SL_NO_INDEX;
    s->none = type && s->type == SL_NO_INDEX;
    s->at = first_from(&s->g.id, call->min);
    s->until = call->max == INT64_MAX ? s->g.n : first_from(&s->g.id, call->max + 1);
    skip(s);
    return rc;
}

static bool at_end(const void *state)
{
    const struct state *s = state;
    return s->at >= s->until;
}

static int next(void *state, struct sl_err *err)
{
    struct state *s = state;

    (void)err;
    s->at++;
    skip(s);
    return 0;
}

static void column(const void *state, sqlite3_context *out, int col)
{
    struct state *s = (struct state *)state; /* walks are its own */
    struct sl_err err = {0};
    uint32_t group;

    if (col == SPAN)
        sqlite3_result_int64(out, s->g.id.v[s->at]);
    else if (!s->by[col].g &&
             sl_groups_open(&s->by[col], &s->g, s->db, (enum sl_by)col, &err)) /* when it is asked for */
        sqlite3_result_error(out, err.text, -1);
    else if ((group = sl_groups_of(&s->by[col], s->at)))
        sqlite3_result_text(out, sl_groups_name(&s->by[col], group), -1, SQLITE_TRANSIENT);
}

static int64_t row_id(const void *state)
{
    const struct state *s = state;
    return s->g.id.v[s->at];
}

const struct sl_table_fn sl_fn_span_groups = {
    .name = "span_groups",
    .schema = "CREATE TABLE x(span INTEGER, app TEXT, executor TEXT, node TEXT, worker TEXT, type TEXT, span_type TEXT "
              "HIDDEN)",
    .columns = COLUMNS,
    .args = 1,
    .usage = "span_groups('parsl.monitoring.task')",
    .rows = 1000000,
    .bounded = SPAN + 1,
    .state_bytes = sizeof(struct state),
    .start = start,
    .at_end = at_end,
    .next = next,
    .column = column,
    .rowid = row_id,
    .end = end,
};
