/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace file as the runtime leaves it (NAME.slt): what writer and readers share.  Little-endian 64-bit words, as
 * the machine has them; a file of the other order has the wrong magic.
 *
 *   file    := header (SL_TF_HEADER bytes)  chunk*
 *   chunk   := struct sl_tf_chunk  body          begins at a multiple of SL_TF_PAGE, and so does the next one
 *   body    := words
 *
 * Chunks are of three kinds.  DEFS grow for the life of the process; a BUFFER is what a lane writes into now, mapped,
 * so that the kernel keeps it when the process is killed; DATA is what a buffer held when it was full.  A lane is an
 * order of words by one thread: a thread has one, and another for each depth of signal handlers that interrupted it
 * while it wrote. The words of a lane are its DATA by `seq`, then its BUFFER.  `state` of a BUFFER is seq << 32 |
 * words; DATA of a seq not below that of its lane's BUFFER was not finished, and the BUFFER still has it.
 *
 * A word is time << 20 | code: the low 44 bits of the clock, and what happened.
 *   code >= SL_TF_SITES: site number code >> 1, whose span begins (bit 0 is 0) or ends (1); this is all of the record
 *   code <  SL_TF_SITES: enum sl_tf_code << 2 | words that follow (0 to 3).  If 3, the next word is the number of bytes
 *                        of a text, low half, and a site, high half, and the text follows, filled up to whole words
 * Time does not run backwards on a lane by more than a signal handler took; the upper bits of the clock are those of
 * the chunk (`epoch`), until an EPOCH says otherwise.
 */
#ifndef SL_TRACE_FORMAT_H
#define SL_TRACE_FORMAT_H

#include <stdint.h>

#define SL_TF_MAGIC UINT64_C(0x314352544c4c5053)       /* "SPLLTRC1" */
#define SL_TF_CHUNK_MAGIC UINT64_C(0x4b4e4843ff9e5ac3) /* no word of text or time that is likely */

enum {
    SL_TF_PAGE = 4096,
    SL_TF_HEADER = 16384,
    SL_TF_CODE_BITS = 20,
    SL_TF_TIME_BITS = 44,
    SL_TF_SITES = 256,                  /* codes below are records of other kinds */
    SL_TF_FIRST_SITE = SL_TF_SITES / 2, /* numbers of sites begin here */
    SL_TF_LAST_SITE = (1 << 19) - 1,
    SL_TF_TEXT_MAX = 4096,    /* of arguments, scopes and names of threads */
    SL_TF_NAME_MAX = 1 << 20, /* of what is defined */
};

enum sl_tf_code { /* what follows: i: a 64-bit integer, d: a double, s: a site number, t: a text */
                  SL_TF_NONE = 0,
                  SL_TF_EPOCH,         /* i: clock >> 44 from here on */
                  SL_TF_ASYNC_BEGIN,   /* s, i: id */
                  SL_TF_ASYNC_INSTANT, /* s, i */
                  SL_TF_ASYNC_END,     /* s, i */
                  SL_TF_INSTANT,       /* s */
                  SL_TF_COUNTER,       /* s, d */
                  SL_TF_FLOW_OUT,      /* s, i */
                  SL_TF_FLOW_STEP,     /* s, i */
                  SL_TF_FLOW_IN,       /* s, i */
                  SL_TF_ARG_INT,    /* s: the key, i; of the event before it on the lane if that was no end, else of the
                                       open span */
                  SL_TF_ARG_DOUBLE, /* s, d */
                  SL_TF_ARG_TEXT,   /* s, t */
                  SL_TF_THREAD_NAME,  /* t */
                  SL_TF_THREAD_END,   /* nothing: what is open on the thread ends here */
                  SL_TF_USAGE,        /* i: CPU time in ns, of the process, or the thread where the header has
                                         SL_TF_OF_THREAD; i: largest resident size of the process in KiB; at the begin and,
                                         before it, the end of a span */
                  SL_TF_CONTEXT,      /* i: the id under which the innermost open span is known to other processes */
                  SL_TF_FORK,         /* i: pid of a child, started in the innermost open span */
                  SL_TF_SCOPE,        /* t: `scope` of the asynchronous event before it */
                  SL_TF_ARGS_OF_SPAN, /* nothing: arguments that follow are the innermost open span's */
                  SL_TF_SHORT, /* s, high half: how many spans of it; i: clock ticks in all of them.  Of the open span,
                                  in the place of spans without anything in them that were shorter than min-duration */
                  SL_TF_EXEC_, /* not used: the last one */
};

enum sl_tf_kind { SL_TF_DEFS = 1, SL_TF_BUFFER, SL_TF_DATA };

struct sl_tf_chunk { /* 64 bytes; body follows */
    uint64_t magic;
    uint32_t kind;
    uint32_t lane;  /* from 0; unique in the file */
    uint64_t size;  /* of the chunk with this header and all padding, bytes */
    uint64_t state; /* DEFS: words; BUFFER: seq << 32 | words; DATA: the same, its own */
    uint64_t epoch; /* of the first word */
    uint32_t tid;   /* 0: a buffer without an owner */
    uint32_t depth; /* of signal handlers */
    uint64_t lost;  /* events that this lane could not record */
    uint32_t base;  /* the lane of this thread with depth 0 */
    uint32_t reserved;
};

/* In a DEFS chunk, one after another; the texts follow, name then category then file, without NUL, filled up to whole
 * words. */
struct sl_tf_def {
    uint32_t words; /* of all, with this header; written last: 0 is the end */
    uint32_t site;
    uint32_t line;
    uint32_t flags;                /* SL_TF_LOOSE */
    uint32_t name, category, file; /* lengths */
    uint32_t reserved;
};

enum {
    SL_TF_LOOSE = 1,  /* an end without a begin is meant so */
    SL_TF_SYMBOL = 2, /* the name is a symbol, perhaps mangled */
};

enum sl_tf_clock { SL_TF_CLOCK_NS = 1, SL_TF_CLOCK_TSC, SL_TF_CLOCK_CNTVCT };
enum sl_tf_options { SL_TF_OBJECT = 1, SL_TF_COMPACT = 2, SL_TF_NO_CLOSE = 4, SL_TF_BINARY = 8, SL_TF_OF_THREAD = 16 };

struct sl_tf_moment {
    uint64_t ticks, monotonic_ns;
};

struct sl_tf_header { /* the first bytes of the file */
    uint64_t magic;
    uint32_t version; /* 1 */
    uint32_t clock;   /* enum sl_tf_clock */
    uint32_t pid, ppid;
    uint32_t options;    /* of the .pfw to be made of it, and what usage is of */
    uint32_t pids;       /* which namespace the pid is of; 0: unknown */
    int64_t realtime_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC at the start: times are monotonic, plus this */
    struct sl_tf_moment start, latest[2]; /* latest[recent & 1] is whole */
    uint64_t recent;
    uint64_t lost;                            /* events for which there was no lane, or no room in the file */
    uint64_t ended_ticks;                     /* 0: the process did not end in order */
    uint64_t trace_id[2], span_id, parent_id; /* as in TRACEPARENT; parent_id 0: none */
    uint32_t facts; /* bytes of what follows the header: "name=value" texts, each with a NUL */
    uint32_t error; /* errno: why the last events were lost; 0: not known */
};

#endif
