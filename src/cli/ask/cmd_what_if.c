/* SPDX-License-Identifier: Apache-2.0 */
/* Names for the table functions what_if() and what_helps(). */
#include "analyse/tasks/changes.h"
#include "base/buf.h"
#include "cli/workflow.h"
#include "result/what_if.h"
#include "show/what_if.h"

static const struct option_spec options[] = {
    WORKFLOW_OPTION,
    {"tasks", NULL, "for each task when it was, and when it would have been"},
    SKEW_OPTION,
    {NULL, NULL, NULL},
};

/* A run that was cut short has no end that could be told. */
static int say_undone(struct sl_table *t, struct sl_err *err)
{
    enum { UNDONE, TASKS };
    int rc = sl_table_next(t, err);

    if (rc > 0 && sl_table_int(t, UNDONE))
        cli_say("%lld of %lld tasks were never done, as far as logs tell: was the run cut short?",
                (long long)sl_table_int(t, UNDONE), (long long)sl_table_int(t, TASKS));
    return rc < 0 ? rc : 0;
}

static int show(const struct cli *cli, struct sl_result *r, bool helps, struct sl_err *err)
{
    const char *name = cli_option(cli, "tasks") ? "tasks" : "change";

    if (cli->format == SL_FORMAT_TABLE && !cli_option(cli, "tasks"))
        return sl_show_what_if(stdout, r, helps, err);
    return sl_show_table(stdout, sl_result_find(r, name), cli->format, err) < 0 ? SL_ESTORE : 0;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_buf changes = {0};
    struct sl_result r = {0};
    struct sl_err err = {0};
    struct sl_store *st;
    int64_t workflow;
    int rc;

    if (!argc && cli_option(cli, "tasks"))
        return cli_usage(cli, "--tasks of what? for example: spanloom what-if --tasks 'workers x2'");
    for (int i = 0; i < argc; i++)
        sl_buf_addf(&changes, "%s%s", i ? ", " : "", argv[i]);
    if (argc && sl_changes_check(changes.s, &err)) {
        sl_buf_free(&changes);
        return cli_fail(cli, &err);
    }
    if ((rc = cli_workflow(cli, 0, NULL, &st, &workflow))) {
        sl_buf_free(&changes);
        return rc;
    }
    rc = argc ? sl_result_what_if(&r, st, workflow, changes.s, &err) : sl_result_what_helps(&r, st, workflow, &err);
    if (!rc && argc)
        rc = say_undone(sl_result_find(&r, "undone"), &err);
    if (!rc)
        rc = show(cli, &r, !argc, &err);
    sl_result_free(&r);
    sl_buf_free(&changes);
    sl_store_close(st);
    return rc < 0 ? cli_fail(cli, &err) : EXIT_DONE;
}

const struct command cmd_what_if = {.name = "what-if",
                                    .args = "['WHAT xFACTOR']...",
                                    .help = "how long it would have taken, with more workers or faster parts",
                                    .options = options,
                                    .run = run};
