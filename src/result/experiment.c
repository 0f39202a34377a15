/* SPDX-License-Identifier: Apache-2.0 */
#include "result/experiment.h"
#include "experiment/answered.h"
#include "result_experiment.sql.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- an answer as a table ---- */

static struct sl_table *table_of(struct sl_result *r, const struct sl_answer *a)
{
    struct sl_table *t = sl_result_table(r, a->name, NULL, (int)a->columns);

    t->own = sl_alloc(a->columns * sizeof *t->own);
    for (size_t i = 0; i < a->columns; i++)
        t->own[i] = (struct sl_column){a->column[i].name,
                                       a->column[i].type == 's'   ? SL_COLUMN_TEXT
                                       : a->column[i].type == 'i' ? SL_COLUMN_INTEGER
                                                                  : SL_COLUMN_REAL,
                                       a->column[i].unit, NULL, 0};
    t->column = t->own;
    return t;
}

/* What rows are sorted by; NAN comes last. */
struct rank {
    double key;
    size_t row;
};

static int by_key(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    if (isnan(x->key) || isnan(y->key))
        return isnan(x->key) != isnan(y->key) ? (isnan(x->key) ? 1 : -1) : x->row < y->row ? -1 : x->row > y->row;
    return x->key < y->key ? -1 : x->key > y->key ? 1 : x->row < y->row ? -1 : x->row > y->row;
}

/* Which column the rows of an answer are sorted by, ascending; negative: they stay. */
static int sorted_by(enum sl_answer_of which)
{
    return which == SL_ANSWER_MEANS      ? SL_MEANS_DIFFERENCE
           : which == SL_ANSWER_FAILURES ? SL_FAILURES_DIFFERENCE
           : which == SL_ANSWER_SHAPLEY  ? 1
                                         : -1;
}

/* Rows in the order of column `by`; rising: the largest first. */
static void copy_rows(struct sl_table *t, const struct sl_answer *a, const struct sl_answer_rows *rows, int by,
                      bool rising)
{
    struct rank *order = sl_alloc(rows->n * sizeof *order + 1);
    double sign = rising ? -1 : 1; /* what helps comes first */

    for (size_t i = 0; i < rows->n; i++)
        order[i] = (struct rank){by < 0 ? 0 : sign * rows->cell.v[i * rows->columns + (size_t)by].d, i};
    qsort(order, rows->n, sizeof *order, by_key);
    for (size_t i = 0; i < rows->n; i++) {
        sl_table_add(t);
        for (size_t k = 0; k < a->columns; k++) {
            union sl_answer_cell c = rows->cell.v[order[i].row * rows->columns + k];
            if (a->column[k].type == 's')
                sl_table_put_text(t, (int)k, c.s);
            else if (a->column[k].type == 'd')
                sl_table_put_real(t, (int)k, c.d);
            else if (c.i != INT64_MIN)
                sl_table_put_int(t, (int)k, c.i);
        }
    }
    free(order);
}

static int fill(struct sl_result *r, const struct sl_runs *runs, enum sl_answer_of which, const struct sl_asked *a,
                struct sl_err *err)
{
    struct sl_answer_rows rows;
    int rc = sl_answer(&rows, runs, &sl_answers[which], a, err);

    if (rc)
        return rc;
    copy_rows(table_of(r, &sl_answers[which]), &sl_answers[which], &rows, sorted_by(which),
              runs->rate && which != SL_ANSWER_FAILURES);
    sl_answer_free(&rows);
    return 0;
}

/* What is said beside an answer. */
static int sides(struct sl_result *r, const struct sl_runs *runs, const struct sl_asked *a, struct sl_err *err)
{
    int rc = fill(r, runs, SL_ANSWER_ABOUT, a, err);
    return rc ? rc : fill(r, runs, SL_ANSWER_FACTORS, a, err);
}

static int take(struct sl_result *r, struct sl_store *st, enum sl_answer_of which, const struct sl_asked *a,
                struct sl_err *err)
{
    struct sl_answered *x;
    int rc = sl_answered_get(&x, st->db, which, a, err);

    if (rc)
        return rc;
    copy_rows(table_of(r, &sl_answers[which]), &sl_answers[which], &x->rows, sorted_by(which),
              x->runs->rate && which != SL_ANSWER_FAILURES);
    sl_answered_release(x);
    return 0;
}

int sl_result_experiment(struct sl_result *r, struct sl_store *st, enum sl_answer_of which, const struct sl_asked *a,
                         struct sl_err *err)
{
    struct sl_asked same = *a; /* the runs of the answer, also for what is said beside it */
    int rc;

    same.q.failed = sl_answers[which].failed;
    same.q.coarse = sl_answers[which].coarse;
    rc = take(r, st, which, &same, err);
    if (!rc && which == SL_ANSWER_PCA)
        rc = take(r, st, SL_ANSWER_LOADINGS, &same, err);
    if (!rc)
        rc = take(r, st, SL_ANSWER_ABOUT, &same, err);
    return rc ? rc : take(r, st, SL_ANSWER_FACTORS, &same, err);
}

/* ---- two answers side by side ---- */

static const struct sl_column both_columns[] = {
    {"treatment", SL_COLUMN_TEXT, NULL, NULL, 0},      {"delta", SL_COLUMN_REAL, NULL, NULL, 0},
    {"lower", SL_COLUMN_REAL, NULL, NULL, 0},          {"upper", SL_COLUMN_REAL, NULL, NULL, 0},
    {"pairs", SL_COLUMN_INTEGER, "pairs", NULL, 0},    {"vs_delta", SL_COLUMN_REAL, NULL, NULL, 0},
    {"vs_lower", SL_COLUMN_REAL, NULL, NULL, 0},       {"vs_upper", SL_COLUMN_REAL, NULL, NULL, 0},
    {"vs_pairs", SL_COLUMN_INTEGER, "pairs", NULL, 0}, {"difference", SL_COLUMN_REAL, NULL, NULL, 0},
    {"vs_difference", SL_COLUMN_REAL, NULL, NULL, 0},
};

/* The row of t whose first column is `name`; false: there is none. */
static bool find(struct sl_table *t, const char *name)
{
    sl_table_rewind(t);
    while (sl_table_next(t, NULL) > 0)
        if (!strcmp(sl_table_text_or_empty(t, 0), name))
            return true;
    return false;
}

static void copy_cell(struct sl_table *to, int column, const struct sl_table *from, int source)
{
    if (sl_table_is_null(from, source))
        return;
    if (sl_table_type(from, source) == SQLITE_INTEGER)
        sl_table_put_int(to, column, sl_table_int(from, source));
    else
        sl_table_put_real(to, column, sl_table_real(from, source));
}

/* The means of the runs that a asks for; *runs stays for others. */
static int load_means(struct sl_result *r, struct sl_runs *runs, struct sl_store *st, const struct sl_asked *a,
                      struct sl_err *err)
{
    struct sl_question q = a->q;
    int rc;

    q.coarse = true;
    rc = sl_runs_load(runs, st->db, &q, err);
    return rc ? rc : fill(r, runs, SL_ANSWER_MEANS, a, err);
}

int sl_result_experiment_vs(struct sl_result *r, struct sl_store *st, const struct sl_asked *a, const char *vs,
                            struct sl_err *err)
{
    static const int from[] = {SL_MEANS_DELTA, SL_MEANS_LOWER, SL_MEANS_UPPER, SL_MEANS_PAIRS};
    struct sl_table *both = sl_result_table(r, "both", both_columns, SL_COLUMNS(both_columns)), *mine;
    struct sl_result part[2] = {{{0}, false}, {{0}, false}};
    struct sl_runs runs[2] = {{0}};
    struct sl_asked other = *a;
    char *where = a->q.where ? sqlite3_mprintf("(%s) AND (%s)", a->q.where, vs) : sqlite3_mprintf("%s", vs);
    int rc = load_means(&part[0], &runs[0], st, a, err);

    other.q.where = where;
    if (!rc)
        rc = load_means(&part[1], &runs[1], st, &other, err);
    mine = rc ? NULL : part[0].table.v[0];
    while (mine && sl_table_next(mine, NULL) > 0) {
        struct sl_table *theirs = part[1].table.v[0];
        sl_table_add(both);
        sl_table_put_text(both, SL_BOTH_TREATMENT, sl_table_text(mine, SL_MEANS_TREATMENT, NULL));
        for (int i = 0; i < 4; i++)
            copy_cell(both, SL_BOTH_DELTA + i, mine, from[i]);
        copy_cell(both, SL_BOTH_DIFFERENCE, mine, SL_MEANS_DIFFERENCE);
        if (!find(theirs, sl_table_text_or_empty(mine, SL_MEANS_TREATMENT)))
            continue;
        for (int i = 0; i < 4; i++)
            copy_cell(both, SL_BOTH_VS + i, theirs, from[i]);
        copy_cell(both, SL_BOTH_VS_DIFFERENCE, theirs, SL_MEANS_DIFFERENCE);
    }
    if (!rc)
        rc = sides(r, &runs[0], a, err);
    for (int i = 0; i < 2; i++) {
        sl_result_free(&part[i]);
        sl_runs_free(&runs[i]);
    }
    sqlite3_free(where);
    return rc;
}

static const struct sl_column beside_columns[] = {
    {"treatment", SL_COLUMN_TEXT, NULL, NULL, 0},  {"model", SL_COLUMN_REAL, NULL, NULL, 0},
    {"lower", SL_COLUMN_REAL, NULL, NULL, 0},      {"upper", SL_COLUMN_REAL, NULL, NULL, 0},
    {"delta", SL_COLUMN_REAL, NULL, NULL, 0},      {"pairs", SL_COLUMN_INTEGER, "pairs", NULL, 0},
    {"difference", SL_COLUMN_REAL, NULL, NULL, 0},
};

/* A treatment is a term of the same name, but for FACTOR=LEVEL, which R calls FACTORLEVEL. */
static bool same_term(const char *treatment, const char *term)
{
    while (*treatment && *treatment == *term)
        treatment++, term++;
    return !strcmp(treatment + (*treatment == '='), term);
}

int sl_result_experiment_beside(struct sl_result *r, struct sl_store *st, const struct sl_asked *a, struct sl_err *err)
{
    struct sl_table *beside = sl_result_table(r, "beside", beside_columns, SL_COLUMNS(beside_columns)), *means;
    struct sl_result part = {{0}, false};
    struct sl_runs runs = {0}, coarse = {0};
    int rc = load_means(&part, &coarse, st, a, err);

    if (!rc)
        rc = sl_runs_load(&runs, st->db, &a->q, err);
    if (!rc)
        rc = fill(&part, &runs, SL_ANSWER_MODEL, a, err);
    means = rc ? NULL : part.table.v[0];
    while (means && sl_table_next(means, NULL) > 0) {
        struct sl_table *model = part.table.v[1];
        const char *name = sl_table_text_or_empty(means, SL_MEANS_TREATMENT);
        sl_table_add(beside);
        sl_table_put_text(beside, SL_BESIDE_TREATMENT, name);
        copy_cell(beside, SL_BESIDE_DELTA, means, SL_MEANS_DELTA);
        copy_cell(beside, SL_BESIDE_PAIRS, means, SL_MEANS_PAIRS);
        copy_cell(beside, SL_BESIDE_DIFFERENCE, means, SL_MEANS_DIFFERENCE);
        for (sl_table_rewind(model); sl_table_next(model, NULL) > 0;)
            if (same_term(name, sl_table_text_or_empty(model, SL_MODEL_TERM))) {
                copy_cell(beside, SL_BESIDE_MODEL, model, SL_MODEL_ESTIMATE);
                copy_cell(beside, SL_BESIDE_MODEL_LOWER, model, SL_MODEL_LOWER);
                copy_cell(beside, SL_BESIDE_MODEL_UPPER, model, SL_MODEL_UPPER);
            }
    }
    sl_result_free(&part);
    if (!rc)
        rc = sides(r, &runs, a, err);
    sl_runs_free(&runs);
    sl_runs_free(&coarse);
    return rc;
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

static size_t run_of(const struct sl_runs *r, int64_t span, const size_t *by_span)
{
    size_t low = 0, high = r->n;

    while (low + 1 < high) {
        size_t mid = (low + high) / 2;
        if (r->span[by_span[mid]] <= span)
            low = mid;
        else
            high = mid;
    }
    return by_span[low];
}

struct span_at {
    int64_t span;
    size_t at;
};

static int by_span(const void *a, const void *b)
{
    const struct span_at *x = a, *y = b;
    return x->span < y->span ? -1 : x->span > y->span;
}

int sl_result_experiment_members(struct sl_result *r, struct sl_store *st, const struct sl_asked *a, struct sl_err *err)
{
    static const char *const before[] = {"factor", "before", "after", "delta", NULL}, *const after[] = {NULL};
    struct sl_answer_rows rows;
    struct sl_runs runs;
    struct sl_table *t;
    struct span_at *spans;
    struct sl_question q = a->q;
    size_t *order;
    int rc;

    q.coarse = true;
    if ((rc = sl_runs_load(&runs, st->db, &q, err)))
        return rc;
    if ((rc = sl_answer(&rows, &runs, &sl_answers[SL_ANSWER_DELTAS], a, err))) {
        sl_runs_free(&runs);
        return rc;
    }
    t = with_factors(r, "deltas", before, &runs, after);
    spans = sl_alloc(runs.n * sizeof *spans);
    order = sl_alloc(runs.n * sizeof *order);
    for (size_t i = 0; i < runs.n; i++)
        spans[i] = (struct span_at){runs.span[i], i};
    qsort(spans, runs.n, sizeof *spans, by_span);
    for (size_t i = 0; i < runs.n; i++)
        order[i] = spans[i].at;
    for (size_t i = 0; i < rows.n; i++) {
        const union sl_answer_cell *c = rows.cell.v + i * rows.columns;
        sl_table_add(t);
        sl_table_put_text(t, 0, c[SL_DELTAS_TREATMENT].s);
        for (int k = 0; k < 3; k++)
            sl_table_put_real(t, 1 + k, c[SL_DELTAS_BEFORE + k].d);
        put_levels(t, 4, &runs, sl_runs_levels(&runs, run_of(&runs, c[SL_DELTAS_BEFORE_RUN].i, order)));
    }
    free(spans);
    free(order);
    sl_answer_free(&rows);
    sl_runs_free(&runs);
    return 0;
}

/* What a column that is no factor says of each run; NULL: nothing. */
static int load_column(const char **out, struct sl_arena *text, struct sl_store *st, const struct sl_runs *r,
                       const char *name, struct sl_err *err)
{
    struct span_at *at = sl_alloc(r->n * sizeof *at + 1);
    sqlite3_stmt *q = sl_store_prepare(st, sql_column, err);
    int rc = q ? 0 : SL_ESTORE;

    for (size_t i = 0; i < r->n; i++)
        at[i] = (struct span_at){r->span[i], i};
    if (r->n)
        qsort(at, r->n, sizeof *at, by_span);
    if (q) {
        sqlite3_bind_int64(q, 1, r->id);
        sqlite3_bind_text(q, 2, name, -1, SQLITE_STATIC);
    }
    while (q && (rc = sl_store_step(st, q, err)) > 0) {
        const struct span_at key = {sqlite3_column_int64(q, 0), 0},
                             *hit = r->n ? bsearch(&key, at, r->n, sizeof key, by_span) : NULL;
        if (hit && sqlite3_column_type(q, 1) != SQLITE_NULL) {
            const char *value = sl_store_text(q, 1);
            out[hit->at] = sl_arena_copy(text, value, strlen(value));
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

int sl_result_experiment_runs(struct sl_result *r, struct sl_store *st, const struct sl_asked *a, struct sl_err *err)
{
    enum { MOST = 16 };
    const char *before[MOST + 2] = {NULL}, *after[3] = {NULL};
    struct sl_question q = a->q;
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
