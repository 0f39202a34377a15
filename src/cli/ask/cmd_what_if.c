/* SPDX-License-Identifier: Apache-2.0 */
/* Names for the table functions what_if() and what_helps(). */
#include "analyse/tasks/changes/changes.h"
#include "base/buf.h"
#include "cli/question.h"
#include "result/what_if_tables.h"
#include "show/print_what_if.h"

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

static int check(const struct cli *cli, int argc, char **argv)
{
    (void)argv;
    return !argc && cli_option(cli, "tasks")
               ? cli_usage(cli, "--tasks of what? for example: spanloom what-if --tasks 'workers x2'")
               : EXIT_DONE;
}

static int ask(struct asking *a, struct sl_err *err)
{
    struct sl_buf changes = {0};
    int rc = 0;

    for (int i = 0; i < a->argc; i++)
        sl_buf_addf(&changes, "%s%s", i ? ", " : "", a->argv[i]);
    if (a->argc)
        rc = sl_changes_check(changes.s, err);
    if (!rc)
        rc = cli_workflow_of(a->cli, a->st, 0, NULL, &a->within, err);
    if (!rc)
        rc = cli_skew(a->cli, a->st, err);
    if (!rc)
        rc = a->argc ? sl_result_what_if(&a->r, a->st, a->within, changes.s, err)
                     : sl_result_what_helps(&a->r, a->st, a->within, err);
    if (!rc && a->argc)
        rc = say_undone(sl_result_find(&a->r, "undone"), err);
    sl_buf_free(&changes);
    return rc;
}

/* One table of it. */
static int show(struct asking *a, struct sl_err *err)
{
    struct sl_table *t = sl_result_find(&a->r, cli_option(a->cli, "tasks") ? "tasks" : "change");

    if (a->cli->format == SL_FORMAT_TABLE && !cli_option(a->cli, "tasks"))
        return sl_show_what_if(stdout, &a->r, !a->argc, err);
    return sl_show_table(stdout, t, a->cli->format, err) < 0 ? SL_ESTORE : 0;
}

const struct command cmd_what_if = {
    .name = "what-if",
    .args = "['WHAT xFACTOR']...",
    .help = "how long it would have taken, with more workers or faster parts",
    .options = options,
    .question =
        &(const struct cli_question){
            .before = ASK_STATES | SHOW_ALL, .most = CLI_WORDS, .check = check, .ask = ask, .show = show},
};
