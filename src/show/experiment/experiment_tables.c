/* SPDX-License-Identifier: Apache-2.0 */
#include "show/experiment/experiment_tables.h"
#include "result/experiment.h"
#include "show/experiment/experiment_tables_internal.h"

#include <math.h>
#include <stdlib.h>

/* ---- means ---- */

static bool lacks(const struct sl_mean *x, const char *why)
{
    return (x->lacks && !strcmp(x->lacks, why)) || (x->difference_lacks && !strcmp(x->difference_lacks, why));
}

void sl_show_means(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "means");
    char what[200], a[NUMBER], b[2 * NUMBER];
    struct marks marks = {0}, of_pairs = {0};
    bool few = false, pairs = false, on_end = false, timed;

    snprintf(what, sizeof what, "what each treatment changes (%s)", better(look));
    put_head(out, r, what);
    timed = about_of(r)->timed;
    fprintf(out, "%-*s %9s  %-23s %s\n", NAME, "all runs with - without", "change", "95 % interval", "with : without");
    for (const struct sl_mean *x; (x = sl_table_row(t, NULL));) {
        sl_show_name(out, NAME, x->treatment);
        fprintf(out, " %9s  %-20s%-3s %lld : %lld\n", digits(x->difference, true, a),
                interval(x->difference_lower, x->difference_upper, b),
                count_mark(&marks, x->difference_p_holm, x->difference_p_bh), (long long)x->runs_with,
                (long long)x->runs_without);
    }
    fprintf(out, "\n%-*s %9s  %-23s %s\n", NAME, "pairs alike in all else", "change", "95 % interval", "pairs");
    sl_table_rewind(t);
    for (const struct sl_mean *x; (x = sl_table_row(t, NULL));) {
        few |= lacks(x, "few");
        pairs |= lacks(x, "few pairs");
        on_end |= lacks(x, "on end");
        sl_show_name(out, NAME, x->treatment);
        fprintf(out, " %9s  %-20s%-3s %lld\n", digits(x->delta, true, a), interval(x->lower, x->upper, b),
                count_mark(&of_pairs, x->p_holm, x->p_bh), (long long)x->pairs);
    }
    fputc('\n', out);
    marks.sure |= of_pairs.sure;
    marks.some |= of_pairs.some;
    put_marks(out, &marks);
    if (few)
        fputs("No interval: fewer than 5 runs are on one side, too few to say how sure it is.\n", out);
    if (pairs)
        fprintf(out, "No interval of pairs%s: too few runs are in any.\n", few ? ", too" : "");
    if (on_end)
        fprintf(out,
                "No interval%s: runs of one side %s on end, so that what else\n"
                "changed meanwhile cannot be told from the treatment; runs in random order can.\n%s",
                few || pairs ? ", too" : "", timed ? "came" : "stand",
                timed ? "" : "Nothing says when runs were: their order is that of the file.\n");
}

void sl_show_both(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "both");
    char what[200], a[NUMBER], b[NUMBER], c[NUMBER], d[NUMBER];

    snprintf(what, sizeof what, "changes in all runs, and there (%s)", better(look));
    put_head(out, r, what);
    fprintf(out, "there: where %s\n\n", look->vs);
    fprintf(out, "%-*s %17s | %s\n", NAME, "", "with - without", "pairs alike in all else");
    fprintf(out, "%-*s %8s %8s | %8s %6s %8s %6s\n", NAME, "treatment", "all", "there", "all", "pairs", "there",
            "pairs");
    for (const struct sl_both *x; (x = sl_table_row(t, NULL));) {
        sl_show_name(out, NAME, x->treatment);
        fprintf(out, " %8s %8s | %8s %6lld %8s %6lld\n", digits(x->difference, true, a),
                digits(x->vs_difference, true, b), digits(x->delta, true, c), (long long)x->pairs,
                digits(x->vs_delta, true, d), (long long)(x->vs_pairs != SL_NULL_INTEGER ? x->vs_pairs : 0));
    }
}

/* ---- models ---- */

static void put_term(FILE *out, const struct sl_model_row *x, bool log, int width, struct marks *marks)
{
    char a[NUMBER], b[2 * NUMBER], c[NUMBER];
    const char *name = x->term, *follows = x->follows;

    if (follows) {
        sl_show_name(out, width, name);
        fprintf(out, " cannot be told: it is %s\n", follows);
        return;
    }
    if (!strcmp(name, "(Intercept)") && log)
        digits(exp(x->estimate), false, a);
    else
        change(x->estimate, log, strcmp(name, "(Intercept)") != 0, a);
    if (!strcmp(name, "(Intercept)") && log) {
        char low[NUMBER], high[NUMBER];
        snprintf(b, sizeof b, "%s to %s", digits(exp(x->lower), false, low), digits(exp(x->upper), false, high));
    } else {
        change_interval(x->lower, x->upper, log, b);
    }
    sl_show_name(out, width, name);
    fprintf(out, " %10s  %-22s %7s%s\n", a, b, p_text(x->p, c), count_mark(marks, x->p_holm, x->p_bh));
}

static double p_of(const void *row)
{
    return ((const struct sl_model_row *)row)->p;
}

/* The p below which `most` rows lie; 2: all do. */
static double least_p(const struct sl_table *t, size_t most)
{
    struct sl_rows v = {.columns = t->memory.columns};
    double least = NAN;

    sl_rows_copy(&v, &t->memory);
    sl_rows_sort(&v, p_of, false);
    if (v.n > most)
        least = p_of(sl_rows_at(&v, most));
    sl_rows_free(&v);
    return isnan(least) ? 2 : least;
}

void sl_show_model(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    enum { WIDEST = 34 }; /* of LINE, for names */
    struct sl_table *t = sl_result_find(r, "model");
    const struct sl_model_row *first = sl_table_at(t, 0);
    char what[200], a[NUMBER], b[32];
    double least = look->all ? 2 : least_p(t, MANY);
    struct marks marks = {0};
    size_t left = 0;
    int width = NAME;

    if (!isnan(first->alpha)) {
        sl_show_net(out, r, look);
        return;
    }
    snprintf(what, sizeof what, "what changes, all else being equal, by %s (%s)",
             first->censored ? "a Tobit model" : "least squares", better(look));
    put_head_in(out, r, what, look->log ? "percent" : NULL);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < t->rows; i++) {
            const struct sl_model_row *x = sl_table_at(t, i);
            bool shown = isnan(x->p) || x->p < least;
            if (!pass && shown && sl_show_width(x->term) > width)
                width = sl_show_width(x->term) < WIDEST ? sl_show_width(x->term) : WIDEST;
            else if (pass && !shown)
                left++, marks.of++;
            else if (pass)
                put_term(out, x, look->log, width, &marks);
        }
        if (!pass)
            fprintf(out, "%-*s %10s  %-22s %7s\n", width, "term", "change", "95 % interval", "p");
    }
    if (left)
        fprintf(out, "and %zu more that are less sure; --all shows them\n", left);
    fputc('\n', out);
    put_marks(out, &marks);
    if (first->censored)
        fprintf(out, "%s failed run%s count%s as %s %s or worse", sl_show_count((unsigned long long)first->censored, b),
                first->censored == 1 ? "" : "s", first->censored == 1 ? "s" : "", digits(first->limit, false, a),
                about_of(r)->unit);
    else
        put_explained(out, first);
    fprintf(out, " (%s runs)", sl_show_count((unsigned long long)first->runs, b));
    if (first->censored || !isnan(first->r_squared))
        fprintf(out, ";\nwhat is left has a standard deviation of %s",
                look->log ? change(first->residual_stddev, true, false, a) : digits(first->residual_stddev, false, a));
    fputc('\n', out);
}

void sl_show_beside(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "beside");
    char what[200], a[NUMBER], b[2 * NUMBER], c[NUMBER], d[NUMBER];

    snprintf(what, sizeof what, "the model beside plain means (%s)", better(look));
    put_head(out, r, what);
    fprintf(out, "%-*s %-28s | %8s | %s\n", NAME - 4, "", "model", "with -", "pairs alike");
    fprintf(out, "%-*s %8s %-19s | %8s | %8s %s\n", NAME - 4, "treatment", "change", "95 % interval", "without",
            "change", "n");
    for (const struct sl_beside *x; (x = sl_table_row(t, NULL));) {
        sl_show_name(out, NAME - 4, x->treatment);
        fprintf(out, " %8s %-19s | %8s | %8s %lld\n", digits(x->model, true, a), interval(x->lower, x->upper, b),
                digits(x->difference, true, c), digits(x->delta, true, d), (long long)x->pairs);
    }
}

/* How sure it is that two treatments do something together: its p. */
static double p_of_tile(const void *row)
{
    const struct sl_tile *x = row;
    return isnan(x->p) ? 2 : x->p;
}

/* By an elastic net, which has no p: how small it is. */
static double smallness_of_tile(const void *row)
{
    return -fabs(((const struct sl_tile *)row)->estimate);
}

/* Two names, each in a column of its own; where one is longer, "a and b" in both columns. */
static void put_pair(FILE *out, const char *a, const char *b)
{
    struct sl_buf both = {0};

    if (sl_show_width(a) <= TILE && sl_show_width(b) <= TILE) {
        sl_show_name(out, TILE + 1, a);
        sl_show_name(out, TILE, b);
        return;
    }
    sl_buf_addf(&both, "%s and %s", a, b);
    sl_show_name(out, 2 * TILE + 1, both.s);
    sl_buf_free(&both);
}

void sl_show_tiles(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "tiles");
    char a[NUMBER], b[2 * NUMBER];
    struct marks marks = {0};
    size_t n = 0;
    bool net = t->rows > 0, unknown = false;

    for (const struct sl_tile *x; (x = sl_table_row(t, NULL));)
        net &= isnan(x->lower) && !isnan(x->estimate);
    put_head_in(out, r,
                net ? "what two treatments change beyond what each does, by an elastic net"
                    : "what two treatments change beyond what each does alone",
                look->log ? "percent" : NULL);
    fprintf(out, "%-*s %-*s %8s%s\n", TILE, "treatment", TILE, "and", "change", net ? "" : "  95 % interval");
    sl_rows_sort(&t->memory, net ? smallness_of_tile : p_of_tile, false);
    for (size_t i = 0; i < t->rows; i += 2) { /* the other of two is the same, the other way round */
        const struct sl_tile *x = sl_table_at(t, i);
        if (net && !look->all && x->estimate == 0)
            continue;
        count_mark(&marks, x->p_holm, x->p_bh);
        unknown |= !net && isnan(x->p);
        if (n++ >= PAIRS && !look->all)
            continue;
        put_pair(out, x->treatment, x->other);
        fprintf(out, " %8s%s%s%s\n", isnan(x->estimate) ? "?" : change(x->estimate, look->log, true, a),
                isnan(x->lower) ? "" : "  ", change_interval(x->lower, x->upper, look->log, b),
                mark(x->p_holm, x->p_bh));
    }
    if (n > PAIRS && !look->all)
        fprintf(out, "and %zu pairs that are less sure; --all shows them\n", n - PAIRS);
    fputc('\n', out);
    if (net)
        fputs("It shrinks all towards 0, and leaves out what is 0; there are no intervals. How\nmuch is explained: "
              "spanloom experiment model --interactions\n",
              out);
    else
        put_marks(out, &marks);
    if (unknown)
        fputs("? no runs tell it, or it is the same as others\n", out);
}

static double miss_of(const void *row)
{
    return fabs(((const struct sl_fit_row *)row)->residual);
}

void sl_show_fit(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "fit");
    char a[NUMBER], b[NUMBER], c[NUMBER];

    put_head(out, r, "what the model says of each run, and what was measured");
    sl_rows_sort(&t->memory, miss_of, true);
    if (t->rows)
        fprintf(out, "half of the runs are off by less than %s; the furthest off:\n\n",
                digits(miss_of(sl_table_at(t, t->rows / 2)), false, a));
    fprintf(out, "%10s %10s %10s  %s\n", "measured", "fitted", "off by", "run");
    for (size_t i = 0; i < t->rows && (look->all || i < 10); i++) {
        const struct sl_fit_row *x = sl_table_at(t, i);
        fprintf(out, "%10s %10s %10s  spanloom show span %lld\n", digits(x->measured, false, a),
                digits(x->fitted, false, b), digits(x->residual, true, c), (long long)x->run);
    }
}

/* ---- sequences ---- */

/* A treatment of which nothing can be told; false: it is none. */
static bool put_left_out(FILE *out, const char *treatment, const char *follows)
{
    if (!follows)
        return false;
    sl_show_name(out, NAME, treatment);
    fprintf(out, " cannot be told: it is %s\n", follows);
    return true;
}

void sl_show_sequence(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "sequence");
    const struct sl_step_row *start = sl_table_at(t, 0);
    double most = sl_show_most(t, "after");
    bool net = !strcmp(start->method, "elastic net"), any = false;
    char what[200], a[NUMBER], b[NUMBER], c[NUMBER], bar[4 * BAR + 4];

    snprintf(what, sizeof what, "one after the other, by %s %s (%s)", net ? "an elastic net" : "a model",
             start->pairs ? "with pairs" : "without pairs", better(look));
    put_head(out, r, what);
    fprintf(out, "%-*s %9s  %8s  %-*s  %s\n", NAME, "treatment", "change", "then", BAR, "", "measured (runs)");
    for (const struct sl_step_row *x; (x = sl_table_row(t, NULL));) {
        bool unsure = x->treatment && !net && !(x->p < 0.05);
        if (put_left_out(out, x->treatment, x->follows))
            continue;
        sl_show_bar(x->after / most, BAR, bar);
        any |= unsure;
        sl_show_name(out, NAME, x->treatment ? x->treatment : "(none)");
        fprintf(out, " %9s%s %8s  %s", x->treatment ? digits(x->delta, true, a) : "", unsure ? "?" : " ",
                digits(x->after, false, b), bar);
        if (x->runs)
            fprintf(out, "%*s  %s (%lld)", BAR - sl_show_width(bar), "", digits(x->measured, false, c),
                    (long long)x->runs);
        fputc('\n', out);
    }
    if (any)
        fputs("\n? by itself it may be chance (p is not below 0.05)\n", out);
}

void sl_show_shapley(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "shapley");
    char what[200], a[NUMBER], b[2 * NUMBER], c[2 * NUMBER];

    snprintf(what, sizeof what, "what each adds, over all orders of applying them (%s)", better(look));
    put_head(out, r, what);
    fprintf(out, "%-*s %8s  %-19s  %s\n", NAME - 2, "treatment", "average", "95 % interval", "in any order");
    for (const struct sl_shapley_row *x; (x = sl_table_row(t, NULL));)
        if (!put_left_out(out, x->treatment, x->follows)) {
            sl_show_name(out, NAME - 2, x->treatment);
            fprintf(out, " %8s  %-19s  %s\n", digits(x->value, true, a), interval(x->lower, x->upper, c),
                    interval(x->least, x->most, b));
        }
}

void sl_show_components(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "pca"), *l = sl_result_find(r, "loadings");
    char bar[4 * 30 + 4];

    put_head(out, r, "what 500 random orders of all treatments have in common");
    fprintf(out, "%9s %9s %9s\n", "component", "variance", "together");
    for (const struct sl_component_row *x; (x = sl_table_row(t, NULL));) {
        if (x->component > 10 && !look->all)
            continue;
        fprintf(out, "%9lld %7.1f %% %7.1f %%  %s\n", (long long)x->component, 100 * x->share, 100 * x->cumulative,
                sl_show_bar(x->share, 30, bar));
    }
    for (int k = 1; k <= 2; k++) {
        fprintf(out, "\ncomponent %d is mostly:\n", k);
        for (size_t i = 0; i < l->rows; i++) {
            const struct sl_loading_row *x = sl_table_at(l, i);
            if (x->component != k || fabs(x->loading) < 0.2)
                continue;
            fprintf(out, "  %+.2f ", x->loading);
            sl_show_name(out, 0, x->treatment);
        }
    }
}

/* ---- deltas ---- */

/* Of the deltas of one treatment, or of one colour. */
struct strip {
    const char *name;
    size_t n, better, worse;
    double least, most, sum, sum_log;
};

static void put_strip(FILE *out, const struct strip *s)
{
    char a[NUMBER], b[NUMBER], c[NUMBER], d[NUMBER];

    sl_show_name(out, NAME, s->name);
    fprintf(out, " %6zu %6zu %6zu %8s", s->n, s->better, s->worse, digits(s->sum / (double)s->n, true, a));
    if (!isnan(s->sum_log)) /* else a score is not above 0 */
        fprintf(out, "  %-6s%s to %s", digits(exp2(s->sum_log / (double)s->n), false, b),
                digits(exp2(s->least), false, c), digits(exp2(s->most), false, d));
    fputc('\n', out);
}

static void take_delta(struct strip *s, double delta, double log2_ratio, bool rate)
{
    if (!s->n || log2_ratio < s->least)
        s->least = log2_ratio;
    if (!s->n || log2_ratio > s->most)
        s->most = log2_ratio;
    s->n++;
    s->better += rate ? delta > 0 : delta < 0;
    s->worse += rate ? delta < 0 : delta > 0;
    s->sum += delta;
    s->sum_log += log2_ratio;
}

static void put_strip_head(FILE *out, const char *name)
{
    fprintf(out, "%-*s %6s %6s %6s %8s  %-6s%s\n", NAME, name, "pairs", "better", "worse", "mean", "times", "range");
}

/* A line a treatment. */
static void put_strips(FILE *out, struct sl_table *t, bool rate)
{
    struct strip s = {0};

    put_strip_head(out, "treatment");
    for (const struct sl_delta_row *x; (x = sl_table_row(t, NULL));) {
        if (s.n && strcmp(s.name, x->treatment) != 0) {
            put_strip(out, &s);
            s = (struct strip){0};
        }
        s.name = x->treatment;
        take_delta(&s, x->delta, x->log2, rate);
    }
    put_strip(out, &s);
    fputs("\ntimes: after / before, the geometric mean; --all shows each pair\n", out);
}

/* A line a pair of runs. */
static void put_deltas(FILE *out, struct sl_table *t)
{
    char a[NUMBER], b[NUMBER], c[NUMBER], d[NUMBER];

    fprintf(out, "%-*s %9s %9s %9s %7s  %s\n", NAME, "treatment", "before", "after", "change", "times", "runs");
    for (const struct sl_delta_row *x; (x = sl_table_row(t, NULL));) {
        sl_show_name(out, NAME, x->treatment);
        fprintf(out, " %9s %9s %9s %7s  %lld %lld\n", digits(x->before, false, a), digits(x->after, false, b),
                digits(x->delta, true, c), digits(exp2(x->log2), false, d), (long long)x->before_run,
                (long long)x->after_run);
    }
    fputs("\nruns are spans, before and after: spanloom show span NUMBER\n", out);
}

void sl_show_deltas(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "deltas");

    put_head(out, r, "runs before and after a treatment, alike in all else");
    if (!t->rows)
        fputs("No two runs differ in one factor alone. Models need no such pairs:\nspanloom experiment model\n", out);
    else if (look->all)
        put_deltas(out, t);
    else
        put_strips(out, t, look->rate);
}

void sl_show_scatter(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "scatter");
    SL_VEC(struct strip) colour = {0};
    char what[200];

    snprintf(what, sizeof what, "runs before and after %.100s, alike in all else", look->vs);
    put_head(out, r, what);
    for (const struct sl_scatter_row *x; (x = sl_table_row(t, NULL));) {
        const char *name = x->colour ? x->colour : "(all)";
        size_t i = 0;
        while (i < colour.n && strcmp(colour.v[i].name, name) != 0)
            i++;
        if (i == colour.n)
            sl_vec_add(&colour)->name = name;
        take_delta(&colour.v[i], x->delta, x->log2, look->rate);
    }
    if (!t->rows)
        fputs("No two runs differ in this factor alone. Models need no such pairs:\nspanloom experiment model\n", out);
    else
        put_strip_head(out, look->by ? look->by : "");
    for (size_t i = 0; i < colour.n; i++)
        put_strip(out, &colour.v[i]);
    sl_vec_free(&colour);
}

/* "0: 121"; of many levels how many there are, and between which. */
static void add_level(struct sl_buf *b, const struct sl_level_row *f)
{
    if (f->levels <= LEVELS)
        sl_buf_addf(b, "%s: %lld", f->level ? f->level : "", (long long)f->runs);
    else /* the rows of the others follow */
        sl_buf_addf(b, "%lld levels, %s to %s", (long long)f->levels, f->level, f[f->levels - 1].level);
}

void sl_show_factors(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "factors");
    struct sl_buf b = {0}, clean = {0};
    int at = 0;

    (void)look;
    put_head(out, r, "how many runs have which level of a factor; scores are in");
    for (size_t i = 0; i < t->rows; i++) {
        const struct sl_level_row *f = sl_table_at(t, i);
        bool same = !is_first_level(t, i);
        if (same && f->levels > LEVELS)
            continue;
        if (!same) {
            fputs(i ? "\n" : "", out);
            sl_show_name(out, NAME, f->factor);
            fprintf(out, " %-12s", f->kind);
            at = NAME + 13;
        }
        sl_buf_clear(&b);
        sl_buf_clear(&clean);
        add_level(&b, f);
        sl_show_clean(&clean, b.s, b.n);
        if (same)
            fputc(',', out);
        if (same && at + 2 + sl_show_width(clean.s) >= LINE) {
            fprintf(out, "\n%*s", NAME + 13, "");
            at = NAME + 13;
        }
        fprintf(out, " %s", clean.s);
        at += 2 + sl_show_width(clean.s);
    }
    fputc('\n', out);
    sl_buf_free(&b);
    sl_buf_free(&clean);
}
