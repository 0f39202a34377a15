/* SPDX-License-Identifier: Apache-2.0 */
/* What each treatment does, by a model and by pairs of runs. */
#include "report/experiment_page_internal.h"

#include <stdlib.h>

static enum sure how_sure(const struct effect *e)
{
    return isnan(e->p) ? UNKNOWN : e->holm < 0.05 ? SURE : e->bh < 0.05 ? PROBABLE : e->p < 0.05 ? ALONE : CHANCE;
}

static int by_sureness(const void *a, const void *b)
{
    const struct effect *x = a, *y = b;

    if (x->sure != y->sure)
        return x->sure < y->sure ? -1 : 1;
    if ((x->sure == ALONE || x->sure == CHANCE) && x->p != y->p)
        return x->p < y->p ? -1 : 1;
    return fabs(x->estimate) > fabs(y->estimate)   ? -1
           : fabs(x->estimate) < fabs(y->estimate) ? 1
                                                   : strcmp(x->name, y->name);
}

/* Which factor, and what its base is: a term is called like its factor, or that and a level. */
static void find_factor(struct report *r, struct effect *e)
{
    size_t longest = 0;
    bool categorical = false;

    for (size_t i = 0; i < r->factors->rows; i++) {
        const struct sl_level_row *f = sl_table_at(r->factors, i);
        size_t n = strlen(f->factor);
        if (n <= longest || strncmp(e->term, f->factor, n) != 0 || (e->term[n] && strcmp(f->kind, "categorical") != 0))
            continue;
        longest = n;
        e->factor = f->factor;
        e->base = f->level ? f->level : "";
        e->numeric = !strcmp(f->kind, "numeric");
        categorical = e->term[n] != 0;
    }
    if (categorical) {
        struct sl_buf b = {0};
        sl_buf_addf(&b, "%s=%s", e->factor, e->term + longest);
        e->name = sl_arena_copy(&r->text, b.s, b.n);
        sl_buf_free(&b);
    }
}

static bool is_time(const char *term)
{
    return !strcmp(term, "hours") || !strcmp(term, "day_cos") || !strcmp(term, "day_sin");
}

static void take_effects(struct report *r, struct sl_table *t)
{
    for (const struct sl_model_row *x; (x = sl_table_row(t, NULL));) {
        const char *name = x->term, *follows = x->follows;
        struct effect *e;
        r->terms++;
        r->least_squares = strcmp(x->method, "elastic net") != 0;
        if (!strcmp(name, "(Intercept)") || is_time(name) || (!r->least_squares && !(fabs(x->estimate) > 0)))
            continue;
        e = sl_vec_add(&r->effect);
        *e = (struct effect){.term = sl_arena_copy(&r->text, name, strlen(name)),
                             .follows = follows ? sl_arena_copy(&r->text, follows, strlen(follows)) : NULL,
                             .estimate = x->estimate,
                             .lower = x->lower,
                             .upper = x->upper,
                             .p = x->p,
                             .holm = x->p_holm,
                             .bh = x->p_bh,
                             .kept = x->kept};
        e->name = e->term;
        e->better = r->question->rate ? e->estimate > 0 : e->estimate < 0;
        e->sure = how_sure(e);
        find_factor(r, e);
    }
    if (r->effect.n)
        qsort(r->effect.v, r->effect.n, sizeof *r->effect.v, by_sureness);
}

/* That of a treatment; a numeric factor has one for all its levels. */
static struct effect *find_effect(struct report *r, const char *treatment)
{
    for (size_t i = 0; i < r->effect.n; i++) {
        struct effect *e = &r->effect.v[i];
        size_t n = strlen(e->name);
        if (!strncmp(e->name, treatment, n) && (!treatment[n] || (e->numeric && treatment[n] == '=')))
            return e;
    }
    return NULL;
}

void experiment_pairs(struct report *r)
{
    struct sl_result of;
    struct sl_err err = {0};
    struct sl_table *t = experiment_ask(r, &of, &sl_experiment_deltas, false, false, &err);
    struct effect *e = NULL;
    const char *last = NULL;

    for (const struct sl_delta_row *x; t && (x = sl_table_row(t, NULL));) {
        const char *name = x->treatment;
        double delta = x->delta;
        r->pairs++;
        if (!last || strcmp(last, name) != 0) {
            e = find_effect(r, name);
            last = name;
        }
        if (!e)
            continue;
        e->pairs++;
        e->improved += r->question->rate ? delta > 0 : delta < 0;
        e->worsened += r->question->rate ? delta < 0 : delta > 0;
    }
    sl_result_free(&of);
}

int experiment_model(struct report *r, struct sl_err *err)
{
    struct sl_result of;
    struct sl_table *t;

    r->log = true;
    t = experiment_ask(r, &of, &sl_experiment_model, true, false, err);
    if (!t) {
        r->log = false;
        *err = (struct sl_err){0};
        t = experiment_ask(r, &of, &sl_experiment_model, false, false, err);
    }
    if (t)
        take_effects(r, t);
    r->model = t != NULL;
    sl_result_free(&of);
    return t ? 0 : err->code;
}
