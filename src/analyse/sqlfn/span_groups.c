/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What --by puts spans together by (analyse/groups.h), one row a span.  It reads all spans and links once, also for a
 * join that asks span by span; what is not asked for is not looked for.
 */
#include "analyse/ext.h"
#include "analyse/groups.h"
#include "analyse/sqlfn/sqlfn.h"
#include "base/mem.h"

#include <stdlib.h>

/* clang-format off */
#define SPAN_GROUPS(COLUMN, row) \
    COLUMN(row, INTEGER, span, NULL, "an id") \
    COLUMN(row, TEXT, app, NULL, "what it says itself (app, task_func_name, category), else the nearest that it lies in; NULL: nothing says") \
    COLUMN(row, TEXT, executor, NULL, "likewise (executor, or a span of that role), else that of its parts") \
    COLUMN(row, TEXT, node, NULL, "likewise (hostname)") \
    COLUMN(row, TEXT, worker, NULL, "likewise (a span of that role), by its key behind that of what it lies in") \
    COLUMN(row, TEXT, type, NULL, "its own")
/* clang-format on */
SL_ROW(span_groups, SPAN_GROUPS);

static const struct sl_column args[] = {
    {"span_type", SL_COLUMN_TEXT, NULL, "the type of the spans; NULL: all", 0},
};

struct state {
    struct sl_graph g;
    bool loaded;
    struct sl_groups by[SL_GROUP_BY_TYPE + 1];
    uint32_t type; /* SL_NO_INDEX: all */
    bool none;
    uint32_t at, until;
    struct span_groups row;
};

static void end_spans(void *state)
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

static int start_spans(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    const char *type = call->arg[0] ? (const char *)sqlite3_value_text(call->arg[0]) : NULL;
    int rc = s->loaded ? 0 : sl_graph_load(&s->g, call->db, 0, err);

    if (rc)
        return rc;
    s->loaded = true;
    s->type = type ? sl_names_find(&s->g.names, type) : SL_NO_INDEX;
    s->none = type && s->type == SL_NO_INDEX;
    s->at = first_from(&s->g.id, call->min);
    s->until = call->max == INT64_MAX ? s->g.n : first_from(&s->g.id, call->max + 1);
    skip(s);
    for (int i = SL_GROUP_BY_APP; i <= SL_GROUP_BY_TYPE && !rc; i++) /* columns, in this order */
        if (call->used >> i & 1 && !s->by[i].g)
            rc = sl_groups_open(&s->by[i], &s->g, call->db, (enum sl_by)i, err);
    return rc;
}

static bool at_end_spans(const void *state)
{
    const struct state *s = state;
    return s->at >= s->until;
}

static int next_spans(void *state, struct sl_err *err)
{
    struct state *s = state;

    (void)err;
    s->at++;
    skip(s);
    return 0;
}

static const char *group(struct state *s, enum sl_by by)
{
    uint32_t group = s->by[by].g ? sl_groups_of(&s->by[by], s->at) : 0;

    return group ? sl_groups_name(&s->by[by], group) : NULL;
}

static const void *get_span(void *state)
{
    struct state *s = state;

    s->row =
        (struct span_groups){s->g.id.v[s->at],           group(s, SL_GROUP_BY_APP),    group(s, SL_GROUP_BY_EXECUTOR),
                             group(s, SL_GROUP_BY_NODE), group(s, SL_GROUP_BY_WORKER), group(s, SL_GROUP_BY_TYPE)};
    return &s->row;
}

static int64_t row_id_spans(const void *state)
{
    const struct state *s = state;
    return s->g.id.v[s->at];
}

const struct sl_table_fn sl_fn_span_groups = {
    .name = "span_groups",
    .about = "what --by puts spans together by",
    .row = &span_groups_columns,
    .arg = args,
    .args = 1,
    .usage = "span_groups('parsl.monitoring.task')",
    .rows = 1000000,
    .bounded = 1 /* span */,
    .state_bytes = sizeof(struct state),
    .start = start_spans,
    .at_end = at_end_spans,
    .next = next_spans,
    .get = get_span,
    .rowid = row_id_spans,
    .end = end_spans,
};
