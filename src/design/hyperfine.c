/* SPDX-License-Identifier: Apache-2.0 */
#include "design/hyperfine.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "recipe/yaml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

/* A run of each result: its number, its command, the time as it stands, and the exit status. */
static const char sql_times[] =
    "SELECT r.key, r.value ->> '$.command', t.value, json_extract(r.value, '$.exit_codes[' || t.key || ']') "
    "FROM json_each(?1, '$.results') r, json_each(r.value, '$.times') t WHERE t.type IN ('real', 'integer')";
static const char sql_parameters[] =
    "SELECT p.key, p.value FROM json_each(?1, '$.results[' || ?2 || '].parameters') p WHERE p.atom IS NOT NULL";

static const char *text_of(sqlite3_stmt *q, int column)
{
    const char *s = (const char *)sqlite3_column_text(q, column);
    return s ? s : "";
}

static void put_run(struct sl_buf *b, sqlite3_stmt *q, sqlite3_stmt *parameters, const char *name, size_t n)
{
    int status = sqlite3_column_int(q, 3);
    size_t given = 0;
    char text[32];

    snprintf(text, sizeof text, "%zu", n);
    sl_json_open(b, NULL, '{');
    sl_json_text(b, "record", "run");
    sl_json_text(b, "run", text);
    sl_json_text(b, "experiment", name);
    sl_json_raw(b, "time_s", status ? "null" : text_of(q, 2));
    sl_json_text(b, "outcome", status ? "failed" : "done");
    if (status) {
        snprintf(text, sizeof text, "exit status %d", status);
        sl_json_text(b, "why", text);
    }
    sqlite3_bind_int64(parameters, 2, sqlite3_column_int64(q, 0));
    while (sqlite3_step(parameters) == SQLITE_ROW) {
        sl_json_name(b, text_of(parameters, 0));
        sl_json_text(b, NULL, text_of(parameters, 1));
        given++;
    }
    sqlite3_reset(parameters);
    if (!given)
        sl_json_text(b, "command", text_of(q, 1));
    sl_buf_adds(b, "}\n");
}

int sl_hyperfine_read(struct sl_buf *out, const char *path, const char *name, size_t *n, struct sl_err *err)
{
    struct sl_buf text = {0};
    sqlite3 *db = NULL;
    sqlite3_stmt *q = NULL, *parameters = NULL;
    int rc = sl_yaml_read(&text, path), step;

    *n = 0;
    if (rc) {
        sl_buf_free(&text);
        return sl_err(err, SL_EIO, "cannot read %s: %s", path, strerror(rc));
    }
    sl_json_open(out, NULL, '{');
    sl_json_text(out, "record", "experiment");
    sl_json_text(out, "score", "time_s");
    sl_json_text(out, "unit", "s");
    sl_json_text(out, "better", "less");
    sl_json_text(out, "run_key", "run");
    sl_json_text(out, "covariates", "record,experiment,outcome,why");
    sl_json_text(out, "experiment", name);
    sl_buf_adds(out, "}\n");
    if (sqlite3_open(":memory:", &db) != SQLITE_OK || sqlite3_prepare_v2(db, sql_times, -1, &q, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(db, sql_parameters, -1, &parameters, NULL) != SQLITE_OK) {
        rc = sl_err(err, SL_EIO, "cannot read JSON: %s", sqlite3_errmsg(db));
    } else {
        sqlite3_bind_text(q, 1, text.n ? text.s : "", (int)text.n, SQLITE_STATIC);
        sqlite3_bind_text(parameters, 1, text.n ? text.s : "", (int)text.n, SQLITE_STATIC);
        while ((step = sqlite3_step(q)) == SQLITE_ROW)
            put_run(out, q, parameters, name, ++*n);
        if (step != SQLITE_DONE || !*n)
            rc = sl_err(err, SL_EFORMAT, "%s is not what hyperfine --export-json writes: %s", path,
                        step != SQLITE_DONE ? sqlite3_errmsg(db) : "it has no results with times");
    }
    sqlite3_finalize(q);
    sqlite3_finalize(parameters);
    sqlite3_close(db);
    sl_buf_free(&text);
    return rc;
}

/* ---- writing ---- */

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void put_summary(struct sl_buf *b, const double *seconds, size_t n)
{
    double sum = 0, squares = 0, *v = sl_alloc(n * sizeof *v);

    memcpy(v, seconds, n * sizeof *v);
    qsort(v, n, sizeof *v, by_number);
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    for (size_t i = 0; i < n; i++)
        squares += (v[i] - sum / (double)n) * (v[i] - sum / (double)n);
    sl_json_real(b, "mean", sum / (double)n);
    sl_json_real(b, "stddev", n > 1 ? sqrt(squares / (double)(n - 1)) : NAN);
    sl_json_real(b, "median", n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2);
    sl_json_real(b, "min", v[0]);
    sl_json_real(b, "max", v[n - 1]);
    free(v);
}

static void put_result(struct sl_buf *b, const struct sl_runs *r, size_t first, const double *seconds, size_t n)
{
    struct sl_buf name = {0}, parameters = {0};

    sl_buf_adds(&name, r->experiment);
    sl_json_open(&parameters, NULL, '{');
    for (size_t f = 0; f < r->factors; f++) {
        int32_t level = sl_runs_levels(r, first)[f];
        if (r->factor[f].kind == SL_FACTOR_CONSTANT || level < 0)
            continue;
        sl_buf_addf(&name, " %s=%s", r->factor[f].name, r->factor[f].level[level]);
        sl_json_name(&parameters, r->factor[f].name);
        sl_json_text(&parameters, NULL, r->factor[f].level[level]);
    }
    sl_json_close(&parameters, '}');
    sl_json_open(b, NULL, '{');
    sl_json_text(b, "command", name.s);
    put_summary(b, seconds, n);
    sl_json_open(b, "times", '[');
    for (size_t i = 0; i < n; i++)
        sl_json_real(b, NULL, seconds[i]);
    sl_json_close(b, ']');
    sl_json_open(b, "exit_codes", '[');
    for (size_t i = 0; i < n; i++)
        sl_json_int(b, NULL, 0);
    sl_json_close(b, ']');
    sl_json_raw(b, "parameters", parameters.s);
    sl_json_close(b, '}');
    sl_buf_free(&name);
    sl_buf_free(&parameters);
}

int sl_hyperfine_write(struct sl_buf *out, const struct sl_runs *r, struct sl_err *err)
{
    bool *done = sl_alloc(r->n + 1);
    double *seconds = sl_alloc((r->n + 1) * sizeof *seconds);

    if (r->more || (strcmp(r->unit.cost, "s") != 0 && strcmp(r->score_name, "time_s") != 0 &&
                    strcmp(r->score_name, "wall_s") != 0)) {
        free(done);
        free(seconds);
        return sl_err(err, SL_EUSAGE,
                      "hyperfine's files hold seconds, and %s is in %s; say `unit: s` in experiment.yaml if it is",
                      r->score_name, r->unit.cost);
    }
    sl_json_open(out, NULL, '{');
    sl_json_open(out, "results", '[');
    for (size_t i = 0; i < r->n; i++) {
        size_t n = 0;
        for (size_t k = i; k < r->n && !done[i]; k++)
            if (!done[k] && !memcmp(sl_runs_levels(r, i), sl_runs_levels(r, k), r->factors * sizeof(int32_t))) {
                seconds[n++] = r->score[k];
                done[k] = k > i;
            }
        if (n)
            put_result(out, r, i, seconds, n);
    }
    sl_buf_adds(out, "]}\n");
    free(done);
    free(seconds);
    return 0;
}
