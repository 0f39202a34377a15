/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long it took from one event to another below each span of a type, one row a root.  "Below" is the closure of
 * analyse/load/graph.h, events are as the lens (analyse/lens/lens.h) shows them.  Where the span itself has such a
 * start and such an end, only its own count: those of a call that others lie in, which begin and end as well, are not
 * among theirs.  All is read once, also for a join that asks span by span.
 */
#include "analyse/ext.h"
#include "analyse/load/root_events.h"
#include "analyse/sqlfn/sqlfn.h"

#include <math.h>
#include <stdlib.h>

/* clang-format off */
#define TWO_EVENTS(COLUMN, row) \
    COLUMN(row, INTEGER, span, NULL, "the root") \
    COLUMN(row, INTEGER, start_ns, "ns", "the first event that start means; NULL: there is none") \
    COLUMN(row, INTEGER, end_ns, "ns", "the first that end means, which need not be after the start; NULL: there is none") \
    COLUMN(row, REAL, duration_s, "s", "between them: negative where the end is first, NULL where one is missing") \
    COLUMN(row, INTEGER, starts, "events", "that start means; more than one are duplicates, or tries") \
    COLUMN(row, INTEGER, ends, "events", "that end means; likewise")
/* clang-format on */
SL_ROW(two_events, TWO_EVENTS);

static const struct sl_column args[] = {
    {"start", SL_COLUMN_TEXT, NULL, "an event is EVENT or SPAN_TYPE/EVENT, with * for any text", 0},
    {"end", SL_COLUMN_TEXT, NULL, "an event, likewise", 0},
    {"root_type", SL_COLUMN_TEXT, NULL, "the type of the roots; NULL: tasks", 0},
    {"within", SL_COLUMN_INTEGER, NULL, "the id of a span to which roots belong; NULL: all", 0},
};
enum { START, END, ROOT_TYPE, WITHIN, ARGS };

struct found {
    struct sl_event_match match;
    int64_t first_ns;
    uint32_t n;
};

struct state {
    struct sl_root_events histories;
    bool opened;
    char *asked[ARGS]; /* what the arguments were in the last call, as text */
    bool known;        /* asked holds them */
    struct found start, end;
    bool none, more;
    struct two_events row;
};

static void forget(struct state *s)
{
    for (int i = 0; i < ARGS; i++) {
        free(s->asked[i]);
        s->asked[i] = NULL;
    }
    s->known = false;
}

static bool same(const struct state *s, const struct sl_call *call)
{
    for (int i = 0; i < ARGS && s->known; i++) {
        const char *text = call->arg[i] ? (const char *)sqlite3_value_text(call->arg[i]) : NULL;
        if (!text != !s->asked[i] || (text && strcmp(text, s->asked[i]) != 0))
            return false;
    }
    return s->known;
}

static int ask_roots(struct state *s, const struct sl_call *call, struct sl_err *err)
{
    const char *type = sl_root_events_type(&s->histories, call->arg[ROOT_TYPE], err);
    int rc = type ? sl_root_events_of(&s->histories, type, call->arg[WITHIN], err) : SL_EUSAGE;

    s->none = type && !sl_root_events_has(&s->histories, type);
    if (!rc && !s->none)
        rc = sl_event_match_asked(&s->start.match, &s->histories, (const char *)sqlite3_value_text(call->arg[START]),
                                  err);
    if (!rc && !s->none)
        rc = sl_event_match_asked(&s->end.match, &s->histories, (const char *)sqlite3_value_text(call->arg[END]), err);
    return rc;
}

/* What a part of the store has none of may be in the rest: only then there is no such event, and it is a mistake. */
static int ask(struct state *s, const struct sl_call *call, struct sl_err *err)
{
    int rc = sl_root_events_widen(&s->histories, call->db, call->arg[WITHIN], err);

    forget(s);
    if (!rc)
        rc = ask_roots(s, call, err);
    if (s->histories.g.part && (rc || s->none || !s->histories.e.n)) {
        rc = sl_root_events_widen(&s->histories, call->db, NULL, err);
        if (!rc)
            rc = ask_roots(s, call, err);
    }
    for (int i = 0; i < ARGS && !rc; i++)
        if (call->arg[i] && sqlite3_value_text(call->arg[i]))
            s->asked[i] = sl_strdup((const char *)sqlite3_value_text(call->arg[i]));
    s->known = !rc;
    return rc;
}

static void look_for(struct found *f, const struct sl_root_events *s, bool own)
{
    f->n = 0;
    for (size_t i = 0; i < s->n; i++)
        if ((!own || s->v[i].of == s->root) && sl_event_matches(&f->match, s->v[i].code) && !f->n++)
            f->first_ns = s->v[i].time_ns;
}

static void look_for_both(struct state *s)
{
    for (int own = 1; own >= 0; own--) {
        look_for(&s->start, &s->histories, own);
        look_for(&s->end, &s->histories, own);
        if (s->start.n && s->end.n)
            break;
    }
}

static int next_roots(void *state, struct sl_err *err)
{
    struct state *s = state;
    int rc = s->none ? 0 : sl_root_events_next(&s->histories, err);

    s->more = rc > 0;
    if (s->more)
        look_for_both(s);
    return rc < 0 ? rc : 0;
}

static int start_roots(void *state, const struct sl_call *call, struct sl_err *err)
{
    struct state *s = state;
    int rc = 0;

    s->more = false;
    if (!s->opened) {
        s->opened = true;
        rc = sl_root_events_open(&s->histories, call->db, call->arg[WITHIN], err);
    }
    if (!rc && !same(s, call))
        rc = ask(s, call, err);
    if (rc)
        return rc;
    sl_root_events_between(&s->histories, call->min, call->max);
    return next_roots(s, err);
}

static bool at_end_roots(const void *state)
{
    return !((const struct state *)state)->more;
}

static const void *get_root(void *state)
{
    struct state *s = state;
    const struct found *a = &s->start, *b = &s->end;

    s->row = (struct two_events){
        .span = s->histories.g.id.v[s->histories.root],
        .start_ns = a->n ? a->first_ns : SL_NULL_INTEGER,
        .end_ns = b->n ? b->first_ns : SL_NULL_INTEGER, /* times of garbage may be further apart than 2^63 */
        .duration_s = a->n && b->n ? (double)((__int128)b->first_ns - a->first_ns) / 1e9 : NAN,
        .starts = a->n,
        .ends = b->n,
    };
    return &s->row;
}

static void end_roots(void *state)
{
    struct state *s = state;

    forget(s);
    sl_event_match_free(&s->start.match);
    sl_event_match_free(&s->end.match);
    sl_root_events_free(&s->histories);
}

static int64_t row_id_roots(const void *state)
{
    const struct state *s = state;
    return s->histories.g.id.v[s->histories.root];
}

const struct sl_table_fn sl_fn_two_events = {
    .name = "two_events",
    .about = "how long it took from one event to another",
    .row = &two_events_columns,
    .arg = args,
    .args = ARGS,
    .needed = 2,
    .usage = "two_events('invoked', 'returned', 'parsl.monitoring.task')",
    .rows = 100000,
    .bounded = 1 /* span */,
    .state_bytes = sizeof(struct state),
    .start = start_roots,
    .at_end = at_end_roots,
    .next = next_roots,
    .get = get_root,
    .rowid = row_id_roots,
    .end = end_roots,
};
