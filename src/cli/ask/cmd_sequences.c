/* SPDX-License-Identifier: Apache-2.0 */
/* A name for the table function event_sequences(), and dnpcsql's way of showing it. */
#include "analyse/load/root_events.h"
#include "cli/lens.h"
#include "cli/over_time.h"
#include "cli/view/picture.h"
#include "result/sequences.h"
#include "show/sequences.h"

#include <stdint.h>
#include <stdlib.h>

static const struct option_spec options[] = {
    {"all", NULL, "every ordering, not only the most common one"},
    RUN_OPTION,
    BY_OPTION,
    LENS_OPTIONS,
    PICTURE_OPTION,
    {NULL, NULL, NULL},
};

/* Runs without a database have their tasks in a log only: spans of another type. */
static void say_left_out(struct sl_store *st, int64_t within)
{
    char *type;

    for (int i = 1; (type = sl_task_type(st->db, i)); i++) {
        long long n = sl_result_left_out(st, type, within);
        if (n)
            cli_say("%lld task%s known as %s only, and not counted here; see: spanloom sequences %s", n,
                    n == 1 ? " is" : "s are", type, type);
        free(type);
    }
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_result r = {0};
    struct sl_err err = {0};
    char type[SL_TYPE_BYTES];
    bool all = cli_option(cli, "all") != NULL, seen, merged;
    struct over_time p;
    int rc;

    if (cli_option(cli, "output"))
        return cli_picture(cli, "sequences", argc, argv);
    if (argc > 1)
        return cli_usage(cli, "one type of root spans at a time; '%s' is one too many", argv[1]);
    if ((rc = over_time_open(&p, cli)))
        return rc;
    rc = cli_type(p.st, argc ? argv[0] : NULL, p.within, type, sizeof type, &err);
    if (!rc && !argc)
        say_left_out(p.st, p.within);
    if (!rc)
        rc = cli_lens(cli, p.st, &seen, &err);
    if (!rc)
        rc = cli_lens_of_recipes(cli, &p.st, &p.within, 1, type, &merged, &err);
    if (!rc)
        rc = sl_result_sequences(&r, p.st, type, p.within, cli_option(cli, "by"), all, &err);
    if (!rc)
        cli_say_mixed(cli, p.st);
    if (!rc)
        rc = cli->format == SL_FORMAT_TABLE
                 ? sl_show_sequences(stdout, &r, type, merged ? cli_lens_says : NULL, all, &err)
                 : sl_show_result(stdout, &r, cli->format, &err);
    sl_result_free(&r);
    return over_time_close(&p, rc, &err);
}

const struct command cmd_sequences = {.name = "sequences",
                                      .args = "[ROOT_TYPE]",
                                      .help = "where the time of a typical span of a type went, event by event",
                                      .options = options,
                                      .run = run};
