/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of nodes to an MLflow server: `export mlflow` and `monitor --mlflow`. */
#ifndef SL_CLI_VIEW_MLFLOW_OPTIONS_H
#define SL_CLI_VIEW_MLFLOW_OPTIONS_H

#include "cli/cli.h"

enum cli_mlflow_names { CLI_MLFLOW_TABLE, CLI_MLFLOW_CODE, CLI_MLFLOW_SYSTEM };

/* clang-format off */
#define MLFLOW_NAMES_OPTION {"names", "KIND", "table, code (max_t_(mem_percent)) or system (MLflow's own) (default: table)"}
/* clang-format on */

/* Of --names; EXIT_DONE, or it is said what is wrong. */
int cli_mlflow_names(const struct cli *cli, enum cli_mlflow_names *names);

/*
 * The nodes of st that belong to the span `within` (0: all) are sent, with what waits from before; st NULL: only that.
 * name: of the run, where MLFLOW_RUN_ID names none.  EXIT_DONE: all is there; EXIT_FAILED: it is said what waits, and
 * where, or what is wrong.
 */
int cli_mlflow_send(const struct cli *cli, struct sl_store *st, int64_t within, const char *name,
                    enum cli_mlflow_names names);

/* `export mlflow [FILE...]`: of files of the monitor, or of the store. */
int cli_mlflow_export(struct cli *cli, int argc, char **argv);

/*
 * Whether the environment says where to send: several monitors of one job need MLFLOW_RUN_ID, or each would make a run.
 * EXIT_DONE, or it is said what is wrong.
 */
int cli_mlflow_ready(const struct cli *cli);

/*
 * For the monitor: the file that it wrote, which is read into a scratch store.  A node without a rank is step 0.
 */
int cli_mlflow_file(const struct cli *cli, const char *path, enum cli_mlflow_names names);

#endif
