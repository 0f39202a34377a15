/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a plan: a lazy greedy search, and its price. */
#include "findings/plan/planning_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REFRESHED_TASKS = 200000 }; /* of more the gain beside other steps is bounded by that before */
static const double worth = 0.02, cheaper = 2 / 3.0, enough = 0.9; /* parts of the run, of the most, of the most */

/* ---- the price ---- */

/*
 * The factor of workers of a pool among changes, 1: none; *later: further ones come later ("workers.POOL +60 s x2"), of
 * blocks of their own.
 */
static double worker_factor(const char *changes, const char *pool, bool *later)
{
    struct sl_buf named = {0};
    const char *at, *factor;

    sl_buf_addf(&named, "workers.%s ", pool);
    at = strstr(changes, named.s);
    at = at ? at + named.n : (at = strstr(changes, "workers ")) ? at + strlen("workers ") : NULL;
    sl_buf_free(&named);
    *later = at && *at == '+';
    factor = at && *later ? strstr(at, " x") : at;
    if (factor && *factor == ' ')
        factor++;
    return factor && *factor == 'x' ? strtod(factor + 1, NULL) : 1;
}

/*
 * How many nodes more a change of the number of workers needs: those that have no CPU on the nodes that there are; less
 * than 0: fewer.
 */
static double more_nodes(const struct search *s, const char *changes)
{
    double more = 0;

    for (size_t i = 0; i < s->pool.n; i++) {
        const struct pool *p = &s->pool.v[i];
        bool later;
        double extra = (worker_factor(changes, p->name, &later) - 1) * p->places;
        double free = later ? 0 : p->free, each = p->nodes > 0 ? p->places / p->nodes : p->places;
        if (extra < 0 && p->places > 0) /* those that are left fill as few nodes as they can */
            more -= floor(-extra / p->places * p->nodes + 1e-9);
        if (extra > 0 && !isnan(free) && extra > free && each > 0)
            more += ceil((extra - free) / each - 1e-9);
    }
    return more;
}

bool sl_plan_fits_by_guess(const struct search *s, const char *changes)
{
    bool guess = false;

    for (size_t i = 0; i < s->pool.n; i++)
        guess |= isnan(s->pool.v[i].free);
    return guess && strstr(changes, "workers") && strstr(changes, " x") && !strstr(changes, "start-up");
}

double sl_plan_nodes(const struct search *s, const char *changes)
{
    return s->nodes + more_nodes(s, changes);
}

double sl_plan_node_hours(const struct search *s, const char *changes, double makespan_s)
{
    return s->node_hours * (makespan_s / s->makespan_s) * (sl_plan_nodes(s, changes) / s->nodes);
}

enum sl_repair sl_plan_repair(const struct search *s, const struct candidate *c)
{
    return more_nodes(s, c->changes) > 0 ? SL_REPAIR_NODES : c->by->repair;
}

/* ---- the search ---- */

static void add_changes(struct sl_buf *b, const char *changes)
{
    sl_buf_addf(b, "%s%s", b->n ? ", " : "", changes);
}

/* Of the steps but `without` (SIZE_MAX: of all), and of one more; NULL: of none. */
static void join(struct sl_buf *b, const struct search *s, size_t without, const struct candidate *more)
{
    sl_buf_clear(b);
    for (size_t i = 0; i < s->steps; i++)
        if (i != without)
            add_changes(b, s->step[i].c->changes);
    if (more)
        add_changes(b, more->changes);
}

/* NaN: they cannot be made together. */
static double play(struct search *s, const char *changes)
{
    struct sl_simulation r = {0};
    double makespan_s = NAN;

    s->replays++;
    if (!sl_replay_play(&r, s->replay, changes, NULL))
        makespan_s = (double)(r.last_ns - s->w->first_ns) / 1e9;
    s->bias = r.bias;
    sl_simulation_free(&r);
    return makespan_s;
}

static void put_option(struct search *s, const char *changes, const char *more, double makespan_s)
{
    struct plan_option *x = sl_table_add(s->options);
    struct sl_buf names = {0};

    for (size_t i = 0; i < s->steps; i++)
        add_changes(&names, s->step[i].c->by->name);
    if (more)
        add_changes(&names, more);
    x->makespan_s = makespan_s;
    x->node_hours = sl_plan_node_hours(s, changes, makespan_s);
    x->findings = sl_table_keep(s->options, names.n ? names.s : "");
    x->changes = sl_table_keep(s->options, changes);
    sl_buf_free(&names);
}

static double now_s(const struct search *s)
{
    return s->steps ? s->step[s->steps - 1].makespan_s : s->makespan_s;
}

/* What it gains beside the steps so far. */
static void refresh(struct search *s, struct candidate *c)
{
    struct sl_buf b = {0};
    double makespan_s;

    join(&b, s, SIZE_MAX, c);
    makespan_s = play(s, b.s);
    c->gain_s = isnan(makespan_s) ? -INFINITY : now_s(s) - makespan_s;
    c->fresh = true;
    if (!isnan(makespan_s)) {
        put_option(s, b.s, c->by->name, makespan_s);
        c->dear = sl_plan_node_hours(s, b.s, makespan_s) > s->wish->budget_h; /* false of NaN */
        c->refused |= c->dear;
    }
    sl_buf_free(&b);
}

static bool is_open(const struct candidate *c)
{
    return !c->taken && !c->kept && !c->dear;
}

/* What it has to gain at least, in seconds. */
static double least_gain(const struct search *s, const struct candidate *c)
{
    return fmax(fmax(worth, c->by->threshold) * s->makespan_s, c->by->at_least_s);
}

static void refresh_all(struct search *s)
{
    for (size_t i = 0; i < s->candidate.n; i++)
        if (is_open(&s->candidate.v[i]) && !s->candidate.v[i].fresh)
            refresh(s, &s->candidate.v[i]);
}

/* The one that gains most, whose gain is known; NULL: none is worth it. */
static struct candidate *find_most(struct search *s)
{
    if (s->steps && s->w->n <= REFRESHED_TASKS)
        refresh_all(s);
    for (;;) {
        struct candidate *most = NULL;
        for (size_t i = 0; i < s->candidate.n; i++) {
            struct candidate *c = &s->candidate.v[i];
            if (is_open(c) && c->gain_s >= least_gain(s, c) && (!most || c->gain_s > most->gain_s))
                most = c;
        }
        if (!most || most->fresh)
            return most;
        refresh(s, most);
    }
}

/* What part of the most one has to gain to be taken instead. */
static double wanted(const struct search *s, const struct candidate *c, const struct candidate *most)
{
    if (sl_plan_repair(s, c) < sl_plan_repair(s, most))
        return cheaper;
    return c->rank == most->rank && sl_plan_repair(s, c) == sl_plan_repair(s, most) ? enough : INFINITY;
}

/* A cheaper kind that gains nearly as much, or of other values of the same finding the one that changes least. */
static struct candidate *find_next(struct search *s)
{
    struct candidate *most = find_most(s), *best = most;

    for (size_t i = 0; i < s->candidate.n && most; i++) {
        struct candidate *c = &s->candidate.v[i];
        double least = wanted(s, c, most) * most->gain_s;
        if (!is_open(c) || c == most || c->gain_s < least)
            continue;
        if (!c->fresh)
            refresh(s, c);
        if (!is_open(c) || c->gain_s < least)
            continue;
        if (sl_plan_repair(s, c) < sl_plan_repair(s, best) ||
            (sl_plan_repair(s, c) == sl_plan_repair(s, best) && c->rank == best->rank && c->gain_s < best->gain_s))
            best = c;
    }
    return best;
}

static void take(struct search *s, struct candidate *c)
{
    double makespan_s = now_s(s) - c->gain_s;

    s->step[s->steps++] = (struct chosen){c, makespan_s};
    c->refused = false;
    for (size_t i = 0; i < s->candidate.n; i++) {
        s->candidate.v[i].fresh = s->candidate.v[i].dear = false; /* a shorter run costs less */
        s->candidate.v[i].taken |= s->candidate.v[i].rank == c->rank;
    }
}

/* Steps without which the run is as short, and as short as it was to be. */
static void drop_needless(struct search *s, double target_s)
{
    struct sl_buf b = {0};

    for (size_t i = s->steps - 1; s->steps > 1 && i-- > 0;) {
        double end_s = s->step[s->steps - 1].makespan_s, without_s;
        join(&b, s, i, NULL);
        without_s = play(s, b.s);
        if (!(without_s - end_s < worth / 2 * s->makespan_s) || (end_s <= target_s && without_s > target_s))
            continue;
        memmove(&s->step[i], &s->step[i + 1], (s->steps - i - 1) * sizeof *s->step);
        s->steps--;
        for (size_t k = i, all = s->steps; k < all; k++) { /* what they gain without it */
            s->steps = k + 1;
            join(&b, s, SIZE_MAX, NULL);
            s->step[k].makespan_s = play(s, b.s);
            s->steps = all;
        }
    }
    sl_buf_free(&b);
}

int64_t sl_plan_refused(const struct search *s)
{
    int64_t n = 0;

    for (size_t i = 0; i < s->candidate.n; i++)
        n += s->candidate.v[i].refused;
    return n;
}

bool sl_plan_is_same(const struct search *s, const struct candidate *c)
{
    return is_open(c) && c->alone_s >= least_gain(s, c) && c->gain_s < least_gain(s, c);
}

/* What the run costs on fewer nodes, with the steps and without them. */
static void try_fewer(struct search *s)
{
    static const char *const fewer[][2] = {{"workers x0.75", "on three quarters of the workers"},
                                           {"workers x0.5", "on half the workers"},
                                           {"workers x0.25", "on a quarter of the workers"}};
    size_t all = s->steps;
    struct sl_buf b = {0};

    for (int with = 0; with < 2; with++) {
        s->steps = with ? all : 0;
        join(&b, s, SIZE_MAX, NULL);
        if ((with && !all) || (b.n && strstr(b.s, "workers")))
            continue;
        for (size_t i = 0; i < sizeof fewer / sizeof *fewer; i++) {
            double makespan_s;
            join(&b, s, SIZE_MAX, NULL);
            add_changes(&b, fewer[i][0]);
            makespan_s = sl_plan_nodes(s, b.s) < s->nodes ? play(s, b.s) : NAN;
            if (!isnan(makespan_s))
                put_option(s, b.s, fewer[i][1], makespan_s);
        }
    }
    s->steps = all;
    sl_buf_free(&b);
}

const char *sl_plan_search(struct search *s)
{
    const struct sl_plan_wish *wish = s->wish;
    double target_s = isnan(wish->target_share) ? wish->target_s : wish->target_share * s->makespan_s;
    struct candidate *c;

    put_option(s, "", NULL, s->makespan_s);
    while (!(now_s(s) <= target_s) && s->steps < MOST_STEPS && (c = find_next(s)))
        take(s, c);
    if (s->steps)
        drop_needless(s, target_s);
    try_fewer(s);
    return now_s(s) <= target_s ? "target" : s->steps == MOST_STEPS ? "limit" : "nothing";
}

void sl_plan_changes(struct sl_buf *b, const struct search *s, size_t n)
{
    sl_buf_clear(b);
    for (size_t i = 0; i < n; i++)
        add_changes(b, s->step[i].c->changes);
}
