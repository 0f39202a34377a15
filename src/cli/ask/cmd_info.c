/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/question.h"
#include "result/spans/store_contents.h"

static const struct option_spec options[] = {RUN_OPTION, {NULL, NULL, NULL}};

static int ask(struct asking *a, struct sl_err *err)
{
    int rc = sl_result_info(&a->r, a->st, a->within, err);

    return rc ? rc : sl_result_runs(&a->r, a->st, a->within, err);
}

const struct command cmd_info = {
    .name = "info",
    .args = "",
    .help = "what the store holds",
    .options = options,
    .question = &(const struct cli_question){.before = SAY_LOST, .ask = ask},
};
