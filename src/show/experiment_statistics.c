/* SPDX-License-Identifier: Apache-2.0 */
/* How much is explained, how sure that is, and what lies beside the model. */
#include "show/experiment_internal.h"

#include <stdlib.h>

static const char *of_what(const struct sl_experiment_look *look)
{
    return look->log ? "the logarithm of scores" : "scores";
}

/* ---- an elastic net ---- */

enum { TERM = 40 };

struct size {
    double size;
    size_t row;
};

static int by_size(const void *a, const void *b)
{
    const struct size *x = a, *y = b;
    return x->size > y->size ? -1 : x->size < y->size ? 1 : x->row < y->row ? -1 : x->row > y->row;
}

/* Rows of terms that are not 0, or all, the largest first; the intercept, which is row 0, is none.  How many. */
static size_t sort_terms(struct sl_table *t, bool all, struct size *v)
{
    size_t n = 0;

    sl_table_rewind(t);
    for (size_t row = 0; sl_table_next(t, NULL) > 0; row++)
        if (row && (all || real(t, SL_MODEL_ESTIMATE) != 0))
            v[n++] = (struct size){fabs(real(t, SL_MODEL_ESTIMATE)), row};
    qsort(v, n, sizeof *v, by_size);
    return n;
}

static void put_lambda(FILE *out, struct sl_table *t)
{
    char a[NUMBER], b[NUMBER];
    long long runs = sl_table_int(t, SL_MODEL_RUNS);

    if (runs <= (long long)t->rows)
        fprintf(out, "%lld runs cannot tell %zu terms apart, so all are shrunk towards 0 (elastic net).\n", runs,
                t->rows);
    else
        fputs("All terms are shrunk towards 0 (elastic net).\n", out);
    fprintf(out, "There are no intervals%s.\n",
            sl_table_is_null(t, SL_MODEL_KEPT) ? "" : "; kept: by so many of 100 drawings of the runs");
    fprintf(out, "alpha %g, lambda %s", real(t, SL_MODEL_ALPHA), digits(real(t, SL_MODEL_LAMBDA), false, a));
    if (!sl_table_is_null(t, SL_MODEL_LAMBDA_1SE))
        fprintf(out, " (cross-validation); simpler, and hardly worse: %s",
                digits(real(t, SL_MODEL_LAMBDA_1SE), false, b));
    fputc('\n', out);
}

void sl_show_net(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "model");
    struct size *v = sl_alloc(t->rows * sizeof *v + 1);
    size_t n = sort_terms(t, look->all, v), shown = look->all || n < MANY ? n : MANY;
    char what[200], a[NUMBER];

    snprintf(what, sizeof what, "what changes, all else being equal, by an elastic net (%s)", better(look));
    put_head_in(out, r, what, look->log ? "percent" : NULL);
    fprintf(out, "%-*s %10s %7s\n", TERM, "term", "change", "kept");
    for (size_t i = 0; i < shown; i++) {
        t->at = v[i].row;
        sl_table_next(t, NULL);
        sl_show_name(out, TERM, sl_table_text_or_empty(t, SL_MODEL_TERM));
        fprintf(out, " %10s", change(real(t, SL_MODEL_ESTIMATE), look->log, true, a));
        if (!sl_table_is_null(t, SL_MODEL_KEPT))
            fprintf(out, " %5.0f %%", 100 * real(t, SL_MODEL_KEPT));
        fputc('\n', out);
    }
    if (n > shown)
        fprintf(out, "and %zu that are smaller, and %zu that are 0; --all shows them\n", n - shown, t->rows - 1 - n);
    else if (t->rows - 1 > n)
        fprintf(out, "and %zu that are 0\n", t->rows - 1 - n);
    sl_table_rewind(t);
    sl_table_next(t, NULL); /* the intercept */
    sl_table_next(t, NULL);
    fputc('\n', out);
    put_lambda(out, t);
    put_explained(out, t);
    if (!sl_table_is_null(t, SL_MODEL_CV_R_SQUARED))
        fprintf(out, "; of runs left out, %.1f %%", 100 * real(t, SL_MODEL_CV_R_SQUARED));
    fprintf(out, " (%lld runs)\n", (long long)sl_table_int(t, SL_MODEL_RUNS));
    free(v);
}

/* ---- variance ---- */

void sl_show_variance(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    enum { WIDE = 7 };
    struct sl_table *t = sl_result_find(r, "variance");
    double most = sl_show_most(t, "share");
    char what[200], a[2 * NUMBER], bar[4 * WIDE + 4];
    struct marks marks = {0};

    snprintf(what, sizeof what, "what each factor explains of the variance of %s", of_what(look));
    put_head_in(out, r, what, "percent");
    fprintf(out, "%-*s %6s  %-12s %6s %5s %6s\n", NAME, "factor", "share", "95 % interval", "alone", "last", "p");
    while (sl_table_next(t, NULL) > 0) {
        snprintf(a, sizeof a, "%.1f to %.1f", 100 * real(t, SL_VARIANCE_LOWER), 100 * real(t, SL_VARIANCE_UPPER));
        sl_show_name(out, NAME, sl_table_text_or_empty(t, SL_VARIANCE_FACTOR));
        fprintf(out, " %6.1f  %-13s ", 100 * real(t, SL_VARIANCE_SHARE), a);
        fprintf(out, "%5.1f %5.1f %6s%-3s %s\n", 100 * real(t, SL_VARIANCE_ALONE), 100 * real(t, SL_VARIANCE_LAST),
                p_text(real(t, SL_VARIANCE_P), a),
                count_mark(&marks, real(t, SL_VARIANCE_P_HOLM), real(t, SL_VARIANCE_P_BH)),
                sl_show_bar(real(t, SL_VARIANCE_SHARE) / most, WIDE, bar));
    }
    sl_table_rewind(t);
    sl_table_next(t, NULL);
    fprintf(out, "%-*s %6.1f\n\n", NAME, "together", 100 * real(t, SL_VARIANCE_R_SQUARED));
    put_marks(out, &marks);
    fprintf(out,
            "share: what it adds to R2, on average over %s orders of factors (LMG);\n"
            "alone: as the only one; last: beside all others, which is what p is about.\n"
            "What does nothing gets %.1f by chance.\n",
            sl_table_int(t, SL_VARIANCE_EXACT) ? "all" : "2,000 random", 100 * real(t, SL_VARIANCE_BY_CHANCE));
}

/* ---- failures ---- */

enum { TREATMENT = 22 };

/* "3 of 47" */
static char *share_text(const struct sl_table *t, int of, int all, char *buf)
{
    snprintf(buf, NUMBER, "%lld of %lld", (long long)sl_table_int(t, of), (long long)sl_table_int(t, all));
    return buf;
}

static void put_failure(FILE *out, const struct sl_table *t, struct marks *marks)
{
    char with[NUMBER], without[NUMBER], range[2 * NUMBER], chance[2 * NUMBER] = "";

    snprintf(range, sizeof range, "%+.1f to %+.1f", 100 * real(t, SL_FAILURES_LOWER), 100 * real(t, SL_FAILURES_UPPER));
    if (!sl_table_is_null(t, SL_FAILURES_BETTER_LOWER))
        snprintf(chance, sizeof chance, "%3.0f to %.0f", 100 * real(t, SL_FAILURES_BETTER_LOWER),
                 100 * real(t, SL_FAILURES_BETTER_UPPER));
    sl_show_name(out, TREATMENT, sl_table_text_or_empty(t, SL_FAILURES_TREATMENT));
    fprintf(out, " %8s %8s %+6.1f  %-14s%-3s", share_text(t, SL_FAILURES_FAILED_WITH, SL_FAILURES_RUNS_WITH, with),
            share_text(t, SL_FAILURES_FAILED_WITHOUT, SL_FAILURES_RUNS_WITHOUT, without),
            100 * real(t, SL_FAILURES_DIFFERENCE), range,
            count_mark(marks, real(t, SL_FAILURES_P_HOLM), real(t, SL_FAILURES_P_BH)));
    fprintf(out, "%3.0f%s%s\n", 100 * real(t, SL_FAILURES_BETTER), *chance ? " " : "", chance);
}

void sl_show_failures(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "failures");
    struct marks marks = {0};
    bool any = false;

    (void)look;
    put_head_in(out, r, "which treatments make runs fail, and who wins if failed is the worst", "percent");
    fprintf(out, "%-*s %8s %8s %6s  %-16s %s\n", TREATMENT, "", "failed", "failed", "more", "", "better");
    fprintf(out, "%-*s %8s %8s %6s  %-16s %s\n", TREATMENT, "treatment", "with", "without", "with", "95 % interval",
            "with, 95 %");
    while (sl_table_next(t, NULL) > 0) {
        put_failure(out, t, &marks);
        any |= sl_table_int(t, SL_FAILURES_FAILED_WITH) || sl_table_int(t, SL_FAILURES_FAILED_WITHOUT);
    }
    fputc('\n', out);
    if (any)
        put_marks(out, &marks);
    else
        fputs("no run failed\n", out);
    fputs("better: the chance that a run with it beats one without; 50 is no difference\n", out);
}

/* ---- drift ---- */

/* "2026-11-20 08:11"; the day is left out where it is that of `day`. */
static char *when(int64_t ns, const char *day, char *buf)
{
    char text[SL_TIME_TEXT];

    sl_time_text(ns, text);
    if (!strncmp(text, day, DATE))
        snprintf(buf, NUMBER, "%.5s", text + DATE + 1);
    else
        snprintf(buf, NUMBER, "%.*s %.5s", DATE, text, text + DATE + 1);
    return buf;
}

static void put_stretches(FILE *out, struct sl_table *t)
{
    char a[NUMBER], b[2 * NUMBER], c[NUMBER], d[NUMBER], day[SL_TIME_TEXT];

    fprintf(out, "%-16s    %-16s %6s %9s  %s\n", "from", "to (UTC)", "runs", "level", "95 % interval");
    while (sl_table_next(t, NULL) > 0) {
        sl_time_text(sl_table_int(t, SL_DRIFT_FIRST_NS), day);
        fprintf(out, "%-16s to %-16s %6lld %9s  %s\n", when(sl_table_int(t, SL_DRIFT_FIRST_NS), "", c),
                when(sl_table_int(t, SL_DRIFT_LAST_NS), day, d), (long long)sl_table_int(t, SL_DRIFT_RUNS),
                change(real(t, SL_DRIFT_LEVEL), true, true, a),
                change_interval(real(t, SL_DRIFT_LOWER), real(t, SL_DRIFT_UPPER), true, b));
    }
}

const char *sl_show_trend_unit(const struct sl_table *about, double *unit)
{
    double hours = (double)(sl_table_int(about, SL_ABOUT_LAST_NS) - sl_table_int(about, SL_ABOUT_FIRST_NS)) / 3600e9;

    *unit = hours > 2 * 168 ? 168 : hours > 2 * 24 ? 24 : hours > 2 ? 1 : 1 / 60.0;
    return *unit > 24 ? "a week" : *unit > 1 ? "a day" : *unit == 1 ? "an hour" : "a minute";
}

static void put_trend(FILE *out, const struct sl_result *r, const struct sl_table *t)
{
    char a[NUMBER], b[2 * NUMBER], c[NUMBER];
    double unit;
    const char *name = sl_show_trend_unit(sl_result_find(r, "about"), &unit);

    fprintf(out, "trend: %s %s, 95 %% interval %s (p %s)\n", change(unit * real(t, SL_DRIFT_TREND), true, true, a),
            name, change_interval(unit * real(t, SL_DRIFT_TREND_LOWER), unit * real(t, SL_DRIFT_TREND_UPPER), true, b),
            p_text(real(t, SL_DRIFT_TREND_P), c));
}

void sl_show_drift(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "drift");
    char what[200], a[NUMBER];

    snprintf(what, sizeof what, "how scores change with time, less what treatments do (%s)", better(look));
    put_head_in(out, r, what, "percent");
    if (t->rows > 1)
        put_stretches(out, t);
    else
        fputs("No change from one run to the next is sure.\n", out);
    fputc('\n', out);
    sl_table_rewind(t);
    sl_table_next(t, NULL);
    if (t->rows == 1) /* else it says the same once more */
        put_trend(out, r, t);
    fprintf(out, "noise: %s from run to run, of which the next run has %.0f %% again\n",
            change(real(t, SL_DRIFT_SIGMA), true, false, a), 100 * real(t, SL_DRIFT_TOGETHER));
}

/* ---- how many runs ---- */

/* "since run 61", or how many it would take; beyond all reach: "very many". */
static void put_when_sure(FILE *out, const struct sl_table *t)
{
    char n[32];
    double needed = real(t, SL_ENOUGH_NEEDED), runs = (double)sl_table_int(t, SL_ENOUGH_RUNS);

    if (!sl_table_is_null(t, SL_ENOUGH_SURE_SINCE))
        fprintf(out, "since run %s\n", sl_show_count((unsigned long long)sl_table_int(t, SL_ENOUGH_SURE_SINCE), n));
    else if (!(needed < 100 * runs))
        fputs("by very many runs\n", out);
    else
        fprintf(out, "by some %s runs\n", digits(needed, false, n));
}

void sl_show_enough(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "enough");
    char what[200], a[NUMBER], b[NUMBER], c[NUMBER];

    snprintf(what, sizeof what, "how many runs were enough to be sure (%s)", better(look));
    put_head_in(out, r, what, look->log ? "percent" : NULL);
    fprintf(out, "%-*s %9s  %9s %9s  %s\n", NAME, "", "", "+- by all", "by 100", "95 % interval");
    fprintf(out, "%-*s %9s  %9s %9s  %s\n", NAME, "treatment", "change", "runs", "more", "without 0");
    while (sl_table_next(t, NULL) > 0) {
        if (sl_table_is_null(t, SL_ENOUGH_ESTIMATE)) {
            sl_show_name(out, NAME, sl_table_text_or_empty(t, SL_ENOUGH_TERM));
            fputs(" cannot be told: it follows from others\n", out);
            continue;
        }
        sl_show_name(out, NAME, sl_table_text_or_empty(t, SL_ENOUGH_TERM));
        fprintf(out, " %9s  %9s %9s  ", change(real(t, SL_ENOUGH_ESTIMATE), look->log, true, a),
                change(real(t, SL_ENOUGH_WIDTH), look->log, false, b),
                change(real(t, SL_ENOUGH_NEXT_WIDTH), look->log, false, c));
        put_when_sure(out, t);
    }
    fputs("\nsince: by so many runs, and ever after, each by itself. by some: if it is as it\nseems now.\n", out);
}
