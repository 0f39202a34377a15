/* SPDX-License-Identifier: Apache-2.0 */
#include "store/row_source.h"

#include "base/mem.h"

#include <stdlib.h>

struct rows_table {
    sqlite3_vtab base;
    const struct sl_row_source **current;
};

struct rows_cursor {
    sqlite3_vtab_cursor base;
    const struct sl_row_source *rows;
    size_t at;
};

static int rows_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **why)
{
    struct rows_table *t;

    (void)argc, (void)argv, (void)why;
    if (sqlite3_declare_vtab(db, "CREATE TABLE x(c0, c1, c2, c3, c4, c5, c6, c7, c8)") != SQLITE_OK)
        return SQLITE_ERROR;
    t = sl_alloc(sizeof *t);
    t->current = aux;
    *out = &t->base;
    return SQLITE_OK;
}

static int rows_disconnect(sqlite3_vtab *t)
{
    free(t);
    return SQLITE_OK;
}

static int rows_best_index(sqlite3_vtab *t, sqlite3_index_info *info)
{
    (void)t;
    info->estimatedCost = 1e6;
    return SQLITE_OK;
}

static int rows_open(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
    struct rows_cursor *c = sl_alloc(sizeof *c);

    c->rows = *((struct rows_table *)t)->current;
    *out = &c->base;
    return SQLITE_OK;
}

static int rows_close(sqlite3_vtab_cursor *c)
{
    free(c);
    return SQLITE_OK;
}

static int rows_filter(sqlite3_vtab_cursor *c, int num, const char *str, int argc, sqlite3_value **argv)
{
    (void)num, (void)str, (void)argc, (void)argv;
    ((struct rows_cursor *)c)->at = 0;
    return SQLITE_OK;
}

static int rows_next(sqlite3_vtab_cursor *c)
{
    ((struct rows_cursor *)c)->at++;
    return SQLITE_OK;
}

static int rows_eof(sqlite3_vtab_cursor *c)
{
    struct rows_cursor *r = (struct rows_cursor *)c;
    return !r->rows || r->at >= r->rows->n;
}

static int rows_column(sqlite3_vtab_cursor *c, sqlite3_context *out, int col)
{
    struct rows_cursor *r = (struct rows_cursor *)c;
    r->rows->column(r->rows->of, r->at, col, out);
    return SQLITE_OK;
}

static int rows_rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)((struct rows_cursor *)c)->at;
    return SQLITE_OK;
}

static const sqlite3_module rows_module = {
    .xConnect = rows_connect, /* no xCreate: eponymous only */
    .xBestIndex = rows_best_index,
    .xDisconnect = rows_disconnect,
    .xOpen = rows_open,
    .xClose = rows_close,
    .xFilter = rows_filter,
    .xNext = rows_next,
    .xEof = rows_eof,
    .xColumn = rows_column,
    .xRowid = rows_rowid,
};

void sl_row_source_register(sqlite3 *db, const struct sl_row_source **current)
{
    sqlite3_create_module(db, "sl_rows", &rows_module, current);
}
