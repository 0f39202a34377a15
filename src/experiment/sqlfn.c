/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table functions experiment_NAME(runs, how, experiment, of, by): the answers of answers.c, a row each.
 *
 *   runs        which runs: a condition on the columns of the view experiment_run; NULL: all
 *   how         words: rate, log, interactions, no-time, elastic-net, alpha=NUMBER, lambda=NUMBER, limit=NUMBER or
 *               limit=worst, split=OLD=NEW,NEW, every-event
 *   experiment  its name, where the store holds several
 *   of, by      of experiment_scatter: the treatment, and the factor that colours; of experiment_sequence and
 *               experiment_shapley: an order of treatments, or groups
 *
 *     SELECT treatment, delta FROM experiment_means('src_biglogs_remove = 0', 'rate');
 */
#include "analyse/sqlfn/sqlfn.h"
#include "analyse/ext.h"
#include "analyse/sqlfn/table.h"
#include "base/buf.h"
#include "experiment/answered.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct state {
    struct sl_table_rows rows;
    const struct sl_answer *answer;
    struct sl_answered *got; /* NULL: nothing was asked */
};

static void end(void *state)
{
    struct state *s = state;

    sl_answered_release(s->got);
    s->got = NULL;
}

static bool read_number(const char *word, size_t n, const char *name, double *to)
{
    size_t k = strlen(name);
    char *end;
    double value;

    if (n <= k + 1 || strncmp(word, name, k) != 0 || word[k] != '=')
        return false;
    value = strtod(word + k + 1, &end);
    *to = end == word + n ? value : NAN;
    return true;
}

/* What q borrows of it lies in words. */
static int read_how(struct sl_question *q, const char *how, struct sl_arena *words, struct sl_err *err)
{
    static const char *const flags[] = {"rate", "log", "interactions", "no-time", "elastic-net", "every-event"};
    bool *const flag[] = {&q->rate, &q->log, &q->interactions, &q->no_time, &q->elastic_net, &q->every_event};
    bool numbers = false;

    while (how && *(how += strspn(how, " "))) {
        size_t n = strcspn(how, " "), i = 0;
        while (i < sizeof flag / sizeof *flag && (strlen(flags[i]) != n || strncmp(flags[i], how, n) != 0))
            i++;
        if (i < sizeof flag / sizeof *flag)
            *flag[i] = true;
        else if (read_number(how, n, "alpha", &q->alpha) || read_number(how, n, "lambda", &q->lambda))
            numbers = true;
        else if (n == strlen("limit=worst") && !strncmp(how, "limit=worst", n))
            q->limit = INFINITY;
        else if (n > 6 && !strncmp(how, "split=", 6))
            q->split = sl_arena_copy(words, how + 6, n - 6);
        else if (!read_number(how, n, "limit", &q->limit))
            return sl_err(err, SL_EUSAGE,
                          "'%.*s' is none of: rate, log, interactions, no-time, elastic-net, alpha=NUMBER, "
                          "lambda=NUMBER, limit=NUMBER or limit=worst, split=OLD=NEW,NEW, every-event",
                          (int)n, how);
        how += n;
    }
    if (numbers && !q->elastic_net)
        return sl_err(err, SL_EUSAGE, "alpha and lambda are of an elastic net; say elastic-net, too");
    return sl_question_check(q, err);
}

static const char *text(const struct sl_call *call, int i)
{
    const char *s = call->arg[i] ? (const char *)sqlite3_value_text(call->arg[i]) : NULL;
    return s && *s ? s : NULL;
}

static int start(struct state *s, enum sl_answer_of which, const struct sl_call *call, struct sl_err *err)
{
    struct sl_asked a = {.q = {.where = text(call, 0), .experiment = text(call, 2), .alpha = SL_QUESTION_ALPHA},
                         .of = text(call, 3),
                         .by = text(call, 4)};
    struct sl_arena words = {0};
    int rc;

    end(s);
    s->rows = (struct sl_table_rows){0};
    s->answer = &sl_answers[which];
    if (which == SL_ANSWER_SEQUENCE || which == SL_ANSWER_SHAPLEY) {
        a.q.order = a.of;
        a.q.groups = a.by;
    }
    rc = read_how(&a.q, text(call, 1), &words, err);
    if (!rc)
        rc = sl_answered_get(&s->got, call->db, which, &a, err);
    s->rows.n = rc ? 0 : s->got->rows.n;
    sl_arena_free(&words);
    return rc;
}

static void column(const void *state, sqlite3_context *out, int col)
{
    const struct state *s = state;
    const struct sl_answer_rows *a = &s->got->rows;
    union sl_answer_cell c = a->cell.v[s->rows.at * a->columns + (size_t)col];

    switch (s->answer->column[col].type) {
    case 's':
        if (c.s)
            sqlite3_result_text(out, c.s, -1, SQLITE_TRANSIENT);
        break;
    case 'i':
        if (c.i != INT64_MIN)
            sqlite3_result_int64(out, c.i);
        break;
    default: sqlite3_result_double(out, c.d); /* NaN becomes NULL */
    }
}

/* clang-format off */
#define START(WHICH) \
    static int start_##WHICH(void *state, const struct sl_call *call, struct sl_err *err) \
    { \
        return start(state, SL_ANSWER_##WHICH, call, err); \
    }
START(ABOUT) START(FACTORS) START(DELTAS) START(MEANS) START(MODEL) START(TILES) START(FIT) START(SEQUENCE)
START(SHAPLEY) START(VECTORS) START(PCA) START(LOADINGS) START(PCA_SCORES) START(SCATTER) START(VARIANCE)
START(FAILURES) START(DRIFT) START(RESIDUALS) START(ENOUGH) START(PRECISION) START(LOGS) START(PARTS)
    /* clang-format on */

    static int (*const starts[SL_ANSWERS])(void *, const struct sl_call *, struct sl_err *) = {
        start_ABOUT,      start_FACTORS,   start_DELTAS,   start_MEANS,    start_MODEL, start_TILES,
        start_FIT,        start_SEQUENCE,  start_SHAPLEY,  start_VECTORS,  start_PCA,   start_LOADINGS,
        start_PCA_SCORES, start_SCATTER,   start_VARIANCE, start_FAILURES, start_DRIFT, start_RESIDUALS,
        start_ENOUGH,     start_PRECISION, start_LOGS,     start_PARTS};

/* The functions are made once, from the columns of the answers. */
int sl_fn_experiment(sqlite3 *db)
{
    static struct sl_table_fn fn[SL_ANSWERS];
    static char name[SL_ANSWERS][40], schema[SL_ANSWERS][1600], usage[SL_ANSWERS][200];
    int rc = SQLITE_OK;

    for (int i = 0; i < SL_ANSWERS && rc == SQLITE_OK; i++) {
        const struct sl_answer *a = &sl_answers[i];
        size_t n = (size_t)snprintf(schema[i], sizeof schema[i], "CREATE TABLE x(");
        for (size_t k = 0; k < a->columns; k++)
            n += (size_t)snprintf(schema[i] + n, sizeof schema[i] - n, "\"%s\" %s, ", a->column[k].name,
                                  a->column[k].type == 's'   ? "TEXT"
                                  : a->column[k].type == 'i' ? "INTEGER"
                                                             : "REAL");
        snprintf(
            schema[i] + n, sizeof schema[i] - n,
            "\"in_runs\" TEXT HIDDEN, \"how\" TEXT HIDDEN, \"in_experiment\" TEXT HIDDEN, \"of_what\" TEXT HIDDEN, "
            "\"by_what\" TEXT HIDDEN)");
        snprintf(name[i], sizeof name[i], "experiment_%s", a->name);
        snprintf(usage[i], sizeof usage[i], "%s('FACTOR = 0', 'rate'), or %s()", name[i], name[i]);
        fn[i] = (struct sl_table_fn){.name = name[i],
                                     .schema = schema[i],
                                     .columns = (int)a->columns,
                                     .args = 5,
                                     .usage = usage[i],
                                     .rows = 1000,
                                     .state_bytes = sizeof(struct state),
                                     .start = starts[i],
                                     .column = column,
                                     .end = end};
        rc = sl_table_register(db, &fn[i]);
    }
    return rc;
}
