/* SPDX-License-Identifier: Apache-2.0 */
#include "result/table.h"
#include "store/store.h"

#include <math.h>
#include <stdlib.h>

static struct sl_table *add(struct sl_result *r, const char *name, const struct sl_column *column, int columns)
{
    struct sl_table *t = sl_alloc(sizeof *t);

    *t = (struct sl_table){.name = name, .column = column, .columns = columns};
    return *sl_vec_add(&r->table) = t;
}

struct sl_table *sl_result_table(struct sl_result *r, const char *name, const struct sl_column *column, int columns)
{
    return add(r, name, column, columns);
}

struct sl_table *sl_result_query(struct sl_result *r, const char *name, const struct sl_column *column, int columns,
                                 sqlite3_stmt *q)
{
    struct sl_table *t = add(r, name, column, columns);

    t->query = q;
    t->db = sqlite3_db_handle(q);
    if (column)
        return t;
    t->columns = sqlite3_column_count(q);
    t->own = sl_alloc(((size_t)t->columns + 1) * sizeof *t->own);
    for (int i = 0; i < t->columns; i++)
        t->own[i].name = sl_arena_copy(&t->text, sqlite3_column_name(q, i), strlen(sqlite3_column_name(q, i)));
    t->column = t->own;
    return t;
}

struct sl_table *sl_result_sql(struct sl_result *r, struct sl_store *st, const char *name,
                               const struct sl_column *column, int columns, const char *sql, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(st, sql, err);
    struct sl_table *t = q ? sl_result_query(r, name, column, columns, q) : NULL;

    if (t)
        t->origin = st->path;
    return t;
}

struct sl_table *sl_result_find(const struct sl_result *r, const char *name)
{
    for (size_t i = 0; i < r->table.n; i++)
        if (!strcmp(r->table.v[i]->name, name))
            return r->table.v[i];
    return NULL;
}

void sl_result_free(struct sl_result *r)
{
    for (size_t i = 0; i < r->table.n; i++) {
        struct sl_table *t = r->table.v[i];
        sqlite3_finalize(t->query);
        sl_vec_free(&t->cell);
        sl_arena_free(&t->text);
        free(t->own);
        free(t);
    }
    sl_vec_free(&r->table);
    *r = (struct sl_result){0};
}

/* ---- filling ---- */

void sl_table_add(struct sl_table *t)
{
    t->rows++;
    for (int i = 0; i < t->columns; i++)
        sl_vec_add(&t->cell)->type = SQLITE_NULL;
}

static struct sl_cell *last_row(struct sl_table *t, int column)
{
    return &t->cell.v[(t->rows - 1) * (size_t)t->columns + (size_t)column];
}

void sl_table_put_int(struct sl_table *t, int column, int64_t i)
{
    *last_row(t, column) = (struct sl_cell){.type = SQLITE_INTEGER, .i = i};
}

void sl_table_put_real(struct sl_table *t, int column, double d)
{
    if (d == d)
        *last_row(t, column) = (struct sl_cell){.type = SQLITE_FLOAT, .d = d};
}

void sl_table_put_text(struct sl_table *t, int column, const char *s)
{
    size_t n;

    if (!s)
        return;
    n = strlen(s);
    *last_row(t, column) = (struct sl_cell){.type = SQLITE_TEXT, .n = (uint32_t)n, .s = sl_arena_copy(&t->text, s, n)};
}

/* ---- reading ---- */

int sl_table_next(struct sl_table *t, struct sl_err *err)
{
    int rc;

    if (t->ended)
        return 0;
    if (!t->query)
        return t->at < t->rows ? (t->at++, 1) : 0;
    rc = sqlite3_step(t->query);
    if (rc == SQLITE_ROW) {
        t->at++;
        return 1;
    }
    t->ended = true; /* another step would begin again */
    return rc == SQLITE_DONE ? 0
                             : sl_err(err, SL_ESTORE, "%s: %s", t->origin ? t->origin : t->name, sqlite3_errmsg(t->db));
}

void sl_table_rewind(struct sl_table *t)
{
    if (t->query)
        sqlite3_reset(t->query);
    t->at = 0;
    t->ended = false;
}

static const struct sl_cell *cell(const struct sl_table *t, int column)
{
    return &t->cell.v[(t->at - 1) * (size_t)t->columns + (size_t)column];
}

int sl_table_type(const struct sl_table *t, int column)
{
    return t->query ? sqlite3_column_type(t->query, column) : cell(t, column)->type;
}

bool sl_table_is_null(const struct sl_table *t, int column)
{
    return sl_table_type(t, column) == SQLITE_NULL;
}

int64_t sl_table_int(const struct sl_table *t, int column)
{
    const struct sl_cell *c;

    if (t->query)
        return sqlite3_column_int64(t->query, column);
    c = cell(t, column);
    return c->type == SQLITE_INTEGER ? c->i : c->type == SQLITE_FLOAT ? (int64_t)c->d : 0;
}

double sl_table_real(const struct sl_table *t, int column)
{
    const struct sl_cell *c;

    if (t->query)
        return sqlite3_column_double(t->query, column);
    c = cell(t, column);
    return c->type == SQLITE_FLOAT ? c->d : c->type == SQLITE_INTEGER ? (double)c->i : 0;
}

double sl_table_real_or_nan(const struct sl_table *t, int column)
{
    return sl_table_is_null(t, column) ? NAN : sl_table_real(t, column);
}

const char *sl_table_text(const struct sl_table *t, int column, size_t *n)
{
    const struct sl_cell *c;
    const char *s;

    if (t->query) {
        s = (const char *)sqlite3_column_text(t->query, column);
        if (n)
            *n = (size_t)sqlite3_column_bytes(t->query, column);
        return s;
    }
    c = cell(t, column);
    if (n)
        *n = c->type == SQLITE_TEXT ? c->n : 0;
    return c->type == SQLITE_TEXT ? c->s : NULL;
}

const char *sl_table_text_or_empty(const struct sl_table *t, int column)
{
    const char *s = sl_table_text(t, column, NULL);
    return s ? s : "";
}
