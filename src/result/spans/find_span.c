/* SPDX-License-Identifier: Apache-2.0 */
#include "result/spans/find_span.h"
#include "analyse/load/near_names.h"
#include "analyse/load/root_events.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/set.h"
#include "result/spans/run_names.h"
#include "result/spans/span_names.h"
#include "spans_find_span.sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct candidate {
    int64_t id;
    bool exact; /* its type is the one asked for, not only its end */
};

struct candidates {
    struct candidate *v;
    size_t n, cap;
};

/* Statements that are asked of many spans. */
struct finder {
    struct sl_store *st;
    sqlite3_stmt *root_of, *are_facets;
    struct sl_set roots; /* where a run was named */
    struct sl_set runs;  /* those that answer to its name */
};

/* Of a span that has no root: the span itself. */
static int64_t root_of(struct finder *f, int64_t span)
{
    int64_t root = span;

    sqlite3_bind_int64(f->root_of, 1, span);
    if (sqlite3_step(f->root_of) == SQLITE_ROW)
        root = sqlite3_column_int64(f->root_of, 0);
    sqlite3_reset(f->root_of);
    return root;
}

static bool are_facets(struct finder *f, int64_t a, int64_t b)
{
    bool yes;

    sqlite3_bind_int64(f->are_facets, 1, a);
    sqlite3_bind_int64(f->are_facets, 2, b);
    yes = sqlite3_step(f->are_facets) == SQLITE_ROW;
    sqlite3_reset(f->are_facets);
    return yes;
}

/*
 * Most spans that are asked for lie right in a run: where that is another, nothing is read of them but the index that
 * has their keys.
 */
static bool in_run(struct finder *f, int64_t span, int64_t parent)
{
    int64_t root = parent ? parent : span;

    if (!sl_set_has(&f->roots, (uint64_t)root))
        root = root_of(f, span);
    return sl_set_has(&f->runs, (uint64_t)root);
}

static int add_root(void *to, sqlite3_stmt *row, struct sl_err *err)
{
    struct finder *f = to;
    uint64_t id = (uint64_t)sqlite3_column_int64(row, 0);

    (void)err;
    sl_set_add(&f->roots, id);
    if (sqlite3_column_int(row, 1))
        sl_set_add(&f->runs, id);
    return 0;
}

/* Returns what it fills err with; named: the names of how many begin so. */
static int no_run(const struct sl_run_names *names, const char *run, size_t named, const struct sl_store *st,
                  struct sl_err *err)
{
    enum { LISTED = 12 };
    SL_VEC(const char *) all = {0};
    struct sl_buf b = {0};
    size_t n = 0;

    for (size_t i = 0; i < names->v.n; i++) {
        const char *name = names->v.v[i].name;
        *sl_vec_add(&all) = name;
        if (named && !strncmp(name, run, strlen(run)) && n++ < LISTED)
            sl_buf_addf(&b, "\n  %.100s", name);
    }
    if (n > LISTED)
        sl_buf_addf(&b, "\n  and %zu more; all: spanloom runs -d %s", n - LISTED, st->path);
    if (named)
        sl_err(err, SL_ENOTFOUND, "the names of %zu runs begin with %s; say more of it:%s", named, run, b.s);
    else {
        sl_near_add(&b, all.v, all.n, run);
        sl_err(err, SL_ENOTFOUND, "no run is called %s%s see them with: spanloom runs -d %s", *run ? run : "''",
               b.n ? b.s : ";", st->path);
    }
    sl_buf_free(&b);
    sl_vec_free(&all);
    return SL_ENOTFOUND;
}

/* run: NULL, or whose roots are to be known.  On success and on failure *f is to be freed. */
static int finder_open(struct finder *f, struct sl_store *st, const char *run, struct sl_err *err)
{
    struct sl_run_names names = {0};
    int64_t workflow;
    size_t named;
    bool exactly;
    int rc;

    *f = (struct finder){.st = st};
    f->root_of = sl_store_prepare(st, sql_root_of, err);
    f->are_facets = f->root_of ? sl_store_prepare(st, sql_are_facets, err) : NULL;
    if (!f->are_facets)
        return SL_ESTORE;
    if (!run || (rc = sl_store_each(st, sql_run_roots, add_root, f, err, "t", run)) || f->runs.v.n)
        return run ? rc : 0;
    rc = sl_run_names_load(&names, st, err); /* which needs a look at all runs */
    named = rc ? 0 : sl_run_names_find(&names, run, &workflow, &exactly);
    if (!rc)
        rc = named == 1 ? sl_store_each(st, sql_roots_of, add_root, f, err, "i", workflow)
                        : no_run(&names, run, named, st, err);
    sl_run_names_free(&names);
    return rc;
}

static void finder_free(struct finder *f)
{
    sqlite3_finalize(f->root_of);
    sqlite3_finalize(f->are_facets);
    sl_set_free(&f->roots);
    sl_set_free(&f->runs);
}

/* "  (runinfo/001)" for spans whose run directory is known; buf holds 300 bytes. */
static const char *run_directory(struct finder *f, int64_t span, char *buf)
{
    sqlite3_stmt *q = sl_store_prepare(
        f->st, "SELECT h.scope FROM sl_span s JOIN sl_shared h ON h.value = s.key WHERE s.id = ?", NULL);

    *buf = 0;
    if (q) {
        sqlite3_bind_int64(q, 1, root_of(f, span));
        if (sqlite3_step(q) == SQLITE_ROW)
            snprintf(buf, 300, "  (%s)", sl_store_text(q, 0));
    }
    sqlite3_finalize(q);
    return buf;
}

/* all: how all of them are seen. */
static int several(struct finder *f, const struct candidate *v, size_t total, const char *hint, const char *all,
                   struct sl_err *err)
{
    enum { LISTED = 12 };
    struct sl_buf b = {0};
    char name[600], directory[300];
    size_t i = 0;
    int rc;

    sl_buf_addf(&b, "%zu spans answer to that; name one by %s:", total, hint);
    for (; i < LISTED && i < total && b.n < sizeof err->text - 400; i++)
        sl_buf_addf(&b, "\n  span %-8lld %.120s%.100s", (long long)v[i].id,
                    sl_span_name(f->st, v[i].id, name, sizeof name), run_directory(f, v[i].id, directory));
    if (total > i)
        sl_buf_addf(&b, "\n  and %zu more; all: spanloom %s", total - i, all);
    rc = sl_err(err, SL_ENOTFOUND, "%s", b.s);
    sl_buf_free(&b);
    return rc;
}

/* A statement about spans of a type, which has a place for the types of tasks, or of jobs, and for what else there is.
 */
static sqlite3_stmt *prepare(struct sl_store *st, const char *type, bool jobs, const char *statement, const char *more,
                             struct sl_err *err)
{
    struct sl_buf tasks = {0};
    char *sql, *task;
    sqlite3_stmt *q;

    if (jobs)
        sl_buf_addf(&tasks, "SELECT type FROM sl_role WHERE role = 'job'");
    for (int i = 0; !jobs && !strcmp(type, "task") && (task = sl_task_type(st->db, i)); i++) {
        sql = sqlite3_mprintf("%s%Q", i ? ", " : "", task);
        sl_buf_addf(&tasks, "%s", sql);
        sqlite3_free(sql);
        free(task);
    }
    sql = sqlite3_mprintf(statement, tasks.n ? tasks.s : "NULL", more);
    q = sl_store_prepare(st, sql, err);
    sqlite3_free(sql);
    sl_buf_free(&tasks);
    return q;
}

/*
 * Spans of the type with this key; or with a key that begins like this, or that of a process with this number; or of an
 * array of jobs the element that is called so: 101_3.  A number is not the beginning of another.  A "task" is a task,
 * not what comes of one.
 */
enum by { BY_KEY, BY_ARRAY, BY_BEGINNING };
static int find_all(struct finder *f, struct candidates *v, const char *type, const char *key, const char *run,
                    enum by by, struct sl_err *err)
{
    static const char
        exact[] = "s.key = ?2",
        part[] = "s.key = substr(?2, instr(?2, '_') + 1) AND (SELECT p.key FROM sl_span p WHERE p.id = s.parent) "
                 "= substr(?2, 1, instr(?2, '_') - 1)",
        like[] = "length(?2) > 0 AND ((substr(s.key, 1, length(?2)) = ?2 AND NOT (?2 GLOB '*[0-9]' AND "
                 "substr(s.key, length(?2) + 1) GLOB '[0-9]*')) OR (s.type = (SELECT id FROM sl_name "
                 "WHERE name = 'trace.process') AND instr(s.key, ':' || ?2 || '@') > 0))";
    sqlite3_stmt *q = prepare(f->st, type, by == BY_ARRAY, sql_find_all,
                              by == BY_ARRAY       ? part
                              : by == BY_BEGINNING ? like
                                                   : exact,
                              err);
    int rc;

    if (!q)
        return SL_ESTORE;
    sqlite3_bind_text(q, 1, type, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 2, key, -1, SQLITE_STATIC);
    while ((rc = sl_store_step(f->st, q, err)) > 0 && v->n < 100000) {
        struct candidate c = {.id = sqlite3_column_int64(q, 0)};
        bool facet = false;
        c.exact = !strcmp(sl_store_text(q, 1), type);
        if (run && !in_run(f, c.id, sqlite3_column_int64(q, 2)))
            continue;
        if (v->n && v->v[0].exact && !c.exact)
            continue;
        for (size_t i = 0; i < v->n && v->n < 50; i++)
            facet |= are_facets(f, v->v[i].id, c.id);
        if (!facet)
            *sl_vec_add(v) = c;
    }
    sqlite3_finalize(q);
    return rc > 0 ? 0 : rc;
}

/* "; there is process node1:10@..., ...": keys that hold what was asked for. */
static void resembling(struct sl_store *st, const char *type, const char *key, struct sl_buf *b)
{
    sqlite3_stmt *q = sl_store_prepare(st, sql_resembling, NULL);

    if (!q)
        return;
    sqlite3_bind_text(q, 1, type, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 2, key, -1, SQLITE_STATIC);
    while (sl_store_step(st, q, NULL) > 0)
        sl_buf_addf(b, "%s%.100s", b->n ? ", " : "; there is ", sl_store_text(q, 0));
    sqlite3_finalize(q);
}

/* "; there are 0 to 200", where keys are numbers; or types that may be meant, where there is none such. */
static void others(struct finder *f, const char *type, const char *run, struct sl_buf *b)
{
    sqlite3_stmt *q = prepare(f->st, type, false, sql_numbered, "", NULL);
    long long n = 0, spans = 0, least = 0, most = 0, last = -1;

    if (!q)
        return;
    sqlite3_bind_text(q, 1, type, -1, SQLITE_STATIC);
    for (; sl_store_step(f->st, q, NULL) > 0; spans++) {
        long long k = sqlite3_column_type(q, 2) == SQLITE_NULL ? -1 : sqlite3_column_int64(q, 2);
        if (k < 0 || k == last || (run && !in_run(f, sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1))))
            continue;
        least = n++ ? least : k;
        last = most = k;
    }
    if (!spans)
        sl_find_near_types(f->st, type, b);
    else if (n && n == most - least + 1)
        sl_buf_addf(b, n > 1 ? "; there are %lld to %lld" : "; there is %lld", least, most);
    else if (n)
        sl_buf_addf(b, "; there are %lld, from %lld to %lld", n, least, most);
    sqlite3_finalize(q);
}

/* "'parsl.monitoring.task', 'workqueue.task'": which types these have. */
static void types_of(struct sl_store *st, const struct candidates *v, struct sl_buf *b)
{
    sqlite3_stmt *q = sl_store_prepare(st, sql_type_of, NULL);
    SL_VEC(char *) types = {0};

    for (size_t i = 0, k; q && i < v->n; i++) {
        sqlite3_bind_int64(q, 1, v->v[i].id);
        if (sl_store_step(st, q, NULL) > 0) {
            for (k = 0; k < types.n && strcmp(types.v[k], sl_store_text(q, 0)) != 0;)
                k++;
            if (k == types.n) {
                sl_buf_addf(b, "%s'%s'", k ? ", " : "", sl_store_text(q, 0));
                *sl_vec_add(&types) = sl_strdup(sl_store_text(q, 0));
            }
        }
        sqlite3_reset(q);
    }
    for (size_t k = 0; k < types.n; k++)
        free(types.v[k]);
    sl_vec_free(&types);
    sqlite3_finalize(q);
}

void sl_find_near_types(struct sl_store *st, const char *given, struct sl_buf *b)
{
    sl_query_near(b, st->db, sql_types, given);
}

int sl_find_span(struct sl_store *st, int argc, char **argv, const char *run, int64_t *id, struct sl_err *err)
{
    struct candidates v = {0};
    struct finder f;
    struct sl_buf near = {0};
    bool close; /* not by the whole of its key */
    const char *type = argc > 0 ? argv[0] : "", *key = argc > 1 ? argv[1] : "";
    size_t one = 0, zeros = strspn(key, "0");
    sqlite3_stmt *q;
    char *end;
    int rc = 0;

    if (argc != 2)
        return sl_err(err, SL_EUSAGE, "which span? a type and a key, such as: task 42; or: span 1234");
    if (!strcmp(type, "span")) {
        *id = strtoll(key, &end, 10);
        if (*end)
            *id = 0;
        q = sl_store_prepare(st, "SELECT 1 FROM sl_span WHERE id = ?", err);
        if (!q)
            return SL_ESTORE;
        sqlite3_bind_int64(q, 1, *id);
        rc =
            sqlite3_step(q) == SQLITE_ROW
                ? 0
                : sl_err(err, SL_ENOTFOUND, "there is no span %s; ids are in: spanloom sql 'select * from spans'", key);
        sqlite3_finalize(q);
        return rc;
    }
    if (zeros && key[zeros] && strspn(key, "0123456789") == strlen(key))
        key += zeros; /* 042 is 42, as on import */
    rc = finder_open(&f, st, run, err);
    if (!rc)
        rc = find_all(&f, &v, type, key, run, BY_KEY, err);
    if (!rc && !v.n && strchr(key, '_') && (!strcmp(type, "task") || !strcmp(type, "job")))
        rc = find_all(&f, &v, type, key, run, BY_ARRAY, err);
    close = !v.n;
    if (!rc && close)
        rc = find_all(&f, &v, type, key, run, BY_BEGINNING, err);
    one = v.n;
    if (!rc && !one) {
        resembling(st, type, key, &near);
        if (!near.n)
            others(&f, type, run, &near);
        rc = sl_err(err, SL_ENOTFOUND, "no span is called %s %s%s%s%s%s see what there is with: spanloom %s -d %s",
                    type, key, run ? " in run " : "", run ? run : "", near.n ? near.s : "",
                    near.n && near.s[near.n - 1] == '?' ? "" : ";", run ? "runs" : "types", st->path);
    } else if (!rc && one > 1) {
        struct sl_buf all = {0};
        sl_buf_addf(&all, "sql -d %.100s \"select id, type, key from spans where type in (", st->path);
        types_of(st, &v, &all);
        sl_buf_addf(&all, ") and key %s '%.80s%s'\"", close ? "like" : "=", key, close ? "%" : "");
        rc = several(&f, v.v, v.n, close ? "its id, or more of its key" : "its id, or its run with --run", all.s, err);
        sl_buf_free(&all);
    } else if (!rc) {
        *id = v.v[0].id;
    }
    sl_buf_free(&near);
    sl_vec_free(&v);
    finder_free(&f);
    return rc;
}

int sl_find_run(struct sl_store *st, const char *run, int64_t *span, struct sl_err *err)
{
    SL_VEC(struct candidate) v = {0};
    struct sl_run_names names = {0};
    struct finder f;
    sqlite3_stmt *q;
    bool flow = false, exactly = false;
    int64_t by_name = 0;
    size_t named = 0;
    int rc;

    *span = 0;
    if (!run)
        return 0;
    if (finder_open(&f, st, NULL, err) || !(q = sl_store_prepare(st, sql_runs, err))) {
        finder_free(&f);
        return SL_ESTORE;
    }
    sqlite3_bind_text(q, 1, run, -1, SQLITE_STATIC);
    while ((rc = sl_store_step(st, q, err)) > 0 && v.n < 1000) {
        struct candidate c = {.id = sqlite3_column_int64(q, 0)};
        bool facet = false;
        flow |= sqlite3_column_int(q, 1) != 0;
        for (size_t i = 0; i < v.n && i < 50; i++)
            facet |= are_facets(&f, v.v[i].id, c.id);
        if (!facet && (!flow || sqlite3_column_int(q, 1)))
            *sl_vec_add(&v) = c;
    }
    sqlite3_finalize(q);
    rc = rc > 0 ? 0 : rc;
    if (!rc && (v.n != 1 || !flow)) { /* names need a look at all runs; a key that is no workflow's may be one's name */
        rc = sl_run_names_load(&names, st, err);
        named = sl_run_names_find(&names, run, &by_name, &exactly);
    }
    if (!rc && named == 1 && (exactly || !v.n))
        *span = by_name;
    else if (!rc && !v.n)
        rc = no_run(&names, run, named, st, err);
    else if (!rc && v.n > 1)
        rc = several(&f, v.v, v.n, "more of its run id, or its name", "runs", err);
    else if (!rc)
        *span = v.v[0].id;
    sl_run_names_free(&names);
    sl_vec_free(&v);
    finder_free(&f);
    return rc;
}
