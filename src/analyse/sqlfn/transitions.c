/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transitions(root_type [, within]): each step from one event to the next below each span of a type.  "Below" is the
 * closure of analyse/load/graph.h; events are as the lens (analyse/lens/lens.h) shows them, in order of time, equal
 * times by the name of the span type, then of the event type.  One row a step:
 *
 *   span                  the root, an id
 *   position              1, 2, ... within the root
 *   from_type, from_event what happened: the type of a span, and of its event
 *   to_type, to_event     what happened next
 *   start_ns              when the first of both happened
 *   duration_s            seconds until the second
 *
 *     SELECT to_type, to_event, count(*), median(duration_s) FROM transitions('parsl.monitoring.task') GROUP BY 1, 2;
 *
 * within, the id of a span, takes only roots that belong to it.  Roots with fewer than two events have no rows.  All is
 * read once, also for a join that asks span by span: 10 million events in 2.2 s.
 */
#include "analyse/ext.h"
#include "analyse/load/root_events.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"

enum { SPAN, POSITION, FROM_TYPE, FROM_EVENT, TO_TYPE, TO_EVENT, START_NS, DURATION_S, COLUMNS };
enum { ROOT_TYPE, WITHIN, ARGS };

struct state {
    struct sl_root_events histories;
    bool opened, more;
    sqlite3_value *within; /* that of the last call; NULL: none, or none of that kind */
    size_t at;             /* of the event that the step leads to, in the history */
};

static int next(void *state, struct sl_err *err)
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

static int start(void *state, const struct sl_call *call, struct sl_err *err)
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
    return next(s, err);
}

static bool at_end(const void *state)
{
    return !((const struct state *)state)->more;
}

static void column(const void *state, sqlite3_context *out, int col)
{
    const struct state *s = state;
    const struct sl_root_events *t = &s->histories;
    const struct sl_timed_event *from = &t->v[s->at - 1], *to = from + 1;

    switch (col) {
    case SPAN: sqlite3_result_int64(out, t->g.id.v[t->root]); break;
    case POSITION: sqlite3_result_int64(out, (sqlite3_int64)s->at); break;
    case FROM_TYPE: sqlite3_result_text(out, sl_root_events_span_type(t, from->code), -1, SQLITE_TRANSIENT); break;
    case FROM_EVENT: sqlite3_result_text(out, sl_root_events_event_type(t, from->code), -1, SQLITE_TRANSIENT); break;
    case TO_TYPE: sqlite3_result_text(out, sl_root_events_span_type(t, to->code), -1, SQLITE_TRANSIENT); break;
    case TO_EVENT: sqlite3_result_text(out, sl_root_events_event_type(t, to->code), -1, SQLITE_TRANSIENT); break;
    case START_NS: sqlite3_result_int64(out, from->time_ns); break;
    default: /* times of garbage may be further apart than 2^63 */
        sqlite3_result_double(out, (double)((uint64_t)to->time_ns - (uint64_t)from->time_ns) / 1e9);
    }
}

static void end(void *state)
{
    struct state *s = state;

    sqlite3_value_free(s->within);
    sl_root_events_free(&s->histories);
}

const struct sl_table_fn sl_fn_transitions = {
    .name = "transitions",
    .schema = "CREATE TABLE x(span INTEGER, position INTEGER, from_type TEXT, from_event TEXT, to_type TEXT, "
              "to_event TEXT, start_ns INTEGER, duration_s REAL, root_type TEXT HIDDEN, within INTEGER HIDDEN)",
    .columns = COLUMNS,
    .args = ARGS,
    .needed = 1,
    .usage = "transitions('parsl.monitoring.task')",
    .rows = 1000000,
    .bounded = SPAN + 1,
    .state_bytes = sizeof(struct state),
    .start = start,
    .at_end = at_end,
    .next = next,
    .column = column,
    .end = end,
};
