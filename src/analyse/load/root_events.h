/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Roots of a type, one after another, each with its history: the events of all spans of its closure (graph.h) in order
 * of time, equal times by the name of their span's type, then of their own, as the lens (lens.h) and corrected clocks
 * (events.h) show them.
 *
 *     struct sl_root_events s;
 *     if (!sl_root_events_open(&s, db, err) && !sl_root_events_of(&s, "task", NULL, err))
 *         while ((rc = sl_root_events_next(&s, err)) > 0)
 *             ... s.g.id.v[s.root], s.v[0] to s.v[s.n - 1] ...
 *     sl_root_events_free(&s);
 */
#ifndef SL_ANALYSE_LOAD_ROOT_EVENTS_H
#define SL_ANALYSE_LOAD_ROOT_EVENTS_H

#include "analyse/lens/lens.h"

struct sl_root_events {
    struct sl_graph g;
    struct sl_events e;
    struct sl_walk walk; /* the closure of the root at hand: which spans */

    uint32_t root; /* an index into g */
    struct sl_timed_event
        *v; /* its history; of is an index into g: the span of the event, of the first that was merged */
    size_t n;

    /* its own */
    size_t cap;
    sqlite3 *db;
    bool borrowed; /* g and e are those of another */
    sqlite3_stmt *alive;
    char *task_type;
    size_t work;
    struct sl_lens *lens; /* NULL: codes are */
    uint32_t *span_type, *event_type, span_types, event_types, *span_code, *event_code;
    uint32_t type, at, until;
    unsigned char *inside; /* by span: it belongs to what roots are looked for in; NULL: all do */
};

/*
 * Reads the store, or what roots within a span need of it (sl_graph_load_within()); within is as for
 * sl_root_events_of().  On success, and on failure too, *s is to be freed.
 */
int sl_root_events_open(struct sl_root_events *s, sqlite3 *db, sqlite3_value *within, struct sl_err *err);
/* What the program has loaded (shared.h), without a lens, where roots within that span need no more; else NULL. */
const struct sl_root_events *sl_root_events_shared(sqlite3 *db, sqlite3_value *within);
/* The same without a lens; want, of_events: what else to have (enum sl_graph_want, enum sl_events_want). */
int sl_root_events_open_raw(struct sl_root_events *s, sqlite3 *db, unsigned want, unsigned of_events,
                            sqlite3_value *within, struct sl_err *err);
/* For another `within`: what s holds is enough, or it is opened again, with the whole store. */
int sl_root_events_widen(struct sl_root_events *s, sqlite3 *db, sqlite3_value *within, struct sl_err *err);
void sl_root_events_free(struct sl_root_events *s);
/* Frees all but the names of codes. */
void sl_root_events_done(struct sl_root_events *s);

/*
 * Begins anew, with the roots of a type; within, NULL: a value of SQL, the id of a span to which they belong.  A type
 * that no span has has no roots.
 */
int sl_root_events_of(struct sl_root_events *s, const char *type, sqlite3_value *within, struct sl_err *err);
/* Begins anew, with those of the same roots whose ids are from min to max.  No search: a join may call it for each
 * span. */
void sl_root_events_between(struct sl_root_events *s, int64_t min, int64_t max);
/* Is there any span of the type? */
bool sl_root_events_has(const struct sl_root_events *s, const char *type);
/* 1: there is a history; 0: there are no more; negative: interrupted (SL_EIO) or too long. */
int sl_root_events_next(struct sl_root_events *s, struct sl_err *err);
/* The history of one span, whatever its type. */
int sl_root_events_one(struct sl_root_events *s, uint32_t root, struct sl_err *err);

/* Has sqlite3_interrupt() been called?  Costs a microsecond. */
bool sl_root_events_interrupted(struct sl_root_events *s);

/* What happened, by the code of an event. */
const char *sl_root_events_span_type(const struct sl_root_events *s, uint32_t code);
const char *sl_root_events_event_type(const struct sl_root_events *s, uint32_t code);

/*
 * Which codes a pattern means: EVENT or SPAN_TYPE/EVENT, with * for any text.  On return *m is to be freed; whether
 * it means any code at all.
 */
struct sl_event_match {
    unsigned char *span, *event; /* span NULL: event is by code */
    uint32_t event_types;
};
bool sl_event_match(struct sl_event_match *m, const struct sl_root_events *s, const char *pattern);
/* The same for what a user asks for: NULL, or a pattern of which there is no event, is an error.  Frees what m held. */
int sl_event_match_asked(struct sl_event_match *m, const struct sl_root_events *s, const char *pattern,
                         struct sl_err *err);
void sl_event_match_free(struct sl_event_match *m);
static inline bool sl_event_matches(const struct sl_event_match *m, uint32_t code)
{
    return m->span ? m->span[code / m->event_types] && m->event[code % m->event_types] : m->event[code];
}

/*
 * The type that a user means by arg: its text; where it is NULL, the default.  NULL where there is none and the store
 * has spans: an error; without spans it is "".
 */
const char *sl_root_events_type(struct sl_root_events *s, sqlite3_value *arg, struct sl_err *err);
/*
 * The roots of who names none: the spans of the role `task` (sl_role) whose states come first (sl_state), of a type
 * that the store has.  Types that are views of the same tasks begin alike: then it is the first by name, and i counts
 * them. NULL: there are no more; else free() it.
 */
char *sl_task_type(sqlite3 *db, int i);

#endif
