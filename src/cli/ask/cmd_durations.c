/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/lens.h"
#include "cli/over_time.h"
#include "cli/view/picture.h"
#include "result/durations.h"

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
static int of_tasks(struct cli *cli)
{
    struct sl_result r = {0};
    struct sl_err err = {0};
    struct over_time p;
    int64_t workflow;
    int rc = over_time_open(&p, cli);

    if (rc)
        return rc;
    rc = cli_states(cli, p.st, &err);
    if (!rc)
        rc = cli_find_workflow(cli, p.st, NULL, &workflow, &err);
    if (!rc)
        rc = cli_skew(cli, p.st, &err);
    if (!rc)
        rc = sl_durations_of_tasks(&r, p.st, workflow, cli_option(cli, "by"), &err);
    rc = over_time_show(&p, &r, rc, cli->format == SL_FORMAT_TABLE ? sl_show_task_durations : NULL, &err);
    return over_time_close(&p, rc, &err);
}

static int run(struct cli *cli, int argc, char **argv)
{
    bool by_sql = cli_option(cli, "sql") != NULL, missing = cli_option(cli, "missing") != NULL,
         list = missing || cli_option(cli, "list"), people = cli->format == SL_FORMAT_TABLE && !list, seen;
    struct sl_durations_question q = {
        .event = {argc > 0 ? argv[0] : NULL, argc > 1 ? argv[1] : NULL}, .list = list, .missing = missing};
    struct sl_result r = {0};
    struct sl_err err = {0};
    char type[SL_TYPE_BYTES];
    struct over_time p;
    int rc;

    if (cli_option(cli, "output"))
        return cli_picture(cli, "durations", argc, argv);
    if (!argc && !by_sql && !list && !looks_through(cli))
        return of_tasks(cli);
    if (by_sql ? argc : argc < 2 || argc > 3)
        return cli_usage(cli, by_sql ? "durations takes events or --sql, not both"
                                     : "from which event to which? such as: invoked returned");
    if (list && cli_option(cli, "by"))
        return cli_usage(cli, "--by sums up, --%s does not: which of them?", missing ? "missing" : "list");
    if ((rc = over_time_open(&p, cli)))
        return rc;
    if (!by_sql)
        rc = cli_type(p.st, argc > 2 ? argv[2] : NULL, p.within, type, sizeof type, &err);
    p.arg = by_sql ? NULL : type;
    if (!rc)
        rc = cli_lens(cli, p.st, &seen, &err);
    if (!rc) {
        q.over = over_time_question(&p, people);
        rc = sl_durations(&r, &q, &err);
        if (!rc && !by_sql)
            cli_say_mixed(cli, p.st);
        rc = over_time_show(&p, &r, rc, people ? sl_show_durations : NULL, &err);
    }
    return over_time_close(&p, rc, &err);
}

const struct command cmd_durations = {
    .name = "durations",
    .args = "[START END [ROOT_TYPE]]",
    .help = "how long from one event to another, over all spans of a type",
    .options = options,
    .run = run,
};
