/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many workers there were, and how many of them had something to do, bin by bin; analyse/workers.h says when a
 * worker is there and what it runs.  Bins reach from the first worker to the last.
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/workers.h"

#include <math.h>

/* clang-format off */
#define UTILISATION(COLUMN, row) \
    COLUMN(row, INTEGER, time_ns, "ns", "where the bin begins, a multiple of its width since the epoch") \
    COLUMN(row, REAL, workers, "workers", "that are there: a mean over the bin, weighted by time, as the next two") \
    COLUMN(row, REAL, busy, "workers", "that run at least one of their subspans") \
    COLUMN(row, REAL, running, "spans", "that run") \
    COLUMN(row, REAL, utilisation, NULL, "busy by workers; NULL where there are none") \
    COLUMN(row, INTEGER, first_ns, "ns", "when the first worker came") \
    COLUMN(row, INTEGER, last_ns, "ns", "when the last left") \
    COLUMN(row, REAL, width_s, "s", "of the bins")
/* clang-format on */
SL_ROW(utilisation, UTILISATION);

static const struct sl_column args[] = {
    {"worker_type", SL_COLUMN_TEXT, NULL, "the type of workers' spans", 0},
    {"bin_s", SL_COLUMN_REAL, "s", "the width of a bin; or a text such as '36 bins'", 0},
    {"within", SL_COLUMN_INTEGER, NULL, "the id of a span to which workers belong; NULL: all", 0},
};
enum { WORKER_TYPE, BIN_S, WITHIN };

struct state {
    struct sl_utilisation u;
    struct sl_bins bins;
    struct sl_level level[SL_WORKER_COUNTS];
    size_t at; /* the next change */
    int64_t bin;
    struct utilisation row;
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

static void end_bins(void *state)
{
    sl_utilisation_free(&((struct state *)state)->u);
}

static int start_bins(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int rc;

    end_bins(s);
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

static bool at_end_bins(const void *state)
{
    const struct state *s = state;
    return s->bin > s->bins.last;
}

static int next_bins(void *state, struct sl_err *err)
{
    struct state *s = state;

    (void)err;
    if (++s->bin <= s->bins.last)
        take_bin(s);
    return 0;
}

static const void *get_bin(void *state)
{
    struct state *s = state;
    double width = (double)s->bins.width_ns;
    __int128 there = s->level[SL_WORKER_THERE].area, busy = s->level[SL_WORKER_BUSY].area;

    s->row = (struct utilisation){.time_ns = sl_bins_begin(&s->bins, s->bin),
                                  .workers = (double)there / width,
                                  .busy = (double)busy / width,
                                  .running = (double)s->level[SL_WORKER_RUNS].area / width,
                                  .utilisation = there ? (double)busy / (double)there : NAN,
                                  .first_ns = s->u.v[0].time_ns,
                                  .last_ns = s->u.v[s->u.n - 1].time_ns,
                                  .width_s = width / 1e9};
    return &s->row;
}

static int64_t row_id_bins(const void *state)
{
    const struct state *s = state;
    return sl_bins_begin(&s->bins, s->bin);
}

const struct sl_table_fn sl_fn_utilisation = {
    .name = "utilisation",
    .about = "how many workers there were, and how many of them were busy",
    .row = &utilisation_columns,
    .arg = args,
    .args = 3,
    .needed = 2,
    .usage = "utilisation('parsl.executor.htex.worker', 60)",
    .hidden = 3,
    .bounded = 1 /* time_ns */,
    .state_bytes = sizeof(struct state),
    .start = start_bins,
    .at_end = at_end_bins,
    .next = next_bins,
    .get = get_bin,
    .rowid = row_id_bins,
    .end = end_bins,
};
