/* SPDX-License-Identifier: Apache-2.0 */
/* What an experiment has: its runs, its factors and their levels. */
#include "experiment/deltas.h"
#include "experiment/questions.h"

#include <math.h>

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

static int fill_about(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    struct sl_about_row *x = sl_rows_add(out);

    (void)q, (void)err;
    x->experiment = sl_rows_text(out, r->experiment);
    x->runs = 0;
    for (size_t i = 0; i < r->n; i++)
        x->runs += !isnan(r->score[i]);
    x->failed = (int64_t)r->failed;
    x->incomplete = (int64_t)r->incomplete;
    x->unit = sl_rows_text(out, r->scored);
    if (r->time_name) {
        x->first_ns = r->time_ns[0];
        x->last_ns = r->time_ns[r->n - 1];
    }
    x->timed = r->time_name != NULL;
    find_on_end(r, &x->on_end, &x->on_end_random);
    return 0;
}

const struct sl_experiment_fn sl_experiment_about = {
    .name = "about",
    .about = "how many runs there are, when they were, and the unit of scores",
    .row = &sl_about_row_columns,
    .fill = fill_about,
};

/* A row a level; runs where it is not known have none. */
static int fill_factors(struct sl_rows *out, const struct sl_runs *r, const struct sl_question *q, struct sl_err *err)
{
    static const char *const kinds[] = {[SL_FACTOR_CONSTANT] = "constant",
                                        [SL_FACTOR_BOOLEAN] = "boolean",
                                        [SL_FACTOR_NUMERIC] = "numeric",
                                        [SL_FACTOR_CATEGORICAL] = "categorical",
                                        [SL_FACTOR_IDENTITY] = "identity"};

    (void)q, (void)err;
    for (size_t f = 0; f < r->factors; f++)
        for (int32_t k = 0; k < (r->factor[f].levels ? r->factor[f].levels : 1); k++) {
            const struct sl_factor *of = &r->factor[f];
            struct sl_level_row *x = sl_rows_add(out);
            x->factor = sl_rows_text(out, of->name);
            x->kind = kinds[of->kind];
            x->levels = of->levels;
            x->level = of->levels ? sl_rows_text(out, of->level[k]) : NULL;
            x->runs = x->unknown = 0;
            x->joined = (int64_t)of->joined;
            x->base = k || of->levels < 2 ? NULL : of->stated ? "stated" : of->absent ? "not run" : "lowest";
            for (size_t i = 0; i < r->n; i++) {
                x->runs += sl_runs_levels(r, i)[f] == k;
                x->unknown += sl_runs_levels(r, i)[f] < 0;
            }
        }
    return 0;
}

const struct sl_experiment_fn sl_experiment_factors = {
    .name = "factors",
    .about = "what was varied, and how often",
    .row = &sl_level_row_columns,
    .fill = fill_factors,
};
