/* SPDX-License-Identifier: Apache-2.0 */
/* Above 600 lines, as workers, what they run and whose that is are one state. */
#include "analyse/workers.h"
#include "analyse/ext.h"
#include "analyse/load/fast_rows.h"
#include "analyse/load/root_events.h"
#include "analyse/tasks/tasks.h"
#include "analyse_workers.sql.h"

#include <stdlib.h>

enum { ASK_EVERY = 1 << 14 };

struct said { /* a row of sl_state, by ranks of names */
    uint32_t span, event;
    int64_t rank;
    bool run;
};

struct step { /* an event of a subspan that sl_state knows */
    int64_t time_ns, rank;
    uint32_t event;
    bool run;
};

struct run {
    int64_t from, to;
    uint32_t sub;
    bool open;
};

struct stay {    /* where a worker's leaving is told, in list or out */
    uint32_t in; /* what it is named in */
    size_t at;
};

struct handed { /* a record put a subspan into a worker */
    uint32_t sub, worker;
    int64_t time_ns;
};

struct make {
    sqlite3 *db;
    struct sl_graph own_g;
    struct sl_events own_e;
    const struct sl_graph *g; /* own, or what the program has loaded */
    const struct sl_events *e;
    SL_VEC(struct said) said;     /* ascending */
    unsigned char *has_run;       /* by rank of a span type */
    bool only_said;               /* what has no declared runs is nothing that these workers run */
    uint32_t type;                /* of workers */
    uint32_t *parents;            /* by span: how many workers it lies in */
    uint32_t *seen;               /* by span: the last worker, plus 1, from which it was reached */
    SL_VEC(struct handed) handed; /* ascending; only subspans of several workers */
    SL_VEC(struct sl_change) out;
    bool by_worker; /* not `out`, but */
    SL_VEC(struct sl_worker_run) list;
    uint32_t *task; /* by span: in whose closure it is; SL_NO_INDEX: in that of none */

    /* of the worker at hand */
    SL_VEC(uint32_t) todo;
    SL_VEC(struct run) runs;
    SL_VEC(struct step) steps; /* of a subspan */
    int64_t first_ns, last_ns;
    bool heard;

    unsigned char *role; /* by rank of a type's name: enum sl_role */
    SL_VEC(struct stay) stay;
    int64_t *until; /* by span in which workers are named: the last that is heard of it and of them; 0: not asked for */
};

/* ---- what is said of states ---- */

static int said_row(void *to, sqlite3_value **v)
{
    struct make *m = to;
    const char *span = (const char *)sqlite3_value_text(v[0]), *event = (const char *)sqlite3_value_text(v[1]);
    uint32_t a = span ? sl_names_find(&m->g->names, span) : SL_NO_INDEX;
    uint32_t b = event ? sl_names_find(&m->g->names, event) : SL_NO_INDEX;

    if (a == SL_NO_INDEX || b == SL_NO_INDEX)
        return 0;
    *sl_vec_add(&m->said) = (struct said){a, b, sqlite3_value_int64(v[3]), sqlite3_value_int64(v[2]) != 0};
    m->has_run[a] |= sqlite3_value_int64(v[2]) != 0;
    return 0;
}

static int by_names(const void *a, const void *b)
{
    const struct said *x = a, *y = b;

    if (x->span != y->span)
        return x->span < y->span ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

static bool has_table(sqlite3 *db, const char *name, const char *column)
{
    return sqlite3_table_column_metadata(db, NULL, name, column, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
}

static int load_said(struct make *m, struct sl_err *err)
{
    int rc;

    m->has_run = sl_alloc(m->g->names.n);
    if (!has_table(m->db, "sl_state", "kind")) /* a store from before schema 3 */
        return 0;
    rc = sl_query_each(m->db, "SELECT sl_query_each(?1, span_type, event_type, kind = 'run', rank) FROM sl_state",
                       said_row, m, err);
    if (m->said.n)
        qsort(m->said.v, m->said.n, sizeof *m->said.v, by_names);
    return rc;
}

static const struct said *find_said(const struct make *m, uint32_t span, uint32_t event)
{
    struct said key = {.span = span, .event = event};

    return m->said.n ? bsearch(&key, m->said.v, m->said.n, sizeof key, by_names) : NULL;
}

/* ---- whose a run is ---- */

static int by_sub(const void *a, const void *b)
{
    const struct handed *x = a, *y = b;

    if (x->sub != y->sub)
        return x->sub < y->sub ? -1 : 1;
    return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static int handed_row(void *to, sqlite3_value **v)
{
    struct make *m = to;
    uint32_t worker = sl_graph_find(m->g, sqlite3_value_int64(v[0]));
    uint32_t sub = sl_graph_find(m->g, sqlite3_value_int64(v[1]));

    if (worker != SL_NO_INDEX && sub != SL_NO_INDEX && worker != sub && m->g->type[worker] == m->type &&
        m->parents[sub] > 1)
        *sl_vec_add(&m->handed) = (struct handed){sub, worker, sqlite3_value_int64(v[2])};
    return 0;
}

/* Links that the record of an event asserts; each worker once. */
static int load_handed(struct make *m, struct sl_err *err)
{
    bool several = false;
    char *sql;
    int rc;

    for (uint32_t w = 0; w < m->g->n; w++)
        for (uint32_t k = m->g->sub.start[w]; m->g->type[w] == m->type && k < m->g->sub.start[w + 1]; k++)
            if (m->g->sub.to[k] != w &&
                m->seen[m->g->sub.to[k]] != w + 1) { /* a subspan may be one twice: by name and by a link */
                m->seen[m->g->sub.to[k]] = w + 1;
                several |= ++m->parents[m->g->sub.to[k]] > 1;
            }
    memset(m->seen, 0, m->g->n * sizeof *m->seen);
    if (!several)
        return 0;
    sql = sqlite3_mprintf(sql_handed,
                          has_table(m->db, "sl_skew", "source")
                              ? " + ifnull((SELECT offset_ns FROM sl_skew k WHERE k.source = e.source), 0)"
                              : "",
                          m->g->names.text[m->type]);
    rc = sql ? sl_query_each(m->db, sql, handed_row, m, err) : SL_ESTORE;
    sqlite3_free(sql);
    if (m->handed.n)
        qsort(m->handed.v, m->handed.n, sizeof *m->handed.v, by_sub);
    return rc;
}

/* Where a record says who got the subspan last before t, is it this worker? */
static bool is_of(const struct make *m, uint32_t sub, uint32_t worker, int64_t t)
{
    size_t from = 0, to = m->handed.n;

    if (m->parents[sub] < 2)
        return true;
    while (from < to) { /* the first that is behind */
        size_t at = from + (to - from) / 2;
        const struct handed *h = &m->handed.v[at];
        if (h->sub < sub || (h->sub == sub && h->time_ns <= t))
            from = at + 1;
        else
            to = at;
    }
    if (!from || m->handed.v[from - 1].sub != sub)
        return true;
    for (int64_t last = m->handed.v[from - 1].time_ns; from && m->handed.v[from - 1].sub == sub; from--)
        if (m->handed.v[from - 1].time_ns == last && m->handed.v[from - 1].worker == worker)
            return true;
    return false;
}

/* Files that a worker keeps, and transfers to it, are no runs where recipes say what runs of its tasks are. */
static bool runs_are_said(const struct make *m)
{
    for (uint32_t w = 0; m->role[m->type] == SL_ROLE_WORKER && w < m->g->n; w++)
        for (uint32_t k = m->g->sub.start[w]; m->g->type[w] == m->type && k < m->g->sub.start[w + 1]; k++)
            if (m->g->type[m->g->sub.to[k]] != SL_NO_INDEX && m->has_run[m->g->type[m->g->sub.to[k]]])
                return true;
    return false;
}

/* ---- one worker ---- */

static void hear(struct make *m, int64_t t)
{
    if (!m->heard || t < m->first_ns)
        m->first_ns = t;
    if (!m->heard || t > m->last_ns)
        m->last_ns = t;
    m->heard = true;
}

static void add_run(struct make *m, uint32_t sub, int64_t from, int64_t to, bool open)
{
    *sl_vec_add(&m->runs) = (struct run){from, to, sub, open};
    hear(m, from);
    hear(m, to);
}

static int by_time(const void *a, const void *b)
{
    const struct step *x = a, *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

static void gather_steps(struct make *m, uint32_t sub)
{
    m->steps.n = 0;
    for (size_t i = m->e->start[sub]; i < m->e->start[sub + 1]; i++) {
        const struct said *s = find_said(m, m->g->type[sub], sl_number_at(&m->e->type, i));
        if (s)
            *sl_vec_add(&m->steps) = (struct step){m->e->time_ns[i], s->rank, s->event, s->run};
    }
    if (m->steps.n > 1)
        qsort(m->steps.v, m->steps.n, sizeof *m->steps.v, by_time);
}

/* When a worker that never told the end of a run died, left or began anew; INT64_MAX: it does not say. */
static int64_t next_own(const struct make *m, uint32_t worker, int64_t t)
{
    for (size_t i = m->e->start[worker]; i < m->e->start[worker + 1]; i++)
        if (m->e->time_ns[i] > t)
            return m->e->time_ns[i];
    return INT64_MAX;
}

static void add_said_runs(struct make *m, uint32_t worker, uint32_t sub)
{
    const struct step *begin = NULL;

    gather_steps(m, sub);
    for (size_t i = 0; i < m->steps.n; i++) {
        const struct step *x = &m->steps.v[i];
        if (begin && !x->run) {
            if (is_of(m, sub, worker, begin->time_ns))
                add_run(m, sub, begin->time_ns, x->time_ns, false);
            begin = NULL;
        } else if (!begin && x->run) {
            begin = x;
        }
    }
    if (begin && is_of(m, sub, worker, begin->time_ns)) {
        int64_t to = next_own(m, worker, begin->time_ns);
        add_run(m, sub, begin->time_ns, to < INT64_MAX ? to : begin->time_ns, to == INT64_MAX);
    }
}

static void add_sub(struct make *m, uint32_t worker, uint32_t sub)
{
    if (m->seen[sub] == worker + 1)
        return;
    m->seen[sub] = worker + 1;
    if (m->has_run[m->g->type[sub]]) {
        add_said_runs(m, worker, sub);
        return;
    }
    if (m->e->start[sub + 1] > m->e->start[sub] && !m->only_said)
        add_run(m, sub, m->e->time_ns[m->e->start[sub]], m->e->time_ns[m->e->start[sub + 1] - 1], false);
    *sl_vec_add(&m->todo) = sub;
}

static void visit_all(struct make *m, uint32_t worker, const struct sl_csr *c, uint32_t span)
{
    for (size_t k = c->start[span]; k < c->start[span + 1]; k++)
        if (m->seen[c->to[k]] != worker + 1) {
            m->seen[c->to[k]] = worker + 1;
            *sl_vec_add(&m->todo) = c->to[k];
        }
}

/* The direct subspans first: nothing goes on from those whose runs are said. */
static void follow(struct make *m, uint32_t worker)
{
    m->heard = false;
    m->runs.n = m->todo.n = 0;
    m->seen[worker] = worker + 1;
    *sl_vec_add(&m->todo) = worker;
    for (size_t k = m->g->sub.start[worker]; k < m->g->sub.start[worker + 1]; k++)
        if (m->g->type[m->g->sub.to[k]] != SL_NO_INDEX)
            add_sub(m, worker, m->g->sub.to[k]);
    for (size_t i = 0; i < m->todo.n; i++) {
        uint32_t span = m->todo.v[i];
        if (m->e->start[span + 1] > m->e->start[span]) {
            hear(m, m->e->time_ns[m->e->start[span]]);
            hear(m, m->e->time_ns[m->e->start[span + 1] - 1]);
        }
        visit_all(m, worker, &m->g->sub, span);
        visit_all(m, worker, &m->g->facet, span);
    }
}

/* ---- all workers ---- */

static int by_begin(const void *a, const void *b)
{
    const struct run *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* For a list also by what they are, so that it has one order. */
static int in_list(const void *a, const void *b)
{
    const struct run *x = a, *y = b;
    int order = by_begin(a, b);

    if (!order)
        order = (x->to > y->to) - (x->to < y->to);
    return order ? order : (x->sub > y->sub) - (x->sub < y->sub);
}

static int by_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* How many of the runs, which are in order, there were at once, at most: one that ends then is over. */
static uint32_t most_at_once(const struct make *m)
{
    int64_t *end = sl_alloc((m->runs.n + 1) * sizeof *end), n = 0, most = 0;
    size_t over = 0;

    for (size_t i = 0; i < m->runs.n; i++)
        end[i] = m->runs.v[i].to;
    qsort(end, m->runs.n, sizeof *end, by_ns);
    for (size_t i = 0; i < m->runs.n; i++) {
        for (; over < m->runs.n && end[over] <= m->runs.v[i].from; over++)
            n--;
        most = ++n > most ? n : most;
    }
    free(end);
    return (uint32_t)most;
}

/* A manager of Parsl, or a pool of threads, ends with all of its workers; when it was lost is told later. */
static void stays(struct make *m, uint32_t worker, size_t at)
{
    uint32_t in = m->g->parent[worker], lost = sl_names_find(&m->g->names, "lost");

    if (m->role[m->type] != SL_ROLE_WORKER || in == SL_NO_INDEX || m->g->type[in] == SL_NO_INDEX ||
        m->role[m->g->type[in]] == SL_ROLE_WORKFLOW)
        return;
    for (size_t i = m->e->start[in + 1]; !m->until[in] && i > m->e->start[in]; i--)
        if (sl_number_at(&m->e->type, i - 1) != lost)
            m->until[in] = m->e->time_ns[i - 1];
    if (m->until[in] < m->last_ns)
        m->until[in] = m->last_ns;
    *sl_vec_add(&m->stay) = (struct stay){in, at};
}

/* Once all workers are known. */
static void put_stays(struct make *m)
{
    for (size_t i = 0; i < m->stay.n; i++) {
        const struct stay *y = &m->stay.v[i];
        if (m->by_worker)
            m->list.v[y->at].to_ns = m->until[y->in];
        else
            m->out.v[y->at].time_ns = m->until[y->in];
    }
}

/* What runs side by side keeps a worker busy once.  The runs are in order. */
static double busy_s(const struct make *m, uint32_t places)
{
    int64_t until = INT64_MIN, busy = 0;
    double s = 0;

    for (size_t i = 0; i < m->runs.n; i++) {
        const struct run *r = &m->runs.v[i];
        int64_t from = r->from > until ? r->from : until;
        s += (double)(r->to - r->from) / 1e9;
        busy += r->to > from ? r->to - from : 0;
        until = r->to > until ? r->to : until;
    }
    return places > 1 ? (double)busy / 1e9 : s;
}

static void list_worker(struct make *m, uint32_t worker)
{
    int64_t id = m->g->id.v[worker];
    size_t own = m->list.n;

    if (!m->heard)
        return;
    stays(m, worker, m->list.n);
    *sl_vec_add(&m->list) = (struct sl_worker_run){.worker = id, .from_ns = m->first_ns, .to_ns = m->last_ns};
    for (size_t i = 0; i < m->runs.n; i++)
        m->runs.v[i].to = m->runs.v[i].open ? m->last_ns : m->runs.v[i].to;
    if (m->runs.n > 1)
        qsort(m->runs.v, m->runs.n, sizeof *m->runs.v, in_list);
    m->list.v[own].runs = (uint32_t)m->runs.n;
    m->list.v[own].places = most_at_once(m);
    m->list.v[own].busy_s = busy_s(m, m->list.v[own].places);
    for (size_t i = 0; i < m->runs.n; i++) {
        const struct run *r = &m->runs.v[i];
        uint32_t task = m->task[r->sub];
        *sl_vec_add(&m->list) = (struct sl_worker_run){
            .worker = id,
            .from_ns = r->from,
            .to_ns = r->to,
            .span = m->g->id.v[r->sub],
            .task = task == SL_NO_INDEX ? 0 : m->g->id.v[task],
            .is_run = true,
            .has_task = task != SL_NO_INDEX,
        };
    }
}

/* The tasks of the workflow that is looked in, which task_times() has; *of: by span.  NULL: it is none, or has none. */
static int workflow_tasks(struct make *m, sqlite3_value *within, unsigned char **of, struct sl_err *err)
{
    uint32_t top = within && sqlite3_value_type(within) == SQLITE_INTEGER
                       ? sl_graph_find(m->g, sqlite3_value_int64(within))
                       : SL_NO_INDEX;
    const struct sl_workflow *w;
    struct sl_workflow own = {0};
    int rc;

    if (top == SL_NO_INDEX || m->g->type[top] == SL_NO_INDEX || m->role[m->g->type[top]] != SL_ROLE_WORKFLOW)
        return 0;
    rc = sl_workflow_find(&w, &own, m->db, within, err);
    if (!rc && w->n)
        *of = sl_alloc((size_t)m->g->n + 1);
    for (uint32_t i = 0; !rc && i < w->n; i++) {
        uint32_t span = sl_graph_find(m->g, w->s.g.id.v[w->task[i].span]);
        if (span != SL_NO_INDEX)
            (*of)[span] = 1;
    }
    sl_workflow_free(&own);
    return rc;
}

/* A task whose closure is smaller is further inside; of facets, whose closures are the same, the first stays. */
static int find_tasks(struct make *m, sqlite3_value *within, struct sl_err *err)
{
    unsigned char *of = NULL; /* by span; NULL: all of the role */
    uint32_t *size = sl_alloc(((size_t)m->g->n + 1) * sizeof *size);
    unsigned char *met = sl_alloc((size_t)m->g->n + 1); /* as a facet */
    struct sl_walk walk;
    int rc;

    m->task = sl_alloc(((size_t)m->g->n + 1) * sizeof *m->task);
    for (uint32_t i = 0; i < m->g->n; i++)
        m->task[i] = SL_NO_INDEX;
    rc = workflow_tasks(m, within, &of, err);
    sl_walk_init(&walk, m->g);
    for (uint32_t i = 0; i < m->g->n && !rc; i++) {
        if (of ? !of[i] : m->g->type[i] == SL_NO_INDEX || m->role[m->g->type[i]] != SL_ROLE_TASK || met[i])
            continue;
        for (uint32_t f = m->g->facet.start[i]; f < m->g->facet.start[i + 1]; f++)
            met[m->g->facet.to[f]] = 1;
        sl_walk_closure(&walk, i);
        for (size_t k = 0; k < walk.n; k++) {
            uint32_t span = walk.span[k];
            if (m->task[span] == SL_NO_INDEX || walk.n < size[span]) {
                m->task[span] = i;
                size[span] = (uint32_t)walk.n;
            }
        }
    }
    sl_walk_free(&walk);
    free(size);
    free(met);
    free(of);
    return rc;
}

static void put(struct make *m, enum sl_worker_is what, int64_t from, int64_t to)
{
    *sl_vec_add(&m->out) = (struct sl_change){from, what, 1};
    *sl_vec_add(&m->out) = (struct sl_change){to, what, (uint32_t)-1};
}

/* Busy is where at least one run is. */
static void put_worker(struct make *m, uint32_t worker)
{
    int64_t from = 0, to = 0;

    if (!m->heard)
        return;
    put(m, SL_WORKER_THERE, m->first_ns, m->last_ns);
    stays(m, worker, m->out.n - 1);
    if (m->runs.n > 1)
        qsort(m->runs.v, m->runs.n, sizeof *m->runs.v, by_begin);
    for (size_t i = 0; i < m->runs.n; i++) {
        struct run *r = &m->runs.v[i];
        if (r->open)
            r->to = m->last_ns;
        put(m, SL_WORKER_RUNS, r->from, r->to);
        if (i && r->from > to)
            put(m, SL_WORKER_BUSY, from, to);
        if (!i || r->from > to) {
            from = r->from;
            to = r->to;
        }
        to = r->to > to ? r->to : to;
    }
    if (m->runs.n)
        put(m, SL_WORKER_BUSY, from, to);
}

static int mark_inside(struct make *m, sqlite3_value *within, unsigned char **inside, struct sl_err *err)
{
    struct sl_walk walk;
    uint32_t top;

    if (!within || sqlite3_value_type(within) == SQLITE_NULL)
        return 0;
    if (sqlite3_value_numeric_type(within) != SQLITE_INTEGER)
        return sl_err(err, SL_EUSAGE, "the span to look in is given by its id, a whole number, not by '%s'",
                      (const char *)sqlite3_value_text(within));
    *inside = sl_alloc(m->g->n);
    if ((top = sl_graph_find(m->g, sqlite3_value_int64(within))) == SL_NO_INDEX)
        return 0;
    sl_walk_init(&walk, m->g);
    sl_walk_closure(&walk, top);
    for (size_t i = 0; i < walk.n; i++)
        (*inside)[walk.span[i]] = 1;
    sl_walk_free(&walk);
    return 0;
}

static int put_all(struct make *m, const unsigned char *inside, struct sl_err *err)
{
    sqlite3_stmt *alive = NULL;
    size_t work = 0;
    int rc = 0;

    for (uint32_t i = 0; i < m->g->n && !rc; i++) {
        if (m->g->type[i] != m->type || (inside && !inside[i]))
            continue;
        follow(m, i);
        if (m->by_worker)
            list_worker(m, i);
        else
            put_worker(m, i);
        work += m->todo.n + m->runs.n + 1;
        if (work > ASK_EVERY) {
            work = 0;
            rc = sl_query_stopped(m->db, &alive) ? sl_err(err, SL_EIO, "interrupted") : 0;
        }
    }
    sqlite3_finalize(alive);
    put_stays(m);
    return rc;
}

static int make(struct make *m, const char *type, sqlite3_value *within, struct sl_err *err)
{
    unsigned char *inside = NULL;
    const struct sl_root_events *loaded = sl_root_events_shared(m->db, within);
    int rc = loaded ? 0 : sl_graph_load_within(&m->own_g, m->db, SL_GRAPH_PARENTS, within, err);

    m->g = loaded ? &loaded->g : &m->own_g;
    if (rc || !type || (m->type = sl_names_find(&m->g->names, type)) == SL_NO_INDEX)
        return rc;
    m->parents = sl_alloc(m->g->n * sizeof *m->parents);
    m->seen = sl_alloc(m->g->n * sizeof *m->seen);
    m->until = sl_alloc(m->g->n * sizeof *m->until);
    m->e = loaded ? &loaded->e : &m->own_e;
    if (!loaded)
        rc = sl_events_load(&m->own_e, m->g, m->db, 0, err);
    if (!rc)
        rc = load_said(m, err);
    if (!rc)
        rc = sl_roles_load(&m->role, m->g, m->db, err);
    if (!rc)
        rc = load_handed(m, err);
    m->only_said = !rc && runs_are_said(m);
    if (!rc)
        rc = mark_inside(m, within, &inside, err);
    if (!rc && m->by_worker)
        rc = find_tasks(m, within, err);
    if (!rc)
        rc = put_all(m, inside, err);
    free(inside);
    return rc;
}

static void free_make(struct make *m)
{
    sl_events_free(&m->own_e);
    sl_graph_free(&m->own_g);
    sl_vec_free(&m->said);
    sl_vec_free(&m->handed);
    sl_vec_free(&m->todo);
    sl_vec_free(&m->runs);
    sl_vec_free(&m->steps);
    free(m->has_run);
    free(m->parents);
    free(m->seen);
    free(m->task);
    free(m->role);
    free(m->until);
    sl_vec_free(&m->stay);
}

int sl_utilisation_make(struct sl_utilisation *out, sqlite3 *db, const char *type, sqlite3_value *within,
                        struct sl_err *err)
{
    struct make m = {.db = db};
    int rc = make(&m, type, within, err);

    *out = (struct sl_utilisation){m.out.v, m.out.n};
    free_make(&m);
    if (rc)
        sl_utilisation_free(out);
    else
        sl_changes_sort(out->v, out->n);
    return rc;
}

void sl_utilisation_free(struct sl_utilisation *u)
{
    free(u->v);
    *u = (struct sl_utilisation){0};
}

int sl_worker_runs_make(struct sl_worker_runs *out, sqlite3 *db, const char *type, sqlite3_value *within,
                        struct sl_err *err)
{
    struct make m = {.db = db, .by_worker = true};
    int rc = make(&m, type, within, err);

    *out = (struct sl_worker_runs){m.list.v, m.list.n};
    free_make(&m);
    if (rc)
        sl_worker_runs_free(out);
    return rc;
}

void sl_worker_runs_free(struct sl_worker_runs *r)
{
    free(r->v);
    *r = (struct sl_worker_runs){0};
}
