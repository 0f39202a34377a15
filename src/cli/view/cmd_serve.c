/* SPDX-License-Identifier: Apache-2.0 */
/* The page of `report`, live, of all runs of a store, for a browser on this machine. */
#include "analyse/analyse.h"
#include "base/json_out.h"
#include "cli/view/install_paths.h"
#include "cli/workflow.h"
#include "findings/failures.h"
#include "findings/why.h"
#include "plot/html.h"
#include "report/run.h"
#include "result/spans/find_span.h"
#include "result/spans/run_names.h"
#include "result/spans/store_contents.h"
#include "serve/cache.h"
#include "serve/server.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SPANS = 60000, SQL_ROWS = 10000, SQL_BYTES = 8 << 20, SQL_SECONDS = 10, CELL_BYTES = 1 << 20, FOLLOW_MS = 2000 };

static const struct option_spec options[] = {
    {"port", "N", "of 127.0.0.1; 0, which is so where nothing is said: any that is free"},
    {"follow", "PATH", "import what grows there, again and again: a run that goes on"},
    {"run", "RUN", "the run that is shown at first (spanloom runs); all are there to choose"},
    {NULL, NULL, NULL},
};

struct serving {
    struct cli *cli;
    const char *follow;  /* NULL: nothing */
    const char *problem; /* of the last import; NULL: none */
    time_t imported;     /* when the last ended; 0: none has */
    struct sl_cache reports;
    char page[PATH_MAX];
};

static const char JSON[] = "application/json";

static void answer_error(int fd, int status, const struct sl_err *err)
{
    struct sl_buf b = {0};

    sl_json_open(&b, NULL, '{');
    sl_json_text(&b, "error", err->text);
    sl_buf_adds(&b, "}\n");
    sl_server_answer(fd, status, JSON, b.s, b.n);
}

/* The store, and the run that the query names, 0: it names none.  A child ends, so nothing of it is freed. */
static int open_run(const struct serving *v, const struct sl_request *r, struct sl_store **st, int64_t *workflow,
                    struct sl_err *err)
{
    static char name[SL_REQUEST_HEAD];
    int rc = sl_store_open(st, v->cli->store_path, SL_STORE_READ, err);

    if (!rc && sl_analyse_register((*st)->db) != SQLITE_OK)
        rc = sl_store_err(*st, "cannot register the analysis functions", err);
    if (!rc)
        rc = cli_states(v->cli, *st, err);
    *workflow = 0;
    if (!rc && sl_request_value(r, "run", name, sizeof name) && *name)
        rc = sl_find_run(*st, name, workflow, err);
    return rc;
}

static int add_page(const struct serving *v, struct sl_buf *out, struct sl_err *err)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    int rc = sl_plot_page(f, v->page, (struct sl_page_part[]){{"@TITLE@", "Spanloom", 8}, {"@DATA@", "", 0}}, 2, err);

    fclose(f);
    sl_buf_add(out, text, n);
    free(text);
    return rc;
}

/* Which content a file has, as far as its time and size tell; nothing of what is not there. */
static void add_file_version(struct sl_buf *out, const char *path)
{
    struct stat s;

    if (!stat(path, &s) && s.st_size)
        sl_buf_addf(out, "%lld.%09ld.%lld ", (long long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec, (long long)s.st_size);
}

static void add_store_version(const struct serving *v, struct sl_buf *out)
{
    const char *suffix[] = {"", "-wal"};

    for (int i = 0; i < 2; i++) {
        struct sl_buf path = {0};
        sl_buf_addf(&path, "%s%s", v->cli->store_path, suffix[i]);
        add_file_version(out, path.s);
        sl_buf_free(&path);
    }
}

/* What the page asks every other second: whether there is something new. */
static int add_version(const struct serving *v, struct sl_buf *out)
{
    struct sl_buf version = {0};

    add_store_version(v, &version);
    sl_json_open(out, NULL, '{');
    sl_json_bytes(out, "version", version.s, version.n);
    sl_json_text(out, "store", v->cli->store_path);
    sl_json_text(out, "follow", v->follow);
    sl_json_int(out, "imported_ago_s", v->imported ? time(NULL) - v->imported : -1);
    sl_json_text(out, "problem", v->problem);
    sl_buf_adds(out, "}\n");
    return 0;
}

/* "first": which is to be shown where nobody has chosen. */
static int add_runs(const struct serving *v, struct sl_store *st, struct sl_buf *out, struct sl_err *err)
{
    const char *first = cli_option(v->cli, "run");
    struct sl_result r = {0};
    struct sl_table *t;
    int64_t followed = 0;
    char name[600];
    int rc = sl_result_workflows(&r, st, false, err);

    if (rc || !(t = sl_result_find(&r, "runs")))
        return rc ? rc : sl_err(err, SL_ENOTFOUND, "no table of runs");
    sl_json_open(out, NULL, '{');
    rc = sl_report_add_table(out, t, NULL, err);
    if (!rc && !first && v->follow)
        rc = cli_last_below(st, v->follow, false, &followed, err);
    sl_json_text(out, "first", followed ? sl_run_name(st, followed, name, sizeof name) : first);
    sl_buf_adds(out, "}\n");
    return rc;
}

/*
 * key: of which content of the store, as it was before it was opened; what the user's files say is added.  What was
 * answered before is answered again, but for a run that goes on, which silence ends.
 */
static int add_report(const struct serving *v, struct sl_store *st, int64_t workflow, struct sl_buf *key,
                      struct sl_buf *out, struct sl_err *err)
{
    struct sl_sections sections = {0};
    struct sl_findings findings = {0};
    struct sl_report_run run = {.st = st, .workflow = workflow};
    struct sl_buf problems = {0}, now = {0};
    int64_t followed = 0;
    size_t n = key->n;
    int rc = sl_sections_load(&sections, err);

    rc = rc ? rc : sl_findings_load(&findings, err);
    if (!rc && v->follow)
        rc = cli_last_below(st, v->follow, false, &followed, err);
    if (rc)
        return rc;
    findings.followed = followed && followed == workflow;
    sl_buf_addf(key, "run %lld ", (long long)workflow);
    for (size_t i = 0; i < sections.v.n; i++)
        add_file_version(key, sections.v.v[i].path);
    for (size_t i = 0; i < findings.v.n; i++)
        add_file_version(key, findings.v.v[i].path);
    if (sl_cache_get(&v->reports, key, out))
        return 0;
    rc = sl_report_json(out, &run, 1, &sections, &findings, &problems, err);
    add_store_version(v, &now);
    if (!rc && !sl_why_is_open(&run.why) && now.n == n && !memcmp(now.s, key->s, n))
        sl_cache_put(&v->reports, key, out);
    return rc;
}

static int is_over(void *deadline)
{
    return time(NULL) >= *(time_t *)deadline;
}

/* One SELECT of the user, within limits. */
static int add_sql(struct sl_store *st, int64_t workflow, struct sl_piece body, struct sl_buf *out, struct sl_err *err)
{
    struct sl_report_limit limit = {.rows = SQL_ROWS, .bytes = SQL_BYTES};
    struct sl_buf words = {0};
    char *sql = sl_strndup(body.s, body.n);
    struct sl_result r = {0};
    const char *rest = NULL;
    time_t deadline;
    sqlite3_stmt *q = NULL;
    struct sl_table *t;
    int rc = strlen(sql) == body.n ? 0 : sl_err(err, SL_EFORMAT, "there is a byte 0 in it");

    if (!rc && workflow)
        rc = sl_facts_make(st, workflow, err);
    if (rc)
        return rc;
    deadline = time(NULL) + SQL_SECONDS + 1;
    sqlite3_progress_handler(st->db, 10000, is_over, &deadline);
    sqlite3_limit(st->db, SQLITE_LIMIT_LENGTH, CELL_BYTES);
    sl_store_only_read(st);
    if (sqlite3_prepare_v2(st->db, sql, -1, &q, &rest) != SQLITE_OK)
        return sl_err(err, SL_EFORMAT, "%s", sl_sqlite_words(st->db));
    if (!q)
        return sl_err(err, SL_EFORMAT, "there is no statement");
    if (rest[strspn(rest, " \t\r\n;")])
        return sl_err(err, SL_EFORMAT, "one statement at a time");
    if (!sqlite3_stmt_readonly(q) || !sqlite3_column_count(q))
        return sl_err(err, SL_EFORMAT, "only what reads is answered here; `spanloom sql --write` changes a store");
    if (workflow) {
        int64_t start_ns = sl_store_int(st, "SELECT start_ns FROM temp.run", 0);
        sqlite3_bind_int64(q, sqlite3_bind_parameter_index(q, ":run"), workflow);
        sqlite3_bind_int64(q, sqlite3_bind_parameter_index(q, ":start_ns"), start_ns);
    }
    t = sl_result_query(&r, "rows", NULL, 0, q);
    sl_json_open(out, NULL, '{');
    rc = sl_report_add_table(out, t, &limit, err);
    if (rc && is_over(&deadline))
        return sl_err(err, SL_ESTORE, "it took more than %d s, and was stopped; `spanloom sql` has no limit",
                      SQL_SECONDS);
    if (limit.hit)
        sl_buf_addf(&words, "the first rows only: %d, or %d MB, are the most; `spanloom sql` has no limit", SQL_ROWS,
                    SQL_BYTES >> 20);
    sl_json_text(out, "limit", words.s);
    sl_buf_adds(out, "}\n");
    return rc;
}

/* Figures that the page asks for by and by, each one SELECT with :span, :run, :from_ns and so on. */
static int add_figure(struct sl_store *st, const char *name, const char *sql, int64_t span, struct sl_buf *out,
                      struct sl_err *err)
{
    struct sl_result r = {0};
    sqlite3_stmt *q = NULL;
    int rc;

    if (sqlite3_prepare_v2(st->db, sql, -1, &q, NULL) != SQLITE_OK)
        return sl_err(err, SL_ESTORE, "%s", sl_sqlite_words(st->db));
    sqlite3_bind_int64(q, sqlite3_bind_parameter_index(q, ":span"), span);
    sl_json_open(out, name, '{');
    rc = sl_report_add_table(out, sl_result_query(&r, name, NULL, 0, q), NULL, err);
    sl_json_close(out, '}');
    return rc;
}

static int add_span(struct sl_store *st, const struct sl_request *r, struct sl_buf *out, struct sl_err *err)
{
    char id[24] = "";
    int64_t span;
    int rc;

    if (!sl_request_value(r, "id", id, sizeof id) || !(span = strtoll(id, NULL, 10)))
        return sl_err(err, SL_EUSAGE, "which span? id=NUMBER");
    sl_json_open(out, NULL, '{');
    rc = add_figure(st, "events",
                    "SELECT e.time_ns, n.name AS event, s.path || ifnull('#' || s.part, '') || ':' || e.place AS place "
                    "FROM sl_event e "
                    "JOIN sl_name n ON n.id = e.type LEFT JOIN sl_source s ON s.id = e.source WHERE e.span = :span "
                    "ORDER BY 1 LIMIT 1000",
                    span, out, err);
    rc = rc ? rc
            : add_figure(st, "attributes",
                         "SELECT DISTINCT name, substr(value, 1, 2000) AS value FROM attributes WHERE span = :span "
                         "ORDER BY 1 LIMIT 1000",
                         span, out, err);
    sl_buf_adds(out, "}\n");
    return rc;
}

/* The spans of a stretch of the run, as the section `timeline` of the report has those of a whole one. */
static int add_spans(struct sl_store *st, const struct sl_request *r, int64_t workflow, struct sl_buf *out,
                     struct sl_err *err)
{
    static const char make[] =
        "CREATE TEMP TABLE shown AS WITH d AS MATERIALIZED (SELECT span FROM descendants(%lld)), "
        "e AS (SELECT e.span, min(time_ns) AS a, max(time_ns) AS b, count(*) AS events FROM d CROSS JOIN sl_event e "
        "ON e.span = d.span GROUP BY e.span HAVING b >= %lld AND a <= %lld) "
        "SELECT span, (a - %lld) / 1e9 AS from_s, (b - a) / 1e9 AS length_s, events, count(*) OVER () AS n FROM e "
        "ORDER BY length_s DESC LIMIT %d; CREATE INDEX temp.shown_span ON shown (span); "
        // and what these lie in, also where that has no events
        "CREATE TEMP TABLE around AS WITH RECURSIVE up(span) AS (SELECT span FROM temp.shown UNION "
        "SELECT s.parent FROM up CROSS JOIN sl_span s ON s.id = up.span WHERE s.parent NOTNULL UNION "
        "SELECT l.left_span FROM up CROSS JOIN sl_link l ON l.right_span = up.span AND l.kind = 1) SELECT span FROM "
        "up; "
        "CREATE INDEX temp.around_span ON around (span)";
    static const char *const name[] = {"from_ns", "to_ns", "start_ns"};
    struct sl_buf sql = {0};
    long long ns[3];
    int rc;

    if (!workflow)
        return sl_err(err, SL_EUSAGE, "which run? run=NAME");
    for (int i = 0; i < 3; i++) {
        char text[24];
        if (!sl_request_value(r, name[i], text, sizeof text))
            return sl_err(err, SL_EUSAGE, "%s is missing", name[i]);
        ns[i] = strtoll(text, NULL, 10);
    }
    sl_buf_addf(&sql, make, (long long)workflow, ns[0], ns[1], ns[2], SPANS);
    rc = sl_store_temporary(st, sql.s, err);
    if (rc)
        return rc;
    sl_json_open(out, NULL, '{');
    sl_json_int(out, "n", sl_store_int(st, "SELECT n FROM temp.shown LIMIT 1", 0));
    rc = rc ? rc
            : add_figure(
                  st, "spans",
                  // no aggregate in the first: then each span's attributes are looked up, and not all of the store read
                  "WITH said AS MATERIALIZED (SELECT e.span, t.name, t.value FROM temp.shown e CROSS JOIN attributes t "
                  "ON t.span = e.span WHERE t.name IN ('app', 'task_func_name', 'category', 'hostname', 'host')), "
                  "told AS MATERIALIZED (SELECT span, max(value) FILTER (WHERE name IN ('app', 'task_func_name', "
                  "'category')) AS app, max(value) FILTER (WHERE name IN ('hostname', 'host')) AS host FROM said GROUP "
                  "BY 1) SELECT s.id AS span, s.parent, n.name AS type, s.key, round(from_s, 9) AS from_s, "
                  "round(length_s, 9) AS length_s, events, c.component, app, host FROM temp.shown e CROSS JOIN sl_span "
                  "s ON s.id = e.span JOIN sl_name n ON n.id = s.type JOIN sl_source c ON c.id = s.source LEFT JOIN "
                  "told USING (span) ORDER BY from_s, length_s DESC, s.id",
                  0, out, err);
    rc = rc ? rc
            : add_figure(st, "groups",
                         "SELECT s.id AS span, s.parent, n.name AS type, s.key FROM temp.around a CROSS JOIN sl_span s "
                         "ON s.id = a.span JOIN sl_name n ON n.id = s.type WHERE s.id NOT IN (SELECT span FROM "
                         "temp.shown)",
                         0, out, err);
    rc = rc ? rc
            : add_figure(
                  st, "links",
                  "SELECT CASE kind WHEN 1 THEN 'in' WHEN 2 THEN 'facet' WHEN 3 THEN 'after' ELSE 'flow' END AS kind, "
                  "left_span, right_span FROM temp.around a CROSS JOIN sl_link l ON l.left_span = a.span WHERE "
                  "right_span IN (SELECT span FROM temp.around)",
                  0, out, err);
    rc = rc ? rc : add_figure(st, "types", "SELECT type, role FROM sl_role", 0, out, err);
    sl_buf_adds(out, "}\n");
    return rc;
}

/* In a child, which ends. */
static void answer(void *context, const struct sl_request *r, int fd)
{
    const struct rlimit cpu = {.rlim_cur = 150, .rlim_max = 160}, no_core = {0};
    const struct serving *v = context;
    struct sl_store *st = NULL;
    struct sl_buf out = {0}, key = {0};
    struct sl_err err = {0};
    int64_t workflow = 0;
    const char *type = JSON;
    int rc = 0;

    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_CORE, &no_core);
    if (sl_piece_is(r->path, "/") && !r->post) {
        type = "text/html; charset=utf-8";
        rc = add_page(v, &out, &err);
    } else if (sl_piece_is(r->path, "/api/version") && !r->post) {
        rc = add_version(v, &out);
    } else if (sl_piece_is(r->path, "/api/runs") && !r->post) {
        rc = open_run(v, r, &st, &workflow, &err);
        rc = rc ? rc : add_runs(v, st, &out, &err);
    } else if (sl_piece_is(r->path, "/api/report") && !r->post) {
        add_store_version(v, &key);
        rc = open_run(v, r, &st, &workflow, &err);
        rc = rc ? rc : add_report(v, st, workflow, &key, &out, &err);
    } else if (sl_piece_is(r->path, "/api/span") && !r->post) {
        rc = open_run(v, r, &st, &workflow, &err);
        rc = rc ? rc : add_span(st, r, &out, &err);
    } else if (sl_piece_is(r->path, "/api/spans") && !r->post) {
        rc = open_run(v, r, &st, &workflow, &err);
        rc = rc ? rc : add_spans(st, r, workflow, &out, &err);
    } else if (sl_piece_is(r->path, "/api/sql") && r->post) {
        rc = open_run(v, r, &st, &workflow, &err);
        rc = rc ? rc : add_sql(st, workflow, r->body, &out, &err);
    } else {
        sl_err(&err, SL_ENOTFOUND, "there is no such page");
        answer_error(fd, 404, &err);
        return;
    }
    if (rc)
        answer_error(fd, rc == SL_EIO || rc == SL_EBUSY ? 500 : 422, &err);
    else
        sl_server_answer(fd, 200, type, out.s, out.n);
}

/* ---- what grows ---- */

static int import(void *context)
{
    struct serving *v = context;
    char *path = (char *)(uintptr_t)v->follow;

    return cli_import(v->cli, 1, &path, false);
}

static void imported(void *context, int status)
{
    struct serving *v = context;

    v->imported = time(NULL);
    v->problem = !status ? NULL : "the last import failed; the terminal of `spanloom serve` says why";
}

static int run(struct cli *cli, int argc, char **argv)
{
    const char *port = cli_option(cli, "port");
    struct serving v = {.cli = cli, .follow = cli_option(cli, "follow")};
    struct sl_server s = {.context = &v, .answer = answer};
    struct sl_store *st;
    struct sl_err err = {0};
    int64_t workflow;
    int rc;

    if (argc)
        return cli_usage(cli, "serve takes no arguments, but was given %s; the store is -d FILE", argv[0]);
    if (cli->format_given)
        return cli_usage(cli, "serve prints an address, and no tables: --format has nothing to do");
    if (port && ((s.port = cli_number(port, 0)) < 0 || s.port > 65535))
        return cli_usage(cli, "--port needs a number from 0 to 65535");
    if (v.follow && access(v.follow, R_OK)) {
        sl_err(&err, SL_EIO, "cannot read %s: %s", v.follow, strerror(errno));
        return cli_fail(cli, &err);
    }
    sl_cache_open(&v.reports);
    if (place_find_report(v.page, "serve.html", &err))
        return cli_fail(cli, &err);
    if (v.follow) {
        s.work = import;
        s.worked = imported;
        s.every = FOLLOW_MS;
        rc = import(&v); /* also makes the store */
        if (rc)
            return rc;
        imported(&v, 0);
    }
    if (!(st = cli_open(cli))) /* what is wrong with it is said here, and not in the browser */
        return EXIT_FAILED;
    rc = cli_option(cli, "run") ? sl_find_run(st, cli_option(cli, "run"), &workflow, &err) : 0;
    sl_store_close(st);
    if (!rc)
        rc = sl_server_open(&s, &err);
    if (rc)
        return cli_fail(cli, &err);
    printf("http://127.0.0.1:%d/#%s\n", s.port, s.token);
    fflush(stdout);
    cli_say("open this in a browser on this machine; Ctrl-C ends it. The part after # is the key: "
            "who has it can read the store.");
    rc = sl_server_run(&s, &err);
    return rc ? cli_fail(cli, &err) : EXIT_DONE;
}

const struct command cmd_serve = {
    .name = "serve",
    .args = "[--follow PATH]",
    .help = "the report of all runs in a browser, live, with a box for SQL",
    .options = options,
    .run = run,
};
