/* SPDX-License-Identifier: Apache-2.0 */
#include "design/comparison.h"
#include "analyse/kernels/random.h"
#include "base/clock.h"
#include "design/traces.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct turns {
    struct sl_comparison *c;
    struct sl_trials *s;
    size_t in_row[2]; /* failures */
};

/* What a run says. */
static int take(struct turns *t, int side, const char *what, const struct sl_trial *trial, const char *id, size_t pair,
                double *score, struct sl_err *err)
{
    static const char *const columns[] = {"design", "compare", NULL};
    struct sl_comparison *c = t->c;
    char block[32];

    if (trial->outcome == SL_TRIAL_INTERRUPTED) {
        c->end = SL_COMPARISON_INTERRUPTED;
        c->signal = trial->signal;
        return 0;
    }
    if (trial->outcome != SL_TRIAL_DONE)
        snprintf(c->why[side], sizeof c->why[side], "%s%s", what, trial->why);
    if (*what) {
        if (trial->outcome != SL_TRIAL_DONE) /* if the first does not, none will */
            c->end = SL_COMPARISON_FAILED;
        return 0;
    }
    c->runs[side]++;
    c->failed[side] += trial->outcome != SL_TRIAL_DONE;
    t->in_row[side] = trial->outcome != SL_TRIAL_DONE ? t->in_row[side] + 1 : 0;
    if (t->in_row[side] == SL_COMPARISON_FAILURES)
        c->end = SL_COMPARISON_FAILED;
    *score = trial->score;
    if (trial->score <= 0)
        return sl_err(err, SL_EUSAGE, "a score of %g cannot be compared by ratio: scores must be above 0",
                      trial->score);
    if (c->log < 0)
        return 0;
    snprintf(block, sizeof block, "%zu", pair + 1);
    return sl_run_log_add(c->log, t->s, id, block, trial, columns, err);
}

/* One run; *score NaN: it failed. */
static int run(struct turns *t, int side, const char *what, size_t pair, double *score, struct sl_err *err)
{
    struct sl_comparison *c = t->c;
    struct sl_trial trial = {.setting = c->setting[side]};
    struct sl_buf traces = {0};
    char id[160];
    int rc = 0;

    snprintf(id, sizeof id, "%.100s-%s%zu", c->id, *what ? "warm-up-" : "",
             *what ? (size_t)side : c->runs[0] + c->runs[1] + 1);
    if (t->s->plan->trace)
        rc = sl_traces_folder(&traces, t->s->plan, id, err);
    trial.traces = traces.n ? traces.s : NULL;
    if (!rc)
        rc = sl_trial_run(t->s, &trial, err);
    *score = NAN;
    if (!rc)
        rc = take(t, side, what, &trial, id, pair, score, err);
    sl_buf_free(&traces);
    return rc;
}

int sl_comparison_run(struct sl_comparison *c, struct sl_trials *s, struct sl_err *err)
{
    struct turns t = {.c = c, .s = s};
    struct sl_compare compare = {0};
    uint64_t random = c->seed;
    int64_t began = sl_clock_mono_ns();
    double score[2];
    int rc = 0;

    c->end = SL_COMPARISON_KNOWN;
    c->is = sl_compare_judge(&compare, &c->rule);
    for (int side = 0; side < 2 && c->warm_up && !rc && c->end == SL_COMPARISON_KNOWN; side++)
        rc = run(&t, side, "warm-up: ", 0, &score[side], err);
    for (size_t pair = 0; !rc && c->end == SL_COMPARISON_KNOWN; pair++) {
        int first = (int)(sl_random(&random) >> 63);
        if (pair == c->pairs || c->elapsed_s >= c->budget_s) {
            c->end = pair == c->pairs ? SL_COMPARISON_PAIRS : SL_COMPARISON_TIME;
            break;
        }
        for (int i = 0; i < 2 && !rc && c->end == SL_COMPARISON_KNOWN; i++)
            rc = run(&t, first ^ i, "", pair, &score[first ^ i], err);
        if (rc || c->end == SL_COMPARISON_INTERRUPTED)
            break;
        if (!isnan(score[0]) && !isnan(score[1]))
            sl_compare_add(&compare, &c->rule, score[0], score[1]);
        c->is = sl_compare_judge(&compare, &c->rule);
        c->elapsed_s = (double)(sl_clock_mono_ns() - began) / 1e9;
        if (c->progress)
            c->progress(c->to, c);
        if (c->is.verdict != SL_COMPARE_UNKNOWN)
            break;
    }
    c->elapsed_s = (double)(sl_clock_mono_ns() - began) / 1e9;
    sl_compare_free(&compare);
    return rc;
}
