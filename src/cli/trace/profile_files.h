/* SPDX-License-Identifier: Apache-2.0 */
/* Trace files without a store: what they hold, in one that is gone afterwards, and the sums of their calls. */
#ifndef SL_CLI_PROFILE_FILES_H
#define SL_CLI_PROFILE_FILES_H

#include "base/call_sums.h"
#include "cli/cli.h"

/* Are these files or folders, and no words that name a span? */
bool profile_is_files(const struct cli *cli, int argc, char *const *argv);

/*
 * Reads the trace files below paths.  On success *st, which has the analysis functions, and *sums are the caller's.
 * What cannot be read is told on stderr, and is the exit status (cli_not_all).
 */
int profile_read_files(const struct cli *cli, int argc, char *const *argv, struct sl_store **st,
                       struct sl_call_sums *sums, struct sl_err *err);

#endif
