/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about orders in which treatments are applied. */
#include "analyse/kernels/pca.h"
#include "analyse/kernels/random.h"
#include "experiment/answers_internal.h"
#include "experiment/sequence.h"

#include <math.h>
#include <stdlib.h>

typedef union sl_answer_cell cell;

enum { SEQUENCES = 500 }; /* of random orders, for principal components */

const struct sl_answer_column sl_sequence_columns[SL_SEQUENCE_COLUMNS] = {
    {"step", 'i', NULL},  {"treatment", 's', NULL}, {"before", 'd', NULL},   {"after", 'd', NULL},
    {"delta", 'd', NULL}, {"runs", 'i', "runs"},    {"measured", 'd', NULL}, {"pairs", 'i', NULL},
    {"p", 'd', NULL},     {"follows", 's', NULL},   {"method", 's', NULL}};

/* Rows for the treatments of which the model can tell nothing, behind the others. */
static void add_left_out(struct sl_answer_rows *out, const struct sl_linear_model *m, size_t name, size_t follows)
{
    for (size_t j = 1; j < m->terms; j++) {
        const struct sl_term *t = &m->term[j];
        cell *c;
        if (t->part[0] < 0 || t->part[1] >= 0 || !t->follows)
            continue;
        c = sl_answer_add(out);
        for (size_t i = 0; i < out->columns; i++)
            c[i].d = NAN;
        c[name].s = out->runs->treatment.v[t->part[0]].name;
        c[follows].s = sl_answer_keep(out, t->follows);
    }
}

int sl_answer_sequence(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    const struct sl_runs *r = out->runs;
    struct sl_sequence s;
    int rc = sl_sequence_make(&s, r, &a->q, err);

    if (rc)
        return rc;
    for (size_t i = 0; i < s.step.n; i++) {
        const struct sl_applied *step = &s.step.v[i];
        const struct sl_term *own = step->treatment < 0 ? NULL : sl_model_term(&s.model, r, step->treatment);
        cell *c = sl_answer_add(out);
        c[SL_SEQUENCE_STEP].i = (int64_t)i;
        c[SL_SEQUENCE_TREATMENT].s = step->treatment < 0 ? NULL : r->treatment.v[step->treatment].name;
        c[SL_SEQUENCE_BEFORE].d = i ? s.step.v[i - 1].score : NAN;
        c[SL_SEQUENCE_AFTER].d = step->score;
        c[SL_SEQUENCE_DELTA].d = step->delta;
        c[SL_SEQUENCE_RUNS].i = (int64_t)step->runs;
        c[SL_SEQUENCE_MEASURED].d = step->measured;
        c[SL_SEQUENCE_PAIRS].i = s.model.interactions;
        c[SL_SEQUENCE_P].d = own ? own->p : NAN;
        c[SL_SEQUENCE_FOLLOWS].s = NULL;
        c[SL_SEQUENCE_METHOD].s = sl_model_methods[s.model.method];
    }
    add_left_out(out, &s.model, SL_SEQUENCE_TREATMENT, SL_SEQUENCE_FOLLOWS);
    for (size_t i = s.step.n; i < out->n; i++) {
        cell *c = out->cell.v + i * out->columns;
        c[SL_SEQUENCE_STEP].i = c[SL_SEQUENCE_RUNS].i = c[SL_SEQUENCE_PAIRS].i = INT64_MIN;
        c[SL_SEQUENCE_METHOD].s = sl_model_methods[s.model.method];
    }
    sl_sequence_free(&s);
    return 0;
}

const struct sl_answer_column sl_shapley_columns[SL_SHAPLEY_COLUMNS] = {
    {"treatment", 's', NULL}, {"value", 'd', NULL}, {"least", 'd', NULL}, {"most", 'd', NULL},
    {"follows", 's', NULL},   {"lower", 'd', NULL}, {"upper", 'd', NULL}};

int sl_answer_shapley(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    const struct sl_runs *r = out->runs;
    struct sl_sequence s;
    double *v;
    bool sure;
    int rc = sl_sequence_make(&s, r, &a->q, err);

    if (rc)
        return rc;
    v = sl_alloc(5 * s.step.n * sizeof *v);
    rc = sl_sequence_shapley(&s, r, v, v + s.step.n, v + 2 * s.step.n, err);
    sure = !rc && sl_sequence_shapley_intervals(&s, r, v + 3 * s.step.n, v + 4 * s.step.n);
    for (size_t i = 0; i + 1 < s.step.n && !rc; i++) {
        cell *c = sl_answer_add(out);
        c[0].s = r->treatment.v[s.step.v[i + 1].treatment].name;
        for (size_t k = 0; k < 3; k++)
            c[k + 1].d = v[k * s.step.n + i];
        c[4].s = NULL;
        for (size_t k = 0; k < 2; k++)
            c[k + 5].d = sure ? v[(k + 3) * s.step.n + i] : NAN;
    }
    if (!rc)
        add_left_out(out, &s.model, 0, 4);
    free(v);
    sl_sequence_free(&s);
    return rc;
}

/* ---- principal components of the effects in many sequences ---- */

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

const struct sl_answer_column sl_vector_columns[SL_VECTOR_COLUMNS] = {
    {"sequence", 'i', NULL}, {"treatment", 's', NULL}, {"effect", 'd', NULL}};

int sl_answer_vectors(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    const struct sl_runs *r = out->runs;
    struct vectors v;
    int rc = make_vectors(&v, r, &a->q, err);

    if (rc)
        return rc;
    for (size_t k = 0; k < v.n; k++)
        for (size_t j = 0; j < v.p; j++) {
            cell *c = sl_answer_add(out);
            c[0].i = (int64_t)k + 1;
            c[1].s = r->treatment.v[v.treatment[j]].name;
            c[2].d = v.x[j * v.n + k];
        }
    free_vectors(&v);
    return 0;
}

enum pca_part { COMPONENTS, LOADINGS, SCORES };

static int pca(struct sl_answer_rows *out, const struct sl_asked *a, enum pca_part part, struct sl_err *err)
{
    const struct sl_runs *r = out->runs;
    struct vectors v;
    double *sdev, *rotation, all = 0, sum = 0;
    int rc = make_vectors(&v, r, &a->q, err);

    if (rc)
        return rc;
    sdev = sl_alloc(v.p * sizeof *sdev);
    rotation = sl_alloc(v.p * v.p * sizeof *rotation);
    sl_pca(v.x, v.n, v.p, sdev, rotation);
    for (size_t k = 0; k < v.p; k++)
        all += sdev[k] * sdev[k];
    if (!(all > 0))
        rc = sl_err(err, SL_EUSAGE, "the effects are the same in every order, so there is nothing to take apart");
    for (size_t k = 0; k < v.p && part == COMPONENTS; k++) {
        cell *c = sl_answer_add(out);
        sum += sdev[k] * sdev[k];
        c[0].i = (int64_t)k + 1;
        c[1].d = sdev[k];
        c[2].d = sdev[k] * sdev[k] / all;
        c[3].d = sum / all;
    }
    for (size_t k = 0; k < v.p && part == LOADINGS; k++)
        for (size_t j = 0; j < v.p; j++) {
            cell *c = sl_answer_add(out);
            c[0].i = (int64_t)k + 1;
            c[1].s = r->treatment.v[v.treatment[j]].name;
            c[2].d = rotation[k * v.p + j];
        }
    for (size_t i = 0; i < v.n && part == SCORES; i++)
        for (size_t k = 0; k < v.p; k++) {
            cell *c = sl_answer_add(out);
            c[0].i = (int64_t)i + 1;
            c[1].i = (int64_t)k + 1;
            c[2].d = v.x[k * v.n + i];
        }
    free(sdev);
    free(rotation);
    free_vectors(&v);
    return rc;
}

const struct sl_answer_column sl_component_columns[SL_COMPONENT_COLUMNS] = {
    {"component", 'i', NULL}, {"stddev", 'd', NULL}, {"share", 'd', NULL}, {"cumulative", 'd', NULL}};

int sl_answer_components(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    return pca(out, a, COMPONENTS, err);
}

const struct sl_answer_column sl_loading_columns[SL_LOADING_COLUMNS] = {
    {"component", 'i', NULL}, {"treatment", 's', NULL}, {"loading", 'd', NULL}};

int sl_answer_loadings(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    return pca(out, a, LOADINGS, err);
}

const struct sl_answer_column sl_pca_score_columns[SL_PCA_SCORE_COLUMNS] = {
    {"sequence", 'i', NULL}, {"component", 'i', NULL}, {"score", 'd', NULL}};

int sl_answer_pca_scores(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    return pca(out, a, SCORES, err);
}
