/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happened (span type, event type) is one number, and numbers are ordered as the names are: sorting a root's
 * events by (time, number) settles ties.  Only the names that occur are numbered, so that 32 bits suffice.
 */
#include "analyse/load/root_events.h"
#include "analyse/ext.h"
#include "analyse/load/fast_rows.h"
#include "analyse/load/near_names.h"
#include "analyse/load/shared.h"
#include "base/mem.h"

#include <stdlib.h>

enum { INTERRUPT_EVERY = 1 << 16 };

/* ---- codes ---- */

/* Numbers the ranks that are set in used[0..n), ascending; number[] by rank; returns how many, *list holds them. */
static uint32_t number_ranks(const unsigned char *used, uint32_t n, uint32_t **list, uint32_t **number)
{
    uint32_t k = 0;

    *list = sl_alloc((size_t)n * sizeof **list);
    *number = sl_alloc((size_t)n * sizeof **number);
    for (uint32_t i = 0; i < n; i++)
        if (used[i]) {
            (*number)[i] = k;
            (*list)[k++] = i;
        }
    return k;
}

/* Through a lens the types of events are codes already. */
static void seen_codes(struct sl_root_events *s)
{
    uint32_t codes = sl_lens_codes(s->lens);

    s->span_code = sl_alloc(s->g.names.n * sizeof *s->span_code);
    s->event_code = sl_alloc(codes * sizeof *s->event_code);
    for (uint32_t i = 0; i < codes; i++)
        s->event_code[i] = i;
}

static int make_codes(struct sl_root_events *s, struct sl_err *err)
{
    uint32_t names = s->g.names.n;
    unsigned char *spans = sl_alloc(names), *events = sl_alloc(names);

    for (uint32_t i = 0; i < s->g.n; i++)
        if (s->e.start[i + 1] > s->e.start[i])
            spans[s->g.type[i]] = 1;
    for (size_t i = 0; i < s->e.n; i++)
        events[sl_number_at(&s->e.type, i)] = 1;
    s->span_types = number_ranks(spans, names, &s->span_type, &s->span_code);
    s->event_types = number_ranks(events, names, &s->event_type, &s->event_code);
    free(spans);
    free(events);
    if ((uint64_t)s->span_types * s->event_types > UINT32_MAX)
        return sl_err(err, SL_ESTORE,
                      "%u types of spans times %u types of events are more than this analysis can tell "
                      "apart; a recipe probably takes a variable text for a name",
                      s->span_types, s->event_types);
    for (uint32_t i = 0; i < names; i++)
        s->span_code[i] *= s->event_types;
    return 0;
}

const char *sl_root_events_span_type(const struct sl_root_events *s, uint32_t code)
{
    return s->lens ? sl_lens_span_type(s->lens, code) : s->g.names.text[s->span_type[code / s->event_types]];
}

const char *sl_root_events_event_type(const struct sl_root_events *s, uint32_t code)
{
    return s->lens ? sl_lens_event_type(s->lens, code) : s->g.names.text[s->event_type[code % s->event_types]];
}

/* ---- patterns ---- */

bool sl_event_match(struct sl_event_match *m, const struct sl_root_events *s, const char *pattern)
{
    const char *slash = strchr(pattern, '/'), *event = slash ? slash + 1 : pattern;
    char *span = sl_alloc(strlen(pattern) + 1);
    bool spans = false, events = false;

    memcpy(span, slash ? pattern : "*", slash ? (size_t)(slash - pattern) : 1);
    *m = (struct sl_event_match){.event_types = s->event_types};
    if (s->lens) {
        uint32_t codes = sl_lens_codes(s->lens);
        m->event = sl_alloc(codes);
        for (uint32_t i = 0; i < codes; i++)
            events |= m->event[i] = sl_lens_glob(span, sl_lens_span_type(s->lens, i)) &&
                                    sl_lens_glob(event, sl_lens_event_type(s->lens, i));
        free(span);
        return events;
    }
    m->span = sl_alloc(s->span_types);
    m->event = sl_alloc(s->event_types);
    for (uint32_t i = 0; i < s->span_types; i++)
        spans |= m->span[i] = sl_lens_glob(span, s->g.names.text[s->span_type[i]]);
    for (uint32_t i = 0; i < s->event_types; i++)
        events |= m->event[i] = sl_lens_glob(event, s->g.names.text[s->event_type[i]]);
    free(span);
    return spans && events;
}

/* Is there an event of it?  The parts of a pattern may be there, and not together. */
static bool occurs(const struct sl_event_match *m, const struct sl_root_events *s)
{
    if (s->lens) /* merges make what no event is */
        return true;
    for (uint32_t i = 0; i < s->g.n; i++)
        for (size_t k = s->e.start[i]; k < s->e.start[i + 1] && m->span[s->span_code[s->g.type[i]] / s->event_types];
             k++)
            if (m->event[s->event_code[sl_number_at(&s->e.type, k)]])
                return true;
    return false;
}

int sl_event_match_asked(struct sl_event_match *m, const struct sl_root_events *s, const char *pattern,
                         struct sl_err *err)
{
    sl_event_match_free(m);
    if (!pattern || !*pattern)
        return sl_err(err, SL_EUSAGE, "an event is named like returned, or parsl.monitoring.task/returned");
    if (!s->e.n || (sl_event_match(m, s, pattern) && occurs(m, s)))
        return 0;
    return sl_no_event(s->db, pattern, err);
}

void sl_event_match_free(struct sl_event_match *m)
{
    free(m->span);
    free(m->event);
    *m = (struct sl_event_match){0};
}

/* ---- open and close ---- */

static int load(struct sl_root_events *s, sqlite3 *db, unsigned want, unsigned of_events, sqlite3_value *within,
                struct sl_err *err)
{
    int rc = sl_graph_load_within(&s->g, db, want, within, err);

    s->db = db;
    s->type = SL_NO_INDEX;
    if (!rc)
        rc = sl_events_load(&s->e, &s->g, db, of_events, err);
    if (!rc)
        sl_walk_init(&s->walk, &s->g);
    return rc;
}

int sl_root_events_open_raw(struct sl_root_events *s, sqlite3 *db, unsigned want, unsigned of_events,
                            sqlite3_value *within, struct sl_err *err)
{
    int rc;

    *s = (struct sl_root_events){0};
    rc = load(s, db, want, of_events, within, err);
    return rc ? rc : make_codes(s, err);
}

const struct sl_root_events *sl_root_events_shared(sqlite3 *db, sqlite3_value *within)
{
    const struct sl_shared *shared = sl_shared_of(db);

    return shared && shared->events && sl_graph_covers(&shared->events->g, within) ? shared->events : NULL;
}

static bool borrow(struct sl_root_events *s, sqlite3 *db, sqlite3_value *within)
{
    const struct sl_root_events *from = sl_root_events_shared(db, within);

    if (!from)
        return false;
    *s = (struct sl_root_events){
        .g = from->g, .e = from->e, .borrowed = true, .db = db, .lens = s->lens, .type = SL_NO_INDEX};
    sl_walk_init(&s->walk, &s->g);
    return true;
}

int sl_root_events_open(struct sl_root_events *s, sqlite3 *db, sqlite3_value *within, struct sl_err *err)
{
    int rc;

    *s = (struct sl_root_events){0};
    rc = sl_lens_load(&s->lens, db, err);
    if (!rc && !(sl_lens_clear(s->lens) && borrow(s, db, within)))
        rc = load(s, db, 0, 0, within, err);
    if (rc)
        return rc;
    if (sl_lens_clear(s->lens)) {
        sl_lens_free(s->lens);
        s->lens = NULL;
        return make_codes(s, err);
    }
    sl_lens_events(s->lens, &s->g, &s->e);
    seen_codes(s);
    return 0;
}

int sl_root_events_widen(struct sl_root_events *s, sqlite3 *db, sqlite3_value *within, struct sl_err *err)
{
    if (sl_graph_covers(&s->g, within))
        return 0;
    sl_root_events_free(s);
    return sl_root_events_open(s, db, NULL, err);
}

void sl_root_events_done(struct sl_root_events *s)
{
    struct sl_names names = s->g.names;

    s->g.names = (struct sl_names){0};
    if (s->borrowed) {
        s->g = (struct sl_graph){0};
        s->e = (struct sl_events){0};
    }
    sl_graph_free(&s->g);
    s->g.names = names;
    sl_events_free(&s->e);
    sl_walk_free(&s->walk);
    sqlite3_finalize(s->alive);
    free(s->v);
    free(s->span_code);
    free(s->event_code);
    free(s->inside);
    s->alive = NULL;
    s->v = NULL;
    s->n = s->cap = 0;
    s->span_code = s->event_code = NULL;
    s->inside = NULL;
}

void sl_root_events_free(struct sl_root_events *s)
{
    sl_root_events_done(s);
    if (!s->borrowed)
        sl_names_free(&s->g.names);
    sl_lens_free(s->lens);
    free(s->span_type);
    free(s->event_type);
    free(s->task_type);
    *s = (struct sl_root_events){0};
}

/* ---- histories ---- */

int sl_root_events_of(struct sl_root_events *s, const char *type, sqlite3_value *within, struct sl_err *err)
{
    uint32_t top;

    free(s->inside);
    s->inside = NULL;
    s->at = 0;
    s->until = s->g.n;
    s->type = type ? sl_names_find(&s->g.names, type) : SL_NO_INDEX;
    if (!within || sqlite3_value_type(within) == SQLITE_NULL)
        return 0;
    if (sqlite3_value_numeric_type(within) != SQLITE_INTEGER)
        return sl_err(err, SL_EUSAGE, "the span to look in is given by its id, a whole number, not by '%s'",
                      (const char *)sqlite3_value_text(within));
    s->inside = sl_alloc(s->g.n);
    top = sl_graph_find(&s->g, sqlite3_value_int64(within));
    if (top == SL_NO_INDEX)
        return 0;
    sl_walk_closure(&s->walk, top);
    for (size_t i = 0; i < s->walk.n; i++)
        s->inside[s->walk.span[i]] = 1;
    return 0;
}

/* The first span whose id is not below. */
static uint32_t first_from(const struct sl_graph *g, int64_t id)
{
    uint32_t from = 0, to = g->n;

    while (from < to) {
        uint32_t at = from + (to - from) / 2;
        if (g->id.v[at] < id)
            from = at + 1;
        else
            to = at;
    }
    return from;
}

void sl_root_events_between(struct sl_root_events *s, int64_t min, int64_t max)
{
    s->at = first_from(&s->g, min);
    s->until = max == INT64_MAX ? s->g.n : first_from(&s->g, max + 1);
}

bool sl_root_events_has(const struct sl_root_events *s, const char *type)
{
    uint32_t rank = sl_names_find(&s->g.names, type);

    for (uint32_t i = 0; i < s->g.n && rank != SL_NO_INDEX; i++)
        if (s->g.type[i] == rank)
            return true;
    return false;
}

static void gather(struct sl_root_events *s)
{
    s->n = 0;
    for (size_t i = 0; i < s->walk.n; i++) {
        uint32_t span = s->walk.span[i];
        size_t from = s->e.start[span], to = s->e.start[span + 1];
        while (s->n + (to - from) > s->cap)
            s->v = sl_vec_grow(s->v, &s->cap, sizeof *s->v);
        for (; from < to; from++)
            s->v[s->n++] = (struct sl_timed_event){
                s->e.time_ns[from], s->span_code[s->g.type[span]] + s->event_code[sl_number_at(&s->e.type, from)],
                span};
    }
}

/* Long loops outside SQLite do not see sqlite3_interrupt(). */
bool sl_root_events_interrupted(struct sl_root_events *s)
{
    return sl_query_stopped(s->db, &s->alive);
}

int sl_root_events_one(struct sl_root_events *s, uint32_t root, struct sl_err *err)
{
    s->root = root;
    sl_walk_closure(&s->walk, root);
    gather(s);
    if (s->n > UINT32_MAX)
        return sl_err(err, SL_ESTORE, "a span has more events below it than this analysis can hold");
    sl_timed_events_sort(s->v, s->n);
    if (s->lens)
        s->n = sl_lens_merge(s->lens, s->v, s->n, NULL);
    if ((s->work += s->walk.n) < INTERRUPT_EVERY)
        return 0;
    s->work = 0;
    return sl_root_events_interrupted(s) ? sl_err(err, SL_EIO, "interrupted") : 0;
}

int sl_root_events_next(struct sl_root_events *s, struct sl_err *err)
{
    int rc;

    while (s->at < s->until && (s->g.type[s->at] != s->type || (s->inside && !s->inside[s->at])))
        s->at++;
    if (s->type == SL_NO_INDEX || s->at >= s->until)
        return 0;
    rc = sl_root_events_one(s, s->at++, err);
    return rc ? rc : 1;
}

/* ---- whose histories ---- */

/* A task has the states of smallest rank first: what is no view of it, but comes of it, begins in later ones. */
static const char task_types[] =
    "WITH t(type, rank) AS MATERIALIZED (SELECT r.type, (SELECT min(rank) FROM sl_state WHERE span_type = r.type) FROM "
    "sl_role r JOIN sl_name n ON n.name = r.type WHERE r.role = (SELECT max(x.role) FROM sl_role x JOIN sl_name m ON "
    "m.name = x.type "
    "WHERE x.role IN ('job', 'task') AND EXISTS (SELECT 1 FROM sl_span WHERE type = m.id)) AND EXISTS (SELECT 1 FROM "
    "sl_span WHERE type = n.id)) SELECT type FROM t WHERE rank IS (SELECT min(rank) FROM t) ORDER BY type LIMIT 1 "
    "OFFSET ?1";

char *sl_task_type(sqlite3 *db, int i)
{
    sqlite3_stmt *q = NULL;
    char *found = NULL;

    if (sqlite3_prepare_v2(db, task_types, -1, &q, NULL) == SQLITE_OK && sqlite3_bind_int(q, 1, i) == SQLITE_OK &&
        sqlite3_step(q) == SQLITE_ROW)
        found = sl_strdup((const char *)sqlite3_column_text(q, 0));
    sqlite3_finalize(q);
    return found;
}

const char *sl_root_events_type(struct sl_root_events *s, sqlite3_value *arg, struct sl_err *err)
{
    const char *type = arg ? (const char *)sqlite3_value_text(arg) : NULL;

    if (type)
        return type;
    free(s->task_type);
    if (!(type = s->task_type = sl_task_type(s->db, 0))) {
        if (!s->g.n)
            return "";
        sl_err(err, SL_EUSAGE, "there are no tasks; name a type of spans, see: spanloom types");
    }
    return type;
}
