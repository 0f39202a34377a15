/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "findings/why_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT SL_COLUMN_TEXT
#define INTEGER SL_COLUMN_INTEGER
#define REAL SL_COLUMN_REAL

static const struct sl_column run_columns[] = {
    {"side", TEXT, NULL, NULL, 0},      {"name", TEXT, NULL, NULL, 0},        {"start_ns", INTEGER, "ns", NULL, 0},
    {"makespan_s", REAL, "s", NULL, 0}, {"tasks", INTEGER, "tasks", NULL, 0}, {"workers", INTEGER, NULL, NULL, 0},
    {"places", INTEGER, NULL, NULL, 0}, {"done", INTEGER, "tasks", NULL, 0},  {"state", TEXT, NULL, NULL, 0}};
static const struct sl_column change_columns[] = {{"what", TEXT, NULL, NULL, 0},    {"name", TEXT, NULL, NULL, 0},
                                                  {"a_s", REAL, "s", NULL, 0},      {"b_s", REAL, "s", NULL, 0},
                                                  {"change_s", REAL, "s", NULL, 0}, {"a", TEXT, NULL, NULL, 0},
                                                  {"b", TEXT, NULL, NULL, 0}};

struct change {
    const char *what;
    char name[400];
    double s[2]; /* NaN: this side has none, or it is a note */
    const char *text[2];
};

struct compared {
    SL_VEC(struct change) v;
    struct sl_arena arena;
    double places[2];
    double most_s; /* makespan of the longer */
};

static void put(struct compared *c, const char *what, const char *name, int side, double s, const char *text)
{
    size_t i = 0;

    while (i < c->v.n && (strcmp(c->v.v[i].what, what) != 0 || strcmp(c->v.v[i].name, name) != 0))
        i++;
    if (i == c->v.n) {
        sl_vec_add(&c->v);
        c->v.v[i] = (struct change){.what = what, .s = {NAN, NAN}};
        snprintf(c->v.v[i].name, sizeof c->v.v[i].name, "%s", name);
    }
    c->v.v[i].s[side] = isnan(c->v.v[i].s[side]) ? s : c->v.v[i].s[side] + s;
    if (text && !c->v.v[i].text[side])
        c->v.v[i].text[side] = sl_arena_copy(&c->arena, text, strlen(text));
}

static void gather(struct compared *c, struct sl_result *r, int side)
{
    enum { APP, TASKS, MEDIAN, MOST, RUN, VAIN };
    enum { COMPONENT, STATE, SECONDS };
    struct sl_table *t = sl_result_find(r, "findings");
    char name[400];

    while (sl_table_next(t, NULL) > 0)
        put(c, "finding", sl_table_text_or_empty(t, SL_WHY_FINDING), side, sl_table_real_or_nan(t, SL_WHY_SECONDS),
            sl_table_text(t, SL_WHY_TEXT, NULL));
    t = sl_result_find(r, "apps");
    while (sl_table_next(t, NULL) > 0) {
        double vain_s = sl_table_is_null(t, VAIN) ? 0 : sl_table_real(t, VAIN);
        char tasks[64], median[SL_SECONDS_TEXT] = "";
        if (!sl_table_is_null(t, MEDIAN))
            sl_seconds_beside(sl_table_real(t, MEDIAN), c->most_s, median);
        snprintf(tasks, sizeof tasks, "%lld task%s, %s%s", (long long)sl_table_int(t, TASKS),
                 sl_table_int(t, TASKS) == 1 ? "" : "s", *median ? "median " : "none done", median);
        put(c, "app", sl_table_text_or_empty(t, APP), side, (sl_table_real(t, RUN) - vain_s) / fmax(1, c->places[side]),
            tasks);
        snprintf(name, sizeof name, "failed tries of %s", sl_table_text_or_empty(t, APP));
        if (vain_s > 0)
            put(c, "app", name, side, vain_s / fmax(1, c->places[side]), NULL);
    }
    t = sl_result_find(r, "went");
    while (sl_table_next(t, NULL) > 0)
        put(c, "went", sl_table_text_or_empty(t, 0), side, sl_table_real(t, 1), NULL);
    t = sl_result_find(r, "parts");
    while (sl_table_next(t, NULL) > 0) {
        snprintf(name, sizeof name, "%s, %s", sl_table_text_or_empty(t, COMPONENT), sl_table_text_or_empty(t, STATE));
        put(c, "path", name, side, sl_table_real(t, SECONDS), NULL);
    }
}

static bool is_note(const struct change *x)
{
    return isnan(x->s[0]) && isnan(x->s[1]);
}

static double change_of(const struct change *x)
{
    return (isnan(x->s[1]) ? 0 : x->s[1]) - (isnan(x->s[0]) ? 0 : x->s[0]);
}

static int by_change(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    double p = fabs(change_of(x)), q = fabs(change_of(y));
    int what = strcmp(x->what, y->what);

    if (what)
        return strcmp(x->what, "finding") == 0 ? -1 : strcmp(y->what, "finding") == 0 ? 1 : what;
    return p != q ? (p > q ? -1 : 1) : strcmp(x->name, y->name);
}

int sl_why_compared(struct sl_result *r, struct sl_result of[2], struct sl_err *err)
{
    struct sl_table *t = sl_result_table(r, "changes", change_columns, SL_COLUMNS(change_columns));
    struct sl_table *runs = sl_result_table(r, "runs", run_columns, SL_COLUMNS(run_columns));
    struct compared c = {0};

    r->whole = true;
    sl_why_put_terms(r, NULL, false);
    for (int side = 0; side < 2; side++)
        if (sl_why_is_in_doubt(&of[side]))
            return sl_err(err, SL_ENOTFOUND, "%s cannot be compared: spanloom why, of it alone, says what is wrong",
                          side ? "B" : "A");
    for (int side = 0; side < 2; side++) {
        struct sl_table *run = sl_result_find(&of[side], "run");
        sl_table_rewind(run);
        if (sl_table_next(run, NULL) > 0)
            c.most_s = fmax(c.most_s, sl_table_real_or_nan(run, SL_WHY_RUN_MAKESPAN));
    }
    for (int side = 0; side < 2; side++) {
        struct sl_table *run = sl_result_find(&of[side], "run"), *ended = sl_result_find(&of[side], "ended");
        sl_table_rewind(run);
        if (sl_table_next(run, NULL) <= 0)
            continue;
        sl_table_add(runs);
        sl_table_put_text(runs, SL_WHY_RUNS_SIDE, side ? "B" : "A");
        sl_table_put_text(runs, SL_WHY_RUNS_NAME, sl_table_text(run, SL_WHY_RUN_NAME, NULL));
        if (!sl_table_is_null(run, SL_WHY_RUN_START))
            sl_table_put_int(runs, SL_WHY_RUNS_START, sl_table_int(run, SL_WHY_RUN_START));
        sl_table_put_real(runs, SL_WHY_RUNS_MAKESPAN, sl_table_real_or_nan(run, SL_WHY_RUN_MAKESPAN));
        sl_table_put_int(runs, SL_WHY_RUNS_TASKS, sl_table_int(run, SL_WHY_RUN_TASKS));
        if (!sl_table_is_null(run, SL_WHY_RUN_WORKERS))
            sl_table_put_int(runs, SL_WHY_RUNS_WORKERS, sl_table_int(run, SL_WHY_RUN_WORKERS));
        if (!sl_table_is_null(run, SL_WHY_RUN_PLACES))
            sl_table_put_int(runs, SL_WHY_RUNS_PLACES, sl_table_int(run, SL_WHY_RUN_PLACES));
        sl_table_put_text(runs, SL_WHY_RUNS_STATE, sl_table_text(run, SL_WHY_RUN_STATE, NULL));
        while (sl_table_next(ended, NULL) > 0)
            if (!strcmp(sl_table_text_or_empty(ended, 0), "done"))
                sl_table_put_int(runs, SL_WHY_RUNS_DONE, sl_table_int(ended, 1));
        c.places[side] = sl_table_is_null(run, SL_WHY_RUN_PLACES) ? 1 : (double)sl_table_int(run, SL_WHY_RUN_PLACES);
        gather(&c, &of[side], side);
    }
    if (c.v.n)
        qsort(c.v.v, c.v.n, sizeof *c.v.v, by_change);
    for (size_t i = 0; i < c.v.n; i++) {
        if (is_note(&c.v.v[i]) && c.v.v[i].text[0] && c.v.v[i].text[1])
            continue;
        sl_table_add(t);
        sl_table_put_text(t, 0, c.v.v[i].what);
        sl_table_put_text(t, 1, c.v.v[i].name);
        sl_table_put_real(t, 2, c.v.v[i].s[0]);
        sl_table_put_real(t, 3, c.v.v[i].s[1]);
        sl_table_put_real(t, 4, is_note(&c.v.v[i]) ? NAN : change_of(&c.v.v[i]));
        sl_table_put_text(t, 5, c.v.v[i].text[0]);
        sl_table_put_text(t, 6, c.v.v[i].text[1]);
        sl_why_put_terms(r, c.v.v[i].text[0], false);
        sl_why_put_terms(r, c.v.v[i].text[1], false);
    }
    sl_vec_free(&c.v);
    sl_arena_free(&c.arena);
    return 0;
}
