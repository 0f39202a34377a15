/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace file (format.h) as events, in the order in which they happened.  Used by the runtime at exit, and by whoever
 * reads what a dead process left.  Reads damaged files: what cannot be understood is counted and passed over.
 */
#ifndef SL_TRACE_DECODE_H
#define SL_TRACE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_decoded; /* a file being decoded */

struct sl_text_ref {
    const char *s; /* not ended by NUL */
    uint32_t n;
};

struct sl_trace_site {
    struct sl_text_ref name, category,
        file; /* the name is demangled, and cut before its arguments, where it was a symbol */
    uint32_t line;
    bool loose;
};

enum sl_arg_kind { SL_ARG_INT, SL_ARG_DOUBLE, SL_ARG_TEXT };

struct sl_trace_arg {
    struct sl_text_ref key;
    enum sl_arg_kind kind;
    union {
        int64_t i;
        double d;
        struct sl_text_ref t;
    };
};

/* phase is that of the Trace Event Format, B E i C b n e s t f, or N: the thread's name is `text`. */
struct sl_trace_event {
    char phase;
    bool
        unfinished; /* E: made up, for a span that was open when the process ended or died: ts is the last time known */
    bool usage;     /* E: cpu_ns and rss_kib are set */
    uint32_t tid;
    int64_t ts_ns;    /* since the Unix epoch, UTC */
    int64_t begin_ns; /* E: of its span */
    const struct sl_trace_site
        *site;        /* N: NULL; an i without one says which context was given away while no span was open */
    uint64_t id;      /* async, flow */
    uint64_t context; /* E, and i without a site: the id under which others know the span; 0: none */
    double value;     /* C */
    int64_t cpu_ns,
        rss_kib; /* CPU time in the span, of the process or the thread; largest size of the process until then */
    struct sl_text_ref text;               /* N: name; b n e: scope */
    const struct sl_trace_arg *begin_args; /* E: those that its B had */
    size_t nbegin;
    const struct sl_trace_arg *args; /* valid until the next event */
    size_t nargs;
    uint32_t depth; /* B, E: spans of this thread that are open around it */
};

/* The process; texts live as long as the decoder. */
struct sl_trace_process {
    uint32_t pid, ppid, options;
    int64_t start_ns, end_ns; /* end_ns: of the end, else of the last event */
    bool ended;               /* in order */
    uint64_t lost;            /* events that could not be recorded */
    const char *lost_why;     /* the system's words; NULL: none were lost, or it is not known */
    uint64_t damaged;         /* places that could not be read */
    uint64_t trace_id[2], span_id, parent_id;
    const char *facts; /* "name=value\0..." */
    size_t nfacts;     /* bytes */
};

/*
 * Begins to decode a file, which may still be written to: what was finished when it was opened.  NULL: this is no trace
 * file, or memory ran out; *why says so.
 */
struct sl_decoded *sl_decode_open(const char *path, const char **why);
struct sl_decoded *sl_decode_fd(int fd, const char **why);
void sl_decode_free(struct sl_decoded *d);

const struct sl_trace_process *sl_decode_process(const struct sl_decoded *d);
/* The value of a fact ("hostname", "rank", "exe", "env.NAME", ...), or NULL. */
const char *sl_decode_fact(const struct sl_decoded *d, const char *name);

/* The next event; false: there is none, or sl_decode_failed(). */
bool sl_decode_next(struct sl_decoded *d, struct sl_trace_event *e);
/* There was no memory to go on: what is left is not told. */
bool sl_decode_failed(const struct sl_decoded *d);

#endif
