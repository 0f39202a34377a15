/* SPDX-License-Identifier: Apache-2.0 */
/* What happened to one span: its contexts across components, every event, and the gaps.  For show and events. */
#ifndef SL_CLI_HISTORY_H
#define SL_CLI_HISTORY_H

#include "cli/cli.h"

/*
 * Finds the span that words name: "span 1234", "task 42", "parsl.executor.htex.worker 1", "worker.task 17" (a unique
 * end of a type), run: a run id, its beginning, or the name of a run directory; NULL: any.  0 and *id set, or negative
 * with err filled (a list of candidates where there are several).
 */
int history_find(struct sl_store *st, int argc, char **argv, const char *run, int64_t *id, struct sl_err *err);

/* The workflow that a user's --run means, or another root; 0 where run is NULL. */
int history_run(struct sl_store *st, const char *run, int64_t *span, struct sl_err *err);

/* With lines: gathers the log lines that name spans into temp.sl_line, for the run of `span` (0: all runs). */
int history_gather_lines(const struct cli *cli, struct sl_store *st, int64_t span, struct sl_err *err);

/* Parents, facets, attributes and nested contexts of a span. */
int history_contexts(struct sl_store *st, int64_t span, struct sl_err *err);

/*
 * For people: the events below a span in order of time, with gaps, and its log lines if they were gathered.  With lens:
 * through it.
 */
int history_events(struct sl_store *st, int64_t span, bool lines, bool lens, struct sl_err *err);

/* For programs: the same as rows, for all roots that the query `roots` yields. */
int history_rows(const struct cli *cli, struct sl_store *st, const char *roots, bool lines, bool lens,
                 struct sl_err *err);

/* Says of a Parsl task or try that no worker names how far it came. */
int history_reach(struct sl_store *st, int64_t span, struct sl_err *err);

/* "parsl.monitoring.task 42 of 5c5e...": for headings. buf is returned. */
char *history_name(struct sl_store *st, int64_t span, char *buf, size_t n);

#endif
