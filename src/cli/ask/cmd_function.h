/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_CLI_CMD_FUNCTION_H
#define SL_CLI_CMD_FUNCTION_H

#include "cli/cli.h"

/* The command for the table function of this name, or with - for _; good until the next.  NULL: there is none. */
const struct command *cli_function_command(const char *name);

#endif
