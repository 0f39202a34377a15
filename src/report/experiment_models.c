/* SPDX-License-Identifier: Apache-2.0 */
/* What models of an experiment say, question by question. */
#include "report/experiment_page_internal.h"
#include "report/html_text.h"

#include <stdio.h>
#include <stdlib.h>

enum { LISTED = 8 };

/* ---- cost and rate ---- */

bool experiment_scales(struct report *r)
{
    struct sl_question other = *r->question;
    struct report turned;

    experiment_put(
        r, "Cost and rate are each other's reciprocal, and tell different stories of the same runs: on a scale of cost "
           "the first treatment seems to do "
           "nearly all, on a scale of rates the last ones, too. Here treatments are applied one after the other, what "
           "helps most first.");
    experiment_figure(r, "experiment-sequence", "", NULL, "sequence");
    other.rate = !r->question->rate;
    turned = *r;
    turned.question = &other;
    experiment_figure(&turned, "experiment-sequence", "", NULL, "sequence");
    r->figures = turned.figures;
    experiment_put(r, "The same by area:");
    experiment_figure(r, "experiment-treemap", "", NULL, NULL);
    return true;
}

/* ---- orders ---- */

/* The treatments of the sequence from the last to the first, "c,b,a"; false: fewer than two. */
static bool backwards(struct report *r, struct sl_buf *out)
{
    struct sl_result of;
    struct sl_err err = {0};
    struct sl_table *t = experiment_ask(r, &of, &sl_experiment_sequence, false, false, &err);
    SL_VEC(const char *) name = {0};
    bool commas = false;

    for (const struct sl_step_row *x; t && (x = sl_table_row(t, NULL));)
        if (!x->follows && x->treatment) {
            *sl_vec_add(&name) = x->treatment;
            commas |= strchr(name.v[name.n - 1], ',') != NULL;
        }
    for (size_t i = name.n; i-- > 0 && !commas;)
        sl_buf_addf(out, "%s%s", out->n ? "," : "", name.v[i]);
    commas |= name.n < 2;
    sl_vec_free(&name);
    sl_result_free(&of);
    return !commas;
}

/* Those of which the runs do not tell whether they add anything. */
static void put_unsure_values(struct report *r)
{
    struct sl_result of;
    struct sl_err err = {0};
    struct sl_table *t = experiment_ask(r, &of, &sl_experiment_shapley, false, false, &err);
    size_t n = 0;

    for (const struct sl_shapley_row *x; t && (x = sl_table_row(t, NULL));)
        if (x->lower < 0 && x->upper > 0)
            sl_html_add(r->out, n++ ? ", &" : "<p>Of &", x->treatment, NULL);
    if (n)
        sl_buf_adds(r->out, n == 1 ? " it may be chance: its 95 % interval contains no effect.</p>\n"
                                   : " it may be chance: their 95 % intervals contain no effect.</p>\n");
    sl_result_free(&of);
}

bool experiment_orders(struct report *r)
{
    struct sl_buf order = {0}, command = {0};

    experiment_put(
        r, "That was one order of many. What a treatment gets credit for depends on what was applied before it, and "
           "another order tells another story "
           "of the same first and last run.");
    if (r->question->groups) {
        const struct value more[] = {{"groups", r->question->groups}, {NULL, NULL}};
        experiment_put(r, "By groups, as they were asked for:");
        sl_buf_adds(&command, "sequence --groups");
        experiment_word(&command, r->question->groups);
        experiment_figure(r, "experiment-sequence", "", more, command.s);
        sl_buf_clear(&command);
    }
    if (backwards(r, &order)) {
        const struct value more[] = {{"order", order.s}, {NULL, NULL}};
        experiment_put(r, "The same treatments the other way round:");
        sl_buf_adds(&command, "sequence --order");
        experiment_word(&command, order.s);
        experiment_figure(r, "experiment-sequence", "", more, command.s);
    }
    experiment_put(
        r, "Shapley values are fair to all orders: what each treatment adds, averaged over every order. The lines "
           "reach from the least to the most that it adds in "
           "any of them.");
    put_unsure_values(r);
    experiment_figure(r, "experiment-shapley", "", NULL, "shapley");
    sl_buf_free(&order);
    sl_buf_free(&command);
    return true;
}

/* ---- models ---- */

static void put_explained(struct report *r, bool interactions)
{
    struct sl_result of;
    struct sl_err err = {0};
    struct sl_table *t = experiment_ask(r, &of, &sl_experiment_model, r->log, interactions, &err);
    char share[SL_SHOW_NUMBER], terms[SL_SHOW_NUMBER], adjusted[SL_SHOW_NUMBER], so[100] = "";
    size_t n = 0;
    double r2 = NAN, adj = NAN, left_out = NAN;
    bool net = false;

    for (const struct sl_model_row *x; t && (x = sl_table_row(t, NULL));) {
        r2 = x->r_squared;
        adj = x->adj_r_squared;
        left_out = x->cv_r_squared;
        net = !isnan(x->alpha);
        n++;
    }
    snprintf(share, sizeof share, "%.1f", 100 * r2);
    snprintf(adjusted, sizeof adjusted, "%.1f", 100 * adj);
    if (net) {
        snprintf(so, sizeof so, "; it explains %s %% of the variance", share);
        if (!isnan(left_out))
            snprintf(so + strlen(so), sizeof so - strlen(so), ", and of runs that it has not seen, %.1f %%",
                     100 * left_out);
        experiment_shrunk(r, n, so);
        sl_result_free(&of);
        return;
    }
    if (!isnan(r2))
        sl_html_add(r->out, "<p>With % terms it explains % %% of the variance%", count_text(n, terms), share,
                    r->log ? " of the logarithm of scores" : "", NULL);
    if (!isnan(r2) && !isnan(adj))
        sl_html_add(r->out, "; % %% where that is held against how many terms it needs", adjusted, NULL);
    if (!isnan(r2))
        sl_buf_adds(r->out, ".</p>\n");
    sl_result_free(&of);
}

bool experiment_models(struct report *r)
{
    experiment_put(
        r, "A model takes all treatments at once, so that none is held for another that came along with it, and needs "
           "no pairs of runs that are alike. "
           "The time of the run is among its terms, so that a drift is not taken for a treatment.");
    put_explained(r, false);
    experiment_figure(r, "experiment-model", r->log ? "log" : "", NULL, r->log ? "model --log" : "model");
    experiment_put(
        r,
        "Beside plain means. Where these differ from the model, other treatments came along, or few pairs are there:");
    experiment_figure(r, "experiment-beside", "", NULL, "model --beside means");
    experiment_put(r, "How well does the model fit? Points off the line are runs of which it knows too little:");
    experiment_figure(r, "experiment-fit", r->log ? "log" : "", NULL, r->log ? "fit --log" : "fit");
    return true;
}

struct pair {
    const char *a, *b;
    double estimate, lower, upper, holm;
};

static int by_holm(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    return x->holm < y->holm ? -1 : x->holm > y->holm ? 1 : fabs(x->estimate) > fabs(y->estimate) ? -1 : 1;
}

static void put_sure_pairs(struct report *r)
{
    struct sl_result of;
    struct sl_err err = {0};
    struct sl_table *t = experiment_ask(r, &of, &sl_experiment_tiles, r->log, false, &err);
    SL_VEC(struct pair) pair = {0};
    bool net = false;
    char a[2 * SL_SHOW_NUMBER], b[4 * SL_SHOW_NUMBER];

    for (size_t i = 0; t && i < t->rows; i++) { /* the other of two is the same, the other way round */
        const struct sl_tile *x = sl_table_at(t, i);
        net |= isnan(x->lower) && !isnan(x->estimate);
        if (i % 2 == 0 && x->p_holm < 0.05)
            *sl_vec_add(&pair) = (struct pair){x->treatment, x->other, x->estimate, x->lower, x->upper, x->p_holm};
    }
    if (pair.n)
        qsort(pair.v, pair.n, sizeof *pair.v, by_holm);
    if (t && !pair.n)
        experiment_put(r, net ? "There are too few runs for all pairs: what is shown is shrunk towards no effect (an "
                                "elastic net), and of no pair it is sure."
                              : "Of no pair this is sure.");
    if (pair.n)
        sl_buf_adds(r->out, "<ul>\n");
    for (size_t i = 0; i < pair.n && i < LISTED; i++)
        sl_html_add(r->out, "<li>& with &: % (% with 95 %% confidence) beyond what each does alone</li>\n", pair.v[i].a,
                    pair.v[i].b, experiment_change(r, pair.v[i].estimate, a),
                    experiment_change_interval(r, pair.v[i].lower, pair.v[i].upper, b), NULL);
    if (pair.n)
        sl_buf_adds(r->out, "</ul>\n");
    if (pair.n > LISTED)
        sl_html_add(r->out, "<p class=\"more\">and % more pairs that are sure</p>\n", count_text(pair.n - LISTED, a),
                    NULL);
    sl_vec_free(&pair);
    sl_result_free(&of);
}

bool experiment_pairs_of_treatments(struct report *r)
{
    experiment_put(
        r, "Two treatments may do together what neither does alone; or the second adds nothing, as the first has done "
           "it already. For each pair, what both change "
           "beyond the sum of what each does:");
    put_sure_pairs(r);
    experiment_figure(r, "experiment-tiles", r->log ? "log" : "", NULL, r->log ? "tiles --log" : "tiles");
    experiment_put(r, "With all pairs in it, the model fits like this:");
    put_explained(r, true);
    experiment_figure(r, "experiment-fit", r->log ? "log interactions" : "interactions", NULL,
                      r->log ? "fit --log --interactions" : "fit --interactions");
    return true;
}

/* ---- components ---- */

bool experiment_components(struct report *r)
{
    experiment_put(r,
                   "In 500 random orders of all treatments, what does each change? Principal components find the few "
                   "directions in which these orders differ: treatments whose arrows "
                   "point away from each other take turns at the same saving.");
    experiment_figure(r, "experiment-biplot", "", NULL, "pca");
    experiment_figure(r, "experiment-scree", "", NULL, NULL);
    return true;
}

/* ---- variance ---- */

bool experiment_variance(struct report *r)
{
    experiment_put(
        r, "What makes runs differ is another question than by how much: what is rare, or small, explains little. Each "
           "factor's share of the variance, on "
           "average over all orders in which factors can be told:");
    experiment_figure(r, "experiment-variance", r->log ? "log" : "", NULL, r->log ? "variance --log" : "variance");
    return true;
}
