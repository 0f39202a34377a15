/* SPDX-License-Identifier: Apache-2.0 */
/* How much is explained, how sure that is, and what lies beside the model. */
#include "show/experiment/experiment_tables_internal.h"

#include <stdlib.h>

static const char *of_what(const struct sl_experiment_look *look)
{
    return look->log ? "the logarithm of scores" : "scores";
}

/* ---- an elastic net ---- */

enum { TERM = 40 };

static double size_of(const void *row)
{
    return fabs(((const struct sl_model_row *)row)->estimate);
}

/* m: the row of any term. */
static void put_lambda(FILE *out, const struct sl_model_row *m, size_t terms)
{
    char a[NUMBER], b[NUMBER];

    if (m->runs <= (int64_t)terms)
        fprintf(out, "%lld runs cannot tell %zu terms apart, so all are shrunk towards 0 (elastic net).\n",
                (long long)m->runs, terms);
    else
        fputs("All terms are shrunk towards 0 (elastic net).\n", out);
    fprintf(out, "There are no intervals%s.\n", isnan(m->kept) ? "" : "; kept: by so many of 100 drawings of the runs");
    fprintf(out, "alpha %g, lambda %s", m->alpha, digits(m->lambda, false, a));
    if (!isnan(m->lambda_1se))
        fprintf(out, " (cross-validation); simpler, and hardly worse: %s", digits(m->lambda_1se, false, b));
    fputc('\n', out);
}

void sl_show_net(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "model");
    struct sl_rows terms = {.columns = t->memory.columns}; /* the largest first */
    const struct sl_model_row *any = sl_table_at(t, t->rows > 1 ? 1 : 0);
    size_t n = 0, shown = 0;
    char what[200], a[NUMBER];

    snprintf(what, sizeof what, "what changes, all else being equal, by an elastic net (%s)", better(look));
    put_head_in(out, r, what, look->log ? "percent" : NULL);
    fprintf(out, "%-*s %10s %7s\n", TERM, "term", "change", "kept");
    sl_rows_copy(&terms, &t->memory);
    *(struct sl_model_row *)sl_rows_at(&terms, 0) = (struct sl_model_row){.estimate = NAN}; /* the intercept is last */
    sl_rows_sort(&terms, size_of, true);
    for (size_t i = 0; i + 1 < terms.n; i++) {
        const struct sl_model_row *x = sl_rows_at(&terms, i);
        if (!look->all && x->estimate == 0)
            continue;
        n++;
        if (!look->all && shown == MANY)
            continue;
        shown++;
        sl_show_name(out, TERM, x->term);
        fprintf(out, " %10s", change(x->estimate, look->log, true, a));
        if (!isnan(x->kept))
            fprintf(out, " %5.0f %%", 100 * x->kept);
        fputc('\n', out);
    }
    sl_rows_free(&terms);
    if (n > shown)
        fprintf(out, "and %zu that are smaller, and %zu that are 0; --all shows them\n", n - shown, t->rows - 1 - n);
    else if (t->rows - 1 > n)
        fprintf(out, "and %zu that are 0\n", t->rows - 1 - n);
    fputc('\n', out);
    put_lambda(out, any, t->rows);
    put_explained(out, any);
    if (!isnan(any->cv_r_squared))
        fprintf(out, "; of runs left out, %.1f %%", 100 * any->cv_r_squared);
    fprintf(out, " (%lld runs)\n", (long long)any->runs);
}

/* ---- variance ---- */

void sl_show_variance(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    enum { WIDE = 7 };
    struct sl_table *t = sl_result_find(r, "variance");
    const struct sl_variance_row *whole = sl_table_at(t, 0);
    double most = sl_show_most(t, "share");
    char what[200], a[2 * NUMBER], bar[4 * WIDE + 4];
    struct marks marks = {0};

    snprintf(what, sizeof what, "what each factor explains of the variance of %s", of_what(look));
    put_head_in(out, r, what, "percent");
    fprintf(out, "%-*s %6s  %-12s %6s %5s %6s\n", NAME, "factor", "share", "95 % interval", "alone", "last", "p");
    for (const struct sl_variance_row *x; (x = sl_table_row(t, NULL));) {
        snprintf(a, sizeof a, "%.1f to %.1f", 100 * x->lower, 100 * x->upper);
        sl_show_name(out, NAME, x->factor);
        fprintf(out, " %6.1f  %-13s ", 100 * x->share, a);
        fprintf(out, "%5.1f %5.1f %6s%-3s %s\n", 100 * x->alone, 100 * x->last, p_text(x->p, a),
                count_mark(&marks, x->p_holm, x->p_bh), sl_show_bar(x->share / most, WIDE, bar));
    }
    fprintf(out, "%-*s %6.1f\n\n", NAME, "together", 100 * whole->r_squared);
    put_marks(out, &marks);
    fprintf(out,
            "share: what it adds to R2, on average over %s orders of factors (LMG);\n"
            "alone: as the only one; last: beside all others, which is what p is about.\n"
            "What does nothing gets %.1f by chance.\n",
            whole->exact ? "all" : "2,000 random", 100 * whole->by_chance);
}

/* ---- failures ---- */

enum { TREATMENT = 22 };

/* "3 of 47" */
static char *share_text(int64_t of, int64_t all, char *buf)
{
    snprintf(buf, NUMBER, "%lld of %lld", (long long)of, (long long)all);
    return buf;
}

static void put_failure(FILE *out, const struct sl_failure *x, struct marks *marks)
{
    char with[NUMBER], without[NUMBER], range[2 * NUMBER], chance[2 * NUMBER] = "";

    snprintf(range, sizeof range, "%+.1f to %+.1f", 100 * x->lower, 100 * x->upper);
    if (!isnan(x->better_lower))
        snprintf(chance, sizeof chance, "%3.0f to %.0f", 100 * x->better_lower, 100 * x->better_upper);
    sl_show_name(out, TREATMENT, x->treatment);
    fprintf(out, " %8s %8s %+6.1f  %-14s%-3s", share_text(x->failed_with, x->runs_with, with),
            share_text(x->failed_without, x->runs_without, without), 100 * x->difference, range,
            count_mark(marks, x->p_holm, x->p_bh));
    fprintf(out, "%3.0f%s%s\n", 100 * x->better, *chance ? " " : "", chance);
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
    for (const struct sl_failure *x; (x = sl_table_row(t, NULL));) {
        put_failure(out, x, &marks);
        any |= x->failed_with || x->failed_without;
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
    for (const struct sl_stretch_row *x; (x = sl_table_row(t, NULL));) {
        sl_time_text(x->first_ns, day);
        fprintf(out, "%-16s to %-16s %6lld %9s  %s\n", when(x->first_ns, "", c), when(x->last_ns, day, d),
                (long long)x->runs, change(x->level, true, true, a), change_interval(x->lower, x->upper, true, b));
    }
}

const char *sl_show_trend_unit(const struct sl_about_row *about, double *unit)
{
    double hours = (double)(about->last_ns - about->first_ns) / 3600e9;

    *unit = hours > 2 * 168 ? 168 : hours > 2 * 24 ? 24 : hours > 2 ? 1 : 1 / 60.0;
    return *unit > 24 ? "a week" : *unit > 1 ? "a day" : *unit == 1 ? "an hour" : "a minute";
}

static void put_trend(FILE *out, const struct sl_result *r, const struct sl_stretch_row *x)
{
    char a[NUMBER], b[2 * NUMBER], c[NUMBER];
    double unit;
    const char *name = sl_show_trend_unit(about_of(r), &unit);

    fprintf(out, "trend: %s %s, 95 %% interval %s (p %s)\n", change(unit * x->trend, true, true, a), name,
            change_interval(unit * x->trend_lower, unit * x->trend_upper, true, b), p_text(x->trend_p, c));
}

void sl_show_drift(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "drift");
    const struct sl_stretch_row *first = sl_table_at(t, 0);
    char what[200], a[NUMBER];

    snprintf(what, sizeof what, "how scores change with time, less what treatments do (%s)", better(look));
    put_head_in(out, r, what, "percent");
    if (t->rows > 1)
        put_stretches(out, t);
    else
        fputs("No change from one run to the next is sure.\n", out);
    fputc('\n', out);
    if (t->rows == 1) /* else it says the same once more */
        put_trend(out, r, first);
    fprintf(out, "noise: %s from run to run, of which the next run has %.0f %% again\n",
            change(first->sigma, true, false, a), 100 * first->together);
}

/* ---- how many runs ---- */

/* "since run 61", or how many it would take; beyond all reach: "very many". */
static void put_when_sure(FILE *out, const struct sl_enough_row *x)
{
    char n[32];
    double needed = x->needed, runs = (double)x->runs;

    if (x->sure_since != SL_NULL_INTEGER)
        fprintf(out, "since run %s\n", sl_show_count((unsigned long long)x->sure_since, n));
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
    for (const struct sl_enough_row *x; (x = sl_table_row(t, NULL));) {
        if (isnan(x->estimate)) {
            sl_show_name(out, NAME, x->term);
            fputs(" cannot be told: it follows from others\n", out);
            continue;
        }
        sl_show_name(out, NAME, x->term);
        fprintf(out, " %9s  %9s %9s  ", change(x->estimate, look->log, true, a),
                change(x->half_width, look->log, false, b), change(x->next_half_width, look->log, false, c));
        put_when_sure(out, x);
    }
    fputs("\nsince: by so many runs, and ever after, each by itself. by some: if it is as it\nseems now.\n", out);
}
