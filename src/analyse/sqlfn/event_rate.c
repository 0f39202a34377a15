/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often something happened, bin by bin.  Bins reach from the first such event to the last; between them, those
 * without events have 0.  Events are as in the view `events`: no lens, clocks as they were.  One scan of the events, 8
 * bytes for each that counts; with a span type only the events of such spans.
 */
#include "analyse/bins.h"
#include "analyse/ext.h"
#include "analyse/groups.h"
#include "analyse/lens/lens.h"
#include "analyse/load/fast_rows.h"
#include "analyse/load/near_names.h"
#include "analyse/sqlfn/sqlfn.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

/* clang-format off */
#define EVENT_RATE(COLUMN, row) \
    COLUMN(row, INTEGER, time_ns, "ns", "where the bin begins, a multiple of its width since the epoch") \
    COLUMN(row, INTEGER, events, "events", "in the bin") \
    COLUMN(row, REAL, per_s, "1/s", "the same by its width") \
    COLUMN(row, INTEGER, first_ns, "ns", "the first event") \
    COLUMN(row, INTEGER, last_ns, "ns", "the last event") \
    COLUMN(row, TEXT, name, NULL, "of the group, which has the bins in which it has events")
/* clang-format on */
SL_ROW(event_rate, EVENT_RATE);

static const struct sl_column args[] = {
    {"event", SL_COLUMN_TEXT, NULL, "EVENT or SPAN_TYPE/EVENT, with * for any text", 0},
    {"bin_s", SL_COLUMN_REAL, "s", "the width of a bin; or a text such as '36 bins'", 0},
    {"within", SL_COLUMN_INTEGER, NULL, "the id of a span to which the spans of events belong; NULL: all", 0},
    {"by", SL_COLUMN_TEXT, NULL, "'app', 'executor', 'node', 'worker' or 'type': each of these has rows of its own", 0},
};
enum { EVENT, BIN_S, WITHIN, BY };

struct state {
    SL_VEC(int64_t) time_ns;
    SL_VEC(uint32_t) group; /* of each, where they are grouped */
    struct sl_graph g;
    bool *inside;   /* by span: it belongs to `within`; NULL: all do */
    bool elsewhere; /* there are such events, but not inside */
    struct sl_groups groups;
    uint32_t *by_name, all;    /* the groups in order, with none at the end; how many; 1 without */
    uint32_t of;               /* the one at hand, into by_name */
    int64_t first_ns, last_ns; /* of all, also of those beyond the bounds */
    size_t events;
    int64_t min_ns, max_ns; /* times that the bounds want */
    struct sl_bins bins;
    uint32_t *count;
    int64_t bin;
    struct event_rate row;
};

/* ---- what is asked for ---- */

struct names {
    const char *pattern;
    struct sl_buf ids; /* "1, 2", to stand behind IN */
};

static int name_row(void *to, sqlite3_value **v)
{
    struct names *n = to;
    const char *name = (const char *)sqlite3_value_text(v[1]);

    if (name && sl_lens_glob(n->pattern, name))
        sl_buf_addf(&n->ids, "%s%lld", n->ids.n ? ", " : "", (long long)sqlite3_value_int64(v[0]));
    return 0;
}

static int find_names(struct names *n, sqlite3 *db, const char *pattern, struct sl_err *err)
{
    n->pattern = pattern;
    sl_buf_adds(&n->ids, "");
    return sl_query_each(db, "SELECT sl_query_each(?1, id, name) FROM sl_name", name_row, n, err);
}

static int event_row(void *to, sqlite3_value **v)
{
    struct state *s = to;
    int64_t t = sqlite3_value_int64(v[0]);
    uint32_t span = s->g.n ? sl_graph_find(&s->g, sqlite3_value_int64(v[1])) : SL_NO_INDEX;

    if (s->inside && (span == SL_NO_INDEX || !s->inside[span])) {
        s->elsewhere = true;
        return 0;
    }
    if (!s->events++)
        s->first_ns = s->last_ns = t;
    s->first_ns = t < s->first_ns ? t : s->first_ns;
    s->last_ns = t > s->last_ns ? t : s->last_ns;
    if (t < s->min_ns || t > s->max_ns)
        return 0;
    *sl_vec_add(&s->time_ns) = t;
    if (s->groups.by != SL_GROUP_BY_NONE)
        *sl_vec_add(&s->group) = span == SL_NO_INDEX ? 0 : sl_groups_of(&s->groups, span);
    return 0;
}

static int scan_events(struct state *s, sqlite3 *db, const char *pattern, struct sl_err *err)
{
    const char *slash = strchr(pattern, '/');
    char *type = sl_strndup(pattern, slash ? (size_t)(slash - pattern) : 0);
    struct names spans = {0}, events = {0};
    struct sl_buf sql = {0};
    int rc = find_names(&events, db, slash ? slash + 1 : pattern, err);

    if (!rc && slash)
        rc = find_names(&spans, db, type, err);
    sl_buf_addf(&sql, "SELECT sl_query_each(?1, e.time_ns, e.span) FROM %s WHERE e.type IN (%s)",
                slash ? "sl_span s CROSS JOIN sl_event e ON e.span = s.id" : "sl_event e NOT INDEXED", events.ids.s);
    if (slash)
        sl_buf_addf(&sql, " AND s.type IN (%s)", spans.ids.s ? spans.ids.s : "");
    if (!rc)
        rc = sl_query_each(db, sql.s, event_row, s, err);
    free(type);
    sl_buf_free(&sql);
    sl_buf_free(&events.ids);
    sl_buf_free(&spans.ids);
    return rc;
}

static void find_inside(struct state *s, int64_t within)
{
    uint32_t root = sl_graph_find(&s->g, within);
    struct sl_walk w;

    s->inside = sl_alloc(s->g.n + 1);
    sl_walk_init(&w, &s->g);
    if (root != SL_NO_INDEX)
        sl_walk_closure(&w, root);
    for (size_t i = 0; i < w.n; i++)
        s->inside[w.span[i]] = true;
    sl_walk_free(&w);
}

static int any_row(void *to, sqlite3_value **v)
{
    *(bool *)to = sqlite3_value_int64(v[0]) != 0;
    return 0;
}

/* Nothing happened: in an empty store, or in a part of one where it did elsewhere, that is no mistake. */
static int check_empty(const struct state *s, sqlite3 *db, const char *pattern, struct sl_err *err)
{
    bool any = false;
    int rc = s->elsewhere
                 ? 0
                 : sl_query_each(db, "SELECT sl_query_each(?1, x) FROM (SELECT EXISTS (SELECT 1 FROM sl_event) AS x)",
                                 any_row, &any, err);

    return rc || !any ? rc : sl_no_event(db, pattern, err);
}

/* ---- rows ---- */

static void end_bins(void *state)
{
    struct state *s = state;

    sl_vec_free(&s->time_ns);
    sl_vec_free(&s->group);
    sl_groups_free(&s->groups);
    sl_graph_free(&s->g);
    free(s->inside);
    free(s->by_name);
    free(s->count);
}

static int by_name(const void *a, const void *b, void *groups)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return !x || !y ? !x - !y : strcmp(sl_groups_name(groups, x), sl_groups_name(groups, y));
}

static uint32_t *count_at(const struct state *s, uint32_t group, int64_t bin)
{
    return &s->count[(size_t)group * (size_t)(s->bins.last - s->bins.first + 1) + (size_t)(bin - s->bins.first)];
}

/* The next in which there is something, from the one at hand on. */
static void skip(struct state *s)
{
    if (s->groups.by == SL_GROUP_BY_NONE)
        return;
    while (s->of < s->all && (s->bin > s->bins.last || !*count_at(s, s->by_name[s->of], s->bin))) {
        if (s->bin++ < s->bins.last)
            continue;
        s->bin = s->bins.first;
        s->of++;
    }
}

static int count(struct state *s, const struct sl_call *call, struct sl_err *err)
{
    int rc = sl_bins_over(&s->bins, s->first_ns, s->last_ns, call->min, call->max, err);

    if (rc || s->bins.first > s->bins.last) {
        s->bins.first = 0;
        s->bins.last = -1;
        return rc;
    }
    s->all = s->groups.by == SL_GROUP_BY_NONE ? 1 : (uint32_t)s->groups.name.of.n + 1;
    if ((double)s->all * (double)(s->bins.last - s->bins.first + 1) > 1e8)
        return sl_err(err, SL_EUSAGE, "%u groups and so many bins are too many; make them wider", s->all);
    s->by_name = sl_alloc(s->all * sizeof *s->by_name);
    for (uint32_t i = 0; i < s->all; i++)
        s->by_name[i] = i;
    qsort_r(s->by_name, s->all, sizeof *s->by_name, by_name, &s->groups);
    s->count = sl_alloc(s->all * (size_t)(s->bins.last - s->bins.first + 1) * sizeof *s->count);
    for (size_t i = 0; i < s->time_ns.n; i++) {
        int64_t bin = sl_bins_of(&s->bins, s->time_ns.v[i]);
        if (bin >= s->bins.first && bin <= s->bins.last)
            ++*count_at(s, s->group.n ? s->group.v[i] : 0, bin);
    }
    sl_vec_free(&s->time_ns);
    s->bin = s->bins.first;
    skip(s);
    return 0;
}

static int start_bins(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    const char *pattern = (const char *)sqlite3_value_text(call->arg[EVENT]);
    bool part = call->arg[WITHIN] && sqlite3_value_type(call->arg[WITHIN]) != SQLITE_NULL;
    enum sl_by by;
    int rc;

    end_bins(s);
    *s = (struct state){.bins = {.last = -1}, .all = 1};
    rc = sl_by_find(&by, call->arg[BY] ? (const char *)sqlite3_value_text(call->arg[BY]) : NULL, err);
    if (!rc)
        rc = sl_bins_width(&s->bins, call->arg[BIN_S], err);
    if (!rc && part && sqlite3_value_numeric_type(call->arg[WITHIN]) != SQLITE_INTEGER)
        rc = sl_err(err, SL_EUSAGE, "WITHIN is the id of a span, not '%s'", sqlite3_value_text(call->arg[WITHIN]));
    if (!rc && (by != SL_GROUP_BY_NONE || part))
        rc = sl_graph_load(&s->g, call->db, 0, err);
    if (!rc && part)
        find_inside(s, sqlite3_value_int64(call->arg[WITHIN]));
    if (!rc && by != SL_GROUP_BY_NONE)
        rc = sl_groups_open(&s->groups, &s->g, call->db, by, err);
    s->min_ns = call->min;
    if (!rc && (s->bins.about || __builtin_add_overflow(call->max, s->bins.width_ns, &s->max_ns)))
        s->max_ns = INT64_MAX;
    if (!rc && (!pattern || !*pattern))
        rc = sl_err(err, SL_EUSAGE, "an event is named like returned, or parsl.monitoring.task/returned");
    if (!rc)
        rc = scan_events(s, call->db, pattern, err);
    if (!rc)
        sl_bins_fit(&s->bins, s->first_ns, s->last_ns);
    if (!rc)
        rc = s->events ? count(s, call, err) : check_empty(s, call->db, pattern, err);
    return rc;
}

static bool at_end_bins(const void *state)
{
    const struct state *s = state;
    return s->of >= s->all || s->bin > s->bins.last;
}

static int next_bins(void *state, struct sl_err *err)
{
    (void)err;
    ((struct state *)state)->bin++;
    skip(state);
    return 0;
}

static const void *get_bin(void *state)
{
    struct state *s = state;
    uint32_t group = s->by_name[s->of], n = *count_at(s, group, s->bin);

    s->row = (struct event_rate){.time_ns = sl_bins_begin(&s->bins, s->bin),
                                 .events = n,
                                 .per_s = n / ((double)s->bins.width_ns / 1e9),
                                 .first_ns = s->first_ns,
                                 .last_ns = s->last_ns,
                                 .name = s->groups.by != SL_GROUP_BY_NONE ? sl_groups_name(&s->groups, group) : NULL};
    return &s->row;
}

static int64_t row_id_bins(const void *state)
{
    const struct state *s = state;
    int64_t at = sl_bins_begin(&s->bins, s->bin);
    return s->of ? (int64_t)sl_hash_mix((uint64_t)at, s->of) : at;
}

const struct sl_table_fn sl_fn_event_rate = {
    .name = "event_rate",
    .about = "how often something happened, over time",
    .row = &event_rate_columns,
    .arg = args,
    .args = 4,
    .needed = 2,
    .usage = "event_rate('parsl.monitoring.task/returned', 60)",
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
