/* SPDX-License-Identifier: Apache-2.0 */
/* The findings of a run, ranked by the seconds that each cost. */
#include "cli/side.h"
#include "cli/workflow.h"
#include "cli_cmd_why.sql.h"
#include "findings/why.h"
#include "show/why.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const struct option_spec options[] = {
    WORKFLOW_OPTION,
    {"all", NULL, "every finding, also those that cost little beside the first", false},
    {"fail-on", "N%|Ns", "exit with 3 where a finding costs, or B takes longer by, more than this: 5%, 2s", false},
    SKEW_OPTION,
    {NULL, NULL, NULL, false},
};

/* Of one run: does a finding cost more than the gate lets pass?  Of two: does the second take so much longer? */
static bool exceeded(const struct sl_result *r, bool compared, const struct cli_gate *gate)
{
    struct sl_table *t = sl_result_find(r, compared ? "runs" : "findings");
    double was = NAN, seconds;
    bool over = false;

    sl_table_rewind(t);
    while (!over && sl_table_next(t, NULL) > 0) {
        seconds = sl_table_real_or_nan(t, compared ? SL_WHY_RUNS_MAKESPAN : SL_WHY_SECONDS);
        if (!compared && seconds > 0)
            over = gate->share >= 0 ? sl_table_real_or_nan(t, SL_WHY_SHARE) > gate->share : seconds > gate->seconds;
        else if (compared)
            over = !isnan(was) && cli_gate_exceeded(gate, was, seconds);
        was = seconds;
    }
    return over;
}

/* The last workflow that files below path tell of; 0: there is none.  The others are named on stderr. */
static int last_below(struct sl_store *st, const char *path, int64_t *workflow, struct sl_err *err)
{
    char *real = realpath(path, NULL);
    sqlite3_stmt *q = sl_store_prepare(st, sql_below, err);
    long long n = 0;
    int rc = q ? 0 : SL_ESTORE;

    *workflow = 0;
    if (q)
        sqlite3_bind_text(q, 1, real ? real : path, -1, SQLITE_TRANSIENT);
    while (!rc && (rc = sl_store_step(st, q, err)) > 0) {
        if (!n++)
            *workflow = sqlite3_column_int64(q, 0);
        rc = 0;
        if (n > 1000)
            break;
        if (sqlite3_column_int64(q, 0) == *workflow)
            continue;
        if (n == 2)
            fputs("spanloom: of several runs the last is told of; the others: spanloom why", stderr);
        if (n < 6)
            fprintf(stderr, " --run %.36s", (const char *)sqlite3_column_text(q, 1));
        else if (n == 6)
            fputs(" ...", stderr);
    }
    if (n > 1)
        fputc('\n', stderr);
    sqlite3_finalize(q);
    free(real);
    return rc;
}

static bool is_store(const char *path)
{
    struct sl_store *st = NULL;
    bool is = cli_side_is_file(path) && !sl_store_open(&st, path, SL_STORE_READ, NULL);

    sl_store_close(st);
    return is;
}

/* The last workflow of a path, after it was imported. */
static int of_path(struct cli *cli, char *path, struct sl_store **st, int64_t *workflow)
{
    struct sl_err err = {0};
    int rc = cli_import(cli, 1, &path, false);

    if (rc)
        return rc;
    if (!(*st = cli_open(cli)))
        return EXIT_FAILED;
    rc = cli_states(cli, *st, &err);
    if (!rc)
        rc = last_below(*st, path, workflow, &err);
    if (!rc && !*workflow)
        rc = sl_err(&err, SL_ENOTFOUND, "%s holds no workflow; see what it holds with: spanloom info", path);
    if (!rc)
        rc = cli_skew(cli, *st, &err);
    return rc ? cli_fail(cli, &err) : EXIT_DONE;
}

/* Which workflow is meant by a text: a path, a store, a run of one (cli/side.h); NULL: as cli_workflow() says. */
static int find(struct cli *cli, char *text, struct sl_store **st, int64_t *workflow)
{
    struct sl_diff_input side = {.text = text};
    struct sl_err err = {0};
    int rc;

    *st = NULL;
    if (!text) {
        rc = cli_workflow(cli, 0, NULL, st, workflow);
        *st = rc ? NULL : *st; /* it has closed it */
        return rc;
    }
    if (access(text, F_OK) == 0 && !is_store(text))
        return of_path(cli, text, st, workflow);
    rc = cli_side_open(cli, &side, &err);
    *workflow = side.within;
    if (!rc && !*workflow)
        rc = cli_find_workflow(cli, side.st, NULL, workflow, &err);
    if (!rc)
        rc = cli_skew(cli, side.st, &err);
    *st = side.st;
    side.st = NULL;
    cli_side_close(&side);
    return !rc ? EXIT_DONE : err.code ? cli_fail(cli, &err) : EXIT_FAILED;
}

static bool say_problems(const struct sl_result *r)
{
    struct sl_table *t = sl_result_find(r, "problems");
    bool any = false;

    while (sl_table_next(t, NULL) > 0) {
        fprintf(stderr, "spanloom: %s\n", sl_table_text(t, 1, NULL));
        any = true;
    }
    sl_table_rewind(t);
    return any;
}

/* One run, or two of which the second is told beside the first. */
static int tell(struct cli *cli, int n, char **text, const struct sl_findings *findings, const struct cli_gate *gate)
{
    struct sl_result of[2] = {0}, both = {0};
    struct sl_err err = {0};
    bool failed = false;
    int rc = 0, code = EXIT_DONE;

    for (int i = 0; i < n && !rc && !code; i++) {
        struct sl_store *st = NULL;
        int64_t workflow;
        if (!(code = find(cli, text[i], &st, &workflow)))
            rc = sl_why(&of[i], st, workflow, findings, &err);
        if (!rc && !code)
            failed |= say_problems(&of[i]);
        sl_store_close(st);
    }
    if (!rc && !code && n > 1)
        rc = sl_why_compared(&both, of, &err);
    if (!rc && !code && cli->format != SL_FORMAT_TABLE)
        rc = sl_show_result(stdout, n > 1 ? &both : &of[0], cli->format, &err);
    else if (!rc && !code)
        rc = n > 1 ? sl_show_why_compared(stdout, &both, cli_columns(), &err)
                   : sl_show_why(stdout, &of[0], cli_columns(), cli_option(cli, "all") != NULL, &err);
    if (rc < 0)
        code = cli_fail(cli, &err);
    else if (!code && gate->text && exceeded(n > 1 ? &both : &of[0], n > 1, gate))
        code = EXIT_GATE;
    sl_result_free(&of[0]);
    sl_result_free(&of[1]);
    sl_result_free(&both);
    return code ? code : failed ? EXIT_FAILED : EXIT_DONE;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_findings findings = {0};
    struct sl_err err = {0};
    struct cli_gate gate;
    char *none = NULL;
    int rc;

    if (argc > 2)
        return cli_usage(cli, "one run, or two to be compared: %s is too much", argv[2]);
    if (argc && cli_option(cli, "run"))
        return cli_usage(cli, "--run and %s both say which run; one is enough", argv[0]);
    if ((rc = cli_gate(cli, &gate)))
        return rc;
    if (sl_findings_load(&findings, &err))
        return cli_fail(cli, &err);
    rc = tell(cli, argc ? argc : 1, argc ? argv : &none, &findings, &gate);
    sl_findings_free(&findings);
    return rc;
}

const struct command cmd_why = {
    .name = "why",
    .args = "[PATH|RUN [PATH|RUN]]",
    .help = "why a workflow took so long: findings, by the seconds that each cost",
    .options = options,
    .run = run,
};
