/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_sequences(root_type [, within [, by]]): the orders in which the events below spans of that type happened, and
 * how long each step took.  "Below" is the closure over subspans and facets of analyse/load/graph.h; equal times are
 * ordered by the name of the span type, then of the event type.  One row per ordering and position:
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
 * by: 'app', 'executor', 'node', 'worker' or 'type' (analyse/groups.h): these one after another, by name, each with
 * orderings of its own; the hidden column name has it.  within, the id of a span, counts only roots that belong to it.
 * Events are as the lens (analyse/lens/lens.h) shows them. It reads all spans, links and events once: 10 million events
 * in 2.0 s, 25 bytes of memory an event.
 */
#include "analyse/ext.h"
#include "analyse/groups.h"
#include "analyse/sequences.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"

#include <stdlib.h>

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
    ROOTS,
    NAME
};

struct state {
    struct sl_root_events histories; /* of which only the names are kept */
    struct sl_groups groups;
    SL_VEC(struct of {
        uint32_t group;
        struct sl_sequences seq;
    })
    of;        /* by name */
    size_t at; /* the one at hand */
    size_t ordering;
    uint32_t step;              /* of the ordering, from 0 */
    unsigned __int128 total_ns; /* all roots of the ordering, from their first events to this step */
};

static void enter_step(struct state *s)
{
    const struct sl_sequences *seq = s->at < s->of.n ? &s->of.v[s->at].seq : NULL;
    const struct sl_ordering *o = seq && s->ordering < seq->n ? &seq->v[s->ordering] : NULL;

    if (o && s->step < o->n)
        s->total_ns = (s->step ? s->total_ns : 0) + seq->step[o->at + s->step].sum_ns;
}

static void end(void *state)
{
    struct state *s = state;

    sl_root_events_free(&s->histories);
    for (size_t i = 0; i < s->of.n; i++)
        sl_sequences_free(&s->of.v[i].seq);
    sl_vec_free(&s->of);
    sl_groups_free(&s->groups);
}

static int by_name(const void *a, const void *b, void *groups)
{
    const struct of *x = a, *y = b;

    if (!x->group || !y->group)
        return !x->group - !y->group; /* none: last */
    return strcmp(sl_groups_name(groups, x->group), sl_groups_name(groups, y->group));
}

/* All histories, each into the sequences of its group. */
static int gather(struct state *s, struct sl_err *err)
{
    SL_VEC(struct sl_sequencing) m = {0};
    SL_VEC(uint32_t) at = {0}; /* by group: into `of`, plus 1 */
    int rc;

    while ((rc = sl_root_events_next(&s->histories, err)) > 0) {
        uint32_t group = sl_groups_of(&s->groups, s->histories.root);
        while (at.n <= group)
            *sl_vec_add(&at) = 0;
        if (!at.v[group]) {
            *sl_vec_add(&s->of) = (struct of){.group = group};
            sl_vec_add(&m);
            at.v[group] = (uint32_t)s->of.n;
            for (size_t i = 0; i < m.n; i++) /* they may have moved */
                m.v[i].s = &s->of.v[i].seq;
        }
        sl_sequences_add(&m.v[at.v[group] - 1], s->histories.v, s->histories.n);
    }
    for (size_t i = 0; i < m.n; i++)
        sl_sequences_finish(&m.v[i]);
    sl_vec_free(&m);
    sl_vec_free(&at);
    if (s->of.n)
        qsort_r(s->of.v, s->of.n, sizeof *s->of.v, by_name, &s->groups);
    return rc;
}

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    enum sl_by by;
    int rc;

    end(s);
    *s = (struct state){0};
    rc = sl_by_find(&by, call->arg[2] ? (const char *)sqlite3_value_text(call->arg[2]) : NULL, err);
    if (!rc)
        rc = sl_root_events_open(&s->histories, call->db, by == SL_GROUP_BY_NONE ? call->arg[1] : NULL, err);
    if (!rc)
        rc = sl_groups_open(&s->groups, &s->histories.g, call->db, by, err);
    if (!rc)
        rc = sl_root_events_of(&s->histories, (const char *)sqlite3_value_text(call->arg[0]), call->arg[1], err);
    if (!rc)
        rc = gather(s, err);
    sl_root_events_done(&s->histories); /* the names are all that the rows need */
    if (!rc)
        enter_step(s);
    return rc;
}

static bool at_end(const void *state)
{
    const struct state *s = state;
    return s->at >= s->of.n;
}

static int next(void *state, struct sl_err *err)
{
    struct state *s = state;

    (void)err;
    if (++s->step >= s->of.v[s->at].seq.v[s->ordering].n) {
        s->step = 0;
        if (++s->ordering >= s->of.v[s->at].seq.n) {
            s->ordering = 0;
            s->at++;
        }
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
    const struct sl_sequences *seq = &s->of.v[s->at].seq;
    const struct sl_ordering *o = &seq->v[s->ordering];
    size_t at = o->at + s->step;

    if (col > POSITION && col < ORDERINGS && !o->n)
        return;
    switch (col) {
    case SEQUENCE: sqlite3_result_int64(out, (sqlite3_int64)s->ordering + 1); break;
    case COUNT: sqlite3_result_int64(out, (sqlite3_int64)o->count); break;
    case POSITION: sqlite3_result_int64(out, o->n ? (sqlite3_int64)s->step + 1 : 0); break;
    case SPAN_TYPE:
        sqlite3_result_text(out, sl_root_events_span_type(&s->histories, seq->code[at]), -1, SQLITE_TRANSIENT);
        break;
    case EVENT_TYPE:
        sqlite3_result_text(out, sl_root_events_event_type(&s->histories, seq->code[at]), -1, SQLITE_TRANSIENT);
        break;
    case MEAN_S: result_s(out, (double)seq->step[at].sum_ns, o->count); break;
    case MIN_S: result_s(out, (double)seq->step[at].min_ns, 1); break;
    case MAX_S: result_s(out, (double)seq->step[at].max_ns, 1); break;
    case CUMULATIVE_S: result_s(out, (double)s->total_ns, o->count); break;
    case ORDERINGS: sqlite3_result_int64(out, (sqlite3_int64)seq->n); break;
    case NAME:
        if (s->groups.by != SL_GROUP_BY_NONE)
            sqlite3_result_text(out, sl_groups_name(&s->groups, s->of.v[s->at].group), -1, SQLITE_TRANSIENT);
        break;
    default: sqlite3_result_int64(out, (sqlite3_int64)seq->roots);
    }
}

const struct sl_table_fn sl_fn_event_sequences = {
    .name = "event_sequences",
    .schema = "CREATE TABLE x(sequence INTEGER, count INTEGER, position INTEGER, span_type TEXT, event_type TEXT, "
              "mean_s REAL, min_s REAL, max_s REAL, cumulative_s REAL, root_type TEXT HIDDEN, "
              "within INTEGER HIDDEN, \"by\" TEXT HIDDEN, orderings INTEGER HIDDEN, roots INTEGER HIDDEN, name TEXT "
              "HIDDEN)",
    .columns = COLUMNS,
    .args = 3,
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
