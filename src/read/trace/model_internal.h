/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of traces: tracing.c (what was added), nest.c (pairs and nesting), tell.c (records). */
#ifndef SL_READ_TRACE_MODEL_INTERNAL_H
#define SL_READ_TRACE_MODEL_INTERNAL_H

#include "base/buf.h"
#include "base/intern.h"
#include "read/trace/model.h"

enum { SL_HELD_NONE = UINT32_MAX };

struct sl_held {
    int64_t ts, end; /* end: of X; of others that lie on a thread: the call that they belong to, or -1 */
    int64_t place;
    uint32_t name, category; /* texts; 0: none */
    uint32_t thread;
    uint32_t more; /* index; SL_HELD_NONE: nothing */
    char phase, reach;
    bool enclosing, local, global;
};

struct sl_held_more {
    uint64_t args; /* offset in sl_tracing.args */
    uint32_t nargs, id, scope, file, line;
};

typedef SL_VEC(struct sl_held) sl_held_list;

struct sl_held_call {
    int64_t begin, end; /* end INT64_MAX: there is none */
    int64_t place;
    uint32_t name, category;
    uint32_t first_more, last_more; /* of its begin and its end */
    uint32_t outer;                 /* call of the thread; SL_HELD_NONE */
    uint32_t number;                /* of calls of this name on the thread, from 1 */
};

struct sl_held_thread {
    uint32_t process, tid;
    sl_held_list marks; /* B E and points, in the order of the file */
    sl_held_list whole; /* X */
    sl_held_list metadata;
    SL_VEC(struct sl_held_call) calls; /* by begin */
};

struct sl_held_process {
    uint32_t pid;
    int64_t first_ns; /* of the first event in the file that has a time */
    bool begun;
    uint32_t facts; /* more: of the metadata event "spanloom"; SL_HELD_NONE */
    int64_t place, unfinished;
    const char *key;
    size_t nkey;
    SL_VEC(uint32_t) threads;
};

struct sl_held_flow {
    struct sl_held h;
    uint32_t call; /* SL_HELD_NONE: on none */
};

struct sl_held_async {
    int64_t begin, end;
    int64_t place;
    uint32_t name, category, id, process, group, first_more, last_more, outer, number;
    bool open;
};

struct sl_tracing {
    struct sl_parse *p;
    struct sl_intern texts;
    struct sl_intern threads_by; /* (process number, tid) -> thread + 1; see tracing.c */
    SL_VEC(uint32_t) process_of; /* pid text -> process + 1 */
    SL_VEC(struct sl_held_process) processes;
    SL_VEC(struct sl_held_thread) threads;
    SL_VEC(struct sl_held_more) more;
    struct sl_buf args;
    sl_held_list async, counters, others;
    SL_VEC(struct sl_held_flow) flows;
    SL_VEC(struct {
        int64_t place;
        uint32_t name;
        const char *why;
    })
    rejects;
    struct sl_intern rejected; /* place and reason */
    SL_VEC(uint32_t) rejected_times;
    SL_VEC(struct { uint32_t round, open, calls; }) of_name; /* on the thread at hand: of this round, or nothing */
    uint32_t round;
    int64_t base_ns;
    struct {
        const char *pid, *tid;
        size_t npid, ntid;
        char copy[64];
        uint32_t thread;
    } last; /* most events are of the thread of the one before */
};

/* nest.c: fills calls, flows, and where points belong, of one thread. */
void sl_tracing_nest(struct sl_tracing *t, uint32_t thread);
/* tell.c */
void sl_tracing_tell(struct sl_tracing *t);

/* By time; what was added first goes first. */
void sl_held_sort(sl_held_list *l);
/* The value of a field of the arguments, as text in the scratch arena of the parse; NULL: it has none. */
const char *sl_held_arg(struct sl_tracing *t, uint32_t more, const char *name, size_t *n);

/* ---- tell.c: records ---- */
enum sl_field {
    SL_F_KIND,
    SL_F_PROCESS,
    SL_F_TID,
    SL_F_CALL,
    SL_F_IN,
    SL_F_BEGIN,
    SL_F_END,
    SL_F_TIME,
    SL_F_ASYNC,
    SL_F_FROM_PROCESS,
    SL_F_FROM_TID,
    SL_F_FROM_CALL,
    SL_F_PHASE,
    SL_F_REACH,
    SL_F_ARGS,
    SL_F_NAME,
    SL_F_CATEGORY,
    SL_F_FILE,
    SL_F_LINE,
    SL_F_UNFINISHED,
    SL_F_PID,
    SL_FIELDS
};
struct sl_telling {
    struct sl_tracing *t;
    int slot[SL_FIELDS];
    int64_t unfinished; /* an argument of the record at hand says so */
};
void sl_tell_begin(struct sl_telling *w, const char *kind, int64_t place);
void sl_tell_text(struct sl_telling *w, enum sl_field f, const char *s, size_t n);
void sl_tell_int(struct sl_telling *w, enum sl_field f, int64_t i);
void sl_tell_known(struct sl_telling *w, enum sl_field f, uint32_t text); /* an interned text; 0: nothing */
void sl_tell_thread(struct sl_telling *w, enum sl_field process, uint32_t thread);
/* The key of a thing: its name, and which of this name it is. */
void sl_tell_numbered(struct sl_telling *w, enum sl_field f, const char *s, size_t n, uint32_t number);
void sl_tell_call(struct sl_telling *w, enum sl_field f, uint32_t thread, uint32_t call);
void sl_tell_more(struct sl_telling *w, uint32_t more);
void sl_tell_end(struct sl_telling *w);
/* asyncs.c */
void sl_tell_async(struct sl_telling *w);
void sl_tell_flows(struct sl_telling *w);

#endif
