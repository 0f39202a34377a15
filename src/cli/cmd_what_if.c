/* SPDX-License-Identifier: Apache-2.0 */
/* A name for the table function what_if(). */
#include "analyse/tasks/changes.h"
#include "base/buf.h"
#include "cli/workflow.h"
#include "result/what_if.h"

static const struct option_spec options[] = {
    WORKFLOW_OPTION,
    {"tasks", NULL, "for each task when it was, and when it would have been", false},
    SKEW_OPTION,
    {NULL, NULL, NULL, false},
};

/* A run that was cut short has no end that could be told. */
static int say_undone(struct sl_table *t, struct sl_err *err)
{
    enum { UNDONE, TASKS };
    int rc = sl_table_next(t, err);

    if (rc > 0 && sl_table_int(t, UNDONE))
        fprintf(stderr, "spanloom: %lld of %lld tasks were never done, as far as logs tell: was the run cut short?\n",
                (long long)sl_table_int(t, UNDONE), (long long)sl_table_int(t, TASKS));
    return rc < 0 ? rc : 0;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_buf changes = {0};
    struct sl_result r = {0};
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
    rc = sl_result_what_if(&r, st, workflow, changes.s, &err);
    if (!rc)
        rc = say_undone(sl_result_find(&r, "undone"), &err);
    if (!rc &&
        sl_show_table(stdout, sl_result_find(&r, cli_option(cli, "tasks") ? "tasks" : "change"), cli->format, &err) < 0)
        rc = SL_ESTORE;
    sl_result_free(&r);
    sl_buf_free(&changes);
    sl_store_close(st);
    return rc < 0 ? cli_fail(cli, &err) : EXIT_DONE;
}

const struct command cmd_what_if = {.name = "what-if",
                                    .args = "'PATTERN xFACTOR'...",
                                    .help = "how long a workflow would have taken, had parts been faster",
                                    .options = options,
                                    .run = run};
