/* SPDX-License-Identifier: Apache-2.0 */
/* What an experiment says, question by question, from plain means to principal components. */
#include "plot/plot.h"
#include "report/experiment_page_internal.h"
#include "report/html_text.h"

#include <stdio.h>
#include <stdlib.h>

enum { CLOSER = 2, PAIRS_LEAST = 3, LISTED = 8, FOLDED = 40 };

void experiment_put(struct report *r, const char *text)
{
    sl_html_add(r->out, "<p>%</p>\n", text, NULL);
}

/* ---- what was measured ---- */

/* The rows of a factor, a row a level, from its first. */
static void put_factor(struct report *r, const struct sl_level_row *f)
{
    int64_t rows = f->levels ? f->levels : 1;
    bool range = !strcmp(f->kind, "numeric") && f->levels > LISTED;
    char n[SL_SHOW_NUMBER];

    sl_html_add(r->out, "<tr><td>&</td><td>%</td><td>", f->factor,
                !strcmp(f->kind, "identity") ? "a name of runs" : f->kind, NULL);
    for (int64_t i = 0; i < f->levels && i < LISTED && !range; i++)
        sl_html_add(r->out, "%&: %", i ? ", " : "", f[i].level, count_text((size_t)f[i].runs, n), NULL);
    if (range)
        sl_html_add(r->out, "% to %, % levels", f->level, f[rows - 1].level, count_text((size_t)rows, n), NULL);
    else if (f->levels > LISTED)
        sl_html_add(r->out, " and % more", count_text((size_t)f->levels - LISTED, n), NULL);
    if (f->unknown)
        sl_html_add(r->out, "%not known: %", f->levels ? "; " : "", count_text((size_t)f->unknown, n), NULL);
    if (f->joined)
        sl_html_add(r->out, "; it joined later: the % runs before it count as without",
                    count_text((size_t)f->joined, n), NULL);
    sl_buf_adds(r->out, "</td></tr>\n");
}

/* How many rows the factor has whose first row is i. */
static size_t levels_of(const struct report *r, size_t i)
{
    const struct sl_level_row *f = sl_table_at(r->factors, i);
    return f->levels ? (size_t)f->levels : 1;
}

static bool put_runs(struct report *r)
{
    size_t factors = 0;
    char n[SL_SHOW_NUMBER];

    for (size_t i = 0; i < r->factors->rows; i += levels_of(r, i))
        factors++;
    experiment_put(
        r, "The factors, and how many runs had which level of each. A treatment is a level other than the first; of "
           "nothing that never varies, or is another in every run, can anything be said.");
    if (r->run->incomplete)
        sl_html_add(r->out, "<p>Of % runs the level of some factor is not known; models leave them out.</p>\n",
                    count_text((size_t)r->run->incomplete, n), NULL);
    sl_buf_adds(r->out, factors > FOLDED ? "<details><summary>all of them</summary>" : "");
    sl_buf_adds(r->out, "<div class=\"table\"><table><thead><tr><th>factor</th><th>kind</th>"
                        "<th>level: runs</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < r->factors->rows; i += levels_of(r, i))
        put_factor(r, sl_table_at(r->factors, i));
    sl_buf_adds(r->out, "</tbody></table></div>\n");
    sl_buf_adds(r->out, factors > FOLDED ? "</details>\n" : "");
    return true;
}

/* ---- means ---- */

static bool has_pairs(struct report *r)
{
    return r->pairs > 0;
}

static bool put_means(struct report *r)
{
    char n[SL_SHOW_NUMBER];

    sl_html_add(
        r->out,
        "<p>The simplest question: of all pairs of runs that differ in this treatment alone, what did it change, on "
        "average? There % % such pair%. A bar says nothing of where it was measured: see the next picture.</p>\n",
        r->pairs == 1 ? "is" : "are", count_text(r->pairs, n), r->pairs == 1 ? "" : "s", NULL);
    experiment_figure(r, "experiment-means", "", NULL, "means");
    return true;
}

/* ---- the strongest, pair by pair ---- */

/* Do its pairs have several levels of that factor? */
static bool tells_apart(struct report *r, const struct effect *e, const char *partner)
{
    struct sl_question q = *r->question;
    struct sl_result of;
    struct sl_err err = {0};
    struct sl_table *t;
    const char *first = NULL;
    bool several = false;

    q.of = e->factor;
    q.by = partner;
    t = experiment_ask_of(r, &of, &sl_experiment_scatter, &q, &err);
    for (const struct sl_scatter_row *x; t && !several && (x = sl_table_row(t, NULL));) {
        const char *level = x->colour ? x->colour : "";
        several = first && strcmp(first, level) != 0;
        first = level;
    }
    sl_result_free(&of);
    return several;
}

struct partner {
    const char *factor;
    double p;
};

static int by_p(const void *a, const void *b)
{
    const struct partner *x = a, *y = b;
    return x->p < y->p ? -1 : x->p > y->p;
}

/* The factor with which it interacts most surely, of those that vary among its pairs; NULL: there is none. */
static const char *partner_of(struct report *r, const struct effect *e, const struct sl_table *tiles)
{
    SL_VEC(struct partner) all = {0};
    const char *best = NULL;

    for (size_t i = 0; i < tiles->rows; i++) {
        const struct sl_tile *x = sl_table_at(tiles, i);
        if (strcmp(x->treatment, e->term) != 0 || isnan(x->p))
            continue;
        for (size_t k = 0; k < r->effect.n; k++)
            if (!strcmp(r->effect.v[k].term, x->other) && r->effect.v[k].factor)
                *sl_vec_add(&all) = (struct partner){r->effect.v[k].factor, x->p};
    }
    if (all.n)
        qsort(all.v, all.n, sizeof *all.v, by_p);
    for (size_t i = 0; i < all.n && i < LISTED && !best; i++)
        best = tells_apart(r, e, all.v[i].factor) ? all.v[i].factor : NULL;
    sl_vec_free(&all);
    return best;
}

static void put_one(struct report *r, const struct effect *e, const char *partner)
{
    const struct value more[] = {{"treatment", e->factor}, {"colour", partner}, {NULL, NULL}};
    struct sl_buf command = {0};
    char a[SL_SHOW_NUMBER], b[SL_SHOW_NUMBER], c[SL_SHOW_NUMBER];

    sl_html_add(r->out, "<p>With & the score got better in % of % pairs, and worse in %.", e->name,
                count_text(e->improved, a), count_text(e->pairs, b), count_text(e->worsened, c), NULL);
    if (partner)
        sl_html_add(r->out, " Colours are levels of &: what the treatment does may depend on it.", partner, NULL);
    sl_buf_adds(r->out, "</p>\n");
    sl_buf_adds(&command, "scatter");
    experiment_word(&command, e->factor);
    sl_buf_adds(&command, partner ? " --colour" : "");
    if (partner)
        experiment_word(&command, partner);
    sl_buf_adds(&command, r->log ? " --log" : "");
    experiment_figure(r, "experiment-scatter", r->log ? "log" : "", more, command.s);
    sl_buf_free(&command);
}

static bool put_closer(struct report *r)
{
    struct sl_result of;
    struct sl_err err = {0};
    struct sl_table *tiles = experiment_ask(r, &of, &sl_experiment_tiles, r->log, false, &err);
    size_t n = 0;

    experiment_put(
        r, "A mean can hide that a treatment does much in some runs and nothing in others. Here each point is a pair "
           "of runs: below the dashed "
           "line the one with the treatment has the lower score, on it nothing changed.");
    for (size_t i = 0; i < r->effect.n && n < CLOSER; i++) {
        const struct effect *e = &r->effect.v[i];
        if (e->pairs < PAIRS_LEAST || !e->factor)
            continue;
        put_one(r, e, tiles ? partner_of(r, e, tiles) : NULL);
        n++;
    }
    if (!n)
        experiment_put(r, "No treatment has three such pairs. Models, below, need none.");
    sl_result_free(&of);
    return true;
}

/* ---- without the strongest ---- */

/* "a = 0 AND \"b c\" = 'no'": of up to two treatments that matter; 0: of none. */
static size_t without(struct report *r, struct sl_buf *where, const struct effect **of)
{
    size_t n = 0;

    for (size_t i = 0; i < r->effect.n && n < CLOSER; i++) {
        const struct effect *e = &r->effect.v[i];
        bool word, number;
        char *part, *end;
        if (e->sure > PROBABLE || !e->factor || !e->base || (n && of[0]->factor == e->factor))
            continue;
        word = e->factor[strspn(e->factor, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] == 0 &&
               (*e->factor < '0' || *e->factor > '9');
        number = *e->base && e->base[strspn(e->base, "0123456789")] == 0 && strtod(e->base, &end) < 1e9 &&
                 (*e->base != '0' || !e->base[1]);
        part = sqlite3_mprintf(word ? "%s%s = " : "%s\"%w\" = ", n ? " AND " : "", e->factor);
        sl_buf_adds(where, part);
        sqlite3_free(part);
        part = sqlite3_mprintf(number ? "%s" : "%Q", e->base);
        sl_buf_adds(where, part);
        sqlite3_free(part);
        of[n++] = e;
    }
    return n;
}

static bool has_without(struct report *r)
{
    const struct effect *of[CLOSER];
    struct sl_buf where = {0};
    size_t n = without(r, &where, of);

    sl_buf_free(&where);
    return n && has_pairs(r);
}

static bool put_without(struct report *r)
{
    const struct effect *of[CLOSER];
    struct sl_buf where = {0}, command = {0};
    size_t n = without(r, &where, of);
    const struct value more[] = {{"vs", where.s}, {NULL, NULL}};

    sl_html_add(
        r->out,
        n > 1 ? "<p>What if neither & nor & were there? This is not the picture from above without these two bars: "
                "treatments change what others do.</p>\n"
              : "<p>What if & were not there? This is not the picture from above without this bar: treatments "
                "change what others do.</p>\n",
        of[0]->name, n > 1 ? of[1]->name : NULL, NULL);
    sl_buf_adds(&command, "means --vs");
    experiment_word(&command, where.s);
    experiment_figure(r, "experiment-vs", "", more, command.s);
    sl_buf_free(&command);
    sl_buf_free(&where);
    return true;
}

/* ---- where ---- */

static bool put_strip(struct report *r)
{
    experiment_put(
        r, "A treatment may help slow runs and hinder fast ones. Each stroke is a pair of runs, at the score of the "
           "run before; blue got better, orange worse.");
    experiment_figure(r, "experiment-strip", "", NULL, "deltas");
    return true;
}

/* ---- the experiment itself ---- */

static bool has_failures(struct report *r)
{
    return r->run->failed > 0;
}

bool experiment_fails(struct report *r)
{
    struct sl_result of;
    struct sl_err err = {0};
    struct sl_table *t = experiment_ask(r, &of, &sl_experiment_failures, false, false, &err);
    char a[SL_SHOW_NUMBER], b[SL_SHOW_NUMBER], c[SL_SHOW_NUMBER], d[SL_SHOW_NUMBER];
    size_t n = 0;
    bool more;

    for (const struct sl_failure *x; t && (x = sl_table_row(t, NULL));) {
        if (!(x->p_holm < 0.05))
            continue;
        more = x->difference > 0;
        sl_html_add(r->out,
                    n ? "; % with &: % of %, % of % without it" : "<p>% runs fail with &: % of %, % of % without it",
                    n      ? more ? "more" : "fewer"
                    : more ? "More"
                           : "Fewer",
                    x->treatment, count_text((size_t)x->failed_with, a), count_text((size_t)x->runs_with, b),
                    count_text((size_t)x->failed_without, c), count_text((size_t)x->runs_without, d), NULL);
        n++;
    }
    if (n)
        sl_buf_adds(r->out, ". That is sure; failed runs have no score, so what makes runs fail looks better than it "
                            "is.</p>\n");
    sl_result_free(&of);
    return n > 0;
}

static bool put_failures(struct report *r)
{
    experiment_put(
        r, "Runs that failed have no score, and are in none of the above. A treatment that makes runs fail looks "
           "better than it is.");
    if (!experiment_fails(r))
        experiment_put(r, "Of no treatment it is sure that it makes more or fewer runs fail.");
    experiment_figure(r, "experiment-failures", "", NULL, "failures");
    return true;
}

/* ---- time ---- */

static bool has_model(struct report *r)
{
    return r->model;
}

static bool has_least_squares(struct report *r)
{
    return r->model && r->least_squares;
}

static bool has_time(struct report *r)
{
    return r->model && r->run->timed > 0;
}

static bool put_drift(struct report *r)
{
    experiment_put(
        r, "Machines change: other people's jobs, an update, heat. What the model without time leaves of each run "
           "would show it, either slowly or from one run to the next. Treatments that were tried on one side of a "
           "change alone would have its effect, too.");
    if (!experiment_changes(r))
        experiment_put(r, "No change is sure, neither slow nor sudden.");
    experiment_figure(r, "experiment-drift", "", NULL, "drift");
    return true;
}

static bool put_enough(struct report *r)
{
    experiment_put(
        r, "What the same model would have said of the first runs, ever more of them. Where a band has left the line "
           "of no effect, fewer runs would have done; where it has not, more may tell, but four times the runs make "
           "an interval half as wide, not a quarter. Who stops as soon as something looks sure is wrong more often "
           "than one of twenty times.");
    experiment_figure(r, "experiment-enough", r->log ? "log" : "", NULL, r->log ? "enough --log" : "enough");
    return true;
}

/* ---- logs ---- */

struct part {
    const char *term, *part;
    double estimate, lower, upper;
};

static int by_estimate(const void *a, const void *b)
{
    double x = fabs(((const struct part *)a)->estimate), y = fabs(((const struct part *)b)->estimate);
    return x > y ? -1 : x < y;
}

size_t experiment_parts(struct report *r, size_t most)
{
    struct sl_result of;
    struct sl_err err = {0};
    struct sl_table *t = experiment_ask(r, &of, &sl_experiment_parts, false, false, &err);
    SL_VEC(struct part) part = {0};
    char a[SL_SHOW_NUMBER], b[2 * SL_SHOW_NUMBER];
    size_t n;

    for (const struct sl_part_row *x; t && (x = sl_table_row(t, NULL));)
        if (!strcmp(x->kind, "path") && x->part && x->p_holm < 0.05)
            *sl_vec_add(&part) = (struct part){x->term, x->part, x->estimate, x->lower, x->upper};
    if (part.n)
        qsort(part.v, part.n, sizeof *part.v, by_estimate);
    n = part.n < most ? part.n : most;
    sl_buf_adds(r->out, n ? "<p>The logs of the runs tell where:</p>\n<ul>\n" : "");
    for (size_t i = 0; i < n; i++)
        sl_html_add(r->out, "<li>& makes runs % s % (% to % with 95 %% confidence): %</li>\n", part.v[i].term,
                    sl_show_number(fabs(part.v[i].estimate), false, a), part.v[i].estimate > 0 ? "longer" : "shorter",
                    sl_show_number(part.v[i].lower, true, b), sl_show_number(part.v[i].upper, true, b + SL_SHOW_NUMBER),
                    part.v[i].part, NULL);
    sl_buf_adds(r->out, n ? "</ul>\n" : "");
    sl_vec_free(&part);
    sl_result_free(&of);
    return n;
}

static bool put_parts(struct report *r)
{
    struct sl_result of;
    struct sl_err err = {0};

    if (!experiment_ask(r, &of, &sl_experiment_parts, false, false, &err)) {
        experiment_cannot(r, err.text);
        return true;
    }
    sl_result_free(&of);
    experiment_put(
        r, "These runs have logs. By how much does each treatment make the parts of the critical path longer, in "
           "seconds of a run? All parts of a treatment add up to its effect on the whole.");
    if (!experiment_parts(r, LISTED))
        experiment_put(r, "Of no part this is sure, as all parts of all treatments were compared.");
    experiment_figure(r, "experiment-parts", "", NULL, "parts");
    return true;
}

/* ---- words ---- */

static bool put_words(struct report *r)
{
    static const char *const words[][2] = {
        {"treatment", "A level of a factor other than its first: of a factor of 0 and 1 it is 1."},
        {"95 % interval",
         "Made for each of a hundred such experiments, ninety-five of these intervals hold the truth."},
        {"sure", "So far from no effect that even among all that were compared there is one chance in twenty that any "
                 "of those called sure does nothing (Holm, 1979)."},
        {"likely",
         "Of all that are called likely or sure, one in twenty may do nothing (Benjamini and Hochberg, 1995)."},
        {"may be chance",
         "The runs do not tell this from no effect. It need not be none: the interval says what it can be."},
        {"change of the score, %", "By a model of the logarithm: +100 % is twice the score, -50 % half of it."},
    };

    sl_buf_adds(r->out, "<dl>\n");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        sl_html_add(r->out, "<dt>%</dt><dd>%</dd>\n", words[i][0], words[i][1], NULL);
    sl_buf_adds(r->out, "</dl>\n");
    experiment_put(
        r, "Below each picture stands the command that draws it. Without -o a command prints a table, with --format "
           "csv all digits: see spanloom-experiment(1).");
    return true;
}

static bool has_logs(struct report *r)
{
    struct sl_result of;
    struct sl_err err = {0};
    bool any = experiment_ask(r, &of, &sl_experiment_logs, false, false, &err) != NULL;

    sl_result_free(&of);
    return any;
}

const struct section experiment_sections[] = {
    {"runs", "What was measured", NULL, put_runs},
    {"means", "On average", has_pairs, put_means},
    {"closer", "Pair by pair", has_pairs, put_closer},
    {"without", "Without the strongest", has_without, put_without},
    {"scales", "Cost or rate", has_model, experiment_scales},
    {"order", "Order matters", has_model, experiment_orders},
    {"where", "Where it helps, where it hinders", has_pairs, put_strip},
    {"model", "All at once: a model", has_model, experiment_models},
    {"pairs", "Two at a time", has_model, experiment_pairs_of_treatments},
    {"components", "How many directions", has_model, experiment_components},
    {"variance", "What makes runs differ", has_model, experiment_variance},
    {"failures", "What makes runs fail", has_failures, put_failures},
    {"drift", "Did the machine stay the same", has_time, put_drift},
    {"enough", "How many runs are enough", has_least_squares, put_enough},
    {"parts", "Where in the run", has_logs, put_parts},
    {"words", "Words", NULL, put_words},
    {NULL, NULL, NULL, NULL},
};
