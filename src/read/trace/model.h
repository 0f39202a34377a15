/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of a trace, as the Trace Event Format has them, become records: a call with its begin and its end, and the
 * call that it lies in.  Readers of traces add their events in the order of the file; at the end everything is paired,
 * nested and handed to the engine.  docs/man/spanloom-recipe.5 has the fields of the records.
 *
 * All of it is held until then, some 50 bytes an event: a call may stand in the file before the one that it lies in,
 * and what it is called depends on those before it.  The writer holds every span in any case.  Where calls are only to
 * be added up (add_up.c), what is, is not held.
 */
#ifndef SL_READ_TRACE_MODEL_H
#define SL_READ_TRACE_MODEL_H

#include "engine/apply.h"

struct sl_trace_model_text {
    const char *s; /* NULL: missing */
    size_t n;
};

struct sl_trace_model_event {
    char phase;
    bool timed, lasts;    /* ts_ns, dur_ns are there */
    bool enclosing;       /* bp: e */
    bool local, global;   /* id2 */
    char reach;           /* s of an instant: t, p or g */
    uint32_t source_line; /* of the program; 0: unknown */
    int64_t ts_ns, dur_ns, place;
    struct sl_trace_model_text name, category, pid, tid, id, scope, source_file;
    struct sl_trace_model_text args; /* an object, JSON that sl_json_value() took */
};

struct sl_trace_model;

struct sl_trace_model *sl_trace_model_new(struct sl_parse *p);
/* Texts are copied.  NULL, or why it cannot be used: then the caller rejects it. */
const char *sl_trace_model_add(struct sl_trace_model *t, const struct sl_trace_model_event *e);
/* Rejects an event.  Several of one line, for one reason, are told apart. */
void sl_trace_model_reject(struct sl_trace_model *t, int64_t place, const char *why, const char *text, size_t n);
/* Times of the file count from this moment. */
void sl_trace_model_base(struct sl_trace_model *t, int64_t ns);
/* Hands over the records of what was added. */
void sl_trace_model_end(struct sl_trace_model *t);
void sl_trace_model_free(struct sl_trace_model *t);

#endif
