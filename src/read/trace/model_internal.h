/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of traces: model.c (what was added), nest.c (pairs and nesting), emit.c (records). */
#ifndef SL_READ_TRACE_MODEL_INTERNAL_H
#define SL_READ_TRACE_MODEL_INTERNAL_H

#include "base/buf.h"
#include "base/call_sums.h"
#include "base/intern.h"
#include "read/trace/model.h"

enum { SL_MODEL_NONE = UINT32_MAX };

struct sl_model {
    int64_t ts, end; /* end: of X; of others that lie on a thread: the call that they belong to, or -1 */
    int64_t place;
    uint32_t name, category; /* texts; 0: none */
    uint32_t thread;
    uint32_t more; /* index; SL_MODEL_NONE: nothing */
    char phase, reach;
    bool enclosing, local, global;
};

struct sl_model_more {
    uint64_t args; /* offset in sl_trace_model.args */
    uint32_t nargs, id, scope, file, line;
};

typedef SL_VEC(struct sl_model) sl_model_list;

struct sl_model_call {
    int64_t begin, end; /* end INT64_MAX: there is none */
    int64_t place;
    uint32_t name, category;
    uint32_t first_more, last_more; /* of its begin and its end */
    uint32_t outer;                 /* call of the thread; SL_MODEL_NONE */
    uint32_t number;                /* of calls of this name on the thread, from 1 */
};

struct sl_model_open {
    uint32_t call;
    int64_t end; /* INT64_MAX: of B, not known */
};

struct sl_model_thread {
    uint32_t process, tid;
    sl_model_list marks; /* B E and points, in the order of the file */
    sl_model_list whole; /* X */
    sl_model_list metadata;
    SL_VEC(struct sl_model_call) calls; /* by begin */
    struct sl_model_adding *adding;     /* NULL: nothing was added up */
};

struct sl_model_process {
    uint32_t pid;
    int64_t first_ns; /* of the first event in the file that has a time */
    bool begun;
    uint32_t facts; /* more: of the metadata event "spanloom"; SL_MODEL_NONE */
    int64_t place, unfinished;
    const char *key;
    size_t nkey;
    SL_VEC(uint32_t) threads;
};

struct sl_model_flow {
    struct sl_model h;
    uint32_t call; /* SL_MODEL_NONE: on none */
};

struct sl_model_async {
    int64_t begin, end;
    int64_t place;
    uint32_t name, category, id, process, group, first_more, last_more, outer, number;
    bool open;
};

struct sl_trace_model {
    struct sl_parse *p;
    struct sl_intern texts;
    struct sl_intern threads_by; /* (process number, tid) -> thread + 1; see model.c */
    SL_VEC(uint32_t) process_of; /* pid text -> process + 1 */
    SL_VEC(struct sl_model_process) processes;
    SL_VEC(struct sl_model_thread) threads;
    SL_VEC(struct sl_model_more) more;
    struct sl_buf args;
    sl_model_list async, counters, others;
    SL_VEC(struct sl_model_flow) flows;
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

/* add_up.c: an event, where the parse has sums; true: it needs no record.  Then, what is still open; then, the sums. */
bool sl_model_add_up(struct sl_trace_model *t, const struct sl_trace_model_event *e, struct sl_model *h);
void sl_model_add_up_end(struct sl_trace_model *t);
void sl_model_add_up_write(struct sl_trace_model *t);
void sl_model_adding_free(struct sl_model_adding *a);

/* model.c: what an event has beside its time and name; SL_MODEL_NONE: nothing. */
uint32_t sl_model_add_more(struct sl_trace_model *t, const struct sl_trace_model_event *e);
/* emit.c: fills in the key of a process. */
void sl_model_name_process(struct sl_trace_model *t, struct sl_model_process *p);

/* nest.c: fills calls, flows, and where points belong, of one thread. */
void sl_trace_model_nest(struct sl_trace_model *t, uint32_t thread);
/* X of a thread by begin, callers before what they call. */
void sl_model_order_whole(sl_model_list *l, uint32_t thread);
/* How many of the calls that are open, the outermost first, are around the X h. */
size_t sl_model_around(const struct sl_model_open *open, size_t n, const struct sl_model *h);
/* emit.c */
void sl_trace_emit(struct sl_trace_model *t);

/* By time; what was added first goes first. */
void sl_model_sort(sl_model_list *l);
/* The value of a field of the arguments, as text in the scratch arena of the parse; NULL: it has none. */
const char *sl_model_arg(struct sl_trace_model *t, uint32_t more, const char *name, size_t *n);

/* ---- emit.c: records ---- */
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
struct sl_emitter {
    struct sl_trace_model *t;
    int slot[SL_FIELDS];
    int64_t unfinished; /* an argument of the record at hand says so */
};
void sl_emit_begin(struct sl_emitter *w, const char *kind, int64_t place);
void sl_emit_text(struct sl_emitter *w, enum sl_field f, const char *s, size_t n);
void sl_emit_int(struct sl_emitter *w, enum sl_field f, int64_t i);
void sl_emit_known(struct sl_emitter *w, enum sl_field f, uint32_t text); /* an interned text; 0: nothing */
void sl_emit_thread(struct sl_emitter *w, enum sl_field process, uint32_t thread);
/* The key of a thing: its name, and which of this name it is. */
void sl_emit_numbered(struct sl_emitter *w, enum sl_field f, const char *s, size_t n, uint32_t number);
void sl_emit_call(struct sl_emitter *w, enum sl_field f, uint32_t thread, uint32_t call);
bool sl_emit_is_true(struct sl_value v); /* true or 1 */
void sl_emit_more(struct sl_emitter *w, uint32_t more);
void sl_emit_end(struct sl_emitter *w);
/* The same of what lasts until end; INT64_MAX: its end is not in the trace. */
void sl_emit_finish(struct sl_emitter *w, int64_t end);
/* async.c */
void sl_emit_async(struct sl_emitter *w);
void sl_emit_flows(struct sl_emitter *w);

#endif
