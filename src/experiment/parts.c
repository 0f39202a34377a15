/* SPDX-License-Identifier: Apache-2.0 */
#include "experiment/parts.h"
#include "analyse/ext.h"
#include "analyse/load/fast_rows.h"
#include "analyse/tasks/path.h"
#include "base/buf.h"
#include "base/intern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *const sl_part_kinds[SL_PART_KINDS] = {"path", "transition"};

/* So many of the runs of one level of a factor tell an event, and so few of another: it hangs on the factor. */
static const double told = 0.9, untold = 0.1;

struct piece {
    uint32_t name; /* id */
    uint32_t run;
    double seconds;
};

struct make {
    struct sl_parts *p;
    sqlite3 *db;
    struct sl_workflow w;
    int64_t *workflow; /* of each run of p->runs */
    size_t codes;
    unsigned char *seen; /* p->runs.n rows of `codes`: is the event told in the run? */
    unsigned char *keep; /* by code */
    struct sl_intern name[SL_PART_KINDS];
    SL_VEC(struct piece) piece[SL_PART_KINDS];
    SL_VEC(const char *) short_name; /* by code; NULL: not made yet */
};

/* ---- the runs that have logs ---- */

static int by_id(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int no_logs(const struct sl_runs *r, const struct sl_logs *logs, struct sl_err *err)
{
    const struct sl_run_logs *l = logs->run;
    size_t i = 0;

    while (i + 1 < r->n && (!l[i].named || (logs->absent && l[i].found)))
        i++;
    if (!r->n || !l[i].named)
        return sl_err(err, SL_ENOTFOUND, "the column %s is empty, so nothing says where the logs of the runs are",
                      r->logs_name);
    if (l[i].shared)
        return sl_err(err, SL_ENOTFOUND, "%s says of several runs that their logs are %s: each needs its own",
                      r->logs_name, l[i].named);
    if (l[i].found)
        return sl_err(err, SL_ENOTFOUND,
                      "below %s, which %s names, are %u workflows, and a run has one: name the directory of each",
                      l[i].place ? l[i].place : l[i].named, r->logs_name, l[i].found);
    return sl_err(err, SL_ENOTFOUND,
                  "the store has no logs of these %zu runs: %s says %s, and nothing was imported from %s; import them: "
                  "spanloom import %s",
                  r->n, r->logs_name, l[i].named, l[i].place ? l[i].place : "there",
                  l[i].place ? l[i].place : "DIRECTORY");
}

/* The same question, of those that have logs: factors that vary among others alone do not vary here. */
static int load_runs(struct make *m, const struct sl_runs *r, const struct sl_logs *logs, struct sl_err *err)
{
    struct sl_question of = {.experiment = r->experiment};
    struct sl_buf where = {0};
    struct sl_runs *runs = &m->p->runs;
    int64_t *pair = sl_alloc(r->n * 2 * sizeof *pair + 1);
    size_t n = 0;
    int rc;

    for (size_t i = 0; i < r->n; i++)
        if (logs->run[i].workflow) {
            pair[2 * n] = r->span[i];
            pair[2 * n++ + 1] = logs->run[i].workflow;
        }
    if (!n) {
        free(pair);
        return no_logs(r, logs, err);
    }
    qsort(pair, n, 2 * sizeof *pair, by_id);
    for (size_t i = 0; i < n; i++)
        sl_buf_addf(&where, "%s%lld", i ? "," : "id IN (", (long long)pair[2 * i]);
    sl_buf_adds(&where, ")");
    of.where = where.s;
    rc = sl_runs_load(runs, m->db, &of, err);
    sl_buf_free(&where);
    m->workflow = sl_alloc(n * sizeof *m->workflow);
    for (size_t i = 0; i < runs->n && !rc; i++) {
        const int64_t *at = bsearch(&runs->span[i], pair, n, 2 * sizeof *pair, by_id);
        m->workflow[i] = at[1];
    }
    free(pair);
    return rc;
}

/* ---- workflows ---- */

static int load_workflow(struct make *m, int64_t id, struct sl_err *err)
{
    sqlite3_stmt *q = NULL;
    sqlite3_value *value = NULL;
    int rc;

    if (sqlite3_prepare_v2(m->db, "SELECT nullif(?1, 0)", -1, &q, NULL) == SQLITE_OK &&
        sqlite3_bind_int64(q, 1, id) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
        value = sqlite3_value_dup(sqlite3_column_value(q, 0));
    rc = value ? sl_workflow_load(&m->w, m->db, value, err) : sl_query_err(m->db, err);
    sqlite3_value_free(value);
    sqlite3_finalize(q);
    return rc;
}

/* ---- what is told in which runs ---- */

static size_t code_of(const struct make *m, uint32_t span, size_t event)
{
    const struct sl_root_events *s = &m->w.s;
    return s->span_code[s->g.type[span]] + s->event_code[sl_number_at(&s->e.type, event)];
}

static void see(struct make *m)
{
    struct sl_root_events *s = &m->w.s;
    size_t n = m->p->runs.n;

    m->codes = (size_t)s->span_types * s->event_types;
    m->seen = sl_alloc(n * m->codes + 1);
    m->keep = sl_alloc(m->codes + 1);
    memset(m->keep, 1, m->codes + 1);
    for (size_t i = 0; i < n; i++) {
        uint32_t root = sl_graph_find(&s->g, m->workflow[i]);
        if (root == SL_NO_INDEX)
            continue;
        sl_walk_closure(&s->walk, root);
        for (size_t k = 0; k < s->walk.n; k++)
            for (size_t e = s->e.start[s->walk.span[k]]; e < s->e.start[s->walk.span[k] + 1]; e++)
                m->seen[i * m->codes + code_of(m, s->walk.span[k], e)] = 1;
    }
}

/* The level of the factor under which the event is told, where it is told under one and not under another; -1: none. */
static int32_t told_under(const struct make *m, size_t code, size_t factor)
{
    const struct sl_runs *r = &m->p->runs;
    int32_t levels = r->factor[factor].levels, most = -1;
    size_t *runs = sl_alloc(2 * (size_t)levels * sizeof *runs + 1), *tell = runs + levels;
    double share = -1, least = 2;

    for (size_t i = 0; i < r->n; i++) {
        int32_t level = sl_runs_levels(r, i)[factor];
        if (level >= 0) {
            runs[level]++;
            tell[level] += m->seen[i * m->codes + code];
        }
    }
    for (int32_t k = 0; k < levels; k++) {
        double of = runs[k] ? (double)tell[k] / (double)runs[k] : NAN;
        if (of > share) {
            share = of;
            most = k;
        }
        least = of < least ? of : least;
    }
    free(runs);
    return share >= told && least <= untold ? most : -1;
}

static const char *keep_text(struct make *m, const char *s)
{
    return sl_arena_copy(&m->p->arena, s, strlen(s));
}

static void leave_out(struct make *m)
{
    const struct sl_runs *r = &m->p->runs;

    for (size_t code = 0; code < m->codes; code++) {
        size_t in = 0;
        for (size_t i = 0; i < r->n; i++)
            in += m->seen[i * m->codes + code];
        for (size_t f = 0; f < r->factors && in && m->keep[code]; f++) {
            int32_t level = r->factor[f].levels > 1 ? told_under(m, code, f) : -1;
            struct sl_buf only = {0};
            if (level < 0)
                continue;
            m->keep[code] = 0;
            sl_buf_addf(&only, "%s=%s", r->factor[f].name, r->factor[f].level[level]);
            *sl_vec_add(&m->p->left_out) = (struct sl_left_out){
                keep_text(m, sl_root_events_span_type(&m->w.s, (uint32_t)code)),
                keep_text(m, sl_root_events_event_type(&m->w.s, (uint32_t)code)), keep_text(m, only.s), in};
            sl_buf_free(&only);
        }
    }
}

/* Takes them out of the arrays, for all workflows that are looked at from now on. */
static void drop_events(struct make *m)
{
    struct sl_root_events *s = &m->w.s;
    size_t kept = 0;

    for (uint32_t i = 0; i < s->g.n; i++) {
        size_t from = s->e.start[i], to = s->e.start[i + 1];
        s->e.start[i] = (uint32_t)kept;
        for (; from < to; from++)
            if (m->keep[code_of(m, i, from)]) {
                s->e.time_ns[kept] = s->e.time_ns[from];
                sl_number_put(&s->e.type, kept++, sl_number_at(&s->e.type, from));
            }
    }
    s->e.start[s->g.n] = (uint32_t)kept;
    s->e.n = kept;
}

/* ---- pieces ---- */

static void add_piece(struct make *m, enum sl_part_kind kind, const char *name, size_t run, double seconds)
{
    uint32_t id = sl_intern(&m->name[kind], name, strlen(name));
    *sl_vec_add(&m->piece[kind]) = (struct piece){id, (uint32_t)run, seconds};
}

static void add_path(struct make *m, size_t run)
{
    struct sl_path path;
    struct sl_buf name = {0};

    sl_path_make(&path, &m->w);
    for (size_t i = 0; i < path.v.n; i++) {
        const struct sl_path_part *x = &path.v.v[i];
        sl_buf_clear(&name);
        sl_buf_addf(&name, "%s, %s", x->component, x->state);
        add_piece(m, SL_PART_PATH, name.s, run, (double)(x->end_ns - x->start_ns) / 1e9);
    }
    sl_buf_free(&name);
    sl_path_free(&path);
}

/* The event; where other types of spans have one of that name, behind the last word of the type, or all of it. */
static const char *short_name(struct make *m, uint32_t code)
{
    const struct sl_root_events *s = &m->w.s;
    const char *type = sl_root_events_span_type(s, code), *event = sl_root_events_event_type(s, code), *dot;
    bool same_event = false, same_end = false;
    struct sl_buf b = {0};

    while (m->short_name.n < m->codes)
        sl_vec_add(&m->short_name);
    if (m->short_name.v[code])
        return m->short_name.v[code];
    dot = strrchr(type, '.') ? strrchr(type, '.') + 1 : type;
    for (uint32_t c = code % s->event_types; c < m->codes; c += s->event_types) {
        bool any = false;
        const char *other = sl_root_events_span_type(s, c);
        for (size_t i = 0; i < m->p->runs.n && !any && c != code && m->keep[c]; i++)
            any = m->seen[i * m->codes + c];
        same_event |= any;
        same_end |= any && !strcmp(dot, strrchr(other, '.') ? strrchr(other, '.') + 1 : other);
    }
    if (same_event)
        sl_buf_addf(&b, "%s/", same_end ? type : dot);
    sl_buf_adds(&b, event);
    m->short_name.v[code] = keep_text(m, b.s);
    sl_buf_free(&b);
    return m->short_name.v[code];
}

static int add_transitions(struct make *m, size_t run, struct sl_err *err)
{
    struct sl_root_events *s = &m->w.s;
    struct sl_buf name = {0};
    int rc = 0;

    for (uint32_t t = 0; t < m->w.n && !rc; t++) {
        if ((rc = sl_root_events_one(s, m->w.task[t].span, err)))
            break;
        for (size_t i = 1; i < s->n; i++) {
            double seconds = (double)(s->v[i].time_ns - s->v[i - 1].time_ns) / 1e9;
            if (!(seconds > 0))
                continue;
            sl_buf_clear(&name);
            sl_buf_addf(&name, "%s > %s", short_name(m, s->v[i - 1].code), short_name(m, s->v[i].code));
            add_piece(m, SL_PART_TRANSITION, name.s, run, seconds / m->w.n);
        }
    }
    sl_buf_free(&name);
    return rc;
}

/* ---- parts ---- */

struct sum {
    uint32_t name;
    double seconds;
};

static int by_seconds(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;
    return x->seconds > y->seconds ? -1 : x->seconds < y->seconds ? 1 : x->name < y->name ? -1 : x->name > y->name;
}

static size_t add_part(struct make *m, enum sl_part_kind kind, const char *name)
{
    struct sl_part *p = sl_vec_add(&m->p->part);

    *p = (struct sl_part){.kind = kind, .name = name ? keep_text(m, name) : NULL};
    p->seconds = sl_alloc(m->p->runs.n * sizeof *p->seconds + 1);
    return m->p->part.n - 1;
}

static void make_parts(struct make *m, enum sl_part_kind kind)
{
    size_t names = m->name[kind].of.n, runs = m->p->runs.n, shown = names > SL_PARTS_MOST ? SL_PARTS_MOST : names;
    struct sum *sum = sl_alloc(names * sizeof *sum + 1);
    size_t *place = sl_alloc((names + 1) * sizeof *place), all = add_part(m, kind, NULL), others = all;

    for (size_t i = 0; i < names; i++)
        sum[i].name = (uint32_t)i + 1;
    for (size_t i = 0; i < m->piece[kind].n; i++)
        sum[m->piece[kind].v[i].name - 1].seconds += m->piece[kind].v[i].seconds;
    if (names)
        qsort(sum, names, sizeof *sum, by_seconds);
    for (size_t i = 0; i < shown; i++)
        place[sum[i].name] = add_part(m, kind, sl_intern_text(&m->name[kind], sum[i].name));
    if (shown < names)
        others = add_part(m, kind, "(others)");
    for (size_t i = shown; i < names; i++)
        place[sum[i].name] = others;
    for (size_t i = 0; i < m->piece[kind].n; i++) {
        const struct piece *x = &m->piece[kind].v[i];
        m->p->part.v[all].seconds[x->run] += x->seconds;
        m->p->part.v[place[x->name]].seconds[x->run] += x->seconds;
    }
    for (size_t k = all; k < m->p->part.n; k++) {
        struct sl_part *p = &m->p->part.v[k];
        for (size_t i = 0; i < runs; i++) {
            p->mean += p->seconds[i] / (double)runs;
            p->in += p->seconds[i] > 0;
        }
    }
    free(sum);
    free(place);
}

/* ---- all of it ---- */

static int take_apart(struct make *m, bool every_event, struct sl_err *err)
{
    int rc = load_workflow(m, 0, err); /* the whole store, once */

    if (rc)
        return rc;
    see(m);
    if (!every_event) {
        leave_out(m);
        drop_events(m);
    }
    for (size_t i = 0; i < m->p->runs.n && !rc; i++) {
        rc = load_workflow(m, m->workflow[i], err);
        if (!rc)
            add_path(m, i);
        if (!rc)
            rc = add_transitions(m, i, err);
    }
    for (int kind = 0; kind < SL_PART_KINDS && !rc; kind++)
        make_parts(m, (enum sl_part_kind)kind);
    return rc;
}

int sl_parts_make(struct sl_parts *out, const struct sl_runs *r, const struct sl_logs *logs, sqlite3 *db,
                  const struct sl_question *q, struct sl_err *err)
{
    struct make m = {.p = out, .db = db};
    int rc;

    *out = (struct sl_parts){0};
    rc = load_runs(&m, r, logs, err);
    if (!rc)
        rc = take_apart(&m, q->every_event, err);
    sl_workflow_free(&m.w);
    for (int kind = 0; kind < SL_PART_KINDS; kind++) {
        sl_intern_free(&m.name[kind]);
        sl_vec_free(&m.piece[kind]);
    }
    sl_vec_free(&m.short_name);
    free(m.workflow);
    free(m.seen);
    free(m.keep);
    if (rc)
        sl_parts_free(out);
    return rc;
}

int sl_parts_fit(struct sl_linear_model *m, const struct sl_parts *p, const struct sl_part *part,
                 const struct sl_question *q, struct sl_err *err)
{
    const struct sl_question plain = {.no_time = q->no_time, .alpha = SL_QUESTION_ALPHA};
    struct sl_runs runs = p->runs;
    int rc;

    runs.score = part->seconds;
    rc = sl_model_fit(m, &runs, &plain, err);
    if (!rc && m->method != SL_MODEL_LEAST_SQUARES) {
        rc = sl_err(err, SL_EUSAGE,
                    "%zu runs with logs cannot tell %zu terms apart: there must be more runs than terms%s", m->n,
                    m->terms, m->timed ? "; --no-time has fewer" : "");
        sl_model_free(m);
    }
    return rc;
}

void sl_parts_free(struct sl_parts *p)
{
    for (size_t i = 0; i < p->part.n; i++)
        free(p->part.v[i].seconds);
    sl_vec_free(&p->part);
    sl_vec_free(&p->left_out);
    sl_arena_free(&p->arena);
    sl_runs_free(&p->runs);
    *p = (struct sl_parts){0};
}
