/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/adjust.h"
#include "experiment/answers_internal.h"
#include "experiment/deltas.h"
#include "experiment/means.h"
#include "experiment/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef union sl_answer_cell cell;

cell *sl_answer_add(struct sl_answer_rows *out)
{
    size_t at = out->cell.n;

    for (size_t i = 0; i < out->columns; i++)
        sl_vec_add(&out->cell);
    out->n++;
    return out->cell.v + at;
}

const char *sl_answer_keep(struct sl_answer_rows *out, const char *s)
{
    return s ? sl_arena_copy(&out->arena, s, strlen(s)) : NULL;
}

static int64_t time_or_null(const struct sl_runs *r, size_t i)
{
    return r->time_name ? r->time_ns[i] : INT64_MIN;
}

/* ---- what there is ---- */

static const struct sl_answer_column about_columns[] = {
    {"experiment", 's', NULL}, {"runs", 'i', "runs"},          {"failed", 'i', "runs"}, {"incomplete", 'i', "runs"},
    {"unit", 's', NULL},       {"first_ns", 'i', "ns"},        {"last_ns", 'i', "ns"},  {"timed", 'i', NULL},
    {"on_end", 'd', "runs"},   {"on_end_random", 'd', "runs"},
};

/* How many runs follow each other with the same levels, on average; and how many would if they came in random order. */
static void find_on_end(const struct sl_runs *r, double *on_end, double *by_chance)
{
    double alike = 0, expected = 0, n = (double)r->n;
    struct sl_deltas d;

    *on_end = *by_chance = NAN;
    if (!r->treatment.n || r->n < 2)
        return;
    sl_deltas_make(&d, r);
    for (size_t i = 1; i < r->n; i++)
        alike += (d.cells.of[i] == d.cells.of[i - 1]) / (n - 1);
    for (size_t c = 0; c < d.cells.n; c++) {
        double runs = (double)(d.cells.begin[c + 1] - d.cells.begin[c]);
        expected += runs / n * ((runs - 1) / (n - 1));
    }
    *on_end = alike < 1 ? 1 / (1 - alike) : n;
    *by_chance = expected < 1 ? 1 / (1 - expected) : n;
    sl_deltas_free(&d);
}

static int about(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    const struct sl_runs *r = out->runs;
    cell *c = sl_answer_add(out);

    (void)a, (void)err;
    c[SL_ABOUT_EXPERIMENT].s = r->experiment;
    c[SL_ABOUT_RUNS].i = 0;
    for (size_t i = 0; i < r->n; i++)
        c[SL_ABOUT_RUNS].i += !isnan(r->score[i]);
    c[SL_ABOUT_FAILED].i = (int64_t)r->failed;
    c[SL_ABOUT_INCOMPLETE].i = (int64_t)r->incomplete;
    c[SL_ABOUT_UNIT].s = r->scored;
    c[SL_ABOUT_FIRST_NS].i = time_or_null(r, 0);
    c[SL_ABOUT_LAST_NS].i = time_or_null(r, r->n - 1);
    c[SL_ABOUT_TIMED].i = r->time_name != NULL;
    find_on_end(r, &c[SL_ABOUT_ON_END].d, &c[SL_ABOUT_ON_END_RANDOM].d);
    return 0;
}

static const struct sl_answer_column factor_columns[] = {
    {"factor", 's', NULL}, {"kind", 's', NULL},     {"levels", 'i', NULL},    {"level", 's', NULL},
    {"runs", 'i', "runs"}, {"joined", 'i', "runs"}, {"unknown", 'i', "runs"}, {"base", 's', NULL}};

/* A row a level; runs where it is not known have none. */
static int factors(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    static const char *const kinds[] = {[SL_FACTOR_CONSTANT] = "constant",
                                        [SL_FACTOR_BOOLEAN] = "boolean",
                                        [SL_FACTOR_NUMERIC] = "numeric",
                                        [SL_FACTOR_CATEGORICAL] = "categorical",
                                        [SL_FACTOR_IDENTITY] = "identity"};
    const struct sl_runs *r = out->runs;

    (void)a, (void)err;
    for (size_t f = 0; f < r->factors; f++)
        for (int32_t k = 0; k < (r->factor[f].levels ? r->factor[f].levels : 1); k++) {
            cell *c = sl_answer_add(out);
            c[0].s = r->factor[f].name;
            c[1].s = kinds[r->factor[f].kind];
            c[2].i = r->factor[f].levels;
            c[3].s = r->factor[f].levels ? r->factor[f].level[k] : NULL;
            c[4].i = c[6].i = 0;
            c[5].i = (int64_t)r->factor[f].joined;
            c[7].s = k || r->factor[f].levels < 2 ? NULL
                     : r->factor[f].stated        ? "stated"
                     : r->factor[f].absent        ? "not run"
                                                  : "lowest";
            for (size_t i = 0; i < r->n; i++) {
                c[4].i += sl_runs_levels(r, i)[f] == k;
                c[6].i += sl_runs_levels(r, i)[f] < 0;
            }
        }
    return 0;
}

/* ---- deltas and means ---- */

static const struct sl_answer_column delta_columns[] = {
    {"treatment", 's', NULL}, {"before", 'd', NULL},     {"after", 'd', NULL},    {"delta", 'd', NULL},
    {"log2", 'd', NULL},      {"before_run", 'i', NULL}, {"after_run", 'i', NULL}};

static int deltas(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    const struct sl_runs *r = out->runs;
    struct sl_deltas d;

    (void)a, (void)err;
    sl_deltas_make(&d, r);
    for (size_t i = 0; i < d.pair.n; i++) {
        const struct sl_cell_pair *p = &d.pair.v[i];
        for (uint32_t x = d.cells.begin[p->without]; x < d.cells.begin[p->without + 1]; x++)
            for (uint32_t y = d.cells.begin[p->with]; y < d.cells.begin[p->with + 1]; y++) {
                uint32_t before = d.cells.run[x], after = d.cells.run[y];
                cell *c = sl_answer_add(out);
                c[SL_DELTAS_TREATMENT].s = r->treatment.v[p->treatment].name;
                c[SL_DELTAS_BEFORE].d = r->score[before];
                c[SL_DELTAS_AFTER].d = r->score[after];
                c[SL_DELTAS_DELTA].d = r->score[after] - r->score[before];
                c[SL_DELTAS_LOG2].d =
                    r->score[after] > 0 && r->score[before] > 0 ? log2(r->score[after] / r->score[before]) : NAN;
                c[SL_DELTAS_BEFORE_RUN].i = r->span[before];
                c[SL_DELTAS_AFTER_RUN].i = r->span[after];
            }
    }
    sl_deltas_free(&d);
    return 0;
}

static const struct sl_answer_column mean_columns[] = {
    {"treatment", 's', NULL},
    {"pairs", 'i', "pairs"},
    {"delta", 'd', NULL},
    {"lower", 'd', NULL},
    {"upper", 'd', NULL},
    {"p", 'd', NULL},
    {"p_holm", 'd', NULL},
    {"p_bh", 'd', NULL},
    {"runs_without", 'i', "runs"},
    {"runs_with", 'i', "runs"},
    {"mean_without", 'd', NULL},
    {"mean_with", 'd', NULL},
    {"difference", 'd', NULL},
    {"difference_lower", 'd', NULL},
    {"difference_upper", 'd', NULL},
    {"difference_p", 'd', NULL},
    {"difference_p_holm", 'd', NULL},
    {"difference_p_bh", 'd', NULL},
    {"lacks", 's', NULL},
    {"difference_lacks", 's', NULL},
};

static int means(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    const struct sl_runs *r = out->runs;
    struct sl_mean *m = sl_alloc(r->treatment.n * sizeof *m + 1);
    struct sl_deltas d;

    (void)a, (void)err;
    sl_deltas_make(&d, r);
    sl_means(m, r, &d);
    for (size_t t = 0; t < r->treatment.n; t++) {
        cell *c = sl_answer_add(out);
        c[SL_MEANS_TREATMENT].s = r->treatment.v[t].name;
        c[SL_MEANS_PAIRS].i = (int64_t)m[t].pairs;
        c[SL_MEANS_DELTA].d = m[t].delta;
        c[SL_MEANS_LOWER].d = m[t].lower;
        c[SL_MEANS_UPPER].d = m[t].upper;
        c[SL_MEANS_P].d = m[t].p;
        c[SL_MEANS_P_HOLM].d = m[t].p_holm;
        c[SL_MEANS_P_BH].d = m[t].p_bh;
        c[SL_MEANS_RUNS_WITHOUT].i = (int64_t)m[t].runs_without;
        c[SL_MEANS_RUNS_WITH].i = (int64_t)m[t].runs_with;
        c[SL_MEANS_WITHOUT].d = m[t].without;
        c[SL_MEANS_WITH].d = m[t].with;
        c[SL_MEANS_DIFFERENCE].d = m[t].difference;
        c[SL_MEANS_DIFFERENCE_LOWER].d = m[t].difference_lower;
        c[SL_MEANS_DIFFERENCE_UPPER].d = m[t].difference_upper;
        c[SL_MEANS_DIFFERENCE_P].d = m[t].difference_p;
        c[SL_MEANS_DIFFERENCE_P_HOLM].d = m[t].difference_p_holm;
        c[SL_MEANS_DIFFERENCE_P_BH].d = m[t].difference_p_bh;
        c[SL_MEANS_LACKS].s = m[t].lacks;
        c[SL_MEANS_DIFFERENCE_LACKS].s = m[t].difference_lacks;
    }
    sl_deltas_free(&d);
    free(m);
    return 0;
}

/* ---- models ---- */

static const struct sl_answer_column model_columns[] = {
    {"term", 's', NULL},       {"estimate", 'd', NULL},      {"std_error", 'd', NULL},
    {"lower", 'd', NULL},      {"upper", 'd', NULL},         {"t", 'd', NULL},
    {"p", 'd', NULL},          {"p_holm", 'd', NULL},        {"p_bh", 'd', NULL},
    {"follows", 's', NULL},    {"runs", 'i', "runs"},        {"df", 'i', NULL},
    {"r_squared", 'd', NULL},  {"adj_r_squared", 'd', NULL}, {"residual_stddev", 'd', NULL},
    {"f", 'd', NULL},          {"f_p", 'd', NULL},           {"method", 's', NULL},
    {"kept", 'd', NULL},       {"alpha", 'd', NULL},         {"lambda", 'd', NULL},
    {"lambda_1se", 'd', NULL}, {"cv_r_squared", 'd', NULL},  {"censored", 'i', "runs"},
    {"limit", 'd', NULL}};

static int model(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    struct sl_linear_model m;
    int rc = sl_model_fit(&m, out->runs, &a->q, err);

    if (rc)
        return rc;
    for (size_t j = 0; j < m.terms; j++) {
        const struct sl_term *t = &m.term[j];
        cell *c = sl_answer_add(out);
        c[SL_MODEL_TERM].s = sl_answer_keep(out, t->name);
        c[SL_MODEL_ESTIMATE].d = t->estimate;
        c[SL_MODEL_ERROR].d = t->error;
        c[SL_MODEL_LOWER].d = t->lower;
        c[SL_MODEL_UPPER].d = t->upper;
        c[SL_MODEL_T].d = t->t;
        c[SL_MODEL_P].d = t->p;
        c[SL_MODEL_P_HOLM].d = t->p_holm;
        c[SL_MODEL_P_BH].d = t->p_bh;
        c[SL_MODEL_FOLLOWS].s = sl_answer_keep(out, t->follows);
        c[SL_MODEL_RUNS].i = (int64_t)m.n;
        c[SL_MODEL_DF].i = m.method == SL_MODEL_LEAST_SQUARES ? (int64_t)m.df : INT64_MIN;
        c[SL_MODEL_R_SQUARED].d = m.r_squared;
        c[SL_MODEL_ADJ_R_SQUARED].d = m.adj_r_squared;
        c[SL_MODEL_RESIDUAL_STDDEV].d = m.residual_stddev;
        c[SL_MODEL_F].d = m.f;
        c[SL_MODEL_F_P].d = m.f_p;
        c[SL_MODEL_METHOD].s = sl_model_methods[m.method];
        c[SL_MODEL_KEPT].d = t->kept;
        c[SL_MODEL_ALPHA].d = m.alpha;
        c[SL_MODEL_LAMBDA].d = m.lambda;
        c[SL_MODEL_LAMBDA_1SE].d = m.lambda_1se;
        c[SL_MODEL_CV_R_SQUARED].d = m.cv_r_squared;
        c[SL_MODEL_CENSORED].i = (int64_t)m.censored;
        c[SL_MODEL_LIMIT].d = m.limit;
    }
    sl_model_free(&m);
    return 0;
}

static const struct sl_answer_column tile_columns[] = {
    {"treatment", 's', NULL}, {"other", 's', NULL}, {"estimate", 'd', NULL}, {"lower", 'd', NULL},
    {"upper", 'd', NULL},     {"p", 'd', NULL},     {"p_holm", 'd', NULL},   {"p_bh", 'd', NULL}};

/* p of the pairs alone, corrected as so many comparisons; of pairs, of as many doubles as terms, twice. */
static double *correct_pairs(const struct sl_linear_model *m)
{
    double *p = sl_alloc(2 * m->terms * sizeof *p);

    for (size_t j = 0; j < m->terms; j++)
        p[j] = p[m->terms + j] = m->term[j].part[1] >= 0 ? m->term[j].p : NAN;
    sl_adjust_holm(p, p, m->terms);
    sl_adjust_bh(p + m->terms, p + m->terms, m->terms);
    return p;
}

/* Of each pair, A:B as A, B and as B, A. */
static int tiles(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    struct sl_question q = a->q;
    struct sl_linear_model m;
    double *corrected;
    int rc;

    q.interactions = true;
    if ((rc = sl_model_fit(&m, out->runs, &q, err)))
        return rc;
    corrected = correct_pairs(&m);
    for (size_t j = 0; j < m.terms; j++)
        for (int turn = 0; turn < 2 && m.term[j].part[1] >= 0; turn++) {
            const struct sl_term *t = &m.term[j];
            const char *colon = NULL;
            cell *c = sl_answer_add(out);
            for (size_t k = 1; k < m.terms && !colon; k++) /* names may hold a colon */
                if (m.term[k].part[0] == t->part[0] && m.term[k].part[1] < 0)
                    colon = t->name + strlen(m.term[k].name);
            c[turn].s = sl_arena_copy(&out->arena, t->name, (size_t)(colon - t->name));
            c[!turn].s = sl_answer_keep(out, colon + 1);
            c[SL_TILES_ESTIMATE].d = t->estimate;
            c[SL_TILES_LOWER].d = t->lower;
            c[SL_TILES_UPPER].d = t->upper;
            c[SL_TILES_P].d = t->p;
            c[SL_TILES_P_HOLM].d = corrected[j];
            c[SL_TILES_P_BH].d = corrected[m.terms + j];
        }
    free(corrected);
    sl_model_free(&m);
    return 0;
}

static const struct sl_answer_column fit_columns[] = {{"run", 'i', NULL},
                                                      {"time_ns", 'i', "ns"},
                                                      {"measured", 'd', NULL},
                                                      {"fitted", 'd', NULL},
                                                      {"residual", 'd', NULL}};

static int fit(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    const struct sl_runs *r = out->runs;
    struct sl_linear_model m;
    int rc = sl_model_fit(&m, r, &a->q, err);

    if (rc)
        return rc;
    for (size_t k = 0; k < m.n; k++) {
        cell *c = sl_answer_add(out);
        c[0].i = r->span[m.run[k]];
        c[1].i = time_or_null(r, m.run[k]);
        c[2].d = r->score[m.run[k]];
        c[3].d = m.fitted[k];
        c[4].d = c[2].d - c[3].d;
    }
    sl_model_free(&m);
    return 0;
}

/* ---- one treatment, delta by delta ---- */

static const struct sl_answer_column scatter_columns[] = {
    {"before", 'd', NULL}, {"after", 'd', NULL},      {"delta", 'd', NULL},    {"log2", 'd', NULL},
    {"colour", 's', NULL}, {"before_run", 'i', NULL}, {"after_run", 'i', NULL}};

static int no_such(const struct sl_runs *r, const char *what, const char *name, struct sl_err *err)
{
    char all[800];
    size_t n = 0;

    all[0] = 0;
    for (size_t f = 0; f < r->factors && n < sizeof all; f++)
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", f ? ", " : "", r->factor[f].name);
    return sl_err(err, SL_EUSAGE, "there is no %s '%s'; there are: %s", what, name, all);
}

static int scatter(struct sl_answer_rows *out, const struct sl_asked *a, struct sl_err *err)
{
    const struct sl_runs *r = out->runs;
    size_t colour = r->factors, factor = r->factors;
    struct sl_deltas d;

    if (!a->of)
        return sl_err(err, SL_EUSAGE, "of which treatment? Name a factor, or FACTOR=LEVEL");
    for (size_t f = 0; f < r->factors; f++) {
        colour = a->by && !strcmp(a->by, r->factor[f].name) ? f : colour;
        factor = !strcmp(a->of, r->factor[f].name) ? f : factor;
    }
    if (a->by && colour == r->factors)
        return no_such(r, "factor", a->by, err);
    for (size_t t = 0; t < r->treatment.n; t++)
        if (!strcmp(a->of, r->treatment.v[t].name))
            factor = r->treatment.v[t].factor;
    if (factor == r->factors)
        return no_such(r, "treatment", a->of, err);
    if (r->factor[factor].kind == SL_FACTOR_CONSTANT)
        return sl_err(err, SL_EUSAGE, "%s never varies in these runs", a->of);
    sl_deltas_make(&d, r);
    for (size_t i = 0; i < d.pair.n; i++) {
        const struct sl_cell_pair *p = &d.pair.v[i];
        const struct sl_treatment *t = &r->treatment.v[p->treatment];
        if (t->factor != factor || (strcmp(a->of, r->factor[factor].name) != 0 && strcmp(a->of, t->name) != 0))
            continue;
        for (uint32_t x = d.cells.begin[p->without]; x < d.cells.begin[p->without + 1]; x++)
            for (uint32_t y = d.cells.begin[p->with]; y < d.cells.begin[p->with + 1]; y++) {
                uint32_t before = d.cells.run[x], after = d.cells.run[y];
                int32_t level = colour < r->factors ? sl_runs_levels(r, before)[colour] : -1;
                cell *c = sl_answer_add(out);
                c[0].d = r->score[before];
                c[1].d = r->score[after];
                c[2].d = c[1].d - c[0].d;
                c[3].d = c[0].d > 0 && c[1].d > 0 ? log2(c[1].d / c[0].d) : NAN;
                c[4].s = level >= 0 ? r->factor[colour].level[level] : NULL;
                c[5].i = r->span[before];
                c[6].i = r->span[after];
            }
    }
    sl_deltas_free(&d);
    return 0;
}

#define ANSWER(name, columns, fill, failed, coarse)                                                                    \
    {                                                                                                                  \
        name, columns, sizeof(columns) / sizeof *(columns), fill, failed, coarse                                       \
    }
const struct sl_answer sl_answers[SL_ANSWERS] = {
    [SL_ANSWER_ABOUT] = ANSWER("about", about_columns, about, false, false),
    [SL_ANSWER_FACTORS] = ANSWER("factors", factor_columns, factors, false, false),
    [SL_ANSWER_DELTAS] = ANSWER("deltas", delta_columns, deltas, false, true),
    [SL_ANSWER_MEANS] = ANSWER("means", mean_columns, means, false, true),
    [SL_ANSWER_MODEL] = ANSWER("model", model_columns, model, false, false),
    [SL_ANSWER_TILES] = ANSWER("tiles", tile_columns, tiles, false, false),
    [SL_ANSWER_FIT] = ANSWER("fit", fit_columns, fit, false, false),
    [SL_ANSWER_SEQUENCE] = ANSWER("sequence", sl_sequence_columns, sl_answer_sequence, false, false),
    [SL_ANSWER_SHAPLEY] = ANSWER("shapley", sl_shapley_columns, sl_answer_shapley, false, false),
    [SL_ANSWER_VECTORS] = ANSWER("vectors", sl_vector_columns, sl_answer_vectors, false, false),
    [SL_ANSWER_PCA] = ANSWER("pca", sl_component_columns, sl_answer_components, false, false),
    [SL_ANSWER_LOADINGS] = ANSWER("loadings", sl_loading_columns, sl_answer_loadings, false, false),
    [SL_ANSWER_PCA_SCORES] = ANSWER("pca_scores", sl_pca_score_columns, sl_answer_pca_scores, false, false),
    [SL_ANSWER_SCATTER] = ANSWER("scatter", scatter_columns, scatter, false, true),
    [SL_ANSWER_VARIANCE] = ANSWER("variance", sl_variance_columns, sl_answer_variance, false, false),
    [SL_ANSWER_FAILURES] = ANSWER("failures", sl_failures_columns, sl_answer_failures, true, true),
    [SL_ANSWER_DRIFT] = ANSWER("drift", sl_drift_columns, sl_answer_drift, false, false),
    [SL_ANSWER_RESIDUALS] = ANSWER("residuals", sl_residual_columns, sl_answer_residuals, false, false),
    [SL_ANSWER_ENOUGH] = ANSWER("enough", sl_enough_columns, sl_answer_enough, false, false),
    [SL_ANSWER_PRECISION] = ANSWER("precision", sl_precision_columns, sl_answer_precision, false, false),
    [SL_ANSWER_LOGS] = ANSWER("logs", sl_logs_columns, sl_answer_logs, false, false),
    [SL_ANSWER_PARTS] = ANSWER("parts", sl_parts_columns, sl_answer_parts, false, false),
};

int sl_answer(struct sl_answer_rows *out, const struct sl_runs *r, const struct sl_answer *answer,
              const struct sl_asked *a, struct sl_err *err)
{
    int rc;

    *out = (struct sl_answer_rows){.columns = answer->columns, .runs = r};
    if ((rc = answer->fill(out, a, err)))
        sl_answer_free(out);
    return rc;
}

void sl_answer_free(struct sl_answer_rows *r)
{
    sl_vec_free(&r->cell);
    sl_arena_free(&r->arena);
    *r = (struct sl_answer_rows){0};
}
