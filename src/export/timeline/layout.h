/* SPDX-License-Identifier: Apache-2.0 */
/* Which place of a timeline each span is, or lies in, and in what order the work in a place is told.  28 bytes a span,
 * beside the outline. */
#ifndef SL_EXPORT_TIMELINE_LAYOUT_H
#define SL_EXPORT_TIMELINE_LAYOUT_H

#include "export/spans.h"

#define SL_NO_TIME INT64_MIN

struct sl_layout {
    int64_t *begin_ns, *end_ns; /* by index in the outline: first and last event; SL_NO_TIME: none */
    uint32_t *place;            /* what it lies in; SL_NO_INDEX: nothing */
    uint32_t *top;              /* of work: index of the type of the work that it belongs to; of a place SL_NO_INDEX */
    uint32_t *work; /* spans that are work and have a time: by place, top, begin, and the longer ones first */
    uint32_t works;
    bool *is_work;    /* by index of a type (words.names) */
    bool *holds;      /* places that have places */
    uint64_t untimed; /* spans of types of work that nothing says of when they were */
};

int sl_layout_make(struct sl_layout *l, struct sl_spans *s, struct sl_err *err);
void sl_layout_free(struct sl_layout *l);

static inline bool sl_layout_is_work(const struct sl_layout *l, const struct sl_outline *o, uint32_t span)
{
    return o->type[span] != SL_NO_INDEX && l->is_work[o->type[span]];
}

/* Work that is drawn below the other, or beside that where something else lies there already. */
static inline bool sl_layout_is_in(const struct sl_layout *l, uint32_t x, uint32_t in)
{
    return l->place[x] == l->place[in] && l->top[x] == l->top[in] && l->begin_ns[in] <= l->begin_ns[x] &&
           l->end_ns[x] <= l->end_ns[in];
}

/* Types of work in a place (SL_NO_INDEX: in none), the one that began first first: n of l->work, from first. */
typedef SL_VEC(struct sl_layout_kind {
    const char *name;
    size_t first, n;
}) sl_layout_kinds;
void sl_layout_find_kinds(const struct sl_layout *l, const struct sl_spans *s, uint32_t place, sl_layout_kinds *to);

/* Places in a place (SL_NO_INDEX: roots): by type, as they came to be, and numbers as numbers. */
typedef SL_VEC(struct sl_layout_place {
    uint32_t span, type_id;
    const char *type, *key; /* key: in keys */
    int64_t begin_ns, type_begin_ns, number;
    bool holds;
}) sl_layout_places;
int sl_layout_find_places(const struct sl_layout *l, struct sl_spans *s, uint32_t in, sl_layout_places *to,
                          struct sl_arena *keys, struct sl_err *err);

#endif
