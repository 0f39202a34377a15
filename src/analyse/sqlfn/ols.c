/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ols(y, x1 [, x2 ...]): least squares of y on all x with an intercept, as an aggregate function; a JSON object of
 *
 *   n, df                 rows; rows less coefficients
 *   coefficients          the intercept, then one for each x; null where an x follows from those before it
 *   stderr, t, p          of each; p is two-sided
 *   r_squared, adj_r_squared, residual_stddev
 *   f, f_p                of the whole model against the intercept alone
 *
 * Rows, numbers and errors as in stats.c; the arithmetic is analyse/kernels/regression/least_squares.h.
 */
#include "analyse/ext.h"
#include "analyse/kernels/regression/least_squares.h"
#include "analyse/sqlfn/number.h"
#include "analyse/sqlfn/sqlfn.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_ARGS = 127 }; /* what SQLite allows; newer ones 1000 */

struct rows {
    struct sl_ols o;
    struct sl_number *origin; /* the first row */
    double *row;
};

static void begin_rows(struct rows *a, int argc, const struct sl_number *v)
{
    sl_ols_init(&a->o, (size_t)argc - 1);
    a->origin = sl_alloc((size_t)argc * sizeof *a->origin);
    a->row = sl_alloc((size_t)argc * sizeof *a->row);
    memcpy(a->origin, v, (size_t)argc * sizeof *v);
}

/* y comes first, and in the kernel last. */
static void ols_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct rows *a = sqlite3_aggregate_context(ctx, sizeof *a);
    struct sl_number v[MOST_ARGS];

    if (argc < 2 || argc > MOST_ARGS) {
        sl_number_error(ctx, "takes y, then from 1 to %d of x", MOST_ARGS - 1);
        return;
    }
    if (!a)
        sqlite3_result_error_nomem(ctx);
    if (!a || sl_number_any_null(argc, argv))
        return;
    for (int i = 0; i < argc; i++)
        if (!sl_number_finite(ctx, argv[i], &v[i ? i - 1 : argc - 1]))
            return;
    if (!a->row)
        begin_rows(a, argc, v);
    for (int i = 0; i < argc; i++) {
        a->row[i] = sl_number_less(&v[i], &a->origin[i]);
        if (isinf(a->row[i])) {
            sl_number_result(ctx, INFINITY);
            return;
        }
    }
    sl_ols_add(&a->o, a->row);
}

static void add_list(struct sl_buf *b, const char *name, const double *v, size_t n)
{
    sl_json_open(b, name, '[');
    for (size_t i = 0; i < n; i++)
        sl_json_real(b, NULL, v[i]);
    sl_json_close(b, ']');
}

static void result_fit(sqlite3_context *ctx, const struct sl_ols_fit *fit, size_t terms)
{
    struct sl_buf b = {0};

    sl_json_open(&b, NULL, '{');
    sl_json_int(&b, "n", (int64_t)fit->n);
    sl_json_int(&b, "df", (int64_t)fit->df);
    add_list(&b, "coefficients", fit->b, terms);
    add_list(&b, "stderr", fit->se, terms);
    add_list(&b, "t", fit->t, terms);
    add_list(&b, "p", fit->pr, terms);
    sl_json_real(&b, "r_squared", fit->r_squared);
    sl_json_real(&b, "adj_r_squared", fit->adj_r_squared);
    sl_json_real(&b, "residual_stddev", fit->residual_stddev);
    sl_json_real(&b, "f", fit->f);
    sl_json_real(&b, "f_p", fit->f_pr);
    sl_buf_addc(&b, '}');
    sl_json_result(ctx, &b);
}

static void ols_final(sqlite3_context *ctx)
{
    struct rows *a = sqlite3_aggregate_context(ctx, 0);
    struct sl_ols_fit fit;

    if (!a || !a->row)
        return;
    for (size_t i = 0; i <= a->o.p; i++)
        a->row[i] = a->origin[i].d;
    if (a->o.n) {
        if (sl_ols_solve(&a->o, a->row, &fit)) {
            result_fit(ctx, &fit, a->o.p + 1);
            sl_ols_fit_free(&fit);
        } else {
            sl_number_result(ctx, INFINITY);
        }
    }
    sl_ols_free(&a->o);
    free(a->origin);
    free(a->row);
}

int sl_fn_ols(sqlite3 *db)
{
    return sl_number_register(db, "ols", -1, true, ols_step, ols_final);
}
