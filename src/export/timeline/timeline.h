/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans as a picture of time: tracks that lie in one another (a workflow, its executors, blocks, managers, workers),
 * with slices, instants, counters and arrows.
 *
 * A span is a place or work, by its type (timeline.sql).  A place is a track, with what is named in it below.  Work are
 * slices, named by the app or function, on the tracks of the place that it is named in, one for each type.  A slice
 * lies inside another one only where the store says so and its time does, too; slices that overlap otherwise are on
 * sibling tracks of one name.  The events of a span are instants on it; where something else lies over it, on a track
 * beside.
 */
#ifndef SL_EXPORT_TIMELINE_TIMELINE_H
#define SL_EXPORT_TIMELINE_TIMELINE_H

#include "export/spans.h"

enum sl_track_kind { SL_TRACK_PLACE, SL_TRACK_WORK, SL_TRACK_EVENTS, SL_TRACK_COUNTER };

struct sl_track {
    enum sl_track_kind kind;
    uint64_t number, within; /* within: a place's number; 0: none */
    uint32_t rank;           /* among those within the same */
    uint32_t group, lane; /* for formats of two levels: the innermost place around it that has places; and this one */
    const char *name;     /* of a counter: the metric */
    int64_t span;         /* of a place or a counter; 0: none */
};

struct sl_arrow {
    uint64_t number; /* the same at both ends */
    bool to_here;
    int64_t other_ns; /* when the slice at the other end begins */
};

struct sl_slice { /* its attributes are in the reader */
    const struct sl_exported_span *span;
    const char *name;
    const struct sl_arrow *arrow;
    size_t narrows;
};

struct sl_instant {
    const char *name;
    int64_t span;                          /* whose it is */
    const struct sl_exported_value *value; /* what was measured then */
    size_t n;
};

/* What becomes of it.  A track is told before what is on it; of one track, everything in order of time. */
struct sl_timeline_writer {
    int (*group)(void *to, const struct sl_track *place,
                 struct sl_err *err); /* a place that has places, or is a root */
    int (*track)(void *to, const struct sl_track *t, struct sl_err *err);
    int (*begin)(void *to, const struct sl_track *t, int64_t ns, const struct sl_slice *s, struct sl_err *err);
    int (*end)(void *to, const struct sl_track *t, int64_t ns, struct sl_err *err);
    int (*instant)(void *to, const struct sl_track *t, int64_t ns, const struct sl_instant *i, struct sl_err *err);
    int (*counter)(void *to, const struct sl_track *t, int64_t ns, const struct sl_exported_value *v,
                   struct sl_err *err);
};

int sl_timeline(struct sl_spans *s, const struct sl_timeline_writer *w, void *to, struct sl_export_counts *counts,
                struct sl_err *err);

#endif
