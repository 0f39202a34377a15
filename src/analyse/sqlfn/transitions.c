/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each step from one event to the next below each span of a type.  "Below" is the closure of analyse/load/graph.h;
 * events are as the lens (analyse/lens/lens.h) shows them, in order of time, equal times by the name of the span type,
 * then of the event type.  Roots with fewer than two events have no rows.  All is read once, also for a join that asks
 * span by span: 10 million events in 2.2 s.
 */
#include "analyse/ext.h"
#include "analyse/load/root_events.h"
#include "analyse/sqlfn/sqlfn.h"

/* clang-format off */
#define TRANSITIONS(COLUMN, row) \
    COLUMN(row, INTEGER, span, NULL, "the root") \
    COLUMN(row, INTEGER, position, NULL, "1, 2, ... within the root") \
    COLUMN(row, TEXT, from_type, NULL, "the type of the span to which something happened") \
    COLUMN(row, TEXT, from_event, NULL, "what happened") \
    COLUMN(row, TEXT, to_type, NULL, "the type of the span to which something happened next") \
    COLUMN(row, TEXT, to_event, NULL, "what happened next") \
    COLUMN(row, INTEGER, start_ns, "ns", "when the first of both happened") \
    COLUMN(row, REAL, duration_s, "s", "until the second")
/* clang-format on */
SL_ROW(transitions, TRANSITIONS);

static const struct sl_column args[] = {
    {"root_type", SL_COLUMN_TEXT, NULL, "the type of the roots", 0},
    {"within", SL_COLUMN_INTEGER, NULL, "the id of a span to which roots belong; NULL: all", 0},
};
enum { ROOT_TYPE, WITHIN, ARGS };

struct state {
    struct sl_root_events histories;
    bool opened, more;
    sqlite3_value *within; /* that of the last call; NULL: none, or none of that kind */
    size_t at;             /* of the event that the step leads to, in the history */
    struct transitions row;
};

static int next_steps(void *state, struct sl_err *err)
{
    struct state *s = state;
    int rc = 1;

    s->at++;
    while (s->at >= s->histories.n && (rc = sl_root_events_next(&s->histories, err)) > 0)
        s->at = 1;
    s->more = rc > 0;
    return rc < 0 ? rc : 0;
}

/* Finding all that belongs to a span costs more than a step of a join may. */
static int ask(struct state *s, const struct sl_call *call, struct sl_err *err)
{
    const char *type = (const char *)sqlite3_value_text(call->arg[ROOT_TYPE]);
    sqlite3_value *within = call->arg[WITHIN];
    int rc;

    if (s->within && within && sqlite3_value_type(within) == SQLITE_INTEGER && type &&
        s->histories.type != SL_NO_INDEX && sqlite3_value_int64(within) == sqlite3_value_int64(s->within) &&
        !strcmp(type, s->histories.g.names.text[s->histories.type]))
        return 0;
    sqlite3_value_free(s->within);
    s->within = NULL;
    rc = sl_root_events_of(&s->histories, type, within, err);
    if (!rc && within && sqlite3_value_type(within) == SQLITE_INTEGER)
        s->within = sqlite3_value_dup(within);
    return rc;
}

static int start_steps(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int rc = 0;

    s->more = false;
    if (!s->opened) {
        s->opened = true;
        rc = sl_root_events_open(&s->histories, call->db, call->arg[WITHIN], err);
    } else {
        rc = sl_root_events_widen(&s->histories, call->db, call->arg[WITHIN], err);
    }
    if (!rc)
        rc = ask(s, call, err);
    if (rc)
        return rc;
    sl_root_events_between(&s->histories, call->min, call->max);
    s->histories.n = 0;
    s->at = 0;
    return next_steps(s, err);
}

static bool at_end_steps(const void *state)
{
    return !((const struct state *)state)->more;
}

static const void *get_step(void *state)
{
    struct state *s = state;
    const struct sl_root_events *t = &s->histories;
    const struct sl_timed_event *from = &t->v[s->at - 1], *to = from + 1;

    s->row = (struct transitions){
        .span = t->g.id.v[t->root],
        .position = (int64_t)s->at,
        .from_type = sl_root_events_span_type(t, from->code),
        .from_event = sl_root_events_event_type(t, from->code),
        .to_type = sl_root_events_span_type(t, to->code),
        .to_event = sl_root_events_event_type(t, to->code),
        .start_ns = from->time_ns, /* times of garbage may be further apart than 2^63 */
        .duration_s = (double)((uint64_t)to->time_ns - (uint64_t)from->time_ns) / 1e9,
    };
    return &s->row;
}

static void end_steps(void *state)
{
    struct state *s = state;

    sqlite3_value_free(s->within);
    sl_root_events_free(&s->histories);
}

const struct sl_table_fn sl_fn_transitions = {
    .name = "transitions",
    .about = "each step from one event to the next",
    .row = &transitions_columns,
    .arg = args,
    .args = ARGS,
    .needed = 1,
    .usage = "transitions('parsl.monitoring.task')",
    .rows = 1000000,
    .bounded = 1 /* span */,
    .state_bytes = sizeof(struct state),
    .start = start_steps,
    .at_end = at_end_steps,
    .next = next_steps,
    .get = get_step,
    .end = end_steps,
};
