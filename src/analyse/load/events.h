/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All events of a store beside its graph, as arrays: 9 bytes an event, 10 with its source (more where there are more
 * than 256 types or sources), and 4 a span.
 *
 * Where there is a table sl_skew (source, offset_ns), in the store or temporary, the offset is added to the times that
 * this source tells: clocks are corrected for analyses, and the raw times stay.  A temporary one hides that of the
 * store.
 */
#ifndef SL_ANALYSE_LOAD_EVENTS_H
#define SL_ANALYSE_LOAD_EVENTS_H

#include "analyse/load/graph.h"

/* Numbers side by side, as narrow as the greatest that is known beforehand allows. */
struct sl_numbers {
    void *v; /* NULL: there are none */
    size_t cap;
    unsigned bytes; /* of each: 1, 2 or 4 */
};
static inline uint32_t sl_number_at(const struct sl_numbers *a, size_t i)
{
    return a->bytes == 1   ? ((const uint8_t *)a->v)[i]
           : a->bytes == 2 ? ((const uint16_t *)a->v)[i]
                           : ((const uint32_t *)a->v)[i];
}
static inline void sl_number_put(struct sl_numbers *a, size_t i, uint32_t x)
{
    if (a->bytes == 1)
        ((uint8_t *)a->v)[i] = (uint8_t)x;
    else if (a->bytes == 2)
        ((uint16_t *)a->v)[i] = (uint16_t)x;
    else
        ((uint32_t *)a->v)[i] = x;
}

/*
 * Events of span i are start[i] up to, not including, start[i + 1], in order of time (equal times in any order).
 * Events of spans that do not exist are not here.
 */
struct sl_events {
    size_t n;
    uint32_t *start; /* by span of the graph, and one more */
    int64_t *time_ns;
    struct sl_numbers type; /* rank of the type's name */
    struct sl_numbers
        source; /* which told it, its id; none without SL_EVENTS_SOURCES, and where clocks are corrected */
};

/* SL_EVENTS_RAW: clocks are not corrected. */
enum sl_events_want { SL_EVENTS_SOURCES = 1, SL_EVENTS_RAW = 2 };

/* Reads the events of db, whose graph, or a part of it, is g.  On success *out is to be freed. */
int sl_events_load(struct sl_events *out, const struct sl_graph *g, sqlite3 *db, unsigned want, struct sl_err *err);
void sl_events_free(struct sl_events *e);
bool sl_events_are_corrected(sqlite3 *db); /* is there a table sl_skew? */

/* An event on its way into a root's sequence. */
struct sl_timed_event {
    int64_t time_ns;
    uint32_t code; /* what happened: a number in the order of (span type, event type) */
    uint32_t of;   /* the caller's, to know it again */
};
/* By time, then code, then of. */
void sl_timed_events_sort(struct sl_timed_event *v, size_t n);

#endif
