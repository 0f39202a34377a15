/* SPDX-License-Identifier: Apache-2.0 */
/*
 * utilisation(worker_type, bin_s [, within]): how many workers there were, and how many of them had something to do,
 * bin by bin; analyse/utilisation.h says when a worker is there and what it runs.
 *
 *   time_ns       where the bin begins, a multiple of its width since the epoch
 *   workers       how many are there: a mean over the bin, weighted by time, as the next two
 *   busy          how many of them run at least one of their subspans
 *   running       how many subspans run
 *   utilisation   busy by workers; NULL where there are none
 *
 *     SELECT * FROM utilisation('parsl.executor.htex.worker', 60);
 *
 * and, hidden (they come when named): first_ns and last_ns, when the first worker came and the last left; width_s,
 * of the bins.
 *
 * Bins reach from the first worker to the last.  within is the id of a span to which workers belong.
 */
#include "analyse/utilisation.h"
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"

enum { TIME_NS, WORKERS, BUSY, RUNNING, UTILISATION, COLUMNS, FIRST_NS = COLUMNS, LAST_NS, WIDTH_S };
enum { WORKER_TYPE, BIN_S, WITHIN };

struct state {
    struct sl_utilisation u;
    struct sl_bins bins;
    struct sl_level level[SL_WORKER_COUNTS];
    size_t at; /* the next change */
    int64_t bin;
};

static void apply(struct state *s)
{
    const struct sl_change *x = &s->u.v[s->at++];
    sl_level_add(&s->level[x->a], x->time_ns, (int32_t)x->b);
}

static void take_bin(struct state *s)
{
    __int128 begin = sl_bins_edge(&s->bins, s->bin), end = begin + s->bins.width_ns;

    for (int i = 0; i < SL_WORKER_COUNTS; i++) {
        s->level[i].area = 0;
        s->level[i].since = begin;
    }
    while (s->at < s->u.n && s->u.v[s->at].time_ns < end)
        apply(s);
    for (int i = 0; i < SL_WORKER_COUNTS; i++)
        sl_level_until(&s->level[i], end);
}

static void end(void *state)
{
    sl_utilisation_free(&((struct state *)state)->u);
}

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int rc;

    end(s);
    *s = (struct state){.bins = {.last = -1}};
    rc = sl_bins_width(&s->bins, call->arg[BIN_S], err);
    if (!rc)
        rc = sl_utilisation_make(&s->u, call->db, (const char *)sqlite3_value_text(call->arg[WORKER_TYPE]),
                                 call->arg[WITHIN], err);
    if (rc || !s->u.n)
        return rc;
    sl_bins_fit(&s->bins, s->u.v[0].time_ns, s->u.v[s->u.n - 1].time_ns);
    rc = sl_bins_over(&s->bins, s->u.v[0].time_ns, s->u.v[s->u.n - 1].time_ns, call->min, call->max, err);
    s->bin = s->bins.first;
    if (rc || s->bin > s->bins.last)
        return rc;
    while (s->at < s->u.n && sl_bins_of(&s->bins, s->u.v[s->at].time_ns) < s->bin)
        apply(s);
    take_bin(s);
    return 0;
}

static bool at_end(const void *state)
{
    const struct state *s = state;
    return s->bin > s->bins.last;
}

static int next(void *state, struct sl_err *err)
{
    struct state *s = state;

    (void)err;
    if (++s->bin <= s->bins.last)
        take_bin(s);
    return 0;
}

static void column(const void *state, sqlite3_context *out, int col)
{
    const struct state *s = state;
    double width = (double)s->bins.width_ns;
    __int128 there = s->level[SL_WORKER_THERE].area, busy = s->level[SL_WORKER_BUSY].area;

    switch (col) {
    case TIME_NS: sqlite3_result_int64(out, sl_bins_begin(&s->bins, s->bin)); break;
    case WORKERS: sqlite3_result_double(out, (double)there / width); break;
    case BUSY: sqlite3_result_double(out, (double)busy / width); break;
    case RUNNING: sqlite3_result_double(out, (double)s->level[SL_WORKER_RUNS].area / width); break;
    case FIRST_NS: sqlite3_result_int64(out, s->u.v[0].time_ns); break;
    case WIDTH_S: sqlite3_result_double(out, width / 1e9); break;
    case LAST_NS: sqlite3_result_int64(out, s->u.v[s->u.n - 1].time_ns); break;
    default:
        if (there)
            sqlite3_result_double(out, (double)busy / (double)there);
    }
}

static int64_t row_id(const void *state)
{
    const struct state *s = state;
    return sl_bins_begin(&s->bins, s->bin);
}

const struct sl_table_fn sl_fn_utilisation = {
    .name = "utilisation",
    .schema = "CREATE TABLE x(time_ns INTEGER, workers REAL, busy REAL, running REAL, utilisation REAL, "
              "worker_type TEXT HIDDEN, bin_s REAL HIDDEN, within INTEGER HIDDEN, first_ns INTEGER HIDDEN, "
              "last_ns INTEGER HIDDEN, width_s REAL HIDDEN)",
    .columns = COLUMNS,
    .args = 3,
    .needed = 2,
    .usage = "utilisation('parsl.executor.htex.worker', 60)",
    .rows = 1000,
    .bounded = TIME_NS + 1,
    .state_bytes = sizeof(struct state),
    .start = start,
    .at_end = at_end,
    .next = next,
    .column = column,
    .rowid = row_id,
    .end = end,
};
