/* SPDX-License-Identifier: Apache-2.0 */
#include "experiment/model/orders.h"
#include "base/buf.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>

static int fit_sequence(struct sl_sequence *s, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct sl_question model = *q;
    size_t columns = 0, pairs;

    for (size_t i = 0; i < r->treatment.n; i++)
        columns += r->factor[r->treatment.v[i].factor].kind != SL_FACTOR_NUMERIC || r->treatment.v[i].level == 1;
    pairs = columns * (columns - (columns > 0)) / 2;
    model.log = true;
    model.interactions = r->n >= 2 * (1 + columns + pairs);
    if (sl_runs_check_log(r, err))
        return SL_EUSAGE;
    return sl_model_fit(&s->model, r, &model, err);
}

static void add_step(struct sl_sequence *s, const struct sl_runs *r, int32_t treatment, const int32_t *level)
{
    const struct sl_cells *c = &s->deltas.cells;
    int64_t cell = sl_cells_find(c, r, level);
    double before = s->step.n ? s->step.v[s->step.n - 1].score : NAN, sum = 0;
    struct sl_applied *step = sl_vec_add(&s->step);

    step->treatment = treatment;
    step->score = sl_model_predict(&s->model, r, level);
    step->delta = step->score - before;
    if (cell >= 0)
        for (uint32_t i = c->begin[cell]; i < c->begin[cell + 1]; i++, step->runs++)
            sum += r->score[c->run[i]];
    step->measured = step->runs ? sum / (double)step->runs : NAN;
}

static bool better(const struct sl_runs *r, double a, double b)
{
    return r->rate ? a > b : a < b;
}

/* The treatment, of those allowed, whose factor is at its base and which helps most; -1: none helps. */
static int32_t best(const struct sl_sequence *s, const struct sl_runs *r, int32_t *level, const bool *allowed)
{
    double least = s->step.v[s->step.n - 1].score;
    int32_t out = -1;

    for (size_t i = 0; i < r->treatment.n; i++) {
        const struct sl_treatment *t = &r->treatment.v[i];
        double score;
        if (!allowed[i] || level[t->factor] != 0)
            continue;
        level[t->factor] = t->level;
        score = sl_model_predict(&s->model, r, level);
        level[t->factor] = 0;
        /* what rounds to nothing is no help */
        if (better(r, score, least) && fabs(score - least) > 1e-9 * fabs(least)) {
            least = score;
            out = (int32_t)i;
        }
    }
    return out;
}

static void greedy(struct sl_sequence *s, const struct sl_runs *r, int32_t *level, const bool *allowed)
{
    for (int32_t t; (t = best(s, r, level, allowed)) >= 0;) {
        level[r->treatment.v[t].factor] = r->treatment.v[t].level;
        add_step(s, r, t, level);
    }
}

bool sl_name_in(const char *patterns, size_t n, const char *name)
{
    for (size_t at = 0; at < n;) {
        size_t k = 0;
        char *one;
        bool hit;
        while (at + k < n && patterns[at + k] != ',')
            k++;
        one = sl_strndup(patterns + at, k);
        hit = !fnmatch(one, name, 0);
        free(one);
        if (hit)
            return true;
        at += k + 1;
    }
    return false;
}

/* Those that help are found first, by all; then they are put in the order of the groups, best first within each. */
static void by_groups(struct sl_sequence *s, const struct sl_runs *r, const char *groups, int32_t *level)
{
    bool *left = sl_alloc(r->treatment.n + 1), *allowed = sl_alloc(r->treatment.n + 1);
    size_t n = 0;

    for (size_t i = 0; i < r->treatment.n; i++)
        allowed[i] = true;
    greedy(s, r, level, allowed);
    for (size_t i = 1; i < s->step.n; i++, n++)
        left[s->step.v[i].treatment] = true;
    s->step.n = 1;
    memset(level, 0, r->factors * sizeof *level);
    for (const char *g = groups; n;) {
        size_t length = g ? strcspn(g, ";") : 0;
        for (size_t i = 0; i < r->treatment.n; i++)
            allowed[i] = left[i] && (!g || sl_name_in(g, length, r->treatment.v[i].name) ||
                                     sl_name_in(g, length, r->factor[r->treatment.v[i].factor].name));
        for (int32_t t; n;) { /* all of the group, also what does not help so early */
            double least = NAN;
            t = -1;
            for (size_t i = 0; i < r->treatment.n; i++) {
                double score;
                if (!allowed[i])
                    continue;
                level[r->treatment.v[i].factor] = r->treatment.v[i].level;
                score = sl_model_predict(&s->model, r, level);
                level[r->treatment.v[i].factor] = 0;
                if (isnan(least) || better(r, score, least)) {
                    least = score;
                    t = (int32_t)i;
                }
            }
            if (t < 0)
                break;
            allowed[t] = left[t] = false;
            n--;
            level[r->treatment.v[t].factor] = r->treatment.v[t].level;
            add_step(s, r, t, level);
        }
        g = g && g[length] ? g + length + 1 : NULL;
    }
    free(left);
    free(allowed);
}

static int by_order(struct sl_sequence *s, const struct sl_runs *r, const char *order, int32_t *level,
                    struct sl_err *err)
{
    for (const char *at = order; at;) {
        size_t n = strcspn(at, ","), found = r->treatment.n;
        for (size_t i = 0; i < r->treatment.n; i++)
            if (strlen(r->treatment.v[i].name) == n && !strncmp(r->treatment.v[i].name, at, n))
                found = i;
        if (found == r->treatment.n) {
            struct sl_buf all = {0};
            for (size_t i = 0; i < r->treatment.n; i++)
                sl_buf_addf(&all, "%s%s", i ? ", " : "", r->treatment.v[i].name);
            sl_err(err, SL_EUSAGE, "there is no treatment '%.*s'; there are: %.800s", (int)n, at,
                   all.n ? all.s : "none");
            sl_buf_free(&all);
            return SL_EUSAGE;
        }
        if (level[r->treatment.v[found].factor])
            return sl_err(err, SL_EUSAGE, "the factor %s is named twice in --order %s",
                          r->factor[r->treatment.v[found].factor].name, order);
        level[r->treatment.v[found].factor] = r->treatment.v[found].level;
        add_step(s, r, (int32_t)found, level);
        at = at[n] ? at + n + 1 : NULL;
    }
    return 0;
}

int sl_sequence_make(struct sl_sequence *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    int32_t *level;
    bool *all;
    int rc;

    *out = (struct sl_sequence){0};
    if ((rc = fit_sequence(out, r, q, err)))
        return rc;
    sl_deltas_make(&out->deltas, r);
    level = sl_alloc(r->factors * sizeof *level + 1);
    add_step(out, r, -1, level);
    all = sl_alloc(r->treatment.n + 1);
    memset(all, 1, r->treatment.n);
    if (q->order)
        rc = by_order(out, r, q->order, level, err);
    else if (q->groups)
        by_groups(out, r, q->groups, level);
    else
        greedy(out, r, level, all);
    free(level);
    free(all);
    if (rc)
        sl_sequence_free(out);
    return rc;
}

void sl_sequence_free(struct sl_sequence *s)
{
    sl_vec_free(&s->step);
    sl_model_free(&s->model);
    sl_deltas_free(&s->deltas);
}

/* ---- all orders ---- */

void sl_shapley(double *out, double *least, double *most, const double *value, int n)
{
    double weight[SL_SHAPLEY_MOST];

    /* of a player who comes behind k others: k! (n - k - 1)! / n! */
    for (int k = 0; k < n; k++) {
        weight[k] = 1.0 / n;
        for (int i = 1; i <= k; i++)
            weight[k] *= (double)i / (n - i);
    }
    for (int i = 0; i < n; i++) {
        double sum = 0, low = INFINITY, high = -INFINITY;
        for (size_t set = 0; set < (size_t)1 << n; set++) {
            double adds;
            if (set >> i & 1)
                continue;
            adds = value[set | (size_t)1 << i] - value[set];
            sum += weight[__builtin_popcountll(set)] * adds;
            low = adds < low ? adds : low;
            high = adds > high ? adds : high;
        }
        out[i] = sum;
        least[i] = low;
        most[i] = high;
    }
}

/*
 * The model is a sum over treatments and pairs of them, so what a set comes to follows from the set without its last
 * player: 2^n sums, not 2^n times all terms.
 */
int sl_sequence_shapley(const struct sl_sequence *s, const struct sl_runs *r, double *out, double *least, double *most,
                        struct sl_err *err)
{
    int n = (int)s->step.n - 1;
    int32_t *level = sl_alloc(r->factors * sizeof *level + 1);
    double *value, *alone, *pair;

    if (n > SL_SHAPLEY_MOST) {
        free(level);
        return sl_err(err, SL_EUSAGE, "%d treatments have too many orders; name up to %d with --order", n,
                      SL_SHAPLEY_MOST);
    }
    value = sl_alloc(((size_t)1 << n) * sizeof *value);
    alone = sl_alloc((size_t)n * sizeof *alone + 1);
    pair = sl_alloc((size_t)(n * n) * sizeof *pair + 1);
    value[0] = log(sl_model_predict(&s->model, r, level));
    for (int i = 0; i < n; i++) {
        const struct sl_treatment *a = &r->treatment.v[s->step.v[i + 1].treatment];
        level[a->factor] = a->level;
        alone[i] = log(sl_model_predict(&s->model, r, level)) - value[0];
        for (int k = 0; k < i; k++) {
            const struct sl_treatment *b = &r->treatment.v[s->step.v[k + 1].treatment];
            level[b->factor] = b->level;
            pair[i * n + k] = log(sl_model_predict(&s->model, r, level)) - value[0] - alone[i] - alone[k];
            level[b->factor] = 0;
        }
        level[a->factor] = 0;
    }
    for (size_t set = 1; set < (size_t)1 << n; set++) {
        int last = 63 - __builtin_clzll(set);
        size_t rest = set & ~((size_t)1 << last);
        value[set] = value[rest] + alone[last];
        for (int k = 0; k < last; k++)
            value[set] += (rest >> k & 1) ? pair[last * n + k] : 0;
    }
    for (size_t set = 0; set < (size_t)1 << n; set++)
        value[set] = exp(value[set]);
    sl_shapley(out, least, most, value, n);
    free(level);
    free(value);
    free(alone);
    free(pair);
    return 0;
}
