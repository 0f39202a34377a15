/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_sequences(root_type [, within]): the orders in which the events below spans of that type happened, and how long
 * each step took.  "Below" is the closure over subspans and facets of analyse/load/graph.h; equal times are ordered by
 * the name of the span type, then of the event type.  One row per ordering and position:
 *
 *   sequence      1: the most frequent ordering; equally frequent ones by their names, position for position, the
 *                 shorter first.  max(sequence) is the number of different orderings.
 *   count         root spans with this ordering
 *   position      1, 2, ...; an ordering without events (roots that have none) is one row with position 0 and the
 *                 other columns NULL.  So `position <= 1` is one row per ordering, and sum(count) of those all roots.
 *   span_type, event_type    what happened
 *   mean_s, min_s, max_s     seconds since the previous event of the same root, over these roots; 0 at position 1
 *   cumulative_s             mean of the seconds since the first event
 *
 * and, hidden (they come when named): orderings and roots, how many there are of each in all.
 *
 *     SELECT position, printf('%.9f', mean_s), span_type, event_type
 *     FROM event_sequences('parsl.monitoring.task') WHERE sequence = 1;
 *
 * within, the id of a span, counts only roots that belong to it.  Events are as the lens (analyse/lens/lens.h) shows
 * them. It reads all spans, links and events once: 10 million events in 2.0 s, 25 bytes of memory an event.
 */
#include "analyse/ext.h"
#include "analyse/sequences.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"

enum {
    SEQUENCE,
    COUNT,
    POSITION,
    SPAN_TYPE,
    EVENT_TYPE,
    MEAN_S,
    MIN_S,
    MAX_S,
    CUMULATIVE_S,
    COLUMNS,
    ORDERINGS = COLUMNS,
    ROOTS
};

struct state {
    struct sl_root_events histories; /* of which only the names are kept */
    struct sl_sequences seq;
    size_t ordering;
    uint32_t step;              /* of the ordering, from 0 */
    unsigned __int128 total_ns; /* all roots of the ordering, from their first events to this step */
};

static void enter_step(struct state *s)
{
    const struct sl_ordering *o = s->ordering < s->seq.n ? &s->seq.v[s->ordering] : NULL;

    if (o && s->step < o->n)
        s->total_ns = (s->step ? s->total_ns : 0) + s->seq.step[o->at + s->step].sum_ns;
}

static void end(void *state)
{
    struct state *s = state;

    sl_root_events_free(&s->histories);
    sl_sequences_free(&s->seq);
}

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int rc;

    end(s);
    *s = (struct state){0};
    rc = sl_root_events_open(&s->histories, call->db, call->arg[1], err);
    if (!rc)
        rc = sl_root_events_of(&s->histories, (const char *)sqlite3_value_text(call->arg[0]), call->arg[1], err);
    if (!rc)
        rc = sl_sequences_make(&s->seq, &s->histories, err);
    sl_root_events_done(&s->histories); /* the names are all that the rows need */
    if (!rc)
        enter_step(s);
    return rc;
}

static bool at_end(const void *state)
{
    const struct state *s = state;
    return s->ordering >= s->seq.n;
}

static int next(void *state, struct sl_err *err)
{
    struct state *s = state;

    (void)err;
    if (++s->step >= s->seq.v[s->ordering].n) {
        s->step = 0;
        s->ordering++;
    }
    enter_step(s);
    return 0;
}

static void result_s(sqlite3_context *out, double ns, uint64_t count)
{
    sqlite3_result_double(out, ns / ((double)count * 1e9));
}

static void column(const void *state, sqlite3_context *out, int col)
{
    const struct state *s = state;
    const struct sl_ordering *o = &s->seq.v[s->ordering];
    size_t at = o->at + s->step;

    if (col > POSITION && col < ORDERINGS && !o->n)
        return;
    switch (col) {
    case SEQUENCE: sqlite3_result_int64(out, (sqlite3_int64)s->ordering + 1); break;
    case COUNT: sqlite3_result_int64(out, (sqlite3_int64)o->count); break;
    case POSITION: sqlite3_result_int64(out, o->n ? (sqlite3_int64)s->step + 1 : 0); break;
    case SPAN_TYPE:
        sqlite3_result_text(out, sl_root_events_span_type(&s->histories, s->seq.code[at]), -1, SQLITE_TRANSIENT);
        break;
    case EVENT_TYPE:
        sqlite3_result_text(out, sl_root_events_event_type(&s->histories, s->seq.code[at]), -1, SQLITE_TRANSIENT);
        break;
    case MEAN_S: result_s(out, (double)s->seq.step[at].sum_ns, o->count); break;
    case MIN_S: result_s(out, (double)s->seq.step[at].min_ns, 1); break;
    case MAX_S: result_s(out, (double)s->seq.step[at].max_ns, 1); break;
    case CUMULATIVE_S: result_s(out, (double)s->total_ns, o->count); break;
    case ORDERINGS: sqlite3_result_int64(out, (sqlite3_int64)s->seq.n); break;
    default: sqlite3_result_int64(out, (sqlite3_int64)s->seq.roots);
    }
}

static const struct sl_table_fn fn = {
    .name = "event_sequences",
    .schema = "CREATE TABLE x(sequence INTEGER, count INTEGER, position INTEGER, span_type TEXT, event_type TEXT, "
              "mean_s REAL, min_s REAL, max_s REAL, cumulative_s REAL, root_type TEXT HIDDEN, "
              "within INTEGER HIDDEN, orderings INTEGER HIDDEN, roots INTEGER HIDDEN)",
    .columns = COLUMNS,
    .args = 2,
    .needed = 1,
    .usage = "event_sequences('parsl.monitoring.task')",
    .rows = 1000,
    .state_bytes = sizeof(struct state),
    .start = start,
    .at_end = at_end,
    .next = next,
    .column = column,
    .end = end,
};

int sl_fn_event_sequences(sqlite3 *db)
{
    return sl_table_register(db, &fn);
}
