/* SPDX-License-Identifier: Apache-2.0 */
/* Treatments one after the other, and what each adds over all orders. */
#include "experiment/model/orders.h"
#include "experiment/questions.h"

#include <math.h>
#include <stdlib.h>

/* A treatment by itself of which the model can tell nothing; these come behind the others. */
static bool is_left_out(const struct sl_term *t)
{
    return t->part[0] >= 0 && t->part[1] < 0 && t->follows;
}

static int fill_sequence(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct sl_sequence s;
    int rc = sl_sequence_make(&s, r, q, err);

    if (rc)
        return rc;
    for (size_t i = 0; i < s.step.n; i++) {
        const struct sl_applied *step = &s.step.v[i];
        const struct sl_term *own = step->treatment < 0 ? NULL : sl_model_term(&s.model, r, step->treatment);
        struct sl_step_row *x = sl_rows_add(out);
        x->step = (int64_t)i;
        x->treatment = step->treatment < 0 ? NULL : sl_rows_text(out, r->treatment.v[step->treatment].name);
        x->before = i ? s.step.v[i - 1].score : NAN;
        x->after = step->score;
        x->delta = step->delta;
        x->runs = (int64_t)step->runs;
        x->measured = step->measured;
        x->pairs = s.model.interactions;
        x->p = own ? own->p : NAN;
        x->method = sl_model_methods[s.model.method];
    }
    for (size_t j = 1; j < s.model.terms; j++)
        if (is_left_out(&s.model.term[j])) {
            struct sl_step_row *x = sl_rows_add(out);
            x->treatment = sl_rows_text(out, r->treatment.v[s.model.term[j].part[0]].name);
            x->follows = sl_rows_text(out, s.model.term[j].follows);
            x->method = sl_model_methods[s.model.method];
        }
    sl_sequence_free(&s);
    return 0;
}

const struct sl_experiment_fn sl_experiment_sequence = {
    .name = "sequence",
    .about = "treatments one after the other, to the best",
    .row = &sl_step_row_columns,
    .fill = fill_sequence,
    .orders = true,
};

static int fill_shapley(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct sl_sequence s;
    double *v, *least, *most, *lower, *upper;
    bool sure;
    int rc = sl_sequence_make(&s, r, q, err);

    if (rc)
        return rc;
    v = sl_alloc(5 * s.step.n * sizeof *v);
    least = v + s.step.n;
    most = least + s.step.n;
    lower = most + s.step.n;
    upper = lower + s.step.n;
    rc = sl_sequence_shapley(&s, r, v, least, most, err);
    sure = !rc && sl_sequence_shapley_intervals(&s, r, lower, upper);
    for (size_t i = 0; i + 1 < s.step.n && !rc; i++) {
        struct sl_shapley_row *x = sl_rows_add(out);
        x->treatment = sl_rows_text(out, r->treatment.v[s.step.v[i + 1].treatment].name);
        x->value = v[i];
        x->least = least[i];
        x->most = most[i];
        x->lower = sure ? lower[i] : NAN;
        x->upper = sure ? upper[i] : NAN;
    }
    for (size_t j = 1; j < s.model.terms && !rc; j++)
        if (is_left_out(&s.model.term[j])) {
            struct sl_shapley_row *x = sl_rows_add(out);
            x->treatment = sl_rows_text(out, r->treatment.v[s.model.term[j].part[0]].name);
            x->follows = sl_rows_text(out, s.model.term[j].follows);
        }
    free(v);
    sl_sequence_free(&s);
    return rc;
}

static double value_of(const void *row)
{
    return ((const struct sl_shapley_row *)row)->value;
}

const struct sl_experiment_fn sl_experiment_shapley = {
    .name = "shapley",
    .about = "what each treatment adds, over all orders",
    .row = &sl_shapley_row_columns,
    .fill = fill_shapley,
    .orders = true,
    .key = value_of,
};
