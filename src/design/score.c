/* SPDX-License-Identifier: Apache-2.0 */
#include "design/score.h"
#include "base/mem.h"
#include "recipe/pattern.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

double sl_score_number(const char *text)
{
    char *end;
    double x = strtod(text, &end);

    end += end == text ? 0 : strspn(end, " \t\r\n");
    return end == text || *end || !isfinite(x) ? NAN : x;
}

static int number(double *score, const struct sl_plan_score *s, const char *text, size_t n, struct sl_err *err)
{
    char *copy = sl_strndup(text, n);
    int rc = 0;

    *score = sl_score_number(copy);
    if (isnan(*score))
        rc = sl_err(err, SL_EFORMAT, "%s is no number: '%.100s'", s->name, copy);
    free(copy);
    return rc;
}

/* The last match: programs say what they took when they have done it. */
static int by_pattern(double *score, const struct sl_plan_score *s, const char *text, size_t n, struct sl_err *err)
{
    struct sl_pattern p;
    struct sl_match *m = sl_match_new();
    const size_t *at;
    size_t from = 0, begin = SIZE_MAX, end = 0;
    int rc = sl_pattern_compile(&p, s->text, "regex", err);

    while (!rc && from <= n && (at = sl_pattern_match(&p, m, text, n, from))) {
        begin = at[2];
        end = at[3];
        from = at[1] > from ? at[1] : from + 1;
    }
    if (!rc)
        sl_pattern_free(&p);
    sl_match_free(m);
    if (rc)
        return rc;
    if (begin == SIZE_MAX)
        return sl_err(err, SL_EFORMAT, "no score: nothing that it wrote matches %s", s->text);
    return number(score, s, text + begin, end - begin, err);
}

static int by_path(double *score, const struct sl_plan_score *s, const char *text, size_t n, struct sl_err *err)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *q = NULL;
    int rc = SL_EFORMAT;

    if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
        sqlite3_prepare_v2(db, "SELECT json_extract(?1, ?2)", -1, &q, NULL) != SQLITE_OK) {
        rc = sl_err(err, SL_EIO, "cannot read JSON: %s", sqlite3_errmsg(db));
    } else {
        sqlite3_bind_text(q, 1, text, (int)n, SQLITE_STATIC);
        sqlite3_bind_text(q, 2, s->text, -1, SQLITE_STATIC);
        if (sqlite3_step(q) != SQLITE_ROW)
            sl_err(err, SL_EFORMAT, "no score: %s of what it wrote: %s", s->text, sqlite3_errmsg(db));
        else if (sqlite3_column_type(q, 0) == SQLITE_NULL)
            sl_err(err, SL_EFORMAT, "no score: the JSON that it wrote has no %s", s->text);
        else
            rc = number(score, s, (const char *)sqlite3_column_text(q, 0), (size_t)sqlite3_column_bytes(q, 0), err);
    }
    sqlite3_finalize(q);
    sqlite3_close(db);
    return rc;
}

int sl_score_of_text(double *score, const struct sl_plan_score *s, const char *text, size_t n, struct sl_err *err)
{
    *score = NAN;
    return s->from == SL_SCORE_REGEX ? by_pattern(score, s, text, n, err) : by_path(score, s, text, n, err);
}
