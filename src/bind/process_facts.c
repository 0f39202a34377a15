/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of traced processes, and links of them. */
#include "bind/process_internal.h"
#include "bind_process_facts.sql.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const fact_name[FACTS] = {"hostname", "pid",           "ppid",        "parent_id",
                                             "span_id",  "instance_path", "start_ticks", "ancestors"};

/* Of its attribute env.VARIABLE, for all declarations that name it. */
static void load_variable(struct process_binding *s, uint32_t (*env)[SL_PROCESS_VARIABLES], const char *variable,
                          const char *value)
{
    for (size_t k = 0; k < s->set->processes.n; k++)
        for (size_t i = 0; i < s->set->processes.v[k].n; i++)
            if (!env[k][i] && !strcmp(variable, s->set->processes.v[k].variable[i]))
                env[k][i] = sl_intern(&s->texts, value, strlen(value));
}

static int load_facts(struct process_binding *s, struct process *p, sqlite3_stmt *q)
{
    size_t bytes = s->set->processes.n * sizeof *p->env;
    uint32_t(*env)[SL_PROCESS_VARIABLES] = memset(sl_arena_alloc(&s->arena, bytes), 0, bytes);
    int rc;

    p->env = env;
    sqlite3_reset(q);
    sqlite3_bind_int64(q, 1, p->id);
    while ((rc = sl_store_step(s->st, q, s->err)) > 0) {
        const char *name = sl_store_text(q, 0), *value = sl_store_text(q, 1);
        for (int f = 0; f < FACTS; f++)
            if (name && value && *value && !p->fact[f] && !strcmp(name, fact_name[f]))
                p->fact[f] = sl_intern(&s->texts, value, strlen(value));
        if (!strncmp(name, "env.", 4) && *value)
            load_variable(s, env, name + 4, value);
    }
    return rc;
}

const char *sl_process_fact(const struct process_binding *s, const struct process *p, enum fact f)
{
    return p->fact[f] ? sl_intern_text(&s->texts, p->fact[f]) : NULL;
}

/* Of a shell, the kernel says when it began; others say it themselves, exactly. */
static int load_window(struct process_binding *s, struct process *p, sqlite3_stmt *q)
{
    int rc;

    p->first = p->latest = p->start;
    if (!p->fact[TICKS])
        return 0;
    p->first = p->latest = sl_tick_after(p->start, SL_TICK_NS);
    sqlite3_reset(q);
    sqlite3_bind_int64(q, 1, p->id);
    if ((rc = sl_store_step(s->st, q, s->err)) > 0 && sqlite3_column_type(q, 0) != SQLITE_NULL) {
        p->first = sqlite3_column_int64(q, 0);
        if (p->start <= p->first && p->first < p->latest)
            p->latest = p->first;
    }
    return rc < 0 ? rc : 0;
}

int sl_processes_load(struct process_binding *s)
{
    sqlite3_stmt *q = sl_store_prepare(s->st, sql_load, s->err);
    sqlite3_stmt *facts =
        sl_store_prepare(s->st, "SELECT name, value FROM attributes WHERE span = ? ORDER BY source, place", s->err);
    sqlite3_stmt *first = sl_store_prepare(s->st, sql_load_2, s->err);
    int rc;

    s->link = sl_store_prepare(s->st, sql_insert_link, s->err);
    s->doubt = sl_store_prepare(s->st, sql_insert_doubt, s->err);
    rc = q && facts && first && s->link && s->doubt ? 0 : SL_ESTORE;

    while (!rc && (rc = sl_store_step(s->st, q, s->err)) > 0) {
        struct process *p = sl_vec_add(&s->v);
        const char *at = strrchr(sl_store_text(q, 1), '@');
        p->id = sqlite3_column_int64(q, 0);
        p->start = sqlite3_column_type(q, 2) != SQLITE_NULL ? sqlite3_column_int64(q, 2) : at ? atoll(at + 1) : 0;
        p->anew = sqlite3_column_int(q, 4);
        p->end = sqlite3_column_type(q, 3) != SQLITE_NULL ? sqlite3_column_int64(q, 3) : INT64_MAX;
        rc = load_facts(s, p, facts);
        if (!rc)
            rc = load_window(s, p, first);
    }
    sqlite3_finalize(q);
    sqlite3_finalize(facts);
    sqlite3_finalize(first);
    return rc;
}

void sl_processes_free(struct process_binding *s)
{
    sqlite3_finalize(s->link);
    sqlite3_finalize(s->doubt);
    sl_vec_free(&s->v);
    sl_intern_free(&s->texts);
    sl_arena_free(&s->arena);
}

bool sl_process_any(const struct process_binding *s, enum fact f)
{
    for (size_t i = 0; i < s->v.n; i++)
        if (s->v.v[i].fact[f])
            return true;
    return false;
}

/* ---- links ---- */

int sl_process_link(struct process_binding *s, enum sl_link_kind kind, int64_t left, int64_t right, int64_t rule,
                    double confidence)
{
    sqlite3_bind_int64(s->link, 1, left);
    sqlite3_bind_int(s->link, 2, kind);
    sqlite3_bind_int64(s->link, 3, right);
    sqlite3_bind_int64(s->link, 4, rule);
    sqlite3_bind_double(s->link, 5, confidence);
    return sl_store_write(s->st, s->link, s->err);
}

int sl_process_doubt(struct process_binding *s, enum sl_link_kind kind, int64_t left, int64_t right, int64_t rule)
{
    sqlite3_bind_int64(s->doubt, 1, left);
    sqlite3_bind_int(s->doubt, 2, kind);
    sqlite3_bind_int64(s->doubt, 3, right);
    sqlite3_bind_int64(s->doubt, 4, rule);
    return sl_store_write(s->st, s->doubt, s->err);
}

bool sl_process_is_bound(const struct process *p)
{
    return p->in_span || p->in_process;
}

static sqlite3_stmt *with_attribute(struct process_binding *s, const char *name, const char *value)
{
    char sql[700];

    snprintf(sql, sizeof sql, sql_process_with_attribute, name, value);
    return sl_store_prepare(s->st, sql, s->err);
}

sqlite3_stmt *sl_process_with_attribute(struct process_binding *s, const char *name)
{
    return with_attribute(s, name, "");
}

sqlite3_stmt *sl_process_called(struct process_binding *s, const char *name)
{
    return with_attribute(s, name, "AND a.value = ?1 ");
}

const char *const sl_process_calls_sql = sql_process_calls;
