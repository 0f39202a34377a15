/* SPDX-License-Identifier: Apache-2.0 */
/*
 * async_profile([within]): asynchronous spans of traced programs (type trace.async: coroutines, what is queued in an
 * executor, requests), one row a name, what waited longest first.
 *
 *   name                the span's
 *   spans, unfinished   how many, and of these, how many have no end (or no begin)
 *   total_s             seconds from begin to end, of finished ones
 *   ran_s, waited_s     of this, seconds in calls that have the span's id as argument `id`, which is when it was
 *                       running; and the rest.  NULL where none has such a call
 *   mean_s, max_s       of finished ones, from begin to end
 *
 *     SELECT name, spans, ran_s, waited_s FROM async_profile();
 *
 * within, the id of a span (a process, a task, a run), or a JSON list of such, takes only what belongs to it, which may
 * run in calls of that, and of its process and what that started; NULL: all.
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"
#include "base/buf.h"
#include "sqlfn_async_profile.sql.h"

enum { OF_ALL, OF_THESE };

struct state {
    sqlite3_stmt *asked[2], *rows; /* rows: one of these */
    bool done;
};

static int next(void *state, struct sl_err *err)
{
    struct state *s = state;
    int rc = sqlite3_step(s->rows);

    s->done = rc != SQLITE_ROW;
    if (rc == SQLITE_ROW || rc == SQLITE_DONE)
        return 0;
    return sl_err(err, SL_ESTORE, "%s", sl_sqlite_words(sqlite3_db_handle(s->rows)));
}

static int prepare(sqlite3_stmt **rows, sqlite3 *db, const char *of, struct sl_err *err)
{
    struct sl_buf sql = {0};
    int rc;

    sl_buf_addf(&sql, "%s%s", of, sql_rows);
    rc = sqlite3_prepare_v2(db, sql.s, (int)sql.n, rows, NULL);
    sl_buf_free(&sql);
    return rc ? sl_err(err, SL_ESTORE, "%s", sl_sqlite_words(db)) : 0;
}

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int kind = call->arg[0] ? sqlite3_value_type(call->arg[0]) : SQLITE_NULL,
        of = kind == SQLITE_NULL ? OF_ALL : OF_THESE, rc;

    if (kind != SQLITE_NULL && kind != SQLITE_INTEGER && kind != SQLITE_TEXT)
        return sl_err(err, SL_EUSAGE, "the argument is the id of a span, a JSON list of such, or NULL for all");
    if (!s->asked[of] && (rc = prepare(&s->asked[of], call->db, of == OF_ALL ? sql_of_all : sql_of_these, err)))
        return rc;
    s->rows = s->asked[of];
    sqlite3_reset(s->rows);
    if (of == OF_THESE)
        sqlite3_bind_text(s->rows, 1, (const char *)sqlite3_value_text(call->arg[0]), -1, SQLITE_TRANSIENT);
    return next(s, err);
}

static bool at_end(const void *state)
{
    return ((const struct state *)state)->done;
}

static void column(const void *state, sqlite3_context *out, int col)
{
    sqlite3_result_value(out, sqlite3_column_value(((const struct state *)state)->rows, col));
}

static void end(void *state)
{
    struct state *s = state;

    sqlite3_finalize(s->asked[OF_ALL]);
    sqlite3_finalize(s->asked[OF_THESE]);
}

const struct sl_table_fn sl_fn_async_profile = {
    .name = "async_profile",
    .schema = "CREATE TABLE x(name TEXT, spans INTEGER, unfinished INTEGER, total_s REAL, ran_s REAL, waited_s REAL, "
              "mean_s REAL, max_s REAL, within HIDDEN)",
    .columns = 8,
    .args = 1,
    .usage = "async_profile() or async_profile(SPAN)",
    .rows = 100,
    .state_bytes = sizeof(struct state),
    .start = start,
    .at_end = at_end,
    .next = next,
    .column = column,
    .end = end,
};
