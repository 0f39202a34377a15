/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of `spanloom experiment` that have a file of their own. */
#ifndef SL_CLI_EXPERIMENT_SUBCOMMANDS_H
#define SL_CLI_EXPERIMENT_SUBCOMMANDS_H

#include "base/buf.h"
#include "cli/cli.h"
#include "experiment/questions.h"

#include <limits.h>

/* They give an exit code. */
int cli_experiment_import(const struct cli *cli, int files, char **file);
int cli_experiment_report(const struct cli *cli, const struct sl_question *q);
int cli_experiment_export(const struct cli *cli, const char *what, const struct sl_question *q);
int cli_experiment_design(const struct cli *cli, int argc, char **argv);
int cli_experiment_run(const struct cli *cli, int argc, char **argv);
int cli_experiment_status(const struct cli *cli, int argc, char **argv);
int cli_experiment_compare(const struct cli *cli, int argc, char **argv);
int cli_experiment_suggest(const struct cli *cli, int argc, char **argv);
int cli_experiment_tune(const struct cli *cli, int argc, char **argv);
int cli_experiment_history(const struct cli *cli, int argc, char **argv);

/* Options of those that make runs.  NaN: it is said what is wrong. */
double cli_experiment_percent(const struct cli *cli, const char *name, double otherwise); /* as a share */
double cli_experiment_time(const struct cli *cli, const char *name, double otherwise);    /* in seconds */
/* --seed, or one that nobody has had.  EXIT_DONE, or EXIT_USAGE, and it is said why. */
int cli_experiment_seed(const struct cli *cli, uint64_t *seed);
struct sl_plan;
/* A folder of TMPDIR for what is kept while a plan runs that is no file; and its end, when all in it is gone.  Others
 * there are removed whose process was killed, but for worktrees. */
#define CLI_EXPERIMENT_TEMP "spanloom-runs-" /* how these are called */
int cli_experiment_temp(char path[PATH_MAX], struct sl_err *err);
/* Was the process killed that made the folder?  Then what it ran is ended, and no more than worktrees are left in it.
 */
bool cli_experiment_temp_is_dead(const char *folder);
void cli_experiment_temp_remove(const char *path, const struct sl_plan *p);
/* The plan of a command without its factors and the bracket at its end: by --score, --rate and --timeout. */
void cli_experiment_plan_text(struct sl_buf *b, const struct cli *cli, const char *name, const char *command);

#endif
