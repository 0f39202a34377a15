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
 * within, the id of a span (a process, a task, a run), or a JSON list of such, takes only what belongs to it; NULL:
 * all.
 */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/sqlfn/table.h"

/* Keys are "NAME ID". */
static const char rows_sql[] =
    "WITH async AS MATERIALIZED (SELECT s.id, s.key, min(iif(e.type = 'begin', e.time_ns, NULL)) AS begin, "
    "max(iif(e.type = 'end', e.time_ns, NULL)) AS end FROM spans s JOIN events e ON e.span = s.id WHERE s.type = "
    "'trace.async' AND (?1 IS NULL OR s.id IN (SELECT d.span FROM json_each(?1) j JOIN descendants(j.value) d)) GROUP "
    "BY s.id), "
    "named AS (SELECT a.*, coalesce((SELECT min(n.value) FROM attributes n WHERE n.span = a.id AND n.name = 'name'), "
    "a.key) AS name FROM async a), "
    "ran AS MATERIALIZED (SELECT i.value AS id, sum(f.time_ns - b.time_ns) AS ns FROM attributes i JOIN spans c ON "
    "c.id = i.span AND c.type = 'trace.call' JOIN events b ON b.span = c.id AND b.type = 'begin' JOIN events f ON "
    "f.span = c.id AND f.type = 'end' WHERE i.name = 'id' GROUP BY i.value), "
    "whole AS (SELECT n.name, n.end - n.begin AS ns, r.ns AS ran FROM named n LEFT JOIN ran r ON r.id = "
    "CAST(substr(n.key, length(n.name) + 2) AS INTEGER) AND n.end - n.begin IS NOT NULL) "
    "SELECT name, count(*), count(*) - count(ns), total(ns) / 1e9, sum(ran) / 1e9, sum(iif(ran IS NOT NULL, ns - ran, "
    "NULL)) / 1e9, avg(ns) / 1e9, max(ns) / 1e9 FROM whole GROUP BY name ORDER BY 6 DESC NULLS LAST, 4 DESC, name";

struct state {
    sqlite3_stmt *rows;
    bool done;
};

static int next(void *state, struct sl_err *err)
{
    struct state *s = state;
    int rc = sqlite3_step(s->rows);

    s->done = rc != SQLITE_ROW;
    if (rc == SQLITE_ROW || rc == SQLITE_DONE)
        return 0;
    return sl_err(err, SL_ESTORE, "%s", sqlite3_errmsg(sqlite3_db_handle(s->rows)));
}

static int start(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int kind = call->arg[0] ? sqlite3_value_type(call->arg[0]) : SQLITE_NULL;

    if (kind != SQLITE_NULL && kind != SQLITE_INTEGER && kind != SQLITE_TEXT)
        return sl_err(err, SL_EUSAGE, "the argument is the id of a span, a JSON list of such, or NULL for all");
    if (!s->rows && sqlite3_prepare_v2(call->db, rows_sql, -1, &s->rows, NULL))
        return sl_err(err, SL_ESTORE, "%s", sqlite3_errmsg(call->db));
    sqlite3_reset(s->rows);
    if (kind == SQLITE_NULL)
        sqlite3_bind_null(s->rows, 1);
    else
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
    sqlite3_finalize(((struct state *)state)->rows);
}

static const struct sl_table_fn fn = {
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

int sl_fn_async_profile(sqlite3 *db)
{
    return sl_table_register(db, &fn);
}
