/* SPDX-License-Identifier: Apache-2.0 */
/* What became of one span: what it lies in and what lies in it, across components, and every event of these. */
#ifndef SL_RESULT_SPANS_SPAN_HISTORY_H
#define SL_RESULT_SPANS_SPAN_HISTORY_H

#include "base/intern.h"
#include "result/table.h"
#include "store/store.h"

/* As many spans and contexts as the text view shows of a list. */
enum { SL_HISTORY_SPANS = 20, SL_HISTORY_CONTEXTS = 60 };

struct sl_history_options {
    bool lens;  /* events as they appear through temp.sl_lens */
    bool lines; /* and the log lines in temp.sl_line, each beside its event */
    bool text;  /* for the text view: lines are rows of their own, and of lists there is what it shows */
};

/*
 * The tables span, contained_in, attributes, exceptions (of tries: try, exception), waited_for, contexts, doubts,
 * events, waits (not for the text view, which finds them as it goes) and reach (a row where no worker names a task: how
 * far it came).
 */
int sl_span_history(struct sl_store *st, int64_t span, const struct sl_history_options *how, struct sl_result *r,
                    struct sl_err *err);

/*
 * Columns of events.  Those after LINE are not shown, those after MERGED only there where waits are looked for.  For
 * the text view, SINCE_* are NULL: it counts as it goes, which saves sorting twice.
 */
enum sl_history_event {
    SL_HISTORY_ROOT,
    SL_HISTORY_TIME_NS,
    SL_HISTORY_SINCE_START,
    SL_HISTORY_SINCE_PREVIOUS,
    SL_HISTORY_COMPONENT,
    SL_HISTORY_SPAN_TYPE,
    SL_HISTORY_SPAN_KEY,
    SL_HISTORY_EVENT, /* NULL: a line that asserts none */
    SL_HISTORY_PATH,
    SL_HISTORY_PLACE,
    SL_HISTORY_SPAN,
    SL_HISTORY_LINE,
    SL_HISTORY_MERGED,  /* how many events are one through the lens; NULL or 0: it is one */
    SL_HISTORY_LAST_NS, /* when the last event was */
    SL_HISTORY_DEPENDS, /* does the root wait for others? */
    SL_HISTORY_FILE,    /* path without its part */
    SL_HISTORY_PART
};

/* The table events alone, of any root: sl_span_events_of() begins it.  NULL: err is filled. */
struct sl_table *sl_span_events(struct sl_store *st, const struct sl_history_options *how, struct sl_result *r,
                                struct sl_err *err);
void sl_span_events_of(struct sl_table *events, int64_t root);

/*
 * A long wait, more than a twentieth of the whole.  Where the span that ends it was heard of before, that is where the
 * time went; where it is heard of for the first time, nobody says what happened in the meantime.
 */
enum sl_wait_kind { SL_WAIT_PENDING, SL_WAIT_STATE, SL_WAIT_GAP };

struct sl_wait_event {
    int64_t time_ns, span;
    const char *type, *event;
};

struct sl_wait {
    enum sl_wait_kind kind;
    struct sl_wait_event from, until; /* the events around it */
    const char *state_event;          /* of STATE: the last event of the span of `until` before it */
};

/* Finds waits, given all rows of events of a root in order.  Zero-initialise. */
struct sl_wait_finder {
    struct sl_intern names;
    SL_VEC(struct sl_wait_event) heard; /* the last event of each span */
    struct sl_wait_event was;
    int64_t first_ns;
    bool any; /* event so far */
};
/* Does the row at hand, an event, end a wait? */
bool sl_wait_find(struct sl_wait_finder *f, const struct sl_table *events, struct sl_wait *wait);
void sl_wait_finder_free(struct sl_wait_finder *f);

#endif
