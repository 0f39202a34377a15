/* SPDX-License-Identifier: Apache-2.0 */
#include "result/experiment.h"
#include "result_experiment.sql.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- a question as a table ---- */

static struct sl_table *add_table(struct sl_result *r, struct sl_store *st, const struct sl_experiment_fn *fn,
                                  const struct sl_question *q, struct sl_err *err)
{
    struct sl_table *t = sl_result_rows(r, fn->name, fn->row);

    if (sl_experiment_ask(&t->memory, st->db, fn, q, err))
        return NULL;
    if (fn->key)
        sl_rows_sort(&t->memory, fn->key, q->rate && !fn->as_cost);
    t->rows = t->memory.n;
    return t;
}

/* What is said beside the rows of fn, of the same runs. */
static struct sl_table *add_sides(struct sl_result *r, struct sl_store *st, const struct sl_experiment_fn *fn,
                                  const struct sl_question *question, struct sl_err *err)
{
    struct sl_question q = *question;

    q.failed |= fn->failed;
    q.coarse |= fn->coarse;
    if (!add_table(r, st, &sl_experiment_about, &q, err))
        return NULL;
    return add_table(r, st, &sl_experiment_factors, &q, err);
}

static int add_question(struct sl_result *r, struct sl_store *st, const struct sl_experiment_fn *fn,
                        const struct sl_question *q, struct sl_err *err)
{
    if (!add_table(r, st, fn, q, err))
        return err->code;
    if (fn == &sl_experiment_pca && !add_table(r, st, &sl_experiment_loadings, q, err))
        return err->code;
    return add_sides(r, st, fn, q, err) ? 0 : err->code;
}

int sl_result_experiment(struct sl_result *r, struct sl_store *st, const struct sl_experiment_fn *fn,
                         const struct sl_question *q, struct sl_err *err)
{
    bool begun = sl_experiment_remember(st->db);
    int rc = add_question(r, st, fn, q, err);

    if (begun)
        sl_experiment_forget();
    return rc;
}

/* ---- two questions side by side ---- */

static const struct sl_mean *find_mean(const struct sl_table *means, const char *treatment)
{
    for (size_t i = 0; means && i < means->rows; i++) {
        const struct sl_mean *m = sl_table_at(means, i);
        if (!strcmp(m->treatment, treatment))
            return m;
    }
    return NULL;
}

static void join_means(struct sl_table *both, struct sl_table *all, const struct sl_table *there)
{
    for (const struct sl_mean *m; (m = sl_table_row(all, NULL));) {
        const struct sl_mean *other = find_mean(there, m->treatment);
        struct sl_both *x = sl_table_add(both);
        x->treatment = sl_table_keep(both, m->treatment);
        x->delta = m->delta;
        x->lower = m->lower;
        x->upper = m->upper;
        x->pairs = m->pairs;
        x->difference = m->difference;
        if (!other)
            continue;
        x->vs_delta = other->delta;
        x->vs_lower = other->lower;
        x->vs_upper = other->upper;
        x->vs_pairs = other->pairs;
        x->vs_difference = other->difference;
    }
}

int sl_result_experiment_vs(struct sl_result *r, struct sl_store *st, const struct sl_question *q, const char *vs,
                            struct sl_err *err)
{
    struct sl_table *both = sl_result_rows(r, "both", &sl_both_columns), *all, *there;
    bool begun = sl_experiment_remember(st->db), done;
    struct sl_result part = {0};
    struct sl_question other = *q;
    char *where = q->where ? sqlite3_mprintf("(%s) AND (%s)", q->where, vs) : sqlite3_mprintf("%s", vs);

    other.where = where;
    done = (all = add_table(&part, st, &sl_experiment_means, q, err)) &&
           (there = add_table(&part, st, &sl_experiment_means, &other, err)) &&
           add_sides(r, st, &sl_experiment_means, q, err);
    if (done)
        join_means(both, all, there);
    sl_result_free(&part);
    sqlite3_free(where);
    if (begun)
        sl_experiment_forget();
    return done ? 0 : err->code;
}

/* A treatment is a term of the same name, but for FACTOR=LEVEL, which R calls FACTORLEVEL. */
static bool same_term(const char *treatment, const char *term)
{
    while (*treatment && *treatment == *term)
        treatment++, term++;
    return !strcmp(treatment + (*treatment == '='), term);
}

static void join_model(struct sl_table *beside, struct sl_table *means, const struct sl_table *model)
{
    for (const struct sl_mean *m; (m = sl_table_row(means, NULL));) {
        struct sl_beside *x = sl_table_add(beside);
        x->treatment = sl_table_keep(beside, m->treatment);
        x->delta = m->delta;
        x->pairs = m->pairs;
        x->difference = m->difference;
        for (size_t i = 0; i < model->rows; i++) {
            const struct sl_model_row *term = sl_table_at(model, i);
            if (!same_term(m->treatment, term->term))
                continue;
            x->model = term->estimate;
            x->lower = term->lower;
            x->upper = term->upper;
        }
    }
}

int sl_result_experiment_beside(struct sl_result *r, struct sl_store *st, const struct sl_question *q,
                                struct sl_err *err)
{
    struct sl_table *beside = sl_result_rows(r, "beside", &sl_beside_columns), *means, *model;
    bool begun = sl_experiment_remember(st->db), done;
    struct sl_result part = {0};

    done = (means = add_table(&part, st, &sl_experiment_means, q, err)) &&
           (model = add_table(&part, st, &sl_experiment_model, q, err)) &&
           add_sides(r, st, &sl_experiment_model, q, err);
    if (done)
        join_model(beside, means, model);
    sl_result_free(&part);
    if (begun)
        sl_experiment_forget();
    return done ? 0 : err->code;
}

/* ---- the study's own files ---- */

/* A table whose columns are some of our own, then one a factor, then others. */
static struct sl_table *with_factors(struct sl_result *r, const char *name, const char *const *before,
                                     const struct sl_runs *runs, const char *const *after)
{
    struct sl_table *t;
    int n = 0;

    while (before[n])
        n++;
    for (int i = 0; after[i]; i++)
        n++;
    t = sl_result_table(r, name, NULL, n + (int)runs->factors);
    t->own = sl_alloc((size_t)t->columns * sizeof *t->own + 1);
    t->column = t->own;
    n = 0;
    for (int i = 0; before[i]; i++)
        t->own[n++].name = sl_arena_copy(&t->memory.text, before[i], strlen(before[i]));
    for (size_t f = 0; f < runs->factors; f++)
        t->own[n++].name = sl_arena_copy(&t->memory.text, runs->factor[f].name, strlen(runs->factor[f].name));
    for (int i = 0; after[i]; i++)
        t->own[n++].name = sl_arena_copy(&t->memory.text, after[i], strlen(after[i]));
    return t;
}

static void put_levels(struct sl_table *t, int at, const struct sl_runs *r, const int32_t *level)
{
    for (size_t f = 0; f < r->factors; f++)
        if (level[f] >= 0)
            sl_table_put_text(t, at + (int)f, r->factor[f].level[level[f]]);
}

int sl_result_experiment_members(struct sl_result *r, struct sl_store *st, const struct sl_question *question,
                                 struct sl_err *err)
{
    static const char *const before[] = {"factor", "before", "after", "delta", NULL}, *const after[] = {NULL};
    struct sl_rows rows = {.columns = &sl_delta_row_columns};
    struct sl_runs runs;
    struct sl_table *t;
    struct sl_run_at *spans;
    struct sl_question q = *question;
    int rc;

    q.coarse = true;
    if ((rc = sl_runs_load(&runs, st->db, &q, err)))
        return rc;
    rc = sl_experiment_deltas.fill(&rows, &runs, &q, err);
    t = with_factors(r, "deltas", before, &runs, after);
    spans = sl_runs_by_span(&runs);
    for (size_t i = 0; i < rows.n && !rc; i++) {
        const struct sl_delta_row *x = sl_rows_at(&rows, i);
        sl_table_add(t);
        sl_table_put_text(t, 0, x->treatment);
        sl_table_put_real(t, 1, x->before);
        sl_table_put_real(t, 2, x->after);
        sl_table_put_real(t, 3, x->delta);
        put_levels(t, 4, &runs, sl_runs_levels(&runs, sl_run_of_span(spans, runs.n, x->before_run)->run));
    }
    free(spans);
    sl_rows_free(&rows);
    sl_runs_free(&runs);
    return rc;
}

/* What a column that is no factor says of each run; NULL: nothing. */
static int load_column(const char **out, struct sl_arena *text, struct sl_store *st, const struct sl_runs *r,
                       const char *name, struct sl_err *err)
{
    struct sl_run_at *at = sl_runs_by_span(r);
    sqlite3_stmt *q = sl_store_prepare(st, sql_column, err);
    int rc = q ? 0 : SL_ESTORE;

    if (q) {
        sqlite3_bind_int64(q, 1, r->id);
        sqlite3_bind_text(q, 2, name, -1, SQLITE_STATIC);
    }
    while (q && (rc = sl_store_step(st, q, err)) > 0) {
        const struct sl_run_at *hit = sl_run_of_span(at, r->n, sqlite3_column_int64(q, 0));
        if (hit && sqlite3_column_type(q, 1) != SQLITE_NULL) {
            const char *value = sl_store_text(q, 1);
            out[hit->run] = sl_arena_copy(text, value, strlen(value));
        }
    }
    sqlite3_finalize(q);
    free(at);
    return rc;
}

/* "a,b" as a, b, NULL; the texts live as long as t. */
static int split_names(struct sl_arena *a, const char *list, const char **out, int most)
{
    int n = 0;

    for (const char *s = list; s && n < most; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
        out[n++] = sl_arena_copy(a, s, strcspn(s, ","));
    out[n] = NULL;
    return n;
}

int sl_result_experiment_runs(struct sl_result *r, struct sl_store *st, const struct sl_question *question,
                              struct sl_err *err)
{
    enum { MOST = 16 };
    const char *before[MOST + 2] = {NULL}, *after[3] = {NULL};
    struct sl_question q = *question;
    const char **kept[MOST + 1] = {NULL};
    struct sl_arena text = {0};
    struct sl_runs runs;
    struct sl_table *t;
    int rc, n = 0, keys = 0;

    q.failed = q.verbatim = true;
    if ((rc = sl_runs_load(&runs, st->db, &q, err)))
        return rc;
    if (runs.time_name)
        after[n++] = runs.time_name;
    after[n++] = runs.score_name;
    keys = split_names(&text, runs.key_names, before, MOST);
    if (runs.logs_name)
        before[keys++] = runs.logs_name;
    t = with_factors(r, "runs", before, &runs, after);
    for (int i = 0; i < keys && !rc; i++) {
        kept[i] = sl_alloc(runs.n * sizeof *kept[i] + 1);
        rc = load_column(kept[i], &text, st, &runs, before[i], err);
    }
    for (size_t i = 0; i < runs.n && !rc; i++) {
        char time[48];
        sl_table_add(t);
        for (int k = 0; k < keys; k++)
            sl_table_put_text(t, k, kept[k][i]);
        put_levels(t, keys, &runs, sl_runs_levels(&runs, i));
        if (runs.time_name) {
            size_t length =
                (size_t)snprintf(time, sizeof time, "%lld.%09lld", (long long)(runs.time_ns[i] / 1000000000),
                                 llabs((long long)(runs.time_ns[i] % 1000000000)));
            while (time[length - 1] == '0' && time[length - 2] != '.')
                time[--length] = 0;
            sl_table_put_text(t, t->columns - 2, time);
        }
        sl_table_put_real(t, t->columns - 1, runs.score[i]);
    }
    for (int i = 0; i < keys; i++)
        free(kept[i]);
    sl_arena_free(&text);
    sl_runs_free(&runs);
    return rc;
}
