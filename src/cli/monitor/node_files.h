/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_CLI_NODE_FILES_H
#define SL_CLI_NODE_FILES_H

#include "cli/cli.h"

/*
 * The store that a command is about: what files of the monitor below paths hold, in one that is gone when it is closed;
 * without paths that of -d.  NULL: it is said what is wrong.
 */
struct sl_store *cli_node_store(const struct cli *cli, int argc, char *const *argv);

#endif
