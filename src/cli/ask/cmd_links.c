/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/question.h"
#include "result/spans/links.h"

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

static int check(const struct cli *cli, int argc, char **argv)
{
    (void)argv;
    if (argc)
        return cli_usage(cli, "links takes no argument; name a rule with --rule");
    return cli_option(cli, "doubtful") && cli_option(cli, "unresolved")
               ? cli_usage(cli, "links takes --doubtful or --unresolved, not both")
               : EXIT_DONE;
}

static int ask(struct asking *a, struct sl_err *err)
{
    const char *rule = cli_option(a->cli, "rule");
    enum sl_links which = cli_option(a->cli, "doubtful")     ? SL_LINKS_DOUBTFUL
                          : cli_option(a->cli, "unresolved") ? SL_LINKS_UNRESOLVED
                          : rule                             ? SL_LINKS_EACH
                                                             : SL_LINKS_OVERVIEW;

    return rule && !known(a->st, rule) ? cli_no_rule(a->st, rule, err)
                                       : sl_result_links(&a->r, a->st, which, rule, a->within, err);
}

const struct command cmd_links = {
    .name = "links",
    .args = "",
    .help = "what rules have linked, and where they are in doubt",
    .options = options,
    .question = &(const struct cli_question){.before = SAY_MIXED, .most = CLI_WORDS, .check = check, .ask = ask},
};
