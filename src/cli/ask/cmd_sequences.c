/* SPDX-License-Identifier: Apache-2.0 */
/* A name for the table function event_sequences(), and dnpcsql's way of showing it. */
#include "analyse/load/root_events.h"
#include "cli/lens_options.h"
#include "cli/question.h"
#include "cli/view/picture.h"
#include "result/over_time/sequences_tables.h"
#include "show/print_sequences.h"

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

static int ask(struct asking *a, struct sl_err *err)
{
    int rc;

    if (!a->argc)
        say_left_out(a->st, a->within);
    rc = cli_lens_of_recipes(a->cli, &a->st, &a->within, 1, a->type, &a->merged, err);
    return rc ? rc
              : sl_result_sequences(&a->r, a->st, a->type, a->within, cli_option(a->cli, "by"),
                                    cli_option(a->cli, "all"), err);
}

static int show(struct asking *a, struct sl_err *err)
{
    return sl_show_sequences(stdout, &a->r, a->type, a->merged ? cli_lens_says : NULL, cli_option(a->cli, "all"), err);
}

const struct command cmd_sequences = {
    .name = "sequences",
    .args = "[ROOT_TYPE]",
    .help = "where the time of a typical span of a type went, event by event",
    .options = options,
    .question = &(const struct cli_question){.before = ASK_TYPE | ASK_GROUPS | ASK_LENS | SAY_MIXED | SAY_LOST,
                                             .most = 1,
                                             .takes = "one type of root spans",
                                             .plot = "sequences",
                                             .ask = ask,
                                             .show = show},
};
