/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines of a store's spans, read again from their files: --lines of show and events. */
#ifndef SL_CLI_GATHER_LINES_H
#define SL_CLI_GATHER_LINES_H

#include "cli/cli.h"

/* Gathers the log lines that name spans into temp.sl_line, for the run of `span` (0: all runs). */
int cli_gather_lines(const struct cli *cli, struct sl_store *st, int64_t span, struct sl_err *err);

#endif
