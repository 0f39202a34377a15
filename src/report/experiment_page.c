/* SPDX-License-Identifier: Apache-2.0 */
#include "report/experiment_page.h"
#include "base/clock.h"
#include "plot/html.h"
#include "plot/plot.h"
#include "report/experiment_page_internal.h"
#include "report/html_text.h"
#include "show/experiment/experiment_tables.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    ROWS = 40,
    NAMED = 6,
    PARTS_FIRST = 3,
    WIDTH = 220,
    HEIGHT = 16,
    DAY = sizeof "2026-11-20" - 1,
    MINUTES = sizeof "2026-11-20T08:11" - 1
};

/* ---- questions ---- */

struct sl_table *experiment_ask_of(struct report *r, struct sl_result *of, const struct sl_experiment_fn *fn,
                                   const struct sl_question *q, struct sl_err *err)
{
    *of = (struct sl_result){0};
    if (sl_result_experiment(of, r->st, fn, q, err)) {
        sl_result_free(of);
        *of = (struct sl_result){0};
        return NULL;
    }
    return of->table.v[0];
}

struct sl_table *experiment_ask(struct report *r, struct sl_result *of, const struct sl_experiment_fn *fn, bool log,
                                bool interactions, struct sl_err *err)
{
    struct sl_question q = *r->question;

    q.log = log;
    q.interactions = interactions;
    return experiment_ask_of(r, of, fn, &q, err);
}

void experiment_cannot(struct report *r, const char *why)
{
    sl_html_add(r->out, "<p class=\"cannot\">This cannot be said: %.</p>\n", why, NULL);
}

/* ---- numbers ---- */

const char *experiment_change(const struct report *r, double estimate, char buf[2 * SL_SHOW_NUMBER])
{
    char a[SL_SHOW_NUMBER];
    double v = r->log ? 100 * expm1(estimate) : estimate;

    snprintf(buf, 2 * SL_SHOW_NUMBER, "%s%s", sl_show_number(fabs(v) < 1e-6 ? 0 : v, true, a),
             r->log && !isnan(v) ? " %" : "");
    return buf;
}

const char *experiment_change_interval(const struct report *r, double low, double high, char buf[4 * SL_SHOW_NUMBER])
{
    char a[2 * SL_SHOW_NUMBER], b[2 * SL_SHOW_NUMBER];

    if (isnan(low) || isnan(high))
        return strcpy(buf, "");
    snprintf(buf, 4 * SL_SHOW_NUMBER, "%s to %s", experiment_change(r, low, a), experiment_change(r, high, b));
    return buf;
}

/* ---- plots ---- */

void experiment_word(struct sl_buf *b, const char *s)
{
    sl_buf_addc(b, ' ');
    sl_buf_add_word(b, s);
}

/* "spanloom experiment model --log --where 'a = 0'" */
static void add_command(struct report *r, const char *command)
{
    const struct sl_question *q = r->question;
    struct sl_buf b = {0};

    sl_buf_addf(&b, "spanloom experiment %s", command);
    if (q->rate && !strstr(command, "--rate"))
        sl_buf_adds(&b, " --rate");
    if (q->where) {
        sl_buf_adds(&b, " --where");
        experiment_word(&b, q->where);
    }
    if (q->split) {
        sl_buf_adds(&b, " --split");
        experiment_word(&b, q->split);
    }
    if (q->experiment) {
        sl_buf_adds(&b, " --name");
        experiment_word(&b, q->experiment);
    }
    sl_html_add(r->out, "<code>%</code>", b.s, NULL);
    sl_buf_free(&b);
}

static const char *value_of(const struct report *r, const char *how, const struct value *more, const char *name)
{
    const struct sl_question *q = r->question;

    for (; more && more->name; more++)
        if (!strcmp(more->name, name))
            return more->value;
    return !strcmp(name, "runs")         ? q->where
           : !strcmp(name, "experiment") ? q->experiment
           : !strcmp(name, "how")        ? how
                                         : NULL;
}

enum { ARGUMENTS = 8 };

/* "spanloom plot experiment-scree 'a = 0'": of what no command of its own draws. */
static void add_plot_command(struct report *r, const struct sl_plot *p, const struct sl_plot_value *v)
{
    struct sl_buf b = {0};
    size_t n = p->argument.n;

    while (n && (!v[n - 1].s || !*v[n - 1].s))
        n--;
    sl_buf_addf(&b, "spanloom plot %s", p->name);
    for (size_t i = 0; i < n; i++)
        experiment_word(&b, v[i].s ? v[i].s : "");
    sl_html_add(r->out, "<code>%</code>", b.s, NULL);
    sl_buf_free(&b);
}

static void put_figure(struct report *r, const struct sl_buf *spec, const struct sl_plot *p,
                       const struct sl_plot_value *v, const char *command)
{
    char n[SL_SHOW_NUMBER];

    snprintf(n, sizeof n, "%zu", ++r->figures);
    sl_html_add(r->out,
                "<figure><div id=\"picture-%\" role=\"img\" data-spec=\"spec-%\"></div>"
                "<div id=\"picture-%-messages\"></div>\n<figcaption>",
                n, n, n, NULL);
    if (command)
        add_command(r, command);
    else
        add_plot_command(r, p, v);
    sl_html_add(r->out,
                " <button type=\"button\" data-of=\"picture-%\" data-form=\"svg\">SVG</button> "
                "<button type=\"button\" data-of=\"picture-%\" data-form=\"png\">PNG</button></figcaption></figure>\n"
                "<script id=\"spec-%\" type=\"application/json\">",
                n, n, n, NULL);
    sl_plot_script_json(r->out, spec->s, spec->n);
    sl_buf_adds(r->out, "</script>\n");
}

void experiment_figure(struct report *r, const char *plot, const char *how, const struct value *more,
                       const char *command)
{
    struct sl_plot_value v[ARGUMENTS];
    struct sl_plot_question q = {.st = r->st, .argument = v};
    struct sl_buf spec = {0}, words = {0};
    struct sl_plot *p = NULL;
    struct sl_err err = {0};
    uint64_t rows;
    int rc = sl_plot_find(&p, plot, &err);

    sl_buf_addf(&words, "%s%s", r->question->rate ? "rate " : "", how);
    if (r->question->split)
        sl_buf_addf(&words, "%ssplit=%s", words.n ? " " : "", r->question->split);
    for (size_t i = 0; !rc && i < p->argument.n && i < ARGUMENTS; i++) {
        const char *s = value_of(r, words.s, more, p->argument.v[i].name);
        v[i] = (struct sl_plot_value){.type = s ? SQLITE_TEXT : SQLITE_NULL, .s = s};
    }
    if (!rc)
        rc = sl_plot_fill(&spec, p, &q, &rows, &err);
    if (rc) {
        const char *of = strstr(err.text, ": experiment_"), *text = of ? strstr(of + 2, ": ") : NULL;
        sl_html_add(r->out, "<p class=\"cannot\">No picture: %.</p>\n",
                    text                       ? text + 2
                    : err.code == SL_ENOTFOUND ? "there is nothing that it could show"
                                               : err.text,
                    NULL);
    } else {
        put_figure(r, &spec, p, v, command);
    }
    if (p)
        sl_plot_free(p);
    sl_buf_free(&spec);
    sl_buf_free(&words);
}

/* ---- the first screen ---- */

/* "2026-11-20 08:11", without the day where that is `day`. */
static const char *minute(int64_t ns, const char *day, char buf[SL_TIME_TEXT])
{
    sl_time_text(ns, buf);
    buf[MINUTES] = 0;
    buf[DAY] = ' ';
    return strncmp(buf, day, DAY) != 0 ? buf : buf + DAY + 1;
}

static void put_dataset(struct report *r)
{
    const struct sl_about_row *x = r->run;
    char n[SL_SHOW_NUMBER], failed[SL_SHOW_NUMBER], from[SL_TIME_TEXT], to[SL_TIME_TEXT];

    sl_html_add(r->out, "<p class=\"quiet\">% run%", count_text((size_t)x->runs, n), x->runs == 1 ? "" : "s", NULL);
    if (x->failed)
        sl_html_add(r->out, " (% more failed)", count_text((size_t)x->failed, failed), NULL);
    if (x->timed) {
        minute(x->first_ns, "", from);
        sl_html_add(r->out, ", % to % UTC", from, minute(x->last_ns, from, to), NULL);
    }
    sl_html_add(r->out, "; the score is %, of which % is better", r->unit, r->question->rate ? "more" : "less", NULL);
    if (r->question->where)
        sl_html_add(r->out, "; only runs where <code>%</code>", r->question->where, NULL);
    sl_buf_adds(r->out, "</p>\n");
}

/* "a (+205 %), b (-35 %)", of one direction */
static size_t put_names(struct report *r, enum sure sure, bool better)
{
    size_t n = 0, more = 0;
    char buf[2 * SL_SHOW_NUMBER], count[SL_SHOW_NUMBER];

    for (size_t i = 0; i < r->effect.n; i++) {
        const struct effect *e = &r->effect.v[i];
        if (e->sure != sure || e->better != better)
            continue;
        if (n++ >= NAMED)
            more++;
        else
            sl_html_add(r->out, "%& <span class=\"%\">%</span>%", n > 1 ? ", " : "", e->name,
                        better ? "better" : "worse", experiment_change(r, e->estimate, buf),
                        e->numeric ? " for each 1 more" : "", NULL);
    }
    if (more)
        sl_html_add(r->out, " and % more", count_text(more, count), NULL);
    return n;
}

static size_t count_of(const struct report *r, enum sure sure, int better)
{
    size_t n = 0;

    for (size_t i = 0; i < r->effect.n; i++)
        n += r->effect.v[i].sure == sure && (better < 0 || r->effect.v[i].better == better);
    return n;
}

/* What each of those that may be chance can do at most. */
static void put_rest(struct report *r)
{
    double least = 0, most = 0;
    size_t alone = count_of(r, ALONE, -1), n = count_of(r, CHANCE, -1) + alone;
    char a[SL_SHOW_NUMBER], b[4 * SL_SHOW_NUMBER];

    for (size_t i = 0; i < r->effect.n; i++)
        if ((r->effect.v[i].sure == CHANCE || r->effect.v[i].sure == ALONE) && !r->effect.v[i].numeric) {
            least = fmin(least, r->effect.v[i].lower);
            most = fmax(most, r->effect.v[i].upper);
        }
    if (!n)
        return;
    sl_html_add(r->out, "<p>What % did may be chance",
                n == r->effect.n ? "they"
                : n == 1         ? "the other one"
                                 : "the others",
                NULL);
    if (least < 0 || most > 0)
        sl_html_add(r->out, n == 1 ? "; its 95 %% interval is %" : "; their 95 %% intervals all lie within %",
                    experiment_change_interval(r, least, most, b), NULL);
    sl_buf_adds(r->out, ".");
    if (alone) {
        sl_html_add(r->out, " Had it been the only one, % would be sure: ", alone == 1 ? "one" : count_text(alone, a),
                    NULL);
        if (put_names(r, ALONE, true) && count_of(r, ALONE, false))
            sl_buf_adds(r->out, ", ");
        put_names(r, ALONE, false);
        sl_buf_adds(r->out, ".");
    }
    sl_buf_adds(r->out, "</p>\n");
}

void experiment_shrunk(struct report *r, size_t terms, const char *so)
{
    char a[SL_SHOW_NUMBER], b[SL_SHOW_NUMBER];

    sl_html_add(r->out,
                "<p>% runs cannot tell % terms apart, so all are shrunk towards no effect, and many are left out (an "
                "elastic net)%.</p>\n",
                count_text((size_t)r->run->runs, a), count_text(terms, b), so, NULL);
}

/* Which matter, in words. */
static void put_lead(struct report *r)
{
    static const char *const words[] = {"make the score better: ", "make the score worse: "},
                             *const word[] = {"makes the score better: ", "makes the score worse: "};
    size_t sure = count_of(r, SURE, -1), likely = count_of(r, PROBABLE, -1);
    char a[SL_SHOW_NUMBER], b[SL_SHOW_NUMBER];

    if (!r->least_squares) {
        sl_html_add(r->out,
                    "<p class=\"lead\">% runs cannot tell % terms of a model apart, so <b>nothing is sure</b>. What an "
                    "elastic net keeps of them, shrunk towards no effect, is below.</p>\n",
                    count_text((size_t)r->run->runs, a), count_text(r->terms, b), NULL);
        return;
    }
    sl_html_add(r->out, "<p class=\"lead\">Of % treatment%, <b>% matter% for sure</b>", count_text(r->effect.n, a),
                r->effect.n == 1 ? "" : "s", sure ? count_text(sure, b) : "none", sure == 1 || !sure ? "s" : "", NULL);
    for (int worse = 0; worse < 2 && sure; worse++) {
        size_t n = count_of(r, SURE, !worse);
        if (!n)
            continue;
        sl_html_add(r->out, ". % ", n == 1 ? "One" : count_text(n, a), NULL);
        sl_buf_adds(r->out, n == 1 ? word[worse] : words[worse]);
        put_names(r, SURE, !worse);
    }
    sl_buf_adds(r->out, ".</p>\n");
    if (likely) {
        sl_html_add(r->out, "<p>% more % likely to matter: ", likely == 1 ? "One" : count_text(likely, a),
                    likely == 1 ? "is" : "are", NULL);
        if (put_names(r, PROBABLE, true) && count_of(r, PROBABLE, false))
            sl_buf_adds(r->out, ", ");
        put_names(r, PROBABLE, false);
        sl_buf_adds(r->out, ".</p>\n");
    }
    put_rest(r);
}

/* The best that the model knows of; nothing where all of it may be chance. */
static void put_best(struct report *r)
{
    struct sl_result of;
    struct sl_err err = {0};
    struct sl_table *t = experiment_ask(r, &of, &sl_experiment_sequence, false, false, &err);
    struct sl_buf names = {0};
    double first = NAN, last = NAN;
    size_t steps = 0, chance = 0;
    char a[SL_SHOW_NUMBER], b[SL_SHOW_NUMBER], c[SL_SHOW_NUMBER], d[SL_SHOW_NUMBER];

    for (const struct sl_step_row *x; t && (x = sl_table_row(t, NULL));) {
        if (x->follows)
            continue;
        if (isnan(first))
            first = x->after;
        else
            sl_html_add(&names, steps++ ? ", &" : "<p>Applied one after the other, &", x->treatment, NULL);
        chance += x->treatment && !(x->p < 0.05);
        last = x->after;
    }
    if (chance < steps) {
        sl_buf_add(r->out, names.s, names.n);
        sl_html_add(r->out,
                    steps == 1 ? " brings % from % to %, by a model: % times as good"
                               : " bring % from % to %, by a model: % times as good",
                    r->unit, sl_show_number(first, false, a), sl_show_number(last, false, b),
                    sl_show_number(r->question->rate ? last / first : first / last, false, c), NULL);
        if (chance)
            sl_html_add(r->out, " (of % of these it may be chance)", count_text(chance, d), NULL);
        sl_buf_adds(r->out, ". <a href=\"#scales\">Step by step</a>.</p>\n");
    }
    sl_buf_free(&names);
    sl_result_free(&of);
}

bool experiment_changes(struct report *r)
{
    struct sl_result of;
    struct sl_err err = {0};
    struct sl_table *t = experiment_ask(r, &of, &sl_experiment_drift, false, false, &err);
    size_t stretches = t ? t->rows : 0;
    bool any = stretches > 1;
    char a[2 * SL_SHOW_NUMBER], b[4 * SL_SHOW_NUMBER], at[SL_TIME_TEXT];
    struct report percent = *r;

    percent.log = true;
    if (any)
        sl_html_add(r->out, "<p>The runs themselves changed meanwhile, apart from treatments: ", NULL);
    for (const struct sl_stretch_row *x; t && (x = sl_table_row(t, NULL));) {
        if (t->at > 1)
            sl_html_add(r->out, "%from % UTC on % (% with 95 %% confidence)", t->at > 2 ? ", " : "",
                        minute(x->first_ns, "", at), experiment_change(&percent, x->change, a),
                        experiment_change_interval(&percent, x->change_lower, x->change_upper, b), NULL);
        if (stretches == 1 && x->trend_p < 0.05) {
            double unit;
            const char *name = sl_show_trend_unit(r->run, &unit);
            any = true;
            sl_html_add(r->out, "<p>Apart from treatments, scores changed by % % (% with 95 %% confidence).</p>\n",
                        experiment_change(&percent, unit * x->trend, a), name,
                        experiment_change_interval(&percent, unit * x->trend_lower, unit * x->trend_upper, b), NULL);
        }
    }
    if (stretches > 1)
        sl_buf_adds(r->out, ".</p>\n");
    sl_result_free(&of);
    return any;
}

static void put_interval(struct report *r, const struct effect *e, double low, double high)
{
    double scale = (WIDTH - 10) / (high - low);
    int zero = (int)lround(5 - low * scale);

    sl_buf_addf(r->out,
                "<svg width=\"%d\" height=\"%d\" aria-hidden=\"true\"><line class=\"axis\" x1=\"%d\" x2=\"%d\" "
                "y1=\"0\" y2=\"%d\"/>",
                WIDTH, HEIGHT, zero, zero, HEIGHT);
    if (!isnan(e->lower))
        sl_buf_addf(r->out, "<line class=\"interval\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>",
                    5 + (e->lower - low) * scale, 5 + (e->upper - low) * scale, HEIGHT / 2, HEIGHT / 2);
    sl_buf_addf(r->out, "<circle class=\"point\" cx=\"%.1f\" cy=\"%d\" r=\"3.5\"/></svg>",
                5 + (e->estimate - low) * scale, HEIGHT / 2);
}

static void put_row(struct report *r, const struct effect *e, double low, double high)
{
    static const char *const sure[] = {"sure", "likely", "may be chance", "may be chance", ""};
    const char *class = e->sure > PROBABLE ? "" : e->better ? "better" : "worse";
    char a[2 * SL_SHOW_NUMBER], b[4 * SL_SHOW_NUMBER], kept[SL_SHOW_NUMBER];

    snprintf(kept, sizeof kept, "%.0f %%", 100 * e->kept);
    if (e->follows) {
        sl_html_add(r->out, "<tr class=\"unsure\"><td>&</td><td colspan=\"4\">cannot be told: it is %</td></tr>\n",
                    e->name, e->follows, NULL);
        return;
    }
    sl_buf_adds(r->out, e->sure > PROBABLE ? "<tr class=\"unsure\">" : "<tr>");
    sl_html_add(r->out, "<td>&%</td><td class=\"n %\">%</td>", e->name, e->numeric ? " (each 1 more)" : "", class,
                experiment_change(r, e->estimate, a), NULL);
    if (r->least_squares)
        sl_html_add(r->out, "<td class=\"n\">%</td>", experiment_change_interval(r, e->lower, e->upper, b), NULL);
    sl_html_add(r->out, "<td class=\"%\">", class, NULL);
    put_interval(r, e, low, high);
    sl_html_add(r->out, "</td><td class=\"%\">%</td></tr>\n", isnan(e->kept) ? "" : "n",
                isnan(e->kept) ? sure[e->sure] : kept, NULL);
}

static void put_effects(struct report *r)
{
    double low = 0, high = 0;
    char a[SL_SHOW_NUMBER];

    for (size_t i = 0; i < r->effect.n && i < ROWS; i++) {
        const struct effect *e = &r->effect.v[i];
        low = fmin(low, isnan(e->lower) ? e->estimate : e->lower);
        high = fmax(high, isnan(e->upper) ? e->estimate : e->upper);
    }
    if (!(high > low))
        high = low + 1;
    if (!r->effect.n) {
        sl_html_add(r->out, "<p>It keeps none.</p>\n", NULL);
        return;
    }
    sl_html_add(r->out,
                r->least_squares
                    ? "<div class=\"table\"><table><thead><tr><th>treatment</th><th class=\"n\">change of %</th>"
                      "<th class=\"n\">95 %% interval</th><th>%</th><th>is it sure?</th></tr></thead><tbody>\n"
                    : "<div class=\"table\"><table><thead><tr><th>treatment</th><th class=\"n\">change of %</th>"
                      "<th>%</th><th class=\"n\">kept</th></tr></thead><tbody>\n",
                r->unit, r->question->rate ? "worse | better" : "better | worse", NULL);
    for (size_t i = 0; i < r->effect.n && i < ROWS; i++)
        put_row(r, &r->effect.v[i], low, high);
    sl_buf_adds(r->out, "</tbody></table></div>\n");
    if (r->effect.n > ROWS)
        sl_html_add(r->out, "<p class=\"more\">The surest 40 of %.</p>\n", count_text(r->effect.n, a), NULL);
    sl_html_add(r->out,
                r->least_squares
                    ? "<p class=\"more\">All else being equal, by a model%. Sure: in spite of so many being compared "
                      "(Holm); likely: of those that are, one in twenty may be chance (Benjamini and Hochberg). "
                    : "<p class=\"more\">All else being equal, by an elastic net%. Kept: in so many of 100 drawings of "
                      "the runs it is not 0. ",
                r->log ? " of the logarithm of the score" : "", NULL);
    add_command(r, r->log ? "model --log" : "model");
    sl_buf_adds(r->out, "</p>\n");
}

/* ---- all of it ---- */

static void put_contents(struct report *r)
{
    sl_buf_adds(r->out, "<nav>");
    for (const struct section *s = experiment_sections; s->id; s++)
        if (!s->has || s->has(r))
            sl_html_add(r->out, "<a href=\"#%\">%</a> ", s->id, s->title, NULL);
    sl_buf_adds(r->out, "</nav>\n");
}

static int put_all(struct report *r, struct sl_buf *title, struct sl_err *err)
{
    struct sl_err why = {0};
    const char *name;
    int rc;

    if (!experiment_ask(r, &r->about, &sl_experiment_about, false, false, err))
        return err->code;
    r->run = sl_table_at(r->about.table.v[0], 0);
    r->factors = sl_result_find(&r->about, "factors");
    r->unit = r->run->unit;
    name = r->run->experiment;
    sl_html_add(title, "Which treatments matter? %", name, NULL);
    sl_html_add(r->out, "<h1>Which treatments matter? &</h1>\n", name, NULL);
    put_dataset(r);
    rc = experiment_model(r, &why);
    experiment_pairs(r);
    if (rc) {
        experiment_cannot(r, why.text);
    } else {
        put_lead(r);
        experiment_fails(r);
        put_best(r);
        experiment_parts(r, PARTS_FIRST);
        experiment_changes(r);
        put_effects(r);
    }
    put_contents(r);
    for (const struct section *s = experiment_sections; s->id; s++) {
        if (s->has && !s->has(r))
            continue;
        sl_html_add(r->out, "<section><h2 id=\"%\">%</h2>\n", s->id, s->title, NULL);
        s->put(r);
        sl_buf_adds(r->out, "</section>\n");
    }
    return 0;
}

int sl_report_experiment(struct sl_buf *title, struct sl_buf *body, struct sl_store *st, const struct sl_question *q,
                         struct sl_err *err)
{
    struct report r = {.out = body, .st = st, .question = q};
    int rc = put_all(&r, title, err);

    sl_result_free(&r.about);
    sl_vec_free(&r.effect);
    sl_arena_free(&r.text);
    return rc;
}
