/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The orders in which the events below spans of a type happened, and how long each step took, one row for each ordering
 * and position.  "Below" is the closure over subspans and facets of analyse/load/graph.h; equal times are ordered by
 * the name of the span type, then of the event type; events are as the lens (analyse/lens/lens.h) shows them.  It reads
 * all spans, links and events once: 10 million events in 2.0 s, 25 bytes of memory an event.
 *
 * An ordering without events (roots that have none) is one row with position 0, whose other columns are NULL.  So
 * `position <= 1` is one row for each ordering, and sum(count) of those all roots.
 */
#include "analyse/event_orders.h"
#include "analyse/ext.h"
#include "analyse/groups.h"
#include "analyse/sqlfn/sqlfn.h"

#include <stdlib.h>

/* clang-format off */
#define EVENT_SEQUENCES(COLUMN, row) \
    COLUMN(row, INTEGER, sequence, NULL, "1: the most frequent ordering; equally frequent ones by their names, the shorter first") \
    COLUMN(row, INTEGER, count, "spans", "that have this ordering") \
    COLUMN(row, INTEGER, position, NULL, "1, 2, ...; 0: without events") \
    COLUMN(row, TEXT, span_type, NULL, "to which something happened") \
    COLUMN(row, TEXT, event_type, NULL, "what happened") \
    COLUMN(row, REAL, mean_s, "s", "since the previous event of the same root; 0 at position 1") \
    COLUMN(row, REAL, min_s, "s", "the least of these") \
    COLUMN(row, REAL, max_s, "s", "the most of these") \
    COLUMN(row, REAL, cumulative_s, "s", "since the first event, a mean") \
    COLUMN(row, INTEGER, orderings, NULL, "how many there are in all") \
    COLUMN(row, INTEGER, roots, "spans", "in all") \
    COLUMN(row, TEXT, name, NULL, "of the group")
/* clang-format on */
SL_ROW(event_sequences, EVENT_SEQUENCES);

static const struct sl_column args[] = {
    {"root_type", SL_COLUMN_TEXT, NULL, "the type of the roots", 0},
    {"within", SL_COLUMN_INTEGER, NULL, "the id of a span to which roots belong; NULL: all", 0},
    {"by", SL_COLUMN_TEXT, NULL, "'app', 'executor', 'node', 'worker' or 'type': each of these has rows of its own", 0},
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
    uint32_t step; /* of the ordering, from 0 */
    struct event_sequences row;
    unsigned __int128 total_ns; /* all roots of the ordering, from their first events to this step */
};

static void enter_step(struct state *s)
{
    const struct sl_sequences *seq = s->at < s->of.n ? &s->of.v[s->at].seq : NULL;
    const struct sl_ordering *o = seq && s->ordering < seq->n ? &seq->v[s->ordering] : NULL;

    if (o && s->step < o->n)
        s->total_ns = (s->step ? s->total_ns : 0) + seq->step[o->at + s->step].sum_ns;
}

static void end_sequences(void *state)
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

static int start_sequences(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    enum sl_by by;
    int rc;

    end_sequences(s);
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

static bool at_end_sequences(const void *state)
{
    const struct state *s = state;
    return s->at >= s->of.n;
}

static int next_sequences(void *state, struct sl_err *err)
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

static double seconds(double ns, uint64_t count)
{
    return ns / ((double)count * 1e9);
}

static const void *get_step(void *state)
{
    struct state *s = state;
    const struct sl_sequences *seq = &s->of.v[s->at].seq;
    const struct sl_ordering *o = &seq->v[s->ordering];
    size_t at = o->at + s->step;

    sl_row_clear(&event_sequences_columns, &s->row);
    s->row.sequence = (int64_t)s->ordering + 1;
    s->row.count = (int64_t)o->count;
    s->row.position = o->n ? (int64_t)s->step + 1 : 0;
    s->row.orderings = (int64_t)seq->n;
    s->row.roots = (int64_t)seq->roots;
    if (s->groups.by != SL_GROUP_BY_NONE)
        s->row.name = sl_groups_name(&s->groups, s->of.v[s->at].group);
    if (!o->n)
        return &s->row;
    s->row.span_type = sl_root_events_span_type(&s->histories, seq->code[at]);
    s->row.event_type = sl_root_events_event_type(&s->histories, seq->code[at]);
    s->row.mean_s = seconds((double)seq->step[at].sum_ns, o->count);
    s->row.min_s = seconds((double)seq->step[at].min_ns, 1);
    s->row.max_s = seconds((double)seq->step[at].max_ns, 1);
    s->row.cumulative_s = seconds((double)s->total_ns, o->count);
    return &s->row;
}

const struct sl_table_fn sl_fn_event_sequences = {
    .name = "event_sequences",
    .about = "the orders in which events happened, and how long each step took",
    .row = &event_sequences_columns,
    .arg = args,
    .args = 3,
    .needed = 1,
    .usage = "event_sequences('parsl.monitoring.task')",
    .hidden = 3,
    .state_bytes = sizeof(struct state),
    .start = start_sequences,
    .at_end = at_end_sequences,
    .next = next_sequences,
    .get = get_step,
    .end = end_sequences,
};
