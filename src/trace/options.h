/* SPDX-License-Identifier: Apache-2.0 */
/* PERFFLOW_OPTIONS and SPANLOOM_OPTIONS, for the runtime and for who traces processes from outside. */
#ifndef SL_TRACE_OPTIONS_H
#define SL_TRACE_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct sl_options {
    char name[256], include[256], dir[PATH_MAX];
    bool enable, usage, of_thread, compact, object, binary, close, monotonic;
    uint32_t buffer;             /* bytes */
    char only[1024], skip[1024]; /* woven functions: globs of their names, with commas between; "": all, none */
    uint64_t min_ns;             /* spans that are shorter are counted; 0: none */
};

/* From the environment; secure: it is not to be trusted, and nothing is recorded; aloud: say what is wrong with it. */
void sl_options_read(struct sl_options *o, bool secure, bool aloud);
/*
 * A line on stderr about something that the user must change.  With signals blocked, whatever the write raises
 * (SIGPIPE, SIGXFSZ) goes no further.
 */
void sl_options_complain(const char *option, const char *why);

#endif
