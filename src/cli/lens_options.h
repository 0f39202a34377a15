/* SPDX-License-Identifier: Apache-2.0 */
/* The options of commands that look through a lens (analyse/lens/lens.h). */
#ifndef SL_CLI_LENS_OPTIONS_H
#define SL_CLI_LENS_OPTIONS_H

#include "cli/workflow.h"

/* In a command's list of options. */
/* clang-format off */
#define LENS_OPTIONS                                                                                                   \
    {"ignore", "WHAT", "look through these: SPAN_TYPE, or SPAN_TYPE/EVENT, with * for any text"},               \
    {"rename", "WHAT=NEW", "show these as of the type NEW, or as the event NEW"},                               \
    {"merge", "NAME=WHAT,...", "show these as one event, where they happen together"},                          \
    {"within", "SECONDS", "for --merge: together is no further apart than that (0.1)"},                         \
    {"lens", "none|recipes", "none: not through the rules of the store, or of recipes; recipes: through those"}, \
    SKEW_OPTION
/* clang-format on */

/*
 * Puts the options into temp.sl_lens, behind the store's own, and warns of what matches nothing.  Corrects clocks, if
 * that is asked for.  *any: there is something to look through.
 */
int cli_lens(const struct cli *cli, struct sl_store *st, bool *any, struct sl_err *err);

/*
 * Where roots of these types are tasks and neither the command nor the stores rename or merge: of what recipes merge,
 * that of which the stores have several events goes into temp.sl_lens of each; within[i], where it is not 0: what is
 * below that span.  n: 1, or 2 that are compared, which count together.  *used: it does, which tables for people say
 * (cli_lens_says).  After cli_lens().
 */
int cli_lens_of_recipes(const struct cli *cli, struct sl_store *const *st, const int64_t *within, int n,
                        const char *type, bool *used, struct sl_err *err);
extern const char cli_lens_says[];

/* Says which patterns of the rules that project files put into the store match nothing. */
void cli_lens_say_idle(struct sl_store *st);

#endif
