/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/question.h"
#include "result/spans/store_contents.h"

static const struct option_spec options[] = {
    {"events", NULL, "instead, a line for each type of event and of the spans that it is on"},
    RUN_OPTION,
    {NULL, NULL, NULL},
};

static int ask(struct asking *a, struct sl_err *err)
{
    return cli_option(a->cli, "events") ? sl_result_event_types(&a->r, a->st, a->within, err)
                                        : sl_result_types(&a->r, a->st, a->within, err);
}

const struct command cmd_types = {
    .name = "types",
    .args = "",
    .help = "the types of spans, one a line",
    .options = options,
    .question = &(const struct cli_question){.before = SAY_MIXED | SAY_LOST, .ask = ask},
};
