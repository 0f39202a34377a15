/* SPDX-License-Identifier: Apache-2.0 */
/* A name for the table function what_if(). */
#include "analyse/tasks/simulate.h"
#include "base/buf.h"
#include "cli/workflow.h"
#include "cli_cmd_what_if.sql.h"

static const struct option_spec options[] = {
    WORKFLOW_OPTION,
    {"tasks", NULL, "for each task when it was, and when it would have been", false},
    SKEW_OPTION,
    {NULL, NULL, NULL, false},
};

/* The replay is worked out once.  Changes go as one text, commas between. */
static int keep_simulation(struct sl_store *st, int64_t workflow, const char *changes, struct sl_err *err)
{
    char *sql = sqlite3_mprintf(sql_keep_simulation, (long long)workflow, changes);
    int rc = cli_temporary(st, sql, err);

    sqlite3_free(sql);
    return rc;
}

/* A run that was cut short has no end that could be told. */
static void say_undone(struct sl_store *st)
{
    long long undone = sl_store_int(st, "SELECT max(undone) FROM temp.sl_simulation", 0);

    if (undone)
        fprintf(stderr, "spanloom: %lld of %lld tasks were never done, as far as logs tell: was the run cut short?\n",
                undone, (long long)sl_store_int(st, "SELECT count(*) FROM temp.sl_simulation", 0));
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_buf changes = {0};
    struct sl_err err = {0};
    struct sl_store *st;
    int64_t workflow;
    int rc;

    if (!argc)
        return cli_usage(cli, "what if what? for example: spanloom what-if 'running on a worker x0.5'");
    for (int i = 0; i < argc; i++)
        sl_buf_addf(&changes, "%s%s", i ? ", " : "", argv[i]);
    if (sl_changes_check(changes.s, &err)) {
        sl_buf_free(&changes);
        return cli_fail(cli, &err);
    }
    if ((rc = cli_workflow(cli, 0, NULL, &st, &workflow))) {
        sl_buf_free(&changes);
        return rc;
    }
    rc = keep_simulation(st, workflow, changes.s, &err);
    if (!rc) {
        bool tasks = cli_option(cli, "tasks") != NULL;
        say_undone(st);
        rc = cli_query(cli, st, tasks ? sql_tasks : sql_change, (const char *[]){tasks ? NULL : changes.s, NULL});
    }
    sl_buf_free(&changes);
    sl_store_close(st);
    return rc < 0 ? cli_fail(cli, &err) : rc;
}

const struct command cmd_what_if = {.name = "what-if",
                                    .args = "'PATTERN xFACTOR'...",
                                    .help =
                                        "how long a workflow would have taken, had parts of it been faster or slower",
                                    .options = options,
                                    .run = run};
