/* SPDX-License-Identifier: Apache-2.0 */
#include "result/table.h"
#include "analyse/sqlfn/table_function.h"
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

struct sl_table *sl_result_rows(struct sl_result *r, const char *name, const struct sl_columns *columns)
{
    struct sl_table *t = add(r, name, columns->v, columns->n);

    t->memory.columns = columns;
    return t;
}

struct sl_table *sl_result_query_rows(struct sl_result *r, const char *name, const struct sl_columns *columns,
                                      sqlite3_stmt *q)
{
    struct sl_table *t = sl_result_query(r, name, columns->v, columns->n, q);

    t->memory.columns = columns;
    return t;
}

/* Rows of so many values, each of any type. */
static void lay_out(struct sl_table *t)
{
    struct sl_column *column = sl_alloc((size_t)t->columns * sizeof *column + 1);

    for (int i = 0; i < t->columns; i++)
        column[i] = (struct sl_column){.type = SL_COLUMN_ANY, .offset = (size_t)i * sizeof(struct sl_cell)};
    t->layout = (struct sl_columns){column, t->columns, (size_t)t->columns * sizeof(struct sl_cell)};
    t->memory.columns = &t->layout;
}

struct sl_table *sl_result_table(struct sl_result *r, const char *name, const struct sl_column *column, int columns)
{
    struct sl_table *t = add(r, name, column, columns);

    lay_out(t);
    return t;
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
        t->own[i].name = sl_arena_copy(&t->memory.text, sqlite3_column_name(q, i), strlen(sqlite3_column_name(q, i)));
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
        sl_rows_free(&t->memory);
        free((void *)(uintptr_t)t->layout.v);
        free(t->own);
        free(t);
    }
    sl_vec_free(&r->table);
    *r = (struct sl_result){0};
}

/* ---- filling ---- */

void *sl_table_add(struct sl_table *t)
{
    t->rows++;
    return sl_rows_add(&t->memory);
}

const char *sl_table_keep(struct sl_table *t, const char *s)
{
    return sl_rows_text(&t->memory, s);
}

static void *member(const struct sl_table *t, size_t row, int column)
{
    return (char *)sl_rows_at(&t->memory, row) + t->memory.columns->v[column].offset;
}

/* A value into a member of its type, or of any. */
static void put(struct sl_table *t, int column, struct sl_cell c)
{
    void *to = member(t, t->rows - 1, column);

    switch (t->memory.columns->v[column].type) {
    case SL_COLUMN_INTEGER:
        *(int64_t *)to = c.type == SQLITE_INTEGER ? c.i : c.type == SQLITE_FLOAT ? (int64_t)c.d : SL_NULL_INTEGER;
        break;
    case SL_COLUMN_REAL:
        *(double *)to = c.type == SQLITE_INTEGER ? (double)c.i : c.type == SQLITE_FLOAT ? c.d : NAN;
        break;
    case SL_COLUMN_TEXT: *(const char **)to = c.s; break;
    default: *(struct sl_cell *)to = c;
    }
}

void sl_table_put_null(struct sl_table *t, int column)
{
    put(t, column, (struct sl_cell){0});
}

void sl_table_put_int(struct sl_table *t, int column, int64_t i)
{
    put(t, column, (struct sl_cell){.type = SQLITE_INTEGER, .i = i});
}

void sl_table_put_real(struct sl_table *t, int column, double d)
{
    if (d == d)
        put(t, column, (struct sl_cell){.type = SQLITE_FLOAT, .d = d});
}

void sl_table_put_text(struct sl_table *t, int column, const char *s)
{
    if (s)
        put(t, column, sl_rows_own(&t->memory, (struct sl_cell){SQLITE_TEXT, (uint32_t)strlen(s), {.s = s}}));
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

const void *sl_table_at(const struct sl_table *t, size_t i)
{
    return sl_rows_at(&t->memory, i);
}

const void *sl_table_here(struct sl_table *t)
{
    if (!t->query)
        return sl_table_at(t, t->at - 1);
    t->memory.n = 0;
    sl_row_of_query(t->memory.columns, sl_rows_add(&t->memory), t->query);
    return t->memory.v;
}

int sl_table_column(const struct sl_table *t, const char *name)
{
    for (int i = 0; i < t->columns; i++)
        if (!strcmp(t->column[i].name, name))
            return i;
    return -1;
}

const void *sl_table_row(struct sl_table *t, struct sl_err *err)
{
    return t && sl_table_next(t, err) > 0 ? sl_table_here(t) : NULL;
}

/* The value in memory, whatever its member's type; a text without its length. */
static struct sl_cell cell(const struct sl_table *t, int column)
{
    const void *at = member(t, t->at - 1, column);
    struct sl_cell c = {0};

    switch (t->memory.columns->v[column].type) {
    case SL_COLUMN_INTEGER:
        c.i = *(const int64_t *)at;
        c.type = c.i == SL_NULL_INTEGER ? 0 : SQLITE_INTEGER;
        break;
    case SL_COLUMN_REAL:
        c.d = *(const double *)at;
        c.type = c.d != c.d ? 0 : SQLITE_FLOAT;
        break;
    case SL_COLUMN_TEXT:
        c.s = *(const char *const *)at;
        c.type = c.s ? SQLITE_TEXT : 0;
        break;
    default: c = *(const struct sl_cell *)at;
    }
    return c;
}

int sl_table_type(const struct sl_table *t, int column)
{
    int type = t->query ? sqlite3_column_type(t->query, column) : cell(t, column).type;

    return type ? type : SQLITE_NULL;
}

bool sl_table_is_null(const struct sl_table *t, int column)
{
    return sl_table_type(t, column) == SQLITE_NULL;
}

int64_t sl_table_int(const struct sl_table *t, int column)
{
    struct sl_cell c;

    if (t->query)
        return sqlite3_column_int64(t->query, column);
    c = cell(t, column);
    return c.type == SQLITE_INTEGER ? c.i : c.type == SQLITE_FLOAT ? (int64_t)c.d : 0;
}

double sl_table_real(const struct sl_table *t, int column)
{
    struct sl_cell c;

    if (t->query)
        return sqlite3_column_double(t->query, column);
    c = cell(t, column);
    return c.type == SQLITE_FLOAT ? c.d : c.type == SQLITE_INTEGER ? (double)c.i : 0;
}

double sl_table_real_or_nan(const struct sl_table *t, int column)
{
    return sl_table_is_null(t, column) ? NAN : sl_table_real(t, column);
}

const char *sl_table_text(const struct sl_table *t, int column, size_t *n)
{
    struct sl_cell c;
    const char *s;

    if (t->query) {
        s = (const char *)sqlite3_column_text(t->query, column);
        if (n)
            *n = (size_t)sqlite3_column_bytes(t->query, column);
        return s;
    }
    c = cell(t, column);
    if (c.type != SQLITE_TEXT)
        c.s = NULL;
    if (n)
        *n = c.s ? strlen(c.s) : 0;
    return c.s;
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
