/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "findings/why_internal.h"
#include "findings_otel.sql.h"
#include "findings_programs.sql.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEXT SL_COLUMN_TEXT
#define INTEGER SL_COLUMN_INTEGER
#define REAL SL_COLUMN_REAL

static const struct sl_column program_columns[] = {
    {"programs", TEXT, NULL, NULL, 0},  {"start_ns", INTEGER, "ns", NULL, 0},  {"end_ns", INTEGER, "ns", NULL, 0},
    {"makespan_s", REAL, "s", NULL, 0}, {"processes", INTEGER, NULL, NULL, 0}, {"threads", INTEGER, NULL, NULL, 0},
    {"ranks", INTEGER, NULL, NULL, 0},  {"hosts", INTEGER, NULL, NULL, 0},     {"calls", INTEGER, "calls", NULL, 0},
    {"runs", INTEGER, NULL, NULL, 0}};
static const struct sl_column went_columns[] = {{"what", TEXT, NULL, NULL, 0}, {"seconds", REAL, "s", NULL, 0}};

static int is_there(struct sl_store *st, const char *sql, const char *path, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(st, sql, err);
    int rc = SL_ESTORE;

    if (q && path)
        sqlite3_bind_text(q, 1, path, -1, SQLITE_TRANSIENT);
    if (q && (rc = sl_store_step(st, q, err)) > 0)
        rc = sqlite3_column_int(q, 0);
    sqlite3_finalize(q);
    return rc;
}

int sl_why_programs_are_there(struct sl_store *st, const char *path, struct sl_err *err)
{
    int rc = is_there(st, sql_is_there, path, err);

    return rc ? rc : is_there(st, sql_otel_is_there, path, err);
}

/* Puts words in the place of a name in SQL. */
static void put(struct sl_buf *sql, const char *text, const char *name, const char *words)
{
    const char *next;

    for (; (next = strstr(text, name)); text = next + strlen(name)) {
        sl_buf_add(sql, text, (size_t)(next - text));
        sl_buf_adds(sql, words);
    }
    sl_buf_adds(sql, text);
}

static int make(struct sl_store *st, const char *tables, const char *path, const char *within, struct sl_err *err)
{
    char *word = sqlite3_mprintf("%Q", path), *ids = sqlite3_mprintf("%Q", within);
    struct sl_buf some = {0}, sql = {0};
    int rc;

    put(&some, tables, "WITHIN", ids);
    put(&sql, some.s, "PATH", word);
    rc = sl_store_temporary(st, sql.s, err);
    sl_buf_free(&some);
    sl_buf_free(&sql);
    sqlite3_free(word);
    sqlite3_free(ids);
    return rc;
}

int sl_why_find_ranks(struct why *y, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(y->st, sql_ranks, err);
    int rc = q ? sl_store_step(y->st, q, err) : SL_ESTORE;
    char *processes = NULL;

    if (rc > 0) {
        y->task.key = sl_strdup((const char *)sqlite3_column_text(q, 0));
        y->task.name = sl_strdup((const char *)sqlite3_column_text(q, 1));
        y->task.run_s = sqlite3_column_double(q, 2);
        processes = sl_strdup((const char *)sqlite3_column_text(q, 3));
    }
    sqlite3_finalize(q);
    if (processes)
        rc = make(y->st, sql_programs, NULL, processes, err);
    free(processes);
    return rc < 0 ? rc : 0;
}

int sl_why_programs(struct sl_result *r, struct sl_store *st, const char *path, const struct sl_findings *findings,
                    struct sl_err *err)
{
    static const char *const more[][2] = {{"which functions", "spanloom profile"},
                                          {"on a line of time", "spanloom export perfetto -o run.pftrace"}};
    struct why y = {.st = st};
    int traced = is_there(st, sql_is_there, path, err);
    int rc = traced < 0 ? traced : make(st, traced ? sql_programs : sql_otel, path, NULL, err);

    y.spans = !traced;
    sl_why_begin(r);
    if (!rc)
        rc = sl_why_rows(r, st, "programs", program_columns, SL_COLUMNS(program_columns), sql_program, err);
    if (!rc) {
        struct sl_table *t = sl_result_find(r, "programs");
        if (sl_table_next(t, NULL) > 0)
            y.makespan_s = sl_table_real(t, SL_WHY_PROGRAM_MAKESPAN);
        sl_table_rewind(t);
        rc = sl_why_look(r, &y, findings, true, err);
    }
    if (!rc)
        rc = sl_why_rows(r, st, "went", went_columns, SL_COLUMNS(went_columns), sql_functions, err);
    sl_why_more(r, &y, more + !traced, 2 - !traced); /* profile is of calls alone */
    return rc;
}

void sl_why_of_task(const struct why *y, struct found *x)
{
    static const char estimate[] = "by estimate, ";
    struct sl_buf b = {0};

    sl_buf_addf(&b, "task %s x%.6f", y->task.key, fmax(0, 1 - x->seconds / y->task.run_s));
    free(x->changes);
    x->changes = sl_strdup(b.s);
    sl_buf_clear(&b);
    if (x->sure && !strncmp(x->sure, estimate, sizeof estimate - 1))
        memmove(x->sure, x->sure + sizeof estimate - 1, strlen(x->sure + sizeof estimate - 1) + 1);
    sl_buf_addf(&b, "by replay, %s", x->sure ? x->sure : "by estimate of what it cost the task");
    free(x->sure);
    x->sure = sl_strdup(b.s);
    sl_buf_free(&b);
    x->seconds = NAN;
}

void sl_why_name_task(const struct why *y, char **text)
{
    struct sl_buf b = {0};

    sl_buf_addf(&b, "in %s: %s", y->task.name, *text);
    free(*text);
    *text = sl_strdup(b.s);
    sl_buf_free(&b);
}
