/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kde2d(x, y [, nx [, ny [, hx [, hy]]]]): how densely pairs lie, as a JSON array of {"x", "y", "density"}: at nx times
 * ny points (25 each, if not given), from the least x and y to the greatest.  R's MASS::kde2d, with its bandwidths;
 * where the quartiles are equal, of the standard deviation alone.  hx, hy: bandwidths to take instead, as standard
 * deviations of the kernel; NULL: none.  NULL where all x or all y are equal.  Rows where x or y is NULL do not count.
 *
 *     SELECT json_extract(value, '$.x'), json_extract(value, '$.y'), json_extract(value, '$.density')
 *     FROM json_each((SELECT kde2d(start_ns / 1e9, duration_s) FROM two_events('submitted', 'exec_done')));
 */
#include "analyse/ext.h"
#include "analyse/kernels/density.h"
#include "analyse/kernels/density2.h"
#include "analyse/kernels/quantile.h"
#include "analyse/sqlfn/number.h"
#include "analyse/sqlfn/sqlfn.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 25, MOST_POINTS = 1000 };

struct pairs {
    SL_VEC(double) v[2];
    double points[2]; /* 0: not seen yet */
    double h[2];      /* bandwidths that were given, or 0 */
};

static bool set_points(sqlite3_context *ctx, double *points, sqlite3_value *arg)
{
    struct sl_number x = {.d = POINTS};

    if (sqlite3_value_type(arg) != SQLITE_NULL && !sl_number_get(ctx, arg, &x))
        return false;
    if (!(x.d >= 2 && x.d <= MOST_POINTS && x.d == floor(x.d)))
        sl_number_error(ctx, "a grid has 2 to %d points a side, a whole number", MOST_POINTS);
    else if (*points > 0 && *points != x.d)
        sl_number_error(ctx, "the number of points must be the same in all rows");
    else
        return *points = x.d, true;
    return false;
}

static bool set_bandwidth(sqlite3_context *ctx, double *h, sqlite3_value *arg)
{
    struct sl_number x;

    if (sqlite3_value_type(arg) == SQLITE_NULL)
        return true;
    if (!sl_number_finite(ctx, arg, &x))
        return false;
    if (!(x.d > 0))
        sl_number_error(ctx, "a bandwidth is above 0");
    else if (*h > 0 && *h != x.d)
        sl_number_error(ctx, "the bandwidth must be the same in all rows");
    else
        return *h = x.d, true;
    return false;
}

static void step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct pairs *a = sqlite3_aggregate_context(ctx, sizeof *a);
    struct sl_number x, y;

    if (!a) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    for (int i = 2; i < argc; i++)
        if (i < 4 ? !set_points(ctx, &a->points[i - 2], argv[i]) : !set_bandwidth(ctx, &a->h[i - 4], argv[i]))
            return;
    if (sl_number_any_null(2, argv) || !sl_number_finite(ctx, argv[0], &x) || !sl_number_finite(ctx, argv[1], &y))
        return;
    *sl_vec_add(&a->v[0]) = x.d;
    *sl_vec_add(&a->v[1]) = y.d;
}

struct side {
    double *at, h;
    size_t n;
};

/* false: all values are equal, or too far apart for double. */
static bool make_side(struct side *s, const double *v, size_t n, double points, double h)
{
    double *sorted = sl_alloc(n * sizeof *sorted), step;

    memcpy(sorted, v, n * sizeof *v);
    sl_sort(sorted, n);
    s->n = points > 0 ? (size_t)points : POINTS;
    s->h = h > 0 ? h : sl_bandwidth(sorted, n, SL_BANDWIDTH_NRD);
    s->at = sl_alloc(s->n * sizeof *s->at);
    step = (sorted[n - 1] - sorted[0]) / (double)(s->n - 1);
    for (size_t i = 0; i < s->n; i++)
        s->at[i] = i + 1 == s->n ? sorted[n - 1] : sorted[0] + step * (double)i;
    free(sorted);
    return s->h > 0 && isfinite(s->h) && step > 0 && isfinite(step);
}

static void put(sqlite3_context *ctx, const struct side *side, const double *density)
{
    struct sl_buf b = {0};

    sl_json_open(&b, NULL, '[');
    for (size_t j = 0; j < side[1].n; j++)
        for (size_t i = 0; i < side[0].n; i++) {
            sl_json_open(&b, NULL, '{');
            sl_json_real(&b, "x", side[0].at[i]);
            sl_json_real(&b, "y", side[1].at[j]);
            sl_json_real(&b, "density", density[j * side[0].n + i]);
            sl_json_close(&b, '}');
        }
    sl_json_close(&b, ']');
    sl_json_result(ctx, &b);
}

static void final(sqlite3_context *ctx)
{
    struct pairs *a = sqlite3_aggregate_context(ctx, 0);
    struct side side[2] = {0};
    size_t n = a ? a->v[0].n : 0;
    bool good = n > 0;

    for (int i = 0; i < 2 && n; i++)
        good &= make_side(&side[i], a->v[i].v, n, a->points[i], a->h[i]);
    if (good) {
        double *density = sl_alloc(side[0].n * side[1].n * sizeof *density);
        sl_kde2(density, side[0].at, side[0].n, side[1].at, side[1].n, a->v[0].v, a->v[1].v, n, side[0].h, side[1].h);
        put(ctx, side, density);
        free(density);
    }
    for (int i = 0; i < 2; i++) {
        free(side[i].at);
        if (a)
            sl_vec_free(&a->v[i]);
    }
}

int sl_fn_kde2d(sqlite3 *db)
{
    int rc = SQLITE_OK;

    for (int args = 2; args <= 6 && !rc; args++)
        rc = sl_number_register(db, "kde2d", args, true, step, final);
    return rc;
}
