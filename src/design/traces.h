/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of one run, asked for its score. */
#ifndef SL_DESIGN_TRACES_H
#define SL_DESIGN_TRACES_H

#include "base/buf.h"
#include "design/plan/plan.h"

#include <sys/types.h>

/* Reads all that lies in a folder into a store of its own, which is gone behind it, and asks: the first column of the
 * first row is the score.  SL_EFORMAT: why there is none. */
int sl_traces_score(double *score, const char *folder, const char *sql, struct sl_err *err);

/* The folder for the traces of a run, NAME.traces/RUN beside the plan, of which the first is made. */
int sl_traces_folder(struct sl_buf *b, const struct sl_plan *p, const char *run, struct sl_err *err);

/* What the trace of a process calls it, HOST:PID@NS; "": the folder has no trace of it. */
void sl_traces_process(char *to, size_t room, const char *folder, pid_t pid);

#endif
