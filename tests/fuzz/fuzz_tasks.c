/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses of time, over stores that no import would make: the input is a list of spans, events and links, a few bytes
 * each.  Types and events are those of Parsl's runs, so that their phases and handovers apply, and unknown ones.
 */
#include "analyse/analyse.h"
#include "base/embed.h"
#include "fuzz.h"
#include "recipe/states.h"

static const char *const types[] = {"parsl.rundir.workflow",
                                    "parsl.rundir.task",
                                    "parsl.monitoring.workflow",
                                    "parsl.monitoring.task",
                                    "parsl.rundir.try",
                                    "parsl.monitoring.try",
                                    "parsl.executor.htex.interchange.task",
                                    "parsl.executor.htex.manager.task",
                                    "parsl.executor.htex.worker",
                                    "parsl.executor.htex.worker.task",
                                    "workqueue.manager",
                                    "workqueue.task",
                                    "workqueue.worker",
                                    "stage",
                                    "code"};
static const char *const events[] = {"invoked",
                                     "submitted",
                                     "pending",
                                     "launched",
                                     "interchange_put",
                                     "interchange_to_manager",
                                     "manager_got_task",
                                     "worker_received_task",
                                     "running",
                                     "running_ended",
                                     "worker_completed_task",
                                     "interchange_removing_task",
                                     "joining",
                                     "fail_retryable",
                                     "exec_done",
                                     "returned",
                                     "dep_fail",
                                     "WAITING",
                                     "RUNNING",
                                     "RETRIEVED",
                                     "DONE",
                                     "began",
                                     "ended"};
enum { TYPES = sizeof types / sizeof *types, EVENTS = sizeof events / sizeof *events, SOURCES = 4, MAX = 4000 };

static sqlite3 *db;
static sqlite3_stmt *add_span, *add_event, *add_link;

static sqlite3_stmt *prepare(const char *sql)
{
    sqlite3_stmt *q = NULL;

    if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) != SQLITE_OK) {
        fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(db));
        abort();
    }
    return q;
}

static void run(const char *sql)
{
    MUST(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
}

static void open_store(void)
{
    static const char *const schema[] = {"today.sql", "views.sql", "index.sql"};
    struct sl_store st = {0};
    struct sl_recipes *set = fuzz_recipes(NULL);
    char sql[200];

    MUST(sqlite3_open(":memory:", &db) == SQLITE_OK && sl_analyse_register(db) == SQLITE_OK);
    for (size_t i = 0; i < sizeof schema / sizeof *schema; i++)
        for (const struct sl_embedded *f = sl_embedded_schema; f->name; f++)
            if (!strcmp(f->name, schema[i]))
                run(f->data);
    st.db = db;
    st.path = (char *)(uintptr_t) "fuzz";
    MUST(sl_states_write(&st, "main", set, NULL) == 0);
    sl_recipes_free(set);
    for (int i = 0; i < TYPES + EVENTS; i++) {
        snprintf(sql, sizeof sql, "INSERT INTO sl_name VALUES (%d, '%s')", i + 1,
                 i < TYPES ? types[i] : events[i - TYPES]);
        run(sql);
    }
    for (int i = 1; i <= SOURCES; i++) {
        snprintf(sql, sizeof sql, "INSERT INTO sl_source (id, path, recipe, component) VALUES (%d, '/%d', 'r', 'c')", i,
                 i);
        run(sql);
    }
    add_span = prepare("INSERT INTO sl_span (id, type, key, parent, source) VALUES (?, ?, ?1, ?, 1)");
    add_event = prepare("INSERT OR IGNORE INTO sl_event VALUES (?, ?, ?, ?, ?, NULL)");
    add_link = prepare("INSERT OR IGNORE INTO sl_link (left_span, kind, right_span) VALUES (?, ?, ?)");
}

static void put(sqlite3_stmt *q, int n, const int64_t *v)
{
    for (int i = 0; i < n; i++)
        if (v[i] == INT64_MIN + 1)
            sqlite3_bind_null(q, i + 1);
        else
            sqlite3_bind_int64(q, i + 1, v[i]);
    MUST(sqlite3_step(q) == SQLITE_DONE);
    sqlite3_reset(q);
}

/* The next byte; 0 behind the end. */
static int byte(const uint8_t **p, const uint8_t *end)
{
    return *p < end ? *(*p)++ : 0;
}

static int fill(const uint8_t *p, const uint8_t *end)
{
    static const int64_t far[] = {INT64_MIN, INT64_MAX, 0, -1000000000, 4000000000000000000, 1000000000000};
    int64_t now = 1790000000000000000;
    int n = 0;

    for (int i = 0; p < end && i < MAX; i++) {
        int what = byte(&p, end), a = byte(&p, end), b = byte(&p, end), c = byte(&p, end);
        if (what < 64 || !n) {
            n++;
            put(add_span, 3, (int64_t[]){n, a % TYPES + 1, b % n ? b % n : INT64_MIN + 1});
        } else if (what < 192) {
            int64_t at = a == 255 ? far[(size_t)c % (sizeof far / sizeof *far)] : (now += (int64_t)(c - 40) * 1000000);
            put(add_event, 5, (int64_t[]){a % n + 1, at, TYPES + b % EVENTS + 1, what % SOURCES + 1, i});
        } else {
            put(add_link, 3, (int64_t[]){a % n + 1, what % 4 + 1, b % n + 1});
        }
    }
    return n;
}

/* Runs a query to its end; an error must say something.  False: it had one. */
static bool whole(const char *sql, int64_t span)
{
    sqlite3_stmt *q = prepare(sql);
    int rc;

    sqlite3_bind_int64(q, 1, span);
    while ((rc = sqlite3_step(q)) == SQLITE_ROW)
        for (int c = 0; c < sqlite3_column_count(q); c++)
            sqlite3_column_text(q, c);
    MUST(rc == SQLITE_DONE || *sqlite3_errmsg(db));
    sqlite3_finalize(q);
    return rc == SQLITE_DONE;
}

static int64_t number(const char *sql, int64_t span)
{
    sqlite3_stmt *q = prepare(sql);
    int64_t n = 0;

    sqlite3_bind_int64(q, 1, span);
    if (sqlite3_step(q) == SQLITE_ROW)
        n = sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    return n;
}

static void check(int64_t span)
{
    if (!whole("SELECT * FROM critical_path(?1)", span)) {
        MUST(!whole("SELECT * FROM slack(?1)", span) && !whole("SELECT * FROM what_if(?1, '* x1')", span));
        return;
    }
    MUST(number("SELECT count(*) FROM (SELECT start_ns, lag(end_ns) OVER (ORDER BY start_ns) AS last FROM "
                "critical_path(?1)) WHERE last IS NOT NULL AND last <> start_ns",
                span) == 0);
    MUST(number("SELECT count(*) FROM critical_path(?1) WHERE end_ns <= start_ns", span) == 0);
    MUST(number("SELECT ifnull(sum(end_ns - start_ns), 0) FROM critical_path(?1)", span) ==
         number("SELECT max(e.time_ns) - min(e.time_ns) FROM descendants(?1) d JOIN sl_event e ON e.span = d.span",
                span));
    MUST(number("SELECT count(*) FROM slack(?1) WHERE slack_s < 0 OR path_s < 0 OR done_ns < first_ns", span) == 0);
    MUST(number("SELECT count(*) FROM what_if(?1, '* x1') WHERE new_first_ns <> first_ns OR new_done_ns <> done_ns OR "
                "makespan_s <> new_makespan_s",
                span) == 0);
    whole("SELECT * FROM what_if(?1, 'running on a worker x0.25, driver x3')", span);
    whole("SELECT * FROM what_if(?1, 'workers x3')", span);
    whole("SELECT * FROM what_if(?1, 'failed tries x0')", span);
    whole("SELECT * FROM what_helps(?1)", span);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int n;

    if (!db)
        open_store();
    run("BEGIN");
    n = fill(data, data + size);
    for (int64_t i = 1; i <= n && i <= 3; i++)
        check(i);
    MUST(whole("SELECT * FROM clock_skew()", 0));
    MUST(number("SELECT count(*) FROM clock_skew() WHERE lower_s > upper_s", 0) == 0);
    whole("SELECT * FROM two_events('submitted', 'exec_done', 'parsl.rundir.task')", 0);
    whole("SELECT * FROM occupancy('parsl.rundir.task') LIMIT 10000", 0);
    whole("SELECT * FROM occupancy('parsl.rundir.task', 1) LIMIT 1000", 0);
    whole("SELECT * FROM event_rate('*', 1) LIMIT 1000", 0);
    whole("SELECT * FROM utilisation('parsl.executor.htex.worker', 1) LIMIT 1000", 0);
    whole("SELECT * FROM event_sequences('parsl.rundir.task')", 0);
    run("ROLLBACK");
    return 0;
}
