/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The spans of a store or of one run of it, for writers of other formats: one after the other, each with its events,
 * attributes and links.  Of all spans an outline is held (export/timeline/outline.h), of the rest what is at hand.
 */
#ifndef SL_EXPORT_SPANS_H
#define SL_EXPORT_SPANS_H

#include "base/buf.h"
#include "export/stored_names.h"
#include "export/timeline/outline.h"

/* What was written.  Viewers say slice for span, instant for event, and arrow for link. */
struct sl_export_counts {
    uint64_t spans, events, links, attributes, samples, tracks;
    uint64_t untimed; /* spans that nothing says of when they were; on a timeline they are not there */
};

struct sl_exported_span {
    int64_t id, parent; /* parent 0: a root */
    int64_t type_id, alike;
    const char *type, *key, *component;
    bool timed; /* it has events: the first and the last of them.  Known once sl_spans_events() was asked */
    int64_t begin_ns, end_ns;
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
    bool said; /* by a source: confidence is 1 */
};

/* Rows of spans, of the one that is asked for; in order of spans, where that is how they are asked for. */
struct sl_span_rows {
    const char *one, *all;
    sqlite3_stmt *of;
    bool begun, ended;
};

struct sl_spans {
    struct sl_store *st;
    struct sl_words words;
    struct sl_outline outline;
    bool in_order, part; /* part: a run, not all of the store */
    sqlite3_stmt *each, *span, *contained, *samples, *alike;
    struct sl_span_rows events, attributes, links, after;
    /* of the span that was asked for last */
    sl_exported_values value;
    SL_VEC(struct sl_exported_event) event;
    SL_VEC(struct sl_exported_link) link;
    struct sl_arena values_arena, span_arena;
    struct sl_idmap sampled;
};

/* run: the span of a workflow, or 0 for the whole store.  The table sl_exported has the ids, for SQL of writers. */
int sl_spans_open(struct sl_spans *s, struct sl_store *st, int64_t run, struct sl_err *err);
void sl_spans_close(struct sl_spans *s);
/* Nodes whose samples are not in the export of a run, though they were watched then: nothing says whose they are. */
int64_t sl_spans_nodes_of_nobody(struct sl_spans *s);
/* To be called by who asks for spans.  in_order: it asks for events, values and links of each span at most once, in
 * order of ids. */
int sl_spans_begin(struct sl_spans *s, bool in_order, struct sl_err *err);

/* The next one, by id: what a span is named in comes before it.  1, 0 at the end, or negative. */
int sl_spans_next(struct sl_spans *s, struct sl_exported_span *out, struct sl_err *err);
/* One by its id; texts stay until the next call.  1, or 0: there is none. */
int sl_spans_get(struct sl_spans *s, int64_t id, struct sl_exported_span *out, struct sl_err *err);

/* Into s->event (by time), which says when the span was; s->value (by name; one that several sources give differently,
 * more than once); s->link. */
int sl_spans_events(struct sl_spans *s, struct sl_exported_span *span, struct sl_err *err);
int sl_spans_values(struct sl_spans *s, const struct sl_exported_span *span, struct sl_err *err);
int sl_spans_links(struct sl_spans *s, int64_t id, struct sl_err *err);

static inline bool sl_spans_sampled(const struct sl_spans *s, int64_t id) /* there are samples of it */
{
    return sl_idmap_find(&s->sampled, id) != SL_NO_INDEX;
}

/* Of a statement's column. */
struct sl_exported_value sl_spans_value(sqlite3_stmt *row, int column);

/* The events of s->event are a begin and an end, first and last: what is between them is [1, n - 1). */
bool sl_spans_begin_and_end(const struct sl_spans *s);

/* First and last event of what lies in a span; false: nothing in it has a time. */
bool sl_spans_contained(struct sl_spans *s, int64_t id, int64_t *begin_ns, int64_t *end_ns);

/* What people call it (export/timeline/outline.h), or its type and key. */
const char *sl_spans_label(struct sl_spans *s, const struct sl_exported_span *span, struct sl_buf *name);
/* Whether formats that say of a span what it is, as spanloom and spanloom.NAME, must call an attribute args.NAME: it is
 * one of these, or such a name already. */
bool sl_spans_reserved(const char *attribute);
const char *sl_spans_short_type(const char *type); /* behind its last point */

static inline uint32_t sl_spans_index(const struct sl_spans *s, int64_t id) /* in the outline */
{
    return sl_idmap_find(&s->outline.id, id);
}

#endif
