/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/question.h"
#include "cli/view/picture.h"
#include "result/over_time/utilisation_tables.h"

#include <stdio.h>

static const struct option_spec options[] = {
    BY_OPTION,   BIN_OPTION,     RUN_OPTION,         SQL_OPTION("time_ns, workers, busy[, running]"),
    SKEW_OPTION, PICTURE_OPTION, {NULL, NULL, NULL},
};

static int ask(struct asking *a, struct sl_err *err)
{
    bool all = !a->argc && !a->sql && a->cli->format == SL_FORMAT_TABLE;
    struct sl_over_time q = cli_over_time(a, NULL);
    int rc = 0, found;

    if (a->argc)
        rc = cli_type(a->st, a->argv[0], a->within, a->type, sizeof a->type, err);
    else if (all && (rc = sl_worker_type(a->st, a->within, 1, a->type, sizeof a->type, err)) == 0)
        all = false;
    if (rc < 0 || !all) {
        q.about = a->argc ? a->type : NULL;
        return rc < 0 ? rc : sl_workers(&a->r, &q, err);
    }
    /* people see several types of workers one after the other */
    for (int64_t i = 0; (found = sl_worker_type(a->st, a->within, i, a->type, sizeof a->type, err)) > 0; i++) {
        struct sl_result r = {0};
        q.about = a->type;
        if (i)
            putchar('\n');
        if (!(rc = sl_workers(&r, &q, err)))
            sl_show_workers(stdout, &r);
        sl_result_free(&r);
        if (rc)
            return rc;
    }
    return found;
}

static void show(FILE *out, const struct sl_result *r)
{
    if (r->table.n)
        sl_show_workers(out, r);
}

const struct command cmd_utilisation = {
    .name = "utilisation",
    .args = "[WORKER_TYPE]",
    .help = "how many workers there were, and were busy",
    .options = options,
    .question = &(const struct cli_question){.before = ASK_STATES | ASK_GROUPS | ASK_SKEW | SAY_MIXED | SAY_LOST,
                                             .most = 1,
                                             .takes = "one type of workers, or --sql",
                                             .plot = "utilisation",
                                             .ask = ask,
                                             .people = show},
};
