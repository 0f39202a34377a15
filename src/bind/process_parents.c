/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traced processes and what started them.  A process knows some of this: the identity that its parent gave it
 * (TRACEPARENT), its parent's number, PerfFlowAspect's instance path, and in its environment the worker, the task or
 * the batch job that it belongs to.  Each rule has a name, under which it can be unbound; the first that knows goes
 * before the others.
 */
#include "base/buf.h"
#include "bind/process_internal.h"
#include "bind_process_parents.sql.h"

#include <stdlib.h>

enum { CANDIDATES = 64 }; /* for one process; more are no help */

static const char *const rule_name[RULES] = {"trace.parent", "trace.ppid", "trace.instance", "trace.flow"};

static void settle(struct process *p, int64_t span, int64_t process, enum rule rule, double confidence)
{
    p->in_span = span;
    p->in_process = process;
    p->rule = rule;
    p->confidence = confidence;
}

static bool alive_when_began(const struct process *p, const struct process *child)
{
    return p->start <= child->latest && p->end >= child->start;
}

/* ---- by identity: TRACEPARENT ---- */

struct named { /* by a text: what has it for its identity */
    int64_t span, process;
    bool call, asked;
};

static int find_named(struct process_binding *s, struct named *out, uint32_t text, sqlite3_stmt *q)
{
    int rc;

    out->asked = true;
    sqlite3_reset(q);
    sqlite3_bind_text(q, 1, sl_intern_text(&s->texts, text), -1, SQLITE_STATIC);
    while ((rc = sl_store_step(s->st, q, s->err)) > 0) {
        if (out->call) /* of both, the call says more */
            continue;
        out->span = sqlite3_column_int64(q, 0);
        out->process = sqlite3_column_int64(q, 3);
        out->call = !strcmp(sl_store_text(q, 2), "trace.call");
    }
    return rc;
}

static int by_parent(struct process_binding *s)
{
    SL_VEC(struct named) of = {0};
    sqlite3_stmt *q;
    int rc = 0;

    if (!s->rule[BY_PARENT] || !sl_process_any(s, PARENT_ID))
        return 0;
    if (!(q = sl_process_called(s, "span_id")))
        return SL_ESTORE;
    for (size_t i = 0; i < s->v.n && !rc; i++) {
        struct process *p = &s->v.v[i];
        uint32_t id = p->fact[PARENT_ID];
        while (of.n <= id)
            sl_vec_add(&of);
        if (id && !of.v[id].asked)
            rc = find_named(s, &of.v[id], id, q);
        if (of.v[id].span && of.v[id].process != p->id)
            settle(p, of.v[id].call ? of.v[id].span : 0, of.v[id].process, BY_PARENT, 1);
    }
    sqlite3_finalize(q);
    sl_vec_free(&of);
    return rc;
}

/* ---- by number: the parent on the same machine, alive at that time ---- */

static const struct process *by_id(const struct process_binding *s, int64_t id)
{
    for (size_t i = 0; i < s->v.n; i++)
        if (s->v.v[i].id == id)
            return &s->v.v[i];
    return NULL;
}

/* A fork says which call it was in. */
static int by_fork(struct process_binding *s)
{
    sqlite3_stmt *q;
    int rc = 0;

    if (!sl_store_int(s->st, "SELECT EXISTS (SELECT 1 FROM sl_shape WHERE name = 'child_pid')", 0))
        return 0;
    if (!(q = sl_process_called(s, "child_pid")))
        return SL_ESTORE;
    for (size_t i = 0; i < s->v.n && !rc; i++) {
        struct process *p = &s->v.v[i];
        if (!p->fact[PID])
            continue;
        sqlite3_reset(q);
        sqlite3_bind_text(q, 1, sl_process_fact(s, p, PID), -1, SQLITE_STATIC);
        while ((rc = sl_store_step(s->st, q, s->err)) > 0) {
            int64_t in = sqlite3_column_int64(q, 3);
            const struct process *parent = by_id(s, in);
            if (parent && p->fact[HOST] == parent->fact[HOST] && p->fact[PPID] == parent->fact[PID] && p != parent &&
                alive_when_began(parent, p) && !p->in_span)
                settle(p, !strcmp(sl_store_text(q, 2), "trace.call") ? sqlite3_column_int64(q, 0) : 0, in, BY_PID, 0.9);
        }
    }
    sqlite3_finalize(q);
    return rc;
}

/* Processes by one of their facts, their host and when they began. */
struct index {
    enum fact fact;
    struct process **v;
    size_t n;
};

static int order(const struct process *a, const struct process *b, enum fact f)
{
    if (a->fact[f] != b->fact[f])
        return a->fact[f] < b->fact[f] ? -1 : 1;
    if (f == PID && a->fact[HOST] != b->fact[HOST])
        return a->fact[HOST] < b->fact[HOST] ? -1 : 1;
    return a->start < b->start ? -1 : a->start > b->start;
}

static int by_pid_order(const void *a, const void *b)
{
    return order(*(struct process *const *)a, *(struct process *const *)b, PID);
}

static int by_path_order(const void *a, const void *b)
{
    return order(*(struct process *const *)a, *(struct process *const *)b, PATH);
}

static struct index index_of(struct process_binding *s, enum fact f)
{
    struct index x = {f, sl_alloc((s->v.n + 1) * sizeof *x.v), s->v.n};

    for (size_t i = 0; i < x.n; i++)
        x.v[i] = &s->v.v[i];
    qsort(x.v, x.n, sizeof *x.v, f == PID ? by_pid_order : by_path_order);
    return x;
}

/* How many stand before or at the place of `like`: the last of them is the latest that began not after it. */
static size_t up_to(const struct index *x, const struct process *like)
{
    size_t low = 0, high = x->n;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (order(x->v[middle], like, x->fact) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int by_pid(struct process_binding *s)
{
    struct index x;
    int rc;

    if (!s->rule[BY_PID])
        return 0;
    if ((rc = by_fork(s)))
        return rc;
    x = index_of(s, PID);
    for (size_t i = 0; i < s->v.n; i++) {
        struct process *p = &s->v.v[i], like = *p, *o;
        like.fact[PID] = p->fact[PPID];
        like.start = p->latest;
        if (sl_process_is_bound(p) || !p->fact[HOST] || !p->fact[PPID])
            continue;
        for (size_t k = up_to(&x, &like); k-- > 0;) { /* numbers come again: the latest is alive */
            o = x.v[k];
            if (o->fact[PID] != p->fact[PPID] || o->fact[HOST] != p->fact[HOST])
                break;
            if (o != p && alive_when_began(o, p)) {
                settle(p, 0, o->id, BY_PID, 0.9);
                break;
            }
        }
    }
    free(x.v);
    return 0;
}

/* ---- by PERFFLOW_INSTANCE_PATH: a.b.c lies in a.b ---- */

/* Processes that may have the path above that of p, the latest first; false: so many that it says nothing. */
static bool may_be_above(const struct index *x, const struct process *p, uint32_t above, struct process **v, size_t *n)
{
    struct process like = *p;

    like.fact[PATH] = above;
    *n = 0;
    for (size_t k = up_to(x, &like); k-- > 0 && x->v[k]->fact[PATH] == above;)
        if (x->v[k] != p) {
            if (*n == CANDIDATES)
                return false;
            v[(*n)++] = x->v[k];
        }
    return true;
}

static int by_path(struct process_binding *s)
{
    struct process *v[CANDIDATES];
    struct index x;
    int rc = 0;

    if (!s->rule[BY_PATH])
        return 0;
    x = index_of(s, PATH);
    for (size_t i = 0; i < s->v.n && !rc; i++) {
        struct process *p = &s->v.v[i], *only = NULL;
        const char *path = sl_process_fact(s, p, PATH), *dot = path ? strrchr(path, '.') : NULL;
        uint32_t above = dot ? sl_intern_find(&s->texts, path, (size_t)(dot - path)) : 0;
        size_t fit, alive = 0;
        if (!above || !p->anew || sl_process_is_bound(p) || !may_be_above(&x, p, above, v, &fit))
            continue;
        for (size_t k = 0; k < fit; k++) {
            alive += alive_when_began(v[k], p);
            if (!only || alive_when_began(v[k], p))
                only = v[k];
        }
        if (fit == 1 || alive == 1)
            settle(p, 0, only->id, BY_PATH, 0.8);
        for (size_t k = 0; k < fit && fit > 1 && alive != 1 && !rc; k++)
            if (!alive || alive_when_began(v[k], p))
                rc = sl_process_doubt(s, SL_IN, v[k]->id, p->id, s->rule[BY_PATH]);
    }
    free(x.v);
    return rc;
}

/* ---- from a process to its call ---- */

struct lane { /* a thread */
    int64_t thread;
    SL_VEC(struct { int64_t call, begin, end; }) open;
};

struct lanes {
    SL_VEC(struct lane) v;
};

static struct lane *lane_of(struct lanes *l, int64_t thread)
{
    for (size_t i = 0; i < l->v.n; i++)
        if (l->v.v[i].thread == thread)
            return &l->v.v[i];
    *sl_vec_add(&l->v) = (struct lane){.thread = thread};
    return &l->v.v[l->v.n - 1];
}

static void close_until(struct lane *l, int64_t t)
{
    while (l->open.n && l->open.v[l->open.n - 1].end < t)
        l->open.n--;
}

/* The innermost call that is open from..to, where only one thread has one. */
static int64_t only_open(struct lanes *l, int64_t from, int64_t to)
{
    const struct lane *only = NULL;

    for (size_t i = 0; i < l->v.n; i++) {
        struct lane *x = &l->v.v[i];
        close_until(x, to);
        if (!x->open.n)
            continue;
        if (only)
            return 0;
        only = x;
    }
    for (size_t k = only ? only->open.n : 0; k-- > 0;)
        if (only->open.v[k].begin <= from)
            return only->open.v[k].call;
    return 0;
}

/* When what it lies in started it; or, if that was a worker, what it is a descendant of. */
static int64_t began_from(const struct process *p)
{
    return p->before ? p->forked : p->start;
}

static int64_t began_to(const struct process *p)
{
    return p->before ? p->before : p->latest;
}

static int by_container(const void *x, const void *y)
{
    const struct process *a = *(struct process *const *)x, *b = *(struct process *const *)y;

    if (a->in_process != b->in_process)
        return a->in_process < b->in_process ? -1 : 1;
    return began_to(a) < began_to(b) ? -1 : began_to(a) > began_to(b);
}

/* v[0..n) lie in one process, by when they began at the latest: its calls are gone through once. */
static int find_calls(struct process_binding *s, struct process **v, size_t n, sqlite3_stmt *q)
{
    struct lanes l = {0};
    size_t at = 0;
    int rc;

    sqlite3_reset(q);
    sqlite3_bind_int64(q, 1, v[0]->in_process);
    while ((rc = sl_store_step(s->st, q, s->err)) > 0) {
        int64_t begin = sqlite3_column_int64(q, 2);
        struct lane *x;
        for (; at < n && began_to(v[at]) < begin; at++)
            v[at]->in_span = only_open(&l, began_from(v[at]), began_to(v[at]));
        if (at == n)
            break;
        x = lane_of(&l, sqlite3_column_int64(q, 1));
        close_until(x, begin);
        *sl_vec_add(&x->open) =
            (typeof(*x->open.v)){sqlite3_column_int64(q, 0), begin,
                                 sqlite3_column_type(q, 3) == SQLITE_NULL ? INT64_MAX : sqlite3_column_int64(q, 3)};
    }
    for (; at < n && rc >= 0; at++)
        v[at]->in_span = only_open(&l, began_from(v[at]), began_to(v[at]));
    for (size_t i = 0; i < l.v.n; i++)
        sl_vec_free(&l.v.v[i].open);
    sl_vec_free(&l.v);
    return rc < 0 ? rc : 0;
}

static int link_processes(struct process_binding *s)
{
    struct process **v = sl_alloc((s->v.n + 1) * sizeof *v);
    sqlite3_stmt *q = sl_store_prepare(s->st, sl_process_calls_sql, s->err);
    size_t n = 0;
    int rc = q ? 0 : SL_ESTORE;

    for (size_t i = 0; i < s->v.n; i++)
        if (s->v.v[i].anew && s->v.v[i].in_process && !s->v.v[i].in_span && s->v.v[i].rule != BY_PATH)
            v[n++] = &s->v.v[i];
    qsort(v, n, sizeof *v, by_container);
    for (size_t from = 0, to; from < n && !rc; from = to) {
        for (to = from + 1; to < n && v[to]->in_process == v[from]->in_process; to++)
            ;
        rc = find_calls(s, v + from, to - from, q);
    }
    for (size_t i = 0; i < s->v.n && !rc; i++) {
        const struct process *p = &s->v.v[i];
        if (p->anew &&
            sl_process_is_bound(p)) /* which call it was is inferred, even where which process it was is known */
            rc = sl_process_link(s, SL_IN, p->in_span ? p->in_span : p->in_process, p->id, s->rule[p->rule],
                                 p->confidence);
    }
    sqlite3_finalize(q);
    free(v);
    return rc;
}

/* ---- all of it ---- */

static int name_rule(struct process_binding *s, const char *name, int64_t *id)
{
    return sl_binding_unbound(s->st, name) ? 0 : sl_binding_name(s->st, name, id, s->err);
}

static int name_rules(struct process_binding *s)
{
    int rc = 0;

    s->declared = sl_alloc((s->set->processes.n + 1) * sizeof *s->declared);
    for (int i = 0; i < BY_FLOW && !rc; i++)
        rc = name_rule(s, rule_name[i], &s->rule[i]);
    for (size_t k = 0; k < s->set->processes.n && !rc; k++)
        rc = name_rule(s, s->set->processes.v[k].bind, &s->declared[k]);
    return rc ? rc : name_rule(s, rule_name[BY_FLOW], &s->rule[BY_FLOW]);
}

/* ---- which of them ---- */

/*
 * A process is bound by what it says itself and by what answers to that: what has its parent_id for span_id, its ppid
 * for pid, or the path above its own; and by logs, of what its environment names.  So those that are touched are bound
 * anew, and those that they answer; what else they lie in, or doubt, does not change.  Those that answer these are
 * looked at, and no others: to two that ask for the same it does not matter.
 *
 * What had answered, and was taken back, is not known any more; nor whom a log answers: then all are bound anew.
 */
static bool choose_all(const struct process_binding *s, const struct sl_bind_scope *scope)
{
    bool all = scope->all || (scope->retracted && sl_store_int(s->st, sql_any_touched, 1));

    for (size_t k = 0; k < s->set->processes.n && !all && sl_store_int(s->st, sql_any_other_touched, 1); k++)
        for (size_t i = 0; i < s->set->processes.v[k].n && !all; i++) {
            char *sql = sqlite3_mprintf(sql_any_variable, s->set->processes.v[k].variable[i]);
            all = sl_store_int(s->st, sql, 1) != 0;
            sqlite3_free(sql);
        }
    return all;
}

/* Rules whose links lead to processes, with commas between. */
static void add_rules(struct sl_buf *b, const struct process_binding *s)
{
    sl_buf_addf(b, "%lld, %lld, %lld", (long long)s->rule[BY_PARENT], (long long)s->rule[BY_PID],
                (long long)s->rule[BY_PATH]);
    for (size_t k = 0; k < s->set->processes.n; k++)
        sl_buf_addf(b, ", %lld", (long long)s->declared[k]);
}

/* What was linked before. */
static int take_away(struct process_binding *s, bool all)
{
    struct sl_buf rules = {0};
    char *sql;
    int rc;

    add_rules(&rules, s);
    sql = all ? sqlite3_mprintf(sql_clear_all, rules.s, rules.s) : sqlite3_mprintf(sql_clear_touched, rules.s, rules.s);
    rc = sl_store_exec(s->st, sql, s->err);
    sqlite3_free(sql);
    if (!rc) {
        sql = sqlite3_mprintf(sql_clear_flows, (long long)s->rule[BY_FLOW], (long long)s->rule[BY_FLOW]);
        rc = sl_store_exec(s->st, sql, s->err);
        sqlite3_free(sql);
    }
    sl_buf_free(&rules);
    return rc;
}

static int choose(struct process_binding *s, const struct sl_bind_scope *scope)
{
    bool all = choose_all(s, scope);
    int rc = sl_store_exec(s->st, sql_begin, s->err);

    if (!rc)
        rc = sl_store_exec(s->st, all ? sql_choose_all : sql_choose_touched, s->err);
    if (!rc && !scope->all && sl_store_int(s->st, "SELECT EXISTS (SELECT 1 FROM temp.sl_asker)", 0))
        rc = take_away(s, all);
    return rc;
}

int sl_bind_processes(struct sl_store *st, const struct sl_recipes *set, const struct sl_bind_scope *scope,
                      struct sl_err *err)
{
    struct process_binding s = {.st = st, .set = set, .err = err};
    int rc;

    if (!sl_store_int(st, sql_bind_processes, 0))
        return 0;
    rc = name_rules(&s);
    if (!rc)
        rc = choose(&s, scope);
    if (!rc)
        rc = sl_processes_load(&s);
    if (!rc && s.v.n) {
        rc = by_parent(&s);
        if (!rc)
            rc = by_pid(&s);
        if (!rc)
            rc = by_path(&s);
        if (!rc)
            rc = sl_workers_find(&s);
        if (!rc)
            rc = link_processes(&s);
        if (!rc)
            rc = sl_workers_bind(&s);
        if (!rc)
            rc = sl_bind_environment(&s);
        if (!rc)
            rc = sl_bind_flows(&s);
    }
    sl_processes_free(&s);
    free(s.declared);
    return rc;
}
