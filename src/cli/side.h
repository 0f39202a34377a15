/* SPDX-License-Identifier: Apache-2.0 */
/* What is compared, A or B: a store, a run in a store (STORE:RUN), or a run in the store of -d. */
#ifndef SL_CLI_SIDE_H
#define SL_CLI_SIDE_H

#include "cli/cli.h"
#include "result/diff_tables.h"

bool cli_side_is_file(const char *path); /* and no folder */

/*
 * Opens what s->text names, for analyses, through the lens; s->within is the run.  0, or negative: err is filled, or
 * its code 0, where it is said already.
 */
int cli_side_open(const struct cli *cli, struct sl_diff_input *s, struct sl_err *err);
void cli_side_close(struct sl_diff_input *s);

#endif
