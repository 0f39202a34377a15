/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many spans of a type are in which state over time.  The state of a span is the latest event of its closure until
 * it is over (analyse/state_counts.h), as the lens (analyse/lens/lens.h) shows it.
 *
 * Without bin_s, or where it is NULL, a row for each state whose numbers change at a time; a state in which nothing
 * changes has no row: its last row holds.  With bin_s a row for each bin and state in which a span is during the bin,
 * though nothing may change: spans and ended are means over the bin, weighted by time.  Bins reach from the first event
 * to the last.  Rows come by time, then by group, then by state.
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/state_counts.h"
#include "base/hash.h"

#include <math.h>
#include <stdlib.h>

/* clang-format off */
#define OCCUPANCY(COLUMN, row) \
    COLUMN(row, INTEGER, time_ns, "ns", "when; with bins, where the bin begins, a multiple of its width since the epoch") \
    COLUMN(row, TEXT, span_type, NULL, "of the state") \
    COLUMN(row, TEXT, event_type, NULL, "of the state") \
    COLUMN(row, ANY, spans, "spans", "that are in it from then on, or on average in the bin") \
    COLUMN(row, ANY, ended, "spans", "that have no further event, of these") \
    COLUMN(row, INTEGER, first_ns, "ns", "the first event") \
    COLUMN(row, INTEGER, last_ns, "ns", "the last event") \
    COLUMN(row, INTEGER, roots, "spans", "of the type that have events") \
    COLUMN(row, INTEGER, ends, "spans", "that end in the state of the row") \
    COLUMN(row, REAL, width_s, "s", "of the bins") \
    COLUMN(row, TEXT, name, NULL, "of the group")
/* clang-format on */
SL_ROW(occupancy, OCCUPANCY);

static const struct sl_column args[] = {
    {"root_type", SL_COLUMN_TEXT, NULL, "the type of the spans", 0},
    {"bin_s", SL_COLUMN_REAL, "s", "the width of a bin; or a text such as '36 bins'", 0},
    {"within", SL_COLUMN_INTEGER, NULL, "the id of a span to which the spans belong; NULL: all", 0},
    {"by", SL_COLUMN_TEXT, NULL, "'app', 'executor', 'node', 'worker' or 'type': each of these has rows of its own", 0},
};
enum { ROOT_TYPE, BIN_S, WITHIN, BY };

struct count {
    struct sl_level spans, ended;
    int64_t spans_before, ended_before; /* this time */
    int64_t ends;                       /* roots that end in it */
    bool touched;
};

struct state {
    struct sl_root_events histories; /* of which only the names are kept */
    struct sl_groups groups;
    struct sl_occupancy o;
    struct count *count; /* by state */
    struct sl_bins bins; /* width_ns 0: changes */
    int64_t bin;
    int64_t time_ns;
    size_t at; /* the next change */
    int64_t max;
    int64_t roots;

    uint32_t *row; /* the states of the rows of this time, ascending */
    size_t rows, k;
    bool over;
    struct occupancy of; /* the row at hand */
};

/* ---- changes ---- */

static void touch(struct state *s, uint32_t state)
{
    struct count *c = &s->count[state];

    if (c->touched)
        return;
    c->touched = true;
    c->spans_before = c->spans.now;
    c->ended_before = c->ended.now;
    s->row[s->rows++] = state;
}

static void apply(struct state *s, const struct sl_change *x)
{
    uint32_t to = x->b & ~SL_OVER;

    if (x->a != SL_NO_INDEX)
        sl_level_add(&s->count[x->a].spans, x->time_ns, -1);
    sl_level_add(&s->count[to].spans, x->time_ns, 1);
    if (x->b & SL_OVER)
        sl_level_add(&s->count[to].ended, x->time_ns, 1);
}

static int by_state(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort_rows(uint32_t *v, size_t n)
{
    if (n == 2 && v[0] > v[1]) { /* nearly always: one state is left, another entered */
        uint32_t t = v[0];
        v[0] = v[1];
        v[1] = t;
    } else if (n > 2) {
        qsort(v, n, sizeof *v, by_state);
    }
}

/* Counts without their integrals. */
static void count_change(struct state *s, const struct sl_change *x)
{
    struct count *to = &s->count[x->b & ~SL_OVER];

    if (x->a != SL_NO_INDEX)
        s->count[x->a].spans.now--;
    to->spans.now++;
    to->ended.now += (x->b & SL_OVER) != 0;
}

/* Alone at its time, as nearly all are.  Where a is b, the span ends in it. */
static void take_one(struct state *s)
{
    const struct sl_change *x = &s->o.v[s->at++];

    count_change(s, x);
    s->rows = 0;
    if (x->a != SL_NO_INDEX && x->a != (x->b & ~SL_OVER))
        s->row[s->rows++] = x->a;
    s->row[s->rows++] = x->b & ~SL_OVER;
    sort_rows(s->row, s->rows);
}

/* All that happens at the time of the next change. */
static void take_time(struct state *s)
{
    size_t k = 0;

    s->time_ns = s->o.v[s->at].time_ns;
    s->rows = 0;
    if (s->at + 1 == s->o.n || s->o.v[s->at + 1].time_ns != s->time_ns) {
        take_one(s);
        return;
    }
    for (; s->at < s->o.n && s->o.v[s->at].time_ns == s->time_ns; s->at++) {
        const struct sl_change *x = &s->o.v[s->at];
        if (x->a != SL_NO_INDEX)
            touch(s, x->a);
        touch(s, x->b & ~SL_OVER);
        count_change(s, x);
    }
    for (size_t i = 0; i < s->rows; i++) {
        struct count *c = &s->count[s->row[i]];
        c->touched = false;
        if (c->spans.now != c->spans_before || c->ended.now != c->ended_before)
            s->row[k++] = s->row[i];
    }
    s->rows = k;
    sort_rows(s->row, k);
}

static void next_time(struct state *s)
{
    s->rows = 0;
    while (!s->rows && s->at < s->o.n && s->o.v[s->at].time_ns <= s->max)
        take_time(s);
    s->over = !s->rows;
}

/* ---- bins ---- */

static void take_bin(struct state *s)
{
    __int128 begin = sl_bins_edge(&s->bins, s->bin), end = begin + s->bins.width_ns;

    for (uint32_t i = 0; i < s->o.states; i++) {
        s->count[i].spans.area = s->count[i].ended.area = 0;
        s->count[i].spans.since = s->count[i].ended.since = begin;
    }
    for (; s->at < s->o.n && s->o.v[s->at].time_ns < end; s->at++)
        apply(s, &s->o.v[s->at]);
    s->rows = 0;
    for (uint32_t i = 0; i < s->o.states; i++) {
        sl_level_until(&s->count[i].spans, end);
        sl_level_until(&s->count[i].ended, end);
        if (s->count[i].spans.area)
            s->row[s->rows++] = i;
    }
    s->time_ns = sl_bins_begin(&s->bins, s->bin++);
}

static void next_bin(struct state *s)
{
    s->rows = 0;
    while (!s->rows && s->bin <= s->bins.last)
        take_bin(s);
    s->over = !s->rows;
}

/* ---- rows ---- */

static void end_states(void *state)
{
    struct state *s = state;

    sl_root_events_free(&s->histories);
    sl_occupancy_free(&s->o);
    sl_groups_free(&s->groups);
    free(s->count);
    free(s->row);
}

static int load(struct state *s, const struct sl_call *call, struct sl_err *err)
{
    const char *type;
    enum sl_by by;
    int rc = sl_by_find(&by, call->arg[BY] ? (const char *)sqlite3_value_text(call->arg[BY]) : NULL, err);

    if (!rc)
        rc = sl_root_events_open(&s->histories, call->db, by == SL_GROUP_BY_NONE ? call->arg[WITHIN] : NULL, err);
    if (!rc)
        rc = sl_groups_open(&s->groups, &s->histories.g, call->db, by, err);

    if (!rc && !(type = sl_root_events_type(&s->histories, call->arg[ROOT_TYPE], err)))
        rc = SL_EUSAGE;
    if (!rc)
        rc = sl_root_events_of(&s->histories, type, call->arg[WITHIN], err);
    if (!rc)
        rc = sl_occupancy_make(&s->o, &s->histories, by == SL_GROUP_BY_NONE ? NULL : &s->groups, err);
    s->count = sl_alloc(s->o.states * sizeof *s->count);
    for (size_t i = 0; i < s->o.n; i++)
        if (s->o.v[i].b & SL_OVER) {
            s->roots++;
            s->count[s->o.v[i].b & ~SL_OVER].ends++;
        }
    s->row = sl_alloc(s->o.states * sizeof *s->row);
    return rc;
}

/* What lies before the first row is counted, and not shown. */
static int begin(struct state *s, const struct sl_call *call, struct sl_err *err)
{
    int rc;

    s->over = !s->o.n;
    if (s->over)
        return 0;
    if (!s->bins.width_ns) {
        while (s->at < s->o.n && s->o.v[s->at].time_ns < call->min)
            take_time(s);
        next_time(s);
        return 0;
    }
    sl_bins_fit(&s->bins, s->o.v[0].time_ns, s->o.v[s->o.n - 1].time_ns);
    rc = sl_bins_over(&s->bins, s->o.v[0].time_ns, s->o.v[s->o.n - 1].time_ns, call->min, call->max, err);
    s->bin = s->bins.first;
    for (; !rc && s->at < s->o.n && sl_bins_of(&s->bins, s->o.v[s->at].time_ns) < s->bin; s->at++)
        apply(s, &s->o.v[s->at]);
    next_bin(s);
    return rc;
}

static int start_states(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int rc = 0;

    end_states(s);
    *s = (struct state){.max = call->max, .over = true};
    if (call->arg[BIN_S] && sqlite3_value_type(call->arg[BIN_S]) != SQLITE_NULL)
        rc = sl_bins_width(&s->bins, call->arg[BIN_S], err);
    if (!rc)
        rc = load(s, call, err);
    return rc ? rc : begin(s, call, err);
}

static bool at_end_states(const void *state)
{
    return ((const struct state *)state)->over;
}

static int next_states(void *state, struct sl_err *err)
{
    struct state *s = state;

    (void)err;
    if (++s->k < s->rows)
        return 0;
    s->k = 0;
    if (s->bins.width_ns)
        next_bin(s);
    else
        next_time(s);
    return 0;
}

static struct sl_cell level(const struct state *s, const struct sl_level *l)
{
    return s->bins.width_ns ? (struct sl_cell){SL_CELL_REAL, 0, {.d = (double)l->area / (double)s->bins.width_ns}}
                            : (struct sl_cell){SL_CELL_INTEGER, 0, {.i = l->now}};
}

static const void *get_state(void *state)
{
    struct state *s = state;
    uint32_t row = s->row[s->k], code = s->o.code[row];

    s->of = (struct occupancy){.time_ns = s->time_ns,
                               .span_type = sl_root_events_span_type(&s->histories, code),
                               .event_type = sl_root_events_event_type(&s->histories, code),
                               .spans = level(s, &s->count[row].spans),
                               .ended = level(s, &s->count[row].ended),
                               .first_ns = s->o.v[0].time_ns,
                               .last_ns = s->o.v[s->o.n - 1].time_ns,
                               .roots = s->roots,
                               .ends = s->count[row].ends,
                               .width_s = s->bins.width_ns ? (double)s->bins.width_ns / 1e9 : NAN,
                               .name = s->o.group ? sl_groups_name(&s->groups, s->o.group[row]) : NULL};
    return &s->of;
}

static int64_t row_id_states(const void *state)
{
    const struct state *s = state;
    return (int64_t)sl_hash_mix((uint64_t)s->time_ns, s->row[s->k]);
}

const struct sl_table_fn sl_fn_occupancy = {
    .name = "occupancy",
    .about = "how many spans of a type are in which state over time",
    .row = &occupancy_columns,
    .arg = args,
    .args = 4,
    .needed = 1,
    .usage = "occupancy('parsl.monitoring.task', 60)",
    .hidden = 6,
    .rows = 10000,
    .bounded = 1 /* time_ns */,
    .state_bytes = sizeof(struct state),
    .start = start_states,
    .at_end = at_end_states,
    .next = next_states,
    .get = get_state,
    .rowid = row_id_states,
    .end = end_states,
};
