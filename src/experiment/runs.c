/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/ext.h"
#include "analyse/load/fast_rows.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/json.h"
#include "experiment/runs_internal.h"
#include "experiment_runs.sql.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* ---- which experiment ---- */

struct load {
    struct sl_runs *r;
    int64_t experiment;
    const char *score, *time, *key, *logs; /* columns that are no factors; key: "a,b", or NULL */
    const char *covariates;                /* "a,b": others that are none; NULL */
    const char *unit;                      /* of the score; NULL: its name says it */
    const char *better;                    /* "more" where it is a rate; or NULL */
    SL_VEC(struct base { const char *factor, *level; })
    base; /* that are stated; the last holds */
    SL_VEC(struct column {
        const char *name;
        struct sl_intern text; /* of its levels */
        bool split;            /* others have its levels */
    })
    column;
    SL_VEC(struct {
        int64_t shape;
        uint32_t column;
    })
    place; /* ascending by shape, then position */
    SL_VEC(struct row {
        int64_t span, time_ns;
        double score; /* NaN: none */
        const char *key;
    })
    row;
    SL_VEC(uint32_t) cell; /* what each row has in each column: id of its text, 0: nothing; rows of `column.n` */
    uint32_t score_column;
    const char *twice; /* a run that is told in two ways, and the column */
    const char *twice_what;
};

static int find_experiment(struct load *l, sqlite3 *db, const char *name, struct sl_err *err)
{
    sqlite3_stmt *q;
    struct sl_buf all = {0};
    int n = 0, rc;

    if (sqlite3_prepare_v2(db, sql_experiments, -1, &q, NULL) != SQLITE_OK)
        return sl_query_err(db, err);
    while (sqlite3_step(q) == SQLITE_ROW) {
        const char *key = (const char *)sqlite3_column_text(q, 1);
        sl_buf_addf(&all, "%s%s", all.n ? ", " : "", key ? key : "");
        if (name && (!key || strcmp(name, key) != 0))
            continue;
        n++;
        l->experiment = sqlite3_column_int64(q, 0);
        l->r->experiment = sl_arena_copy(&l->r->arena, key ? key : "", key ? strlen(key) : 0);
    }
    rc = sqlite3_finalize(q) == SQLITE_OK ? 0 : sl_query_err(db, err);
    if (!rc && !all.n)
        rc = sl_err(err, SL_ENOTFOUND,
                    "the store holds no experiment; bring its runs in with: spanloom experiment import --score COLUMN "
                    "--time COLUMN runs.csv");
    else if (!rc && !n)
        rc = sl_err(err, SL_ENOTFOUND, "there is no experiment '%s'; there are: %s", name, all.s);
    else if (!rc && n > 1)
        rc = sl_err(err, SL_ENOTFOUND, "the store holds several experiments; say which with --name: %s", all.s);
    sl_buf_free(&all);
    return rc;
}

/* As the experiment went on, there may have come more. */
static void add_covariates(struct load *l, const char *more)
{
    struct sl_buf b = {0};

    sl_buf_addf(&b, "%s%s%s", l->covariates ? l->covariates : "", l->covariates ? "," : "", more);
    l->covariates = sl_arena_copy(&l->r->arena, b.s, b.n);
    sl_buf_free(&b);
}

static int load_about(struct load *l, sqlite3 *db, struct sl_err *err)
{
    sqlite3_stmt *q;

    if (sqlite3_prepare_v2(db, sql_about, -1, &q, NULL) != SQLITE_OK)
        return sl_query_err(db, err);
    sqlite3_bind_int64(q, 1, l->experiment);
    while (sqlite3_step(q) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(q, 0), *value = (const char *)sqlite3_column_text(q, 1);
        const char **to = !name || !value            ? NULL
                          : !strcmp(name, "score")   ? &l->score
                          : !strcmp(name, "time")    ? &l->time
                          : !strcmp(name, "run_key") ? &l->key
                          : !strcmp(name, "logs")    ? &l->logs
                          : !strcmp(name, "unit")    ? &l->unit
                          : !strcmp(name, "better")  ? &l->better
                                                     : NULL;
        if (name && value && !strcmp(name, "covariates"))
            add_covariates(l, value);
        if (name && value && !strncmp(name, SL_RUN_LOG_BASE, strlen(SL_RUN_LOG_BASE))) {
            const char *factor = name + strlen(SL_RUN_LOG_BASE);
            *sl_vec_add(&l->base) = (struct base){sl_arena_copy(&l->r->arena, factor, strlen(factor)),
                                                  sl_arena_copy(&l->r->arena, value, strlen(value))};
        }
        if (to && *to && strcmp(*to, value) != 0) {
            int rc = sl_err(err, SL_EFORMAT,
                            "of experiment '%s' one import says that its %s is %s, and another that it is %s; forget "
                            "one of the files, or import it under another --name",
                            l->r->experiment, name, *to, value);
            sqlite3_finalize(q);
            return rc;
        }
        if (to)
            *to = sl_arena_copy(&l->r->arena, value, strlen(value));
    }
    if (sqlite3_finalize(q) != SQLITE_OK)
        return sl_query_err(db, err);
    if (!l->score)
        return sl_err(err, SL_EFORMAT,
                      "nothing says what the score of experiment '%s' is; was it imported with "
                      "spanloom experiment import?",
                      l->r->experiment);
    l->r->score_name = l->score;
    l->r->time_name = l->time;
    l->r->logs_name = l->logs;
    l->r->key_names = l->key;
    l->r->id = l->experiment;
    l->r->more = l->better && !strcmp(l->better, "more");
    sl_unit_stated(&l->r->unit, l->score, l->unit, l->r->more);
    return 0;
}

/* ---- rows ---- */

static uint32_t column_of(struct load *l, const char *name)
{
    for (uint32_t i = 0; i < l->column.n; i++)
        if (!strcmp(l->column.v[i].name, name))
            return i;
    sl_vec_add(&l->column)->name = sl_arena_copy(&l->r->arena, name, strlen(name));
    return (uint32_t)l->column.n - 1;
}

static int load_shapes(struct load *l, sqlite3 *db, struct sl_err *err)
{
    sqlite3_stmt *q;

    if (sqlite3_prepare_v2(db, sql_shapes, -1, &q, NULL) != SQLITE_OK)
        return sl_query_err(db, err);
    sqlite3_bind_int64(q, 1, l->experiment);
    while (sqlite3_step(q) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(q, 2);
        int64_t shape = sqlite3_column_int64(q, 0);
        uint32_t column = column_of(l, name ? name : "");
        (sl_vec_add(&l->place))->shape = shape;
        l->place.v[l->place.n - 1].column = column;
    }
    return sqlite3_finalize(q) == SQLITE_OK ? 0 : sl_query_err(db, err);
}

/* Where the places of a shape begin. */
static size_t places_of(const struct load *l, int64_t shape)
{
    size_t low = 0, high = l->place.n;

    while (low < high) {
        size_t mid = (low + high) / 2;
        if (l->place.v[mid].shape < shape)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void put(struct load *l, struct row *row, uint32_t *cells, uint32_t column, const char *s, size_t n)
{
    uint32_t id = n ? sl_intern(&l->column.v[column].text, s, n) : 0;

    if (!id)
        return;
    if (cells[column] && cells[column] != id) {
        l->twice = row->key;
        l->twice_what = l->column.v[column].name;
    }
    cells[column] = id;
    if (column == l->score_column)
        row->score = strtod(sl_intern_text(&l->column.v[column].text, id), NULL);
}

/* One list of attributes of a run; a run may have several, of files that tell the same. */
static int run_row(void *to, sqlite3_value **v)
{
    struct load *l = to;
    int64_t span = sqlite3_value_int64(v[0]), shape = sqlite3_value_int64(v[2]);
    const char *vals = (const char *)sqlite3_value_text(v[3]), *key = (const char *)sqlite3_value_text(v[4]);
    struct sl_json c = {.at = vals, .end = vals + (vals ? sqlite3_value_bytes(v[3]) : 0)};
    size_t columns = l->column.n;
    struct row *row = l->row.n ? &l->row.v[l->row.n - 1] : NULL;
    struct sl_json_text t;

    if (!row || row->span != span) {
        row = sl_vec_add(&l->row);
        row->span = span;
        row->time_ns = sqlite3_value_int64(v[1]);
        row->score = NAN;
        row->key = sl_arena_copy(&l->r->arena, key ? key : "", key ? strlen(key) : 0);
        for (size_t i = 0; i < columns; i++)
            sl_vec_add(&l->cell);
    }
    if (!vals || c.at == c.end || *c.at++ != '[')
        return 0;
    for (size_t at = places_of(l, shape); at < l->place.n && l->place.v[at].shape == shape; at++) {
        struct sl_arena scratch = {0};
        size_t n;
        const char *s;
        if (sl_json_next(&c, ']', at == places_of(l, shape)) != SL_JSON_OK || sl_json_value(&c, &t, 1) != SL_JSON_OK)
            break;
        if (t.kind == 'n')
            continue;
        s = sl_json_unescape(&t, &scratch, &n);
        put(l, row, l->cell.v + (l->row.n - 1) * columns, l->place.v[at].column, s, n);
        sl_arena_free(&scratch);
    }
    return 0;
}

static int load_rows(struct load *l, sqlite3 *db, const char *where, struct sl_err *err)
{
    char *which = where ? sqlite3_mprintf(" AND s.id IN (SELECT id FROM experiment_run WHERE (%s))", where) : NULL;
    char *sql = sqlite3_mprintf(sql_runs, (long long)l->experiment, which ? which : "");
    int rc;

    l->score_column = column_of(l, l->score);
    rc = sl_query_each(db, sql, run_row, l, err);
    if (rc && where && sqlite3_errcode(db) == SQLITE_ERROR)
        rc = sl_err(err, SL_EUSAGE,
                    "which runs are meant is not clear: %s, in: %s; it is a condition in SQL on the columns of: "
                    "spanloom sql 'SELECT * FROM experiment_run'",
                    sl_sqlite_words(db), where);
    sqlite3_free(which);
    sqlite3_free(sql);
    return rc;
}

/* ---- factors ---- */

static bool is_number(const char *s, double *value)
{
    char *end;

    *value = strtod(s, &end);
    return end != s && !*end && isfinite(*value);
}

/* 0, 1; -1: neither. */
static int truth(const char *s)
{
    static const char *const words[][2] = {{"0", "1"}, {"no", "yes"}, {"false", "true"}, {"off", "on"}, {"F", "T"}};
    double value;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (int k = 0; k < 2; k++)
            if (!strcasecmp(s, words[i][k]))
                return k;
    return is_number(s, &value) && (value == 0 || value == 1) ? (int)value : -1;
}

struct level {
    const char *text;
    double value;
    uint32_t id;
};

static int by_value(const void *a, const void *b)
{
    const struct level *x = a, *y = b;
    return x->value < y->value ? -1 : x->value > y->value ? 1 : strcmp(x->text, y->text);
}

/* Levels that occur, in order; rank[id] is their index.  Texts that mean one number, or one truth, are one level. */
static void make_factor(struct sl_runs *r, struct sl_factor *f, struct column *c, const bool *used, int32_t *rank)
{
    size_t ids = c->text.of.n, n = 0;
    struct level *v = sl_alloc(ids * sizeof *v);
    bool numbers = true, truths = true;

    for (uint32_t id = 1; id <= ids; id++)
        if (used[id]) {
            v[n] = (struct level){sl_intern_text(&c->text, id), 0, id};
            numbers &= is_number(v[n].text, &v[n].value);
            truths &= truth(v[n].text) >= 0;
            n++;
        }
    for (size_t i = 0; i < n; i++)
        v[i].value = truths ? truth(v[i].text) : numbers ? v[i].value : 0;
    qsort(v, n, sizeof *v, by_value);
    f->name = c->name;
    f->level = sl_arena_alloc(&r->arena, n * sizeof *f->level);
    f->value = sl_arena_alloc(&r->arena, n * sizeof *f->value);
    f->levels = 0;
    for (size_t i = 0; i < n; i++) {
        if (!i || v[i].value != v[i - 1].value || !(truths || numbers)) {
            f->level[f->levels] = sl_arena_copy(&r->arena, v[i].text, strlen(v[i].text));
            f->value[f->levels++] = v[i].value;
        }
        rank[v[i].id] = f->levels - 1;
    }
    f->kind = f->levels < 2 ? SL_FACTOR_CONSTANT
              : truths      ? SL_FACTOR_BOOLEAN
              : numbers     ? SL_FACTOR_NUMERIC
                            : SL_FACTOR_CATEGORICAL;
    if (f->kind != SL_FACTOR_NUMERIC)
        f->value = NULL;
    free(v);
}

/* Is the column one of "a,b"? */
static bool listed(const char *list, const char *name)
{
    size_t n = strlen(name);

    for (const char *s = list; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
        if (strcspn(s, ",") == n && !strncmp(s, name, n))
            return true;
    return false;
}

static void add_treatments(struct sl_runs *r, uint32_t factor)
{
    const struct sl_factor *f = &r->factor[factor];

    for (int32_t k = 1; k < f->levels; k++) {
        struct sl_treatment *t = sl_vec_add(&r->treatment);
        struct sl_buf name = {0};
        t->factor = factor;
        t->level = k;
        sl_buf_adds(&name, f->name);
        if (f->kind != SL_FACTOR_BOOLEAN)
            sl_buf_addf(&name, "=%s", f->level[k]);
        t->name = sl_arena_copy(&r->arena, name.s, name.n);
        sl_buf_free(&name);
    }
}

/* ---- factors that were not always there ---- */

static struct column *find_column(struct load *l, const char *name, size_t n)
{
    for (size_t i = 0; i < l->column.n; i++)
        if (i != l->score_column && strlen(l->column.v[i].name) == n && !strncmp(l->column.v[i].name, name, n))
            return &l->column.v[i];
    return NULL;
}

static bool of_truths(const struct column *c)
{
    for (uint32_t id = 1; id <= c->text.of.n; id++)
        if (truth(sl_intern_text(&c->text, id)) < 0)
            return false;
    return true;
}

/* Where `old` is known and a part is not, the part is as old was. */
static void give_to_part(struct load *l, const struct column *old, struct column *part)
{
    for (size_t i = 0; i < l->row.n; i++) {
        uint32_t *cells = l->cell.v + i * l->column.n, id = cells[old - l->column.v];
        const char *text = id ? sl_intern_text(&old->text, id) : NULL;
        if (id && !cells[part - l->column.v])
            cells[part - l->column.v] = sl_intern(&part->text, text, strlen(text));
    }
}

/* "old=a,b;other=c": runs from before the split have one level for all parts. */
static int apply_splits(struct load *l, const char *split, struct sl_err *err)
{
    for (const char *s = split; s && *s; s += strcspn(s, ";"), s += *s == ';') {
        size_t n = strcspn(s, "=;");
        struct column *old = find_column(l, s, n);
        if (s[n] != '=')
            return sl_err(err, SL_EUSAGE, "which factors was '%.*s' split into? Say OLD=NEW,NEW", (int)n, s);
        if (!old || !of_truths(old))
            return sl_err(err, SL_EUSAGE,
                          old ? "'%.*s' cannot have been split: it is no factor of 0 and 1"
                              : "there is no factor '%.*s' to split",
                          (int)n, s);
        for (s += n + 1; *s && *s != ';'; s += *s == ',') {
            struct column *part;
            n = strcspn(s, ",;");
            part = find_column(l, s, n);
            if (!part || part == old || !of_truths(part))
                return sl_err(err, SL_EUSAGE,
                              part ? "'%.*s' is no factor of 0 and 1 that %s could have been split into"
                                   : "there is no factor '%.*s' that %s was split into",
                              (int)n, s, old->name);
            give_to_part(l, old, part);
            s += n;
        }
        old->split = true;
    }
    return 0;
}

/* The base of a column, where one is stated; else NULL. */
static const char *stated_base(const struct load *l, const char *column)
{
    for (size_t i = l->base.n; i-- > 0;)
        if (!strcmp(l->base.v[i].factor, column))
            return l->base.v[i].level;
    return NULL;
}

/* Runs before the first one that has a level of a factor whose base is known were at that: the factor came later. */
static void join_at_base(struct load *l, uint32_t c, uint32_t base, const struct row *const *order, struct sl_factor *f)
{
    const size_t n = l->column.n, runs = l->r->n;

    while (f->joined < runs && !l->cell.v[(size_t)(order[f->joined] - l->row.v) * n + c])
        f->joined++;
    f->joined = f->joined < runs ? f->joined : 0;
    for (size_t i = 0; i < f->joined; i++)
        l->cell.v[(size_t)(order[i] - l->row.v) * n + c] = base;
}

static int by_time(const void *a, const void *b)
{
    const struct row *x = *(const struct row *const *)a, *y = *(const struct row *const *)b;
    return x->time_ns != y->time_ns ? (x->time_ns < y->time_ns ? -1 : 1) : x->span < y->span ? -1 : x->span > y->span;
}

static bool is_factor(const struct load *l, uint32_t c)
{
    const struct column *column = &l->column.v[c];
    return c != l->score_column && !column->split && !(l->time && !strcmp(l->time, column->name)) &&
           !(l->logs && !strcmp(l->logs, column->name)) && !listed(l->key, column->name) &&
           !listed(l->covariates, column->name);
}

static void arrays(struct load *l, const struct sl_question *q)
{
    struct sl_runs *r = l->r;
    bool with_failed = q->failed || q->limit > 0;
    const struct row **order = sl_alloc((l->row.n + 1) * sizeof *order);

    for (size_t i = 0; i < l->row.n; i++)
        if (isnan(l->row.v[i].score))
            r->failed++;
    for (size_t i = 0; i < l->row.n; i++)
        if (with_failed || !isnan(l->row.v[i].score))
            order[r->n++] = &l->row.v[i];
    qsort(order, r->n, sizeof *order, by_time);
    r->factor = sl_alloc(l->column.n * sizeof *r->factor);
    r->score = sl_alloc(r->n * sizeof *r->score);
    r->time_ns = sl_alloc(r->n * sizeof *r->time_ns);
    r->span = sl_alloc(r->n * sizeof *r->span);
    r->level = sl_alloc(r->n * l->column.n * sizeof *r->level);
    for (uint32_t c = 0; c < l->column.n; c++)
        r->factors += is_factor(l, c);
    for (uint32_t c = 0, f = 0; c < l->column.n; c++) {
        struct column *column = &l->column.v[c];
        const char *stated = q->verbatim ? NULL : stated_base(l, column->name);
        uint32_t base = stated ? sl_intern(&column->text, stated, strlen(stated)) : 0;
        bool *used = sl_alloc(column->text.of.n + 1);
        int32_t *rank = sl_alloc((column->text.of.n + 1) * sizeof *rank);
        if (is_factor(l, c)) {
            int32_t at;
            if (stated && r->time_name)
                join_at_base(l, c, base, order, &r->factor[f]);
            for (size_t i = 0; i < r->n; i++)
                used[l->cell.v[(size_t)(order[i] - l->row.v) * l->column.n + c]] = true;
            rank[0] = -1;
            make_factor(r, &r->factor[f], column, used, rank);
            at = base && used[base] ? rank[base] : -1;
            for (size_t i = 0; i < r->n; i++)
                r->level[i * r->factors + f] = rank[l->cell.v[(size_t)(order[i] - l->row.v) * l->column.n + c]];
            if (!q->verbatim) {
                sl_levels_identity(r, f);
                sl_levels_join(r, f);
            }
            if (q->coarse)
                sl_levels_coarsen(r, f, &at);
            if (stated)
                sl_levels_base(r, f, at);
            add_treatments(r, f++);
        }
        free(used);
        free(rank);
    }
    for (size_t i = 0; i < r->n; i++) {
        bool whole = true;
        r->score[i] = order[i]->score;
        r->time_ns[i] = order[i]->time_ns;
        r->span[i] = order[i]->span;
        for (size_t f = 0; f < r->factors; f++)
            whole &= r->level[i * r->factors + f] >= 0 || r->factor[f].levels < 2;
        r->incomplete += !whole;
    }
    free(order);
}

/* Scores as costs, or as rates, whichever they were measured as. */
static int to_rate(struct sl_runs *r, bool log, struct sl_err *err)
{
    for (size_t i = 0; i < r->n; i++) {
        if (r->score[i] <= 0 && (r->rate || r->more || log))
            return sl_err(err, SL_EUSAGE,
                          "a run has the score %g, of which there is no %s; leave it out with --where "
                          "'%s > 0'",
                          r->score[i], log ? "logarithm" : "rate", r->score_name);
        if (r->rate != r->more)
            r->score[i] = r->unit.rate_per / r->score[i];
    }
    r->scored = r->rate ? r->unit.rate : r->unit.cost;
    return 0;
}

int sl_runs_check_log(const struct sl_runs *r, struct sl_err *err)
{
    for (size_t i = 0; i < r->n; i++)
        if (!(r->score[i] > 0))
            return sl_err(err, SL_EUSAGE,
                          "a run has the score %g, of which there is no logarithm; leave it out with "
                          "--where '%s > 0'",
                          r->score[i], r->score_name);
    return 0;
}

int sl_runs_load(struct sl_runs *out, sqlite3 *db, const struct sl_question *q, struct sl_err *err)
{
    struct load l = {.r = out};
    int rc;

    *out = (struct sl_runs){.rate = q->rate, .db = db};
    rc = find_experiment(&l, db, q->experiment, err);
    if (!rc)
        rc = load_about(&l, db, err);
    if (!rc)
        rc = load_shapes(&l, db, err);
    if (!rc)
        rc = load_rows(&l, db, q->where, err);
    if (!rc && l.twice)
        rc = sl_err(err, SL_EFORMAT,
                    "run %s is told in two ways, which differ in %s: are these two runs? Then import them with --key "
                    "and the columns that tell runs apart; see both: spanloom sql \"SELECT * FROM attributes WHERE "
                    "span IN (SELECT id FROM spans WHERE type = 'experiment.run' AND key = '%s')\"",
                    l.twice, l.twice_what, l.twice);
    if (!rc && q->split && !q->verbatim)
        rc = apply_splits(&l, q->split, err);
    if (!rc) {
        arrays(&l, q);
        if (!out->n && !out->failed)
            rc = sl_err(err, SL_ENOTFOUND, "experiment '%s' has no run%s%s", out->experiment,
                        q->where ? " that fulfils: " : "", q->where ? q->where : "");
        else if (!out->n || (out->n == out->failed && !q->failed))
            rc = sl_err(err, SL_ENOTFOUND, "all %zu runs of experiment '%s'%s%s failed: there is no score", out->failed,
                        out->experiment, q->where ? " that fulfil: " : "", q->where ? q->where : "");
    }
    if (!rc)
        rc = to_rate(out, q->log, err);
    for (size_t i = 0; i < l.column.n; i++)
        sl_intern_free(&l.column.v[i].text);
    sl_vec_free(&l.column);
    sl_vec_free(&l.base);
    sl_vec_free(&l.place);
    sl_vec_free(&l.row);
    sl_vec_free(&l.cell);
    if (rc)
        sl_runs_free(out);
    return rc;
}

void sl_runs_free(struct sl_runs *r)
{
    free(r->factor);
    free(r->level);
    free(r->score);
    free(r->time_ns);
    free(r->span);
    sl_vec_free(&r->treatment);
    sl_arena_free(&r->arena);
    *r = (struct sl_runs){0};
}
