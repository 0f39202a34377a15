/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table functions experiment_NAME(runs, how, experiment, of, by): the questions of questions.h.
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
#include "analyse/sqlfn/table_function.h"
#include "experiment/questions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

static const char *argument_text(const struct sl_call *call, int i)
{
    const char *s = call->arg[i] ? (const char *)sqlite3_value_text(call->arg[i]) : NULL;
    return s && *s ? s : NULL;
}

static int fill_question(struct sl_rows *out, const struct sl_call *call, struct sl_err *err)
{
    const struct sl_experiment_fn *fn = call->what;
    const char *of = argument_text(call, 3), *by = argument_text(call, 4);
    struct sl_question q = {.where = argument_text(call, 0),
                            .experiment = argument_text(call, 2),
                            .alpha = SL_QUESTION_ALPHA,
                            .of = of,
                            .by = by,
                            .order = fn->orders ? of : NULL,
                            .groups = fn->orders ? by : NULL};
    struct sl_arena words = {0};
    int rc = read_how(&q, argument_text(call, 1), &words, err);

    if (!rc)
        rc = sl_experiment_ask(out, call->db, fn, &q, err);
    sl_arena_free(&words);
    return rc;
}

#define POINTER(name) &sl_experiment_##name,
static const struct sl_experiment_fn *const all[] = {SL_EXPERIMENT_FNS(POINTER)};
enum { FUNCTIONS = sizeof all / sizeof *all };

static const struct sl_column args[] = {
    {"in_runs", SL_COLUMN_TEXT, NULL, "which runs: a condition on the columns of experiment_run", 0},
    {"how", SL_COLUMN_TEXT, NULL, "words, such as rate or log", 0},
    {"in_experiment", SL_COLUMN_TEXT, NULL, "its name, where the store holds several", 0},
    {"of_what", SL_COLUMN_TEXT, NULL, "a treatment, or an order of treatments", 0},
    {"by_what", SL_COLUMN_TEXT, NULL, "a factor, or groups of treatments", 0},
};

int sl_fn_experiment(sqlite3 *db)
{
    static struct sl_table_fn fn[FUNCTIONS];
    static char name[FUNCTIONS][32], usage[FUNCTIONS][104];
    int rc = SQLITE_OK;

    for (int i = 0; i < FUNCTIONS && rc == SQLITE_OK; i++) {
        snprintf(name[i], sizeof name[i], "experiment_%s", all[i]->name);
        snprintf(usage[i], sizeof usage[i], "%.31s('FACTOR = 0', 'rate'), or %.31s()", name[i], name[i]);
        fn[i] = (struct sl_table_fn){.name = name[i],
                                     .about = all[i]->about,
                                     .row = all[i]->row,
                                     .arg = args,
                                     .args = sizeof args / sizeof *args,
                                     .usage = usage[i],
                                     .fill = fill_question,
                                     .what = all[i]};
        rc = sl_table_register(db, &fn[i]);
    }
    return rc;
}
