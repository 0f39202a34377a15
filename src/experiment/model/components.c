/* SPDX-License-Identifier: Apache-2.0 */
/* Principal components of the effects in many sequences. */
#include "analyse/kernels/pca.h"
#include "analyse/kernels/random.h"
#include "experiment/model/orders.h"
#include "experiment/questions.h"

#include <stdlib.h>

enum { SEQUENCES = 500 }; /* of random orders */

struct vectors {
    struct sl_sequence s; /* for its model */
    uint32_t *treatment;  /* one of each factor: of several levels, the one that helps most by itself */
    size_t p, n;
    double *x; /* n sequences by p treatments: what each added; columns of n */
};

static void free_vectors(struct vectors *v)
{
    sl_sequence_free(&v->s);
    free(v->treatment);
    free(v->x);
}

static void choose_treatments(struct vectors *v, const struct sl_runs *r, int32_t *level)
{
    v->treatment = sl_alloc(r->treatment.n * sizeof *v->treatment + 1);
    for (uint32_t i = 0, last = UINT32_MAX; i < r->treatment.n; i++) {
        const struct sl_treatment *t = &r->treatment.v[i], *old = v->p ? &r->treatment.v[v->treatment[v->p - 1]] : NULL;
        const struct sl_term *own = sl_model_term(&v->s.model, r, (int32_t)i);
        double now, before = 0;
        if (own && own->follows)
            continue;
        level[t->factor] = t->level;
        now = sl_model_predict(&v->s.model, r, level);
        if (t->factor == last) {
            level[t->factor] = old->level;
            before = sl_model_predict(&v->s.model, r, level);
        }
        level[t->factor] = 0;
        if (t->factor != last)
            v->treatment[v->p++] = i;
        else if (r->rate ? now > before : now < before)
            v->treatment[v->p - 1] = i;
        last = t->factor;
    }
}

/* Each sequence applies all treatments, in a random order; a vector has what each of them changed. */
static int make_vectors(struct vectors *v, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    int32_t *level = sl_alloc(r->factors * sizeof *level + 1);
    uint64_t random = 20261122;
    size_t *order;
    int rc = sl_sequence_make(&v->s, r, q, err);

    *v = (struct vectors){.s = v->s};
    if (!rc)
        choose_treatments(v, r, level);
    if (!rc && v->p < 2) {
        free_vectors(v);
        rc =
            sl_err(err, SL_EUSAGE, "components need two treatments or more, and there %s", v->p ? "is one" : "is none");
    }
    if (rc) {
        free(level);
        return rc;
    }
    v->n = SEQUENCES;
    v->x = sl_alloc(v->n * v->p * sizeof *v->x);
    order = sl_alloc(v->p * sizeof *order);
    for (size_t i = 0; i < v->p; i++)
        order[i] = i;
    for (size_t k = 0; k < v->n; k++) {
        double before;
        memset(level, 0, r->factors * sizeof *level);
        before = sl_model_predict(&v->s.model, r, level);
        for (size_t i = v->p; i-- > 1;) { /* Fisher & Yates */
            size_t j = sl_random_below(&random, i + 1), x = order[i];
            order[i] = order[j];
            order[j] = x;
        }
        for (size_t i = 0; i < v->p; i++) {
            const struct sl_treatment *t = &r->treatment.v[v->treatment[order[i]]];
            double now;
            level[t->factor] = t->level;
            now = sl_model_predict(&v->s.model, r, level);
            v->x[order[i] * v->n + k] = now - before;
            before = now;
        }
    }
    free(order);
    free(level);
    return 0;
}

static int fill_vectors(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct vectors v;
    int rc = make_vectors(&v, r, q, err);

    if (rc)
        return rc;
    for (size_t k = 0; k < v.n; k++)
        for (size_t j = 0; j < v.p; j++) {
            struct sl_vector_row *x = sl_rows_add(out);
            x->sequence = (int64_t)k + 1;
            x->treatment = sl_rows_text(out, r->treatment.v[v.treatment[j]].name);
            x->effect = v.x[j * v.n + k];
        }
    free_vectors(&v);
    return 0;
}

const struct sl_experiment_fn sl_experiment_vectors = {
    .name = "vectors",
    .about = "what each treatment changes in 500 random orders",
    .row = &sl_vector_row_columns,
    .fill = fill_vectors,
};

struct pca {
    struct vectors v; /* whose effects became scores */
    double *sdev, *rotation;
};

static void free_pca(struct pca *p)
{
    free(p->sdev);
    free(p->rotation);
    free_vectors(&p->v);
}

static int make_pca(struct pca *p, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    double all = 0;
    int rc = make_vectors(&p->v, r, q, err);

    if (rc)
        return rc;
    p->sdev = sl_alloc(p->v.p * sizeof *p->sdev);
    p->rotation = sl_alloc(p->v.p * p->v.p * sizeof *p->rotation);
    sl_pca(p->v.x, p->v.n, p->v.p, p->sdev, p->rotation);
    for (size_t k = 0; k < p->v.p; k++)
        all += p->sdev[k] * p->sdev[k];
    if (all > 0)
        return 0;
    free_pca(p);
    return sl_err(err, SL_EUSAGE, "the effects are the same in every order, so there is nothing to take apart");
}

static int fill_pca(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct pca p;
    double all = 0, sum = 0;
    int rc = make_pca(&p, r, q, err);

    if (rc)
        return rc;
    for (size_t k = 0; k < p.v.p; k++)
        all += p.sdev[k] * p.sdev[k];
    for (size_t k = 0; k < p.v.p; k++) {
        struct sl_component_row *x = sl_rows_add(out);
        sum += p.sdev[k] * p.sdev[k];
        x->component = (int64_t)k + 1;
        x->stddev = p.sdev[k];
        x->share = p.sdev[k] * p.sdev[k] / all;
        x->cumulative = sum / all;
    }
    free_pca(&p);
    return 0;
}

const struct sl_experiment_fn sl_experiment_pca = {
    .name = "pca",
    .about = "principal components of experiment_vectors()",
    .row = &sl_component_row_columns,
    .fill = fill_pca,
};

static int fill_loadings(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct pca p;
    int rc = make_pca(&p, r, q, err);

    if (rc)
        return rc;
    for (size_t k = 0; k < p.v.p; k++)
        for (size_t j = 0; j < p.v.p; j++) {
            struct sl_loading_row *x = sl_rows_add(out);
            x->component = (int64_t)k + 1;
            x->treatment = sl_rows_text(out, r->treatment.v[p.v.treatment[j]].name);
            x->loading = p.rotation[k * p.v.p + j];
        }
    free_pca(&p);
    return 0;
}

const struct sl_experiment_fn sl_experiment_loadings = {
    .name = "loadings",
    .about = "how much of each treatment is in each component",
    .row = &sl_loading_row_columns,
    .fill = fill_loadings,
};

static int fill_scores(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct pca p;
    int rc = make_pca(&p, r, q, err);

    if (rc)
        return rc;
    for (size_t i = 0; i < p.v.n; i++)
        for (size_t k = 0; k < p.v.p; k++) {
            struct sl_pca_score *x = sl_rows_add(out);
            x->sequence = (int64_t)i + 1;
            x->component = (int64_t)k + 1;
            x->score = p.v.x[k * p.v.n + i];
        }
    free_pca(&p);
    return 0;
}

const struct sl_experiment_fn sl_experiment_pca_scores = {
    .name = "pca_scores",
    .about = "each random order in each component",
    .row = &sl_pca_score_columns,
    .fill = fill_scores,
};
