/* SPDX-License-Identifier: Apache-2.0 */
/* Which run a command is about. */
#ifndef SL_CLI_WORKFLOW_H
#define SL_CLI_WORKFLOW_H

#include "cli/cli.h"

#include <stdint.h>

/* clang-format off */
#define RUN_OPTION {"run", "RUN", "only what belongs to this run: its id, the beginning of it, or its directory (001)"}
#define SKEW_OPTION {"correct-skew", NULL, "correct clocks by what handovers say of them (spanloom skew)"}
#define WORKFLOW_OPTION {"run", "RUN", "the workflow: its run id, the beginning of it, or its directory (001)"}
/* clang-format on */

/* For a store that was made before roles and states were what they are: what recipes say today holds for this session.
 */
int cli_states(const struct cli *cli, struct sl_store *st, struct sl_err *err);

/* With --correct-skew: puts the estimates into temp.sl_skew, through which analyses look, and says so on stderr. */
int cli_skew(const struct cli *cli, struct sl_store *st, struct sl_err *err);

/*
 * How many workflows there are that are not part of another one, and the first of them.  list, NULL: appends a line for
 * each of the first ten.
 */
int cli_workflows(struct sl_store *st, int64_t *first, uint64_t *n, struct sl_buf *list, struct sl_err *err);

/* Says that there is no workflow in what, and what tells of what there is.  Negative. */
int cli_no_workflow(struct sl_store *st, const char *what, struct sl_err *err);

/*
 * The workflow of --run, or the only one there is.  words: behind these, after "spanloom", a span can be named; NULL:
 * it cannot.
 */
int cli_find_workflow(const struct cli *cli, struct sl_store *st, const char *words, int64_t *workflow,
                      struct sl_err *err);

/*
 * For commands with RUN_OPTION: *within is the span of --run, or 0; then what they tell is of all runs, which is to be
 * said where there are several.
 */
int cli_within(const struct cli *cli, struct sl_store *st, int64_t *within, struct sl_err *err);
void cli_say_mixed(const struct cli *cli, struct sl_store *st);

/*
 * The workflow that is meant: argv is a run, a type and a key as for `show`, or nothing, then it is --run, then the
 * only one there is; NULL: it cannot be said so.
 */
int cli_workflow_of(const struct cli *cli, struct sl_store *st, int argc, char **argv, int64_t *workflow,
                    struct sl_err *err);

/*
 * Which workflow `why` and `report` are to tell of, by a text: a path that was imported, a store, a run of one
 * (cli/side.h); NULL: as cli_workflow_of() says.  An exit status; *st is to be closed, or NULL.
 */
int cli_find_subject(struct cli *cli, char *text, struct sl_store **st, int64_t *workflow);
/*
 * Imports what text is a path of; all of them before any is told of, as names depend on what there is.  *in_part is set
 * where something could not be read, which is said, and the store has a run of that path to tell of.
 */
int cli_import_subject(struct cli *cli, char *text, bool *in_part);
/*
 * The last workflow that files below path tell of, and that lasted for any time, where one did; 0: there is none.  say:
 * which it is, and which later ones did not, is said on stderr; else one that began in the last minute counts, too.
 */
int cli_last_below(struct sl_store *st, const char *path, bool say, int64_t *workflow, struct sl_err *err);

#endif
