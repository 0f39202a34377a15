/* SPDX-License-Identifier: Apache-2.0 */
#include "findings/plan/planning.h"
#include "findings/failures.h"
#include "findings/plan/planning_internal.h"
#include "findings/why.h"
#include "plan_planning.sql.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what it is made of, and what it comes to ---- */

/* Of what came in pairs of real runs, beside what durations explain (decision 50). */
static const double replay_is_off = 0.02;

static void put_other(struct sl_table *t, const char *finding, enum sl_repair repair, double seconds, const char *what,
                      const char *edit)
{
    struct plan_other *x = sl_table_add(t);

    x->finding = sl_table_keep(t, finding);
    x->repair = sl_repairs[repair];
    x->seconds = seconds;
    x->what = sl_table_keep(t, what);
    x->edit = sl_table_keep(t, edit);
}

static void put_same(struct sl_table *t, const struct search *s)
{
    int64_t last = 0; /* values of one finding follow one another */

    for (size_t i = 0; i < s->candidate.n; i++) {
        const struct candidate *c = &s->candidate.v[i];
        if (c->rank == last || !sl_plan_is_same(s, c))
            continue;
        last = c->rank;
        put_other(t, c->by->name, sl_plan_repair(s, c), c->alone_s, c->what, c->edit);
    }
}

static const struct sl_finding *finding_of(const struct sl_findings *f, const char *name)
{
    for (size_t i = 0; i < f->v.n; i++)
        if (name && !strcmp(f->v.v[i].name, name))
            return &f->v.v[i];
    return NULL;
}

static bool is_kept(const struct search *s, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = s->wish->keep; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (!strncmp(at, name, n) && (!at[n] || at[n] == ','))
            return true;
    return false;
}

static bool is_wanted(const struct search *s, const struct sl_finding *f)
{
    const struct sl_plan_wish *wish = s->wish;

    return f && f->repair &&
           (f->repair != SL_REPAIR_NODES || !isnan(wish->target_s) || !isnan(wish->target_share) ||
            !isnan(wish->budget_h));
}

static void add_candidate(struct search *s, const struct sl_table *t, const struct sl_finding *f, const char *changes,
                          double without_s)
{
    *sl_vec_add(&s->candidate) = (struct candidate){.by = f,
                                                    .rank = sl_table_int(t, SL_WHY_RANK),
                                                    .changes = changes,
                                                    .what = sl_table_text(t, SL_WHY_TEXT, NULL),
                                                    .edit = sl_table_text(t, SL_WHY_ADVICE, NULL),
                                                    .alone_s = s->makespan_s - without_s,
                                                    .gain_s = s->makespan_s - without_s,
                                                    .kept = is_kept(s, f->name),
                                                    .refused = is_kept(s, f->name)};
}

/* Of the tables findings, replays and untold of sl_why(). */
static void find_candidates(struct search *s, const struct sl_result *why, const struct sl_findings *findings,
                            struct sl_table *others)
{
    enum { RANK, FINDING, CHANGES, WITHOUT };
    struct sl_table *t = sl_result_find(why, "findings"), *plays = sl_result_find(why, "replays"),
                    *untold = sl_result_find(why, "untold");

    sl_table_rewind(t);
    while (sl_table_next(t, NULL) > 0) {
        const struct sl_finding *f = finding_of(findings, sl_table_text(t, SL_WHY_FINDING, NULL));
        bool changes = !sl_table_is_null(t, SL_WHY_CHANGES);
        if (!is_wanted(s, f))
            continue;
        if (!changes && sl_table_real_or_nan(t, SL_WHY_SECONDS) > 0)
            put_other(others, f->name, f->repair, sl_table_real(t, SL_WHY_SECONDS), sl_table_text(t, SL_WHY_TEXT, NULL),
                      sl_table_text(t, SL_WHY_ADVICE, NULL));
        sl_table_rewind(plays);
        while (changes && sl_table_next(plays, NULL) > 0)
            if (sl_table_int(plays, RANK) == sl_table_int(t, SL_WHY_RANK))
                add_candidate(s, t, f, sl_table_text(plays, CHANGES, NULL), sl_table_real_or_nan(plays, WITHOUT));
    }
    while (untold && sl_table_next(untold, NULL) > 0) {
        const struct sl_finding *f = finding_of(findings, sl_table_text(untold, SL_WHY_FINDING, NULL));
        if (is_wanted(s, f))
            add_candidate(s, untold, f, sl_table_text(untold, SL_WHY_CHANGES, NULL),
                          sl_table_real_or_nan(untold, SL_WHY_WITHOUT_S));
    }
}

static int ask_price(struct search *s, struct sl_store *st, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(st, sql_nodes, err);
    int rc = q ? sl_store_step(st, q, err) : SL_ESTORE;

    s->nodes = s->node_hours = NAN;
    if (rc > 0 && sqlite3_column_type(q, 0) != SQLITE_NULL) {
        s->nodes = sqlite3_column_double(q, 0);
        s->node_hours = sqlite3_column_double(q, 1);
    }
    sqlite3_finalize(q);
    if (rc < 0 || !(q = sl_store_prepare(st, sql_pools, err)))
        return SL_ESTORE;
    while ((rc = sl_store_step(st, q, err)) > 0)
        *sl_vec_add(&s->pool) = (struct pool){
            sl_strdup((const char *)sqlite3_column_text(q, 0)), sqlite3_column_double(q, 1),
            sqlite3_column_type(q, 2) == SQLITE_NULL ? NAN : sqlite3_column_double(q, 2), sqlite3_column_double(q, 3)};
    sqlite3_finalize(q);
    return rc;
}

static int put_steps(struct sl_table *t, struct search *s, struct sl_err *err)
{
    struct draws d = {0};
    struct sl_buf all = {0};
    double before_s = s->makespan_s;
    int rc = s->steps ? sl_plan_draw(&d, s, err) : 0;

    for (size_t k = 0; k < s->steps && !rc; k++) {
        const struct candidate *c = s->step[k].c;
        struct plan_step *x = sl_table_add(t);
        struct sl_simulation r = {0};
        struct sl_buf assumed = {0}, where = {0};
        double *gain = sl_alloc((size_t)d.n * sizeof *gain);
        sl_plan_changes(&all, s, k + 1);
        for (int i = 0; i < d.n; i++)
            gain[i] = (d.share[k][i] - d.share[k + 1][i]) * s->makespan_s;
        x->step = (int64_t)k + 1;
        x->finding = sl_table_keep(t, c->by->name);
        x->repair = sl_repairs[sl_plan_repair(s, c)];
        x->makespan_s = s->step[k].makespan_s;
        x->gain_s = before_s - x->makespan_s;
        x->nodes = sl_plan_nodes(s, all.s);
        x->node_hours = sl_plan_node_hours(s, all.s, x->makespan_s);
        x->changes = sl_table_keep(t, c->changes);
        x->all_changes = sl_table_keep(t, all.s);
        x->what = sl_table_keep(t, c->what);
        x->edit = sl_table_keep(t, c->edit);
        sl_buf_clear(&assumed);
        sl_buf_addf(&assumed, "%s %s %s", c->what, c->edit ? c->edit : "", c->changes);
        sl_plan_where(&where, s->st, assumed.s);
        x->at = where.n ? sl_table_keep(t, where.s) : NULL;
        sl_buf_free(&where);
        sl_buf_clear(&assumed);
        rc = sl_replay_play(&r, s->replay, c->changes, err);
        sl_buf_addf(&assumed, "%s%s", r.assumed ? r.assumed : "",
                    sl_plan_fits_by_guess(s, c->changes)
                        ? "; no log says how many CPUs their nodes have: they are taken to suffice"
                        : "");
        x->assumed = assumed.n ? sl_table_keep(t, assumed.s) : NULL;
        sl_buf_free(&assumed);
        sl_simulation_free(&r);
        sl_plan_interval(gain, d.n, x->gain_s, &x->gain_low_s, &x->gain_high_s);
        for (int i = 0; i < d.n; i++)
            gain[i] = d.share[k + 1][i] * s->makespan_s;
        sl_plan_interval(gain, d.n, x->makespan_s, &x->low_s, &x->high_s);
        x->gain_low_s -= replay_is_off * x->makespan_s;
        x->gain_high_s += replay_is_off * x->makespan_s;
        x->low_s -= replay_is_off * x->makespan_s;
        x->high_s += replay_is_off * x->makespan_s;
        before_s = x->makespan_s;
        free(gain);
    }
    sl_plan_draws_free(&d);
    sl_buf_free(&all);
    return rc;
}

static double length_key(const void *row)
{
    return ((const struct plan_option *)row)->makespan_s;
}

/* Into `to`, those than which no other is both as short and as cheap; the shortest first. */
static void put_frontier(struct sl_table *to, struct sl_table *tried)
{
    double least = INFINITY;

    sl_rows_sort(&tried->memory, length_key, false);
    for (size_t i = 0; i < tried->rows; i++) {
        const struct plan_option *x = sl_table_at(tried, i);
        struct plan_option *y;
        if (i && !(x->node_hours < least - 1e-9)) /* of NaN the shortest alone */
            continue;
        least = x->node_hours;
        y = sl_table_add(to);
        *y = *x;
        y->findings = sl_table_keep(to, x->findings);
        y->changes = sl_table_keep(to, x->changes);
    }
}

/* Of the table went of sl_why(). */
static struct plan_part *part_of(struct sl_table *parts, const char *what)
{
    struct plan_part *x;

    for (size_t i = 0; i < parts->rows; i++) {
        x = sl_rows_at(&parts->memory, i);
        if (!strcmp(x->what, what))
            return x;
    }
    x = sl_table_add(parts);
    x->what = sl_table_keep(parts, what);
    return x;
}

static void put_parts(struct sl_table *parts, const struct sl_result *why, bool came)
{
    enum { WHAT, SECONDS };
    struct sl_table *went = sl_result_find(why, "went");

    while (went && sl_table_next(went, NULL) > 0) {
        struct plan_part *x = part_of(parts, sl_table_text_or_empty(went, WHAT));
        *(came ? &x->came_s : &x->was_s) = sl_table_real(went, SECONDS);
    }
}

static void put_problems(struct sl_table *t, const struct sl_result *why)
{
    enum { FINDING, PROBLEM };
    struct sl_table *problems = sl_result_find(why, "problems");

    while (problems && sl_table_next(problems, NULL) > 0) {
        struct plan_problem *x = sl_table_add(t);
        x->finding = sl_table_keep(t, sl_table_text(problems, FINDING, NULL));
        x->problem = sl_table_keep(t, sl_table_text(problems, PROBLEM, NULL));
    }
}

static double part_key(const void *row)
{
    return fabs(((const struct plan_part *)row)->change_s);
}

/* Does the later run still have what a step was to remove? */
static bool still_has(const struct sl_result *later, const struct plan_step *step)
{
    struct sl_table *t = sl_result_find(later, "findings");
    bool has = false;

    sl_table_rewind(t);
    while (!has && sl_table_next(t, NULL) > 0)
        has = !strcmp(sl_table_text_or_empty(t, SL_WHY_FINDING), step->finding) &&
              sl_table_real(t, SL_WHY_SECONDS) > step->gain_s / 3;
    return has;
}

static void put_check(struct sl_table *t, const struct plan_check *of, int64_t step, const char *changes,
                      double makespan_s)
{
    struct plan_check *x = sl_table_add(t);

    *x = *of;
    x->step = step;
    x->made = x->within = SL_NULL_INTEGER;
    x->changes = sl_table_keep(t, changes);
    x->makespan_s = makespan_s;
    x->off = makespan_s / x->came_s - 1;
}

/* How the later run came out beside the plan: of no step, of each, and of those that were made. */
static int check_later(struct sl_result *r, struct search *s, struct sl_result *later, struct sl_err *err)
{
    struct sl_table *t = sl_result_rows(r, "check", &plan_check_columns), *parts = sl_result_find(r, "parts"),
                    *steps = sl_result_find(r, "steps"), *run = sl_result_find(later, "run");
    struct plan_check of = {0};
    struct sl_buf made = {0};
    struct sl_simulation played = {0};
    size_t in_order = 0, n = 0;
    int rc = 0;

    if (sl_table_next(run, NULL) <= 0 || sl_table_is_null(run, SL_WHY_RUN_MAKESPAN))
        return sl_err(err, SL_ENOTFOUND, "--check: no log tells how long that run took; spanloom why says more");
    of.run = sl_table_keep(t, sl_table_text(run, SL_WHY_RUN_NAME, NULL));
    of.came_s = sl_table_real(run, SL_WHY_RUN_MAKESPAN);
    put_check(t, &of, 0, NULL, s->makespan_s);
    for (size_t k = 0; k < steps->rows; k++) {
        const struct plan_step *step = sl_table_at(steps, k);
        struct plan_check *x;
        put_check(t, &of, step->step, step->all_changes, step->makespan_s);
        x = sl_rows_at(&t->memory, t->rows - 1);
        x->within = step->low_s <= x->came_s && x->came_s <= step->high_s;
        x->made = !still_has(later, step);
        if (x->made) {
            sl_buf_addf(&made, "%s%s", made.n ? ", " : "", step->changes);
            in_order += n++ == k;
        }
    }
    if (n > in_order) { /* not the first ones */
        rc = sl_replay_play(&played, s->replay, made.s, err);
        if (!rc)
            put_check(t, &of, SL_NULL_INTEGER, made.s, (double)(played.last_ns - s->w->first_ns) / 1e9);
        sl_simulation_free(&played);
    }
    sl_buf_free(&made);
    put_parts(parts, later, true);
    for (size_t i = 0; i < parts->rows; i++) {
        struct plan_part *x = sl_rows_at(&parts->memory, i);
        x->change_s = (isnan(x->came_s) ? 0 : x->came_s) - (isnan(x->was_s) ? 0 : x->was_s);
    }
    sl_rows_sort(&parts->memory, part_key, true);
    return rc;
}

/* later: what was found of a later run, which the plan is checked against; NULL: there is none. */
static int plan_of_facts(struct sl_result *r, struct sl_store *st, struct sl_workflow *w,
                         const struct sl_findings *findings, const struct sl_plan_wish *wish, struct sl_result *later,
                         struct sl_err *err)
{
    struct sl_result why = {0}, tried = {0};
    struct sl_table *steps = sl_result_rows(r, "steps", &plan_step_columns),
                    *run = sl_result_rows(r, "run", &plan_run_columns),
                    *options = sl_result_rows(r, "options", &plan_option_columns),
                    *same = sl_result_rows(r, "same", &plan_other_columns),
                    *others = sl_result_rows(r, "others", &plan_other_columns);
    struct search s = {.st = st,
                       .w = w,
                       .wish = wish,
                       .makespan_s = (double)(w->last_ns - w->first_ns) / 1e9,
                       .options = sl_result_rows(&tried, "tried", &plan_option_columns)};
    struct sl_findings all = *findings; /* what hides behind another costs nothing by itself */
    int rc;

    all.untold = true;
    rc = sl_why_of_facts(&why, st, w, &all, err);

    r->whole = true;
    s.replay = w->replay;
    if (!rc)
        rc = ask_price(&s, st, err);
    if (!rc && sl_why_is_in_doubt(&why))
        rc = sl_err(err, SL_ENOTFOUND,
                    "what the logs tell of this run cannot be trusted, so nothing is planned; spanloom why says more");
    if (!rc && !isnan(wish->budget_h) && isnan(s.node_hours))
        rc = sl_err(err, SL_ENOTFOUND,
                    "--budget: no log tells on which nodes workers were, so node hours are not known; plan without it");
    if (!rc && !s.replay)
        rc = sl_err(err, SL_ENOTFOUND, "the run has no tasks that could be replayed");
    if (!rc) {
        struct plan_run *x = sl_table_add(run);
        struct sl_table *of = sl_result_find(&why, "run");
        find_candidates(&s, &why, findings, others);
        x->ends = sl_plan_search(&s);
        sl_table_rewind(of);
        if (sl_table_next(of, NULL) > 0) {
            x->name = sl_table_keep(run, sl_table_text(of, SL_WHY_RUN_NAME, NULL));
            x->state = sl_table_keep(run, sl_table_text(of, SL_WHY_RUN_STATE, NULL));
        }
        x->tasks = w->n;
        x->makespan_s = s.makespan_s;
        x->nodes = s.nodes;
        x->node_hours = s.node_hours;
        sl_plan_bounds(&s, x);
        rc = put_steps(steps, &s, err);
        x->bias = s.bias;
        x->replays = s.replays;
        x->refused = sl_plan_refused(&s);
        rc = rc ? rc : sl_plan_kept(st, x, err);
        put_parts(sl_result_rows(r, "parts", &plan_part_columns), &why, false);
        put_problems(sl_result_rows(r, "problems", &plan_problem_columns), &why);
        put_same(same, &s);
        put_frontier(options, s.options);
        if (!rc && later)
            rc = check_later(r, &s, later, err);
    }
    for (size_t i = 0; i < s.pool.n; i++)
        free(s.pool.v[i].name);
    sl_vec_free(&s.pool);
    sl_vec_free(&s.candidate);
    sl_result_free(&tried);
    sl_result_free(&why);
    return rc;
}

int sl_plan_of_facts(struct sl_result *r, struct sl_store *st, struct sl_workflow *w,
                     const struct sl_findings *findings, const struct sl_plan_wish *wish, struct sl_err *err)
{
    return plan_of_facts(r, st, w, findings, wish, NULL, err);
}

int sl_plan(struct sl_result *r, struct sl_store *st, int64_t workflow, const struct sl_findings *findings,
            const struct sl_plan_wish *wish, struct sl_err *err)
{
    struct sl_workflow w = {0};
    struct sl_result later = {0};
    int rc = wish->check ? sl_why(&later, st, wish->check, findings, err) : 0;

    if (!rc && !(rc = sl_facts_open(&w, st, workflow, err))) {
        rc = plan_of_facts(r, st, &w, findings, wish, wish->check ? &later : NULL, err);
        sl_facts_close(&w, st);
    }
    sl_result_free(&later);
    return rc;
}
