/* SPDX-License-Identifier: Apache-2.0 */
#include "experiment/logs.h"
#include "analyse/ext.h"
#include "analyse/load/fast_rows.h"
#include "analyse/tasks/workflows.h"
#include "base/buf.h"
#include "experiment/questions.h"
#include "experiment_logs.sql.h"

#include <limits.h>
#include <stdlib.h>

struct root {
    const char *path, *key;
    int64_t span;
};

struct find {
    struct sl_logs *l;
    const struct sl_runs *r;
    sqlite3 *db;
    SL_VEC(struct root) root;   /* by path */
    SL_VEC(struct root) by_key; /* the same by key */
    sl_workflow_views views;    /* by span */
    SL_VEC(int64_t) found;      /* of the run at hand: roots, then workflows */
};

/* ---- paths ---- */

/* Without `.`, `..` and doubled slashes, in place; it begins with a slash. */
static void tidy(char *path)
{
    char *to = path;

    for (const char *s = path; *s;) {
        size_t n = strcspn(s, "/");
        if (n == 2 && !strncmp(s, "..", 2)) {
            while (to > path && *--to != '/')
                ;
        } else if (n && !(n == 1 && *s == '.')) {
            *to++ = '/';
            memmove(to, s, n);
            to += n;
        }
        s += n + (s[n] == '/');
    }
    if (to == path)
        *to++ = '/';
    *to = 0;
}

/* Where `named` in the file `from` points to: symbolic links are followed as far as there are any, as an import does.
 */
static const char *place_of(struct sl_arena *a, const char *named, const char *from)
{
    const char *slash = strrchr(from, '/');
    struct sl_buf b = {0};
    const char *out;
    char *real;

    if (*named != '/')
        sl_buf_add(&b, from, slash ? (size_t)(slash - from) + 1 : 0);
    sl_buf_addf(&b, "%s%s", *named != '/' && !slash ? "/" : "", named);
    if ((real = realpath(b.s, NULL))) {
        out = sl_arena_copy(a, real, strlen(real));
        free(real);
    } else {
        tidy(b.s);
        out = sl_arena_copy(a, b.s, strlen(b.s));
    }
    sl_buf_free(&b);
    return out;
}

/* ---- what there is ---- */

static int by_key(const void *a, const void *b)
{
    const struct root *x = a, *y = b;
    int order = strcmp(x->key, y->key);
    return order ? order : x->span < y->span ? -1 : x->span > y->span;
}

static int by_span(const void *a, const void *b)
{
    const struct sl_workflow_view *x = a, *y = b;
    return x->span < y->span ? -1 : x->span > y->span;
}

static const char *copy(struct find *f, sqlite3_stmt *q, int column)
{
    const char *s = (const char *)sqlite3_column_text(q, column);
    return sl_arena_copy(&f->l->arena, s ? s : "", s ? strlen(s) : 0);
}

static int load_roots(struct find *f, struct sl_err *err)
{
    sqlite3_stmt *q;
    int rc;

    if (sqlite3_prepare_v2(f->db, sql_roots, -1, &q, NULL) != SQLITE_OK)
        return sl_query_err(f->db, err);
    while (sqlite3_step(q) == SQLITE_ROW) {
        struct root *last = f->root.n ? &f->root.v[f->root.n - 1] : NULL;
        struct root root = {copy(f, q, 0), copy(f, q, 2), sqlite3_column_int64(q, 1)};
        if (last && last->span == root.span && !strcmp(last->path, root.path)) /* tables of a database */
            continue;
        *sl_vec_add(&f->root) = root;
        *sl_vec_add(&f->by_key) = root;
    }
    if (sqlite3_finalize(q) != SQLITE_OK)
        return sl_query_err(f->db, err);
    if (f->by_key.n)
        qsort(f->by_key.v, f->by_key.n, sizeof *f->by_key.v, by_key);
    rc = sl_workflow_views_load(&f->views, f->db, err);
    if (f->views.n)
        qsort(f->views.v, f->views.n, sizeof *f->views.v, by_span);
    return rc;
}

static int64_t workflow_of(const struct find *f, int64_t span)
{
    const struct sl_workflow_view key = {0, span},
                                  *v = f->views.n ? bsearch(&key, f->views.v, f->views.n, sizeof key, by_span) : NULL;
    return v ? v->workflow : 0;
}

/* ---- the roots of a run ---- */

static void add(struct find *f, int64_t id)
{
    for (size_t i = 0; i < f->found.n; i++)
        if (f->found.v[i] == id)
            return;
    *sl_vec_add(&f->found) = id;
}

static bool find_key(struct find *f, const char *key)
{
    size_t low = 0, high = f->by_key.n;

    while (low < high) {
        size_t mid = (low + high) / 2;
        if (strcmp(f->by_key.v[mid].key, key) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < f->by_key.n && !strcmp(f->by_key.v[low].key, key); low++)
        add(f, f->by_key.v[low].span);
    return f->found.n;
}

/* Roots that files at or below a path name. */
static void find_below(struct find *f, const char *place)
{
    size_t n = strlen(place), low = 0, high = f->root.n;

    n -= n == 1; /* the root of all files */
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (strncmp(f->root.v[mid].path, place, n) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < f->root.n && !strncmp(f->root.v[low].path, place, n); low++)
        if (!f->root.v[low].path[n] || f->root.v[low].path[n] == '/')
            add(f, f->root.v[low].span);
}

/* Those that lie in no other one. */
static int keep_outermost(struct find *f, struct sl_err *err)
{
    sqlite3_stmt *q;
    struct sl_buf all = {0};
    size_t kept = 0;

    if (sqlite3_prepare_v2(f->db, sql_inside, -1, &q, NULL) != SQLITE_OK)
        return sl_query_err(f->db, err);
    for (size_t i = 0; i < f->found.n; i++)
        sl_buf_addf(&all, "%s%lld", i ? "," : "[", (long long)f->found.v[i]);
    sl_buf_adds(&all, "]");
    for (size_t i = 0; i < f->found.n; i++) {
        sqlite3_bind_int64(q, 1, f->found.v[i]);
        sqlite3_bind_text(q, 2, all.s, -1, SQLITE_STATIC);
        if (sqlite3_step(q) == SQLITE_DONE)
            f->found.v[kept++] = f->found.v[i];
        sqlite3_reset(q);
    }
    f->found.n = kept;
    sl_buf_free(&all);
    return sqlite3_finalize(q) == SQLITE_OK ? 0 : sl_query_err(f->db, err);
}

/* From roots to workflows. */
static int settle_run(struct find *f, struct sl_run_logs *l, struct sl_err *err)
{
    size_t roots = f->found.n;
    int rc = 0;

    for (size_t i = 0; i < roots; i++) {
        int64_t workflow = workflow_of(f, f->found.v[i]);
        size_t k = roots;
        while (workflow && k < f->found.n && f->found.v[k] != workflow)
            k++;
        if (workflow && k == f->found.n)
            *sl_vec_add(&f->found) = workflow;
    }
    if (f->found.n > roots) {
        l->found = (uint32_t)(f->found.n - roots);
        l->workflow = l->found == 1 ? f->found.v[roots] : 0;
    } else {
        rc = roots > 1 ? keep_outermost(f, err) : 0;
        l->found = (uint32_t)f->found.n;
        l->workflow = l->found == 1 ? f->found.v[0] : 0;
    }
    return rc;
}

static int look_for_run(struct find *f, struct sl_run_logs *l, const char *named, const char *from, struct sl_err *err)
{
    if (l->workflow || l->found) /* another file has told it */
        return 0;
    l->named = named;
    l->place = NULL;
    sl_vec_clear(&f->found);
    if (!find_key(f, named)) {
        l->place = place_of(&f->l->arena, named, from);
        find_below(f, l->place);
    }
    return settle_run(f, l, err);
}

/* ---- all runs ---- */

static int find_all(struct find *f, struct sl_err *err)
{
    struct sl_run_at *runs;
    sqlite3_stmt *q;
    int rc = 0;

    if (sqlite3_prepare_v2(f->db, sql_named, -1, &q, NULL) != SQLITE_OK)
        return sl_query_err(f->db, err);
    runs = sl_runs_by_span(f->r);
    sqlite3_bind_int64(q, 1, f->r->id);
    sqlite3_bind_text(q, 2, f->r->logs_name, -1, SQLITE_STATIC);
    while (!rc && sqlite3_step(q) == SQLITE_ROW) {
        const struct sl_run_at *at = sl_run_of_span(runs, f->r->n, sqlite3_column_int64(q, 0));
        if (at)
            rc = look_for_run(f, &f->l->run[at->run], copy(f, q, 1), copy(f, q, 2), err);
    }
    free(runs);
    return sqlite3_finalize(q) == SQLITE_OK || rc ? rc : sl_query_err(f->db, err);
}

static int by_workflow(const void *a, const void *b)
{
    const struct sl_run_logs *x = *(struct sl_run_logs *const *)a, *y = *(struct sl_run_logs *const *)b;
    return x->workflow < y->workflow ? -1 : x->workflow > y->workflow;
}

static void part_shared(struct sl_logs *l, size_t n)
{
    struct sl_run_logs **v = sl_alloc(n * sizeof *v + 1);

    for (size_t i = 0; i < n; i++)
        v[i] = &l->run[i];
    if (n)
        qsort(v, n, sizeof *v, by_workflow);
    for (size_t i = 1; i < n; i++)
        if (v[i]->workflow && v[i]->workflow == v[i - 1]->workflow)
            v[i]->shared = v[i - 1]->shared = true;
    for (size_t i = 0; i < n; i++)
        if (l->run[i].shared)
            l->run[i].workflow = 0;
    free(v);
}

int sl_logs_find(struct sl_logs *out, const struct sl_runs *r, sqlite3 *db, struct sl_err *err)
{
    struct find f = {.l = out, .r = r, .db = db};
    int rc;

    *out = (struct sl_logs){.run = sl_alloc(r->n * sizeof *out->run + 1)};
    if (!r->logs_name)
        rc = sl_err(
            err, SL_EUSAGE,
            "nothing says where the logs of the runs of '%s' are: import them again with --logs COLUMN, the column "
            "that names each run's directory",
            r->experiment);
    else if (!(rc = load_roots(&f, err)))
        rc = find_all(&f, err);
    part_shared(out, r->n);
    for (size_t i = 0; i < r->n; i++) {
        const struct sl_run_logs *l = &out->run[i];
        *(l->workflow ? &out->with
          : l->shared ? &out->shared
          : !l->named ? &out->unnamed
          : l->found  ? &out->several
                      : &out->absent) += 1;
    }
    sl_vec_free(&f.root);
    sl_vec_free(&f.by_key);
    sl_vec_free(&f.views);
    sl_vec_free(&f.found);
    if (rc)
        sl_logs_free(out);
    return rc;
}

void sl_logs_free(struct sl_logs *l)
{
    free(l->run);
    sl_arena_free(&l->arena);
    *l = (struct sl_logs){0};
}

static int fill_logs(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct sl_logs logs;
    int rc = sl_logs_find(&logs, r, r->db, err);

    (void)q;
    if (rc)
        return rc;
    for (size_t i = 0; i < r->n; i++) {
        const struct sl_run_logs *l = &logs.run[i];
        struct sl_run_log_row *x = sl_rows_add(out);
        x->run = r->span[i];
        x->named = sl_rows_text(out, l->named);
        x->place = sl_rows_text(out, l->place);
        if (l->workflow)
            x->workflow = l->workflow;
        x->found = l->found;
        x->why_not = l->workflow ? NULL
                     : l->shared ? "another run has the same logs"
                     : !l->named ? "nothing says where its logs are"
                     : l->found  ? "several workflows are there"
                                 : "nothing was imported from there";
    }
    sl_logs_free(&logs);
    return 0;
}

const struct sl_experiment_fn sl_experiment_logs = {
    .name = "logs",
    .about = "which logs are of which run",
    .row = &sl_run_log_row_columns,
    .fill = fill_logs,
};
