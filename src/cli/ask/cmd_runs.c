/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/question.h"
#include "result/spans/store_contents.h"

static int ask(struct asking *a, struct sl_err *err)
{
    return sl_result_workflows(&a->r, a->st, a->cli->format == SL_FORMAT_TABLE, err);
}

static int show(struct asking *a, struct sl_err *err)
{
    struct sl_err none = {0};
    int64_t first;
    uint64_t n;
    int rc = cli_workflows(a->st, &first, &n, NULL, err);

    if (rc || n)
        return rc ? rc : sl_show_result(stdout, &a->r, a->cli->format, err);
    cli_no_workflow(a->st, a->st->path, &none);
    cli_say("%s", none.text);
    return 0;
}

const struct command cmd_runs = {
    .name = "runs",
    .args = "",
    .help = "which runs the store holds, and what --run calls them",
    .question = &(const struct cli_question){.before = ASK_STATES, .ask = ask, .show = show},
};
