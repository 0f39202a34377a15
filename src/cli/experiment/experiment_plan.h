/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of an experiment, for the commands that have one. */
#ifndef SL_CLI_EXPERIMENT_PLAN_H
#define SL_CLI_EXPERIMENT_PLAN_H

#include "cli/cli.h"
#include "design/trial.h"

#define CLI_EXPERIMENT_FILE "experiment.yaml"

/* That of --plan, or experiment.yaml here.  To be freed in any case. */
int cli_experiment_plan(const struct cli *cli, struct sl_plan *p, struct sl_err *err);

/*
 * sl_trials_open(), and says what it undid that a killed process had left; and are the commands of the plan there
 * (design/plan/find_programs.h)?
 */
int cli_experiment_open(struct sl_trials *s, const struct sl_plan *p, const char *state, struct sl_err *err);

/* What is measured: "misses (less is better), by regex in what the command prints". */
void cli_experiment_score(struct sl_buf *b, const struct sl_plan *p);

/*
 * --factors: which vary, the others stay at their base; without it, all.  vary: of each factor of the plan; high: its
 * high level, where a design has two: that which is named, or else its last.
 */
int cli_experiment_vary(const struct cli *cli, const struct sl_plan *p, bool *vary, int32_t *high, struct sl_err *err);

/* An option that is a whole number from `least` up, which is left as it is where it is not given.  EXIT_DONE, or
 * EXIT_USAGE, and it is said why. */
int cli_experiment_whole(const struct cli *cli, const char *name, uint64_t least, uint64_t *to);

#endif
