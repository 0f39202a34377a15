/* SPDX-License-Identifier: Apache-2.0 */
/*
 * occupancy(root_type [, bin_s [, within [, by]]]): how many spans of a type are in which state over time.  The state
 * of a span is the latest event of its closure until it is over (analyse/occupancy.h), as the lens
 * (analyse/lens/lens.h) shows it.
 *
 * Without bin_s, or where it is NULL, a row for each state whose numbers change at a time:
 *
 *   time_ns      when
 *   span_type, event_type   the state
 *   spans        how many are in it from then on
 *   ended        how many of these have no further event
 *
 * A state in which nothing changes has no row: its last row holds.  With bin_s, seconds, a row for each bin and state
 * in which a span is during the bin, though nothing may change: time_ns is where the bin begins, a multiple of its
 * width since the epoch; spans and ended are means over the bin, weighted by time.  Bins reach from the first event to
 * the last.  Rows come by time, then by state.
 *
 *     SELECT * FROM occupancy('parsl.monitoring.task', 60);
 *
 * and, hidden (they come when named): first_ns and last_ns, when the first and the last event are; roots, how many
 * spans of the type have events; ends, how many of them end in the state of the row; width_s, of the bins.  within is
 * the id of a span to which those of the type belong.  by: 'app', 'executor', 'node', 'worker' or 'type'
 * (analyse/groups.h): each of them has rows of its own, by time, then by name, which the hidden column name has.
 */
#include "analyse/occupancy.h"
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"
#include "base/hash.h"

#include <stdlib.h>

enum { TIME_NS, SPAN_TYPE, EVENT_TYPE, SPANS, ENDED, COLUMNS, FIRST_NS = COLUMNS, LAST_NS, ROOTS, ENDS, WIDTH_S, NAME };
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

static void end(void *state)
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

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int rc = 0;

    end(s);
    *s = (struct state){.max = call->max, .over = true};
    if (call->arg[BIN_S] && sqlite3_value_type(call->arg[BIN_S]) != SQLITE_NULL)
        rc = sl_bins_width(&s->bins, call->arg[BIN_S], err);
    if (!rc)
        rc = load(s, call, err);
    return rc ? rc : begin(s, call, err);
}

static bool at_end(const void *state)
{
    return ((const struct state *)state)->over;
}

static int next(void *state, struct sl_err *err)
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

static void result(const struct state *s, sqlite3_context *out, const struct sl_level *l)
{
    if (s->bins.width_ns)
        sqlite3_result_double(out, (double)l->area / (double)s->bins.width_ns);
    else
        sqlite3_result_int64(out, l->now);
}

static void column(const void *state, sqlite3_context *out, int col)
{
    const struct state *s = state;
    uint32_t row = s->row[s->k], code = s->o.code[row];

    switch (col) {
    case TIME_NS: sqlite3_result_int64(out, s->time_ns); break;
    case SPAN_TYPE:
        sqlite3_result_text(out, sl_root_events_span_type(&s->histories, code), -1, SQLITE_TRANSIENT);
        break;
    case EVENT_TYPE:
        sqlite3_result_text(out, sl_root_events_event_type(&s->histories, code), -1, SQLITE_TRANSIENT);
        break;
    case SPANS: result(s, out, &s->count[row].spans); break;
    case ENDED: result(s, out, &s->count[row].ended); break;
    case FIRST_NS: sqlite3_result_int64(out, s->o.v[0].time_ns); break;
    case LAST_NS: sqlite3_result_int64(out, s->o.v[s->o.n - 1].time_ns); break;
    case ROOTS: sqlite3_result_int64(out, s->roots); break;
    case ENDS: sqlite3_result_int64(out, s->count[row].ends); break;
    case NAME:
        if (s->o.group)
            sqlite3_result_text(out, sl_groups_name(&s->groups, s->o.group[row]), -1, SQLITE_TRANSIENT);
        break;
    default:
        if (s->bins.width_ns)
            sqlite3_result_double(out, (double)s->bins.width_ns / 1e9);
    }
}

static int64_t row_id(const void *state)
{
    const struct state *s = state;
    return (int64_t)sl_hash_mix((uint64_t)s->time_ns, s->row[s->k]);
}

const struct sl_table_fn sl_fn_occupancy = {
    .name = "occupancy",
    .schema =
        "CREATE TABLE x(time_ns INTEGER, span_type TEXT, event_type TEXT, spans NUMERIC, ended NUMERIC, "
        "root_type TEXT HIDDEN, bin_s REAL HIDDEN, within INTEGER HIDDEN, \"by\" TEXT HIDDEN, first_ns INTEGER HIDDEN, "
        "last_ns INTEGER HIDDEN, roots INTEGER HIDDEN, ends INTEGER HIDDEN, width_s REAL HIDDEN, name TEXT HIDDEN)",
    .columns = COLUMNS,
    .args = 4,
    .needed = 1,
    .usage = "occupancy('parsl.monitoring.task', 60)",
    .rows = 10000,
    .bounded = TIME_NS + 1,
    .state_bytes = sizeof(struct state),
    .start = start,
    .at_end = at_end,
    .next = next,
    .column = column,
    .rowid = row_id,
    .end = end,
};
