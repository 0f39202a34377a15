/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of `spanloom experiment` that have a file of their own. */
#ifndef SL_CLI_EXPERIMENT_H
#define SL_CLI_EXPERIMENT_H

#include "cli/cli.h"
#include "experiment/answers.h"

/* They give an exit code. */
int cli_experiment_import(const struct cli *cli, int files, char **file);
int cli_experiment_report(const struct cli *cli, const struct sl_asked *a);
int cli_experiment_export(const struct cli *cli, const char *what, const struct sl_asked *a);
int cli_experiment_design(const struct cli *cli, int argc, char **argv);
int cli_experiment_run(const struct cli *cli, int argc, char **argv);

#endif
