/* SPDX-License-Identifier: Apache-2.0 */
/* What a model of the scores says: its terms, pairs of treatments, and each run. */
#include "analyse/kernels/regression/adjust.h"
#include "experiment/model/linear_model.h"
#include "experiment/questions.h"

#include <math.h>
#include <stdlib.h>

static int fill_model(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct sl_linear_model m;
    int rc = sl_model_fit(&m, r, q, err);

    if (rc)
        return rc;
    for (size_t j = 0; j < m.terms; j++) {
        const struct sl_term *t = &m.term[j];
        struct sl_model_row *x = sl_rows_add(out);
        *x = (struct sl_model_row){.term = sl_rows_text(out, t->name),
                                   .estimate = t->estimate,
                                   .std_error = t->error,
                                   .lower = t->lower,
                                   .upper = t->upper,
                                   .t = t->t,
                                   .p = t->p,
                                   .p_holm = t->p_holm,
                                   .p_bh = t->p_bh,
                                   .follows = sl_rows_text(out, t->follows),
                                   .runs = (int64_t)m.n,
                                   .df = m.method == SL_MODEL_LEAST_SQUARES ? (int64_t)m.df : SL_NULL_INTEGER,
                                   .r_squared = m.r_squared,
                                   .adj_r_squared = m.adj_r_squared,
                                   .residual_stddev = m.residual_stddev,
                                   .f = m.f,
                                   .f_p = m.f_p,
                                   .method = sl_model_methods[m.method],
                                   .kept = t->kept,
                                   .alpha = m.alpha,
                                   .lambda = m.lambda,
                                   .lambda_1se = m.lambda_1se,
                                   .cv_r_squared = m.cv_r_squared,
                                   .censored = (int64_t)m.censored,
                                   .limit = m.limit};
    }
    sl_model_free(&m);
    return 0;
}

const struct sl_experiment_fn sl_experiment_model = {
    .name = "model",
    .about = "what each treatment changes, all else being equal",
    .row = &sl_model_row_columns,
    .fill = fill_model,
};

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
static int fill_tiles(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *question,
                      struct sl_err *err)
{
    struct sl_question q = *question;
    struct sl_linear_model m;
    double *corrected;
    int rc;

    q.interactions = true;
    if ((rc = sl_model_fit(&m, r, &q, err)))
        return rc;
    corrected = correct_pairs(&m);
    for (size_t j = 0; j < m.terms; j++)
        for (int turn = 0; turn < 2 && m.term[j].part[1] >= 0; turn++) {
            const struct sl_term *t = &m.term[j];
            const char *colon = NULL, *first, *second;
            struct sl_tile *x = sl_rows_add(out);
            for (size_t k = 1; k < m.terms && !colon; k++) /* names may hold a colon */
                if (m.term[k].part[0] == t->part[0] && m.term[k].part[1] < 0)
                    colon = t->name + strlen(m.term[k].name);
            first = sl_arena_copy(&out->text, t->name, (size_t)(colon - t->name));
            second = sl_rows_text(out, colon + 1);
            *x = (struct sl_tile){.treatment = turn ? second : first,
                                  .other = turn ? first : second,
                                  .estimate = t->estimate,
                                  .lower = t->lower,
                                  .upper = t->upper,
                                  .p = t->p,
                                  .p_holm = corrected[j],
                                  .p_bh = corrected[m.terms + j]};
        }
    free(corrected);
    sl_model_free(&m);
    return 0;
}

const struct sl_experiment_fn sl_experiment_tiles = {
    .name = "tiles",
    .about = "what two treatments change beyond what each does, either way round",
    .row = &sl_tile_columns,
    .fill = fill_tiles,
};

static int fill_fit(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct sl_linear_model m;
    int rc = sl_model_fit(&m, r, q, err);

    if (rc)
        return rc;
    for (size_t k = 0; k < m.n; k++) {
        struct sl_fit_row *x = sl_rows_add(out);
        x->run = r->span[m.run[k]];
        if (r->time_name)
            x->time_ns = r->time_ns[m.run[k]];
        x->measured = r->score[m.run[k]];
        x->fitted = m.fitted[k];
        x->residual = x->measured - x->fitted;
    }
    sl_model_free(&m);
    return 0;
}

const struct sl_experiment_fn sl_experiment_fit = {
    .name = "fit",
    .about = "what the model says of each run, and what was measured",
    .row = &sl_fit_row_columns,
    .fill = fill_fit,
};
