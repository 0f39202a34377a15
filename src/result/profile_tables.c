/* SPDX-License-Identifier: Apache-2.0 */
#include "result/profile_tables.h"
#include "analyse/calls/profile_sums.h"
#include "analyse/calls/unfinished.h"
#include "base/buf.h"
#include "base/clock.h"
#include "result_profile_tables.sql.h"

#include <stdlib.h>

#define TEXT SL_COLUMN_TEXT
#define INTEGER SL_COLUMN_INTEGER
#define REAL SL_COLUMN_REAL
#define N(columns) ((int)(sizeof(columns) / sizeof *(columns)))

enum { CHAIN = 10 }; /* calls of what was open, the innermost */

static const char *const by_names[] = {
    [SL_BY_NONE] = "part", [SL_BY_THREAD] = "thread", [SL_BY_PROCESS] = "process", [SL_BY_RANK] = "rank"};

/* ---- for programs ---- */

enum { TREE_ONLY = 4 };
static const struct sl_column call_columns[] = {
    {"node", INTEGER, NULL, NULL, 0},     {"parent", INTEGER, NULL, NULL, 0},
    {"depth", INTEGER, NULL, NULL, 0},    {"path", TEXT, NULL, NULL, 0},
    {"part", TEXT, NULL, NULL, 0},        {"name", TEXT, NULL, NULL, 0},
    {"calls", INTEGER, "calls", NULL, 0}, {"unfinished", INTEGER, "calls", NULL, 0},
    {"inclusive_s", REAL, "s", NULL, 0},  {"exclusive_s", REAL, "s", NULL, 0},
    {"share", REAL, NULL, NULL, 0},       {"min_s", REAL, "s", NULL, 0},
    {"mean_s", REAL, "s", NULL, 0},       {"max_s", REAL, "s", NULL, 0}};

static char *ids_of(const struct sl_calls_want *want)
{
    struct sl_buf b = {0};

    for (size_t i = 0; i < want->nwithin; i++)
        sl_buf_addf(&b, "%c%lld", i ? ',' : '[', (long long)want->within[i]);
    if (b.n)
        sl_buf_addc(&b, ']');
    return b.s;
}

static int add_short(struct sl_result *r, struct sl_store *st, const struct sl_calls_want *want, struct sl_err *err)
{
    static const struct sl_column columns[] = {
        {"name", TEXT, NULL, NULL, 0}, {"calls", INTEGER, "calls", NULL, 0}, {"exclusive_s", REAL, "s", NULL, 0}};
    struct sl_table *t = sl_result_sql(r, st, "short", columns, N(columns), sql_short, err);
    char *within = ids_of(want);

    if (t && within)
        sqlite3_bind_text(t->query, 1, within, -1, SQLITE_TRANSIENT);
    free(within);
    return t ? 0 : SL_ESTORE;
}

int sl_result_calls(struct sl_result *r, struct sl_store *st, const struct sl_profile_want *want, struct sl_err *err)
{
    struct sl_table *t =
        want->flat
            ? sl_result_sql(r, st, "calls", call_columns + TREE_ONLY, N(call_columns) - TREE_ONLY,
                            "SELECT * FROM call_profile(?1, ?2, ?3)", err)
            : sl_result_sql(r, st, "calls", call_columns, N(call_columns), "SELECT * FROM call_tree(?1, ?2, ?3)", err);

    if (!t)
        return SL_ESTORE;
    if (want->calls.nwithin)
        sqlite3_bind_int64(t->query, 1, want->calls.within[0]);
    if (want->calls.by)
        sqlite3_bind_text(t->query, 2, by_names[want->calls.by], -1, SQLITE_STATIC);
    if (want->calls.sums)
        sqlite3_bind_pointer(t->query, 3, (void *)want->calls.sums, SL_CALLS_SUMS, NULL);
    return add_short(r, st, &want->calls, err);
}

/* ---- added up ---- */

static void add_summary(struct sl_result *r, const struct sl_calls *c)
{
    static const struct sl_column columns[] = {
        {"calls", INTEGER, "calls", NULL, 0},      {"processes", INTEGER, "processes", NULL, 0},
        {"threads", INTEGER, "threads", NULL, 0},  {"own", INTEGER, "processes", NULL, 0},
        {"unfinished", INTEGER, "calls", NULL, 0}, {"odd", INTEGER, "calls", NULL, 0}};
    struct sl_table *t = sl_result_table(r, "summary", columns, N(columns));
    uint32_t unfinished = 0;

    for (uint32_t i = 0; i < c->n; i++)
        unfinished += (c->flags[i] & SL_CALL_UNFINISHED) != 0;
    sl_table_add(t);
    sl_table_put_int(t, 0, (int64_t)c->all);
    sl_table_put_int(t, 1, c->processes);
    sl_table_put_int(t, 2, c->threads);
    sl_table_put_int(t, 3, c->own);
    sl_table_put_int(t, 4, unfinished);
    sl_table_put_int(t, 5, c->odd);
}

#define ROW_COLUMNS(part)                                                                                              \
    {                                                                                                                  \
        {"function", TEXT, NULL, NULL, 0}, {part, TEXT, NULL, NULL, 0}, {"title", TEXT, NULL, NULL, 0},                \
            {"parent", INTEGER, NULL, NULL, 0}, {"depth", INTEGER, NULL, NULL, 0},                                     \
            {"calls", INTEGER, "calls", NULL, 0}, {"unfinished", INTEGER, "calls", NULL, 0},                           \
            {"unknown", INTEGER, "calls", NULL, 0}, {"inclusive", INTEGER, "ns", NULL, 0},                             \
            {"exclusive", INTEGER, "ns", NULL, 0}, {"percent", REAL, "%", NULL, 0}, {"min", INTEGER, "ns", NULL, 0},   \
            {"mean", INTEGER, "ns", NULL, 0}, {"max", INTEGER, "ns", NULL, 0},                                         \
    }
static const struct sl_column row_columns[][SL_PROFILE_MAX + 1] = {[SL_BY_NONE] = ROW_COLUMNS("part"),
                                                                   [SL_BY_THREAD] = ROW_COLUMNS("thread"),
                                                                   [SL_BY_PROCESS] = ROW_COLUMNS("process"),
                                                                   [SL_BY_RANK] = ROW_COLUMNS("rank")};

static void add_row(struct sl_table *t, const struct sl_calls *c, const struct sl_profile_row *p)
{
    uint64_t finished = p->calls - p->unfinished;
    int64_t n;

    sl_table_add(t);
    sl_table_put_text(t, SL_PROFILE_FUNCTION, sl_intern_text(&c->names, p->name));
    if (p->part) {
        sl_table_put_text(t, SL_PROFILE_PART, sl_intern_text(&c->parts, p->part));
        if (c->title[p->part])
            sl_table_put_text(t, SL_PROFILE_TITLE, sl_intern_text(&c->parts, c->title[p->part]));
    }
    sl_table_put_int(t, SL_PROFILE_CALLS, (int64_t)p->calls);
    sl_table_put_int(t, SL_PROFILE_UNFINISHED, (int64_t)p->unfinished);
    sl_table_put_int(t, SL_PROFILE_UNKNOWN, (int64_t)p->unknown);
    sl_table_put_int(t, SL_PROFILE_INCLUSIVE, p->inclusive_ns);
    sl_table_put_int(t, SL_PROFILE_EXCLUSIVE, p->exclusive_ns);
    if (!finished)
        return;
    sl_table_put_int(t, SL_PROFILE_MIN, p->min_ns);
    n = (int64_t)finished;
    sl_table_put_int(t, SL_PROFILE_MEAN, p->sum_ns / n + (p->sum_ns % n >= n - p->sum_ns % n));
    sl_table_put_int(t, SL_PROFILE_MAX, p->max_ns);
}

static void add_flat(struct sl_result *r, const struct sl_calls *c, enum sl_calls_by by)
{
    struct sl_table *t = sl_result_table(r, "flat", row_columns[by], SL_PROFILE_MAX + 1);
    struct sl_profile all;

    sl_profile_flat(&all, c);
    for (size_t i = 0; i < all.n; i++) {
        add_row(t, c, &all.v[i]);
        sl_table_put_real(t, SL_PROFILE_PERCENT,
                          all.exclusive_ns ? 100.0 * (double)all.v[i].exclusive_ns / (double)all.exclusive_ns : 0);
    }
    sl_profile_free(&all);
}

static void add_tree(struct sl_result *r, const struct sl_calls *c, enum sl_calls_by by)
{
    struct sl_table *t = sl_result_table(r, "tree", row_columns[by], SL_PROFILE_MAX + 1);
    struct sl_profile all;

    sl_profile_tree(&all, c);
    for (size_t i = 0; i < all.n; i++) {
        add_row(t, c, &all.v[i]);
        sl_table_put_int(t, SL_PROFILE_DEPTH, all.v[i].depth);
        if (all.v[i].parent != SL_NO_INDEX)
            sl_table_put_int(t, SL_PROFILE_PARENT, all.v[i].parent);
    }
    sl_profile_free(&all);
}

/* ---- what was open ---- */

static uint32_t thread_of(const struct sl_calls *c, uint32_t call)
{
    return c->g.parent[c->span[call]];
}

/* The caller, where it is on the same thread; SL_NO_INDEX. */
static uint32_t caller_on_thread(const struct sl_calls *c, uint32_t call)
{
    uint32_t by = c->caller[call];

    return by != SL_NO_INDEX && thread_of(c, by) == thread_of(c, call) ? by : SL_NO_INDEX;
}

/*
 * By call: 1: it was open when its process ended; 2: and so was none that it called on its thread.  What a longjmp left
 * in a call that ended was not.
 */
static unsigned char *find_open(const struct sl_calls *c)
{
    unsigned char *open = sl_alloc((size_t)c->n + 1);

    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t by = caller_on_thread(c, i);
        if ((c->flags[i] & (SL_CALL_UNFINISHED | SL_CALL_NO_BEGIN)) != SL_CALL_UNFINISHED ||
            (by != SL_NO_INDEX && !open[by]))
            continue;
        open[i] = 2;
        if (by != SL_NO_INDEX)
            open[by] = 1;
    }
    return open;
}

/* "... > main > solve" */
static char *chain(const struct sl_calls *c, uint32_t call)
{
    uint32_t above[CHAIN], n = 0;
    struct sl_buf b = {0};

    for (; call != SL_NO_INDEX && n < CHAIN; call = caller_on_thread(c, call))
        above[n++] = call;
    if (call != SL_NO_INDEX)
        sl_buf_adds(&b, "... > ");
    while (n--) {
        sl_buf_adds(&b, sl_intern_text(&c->names, c->name[above[n]]));
        sl_buf_adds(&b, n ? " > " : "");
    }
    return b.s;
}

static void add_open(struct sl_result *r, const struct sl_calls *c)
{
    static const struct sl_column columns[] = {{"process", TEXT, NULL, NULL, 0},
                                               {"thread", TEXT, NULL, NULL, 0},
                                               {"calls", TEXT, NULL, NULL, 0},
                                               {"open", INTEGER, "ns", NULL, 0},
                                               {"unknown", INTEGER, NULL, NULL, 0}}; /* it was open at least so long */
    struct sl_table *t = sl_result_table(r, "open", columns, N(columns));
    unsigned char *open = find_open(c);

    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t thread = thread_of(c, i);
        char *calls;
        if (open[i] != 2)
            continue;
        sl_table_add(t);
        sl_table_put_text(t, 0, c->g.key_text + c->g.key_at[sl_unfinished_root(&c->g, c->span[i])]);
        if (thread != SL_NO_INDEX)
            sl_table_put_text(t, 1, c->g.key_text + c->g.key_at[thread]);
        sl_table_put_text(t, 2, calls = chain(c, i));
        sl_table_put_int(t, 3, sl_time_sub(c->end_ns[i], c->begin_ns[i]));
        sl_table_put_int(t, 4, c->end_ns[i] == c->begin_ns[i]);
        free(calls);
    }
    free(open);
}

/* ---- what ran asynchronously ---- */

static int add_async(struct sl_result *r, struct sl_store *st, const struct sl_calls_want *want, struct sl_err *err)
{
    static const struct sl_column columns[] = {{"name", TEXT, NULL, NULL, 0},    {"spans", INTEGER, "spans", NULL, 0},
                                               {"total_s", REAL, "s", NULL, 0},  {"ran_s", REAL, "s", NULL, 0},
                                               {"waited_s", REAL, "s", NULL, 0}, {"mean_s", REAL, "s", NULL, 0},
                                               {"max_s", REAL, "s", NULL, 0}};
    struct sl_table *t = sl_result_sql(r, st, "async", columns, N(columns), sql_async, err);
    char *within = ids_of(want);

    if (t && within)
        sqlite3_bind_text(t->query, 1, within, -1, SQLITE_TRANSIENT);
    free(within);
    return t ? 0 : SL_ESTORE;
}

int sl_result_profile(struct sl_result *r, struct sl_store *st, const struct sl_profile_want *want, struct sl_err *err)
{
    static const struct sl_column runs[] = {{"runs", INTEGER, "runs", NULL, 0}, {"last", TEXT, NULL, NULL, 0}};
    struct sl_calls c;
    int rc = sl_calls_load(&c, st->db, &want->calls, err);

    if (!rc) {
        add_summary(r, &c);
        if (want->flat)
            add_flat(r, &c, want->calls.by);
        if (want->tree)
            add_tree(r, &c, want->calls.by);
        add_open(r, &c);
        if (want->flat)
            rc = add_async(r, st, &want->calls, err);
        if (want->flat && !rc)
            rc = add_short(r, st, &want->calls, err);
    }
    if (!rc && !want->calls.nwithin && !sl_result_sql(r, st, "runs", runs, N(runs), sql_tops, err))
        rc = SL_ESTORE;
    sl_calls_free(&c);
    return rc;
}
