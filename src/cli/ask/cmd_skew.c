/* SPDX-License-Identifier: Apache-2.0 */
/* A name for the table function clock_skew(). */
#include "cli/question.h"
#include "cli/view/picture.h"
#include "result/skew_tables.h"
#include "show/print_skew.h"

static const struct option_spec options[] = {RUN_OPTION, PICTURE_OPTION, {NULL, NULL, NULL}};

static int ask(struct asking *a, struct sl_err *err)
{
    return sl_result_skew(&a->r, a->st, a->within, err);
}

static int show(struct asking *a, struct sl_err *err)
{
    return sl_show_skew(stdout, &a->r, err);
}

const struct command cmd_skew = {
    .name = "skew",
    .args = "",
    .help = "how far clocks of components are off, by their messages",
    .options = options,
    .question = &(const struct cli_question){.before = ASK_STATES, .plot = "skew", .ask = ask, .show = show},
};
