/* SPDX-License-Identifier: Apache-2.0 */
/* What happened to one span: its contexts across components, every event, and the gaps.  For show and events. */
#ifndef SL_CLI_HISTORY_H
#define SL_CLI_HISTORY_H

#include "cli/cli.h"

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

#endif
