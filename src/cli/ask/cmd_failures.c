/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/question.h"
#include "findings/failures.h"
#include "show/print_why.h"

static const struct option_spec options[] = {WORKFLOW_OPTION, {NULL, NULL, NULL}};

static int ask(struct asking *a, struct sl_err *err)
{
    return sl_failures(&a->r, a->st, a->within, err);
}

static int show(struct asking *a, struct sl_err *err)
{
    return sl_show_task_failures(stdout, &a->r, cli_columns(), err);
}

const struct command cmd_failures = {
    .name = "failures",
    .args = "[RUN | TYPE KEY]",
    .help = "what failed, by exception, app and host, and what that cost",
    .options = options,
    .question = &(const struct cli_question){.before = ASK_WORKFLOW, .most = CLI_WORDS, .ask = ask, .show = show},
};
