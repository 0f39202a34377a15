/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/lens_options.h"
#include "cli/question.h"
#include "cli/view/picture.h"
#include "result/over_time/durations.h"

static const struct option_spec options[] = {
    {"list", NULL, "the spans one by one, the longest first"},
    {"missing", NULL, "of these, those where the start or the end is missing"},
    RUN_OPTION,
    BY_OPTION,
    SQL_OPTION("duration_s; start and end; or two columns"),
    LENS_OPTIONS,
    PICTURE_OPTION,
    {NULL, NULL, NULL},
};

/* Options that are for events. */
static bool looks_through(const struct cli *cli)
{
    return cli_option(cli, "ignore") || cli_option(cli, "rename") || cli_option(cli, "merge") ||
           cli_option(cli, "within") || cli_option(cli, "lens");
}

/* Without events: where the time of tasks went. */
static bool of_tasks(const struct cli *cli, int argc)
{
    return !argc && !cli_option(cli, "sql") && !cli_option(cli, "list") && !cli_option(cli, "missing") &&
           !looks_through(cli);
}

static int check(const struct cli *cli, int argc, char **argv)
{
    bool missing = cli_option(cli, "missing"), by_sql = cli_option(cli, "sql");

    (void)argv;
    if (of_tasks(cli, argc))
        return EXIT_DONE;
    if (by_sql ? argc : argc < 2 || argc > 3)
        return cli_usage(cli, by_sql ? "durations takes events or --sql, not both"
                                     : "from which event to which? such as: invoked returned");
    return (missing || cli_option(cli, "list")) && cli_option(cli, "by")
               ? cli_usage(cli, "--by sums up, --%s does not: which of them?", missing ? "missing" : "list")
               : EXIT_DONE;
}

static int ask_tasks(struct asking *a, struct sl_err *err)
{
    int64_t workflow;
    int rc = cli_states(a->cli, a->st, err);

    if (!rc)
        rc = cli_find_workflow(a->cli, a->st, NULL, &workflow, err);
    if (!rc)
        rc = cli_skew(a->cli, a->st, err);
    return rc ? rc : sl_durations_of_tasks(&a->r, a->st, workflow, cli_option(a->cli, "by"), err);
}

static int ask(struct asking *a, struct sl_err *err)
{
    bool missing = cli_option(a->cli, "missing"), list = missing || cli_option(a->cli, "list"), seen;
    struct sl_durations_question q = {
        .event = {a->argc > 0 ? a->argv[0] : NULL, a->argc > 1 ? a->argv[1] : NULL}, .list = list, .missing = missing};
    int rc = 0;

    if (of_tasks(a->cli, a->argc))
        return ask_tasks(a, err);
    if (!a->sql)
        rc = cli_type(a->st, a->argc > 2 ? a->argv[2] : NULL, a->within, a->type, sizeof a->type, err);
    if (!rc)
        rc = cli_lens(a->cli, a->st, &seen, err);
    if (rc)
        return rc;
    q.over = cli_over_time(a, a->type);
    q.over.summary &= !list;
    rc = sl_durations(&a->r, &q, err);
    if (!rc && !a->sql)
        cli_say_mixed(a->cli, a->st);
    return rc;
}

static int show(struct asking *a, struct sl_err *err)
{
    if (cli_option(a->cli, "missing") || cli_option(a->cli, "list"))
        return sl_show_result(stdout, &a->r, a->cli->format, err);
    (of_tasks(a->cli, a->argc) ? sl_show_task_durations : sl_show_durations)(stdout, &a->r);
    return 0;
}

const struct command cmd_durations = {
    .name = "durations",
    .args = "[START END [ROOT_TYPE]]",
    .help = "how long from one event to another, over all spans of a type",
    .options = options,
    .question = &(const struct cli_question){.before = ASK_GROUPS | SAY_LOST,
                                             .most = CLI_WORDS,
                                             .plot = "durations",
                                             .check = check,
                                             .ask = ask,
                                             .show = show},
};
