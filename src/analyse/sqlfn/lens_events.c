/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of a span and of its descendants(), as the lens (analyse/lens/lens.h) shows them, in order of time, then
 * of the name of the span type, then of the event's.
 */
#include "analyse/ext.h"
#include "analyse/lens/lens.h"
#include "analyse/load/fast_rows.h"
#include "analyse/sqlfn/sqlfn.h"

#include <stdlib.h>

/* clang-format off */
#define LENS_EVENTS(COLUMN, row) \
    COLUMN(row, INTEGER, time_ns, "ns", "of the event, of the first one where several are merged") \
    COLUMN(row, INTEGER, span, NULL, "of that event") \
    COLUMN(row, TEXT, span_type, NULL, "what it appears as") \
    COLUMN(row, TEXT, event_type, NULL, "what it appears as") \
    COLUMN(row, INTEGER, source, NULL, "of that event") \
    COLUMN(row, INTEGER, place, NULL, "of that event") \
    COLUMN(row, INTEGER, events, "events", "that a merge put together (1: it found no other); NULL: none took it")
/* clang-format on */
SL_ROW(lens_events, LENS_EVENTS);

static const struct sl_column args[] = {
    {"root", SL_COLUMN_ANY, NULL, "a span, as of descendants()", 0},
};

struct event { /* as it is in the store */
    int64_t span, source, place;
    uint32_t kind;
};

struct state {
    struct sl_table_rows rows;
    sqlite3_stmt *below; /* all calls of a join share it */
    struct sl_lens *lens;
    SL_VEC(struct event) event;
    SL_VEC(struct sl_timed_event) seen; /* of: the index in event */
    uint32_t *merged;                   /* how many, by that index */
    struct lens_events row;
};

static void forget(struct state *s)
{
    sl_lens_free(s->lens);
    s->lens = NULL;
    free(s->merged);
    s->merged = NULL;
    sl_vec_clear(&s->event);
    sl_vec_clear(&s->seen);
    s->rows = (struct sl_table_rows){0};
}

static void end_events(void *state)
{
    struct state *s = state;

    forget(s);
    sqlite3_finalize(s->below);
    sl_vec_free(&s->event);
    sl_vec_free(&s->seen);
}

static void add_event(struct state *s, sqlite3_stmt *q)
{
    const char *type = (const char *)sqlite3_column_text(q, 2), *event = (const char *)sqlite3_column_text(q, 3);

    *sl_vec_add(&s->seen) = (struct sl_timed_event){.time_ns = sqlite3_column_int64(q, 1), .of = (uint32_t)s->event.n};
    *sl_vec_add(&s->event) =
        (struct event){sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 4), sqlite3_column_int64(q, 5),
                       sl_lens_kind(s->lens, type ? type : "", event ? event : "")};
}

/* Clocks are corrected as in events.h. */
#define BELOW(time_ns)                                                                                                 \
    "SELECT e.span, " time_ns                                                                                          \
    ", n.name, m.name, e.source, e.place FROM descendants(?1) d JOIN sl_event e ON e.span = "                          \
    "d.span JOIN sl_span s ON s.id = e.span JOIN sl_name n ON n.id = s.type JOIN sl_name m ON m.id = e.type"

static int load(struct state *s, sqlite3 *db, sqlite3_value *root, struct sl_err *err)
{
    static const char raw[] = BELOW("e.time_ns");
    static const char corrected[] =
        BELOW("e.time_ns + ifnull((SELECT offset_ns FROM sl_skew WHERE source = e.source), 0)");
    int rc;

    if (!s->below &&
        sqlite3_prepare_v2(db, sl_events_are_corrected(db) ? corrected : raw, -1, &s->below, NULL) != SQLITE_OK)
        return sl_query_err(db, err);
    sqlite3_bind_value(s->below, 1, root);
    while ((rc = sqlite3_step(s->below)) == SQLITE_ROW && s->event.n < UINT32_MAX)
        add_event(s, s->below);
    if (rc == SQLITE_ROW)
        rc = sl_err(err, SL_ESTORE, "the span has more events below it than this function can hold");
    else
        rc = rc == SQLITE_DONE ? 0 : sl_query_err(db, err);
    sqlite3_reset(s->below);
    return rc;
}

/* From kinds to codes, then as a sequence. */
static void look(struct state *s)
{
    size_t n = 0;

    sl_lens_close(s->lens);
    for (size_t i = 0; i < s->seen.n; i++) {
        struct sl_timed_event h = s->seen.v[i];
        h.code = sl_lens_see(s->lens, s->event.v[h.of].kind);
        s->seen.v[n] = h;
        n += h.code != SL_NO_INDEX;
    }
    sl_timed_events_sort(s->seen.v, n);
    s->merged = sl_alloc(s->event.n * sizeof *s->merged);
    s->rows.n = s->seen.n = sl_lens_merge(s->lens, s->seen.v, n, s->merged);
}

static int start_events(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int rc;

    forget(s);
    rc = sl_lens_load(&s->lens, call->db, err);
    if (!rc)
        rc = load(s, call->db, call->arg[0], err);
    if (rc)
        forget(s);
    else
        look(s);
    return rc;
}

static const void *get_event(void *state)
{
    struct state *s = state;
    const struct sl_timed_event *h = &s->seen.v[s->rows.at];
    const struct event *e = &s->event.v[h->of];

    s->row = (struct lens_events){.time_ns = h->time_ns,
                                  .span = e->span,
                                  .span_type = sl_lens_span_type(s->lens, h->code),
                                  .event_type = sl_lens_event_type(s->lens, h->code),
                                  .source = e->source,
                                  .place = e->place,
                                  .events = s->merged[h->of] ? s->merged[h->of] : SL_NULL_INTEGER};
    return &s->row;
}

const struct sl_table_fn sl_fn_lens_events = {
    .name = "lens_events",
    .about = "the events of a span and of what belongs to it, as the lens shows them",
    .row = &lens_events_columns,
    .arg = args,
    .args = 1,
    .needed = 1,
    .usage = "lens_events(1234)",
    .rows = 50,
    .state_bytes = sizeof(struct state),
    .start = start_events,
    .get = get_event,
    .end = end_events,
};
