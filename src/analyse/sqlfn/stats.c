/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics as aggregate functions; the arithmetic is in analyse/kernels/.
 *
 *   quantile(x, p), median(x)        of definition 7 of Hyndman & Fan, in the unit of x
 *   stddev(x), corr(x, y)            of a sample; Pearson's
 *   histogram(x [, bins])            a JSON array of {"low", "high", "count"}
 *   kde(x [, points [, bandwidth]])  a JSON array of {"x", "density"}
 *   rank_sum_p(x, here, stratum)     how probable it is that x is as large as it is where `here` is true by chance
 * alone
 *
 * Rows where an argument is NULL do not count; texts that are plain numbers are numbers, other texts and blobs an
 * error.  Infinity is a value of quantile() and median(), elsewhere an error.  What cannot be said is NULL.
 *
 *     SELECT type, count(*), median(value), quantile(value, 0.99) FROM samples JOIN spans ON id = span GROUP BY type;
 */
#include "analyse/ext.h"
#include "analyse/kernels/density.h"
#include "analyse/kernels/moments.h"
#include "analyse/kernels/quantile.h"
#include "analyse/kernels/rank_sum.h"
#include "analyse/sqlfn/number.h"
#include "analyse/sqlfn/sqlfn.h"
#include "base/buf.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 512, MOST_BINS = 100000, MOST_POINTS = 100000 };

/* An argument that all rows of a group must agree on. */
struct setting {
    bool seen;
    double d; /* NaN: NULL */
};

struct values { /* of one group, for functions that need all */
    SL_VEC(double) v;
    struct setting set[2];
};

struct pairs { /* for those that need sums: a block of differences from the first */
    struct sl_moments m;
    struct sl_number origin[2];
    double x[SL_MOMENTS_BLOCK], y[SL_MOMENTS_BLOCK];
    size_t n; /* in the block */
    bool begun;
};

static void *group(sqlite3_context *ctx, int bytes)
{
    void *p = sqlite3_aggregate_context(ctx, bytes);

    if (!p && bytes)
        sqlite3_result_error_nomem(ctx);
    return p;
}

/* ---- all values of a group ---- */

/* NULL is a setting too.  low..high: what it may be; whole: of whole numbers only. */
static bool set(sqlite3_context *ctx, struct setting *s, sqlite3_value *arg, double low, double high, bool whole,
                const char *what)
{
    struct sl_number n = {.d = NAN};
    bool null = sqlite3_value_type(arg) == SQLITE_NULL;

    if (!null && !sl_number_get(ctx, arg, &n))
        return false;
    if (s->seen && (s->d == n.d || (null && isnan(s->d))))
        return true;
    if (s->seen)
        sl_number_error(ctx, "%s must be the same in all rows of a group", what);
    else if (!null && (!(n.d >= low && n.d <= high) || (whole && n.d != floor(n.d))))
        sl_number_error(ctx, "%s must be %s from %.15g to %.15g, not %.15g", what,
                        whole ? "a whole number" : "a number", low, high, n.d);
    else {
        *s = (struct setting){true, n.d};
        return true;
    }
    return false;
}

static void add_value(struct values *a, double d)
{
    *sl_vec_add(&a->v) = d;
}

static void end_values(struct values *a)
{
    if (a)
        sl_vec_free(&a->v);
}

static void quantile_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct values *a = group(ctx, sizeof *a);
    struct sl_number x;

    if (!a)
        return;
    if (argc == 1)
        a->set[0] = (struct setting){true, 0.5};
    else if (sqlite3_value_type(argv[1]) == SQLITE_NULL)
        sl_number_error(ctx, "p must be a number from 0 to 1, not NULL");
    else if (!set(ctx, &a->set[0], argv[1], 0, 1, false, "p"))
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_NULL && sl_number_get(ctx, argv[0], &x))
        add_value(a, x.d);
}

static void quantile_final(sqlite3_context *ctx)
{
    struct values *a = group(ctx, 0);

    if (a && a->v.n)
        sqlite3_result_double(ctx, sl_quantile(a->v.v, a->v.n, a->set[0].d));
    end_values(a);
}

static void histogram_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct values *a = group(ctx, sizeof *a);
    struct sl_number x;

    if (!a || (argc > 1 && !set(ctx, &a->set[0], argv[1], 1, MOST_BINS, true, "bins")))
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_NULL && sl_number_finite(ctx, argv[0], &x))
        add_value(a, x.d);
}

static void histogram_final(sqlite3_context *ctx)
{
    struct values *a = group(ctx, 0);
    struct sl_buf b = {0};
    struct sl_histogram_bins bins = {0};

    if (a && a->v.n)
        sl_histogram(&bins, a->v.v, a->v.n, a->set[0].seen && a->set[0].d > 0 ? (size_t)a->set[0].d : 0);
    sl_json_open(&b, NULL, '[');
    for (size_t i = 0; i < bins.n; i++) {
        sl_json_open(&b, NULL, '{');
        sl_json_real(&b, "low", bins.edge[i]);
        sl_json_real(&b, "high", bins.edge[i + 1]);
        sl_json_int(&b, "count", (int64_t)bins.count[i]);
        sl_json_close(&b, '}');
    }
    sl_json_close(&b, ']');
    sl_json_result(ctx, &b);
    sl_bins_free(&bins);
    end_values(a);
}

static void kde_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct values *a = group(ctx, sizeof *a);
    struct sl_number x;

    if (!a || (argc > 1 && !set(ctx, &a->set[0], argv[1], 2, MOST_POINTS, true, "points")) ||
        (argc > 2 && !set(ctx, &a->set[1], argv[2], 1e-300, 1e300, false, "bandwidth")))
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_NULL && sl_number_finite(ctx, argv[0], &x))
        add_value(a, x.d);
}

static void result_kde(sqlite3_context *ctx, const double *x, const double *density, size_t points)
{
    struct sl_buf b = {0};

    sl_json_open(&b, NULL, '[');
    for (size_t i = 0; i < points; i++) {
        sl_json_open(&b, NULL, '{');
        sl_json_real(&b, "x", x[i]);
        sl_json_real(&b, "density", density[i]);
        sl_json_close(&b, '}');
    }
    sl_json_close(&b, ']');
    sl_json_result(ctx, &b);
}

static void kde_final(sqlite3_context *ctx)
{
    struct values *a = group(ctx, 0);
    size_t points = a && a->set[0].d >= 2 ? (size_t)a->set[0].d : POINTS;
    double *x, h;

    if (!a || !a->v.n) {
        result_kde(ctx, NULL, NULL, 0);
        end_values(a);
        return;
    }
    sl_sort(a->v.v, a->v.n);
    h = a->set[1].seen && a->set[1].d > 0 ? a->set[1].d : sl_bandwidth(a->v.v, a->v.n, SL_BANDWIDTH_NRD0);
    x = sl_alloc(2 * points * sizeof *x);
    if (isfinite(h) && sl_kde(x, x + points, points, a->v.v, a->v.n, h))
        result_kde(ctx, x, x + points, points);
    else if (a->v.v[0] < a->v.v[a->v.n - 1])
        sl_number_result(ctx, INFINITY);
    free(x);
    end_values(a);
}

/* ---- sums ---- */

static void flush(struct pairs *a, bool both)
{
    sl_moments_add(&a->m, a->x, both ? a->y : NULL, a->n);
    a->n = 0;
}

/* stddev() and corr(). */
static void pairs_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct pairs *a = group(ctx, sizeof *a);
    struct sl_number v[2] = {0};
    double *to[2];

    if (!a || sl_number_any_null(argc, argv))
        return;
    for (int i = 0; i < argc; i++)
        if (!sl_number_finite(ctx, argv[i], &v[i]))
            return;
    to[0] = &a->x[a->n];
    to[1] = &a->y[a->n];
    for (int i = 0; i < argc; i++) {
        if (!a->begun)
            a->origin[i] = v[i];
        *to[i] = sl_number_less(&v[i], &a->origin[i]);
        if (isinf(*to[i])) {
            sl_number_result(ctx, INFINITY);
            return;
        }
    }
    a->begun = true;
    if (++a->n == SL_MOMENTS_BLOCK)
        flush(a, argc > 1);
}

static void stddev_final(sqlite3_context *ctx)
{
    struct pairs *a = group(ctx, 0);
    double d = NAN;

    if (a) {
        flush(a, false);
        d = sl_moments_stddev(&a->m);
        d = isnan(d) && a->m.n > 1 ? INFINITY : d;
    }
    sl_number_result(ctx, d);
}

static void corr_final(sqlite3_context *ctx)
{
    struct pairs *a = group(ctx, 0);

    if (!a)
        return;
    flush(a, true);
    sl_number_result(ctx,
                     isfinite(a->m.xx) && isfinite(a->m.yy) && isfinite(a->m.xy) ? sl_moments_corr(&a->m) : INFINITY);
}

/* ---- ranks ---- */

struct ranked { /* of one group */
    SL_VEC(struct sl_ranked) v;
};

static void rank_sum_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct ranked *a = group(ctx, sizeof *a);
    struct sl_number x, here, stratum;

    if (a && !sl_number_any_null(argc, argv) && sl_number_get(ctx, argv[0], &x) && sl_number_get(ctx, argv[1], &here) &&
        sl_number_get(ctx, argv[2], &stratum))
        *sl_vec_add(&a->v) = (struct sl_ranked){stratum.d, x.d, here.d != 0};
}

static void rank_sum_final(sqlite3_context *ctx)
{
    struct ranked *a = group(ctx, 0);

    if (a && a->v.n)
        sl_number_result(ctx, sl_rank_sum_p(a->v.v, a->v.n));
    if (a)
        sl_vec_free(&a->v);
}

/* ---- all of them ---- */

static const struct {
    char name[12];
    int args;
    bool json;
    sl_number_step *step;
    void (*final)(sqlite3_context *ctx);
} functions[] = {
    {"quantile", 2, false, quantile_step, quantile_final},
    {"median", 1, false, quantile_step, quantile_final},
    {"stddev", 1, false, pairs_step, stddev_final},
    {"corr", 2, false, pairs_step, corr_final},
    {"histogram", 1, true, histogram_step, histogram_final},
    {"histogram", 2, true, histogram_step, histogram_final},
    {"kde", 1, true, kde_step, kde_final},
    {"kde", 2, true, kde_step, kde_final},
    {"kde", 3, true, kde_step, kde_final},
    {"rank_sum_p", 3, false, rank_sum_step, rank_sum_final},
};

int sl_fn_stats(sqlite3 *db)
{
    int rc = SQLITE_OK;

    for (size_t i = 0; i < sizeof functions / sizeof *functions && !rc; i++)
        rc = sl_number_register(db, functions[i].name, functions[i].args, functions[i].json, functions[i].step,
                                functions[i].final);
    return rc;
}
