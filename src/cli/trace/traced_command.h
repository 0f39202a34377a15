/* SPDX-License-Identifier: Apache-2.0 */
/* A command with tracing on, and then the profile of what it did: what `run` and `trace` share. */
#ifndef SL_CLI_TRACED_COMMAND_H
#define SL_CLI_TRACED_COMMAND_H

#include "cli/cli.h"

/* clang-format off */
#define TRACED_OPTIONS \
    {"dir", "DIRECTORY", "keep the traces there (default: a folder beside the store, removed after the import)"}, \
    {"keep", NULL, "do not remove the folder of the traces"}, \
    {"report", "FILE", "write the profile there, not to standard error"}, \
    {"quiet", NULL, "no profile"}, \
    {"no-import", NULL, "leave the traces in --dir, and import nothing"}
/* clang-format on */

/* Runs argv, which the trace calls by the last part of the name.  nothing: why it may be that no program recorded
 * anything.  The exit status is the command's. */
int traced_command(struct cli *cli, const char *name, char *const *argv, const char *nothing);

#endif
