/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `hyperfine --export-json` writes (https://github.com/sharkdp/hyperfine): {"results": [{"command": TEXT, "mean":
 * SECONDS, ..., "times": [SECONDS, ...], "exit_codes": [N, ...], "parameters": {NAME: TEXT}}]}.
 */
#ifndef SL_DESIGN_HYPERFINE_H
#define SL_DESIGN_HYPERFINE_H

#include "base/buf.h"
#include "base/err.h"
#include "experiment/runs.h"

/*
 * Appends the runs of the file as lines of a run log (run_log.h) of the experiment `name`: one a time, with the
 * parameters as factors, or, where there are none, the command as one.  *n: how many.  SL_EFORMAT: it is no such file.
 */
int sl_hyperfine_read(struct sl_buf *out, const char *path, const char *name, size_t *n, struct sl_err *err);

/*
 * Appends runs as such a file: a result a setting, in the order in which they were run first.  What hyperfine has
 * beside this (CPU times) is not known of them.  SL_EUSAGE: the score is not in seconds.
 */
int sl_hyperfine_write(struct sl_buf *out, const struct sl_runs *r, struct sl_err *err);

#endif
