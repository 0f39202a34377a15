/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The spans of a store or of one run of it, for writers of other formats: one after the other, each with its events,
 * attributes and links.  Nothing is held but the span at hand.
 */
#ifndef SL_EXPORT_SPANS_H
#define SL_EXPORT_SPANS_H

#include "base/buf.h"
#include "base/mem.h"
#include "store/store.h"

struct sl_exported_span {
    int64_t id, parent; /* parent 0: a root */
    int64_t type_id;
    const char *type, *key, *component;
    bool timed; /* it has events: the first and the last of them */
    int64_t begin_ns, end_ns;
};

struct sl_exported_value {
    const char *name; /* of an attribute, a metric */
    int type;         /* SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT */
    int64_t i;
    double d;
    const char *s;
    size_t n;
};

struct sl_exported_event {
    int64_t time_ns;
    const char *name;
};

struct sl_exported_link {
    enum sl_link_kind kind;
    int64_t
        other; /* what contains it (SL_IN), it is a facet of, it waited for (SL_AFTER), handed over to it (SL_FLOW) */
    const char *rule;
    double confidence;
};

/* Where a span is known by what it is, in whatever store: from its type and key and those of what it is named in. */
struct sl_exported_identity {
    uint64_t trace[2], span; /* of OpenTelemetry; trace: of the root, its run id where it is a UUID */
};

struct sl_spans {
    struct sl_store *st;
    sqlite3_stmt *each, *span, *contained, *events, *attributes, *samples, *sampled, *links, *named, *around, *known;
    /* of the span that was asked for last */
    SL_VEC(struct sl_exported_value) value;
    SL_VEC(struct sl_exported_event) event;
    SL_VEC(struct sl_exported_link) link;
    struct sl_arena values_arena, events_arena, links_arena, span_arena;
    struct sl_identity_slot {
        int64_t id;
        struct sl_exported_identity is;
    } * identity; /* those of late */
};

/* run: the span of a workflow, or 0 for the whole store.  The table sl_exported has the ids, for SQL of writers. */
int sl_spans_open(struct sl_spans *s, struct sl_store *st, int64_t run, struct sl_err *err);
void sl_spans_close(struct sl_spans *s);

/* The next one, by id: what a span is named in comes before it.  1, 0 at the end, or negative. */
int sl_spans_next(struct sl_spans *s, struct sl_exported_span *out, struct sl_err *err);
/* One by its id; texts stay until the next call.  1, or 0: there is none. */
int sl_spans_get(struct sl_spans *s, int64_t id, struct sl_exported_span *out, struct sl_err *err);

/* Into s->event (by time), s->value (by name; one that several sources give differently, more than once), s->link. */
int sl_spans_events(struct sl_spans *s, int64_t id, struct sl_err *err);
int sl_spans_values(struct sl_spans *s, int64_t id, struct sl_err *err);
int sl_spans_links(struct sl_spans *s, int64_t id, struct sl_err *err);

bool sl_spans_sampled(struct sl_spans *s, int64_t id); /* there are samples of it */

/* Of a statement's column. */
struct sl_exported_value sl_spans_value(sqlite3_stmt *row, int column);

/* The events of s->event are a begin and an end, first and last: what is between them is [1, n - 1). */
bool sl_spans_begin_and_end(const struct sl_spans *s);

/* First and last event of what lies in a span; false: nothing in it has a time. */
bool sl_spans_contained(struct sl_spans *s, int64_t id, int64_t *begin_ns, int64_t *end_ns);

/*
 * What people call it: its app or function, or (around) that of what it is a part of.  False: it has no such name.  The
 * label is its type and key then.
 */
bool sl_spans_named(struct sl_spans *s, int64_t id, bool around, struct sl_buf *name);
const char *sl_spans_label(struct sl_spans *s, const struct sl_exported_span *span, struct sl_buf *name);
const char *sl_spans_short_type(const char *type); /* behind its last point */

struct sl_exported_identity sl_spans_identity(struct sl_spans *s, int64_t id, struct sl_err *err);

#endif
