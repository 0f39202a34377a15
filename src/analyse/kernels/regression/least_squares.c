/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/regression/least_squares.h"
#include "analyse/kernels/beta.h"
#include "analyse/kernels/moments.h"
#include "analyse/kernels/regression/lapack.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

enum {
    BLOCK = 256,
    WORTH_LAPACK = 50000000 /* rows by columns squared; below, its libraries take longer to load than we to compute */
};

static const double tolerance = 1e-7; /* that of R's lm(), but relative to the column about its mean */
static const double noise = 1e-12;    /* of rounding, relative to the whole column */

void sl_ols_init(struct sl_ols *o, size_t p)
{
    size_t c = p + 2;

    *o = (struct sl_ols){.p = p, .columns = c};
    o->block = sl_alloc(c * BLOCK * sizeof *o->block);
    o->r = sl_alloc(c * c * sizeof *o->r);
    o->scale = sl_alloc(c * sizeof *o->scale);
}

void sl_ols_copy(struct sl_ols *to, const struct sl_ols *from)
{
    size_t c = from->columns;

    sl_ols_init(to, from->p);
    to->n = from->n;
    to->waiting = from->waiting;
    memcpy(to->block, from->block, c * BLOCK * sizeof *to->block);
    memcpy(to->r, from->r, c * c * sizeof *to->r);
    memcpy(to->scale, from->scale, c * sizeof *to->scale);
}

void sl_ols_free(struct sl_ols *o)
{
    free(o->block);
    free(o->r);
    free(o->scale);
    *o = (struct sl_ols){0};
}

/* ---- rows into the triangle ---- */

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Reflects (r, v), r of the triangle, v of the block, into (beta, 0), and the columns to the right alike. */
static void reflect_block(struct sl_ols *o, size_t j, size_t rows)
{
    size_t c = o->columns;
    double *v = o->block + j * BLOCK, *r = o->r + j * c, below = dot(v, v, rows), norm, head, factor;

    if (below == 0)
        return;
    norm = sqrt(r[j] * r[j] + below);
    head = r[j] + (r[j] > 0 ? norm : -norm);
    factor = 2 / (head * head + below);
    r[j] = r[j] > 0 ? -norm : norm;
    for (size_t k = j + 1; k < c; k++) {
        double *w = o->block + k * BLOCK, s = (head * r[k] + dot(v, w, rows)) * factor;
        r[k] -= s * head;
        for (size_t i = 0; i < rows; i++)
            w[i] -= s * v[i];
    }
}

static void flush(struct sl_ols *o)
{
    for (size_t j = 0; j < o->columns; j++) {
        double *v = o->block + j * BLOCK;
        if (o->scale[j] == 0)
            o->scale[j] = sl_scale_of(v, o->waiting);
        for (size_t i = 0; i < o->waiting; i++)
            v[i] *= o->scale[j];
    }
    for (size_t j = 0; j < o->columns; j++)
        reflect_block(o, j, o->waiting);
    o->waiting = 0;
}

void sl_ols_add(struct sl_ols *o, const double *row)
{
    o->block[o->waiting] = 1;
    for (size_t j = 1; j < o->columns; j++)
        o->block[j * BLOCK + o->waiting] = row[j - 1];
    o->n++;
    if (++o->waiting == BLOCK)
        flush(o);
}

/* Columns 1, x_1 ... x_p, y, each brought to about 1, one after the other. */
static double *scaled(struct sl_ols *o, const double *x, size_t n)
{
    double *a = sl_alloc(n * o->columns * sizeof *a);

    for (size_t j = 0; j < o->columns; j++) {
        const double *from = j ? x + (j - 1) * n : NULL;
        double *to = a + j * n;
        o->scale[j] = from ? sl_scale_of(from, n) : 1;
        for (size_t i = 0; i < n; i++)
            to[i] = from ? from[i] * o->scale[j] : 1;
    }
    return a;
}

void sl_ols_matrix(struct sl_ols *o, const double *x, size_t n)
{
    size_t c = o->columns;
    double *a = NULL;

    if (n >= c && n * c * c >= WORTH_LAPACK) {
        a = scaled(o, x, n);
        if (sl_lapack_qr(a, n, c)) {
            for (size_t i = 0; i < c; i++)
                for (size_t j = i; j < c; j++)
                    o->r[i * c + j] = a[j * n + i];
            o->n = n;
            free(a);
            return;
        }
        memset(o->scale, 0, c * sizeof *o->scale);
    }
    free(a);
    a = sl_alloc(c * sizeof *a);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j + 1 < c; j++)
            a[j] = x[j * n + i];
        sl_ols_add(o, a);
    }
    free(a);
}

/* ---- the triangle without the columns that follow from others ---- */

/* Sum of squares of a column of o->r, rows from..to. */
static double squares(const struct sl_ols *o, size_t column, size_t from, size_t to)
{
    double sum = 0;

    for (size_t i = from; i < to; i++)
        sum += o->r[i * o->columns + column] * o->r[i * o->columns + column];
    return sum;
}

/* Reflects column j so that its rows behind `top` are 0, and the columns to the right alike. */
static void reflect(struct sl_ols *o, size_t j, size_t top)
{
    size_t c = o->columns;
    double *r = o->r, norm = sqrt(squares(o, j, top, c)), head = r[top * c + j], factor;

    if (squares(o, j, top + 1, c) == 0)
        return;
    head += head > 0 ? norm : -norm;
    factor = 2 / (head * head + squares(o, j, top + 1, c));
    for (size_t k = j + 1; k < c; k++) {
        double s = head * r[top * c + k];
        for (size_t i = top + 1; i < c; i++)
            s += r[i * c + j] * r[i * c + k];
        s *= factor;
        r[top * c + k] -= s * head;
        for (size_t i = top + 1; i < c; i++)
            r[i * c + k] -= s * r[i * c + j];
    }
    r[top * c + j] = r[top * c + j] > 0 ? -norm : norm;
    for (size_t i = top + 1; i < c; i++)
        r[i * c + j] = 0;
}

/* kept[i] is the column whose pivot is in row i.  How many. */
static size_t choose(struct sl_ols *o, size_t *kept)
{
    size_t n = 0;

    for (size_t j = 0; j <= o->p; j++) {
        double whole = sqrt(squares(o, j, 0, o->columns)), about = sqrt(squares(o, j, j ? 1 : 0, o->columns));
        double rest = sqrt(squares(o, j, n, o->columns));
        if (!(rest > tolerance * about) || rest < noise * whole)
            continue;
        reflect(o, j, n);
        kept[n++] = j;
    }
    return n;
}

/* ---- what it says ---- */

/* z: the triangle's transpose times z is e; z is e before. */
static void solve_transposed(const struct sl_ols *o, const size_t *kept, size_t n, double *z)
{
    for (size_t k = 0; k < n; k++) {
        const double *row = o->r + k * o->columns;
        if (z[k] == 0)
            continue;
        z[k] /= row[kept[k]];
        for (size_t i = k + 1; i < n; i++)
            z[i] -= row[kept[i]] * z[k];
    }
}

/* How the i-th coefficient, as it was asked for, comes from those that were found; of the intercept: origins too. */
static void combination(const struct sl_ols *o, const size_t *kept, size_t n, size_t i, const double *origin, double *e)
{
    for (size_t k = 0; k < n; k++) {
        e[k] = k == i;
        if (!i && k && origin)
            e[k] = -origin[kept[k] - 1] * o->scale[kept[k]] / o->scale[0];
    }
}

static void coefficient(const struct sl_ols *o, const size_t *kept, size_t n, size_t i, const double *origin,
                        const double *found, struct sl_ols_fit *fit)
{
    size_t at = kept[i];
    double *e = sl_alloc(n * sizeof *e), unit = o->scale[at] / (o->scale[o->p + 1] == 0 ? 1 : o->scale[o->p + 1]);

    combination(o, kept, n, i, origin, e);
    fit->b[at] = dot(e, found, n) * unit + (!i && origin ? origin[o->p] : 0);
    solve_transposed(o, kept, n, e);
    if (fit->df) {
        fit->se[at] = sqrt(dot(e, e, n)) * fit->residual_stddev * o->scale[at];
        fit->t[at] = fit->b[at] / fit->se[at];
        fit->pr[at] = sl_t_two_sided(fit->t[at], (double)fit->df);
    }
    free(e);
}

static void test_model(const struct sl_ols *o, size_t rank, struct sl_ols_fit *fit)
{
    size_t y = o->p + 1;
    double rss = squares(o, y, rank, o->columns), model = squares(o, y, 1, rank), df = (double)fit->df;

    if (fit->df)
        fit->residual_stddev = sqrt(rss / df) / (o->scale[y] == 0 ? 1 : o->scale[y]);
    if (model + rss > 0) {
        fit->r_squared = model / (model + rss);
        if (fit->df)
            fit->adj_r_squared = 1 - rss / (model + rss) * ((double)(fit->n - 1) / df);
        if (fit->df && rank > 1) {
            fit->f = model / (double)(rank - 1) / (rss / df);
            fit->f_pr = sl_f_upper(fit->f, (double)(rank - 1), df);
        }
    }
}

static void start_fit(struct sl_ols_fit *fit, uint64_t n, size_t terms)
{
    double *m = sl_alloc(4 * terms * sizeof *m);

    for (size_t i = 0; i < 4 * terms; i++)
        m[i] = NAN;
    *fit = (struct sl_ols_fit){.n = n, .memory = m, .b = m, .se = m + terms, .t = m + 2 * terms, .pr = m + 3 * terms};
    fit->r_squared = fit->adj_r_squared = fit->residual_stddev = fit->f = fit->f_pr = NAN;
}

bool sl_ols_solve(struct sl_ols *o, const double *origin, struct sl_ols_fit *fit)
{
    size_t *kept, n, c = o->columns;
    double *found;

    flush(o);
    for (size_t i = 0; i < c * c; i++)
        if (!isfinite(o->r[i]))
            return false;
    kept = sl_alloc((o->p + 1) * sizeof *kept);
    found = sl_alloc((o->p + 1) * sizeof *found);
    start_fit(fit, o->n, o->p + 1);
    n = choose(o, kept);
    fit->df = fit->n - n;
    test_model(o, n, fit);
    for (size_t i = n; i-- > 0;) {
        found[i] = o->r[i * c + o->p + 1];
        for (size_t k = i + 1; k < n; k++)
            found[i] -= o->r[i * c + kept[k]] * found[k];
        found[i] /= o->r[i * c + kept[i]];
    }
    for (size_t i = 0; i < n; i++)
        coefficient(o, kept, n, i, origin, found, fit);
    free(kept);
    free(found);
    return true;
}

void sl_ols_fit_free(struct sl_ols_fit *fit)
{
    free(fit->memory);
    *fit = (struct sl_ols_fit){0};
}
