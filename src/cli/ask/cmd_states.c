/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/lens_options.h"
#include "cli/question.h"
#include "cli/view/picture.h"
#include "result/over_time/states_tables.h"

static const struct option_spec options[] = {
    BY_OPTION,    BIN_OPTION,     RUN_OPTION,         SQL_OPTION("time_ns, state, spans[, ended]"),
    LENS_OPTIONS, PICTURE_OPTION, {NULL, NULL, NULL},
};

static int ask(struct asking *a, struct sl_err *err)
{
    return sl_states(&a->r, (struct sl_over_time[]){cli_over_time(a, a->type)}, err);
}

const struct command cmd_states = {
    .name = "states",
    .args = "[ROOT_TYPE]",
    .help = "how many spans were in which state, over time",
    .options = options,
    .question = &(const struct cli_question){.before = ASK_TYPE | ASK_GROUPS | ASK_LENS | SAY_MIXED | SAY_LOST,
                                             .most = 1,
                                             .takes = "one type of spans, or --sql",
                                             .plot = "states",
                                             .ask = ask,
                                             .people = sl_show_states},
};
