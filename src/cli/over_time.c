/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/over_time.h"
#include "base/buf.h"
#include "base/mem.h"
#include "result/find_span.h"

#include <stdlib.h>
#include <string.h>

/* Without what ends it, so that it can stand inside of ours. */
static char *bare(const char *sql)
{
    size_t n = sql ? strlen(sql) : 0;

    while (n && strchr("; \t\r\n", sql[n - 1]))
        n--;
    return sql ? sl_strndup(sql, n) : NULL;
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

int plot_open(struct plot *p, const struct cli *cli)
{
    const char *bin = cli_option(cli, "bin");
    struct sl_err err = {0};
    char *end;

    *p = (struct plot){.cli = cli};
    if (bin) {
        p->bin_s = strtod(bin, &end);
        if (!*bin || *end || !(p->bin_s >= 1e-9 && p->bin_s <= 9e9))
            return cli_usage(cli, "--bin needs seconds, such as 60 or 0.5, not '%s'", bin);
    }
    if (!(p->st = cli_open(cli)))
        return EXIT_FAILED;
    p->sql = bare(cli_option(cli, "sql"));
    sqlite3_create_function(p->st->db, "sl_number", 2, SQLITE_UTF8, NULL, number, NULL, NULL);
    if (sl_find_run(p->st, cli_option(cli, "run"), &p->within, &err))
        return plot_close(p, err.code, &err);
    return EXIT_DONE;
}

int plot_close(struct plot *p, int rc, const struct sl_err *err)
{
    sl_store_close(p->st);
    free(p->sql);
    p->sql = NULL;
    return rc < 0 ? cli_fail(p->cli, err) : rc;
}

sqlite3_stmt *plot_prepare(struct plot *p, const char *sql, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(p->st, sql, err);

    if (q && p->arg)
        sqlite3_bind_text(q, 1, p->arg, -1, SQLITE_STATIC);
    if (q && p->bin_s > 0)
        sqlite3_bind_double(q, 2, p->bin_s);
    if (q && p->within)
        sqlite3_bind_int64(q, 3, p->within);
    return q;
}

int plot_bin(struct plot *p, const char *range, int bins, struct sl_err *err)
{
    sqlite3_stmt *q;
    int rc;

    if (p->bin_s > 0)
        return 0;
    if (!(q = plot_prepare(p, range, err)))
        return SL_ESTORE;
    rc = sl_store_step(p->st, q, err);
    if (rc > 0 && sqlite3_column_type(q, 0) != SQLITE_NULL) {
        double range_s = ((double)sqlite3_column_int64(q, 1) - (double)sqlite3_column_int64(q, 0)) / 1e9;
        p->bin_s = sl_show_round(range_s > 0 ? range_s / bins : 1);
        rc = 0;
    } else if (rc >= 0) {
        rc = 1;
    }
    sqlite3_finalize(q);
    return rc;
}

/* ---- the user's query ---- */

static bool has(sqlite3_stmt *q, const char *column)
{
    for (int i = 0; i < sqlite3_column_count(q); i++)
        if (!sqlite3_stricmp(sqlite3_column_name(q, i), column))
            return true;
    return false;
}

static sqlite3_stmt *prepare_user(struct plot *p, struct sl_err *err)
{
    char *sql = sqlite3_mprintf("SELECT * FROM (%s\n)", p->sql);
    sqlite3_stmt *q = sl_store_prepare(p->st, sql, err);

    if (!q)
        sl_err_wrap(err, "--sql");
    sqlite3_free(sql);
    return q;
}

bool plot_has(struct plot *p, const char *column)
{
    sqlite3_stmt *q = prepare_user(p, NULL);
    bool yes = q && (!column || has(q, column));

    sqlite3_finalize(q);
    return yes;
}

static int check_columns(sqlite3_stmt *q, const char *const *columns, struct sl_err *err)
{
    struct sl_buf all = {0};
    int rc = 0;

    for (int i = 0; columns[i]; i++)
        if (*columns[i] != '?')
            sl_buf_addf(&all, "%s%s", all.n ? ", " : "", columns[i]);
    for (int i = 0; columns[i] && !rc; i++)
        if (*columns[i] != '?' && !has(q, columns[i]))
            rc = sl_err(err, SL_EUSAGE, "--sql: the query has no column %s; it needs: %s", columns[i], all.s);
    sl_buf_free(&all);
    return rc;
}

sqlite3_stmt *plot_user(struct plot *p, const char *const *columns, const char *order, struct sl_err *err)
{
    sqlite3_stmt *q = prepare_user(p, err), *chosen = NULL;
    struct sl_buf sql = {0};

    if (q && !check_columns(q, columns, err)) {
        for (int i = 0; columns[i]; i++) {
            const char *name = columns[i] + (*columns[i] == '?');
            const char *form = !has(q, name)            ? "%sNULL AS %s"
                               : !strcmp(name, "state") ? "%s%s"
                                                        : "%ssl_number(%s, '%s') AS %s";
            sl_buf_addf(&sql, form, i ? ", " : "SELECT ", name, name, name);
        }
        sl_buf_addf(&sql, " FROM (%s\n)", p->sql);
        if (order)
            sl_buf_addf(&sql, " ORDER BY %s", order);
        chosen = sl_store_prepare(p->st, sql.s, err);
    }
    sqlite3_finalize(q);
    sl_buf_free(&sql);
    return chosen;
}

int plot_rows(struct plot *p, const char *sql)
{
    struct sl_err err = {0};
    sqlite3_stmt *q = p->sql ? prepare_user(p, &err) : plot_prepare(p, sql, &err);

    if (!q || sl_show_query(stdout, q, p->cli->format, p->sql ? "--sql" : p->st->path, &err) < 0)
        return cli_fail(p->cli, &err);
    return EXIT_DONE;
}
