/* SPDX-License-Identifier: Apache-2.0 */
#include "result/table.h"
#include "base/buf.h"
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
    return rc == SQLITE_DONE
               ? sl_store_failed(t->origin ? t->origin : t->name, err)
               : sl_err(err, SL_ESTORE, "%s: %s", t->origin ? t->origin : t->name, sl_sqlite_words(t->db));
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

/* ---- for SQL ---- */

static void bind_cell(sqlite3_stmt *s, int at, const struct sl_table *t, int column)
{
    size_t n;

    switch (sl_table_type(t, column)) {
    case SQLITE_INTEGER: sqlite3_bind_int64(s, at, sl_table_int(t, column)); break;
    case SQLITE_FLOAT: sqlite3_bind_double(s, at, sl_table_real(t, column)); break;
    case SQLITE_NULL: sqlite3_bind_null(s, at); break;
    default: {
        const char *text = sl_table_text(t, column, &n);
        sqlite3_bind_text64(s, at, text, n, SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    }
}

static int temporary(struct sl_table *t, struct sl_store *st, const char *prefix, struct sl_err *err)
{
    bool own = !strcmp(t->name, prefix);
    struct sl_buf make = {0}, insert = {0};
    sqlite3_stmt *s = NULL;
    int rc;

    sl_buf_addf(&make, "CREATE TEMP TABLE %s%s%s (", prefix, own ? "" : "_", own ? "" : t->name);
    sl_buf_addf(&insert, "INSERT INTO temp.%s%s%s VALUES (", prefix, own ? "" : "_", own ? "" : t->name);
    for (int i = 0; i < t->columns; i++) {
        sl_buf_addf(&make, "%s\"%s\"", i ? ", " : "", t->column[i].name);
        sl_buf_adds(&insert, i ? ", ?" : "?");
    }
    sl_buf_addc(&make, ')');
    sl_buf_addc(&insert, ')');
    rc = sl_store_exec(st, make.s, err);
    if (!rc && !(s = sl_store_prepare(st, insert.s, err)))
        rc = SL_ESTORE;
    sl_table_rewind(t);
    while (!rc && (rc = sl_table_next(t, err)) > 0) {
        for (int i = 0; i < t->columns; i++)
            bind_cell(s, i + 1, t, i);
        rc = sl_store_write(st, s, err);
    }
    sqlite3_finalize(s);
    sl_buf_free(&make);
    sl_buf_free(&insert);
    return rc;
}

int sl_result_temporary(const struct sl_result *r, struct sl_store *st, const char *prefix, struct sl_err *err)
{
    int rc = sl_store_exec(st, "PRAGMA query_only = 0", err);

    for (size_t i = 0; i < r->table.n && !rc; i++)
        rc = temporary(r->table.v[i], st, prefix, err);
    sl_store_exec(st, "PRAGMA query_only = 1", NULL);
    return rc;
}
