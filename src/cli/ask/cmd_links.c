/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/workflow.h"
#include "result/links.h"

static const struct option_spec options[] = {
    {"rule", "RULE", "the links of this rule, one by one"},
    {"doubtful", NULL, "what a rule could have linked, had it known which"},
    {"unresolved", NULL, "what rules would link, where no record knows the other span"},
    RUN_OPTION,
    {NULL, NULL, NULL},
};

static bool known(struct sl_store *st, const char *rule)
{
    char *sql = sqlite3_mprintf("SELECT 1 FROM sl_name WHERE name = %Q UNION ALL SELECT 1 FROM sl_bind WHERE name = %Q",
                                rule, rule);
    bool yes = sl_store_int(st, sql, 0) != 0;

    sqlite3_free(sql);
    return yes;
}

static int run(struct cli *cli, int argc, char **argv)
{
    const char *rule = cli_option(cli, "rule");
    enum sl_links which = cli_option(cli, "doubtful")     ? SL_LINKS_DOUBTFUL
                          : cli_option(cli, "unresolved") ? SL_LINKS_UNRESOLVED
                          : rule                          ? SL_LINKS_EACH
                                                          : SL_LINKS_OVERVIEW;
    struct sl_result r = {0};
    struct sl_err err = {0};
    struct sl_store *st;
    int64_t within;
    int rc;

    (void)argv;
    if (argc)
        return cli_usage(cli, "links takes no argument; name a rule with --rule");
    if (cli_option(cli, "doubtful") && cli_option(cli, "unresolved"))
        return cli_usage(cli, "links takes --doubtful or --unresolved, not both");
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    if (rule && !known(st, rule))
        rc = cli_no_rule(st, rule, &err);
    else if (!(rc = cli_within(cli, st, &within, &err)))
        rc = sl_result_links(&r, st, which, rule, within, &err);
    return cli_end(cli, st, &r, rc, &err);
}

const struct command cmd_links = {
    .name = "links",
    .args = "",
    .help = "what rules have linked, and where they are in doubt",
    .options = options,
    .run = run,
};
