/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is not measured is split by one sweep over time: I(t), the integral of what a run of one core gets, grows by
 * rate / cores while runs are there, and a run has its cores times I(end) - I(begin), however many run beside it.
 */
#include "analyse/usage_shares.h"
#include "analyse/ext.h"
#include "analyse_usage_shares.sql.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

struct interval {
    int64_t from_ns, to_ns;
    double elapsed_s;
    double used[SL_USAGE_KINDS];    /* NAN: not known */
    double of_runs[SL_USAGE_KINDS]; /* what measured runs have of it */
};
struct node {
    int64_t id;
    char *host, *boot; /* together the machine: it may have several monitors */
    int64_t began_ns;
    size_t first, n; /* intervals */
    double least_mb; /* memory */
};
struct run {
    char *host;
    int64_t from_ns, to_ns, span, task;
    double cores, memory_mb;
    size_t row, rows; /* measured rows */
};
struct row {
    int64_t span, time_ns;
    double cpu_s, rss_mb, disk_mb;
};
struct before { /* counters of the sample before */
    double busy, disk, net;
};
struct make {
    struct before before;
    SL_VEC(struct interval) intervals;
    SL_VEC(struct node) nodes;
    SL_VEC(struct run) runs;
    SL_VEC(struct row) rows;
    SL_VEC(struct sl_usage_part) parts;
};

/* ---- loading ---- */

static double real(sqlite3_stmt *q, int column)
{
    return sqlite3_column_type(q, column) == SQLITE_NULL ? NAN : sqlite3_column_double(q, column);
}

static char *text(sqlite3_stmt *q, int column)
{
    const char *s = (const char *)sqlite3_column_text(q, column);

    return sl_strdup(s ? s : "");
}

static int each(sqlite3 *db, const char *sql, int64_t within, void (*row)(struct make *m, sqlite3_stmt *q),
                struct make *m, struct sl_err *err)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &q, NULL);

    if (rc == SQLITE_OK && within)
        sqlite3_bind_int64(q, 1, within);
    while (rc == SQLITE_OK && (rc = sqlite3_step(q)) == SQLITE_ROW) {
        row(m, q);
        rc = SQLITE_OK;
    }
    if (rc != SQLITE_DONE)
        rc = sl_err(err, SL_ESTORE, "%s", sl_sqlite_words(db));
    else
        rc = 0;
    sqlite3_finalize(q);
    return rc;
}

/* Counters begin at zero; where one is not known, neither is the difference. */
static void add_sample(struct make *m, sqlite3_stmt *q)
{
    enum { NODE, HOST, TIME_NS, ELAPSED_S, BUSY, BUSY_BY_PCT, MEM, DISK, NET, BEGAN_NS, BOOT };
    struct node *n = m->nodes.n ? &m->nodes.v[m->nodes.n - 1] : NULL;
    struct interval *i = sl_vec_add(&m->intervals);
    double busy = real(q, BUSY), disk = real(q, DISK), net = real(q, NET), mem = real(q, MEM);

    if (!n || n->id != sqlite3_column_int64(q, NODE)) {
        n = sl_vec_add(&m->nodes);
        *n = (struct node){
            sqlite3_column_int64(q, NODE), text(q, HOST), text(q, BOOT), 0, m->intervals.n - 1, 0, INFINITY};
        m->before = (struct before){0};
    }
    i->to_ns = sqlite3_column_int64(q, TIME_NS);
    i->from_ns = n->n                                              ? i[-1].to_ns
                 : sqlite3_column_type(q, BEGAN_NS) == SQLITE_NULL ? i->to_ns
                                                                   : sqlite3_column_int64(q, BEGAN_NS);
    if (i->to_ns < i->from_ns) /* the clock was set back: until it has caught up nothing is known to run */
        i->to_ns = i->from_ns;
    if (!n->n)
        n->began_ns = i->from_ns;
    i->elapsed_s = sqlite3_column_double(q, ELAPSED_S);
    i->used[SL_USAGE_CPU_S] = isnan(busy) ? real(q, BUSY_BY_PCT) : fmax(0, busy - m->before.busy);
    i->used[SL_USAGE_MEM_MB_S] = mem * i->elapsed_s;
    i->used[SL_USAGE_DISK_MB] = fmax(0, disk - m->before.disk) + 0 * disk;
    i->used[SL_USAGE_NET_MB] = fmax(0, net - m->before.net) + 0 * net;
    if (mem < n->least_mb)
        n->least_mb = mem;
    m->before = (struct before){isnan(busy) ? m->before.busy : busy, isnan(disk) ? m->before.disk : disk,
                                isnan(net) ? m->before.net : net};
    n->n++;
}

static void add_run(struct make *m, sqlite3_stmt *q)
{
    struct run *r = sl_vec_add(&m->runs);

    *r = (struct run){text(q, 0),
                      sqlite3_column_int64(q, 1),
                      sqlite3_column_int64(q, 2),
                      sqlite3_column_int64(q, 3),
                      sqlite3_column_int64(q, 4),
                      real(q, 6),
                      real(q, 7),
                      0,
                      0};
    if (!(r->cores > 0))
        r->cores = NAN;
}

static void add_row(struct make *m, sqlite3_stmt *q)
{
    *sl_vec_add(&m->rows) =
        (struct row){sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1), real(q, 2), real(q, 3), real(q, 4)};
}

static int by_machine(const struct node *x, const struct node *y)
{
    int way = strcmp(x->host, y->host);

    return way ? way : strcmp(x->boot, y->boot);
}

static int by_machine_and_time(const void *a, const void *b)
{
    const struct node *x = a, *y = b;
    int way = by_machine(x, y);

    if (!way)
        way = (x->began_ns > y->began_ns) - (x->began_ns < y->began_ns);
    return way ? way : (x->id > y->id) - (x->id < y->id);
}

/* Where a machine had several monitors at a time, all of them counted the same: the one that began first counts. */
static void drop_covered(struct make *m)
{
    int64_t until = INT64_MIN; /* the machine is covered */

    qsort(m->nodes.v, m->nodes.n, sizeof *m->nodes.v, by_machine_and_time);
    for (size_t k = 0; k < m->nodes.n; k++) {
        struct node *n = &m->nodes.v[k];
        int64_t end = m->intervals.v[n->first + n->n - 1].to_ns;
        struct interval *i = &m->intervals.v[n->first];
        if (!k || by_machine(n, n - 1))
            until = INT64_MIN;
        for (; n->n && i->to_ns <= until && i->from_ns < until; n->n--)
            i = &m->intervals.v[++n->first];
        if (n->n && i->from_ns < until) {
            double left = (double)(i->to_ns - until) / (double)(i->to_ns - i->from_ns);
            i->from_ns = until;
            i->elapsed_s *= left;
            for (int kind = 0; kind < SL_USAGE_KINDS; kind++)
                i->used[kind] *= left;
        }
        until = end > until ? end : until;
    }
}

/* Rows of a run: two or more whose CPU times are known, in order. */
static void find_rows(struct make *m)
{
    for (size_t k = 0; k < m->runs.n; k++) {
        struct run *r = &m->runs.v[k];
        size_t low = 0, high = m->rows.n;
        while (low < high) {
            size_t mid = (low + high) / 2;
            if (m->rows.v[mid].span < r->span)
                low = mid + 1;
            else
                high = mid;
        }
        r->row = low;
        while (low < m->rows.n && m->rows.v[low].span == r->span && !isnan(m->rows.v[low].cpu_s))
            low++;
        r->rows = low - r->row;
        if (r->rows < 2)
            r->rows = 0;
    }
}

/* ---- measured ---- */

/* A counter at a time: between two rows on the line; before the first and after the last it stands. */
static void at_time(const struct make *m, const struct run *r, int64_t t, double at[SL_USAGE_KINDS])
{
    const struct row *v = &m->rows.v[r->row];
    size_t i = 0;
    double share;

    while (i + 2 < r->rows && v[i + 1].time_ns <= t)
        i++;
    share =
        v[i + 1].time_ns > v[i].time_ns ? (double)(t - v[i].time_ns) / (double)(v[i + 1].time_ns - v[i].time_ns) : 1;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    at[SL_USAGE_CPU_S] = v[i].cpu_s + share * (v[i + 1].cpu_s - v[i].cpu_s);
    at[SL_USAGE_MEM_MB_S] = v[i].rss_mb + share * (v[i + 1].rss_mb - v[i].rss_mb);
    at[SL_USAGE_DISK_MB] = v[i].disk_mb + share * (v[i + 1].disk_mb - v[i].disk_mb);
    at[SL_USAGE_NET_MB] = 0;
}

/* What a measured run used in an interval. */
static void measured_in(const struct make *m, const struct run *r, const struct interval *i,
                        double used[SL_USAGE_KINDS])
{
    int64_t from = r->from_ns > i->from_ns ? r->from_ns : i->from_ns, to = r->to_ns < i->to_ns ? r->to_ns : i->to_ns;
    double a[SL_USAGE_KINDS], b[SL_USAGE_KINDS];

    at_time(m, r, from, a);
    at_time(m, r, to, b);
    for (int k = 0; k < SL_USAGE_KINDS; k++)
        used[k] = b[k] > a[k] ? b[k] - a[k] : 0;
    used[SL_USAGE_MEM_MB_S] = (a[SL_USAGE_MEM_MB_S] + b[SL_USAGE_MEM_MB_S]) / 2 * (double)(to - from) / 1e9;
    if (isnan(used[SL_USAGE_MEM_MB_S]))
        used[SL_USAGE_MEM_MB_S] = 0;
}

/* The first interval of a node that ends after t. */
static size_t interval_after(const struct make *m, const struct node *n, int64_t t)
{
    size_t low = n->first, high = n->first + n->n;

    while (low < high) {
        size_t mid = (low + high) / 2;
        if (m->intervals.v[mid].to_ns <= t)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* What can be split: memory beyond what was there at the least. */
static double to_split(const struct node *n, const struct interval *i, int kind)
{
    double used = i->used[kind];

    if (kind == SL_USAGE_MEM_MB_S)
        used -= n->least_mb * i->elapsed_s;
    return used > 0 ? used : 0;
}

/* part NULL: only added up. */
static void walk_measured(struct make *m, const struct node *n, const struct run *r, struct sl_usage_part *part)
{
    double used[SL_USAGE_KINDS];

    for (size_t k = interval_after(m, n, r->from_ns); k < n->first + n->n && m->intervals.v[k].from_ns < r->to_ns;
         k++) {
        struct interval *i = &m->intervals.v[k];
        measured_in(m, r, i, used);
        for (int kind = 0; kind < SL_USAGE_NET_MB; kind++) {
            double most = to_split(n, i, kind);
            if (!part)
                i->of_runs[kind] += used[kind];
            else if (i->of_runs[kind] > 0)
                part->used[kind] += i->of_runs[kind] > most ? used[kind] * most / i->of_runs[kind] : used[kind];
        }
    }
}

/* ---- the rest ---- */

struct moment {
    int64_t time_ns;
    size_t part; /* SIZE_MAX: an interval begins */
    size_t interval;
    bool begins;
};

static int by_time(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;

    return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

struct sweep {
    double share[SL_USAGE_KINDS]; /* I(t) */
    double cores[SL_USAGE_KINDS];
    double rate[SL_USAGE_KINDS]; /* of the interval at hand, a second */
    int64_t at_ns;
};

static void go_to(struct sweep *s, int64_t t)
{
    for (int k = 0; k < SL_USAGE_KINDS; k++)
        if (s->cores[k] > 1e-9)
            s->share[k] += s->rate[k] * (double)(t - s->at_ns) / 1e9 / s->cores[k];
    s->at_ns = t;
}

static void begin_interval(struct sweep *s, const struct node *n, const struct interval *i)
{
    double seconds = (double)(i->to_ns - i->from_ns) / 1e9;

    for (int k = 0; k < SL_USAGE_KINDS; k++) {
        double left = to_split(n, i, k) - i->of_runs[k];
        s->rate[k] = left > 0 && seconds > 0 ? left / seconds : 0;
    }
}

static void sweep_node(struct make *m, const struct node *n, size_t first)
{
    size_t parts = m->parts.n - first, moments = 0;
    struct moment *v = sl_alloc((2 * parts + n->n + 1) * sizeof *v);
    double *begin = sl_alloc((parts + 1) * sizeof *begin * SL_USAGE_KINDS);
    struct sweep s = {0};
    size_t *run = sl_alloc((parts + 1) * sizeof *run);

    for (size_t i = 0; i < n->n; i++)
        v[moments++] = (struct moment){m->intervals.v[n->first + i].from_ns, SIZE_MAX, n->first + i, true};
    for (size_t p = 0; p < parts; p++) {
        run[p] = (size_t)m->parts.v[first + p].task; /* which run it is, until the end */
        v[moments++] = (struct moment){m->runs.v[run[p]].from_ns, p, 0, true};
        v[moments++] = (struct moment){m->runs.v[run[p]].to_ns, p, 0, false};
    }
    qsort(v, moments, sizeof *v, by_time);
    for (size_t i = 0; i < moments; i++) {
        int64_t end = m->intervals.v[n->first + n->n - 1].to_ns;
        go_to(&s, v[i].time_ns < end ? v[i].time_ns : end > s.at_ns ? end : s.at_ns);
        if (v[i].part == SIZE_MAX) {
            begin_interval(&s, n, &m->intervals.v[v[i].interval]);
            continue;
        }
        const struct run *r = &m->runs.v[run[v[i].part]];
        for (int k = 0; k < SL_USAGE_KINDS; k++) {
            double cores = isnan(r->cores) ? 1 : r->cores, *b = &begin[v[i].part * SL_USAGE_KINDS + (size_t)k];
            if (r->rows && k != SL_USAGE_NET_MB)
                continue;
            s.cores[k] += v[i].begins ? cores : -cores;
            if (v[i].begins)
                *b = s.share[k];
            else
                m->parts.v[first + v[i].part].used[k] += cores * (s.share[k] - *b);
        }
    }
    for (size_t p = 0; p < parts; p++)
        m->parts.v[first + p].task = m->runs.v[run[p]].task;
    free(run);
    free(begin);
    free(v);
}

/* Up to the first dot. */
static int by_short_host(const char *a, const char *b)
{
    size_t x = strcspn(a, "."), y = strcspn(b, "."), n = x < y ? x : y;
    int way = memcmp(a, b, n);

    return way ? way : (x > y) - (x < y);
}

static int by_host(const void *a, const void *b)
{
    const struct run *x = a, *y = b;
    int way = by_short_host(x->host, y->host);

    return way ? way : (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* Where one of them has no domain, it may be the other. */
static bool same_host(const char *a, const char *b)
{
    return !strcmp(a, b) || ((!strchr(a, '.')) != (!strchr(b, '.')) && !by_short_host(a, b));
}

static size_t first_run(const struct make *m, const char *host)
{
    size_t low = 0, high = m->runs.n;

    while (low < high) {
        size_t mid = (low + high) / 2;
        if (by_short_host(m->runs.v[mid].host, host) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void add_rest(struct make *m, const struct node *n, size_t first)
{
    struct sl_usage_part rest = {.node = n->id, .cores = NAN, .memory_mb = NAN};

    for (int k = 0; k < SL_USAGE_KINDS; k++)
        for (size_t i = 0; i < n->n; i++)
            if (!isnan(m->intervals.v[n->first + i].used[k])) {
                rest.used[k] += m->intervals.v[n->first + i].used[k];
                rest.there_s += k ? 0 : m->intervals.v[n->first + i].elapsed_s;
            }
    for (size_t p = first; p < m->parts.n; p++)
        for (int k = 0; k < SL_USAGE_KINDS; k++)
            rest.used[k] -= m->parts.v[p].used[k];
    for (int k = 0; k < SL_USAGE_KINDS; k++) {
        bool known = false;
        for (size_t i = 0; i < n->n && !known; i++)
            known = !isnan(m->intervals.v[n->first + i].used[k]);
        for (size_t p = first; p < m->parts.n && !known; p++)
            m->parts.v[p].used[k] = NAN;
        rest.used[k] = known ? rest.used[k] : NAN;
    }
    *sl_vec_add(&m->parts) = rest;
}

static void split_node(struct make *m, const struct node *n)
{
    int64_t began = m->intervals.v[n->first].from_ns, ended = m->intervals.v[n->first + n->n - 1].to_ns;
    size_t first = m->parts.n;

    for (size_t k = first_run(m, n->host); k < m->runs.n && !by_short_host(m->runs.v[k].host, n->host); k++) {
        const struct run *r = &m->runs.v[k];
        int64_t from = r->from_ns > began ? r->from_ns : began, to = r->to_ns < ended ? r->to_ns : ended;
        if (from >= to || !same_host(r->host, n->host))
            continue;
        *sl_vec_add(&m->parts) = (struct sl_usage_part){.node = n->id,
                                                        .span = r->span,
                                                        .task = (int64_t)k,
                                                        .there_s = (double)(to - from) / 1e9,
                                                        .cores = r->cores,
                                                        .memory_mb = r->memory_mb,
                                                        .measured = r->rows > 0};
        if (r->rows)
            walk_measured(m, n, r, NULL);
    }
    for (size_t p = first; p < m->parts.n; p++)
        if (m->parts.v[p].measured)
            walk_measured(m, n, &m->runs.v[m->parts.v[p].task], &m->parts.v[p]);
    sweep_node(m, n, first);
    add_rest(m, n, first);
}

int sl_usage_make(struct sl_usage *out, sqlite3 *db, int64_t within, struct sl_err *err)
{
    struct make m = {0};
    int rc = each(db, sql_samples, within, add_sample, &m, err);

    if (!rc && m.nodes.n)
        rc = each(db, sql_runs, 0, add_run, &m, err);
    if (!rc && m.runs.n)
        rc = each(db, sql_measured, 0, add_row, &m, err);
    if (m.runs.n)
        qsort(m.runs.v, m.runs.n, sizeof *m.runs.v, by_host);
    find_rows(&m);
    drop_covered(&m);
    for (size_t i = 0; i < m.nodes.n && !rc; i++)
        if (m.nodes.v[i].n)
            split_node(&m, &m.nodes.v[i]);
    for (size_t i = 0; i < m.nodes.n; i++) {
        free(m.nodes.v[i].host);
        free(m.nodes.v[i].boot);
    }
    for (size_t i = 0; i < m.runs.n; i++)
        free(m.runs.v[i].host);
    *out = (struct sl_usage){m.parts.v, m.parts.n};
    if (rc)
        sl_usage_free(out);
    sl_vec_free(&m.intervals);
    sl_vec_free(&m.nodes);
    sl_vec_free(&m.runs);
    sl_vec_free(&m.rows);
    return rc;
}

void sl_usage_free(struct sl_usage *u)
{
    free(u->v);
    *u = (struct sl_usage){0};
}
