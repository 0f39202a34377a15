/* SPDX-License-Identifier: Apache-2.0 */
/* What an experiment says, question by question, from plain means to principal components. */
#include "plot/plot.h"
#include "report/experiment_internal.h"
#include "report/html.h"

#include <stdio.h>
#include <stdlib.h>

enum { CLOSER = 2, PAIRS_LEAST = 3, LISTED = 8, FOLDED = 40 };

void experiment_put(struct report *r, const char *text)
{
    sl_html_add(r->out, "<p>%</p>\n", text, NULL);
}

/* ---- what was measured ---- */

/* The rows of a factor, a row a level, of which the first is read already. */
static void put_factor(struct report *r, struct sl_table *f)
{
    const char *name = sl_table_text_or_empty(f, 0), *kind = sl_table_text_or_empty(f, 1);
    int64_t levels = sl_table_int(f, 2), unknown = sl_table_int(f, 6), joined = sl_table_int(f, 5);
    bool range = !strcmp(kind, "numeric") && levels > LISTED;
    const char *first = sl_table_text_or_empty(f, 3);
    char n[SL_SHOW_NUMBER];

    sl_html_add(r->out, "<tr><td>&</td><td>%</td><td>", name, !strcmp(kind, "identity") ? "a name of runs" : kind,
                NULL);
    for (int64_t i = 0; i < levels && (!i || sl_table_next(f, NULL) > 0); i++)
        if (i < LISTED && !range)
            sl_html_add(r->out, "%&: %", i ? ", " : "", sl_table_text_or_empty(f, 3),
                        count_text((size_t)sl_table_int(f, 4), n), NULL);
    if (range)
        sl_html_add(r->out, "% to %, % levels", first, sl_table_text_or_empty(f, 3), count_text((size_t)levels, n),
                    NULL);
    else if (levels > LISTED)
        sl_html_add(r->out, " and % more", count_text((size_t)levels - LISTED, n), NULL);
    if (unknown)
        sl_html_add(r->out, "%not known: %", levels ? "; " : "", count_text((size_t)unknown, n), NULL);
    if (joined)
        sl_html_add(r->out, "; it joined later: the % runs before it count as without", count_text((size_t)joined, n),
                    NULL);
    sl_buf_adds(r->out, "</td></tr>\n");
}

static bool put_runs(struct report *r)
{
    struct sl_table *f = r->factor;
    const char *last = NULL;
    size_t factors = 0;
    char n[SL_SHOW_NUMBER];

    for (sl_table_rewind(f); sl_table_next(f, NULL) > 0; last = sl_table_text_or_empty(f, 0))
        factors += !last || strcmp(last, sl_table_text_or_empty(f, 0)) != 0;
    experiment_put(
        r, "The factors, and how many runs had which level of each. A treatment is a level other than the first; of "
           "nothing that never varies, or is another in every run, can anything be said.");
    if (sl_table_int(r->run, SL_ABOUT_INCOMPLETE))
        sl_html_add(r->out, "<p>Of % runs the level of some factor is not known; models leave them out.</p>\n",
                    count_text((size_t)sl_table_int(r->run, SL_ABOUT_INCOMPLETE), n), NULL);
    sl_buf_adds(r->out, factors > FOLDED ? "<details><summary>all of them</summary>" : "");
    sl_buf_adds(r->out, "<div class=\"table\"><table><thead><tr><th>factor</th><th>kind</th>"
                        "<th>level: runs</th></tr></thead><tbody>\n");
    for (sl_table_rewind(f); sl_table_next(f, NULL) > 0;)
        put_factor(r, f);
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
    struct sl_asked a = *r->asked;
    struct sl_result of;
    struct sl_err err = {0};
    struct sl_table *t;
    const char *first = NULL;
    bool several = false;

    a.of = e->factor;
    a.by = partner;
    t = experiment_ask_of(r, &of, SL_ANSWER_SCATTER, &a, &err);
    while (t && !several && sl_table_next(t, NULL) > 0) {
        const char *level = sl_table_text_or_empty(t, 4);
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
static const char *partner_of(struct report *r, const struct effect *e, struct sl_table *tiles)
{
    SL_VEC(struct partner) all = {0};
    const char *best = NULL;

    for (sl_table_rewind(tiles); sl_table_next(tiles, NULL) > 0;) {
        if (strcmp(sl_table_text_or_empty(tiles, SL_TILES_TREATMENT), e->term) != 0 ||
            sl_table_is_null(tiles, SL_TILES_P))
            continue;
        for (size_t i = 0; i < r->effect.n; i++)
            if (!strcmp(r->effect.v[i].term, sl_table_text_or_empty(tiles, SL_TILES_OTHER)) && r->effect.v[i].factor)
                *sl_vec_add(&all) = (struct partner){r->effect.v[i].factor, real(tiles, SL_TILES_P)};
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
    struct sl_table *tiles = experiment_ask(r, &of, SL_ANSWER_TILES, r->log, false, &err);
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
    experiment_figure(r, "experiment-strip", "", NULL, "strip");
    return true;
}

/* ---- the experiment itself ---- */

static bool has_failures(struct report *r)
{
    return sl_table_int(r->run, SL_ABOUT_FAILED) > 0;
}

bool experiment_fails(struct report *r)
{
    struct sl_result of;
    struct sl_err err = {0};
    struct sl_table *t = experiment_ask(r, &of, SL_ANSWER_FAILURES, false, false, &err);
    char a[SL_SHOW_NUMBER], b[SL_SHOW_NUMBER], c[SL_SHOW_NUMBER], d[SL_SHOW_NUMBER];
    size_t n = 0;
    bool more;

    while (t && sl_table_next(t, NULL) > 0) {
        if (!(real(t, SL_FAILURES_P_HOLM) < 0.05))
            continue;
        more = real(t, SL_FAILURES_DIFFERENCE) > 0;
        sl_html_add(r->out,
                    n ? "; % with &: % of %, % of % without it" : "<p>% runs fail with &: % of %, % of % without it",
                    n      ? more ? "more" : "fewer"
                    : more ? "More"
                           : "Fewer",
                    sl_table_text_or_empty(t, SL_FAILURES_TREATMENT),
                    count_text((size_t)sl_table_int(t, SL_FAILURES_FAILED_WITH), a),
                    count_text((size_t)sl_table_int(t, SL_FAILURES_RUNS_WITH), b),
                    count_text((size_t)sl_table_int(t, SL_FAILURES_FAILED_WITHOUT), c),
                    count_text((size_t)sl_table_int(t, SL_FAILURES_RUNS_WITHOUT), d), NULL);
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
    return r->model && sl_table_int(r->run, SL_ABOUT_TIMED) > 0;
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
    struct sl_table *t = experiment_ask(r, &of, SL_ANSWER_PARTS, false, false, &err);
    SL_VEC(struct part) part = {0};
    char a[SL_SHOW_NUMBER], b[2 * SL_SHOW_NUMBER];
    size_t n;

    while (t && sl_table_next(t, NULL) > 0)
        if (!strcmp(sl_table_text_or_empty(t, SL_PARTS_KIND), "path") && !sl_table_is_null(t, SL_PARTS_PART) &&
            real(t, SL_PARTS_P_HOLM) < 0.05)
            *sl_vec_add(&part) =
                (struct part){sl_table_text_or_empty(t, SL_PARTS_TERM), sl_table_text_or_empty(t, SL_PARTS_PART),
                              real(t, SL_PARTS_ESTIMATE), real(t, SL_PARTS_LOWER), real(t, SL_PARTS_UPPER)};
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

    if (!experiment_ask(r, &of, SL_ANSWER_PARTS, false, false, &err)) {
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
    bool any = experiment_ask(r, &of, SL_ANSWER_LOGS, false, false, &err) != NULL;

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
