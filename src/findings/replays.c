/* SPDX-License-Identifier: Apache-2.0 */
/* What is replayed for findings: one alone, and two together. */
#include "analyse/tasks/simulate.h"
#include "base/buf.h"
#include "findings/why_internal.h"
#include "findings_replays.sql.h"
#include "result/what_if_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT SL_COLUMN_TEXT
#define INTEGER SL_COLUMN_INTEGER
#define REAL SL_COLUMN_REAL

static const struct sl_column replay_columns[] = {{"rank", INTEGER, NULL, NULL, 0},
                                                  {"finding", TEXT, NULL, NULL, 0},
                                                  {"changes", TEXT, NULL, NULL, 0},
                                                  {"without_s", REAL, "s", NULL, 0}};

double sl_why_replay(struct why *y, const char *changes, struct sl_err *err)
{
    struct sl_simulation r = {0};
    double s = NAN;

    if (!y->replay)
        sl_err(err, SL_EUSAGE, "traced programs are not replayed: it needs a column seconds, not changes");
    else if (!sl_replay_play(&r, y->replay, changes, err))
        s = (double)(r.last_ns - y->w->first_ns) / 1e9;
    y->bias = r.bias;
    y->replayed = true;
    sl_simulation_free(&r);
    return s;
}

void sl_why_without_s(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    struct why *y = sqlite3_user_data(out);
    const char *changes = (const char *)sqlite3_value_text(argv[0]);
    double s;

    (void)argc;
    if (!changes)
        return;
    s = sl_why_replay(y, changes, &y->failed);
    if (isnan(s))
        sqlite3_result_error(out, y->failed.text, -1);
    else
        sqlite3_result_double(out, s);
}

int sl_why_doubt(struct why *y, char **sure, struct sl_err *err)
{
    struct sl_buf b = {0};
    sqlite3_stmt *q;
    int rc = 0;

    if (fabs(y->bias) * 100 < SL_DOUBT_PERCENT)
        return 0;
    if (!y->doubts) {
        q = sl_store_prepare(y->st, sql_doubts, err);
        rc = q ? 0 : SL_ESTORE;
        if (!rc)
            sqlite3_bind_double(q, 1, y->bias);
        while (!rc && (rc = sl_store_step(y->st, q, err)) > 0) {
            sl_buf_addf(&b, "%s%s", b.n ? ", and " : "", (const char *)sqlite3_column_text(q, 0));
            rc = 0;
        }
        sqlite3_finalize(q);
        y->doubts = rc ? NULL : sl_strdup(b.s);
        b.n = 0;
    }
    if (!rc) {
        sl_buf_addf(&b, "%s%s %s", *sure, strstr(*sure, "in doubt: ") ? "; and" : ", in doubt:", y->doubts);
        free(*sure);
        *sure = sl_strdup(b.s);
    }
    sl_buf_free(&b);
    return rc;
}

/* How much shorter the run would be with both changes; NaN: they cannot be made together. */
static double gain(struct why *y, const char *a, const char *b)
{
    struct sl_buf both = {0};
    double s;

    sl_buf_addf(&both, "%s%s%s", a, *a ? ", " : "", b);
    s = y->makespan_s - sl_why_replay(y, both.s, NULL);
    sl_buf_free(&both);
    return s;
}

void sl_why_find_same(struct why *y)
{
    double before = 0, with, *own = sl_alloc((y->found.n + 1) * sizeof *own);
    struct sl_buf all = {0}; /* those before it together: few replays rule most pairs out */

    for (size_t i = 0; i < y->found.n; i++) {
        struct found *x = &y->found.v[i];
        if (!x->changes || !y->replay)
            continue;
        own[i] = gain(y, "", x->changes);
        with = all.n ? gain(y, all.s, x->changes) : own[i];
        for (size_t k = 0; k < i && with - before < 0.5 * own[i] && !x->same_as; k++)
            if (y->found.v[k].changes &&
                gain(y, y->found.v[k].changes, x->changes) < fmax(own[k], own[i]) + 0.5 * fmin(own[k], own[i]))
                x->same_as = k + 1;
        if (isnan(with))
            continue;
        sl_buf_addf(&all, "%s%s", all.n ? ", " : "", x->changes);
        before = with;
    }
    sl_buf_free(&all);
    free(own);
}

static void put_replay(struct sl_table *t, const struct why *y, size_t i, const char *changes, double s)
{
    sl_table_add(t);
    sl_table_put_int(t, 0, (int64_t)i + 1);
    sl_table_put_text(t, 1, y->found.v[i].by->name);
    sl_table_put_text(t, 2, changes);
    sl_table_put_real(t, 3, s);
}

int sl_why_put_replays(struct sl_result *r, struct why *y, struct sl_table *problems, struct sl_err *err)
{
    struct sl_table *t = sl_result_table(r, "replays", replay_columns, SL_COLUMNS(replay_columns));
    sqlite3_stmt *q = sl_store_prepare(y->st, sql_replays, err);

    for (size_t i = 0; i < y->found.n && q; i++) {
        const struct found *x = &y->found.v[i];
        char text[600];
        int rc = 0;
        if (x->changes)
            put_replay(t, y, i, x->changes, x->without_s);
        sqlite3_bind_text(q, 1, x->replays, -1, SQLITE_STATIC);
        while (x->replays && (rc = sl_store_step(y->st, q, NULL)) > 0 && sqlite3_column_int(q, 2))
            put_replay(t, y, i, (const char *)sqlite3_column_text(q, 0), sqlite3_column_double(q, 1));
        sqlite3_reset(q);
        if (rc) {
            snprintf(text, sizeof text, "%s: its column replays is no JSON object of changes and seconds", x->by->path);
            sl_why_put_problem(problems, x->by, text);
        }
    }
    sqlite3_finalize(q);
    return q ? 0 : SL_ESTORE;
}
