/* SPDX-License-Identifier: Apache-2.0 */
#include "result/over_time/over_time.h"
#include "analyse/bins.h"
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>

char *sl_sql_bare(const char *sql)
{
    size_t n = sql ? strlen(sql) : 0;

    while (n && strchr("; \t\r\n", sql[n - 1]))
        n--;
    return sql ? sl_strndup(sql, n) : NULL;
}

int sl_over_time_bin(struct sl_over_time *q, const char *range, int bins, struct sl_err *err)
{
    sqlite3_stmt *s;
    int rc;

    if (q->bin_s > 0)
        return 0;
    if (!(s = sl_over_time_prepare(q, range, err)))
        return SL_ESTORE;
    rc = sl_store_step(q->st, s, err);
    if (rc > 0 && sqlite3_column_type(s, 0) != SQLITE_NULL) {
        double range_s = ((double)sqlite3_column_int64(s, 1) - (double)sqlite3_column_int64(s, 0)) / 1e9;
        q->bin_s = sl_round_seconds(range_s > 0 ? range_s / bins : 1);
        rc = 0;
    } else if (rc >= 0) {
        rc = 1;
    }
    sqlite3_finalize(s);
    return rc;
}

sqlite3_stmt *sl_over_time_prepare(const struct sl_over_time *q, const char *sql, struct sl_err *err)
{
    sqlite3_stmt *s = sl_store_prepare(q->st, sql, err);
    char bins[40];

    if (s && q->about)
        sqlite3_bind_text(s, 1, q->about, -1, SQLITE_TRANSIENT);
    snprintf(bins, sizeof bins, "%d bins", q->bins);
    if (s && q->bin_s > 0)
        sqlite3_bind_double(s, 2, q->bin_s);
    else if (s && q->bins)
        sqlite3_bind_text(s, 2, bins, -1, SQLITE_TRANSIENT);
    if (s && q->within)
        sqlite3_bind_int64(s, 3, q->within);
    return s;
}

/* ---- by group ---- */

char *sl_over_time_by(const char *sql, const char *by)
{
    struct sl_buf b = {0};

    for (const char *at; (at = strstr(sql, "BY_WORD")); sql = at + strlen("BY_WORD")) {
        sl_buf_add(&b, sql, (size_t)(at - sql));
        sl_buf_adds(&b, by);
    }
    sl_buf_adds(&b, sql);
    return b.s;
}

struct sl_table *sl_over_time_named(struct sl_result *r, const struct sl_over_time *q, const char *name,
                                    const struct sl_column *column, int columns, bool before)
{
    struct sl_table *t = sl_result_table(r, name, NULL, columns + before);

    t->own = sl_alloc((size_t)(columns + before) * sizeof *t->own);
    memcpy(t->own + before, column, (size_t)columns * sizeof *column);
    t->own[0] = (struct sl_column){q->by, SL_COLUMN_TEXT, NULL, NULL, 0};
    t->column = t->own;
    return t;
}

int sl_over_time_grouped(struct sl_result *r, const struct sl_over_time *q, const char *name, const char *sql,
                         struct sl_err *err)
{
    char *text = sl_over_time_by(sql, q->by);
    sqlite3_stmt *s = sl_over_time_prepare(q, text, err);

    free(text);
    if (!s)
        return SL_ESTORE;
    sl_result_query(r, name, NULL, 0, s)->origin = q->st->path;
    return 0;
}

/* ---- the user's query ---- */

static bool has(sqlite3_stmt *s, const char *column)
{
    for (int i = 0; i < sqlite3_column_count(s); i++)
        if (!sqlite3_stricmp(sqlite3_column_name(s, i), column))
            return true;
    return false;
}

/* sl_number(x, name): x, where it is a number or NULL. */
static void number(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    int type = sqlite3_value_numeric_type(argv[0]);

    (void)argc;
    if (type == SQLITE_INTEGER || type == SQLITE_FLOAT || type == SQLITE_NULL) {
        sqlite3_result_value(out, argv[0]);
        return;
    }
    char *why = sqlite3_mprintf("the column %s has '%.40s', which is no number", sqlite3_value_text(argv[1]),
                                type == SQLITE_BLOB ? "(bytes)" : (const char *)sqlite3_value_text(argv[0]));
    sqlite3_result_error(out, why, -1);
    sqlite3_free(why);
}

void sl_over_time_number(sqlite3 *db)
{
    sqlite3_create_function(db, "sl_number", 2, SQLITE_UTF8, NULL, number, NULL, NULL);
}

static sqlite3_stmt *prepare_user(const struct sl_over_time *q, struct sl_err *err)
{
    char *sql = sqlite3_mprintf("SELECT * FROM (%s\n)", q->sql);
    sqlite3_stmt *s;

    /* For what stands around the query; everything about it begins here. */
    sl_over_time_number(q->st->db);
    s = sl_store_prepare(q->st, sql, err);
    if (!s)
        sl_err_wrap(err, "--sql");
    sqlite3_free(sql);
    return s;
}

int sl_over_time_rows(struct sl_result *r, const struct sl_over_time *q, const char *name, const char *sql,
                      const struct sl_column *column, int columns, struct sl_err *err)
{
    sqlite3_stmt *s = q->sql ? prepare_user(q, err) : sl_over_time_prepare(q, sql, err);

    if (!s)
        return SL_ESTORE;
    sl_result_query(r, name, q->sql ? NULL : column, columns, s)->origin = q->sql ? "--sql" : q->st->path;
    return 0;
}

bool sl_over_time_has(const struct sl_over_time *q, const char *column)
{
    sqlite3_stmt *s = prepare_user(q, NULL);
    bool yes = s && (!column || has(s, column));

    sqlite3_finalize(s);
    return yes;
}

static int check_columns(sqlite3_stmt *s, const char *const *columns, struct sl_err *err)
{
    struct sl_buf all = {0};
    int rc = 0;

    for (int i = 0; columns[i]; i++)
        if (*columns[i] != '?')
            sl_buf_addf(&all, "%s%s", all.n ? ", " : "", columns[i]);
    for (int i = 0; columns[i] && !rc; i++)
        if (*columns[i] != '?' && !has(s, columns[i]))
            rc = sl_err(err, SL_EUSAGE, "--sql: the query has no column %s; it needs: %s", columns[i], all.s);
    sl_buf_free(&all);
    return rc;
}

sqlite3_stmt *sl_over_time_user(const struct sl_over_time *q, const char *const *columns, const char *order,
                                struct sl_err *err)
{
    sqlite3_stmt *s = prepare_user(q, err), *chosen = NULL;
    struct sl_buf sql = {0};

    if (s && !check_columns(s, columns, err)) {
        for (int i = 0; columns[i]; i++) {
            const char *name = columns[i] + (*columns[i] == '?');
            const char *form = !has(s, name)            ? "%sNULL AS %s"
                               : !strcmp(name, "state") ? "%s%s"
                                                        : "%ssl_number(%s, '%s') AS %s";
            sl_buf_addf(&sql, form, i ? ", " : "SELECT ", name, name, name);
        }
        sl_buf_addf(&sql, " FROM (%s\n)", q->sql);
        if (order)
            sl_buf_addf(&sql, " ORDER BY %s", order);
        chosen = sl_store_prepare(q->st, sql.s, err);
    }
    sqlite3_finalize(s);
    sl_buf_free(&sql);
    return chosen;
}
