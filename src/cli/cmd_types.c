/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

static const struct option_spec options[] = {
    {"events", NULL, "instead, a line for each type of event and of the spans that it is on", false},
    {NULL, NULL, NULL, false},
};

static const char types[] = "SELECT n.name AS type, count(*) AS spans FROM sl_span s JOIN sl_name n ON n.id = s.type "
                            "GROUP BY n.name ORDER BY n.name";

static const char events[] =
    "SELECT n.name AS type, m.name AS event, sum(c) AS events, count(*) AS spans FROM "
    "(SELECT s.type AS st, e.type AS et, count(*) AS c FROM sl_event e JOIN sl_span s ON s.id = e.span "
    "GROUP BY e.span, e.type) "
    "JOIN sl_name n ON n.id = st JOIN sl_name m ON m.id = et GROUP BY st, et ORDER BY n.name, m.name";

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_store *st;
    int rc;

    if (argc)
        return cli_usage(cli, "types takes no arguments, but was given %s", argv[0]);
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    rc = cli_query(cli, st, cli_option(cli, "events") ? events : types, NULL);
    sl_store_close(st);
    return rc;
}

const struct command cmd_types = {"types", "", "the types of spans, one a line", options, run};
