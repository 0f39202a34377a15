/* SPDX-License-Identifier: Apache-2.0 */
/* 16 bytes for each change of a root's state, sorted once: 10 million events are 160 MB, and as much again meanwhile.
 */
#include "analyse/occupancy.h"
#include "analyse/ext.h"

#include <stdlib.h>

enum { MOST_CODES = 1 << 26 };

struct gather {
    struct sl_change *v;
    size_t n, cap;
    uint32_t *number; /* by code: 1 if it occurs, then the number of the state */
};

static void add_change(struct gather *g, int64_t time_ns, uint32_t a, uint32_t b)
{
    if (g->n == g->cap)
        g->v = sl_vec_grow(g->v, &g->cap, sizeof *g->v);
    g->v[g->n++] = (struct sl_change){time_ns, a, b};
    g->number[b & ~SL_OVER] = 1;
}

static void add_history(struct gather *g, const struct sl_timed_event *v, size_t n)
{
    uint32_t state = SL_NO_INDEX;

    for (size_t i = 0; i < n; i++) {
        bool last = i + 1 == n;
        if (!last && v[i + 1].time_ns == v[i].time_ns)
            continue;
        if (v[i].code != state || last)
            add_change(g, v[i].time_ns, state, v[i].code | (last ? SL_OVER : 0));
        state = v[i].code;
    }
}

/* States are codes that occur, numbered from 0. */
static void number_states(struct sl_occupancy *o, struct gather *g, uint32_t codes)
{
    for (uint32_t i = 0; i < codes; i++)
        o->states += g->number[i];
    o->code = sl_alloc(o->states * sizeof *o->code);
    o->states = 0;
    for (uint32_t i = 0; i < codes; i++)
        if (g->number[i]) {
            g->number[i] = o->states;
            o->code[o->states++] = i;
        }
    for (size_t i = 0; i < o->n; i++) {
        o->v[i].a = o->v[i].a == SL_NO_INDEX ? SL_NO_INDEX : g->number[o->v[i].a];
        o->v[i].b = g->number[o->v[i].b & ~SL_OVER] | (o->v[i].b & SL_OVER);
    }
}

int sl_occupancy_make(struct sl_occupancy *out, struct sl_root_events *from, struct sl_err *err)
{
    uint64_t codes = from->lens ? sl_lens_codes(from->lens) : (uint64_t)from->span_types * from->event_types;
    struct gather g = {0};
    int rc;

    *out = (struct sl_occupancy){0};
    if (codes > MOST_CODES)
        return sl_err(err, SL_ESTORE,
                      "%llu states are more than this analysis can hold; a recipe probably takes a variable text for a "
                      "name",
                      (unsigned long long)codes);
    g.number = sl_alloc(codes * sizeof *g.number);
    while ((rc = sl_root_events_next(from, err)) > 0)
        add_history(&g, from->v, from->n);
    sl_root_events_done(from);
    out->v = g.v;
    out->n = g.n;
    if (!rc) {
        number_states(out, &g, (uint32_t)codes);
        sl_changes_sort(out->v, out->n);
    }
    free(g.number);
    if (rc)
        sl_occupancy_free(out);
    return rc;
}

void sl_occupancy_free(struct sl_occupancy *o)
{
    free(o->v);
    free(o->code);
    *o = (struct sl_occupancy){0};
}
