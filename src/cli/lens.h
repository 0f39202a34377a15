/* SPDX-License-Identifier: Apache-2.0 */
/* The options of commands that look through a lens (analyse/lens/lens.h). */
#ifndef SL_CLI_LENS_H
#define SL_CLI_LENS_H

#include "cli/workflow.h"

/* In a command's list of options. */
/* clang-format off */
#define LENS_OPTIONS                                                                                                   \
    {"ignore", "WHAT", "look through these: SPAN_TYPE, or SPAN_TYPE/EVENT, with * for any text", false},               \
    {"rename", "WHAT=NEW", "show these as of the type NEW, or as the event NEW", false},                               \
    {"merge", "NAME=WHAT,...", "show these as one event, where they happen together", false},                          \
    {"within", "SECONDS", "for --merge: together is no further apart than that (0.1)", false},                         \
    {"no-lens", NULL, "do not look through what the store ignores, renames and merges", false},                        \
    SKEW_OPTION
/* clang-format on */

/*
 * Puts the options into temp.sl_lens, behind the store's own, and warns of what matches nothing.  Corrects clocks, if
 * that is asked for.  *any: there is something to look through.
 */
int cli_lens(const struct cli *cli, struct sl_store *st, bool *any, struct sl_err *err);

/* Says which patterns of the rules that project files put into the store match nothing. */
void cli_lens_say_idle(struct sl_store *st);

#endif
