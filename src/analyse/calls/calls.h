/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of a store as arrays: spans of type trace.call, with begin and end, and who called them.
 *
 * The caller of a call is the innermost call that it is a subspan of.  Where there is none, it is the call that the
 * call's process lies in, or that the process around that lies in, and so on: the program that a shell's span started
 * was called by that span.  Calls that lie in each other, which only dirty data has, are cut somewhere.
 */
#ifndef SL_ANALYSE_CALLS_CALLS_H
#define SL_ANALYSE_CALLS_CALLS_H

#include "analyse/load/events.h"
#include "base/call_sums.h"
#include "base/intern.h"

/* How much of a call's key is its name: keys are foo, foo#2, foo#3, ... on a thread; of a function foo#2: foo#2#1,
 * foo#2#2, ... */
size_t sl_calls_name(const char *key);

enum sl_calls_by { SL_BY_NONE, SL_BY_THREAD, SL_BY_PROCESS, SL_BY_RANK };

enum sl_call_flag {
    SL_CALL_UNFINISHED = 1, /* no begin, or no end; what end_ns is then, unfinished.h says.  Not after the caller's on
                               its thread; begin_ns: nothing later is known */
    SL_CALL_OUTERMOST = 2,  /* no call of this name is around it */
    SL_CALL_NO_BEGIN = 4,   /* begin_ns is end_ns: how long it was is not known */
};

struct sl_calls_want {
    const int64_t *within; /* only what belongs to one of these spans, ids; all where there are none */
    size_t nwithin;
    enum sl_calls_by by;
    const struct sl_call_sums *sums; /* calls of the same traces that are not in the store; NULL: there are none */
};

struct sl_calls_added { /* a thread of the sums */
    uint32_t part;
    uint32_t caller; /* the call that its process lies in; SL_NO_INDEX */
};

struct sl_calls {
    uint32_t n;       /* callers stand before what they call, and calls of one caller in order of time */
    uint32_t *span;   /* index into g */
    uint32_t *caller; /* index of a call; SL_NO_INDEX */
    uint32_t *name;   /* in names */
    uint32_t *part;   /* in parts: the thread, process or rank; all 0 without `by` */
    uint32_t *title;  /* by part, of threads: what people call it, in parts; 0: nothing */
    unsigned char *flags;
    int64_t *begin_ns, *end_ns; /* end_ns is not before begin_ns */
    struct sl_intern names, parts;
    uint32_t threads, processes; /* that have calls */
    uint32_t own;                /* of these processes: `spanloom` in place of a command */
    uint32_t odd;                /* ends before their begins: taken as of no length */
    struct sl_graph g;
    const struct sl_call_sums *sums; /* borrowed; NULL: none */
    struct sl_calls_added *added;    /* by thread of the sums */
    uint32_t *added_name;            /* by text of the sums, less 1: in names */
    uint64_t all;                    /* n, and those of the sums */
};

/* Reads db, which must know sl_query_each.  On success, and on failure too, *c is to be freed. */
int sl_calls_load(struct sl_calls *c, sqlite3 *db, const struct sl_calls_want *want, struct sl_err *err);
void sl_calls_free(struct sl_calls *c);

/* "thread", "process", "rank"; negative: none of these. */
int sl_calls_by_find(const char *text);

#endif
