/* SPDX-License-Identifier: Apache-2.0 */
/* An experiment that is run, as `spanloom experiment run` sees it. */
#ifndef SL_CLI_EXPERIMENT_SESSION_H
#define SL_CLI_EXPERIMENT_SESSION_H

#include "cli/cli.h"
#include "design/settings/schedule.h"

struct cli_experiment_session {
    const struct cli *cli;
    struct sl_plan plan;
    struct sl_schedule schedule;
    struct sl_run_records records;
    struct sl_trials trials;
    bool *done;        /* of each planned run: a log has it */
    const char *block; /* only this one; NULL: all */
    char *traces;      /* the folder of all; NULL: none */
    int log;
    bool terminal;
    size_t left, made, failed; /* of this session */
    size_t worked;             /* of all sessions */
    double spent_s;            /* of all sessions */
    int64_t began_ns;          /* of this one */
    bool over_budget;
    int signal;
};

/* experiment_slurm.c: submits the blocks that are left, unless a job is in the queue. */
int cli_experiment_slurm(const struct cli_experiment_session *s, struct sl_err *err);

#endif
