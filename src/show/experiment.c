/* SPDX-License-Identifier: Apache-2.0 */
#include "show/experiment.h"
#include "result/experiment.h"
#include "show/experiment_internal.h"

#include <math.h>
#include <stdlib.h>

/* ---- means ---- */

static bool lacks(const struct sl_table *t, const char *why)
{
    return !strcmp(sl_table_text_or_empty(t, SL_MEANS_LACKS), why) ||
           !strcmp(sl_table_text_or_empty(t, SL_MEANS_DIFFERENCE_LACKS), why);
}

void sl_show_means(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "means");
    char what[200], a[NUMBER], b[2 * NUMBER];
    struct marks marks = {0}, of_pairs = {0};
    bool few = false, pairs = false, on_end = false, timed;

    snprintf(what, sizeof what, "what each treatment changes (%s)", better(look));
    put_head(out, r, what);
    timed = sl_table_int(sl_result_find(r, "about"), SL_ABOUT_TIMED);
    fprintf(out, "%-*s %9s  %-23s %s\n", NAME, "all runs with - without", "change", "95 % interval", "with : without");
    while (sl_table_next(t, NULL) > 0) {
        sl_show_name(out, NAME, sl_table_text_or_empty(t, SL_MEANS_TREATMENT));
        fprintf(out, " %9s  %-20s%-3s %lld : %lld\n", digits(real(t, SL_MEANS_DIFFERENCE), true, a),
                interval(real(t, SL_MEANS_DIFFERENCE_LOWER), real(t, SL_MEANS_DIFFERENCE_UPPER), b),
                count_mark(&marks, real(t, SL_MEANS_DIFFERENCE_P_HOLM), real(t, SL_MEANS_DIFFERENCE_P_BH)),
                (long long)sl_table_int(t, SL_MEANS_RUNS_WITH), (long long)sl_table_int(t, SL_MEANS_RUNS_WITHOUT));
    }
    fprintf(out, "\n%-*s %9s  %-23s %s\n", NAME, "pairs alike in all else", "change", "95 % interval", "pairs");
    for (sl_table_rewind(t); sl_table_next(t, NULL) > 0;) {
        few |= lacks(t, "few");
        pairs |= lacks(t, "few pairs");
        on_end |= lacks(t, "on end");
        sl_show_name(out, NAME, sl_table_text_or_empty(t, SL_MEANS_TREATMENT));
        fprintf(out, " %9s  %-20s%-3s %lld\n", digits(real(t, SL_MEANS_DELTA), true, a),
                interval(real(t, SL_MEANS_LOWER), real(t, SL_MEANS_UPPER), b),
                count_mark(&of_pairs, real(t, SL_MEANS_P_HOLM), real(t, SL_MEANS_P_BH)),
                (long long)sl_table_int(t, SL_MEANS_PAIRS));
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
    while (sl_table_next(t, NULL) > 0) {
        sl_show_name(out, NAME, sl_table_text_or_empty(t, SL_BOTH_TREATMENT));
        fprintf(out, " %8s %8s | %8s %6lld %8s %6lld\n", digits(real(t, SL_BOTH_DIFFERENCE), true, a),
                digits(real(t, SL_BOTH_VS_DIFFERENCE), true, b), digits(real(t, SL_BOTH_DELTA), true, c),
                (long long)sl_table_int(t, SL_BOTH_PAIRS), digits(real(t, SL_BOTH_VS), true, d),
                (long long)sl_table_int(t, SL_BOTH_VS_PAIRS));
    }
}

/* ---- models ---- */

static void put_term(FILE *out, const struct sl_table *t, bool log, int width, struct marks *marks)
{
    char a[NUMBER], b[2 * NUMBER], c[NUMBER];
    const char *name = sl_table_text_or_empty(t, SL_MODEL_TERM), *follows = sl_table_text(t, SL_MODEL_FOLLOWS, NULL);

    if (follows) {
        sl_show_name(out, width, name);
        fprintf(out, " cannot be told: it is %s\n", follows);
        return;
    }
    if (!strcmp(name, "(Intercept)") && log)
        digits(exp(real(t, SL_MODEL_ESTIMATE)), false, a);
    else
        change(real(t, SL_MODEL_ESTIMATE), log, strcmp(name, "(Intercept)") != 0, a);
    if (!strcmp(name, "(Intercept)") && log) {
        char low[NUMBER], high[NUMBER];
        snprintf(b, sizeof b, "%s to %s", digits(exp(real(t, SL_MODEL_LOWER)), false, low),
                 digits(exp(real(t, SL_MODEL_UPPER)), false, high));
    } else {
        change_interval(real(t, SL_MODEL_LOWER), real(t, SL_MODEL_UPPER), log, b);
    }
    sl_show_name(out, width, name);
    fprintf(out, " %10s  %-22s %7s%s\n", a, b, p_text(real(t, SL_MODEL_P), c),
            count_mark(marks, real(t, SL_MODEL_P_HOLM), real(t, SL_MODEL_P_BH)));
}

struct by_p {
    double p;
    size_t row;
};

static int compare_p(const void *a, const void *b)
{
    const struct by_p *x = a, *y = b;
    return x->p < y->p ? -1 : x->p > y->p ? 1 : x->row < y->row ? -1 : x->row > y->row;
}

/* The p below which `most` rows lie; 2: all do. */
static double least_of(struct sl_table *t, int column, size_t most)
{
    struct by_p *v = sl_alloc(t->rows * sizeof *v + 1);
    double out = 2;
    size_t n = 0;

    for (sl_table_rewind(t); sl_table_next(t, NULL) > 0;)
        if (!sl_table_is_null(t, column))
            v[n] = (struct by_p){sl_table_real(t, column), n}, n++;
    qsort(v, n, sizeof *v, compare_p);
    if (n > most)
        out = v[most].p;
    free(v);
    sl_table_rewind(t);
    return out;
}

void sl_show_model(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    enum { WIDEST = 34 }; /* of LINE, for names */
    struct sl_table *t = sl_result_find(r, "model");
    char what[200], a[NUMBER], b[32];
    double least = look->all ? 2 : least_of(t, SL_MODEL_P, MANY);
    struct marks marks = {0};
    size_t left = 0;
    int width = NAME;
    int64_t censored;

    sl_table_next(t, NULL);
    if (!sl_table_is_null(t, SL_MODEL_ALPHA)) {
        sl_show_net(out, r, look);
        return;
    }
    censored = sl_table_int(t, SL_MODEL_CENSORED);
    sl_table_rewind(t);
    snprintf(what, sizeof what, "what changes, all else being equal, by %s (%s)",
             censored ? "a Tobit model" : "least squares", better(look));
    put_head_in(out, r, what, look->log ? "percent" : NULL);
    for (int pass = 0; pass < 2; pass++, sl_table_rewind(t)) {
        while (sl_table_next(t, NULL) > 0) {
            const char *name = sl_table_text_or_empty(t, SL_MODEL_TERM);
            bool shown = sl_table_is_null(t, SL_MODEL_P) || sl_table_real(t, SL_MODEL_P) < least;
            if (!pass && shown && sl_show_width(name) > width)
                width = sl_show_width(name) < WIDEST ? sl_show_width(name) : WIDEST;
            else if (pass && !shown)
                left++, marks.of++;
            else if (pass)
                put_term(out, t, look->log, width, &marks);
        }
        if (!pass)
            fprintf(out, "%-*s %10s  %-22s %7s\n", width, "term", "change", "95 % interval", "p");
    }
    if (left)
        fprintf(out, "and %zu more that are less sure; --all shows them\n", left);
    fputc('\n', out);
    put_marks(out, &marks);
    sl_table_next(t, NULL);
    if (censored)
        fprintf(out, "%s failed run%s count%s as %s %s or worse", sl_show_count((unsigned long long)censored, b),
                censored == 1 ? "" : "s", censored == 1 ? "s" : "", digits(real(t, SL_MODEL_LIMIT), false, a),
                unit_of(r));
    else
        put_explained(out, t);
    fprintf(out, " (%s runs)", sl_show_count((unsigned long long)sl_table_int(t, SL_MODEL_RUNS), b));
    if (censored || !sl_table_is_null(t, SL_MODEL_R_SQUARED))
        fprintf(out, ";\nwhat is left has a standard deviation of %s",
                look->log ? change(real(t, SL_MODEL_RESIDUAL_STDDEV), true, false, a)
                          : digits(real(t, SL_MODEL_RESIDUAL_STDDEV), false, a));
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
    while (sl_table_next(t, NULL) > 0) {
        sl_show_name(out, NAME - 4, sl_table_text_or_empty(t, SL_BESIDE_TREATMENT));
        fprintf(out, " %8s %-19s | %8s | %8s %lld\n", digits(real(t, SL_BESIDE_MODEL), true, a),
                interval(real(t, SL_BESIDE_MODEL_LOWER), real(t, SL_BESIDE_MODEL_UPPER), b),
                digits(real(t, SL_BESIDE_DIFFERENCE), true, c), digits(real(t, SL_BESIDE_DELTA), true, d),
                (long long)sl_table_int(t, SL_BESIDE_PAIRS));
    }
}

/* How sure it is that two treatments do something together: its p; by an elastic net, how small it is. */
static double rank_tile(const struct sl_table *t, bool net)
{
    if (net)
        return -fabs(real(t, SL_TILES_ESTIMATE));
    return sl_table_is_null(t, SL_TILES_P) ? 2 : sl_table_real(t, SL_TILES_P);
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
    struct by_p *v = sl_alloc(t->rows * sizeof *v + 1);
    char a[NUMBER], b[2 * NUMBER];
    struct marks marks = {0};
    size_t n = 0;
    bool net = true;

    while (sl_table_next(t, NULL) > 0)
        net &= sl_table_is_null(t, SL_TILES_LOWER) && !sl_table_is_null(t, SL_TILES_ESTIMATE);
    net &= t->rows > 0;
    sl_table_rewind(t);
    put_head_in(out, r,
                net ? "what two treatments change beyond what each does, by an elastic net"
                    : "what two treatments change beyond what each does alone",
                look->log ? "percent" : NULL);
    for (size_t row = 0; sl_table_next(t, NULL) > 0; row++) { /* the other of two is the same, the other way round */
        if (row % 2 || (net && !look->all && real(t, SL_TILES_ESTIMATE) == 0))
            continue;
        v[n++] = (struct by_p){rank_tile(t, net), row};
        count_mark(&marks, real(t, SL_TILES_P_HOLM), real(t, SL_TILES_P_BH));
    }
    qsort(v, n, sizeof *v, compare_p);
    fprintf(out, "%-*s %-*s %8s%s\n", TILE, "treatment", TILE, "and", "change", net ? "" : "  95 % interval");
    for (size_t i = 0; i < n && (look->all || i < PAIRS); i++) {
        t->at = v[i].row;
        sl_table_next(t, NULL);
        put_pair(out, sl_table_text_or_empty(t, SL_TILES_TREATMENT), sl_table_text_or_empty(t, SL_TILES_OTHER));
        fprintf(out, " %8s%s%s%s\n",
                sl_table_is_null(t, SL_TILES_ESTIMATE) ? "?" : change(real(t, SL_TILES_ESTIMATE), look->log, true, a),
                sl_table_is_null(t, SL_TILES_LOWER) ? "" : "  ",
                change_interval(real(t, SL_TILES_LOWER), real(t, SL_TILES_UPPER), look->log, b),
                mark(real(t, SL_TILES_P_HOLM), real(t, SL_TILES_P_BH)));
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
    if (n && v[n - 1].p > 1)
        fputs("? no runs tell it, or it is the same as others\n", out);
    free(v);
}

struct miss {
    double ratio;
    size_t row;
};

static int compare_miss(const void *a, const void *b)
{
    const struct miss *x = a, *y = b;
    return x->ratio > y->ratio ? -1 : x->ratio < y->ratio ? 1 : x->row < y->row ? -1 : x->row > y->row;
}

void sl_show_fit(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "fit");
    struct miss *v = sl_alloc(t->rows * sizeof *v + 1);
    char a[NUMBER], b[NUMBER], c[NUMBER];
    size_t n = 0;

    (void)look;
    put_head(out, r, "what the model says of each run, and what was measured");
    while (sl_table_next(t, NULL) > 0)
        v[n] = (struct miss){fabs(real(t, 4)), n}, n++;
    qsort(v, n, sizeof *v, compare_miss);
    if (n)
        fprintf(out, "half of the runs are off by less than %s; the furthest off:\n\n",
                digits(v[n / 2].ratio, false, a));
    fprintf(out, "%10s %10s %10s  %s\n", "measured", "fitted", "off by", "run");
    for (size_t i = 0; i < n && i < (look->all ? n : 10); i++) {
        sl_table_rewind(t);
        t->at = v[i].row;
        sl_table_next(t, NULL);
        fprintf(out, "%10s %10s %10s  spanloom show span %lld\n", digits(real(t, 2), false, a),
                digits(real(t, 3), false, b), digits(real(t, 4), true, c), (long long)sl_table_int(t, 0));
    }
    free(v);
}

/* ---- sequences ---- */

/* A treatment of which nothing can be told; false: it is none. */
static bool put_left_out(FILE *out, const struct sl_table *t, int name, int follows)
{
    if (sl_table_is_null(t, follows))
        return false;
    sl_show_name(out, NAME, sl_table_text_or_empty(t, name));
    fprintf(out, " cannot be told: it is %s\n", sl_table_text_or_empty(t, follows));
    return true;
}

void sl_show_sequence(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "sequence");
    double most = sl_show_most(t, "after");
    bool pairs, net, any = false;
    char what[200], a[NUMBER], b[NUMBER], c[NUMBER], bar[4 * BAR + 4];

    sl_table_next(t, NULL);
    pairs = sl_table_int(t, SL_SEQUENCE_PAIRS);
    net = !strcmp(sl_table_text_or_empty(t, SL_SEQUENCE_METHOD), "elastic net");
    sl_table_rewind(t);
    snprintf(what, sizeof what, "one after the other, by %s %s (%s)", net ? "an elastic net" : "a model",
             pairs ? "with pairs" : "without pairs", better(look));
    put_head(out, r, what);
    fprintf(out, "%-*s %9s  %8s  %-*s  %s\n", NAME, "treatment", "change", "then", BAR, "", "measured (runs)");
    while (sl_table_next(t, NULL) > 0) {
        bool first = sl_table_is_null(t, SL_SEQUENCE_TREATMENT);
        if (put_left_out(out, t, SL_SEQUENCE_TREATMENT, SL_SEQUENCE_FOLLOWS))
            continue;
        bool unsure = !first && !net && !(sl_table_real(t, SL_SEQUENCE_P) < 0.05);
        sl_show_bar(real(t, SL_SEQUENCE_AFTER) / most, BAR, bar);
        any |= unsure;
        sl_show_name(out, NAME, first ? "(none)" : sl_table_text_or_empty(t, SL_SEQUENCE_TREATMENT));
        fprintf(out, " %9s%s %8s  %s", first ? "" : digits(real(t, SL_SEQUENCE_DELTA), true, a), unsure ? "?" : " ",
                digits(real(t, SL_SEQUENCE_AFTER), false, b), bar);
        if (sl_table_int(t, SL_SEQUENCE_RUNS))
            fprintf(out, "%*s  %s (%lld)", BAR - sl_show_width(bar), "",
                    digits(real(t, SL_SEQUENCE_MEASURED), false, c), (long long)sl_table_int(t, SL_SEQUENCE_RUNS));
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
    while (sl_table_next(t, NULL) > 0)
        if (!put_left_out(out, t, 0, 4)) {
            sl_show_name(out, NAME - 2, sl_table_text_or_empty(t, 0));
            fprintf(out, " %8s  %-19s  %s\n", digits(real(t, 1), true, a), interval(real(t, 5), real(t, 6), c),
                    interval(real(t, 2), real(t, 3), b));
        }
}

void sl_show_components(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "pca"), *l = sl_result_find(r, "loadings");
    char bar[4 * 30 + 4];

    put_head(out, r, "what 500 random orders of all treatments have in common");
    fprintf(out, "%9s %9s %9s\n", "component", "variance", "together");
    while (sl_table_next(t, NULL) > 0) {
        if (sl_table_int(t, 0) > 10 && !look->all)
            continue;
        fprintf(out, "%9lld %7.1f %% %7.1f %%  %s\n", (long long)sl_table_int(t, 0), 100 * real(t, 2), 100 * real(t, 3),
                sl_show_bar(real(t, 2), 30, bar));
    }
    for (int k = 1; k <= 2; k++) {
        fprintf(out, "\ncomponent %d is mostly:\n", k);
        for (sl_table_rewind(l); sl_table_next(l, NULL) > 0;)
            if (sl_table_int(l, 0) == k && fabs(real(l, 2)) >= 0.2)
                fprintf(out, "  %+.2f ", real(l, 2)), sl_show_name(out, 0, sl_table_text_or_empty(l, 1));
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

void sl_show_strip(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "deltas");
    struct strip s = {0};

    put_head(out, r, "runs before and after a treatment, alike in all else");
    if (!t->rows)
        fputs("No two runs differ in one factor alone. Models need no such pairs:\nspanloom experiment model\n", out);
    else
        put_strip_head(out, "treatment");
    while (sl_table_next(t, NULL) > 0) {
        const char *name = sl_table_text_or_empty(t, SL_DELTAS_TREATMENT);
        if (s.n && strcmp(s.name, name) != 0) {
            put_strip(out, &s);
            s = (struct strip){0};
        }
        s.name = name;
        take_delta(&s, real(t, SL_DELTAS_DELTA), real(t, SL_DELTAS_LOG2), look->rate);
    }
    if (s.n)
        put_strip(out, &s);
}

struct delta {
    double far;
    size_t row;
};

static int by_far(const void *a, const void *b)
{
    const struct delta *x = a, *y = b;
    return x->far > y->far ? -1 : x->far < y->far ? 1 : x->row < y->row ? -1 : x->row > y->row;
}

void sl_show_deltas(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "deltas");
    struct delta *v = sl_alloc(t->rows * sizeof *v + 1);
    size_t n = 0, shown;
    char a[NUMBER], b[NUMBER], c[NUMBER], d[NUMBER];

    put_head(out, r, "runs before and after a treatment, alike in all else");
    for (; sl_table_next(t, NULL) > 0; n++) {
        double times = fabs(real(t, SL_DELTAS_LOG2));
        v[n] = (struct delta){isnan(times) ? 0 : times, n};
    }
    if (!look->all && n)
        qsort(v, n, sizeof *v, by_far);
    shown = look->all || n < PAIRS ? n : PAIRS;
    if (!n)
        fputs("No two runs differ in one factor alone. Models need no such pairs:\nspanloom experiment model\n", out);
    else
        fprintf(out, "%-*s %9s %9s %9s %7s  %s\n", NAME, "treatment", "before", "after", "change", "times", "runs");
    for (size_t i = 0; i < shown; i++) {
        t->at = v[i].row;
        sl_table_next(t, NULL);
        sl_show_name(out, NAME, sl_table_text_or_empty(t, SL_DELTAS_TREATMENT));
        fprintf(out, " %9s %9s %9s %7s  %lld %lld\n", digits(real(t, SL_DELTAS_BEFORE), false, a),
                digits(real(t, SL_DELTAS_AFTER), false, b), digits(real(t, SL_DELTAS_DELTA), true, c),
                digits(exp2(real(t, SL_DELTAS_LOG2)), false, d), (long long)sl_table_int(t, SL_DELTAS_BEFORE_RUN),
                (long long)sl_table_int(t, SL_DELTAS_AFTER_RUN));
    }
    if (n > shown)
        fprintf(out, "and %s that are nearer to no change; --all shows them\n",
                sl_show_count((unsigned long long)(n - shown), a));
    if (n)
        fputs("\nruns are spans, before and after: spanloom show span NUMBER\n", out);
    free(v);
}

void sl_show_scatter(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *t = sl_result_find(r, "scatter");
    SL_VEC(struct strip) colour = {0};
    char what[200];

    snprintf(what, sizeof what, "runs before and after %.100s, alike in all else", look->vs);
    put_head(out, r, what);
    while (sl_table_next(t, NULL) > 0) {
        const char *name = sl_table_text(t, 4, NULL);
        size_t i = 0;
        while (i < colour.n && strcmp(colour.v[i].name, name ? name : "(all)") != 0)
            i++;
        if (i == colour.n)
            sl_vec_add(&colour)->name = name ? name : "(all)";
        take_delta(&colour.v[i], real(t, 2), real(t, 3), look->rate);
    }
    if (!t->rows)
        fputs("No two runs differ in this factor alone. Models need no such pairs:\nspanloom experiment model\n", out);
    else
        put_strip_head(out, look->by ? look->by : "");
    for (size_t i = 0; i < colour.n; i++)
        put_strip(out, &colour.v[i]);
    sl_vec_free(&colour);
}

/* "0: 121, 1: 72"; of many levels how many there are, and between which. */
static void add_levels(struct sl_buf *b, struct sl_table *f, int64_t levels)
{
    const char *first = sl_table_text_or_empty(f, 3);

    if (levels <= LEVELS) {
        sl_buf_addf(b, "%s: %lld", first, (long long)sl_table_int(f, 4));
        return;
    }
    sl_buf_addf(b, "%lld levels, %s to ", (long long)levels, first);
    for (int64_t k = 1; k < levels; k++)
        sl_table_next(f, NULL);
    sl_buf_adds(b, sl_table_text_or_empty(f, 3));
}

void sl_show_factors(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    struct sl_table *f = sl_result_find(r, "factors");
    const char *last = "";
    struct sl_buf b = {0}, clean = {0};
    int at = 0;

    (void)look;
    put_head(out, r, "how many runs have which level of a factor; scores are in");
    for (sl_table_rewind(f); sl_table_next(f, NULL) > 0;) {
        const char *name = sl_table_text_or_empty(f, 0);
        bool same = !strcmp(name, last);
        if (!same) {
            fputs(*last ? "\n" : "", out);
            sl_show_name(out, NAME, name);
            fprintf(out, " %-12s", sl_table_text_or_empty(f, 1));
            at = NAME + 13;
        }
        sl_buf_clear(&b);
        sl_buf_clear(&clean);
        add_levels(&b, f, sl_table_int(f, 2));
        sl_show_clean(&clean, b.s, b.n);
        if (same)
            fputc(',', out);
        if (same && at + 2 + sl_show_width(clean.s) >= LINE) {
            fprintf(out, "\n%*s", NAME + 13, "");
            at = NAME + 13;
        }
        fprintf(out, " %s", clean.s);
        at += 2 + sl_show_width(clean.s);
        last = name;
    }
    fputc('\n', out);
    sl_buf_free(&b);
    sl_buf_free(&clean);
}
