/* SPDX-License-Identifier: Apache-2.0 */
/* Spans of one type, grouped by the order in which the events below them happened. */
#ifndef SL_ANALYSE_SEQUENCES_H
#define SL_ANALYSE_SEQUENCES_H

#include "analyse/lens.h"

/* Time from the previous event of the same root to this one, over the roots of an ordering.  0 at the first. */
struct sl_step {
    unsigned __int128 sum_ns; /* 64 bits would do for 500,000 tasks of ten hours, and no more */
    uint64_t min_ns, max_ns;
};

struct sl_ordering {
    uint64_t count; /* roots */
    size_t at;      /* its steps are code[at] and step[at] up to, not including, at + n */
    uint32_t n;     /* events; 0: roots that have none */
    uint64_t hash;
};

struct sl_sequences {
    struct sl_ordering *v; /* most frequent first; equally frequent by the names, step for step, the shorter first */
    size_t n, cap;
    uint64_t roots;
    uint32_t *code; /* what happened at a step: sl_sequences_span_type() and ..._event_type() tell */
    struct sl_step *step;
    size_t steps, code_cap, step_cap;
    struct sl_lens *lens;             /* NULL: codes are */
    uint32_t *span_type, *event_type; /* names (ranks) that occur, ascending; a code is an index into both */
    uint32_t span_types, event_types;
};

/*
 * The events below a root are those of all spans of its closure (graph.h), in order of time, then of the name of their
 * span's type, then of the name of their own.  type is a rank of g's names.  Roots without events form the empty
 * ordering.  e was seen through lens (sl_lens_events()), or lens is NULL; borrowed until *out is freed.  Ends with
 * SL_EIO when db is interrupted.  On success *out is to be freed.
 */
int sl_sequences_make(struct sl_sequences *out, const struct sl_graph *g, const struct sl_events *e,
                      struct sl_lens *lens, uint32_t type, sqlite3 *db, struct sl_err *err);
void sl_sequences_free(struct sl_sequences *s);
/* What happened at a step; names are those of the graph. */
const char *sl_sequences_span_type(const struct sl_sequences *s, const struct sl_names *names, size_t step);
const char *sl_sequences_event_type(const struct sl_sequences *s, const struct sl_names *names, size_t step);

#endif
