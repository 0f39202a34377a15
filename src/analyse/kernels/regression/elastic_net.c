/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/regression/elastic_net.h"
#include "analyse/kernels/regression/cholesky.h"
#include "base/mem.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum {
    ROWS = 128,      /* so many of all columns stay in the cache */
    SWEEPS = 1000000 /* more than whatever converges in double takes */
};

/* ---- sums of rows ---- */

/* Of x_1 ... x_p, y, less the middle of each. */
struct sums {
    size_t c;                      /* p + 1 */
    double weight, *sum, *product; /* c; c by c, of which j >= k is filled in */
};

static struct sums make_sums(const struct sl_net *net)
{
    size_t c = net->p + 1;
    double *v = sl_alloc((c + c * c) * sizeof *v);

    return (struct sums){.c = c, .sum = v, .product = v + c};
}

static const double *column(const struct sl_net *net, size_t j)
{
    return j < net->p ? net->x + j * net->n : net->y;
}

/* Means of all rows: what is subtracted, so that products do not lose what is small beside it. */
static double *middle_of(const struct sl_net *net)
{
    double *m = sl_alloc((net->p + 1) * sizeof *m);

    for (size_t j = 0; j <= net->p; j++)
        for (size_t i = 0; i < net->n; i++)
            m[j] += column(net, j)[i] / (double)net->n;
    return m;
}

/* Adds rows from..to. */
static void add_rows(struct sums *s, const struct sl_net *net, const double *middle, const double *weight, size_t from,
                     size_t to)
{
    double *v = sl_alloc(s->c * ROWS * sizeof *v), *w = sl_alloc(ROWS * sizeof *w);

    for (size_t at = from; at < to; at += ROWS) {
        size_t n = to - at < ROWS ? to - at : ROWS;
        for (size_t j = 0; j < s->c; j++)
            for (size_t i = 0; i < n; i++)
                v[j * ROWS + i] = column(net, j)[at + i] - middle[j];
        for (size_t i = 0; i < n; i++)
            s->weight += weight ? weight[at + i] : 1;
        for (size_t j = 0; j < s->c; j++) {
            for (size_t i = 0; i < n; i++) {
                w[i] = v[j * ROWS + i] * (weight ? weight[at + i] : 1);
                s->sum[j] += w[i];
            }
            for (size_t k = 0; k <= j; k++)
                s->product[j * s->c + k] += sl_dot(w, v + k * ROWS, n);
        }
    }
    free(v);
    free(w);
}

static void subtract(struct sums *s, const struct sums *other)
{
    s->weight -= other->weight;
    for (size_t i = 0; i < s->c + s->c * s->c; i++)
        s->sum[i] -= other->sum[i];
}

/* ---- descent ---- */

/* All columns, and y, about their means and of standard deviation 1. */
struct scaled {
    size_t p;
    double *r; /* p by p: correlations; 0 for what does not vary */
    double *g; /* of each column with what is left of y */
    double *b, *mean, *sd, y_mean, y_sd;
};

static void make_scaled(struct scaled *z, const struct sums *s, const double *middle)
{
    size_t p = s->c - 1;
    double *sd = sl_alloc(s->c * sizeof *sd), *v = sl_alloc((p * p + 4 * p) * sizeof *v + 1);

    *z = (struct scaled){
        .p = p, .r = v, .g = v + p * p, .b = v + p * p + p, .mean = v + p * p + 2 * p, .sd = v + p * p + 3 * p};
    for (size_t j = 0; j <= p; j++) {
        double about = s->sum[j] / s->weight, square = s->product[j * s->c + j] / s->weight;
        double rounding = 1e-14 * (square + middle[j] * middle[j]);
        sd[j] = square - about * about > rounding ? sqrt(square - about * about) : 0;
    }
    for (size_t j = 0; j <= p; j++)
        for (size_t k = 0; k <= j && k < p; k++) {
            double c = s->product[j * s->c + k] / s->weight - s->sum[j] / s->weight * (s->sum[k] / s->weight);
            c = sd[j] > 0 && sd[k] > 0 ? c / sd[j] / sd[k] : 0;
            if (j == p)
                z->g[k] = c;
            else
                z->r[j * p + k] = z->r[k * p + j] = c;
        }
    for (size_t j = 0; j < p; j++) {
        z->mean[j] = middle[j] + s->sum[j] / s->weight;
        z->sd[j] = sd[j];
    }
    z->y_mean = middle[p] + s->sum[p] / s->weight;
    z->y_sd = sd[p];
    free(sd);
}

static void set(struct scaled *z, size_t j, double b)
{
    const double *r = z->r + j * z->p;
    double d = b - z->b[j];

    for (size_t k = 0; k < z->p && d != 0; k++)
        z->g[k] -= d * r[k];
    z->b[j] = b;
}

static double soft(double v, double by)
{
    return v > by ? v - by : v < -by ? v + by : 0;
}

/* Until nothing changes by more than rough: over the columns that have a b, and now and then over all. */
static void descend(struct scaled *z, double lambda, double alpha, double rough)
{
    bool all = true;

    for (size_t k = 0; k < SWEEPS; k++) {
        double most = 0;
        for (size_t j = 0; j < z->p; j++) {
            double b = z->b[j];
            if (z->sd[j] == 0 || (!all && b == 0))
                continue;
            set(z, j, soft(z->g[j] + b, lambda * alpha) / (1 + lambda * (1 - alpha)));
            most = fmax(most, fabs(z->b[j] - b));
        }
        if (most <= rough && all)
            return;
        all = most <= rough;
    }
}

/* m v = v; m becomes Cholesky's factor.  false: m is not positive definite. */
static bool solve(double *m, size_t n, double *v)
{
    if (!sl_cholesky(m, n, 1e-12))
        return false;
    sl_cholesky_forward(m, n, v);
    sl_cholesky_backward(m, n, v);
    return true;
}

/* As long as signs stay, the b that are not 0 solve linear equations.  false: they do not stay, or are not told. */
static bool finish(struct scaled *z, double lambda, double alpha)
{
    size_t n = 0, *at = sl_alloc(z->p * sizeof *at + 1);
    double *m, *v;
    bool good;

    for (size_t j = 0; j < z->p; j++)
        if (z->b[j] != 0)
            at[n++] = j;
    m = sl_alloc((n * n + n) * sizeof *m + 1);
    v = m + n * n;
    for (size_t i = 0; i < n; i++) {
        v[i] = z->g[at[i]] - lambda * (z->b[at[i]] > 0 ? alpha : -alpha);
        for (size_t k = 0; k < n; k++) {
            m[i * n + k] = z->r[at[i] * z->p + at[k]] + (i == k ? lambda * (1 - alpha) : 0);
            v[i] += z->r[at[i] * z->p + at[k]] * z->b[at[k]];
        }
    }
    good = solve(m, n, v);
    for (size_t i = 0; i < n && good; i++)
        good = v[i] * z->b[at[i]] > 0;
    for (size_t i = 0; i < n && good; i++)
        set(z, at[i], v[i]);
    for (size_t j = 0; j < z->p && good; j++)
        good = z->b[j] != 0 || fabs(z->g[j]) <= lambda * alpha * (1 + 1e-9);
    free(m);
    free(at);
    return good;
}

static void find(struct scaled *z, double lambda, double alpha, double rough)
{
    double to = rough > 0 ? rough : 1e-8;

    descend(z, lambda, alpha, to);
    while (!(rough > 0) && !finish(z, lambda, alpha) && (to /= 100) > 1e-15)
        descend(z, lambda, alpha, to);
}

static void fit(const struct sums *s, const double *middle, double alpha, const double *lambda, size_t lambdas,
                double rough, const double *start, double *out)
{
    struct scaled z;

    make_scaled(&z, s, middle);
    for (size_t j = 0; j < z.p && start && z.y_sd > 0; j++)
        set(&z, j, start[j] * z.sd[j] / z.y_sd);
    for (size_t k = 0; k < lambdas; k++) {
        double *b = out + k * (z.p + 1);
        if (z.y_sd > 0)
            find(&z, lambda[k] / z.y_sd, alpha, rough);
        b[0] = z.y_mean;
        for (size_t j = 0; j < z.p; j++) {
            b[j + 1] = z.b[j] != 0 ? z.b[j] * z.y_sd / z.sd[j] : 0;
            b[0] -= b[j + 1] * z.mean[j];
        }
    }
    free(z.r);
}

void sl_net_fit(const struct sl_net *net, const double *weight, const double *lambda, size_t lambdas, double rough,
                const double *start, double *out)
{
    struct sums s = make_sums(net);
    double *middle = middle_of(net);

    add_rows(&s, net, middle, weight, 0, net->n);
    fit(&s, middle, net->alpha, lambda, lambdas, rough, start, out);
    free(s.sum);
    free(middle);
}

void sl_net_lambdas(const struct sl_net *net, double *lambda)
{
    double most = 0, step = (net->n < net->p ? log(0.01) : log(0.0001)) / (SL_NET_LAMBDAS - 1);

    for (size_t j = 0; j < net->p; j++) {
        double n = (double)net->n, x = 0, y = 0, xx = 0, xy = 0, *v = sl_alloc(2 * net->n * sizeof *v);
        for (size_t i = 0; i < net->n; i++) {
            x += column(net, j)[i] / n;
            y += net->y[i] / n;
        }
        for (size_t i = 0; i < net->n; i++) {
            v[i] = column(net, j)[i] - x;
            v[net->n + i] = net->y[i] - y;
        }
        xx = sl_dot(v, v, net->n) / n;
        xy = sl_dot(v, v + net->n, net->n) / n;
        most = xx > 1e-14 * (xx + x * x) ? fmax(most, fabs(xy) / sqrt(xx)) : most;
        free(v);
    }
    for (size_t k = 0; k < SL_NET_LAMBDAS; k++)
        lambda[k] = most / fmax(net->alpha, 0.001) * exp(step * (double)k);
}

/* ---- cross-validation ---- */

static double squared_error(const struct sl_net *net, const double *b, size_t from, size_t to)
{
    double *off = sl_alloc((to - from) * sizeof *off), sum;

    for (size_t i = from; i < to; i++)
        off[i - from] = net->y[i] - b[0];
    for (size_t j = 0; j < net->p; j++)
        for (size_t i = from; i < to && b[j + 1] != 0; i++)
            off[i - from] -= b[j + 1] * net->x[j * net->n + i];
    sum = sl_dot(off, off, to - from);
    free(off);
    return sum;
}

static size_t fold_begin(const struct sl_net *net, size_t fold)
{
    return net->n * fold / SL_NET_FOLDS;
}

/* errors[k * SL_NET_FOLDS + f]: the mean squared error of fold f by lambda k. */
static void leave_out(const struct sl_net *net, const double *lambda, double *errors)
{
    struct sums all = make_sums(net), part = make_sums(net);
    double *middle = middle_of(net), *b = sl_alloc(SL_NET_LAMBDAS * (net->p + 1) * sizeof *b);
    size_t bytes = (all.c + all.c * all.c) * sizeof *all.sum;

    add_rows(&all, net, middle, NULL, 0, net->n);
    for (size_t f = 0; f < SL_NET_FOLDS; f++) {
        size_t from = fold_begin(net, f), to = fold_begin(net, f + 1);
        struct sums fold = make_sums(net);
        add_rows(&fold, net, middle, NULL, from, to);
        memcpy(part.sum, all.sum, bytes);
        part.weight = all.weight;
        subtract(&part, &fold);
        fit(&part, middle, net->alpha, lambda, SL_NET_LAMBDAS, 1e-6, NULL, b);
        for (size_t k = 0; k < SL_NET_LAMBDAS; k++)
            errors[k * SL_NET_FOLDS + f] = squared_error(net, b + k * (net->p + 1), from, to) / (double)(to - from);
        free(fold.sum);
    }
    free(all.sum);
    free(part.sum);
    free(middle);
    free(b);
}

void sl_net_choose(const struct sl_net *net, const double *lambda, struct sl_net_choice *out)
{
    double *errors = sl_alloc(SL_NET_LAMBDAS * SL_NET_FOLDS * sizeof *errors), n = (double)net->n;

    *out = (struct sl_net_choice){0};
    leave_out(net, lambda, errors);
    for (size_t k = 0; k < SL_NET_LAMBDAS; k++) {
        const double *e = errors + k * SL_NET_FOLDS;
        for (size_t f = 0; f < SL_NET_FOLDS; f++)
            out->error[k] += e[f] * (double)(fold_begin(net, f + 1) - fold_begin(net, f)) / n;
        for (size_t f = 0; f < SL_NET_FOLDS; f++)
            out->sd[k] += (e[f] - out->error[k]) * (e[f] - out->error[k]) *
                          (double)(fold_begin(net, f + 1) - fold_begin(net, f)) / n / (SL_NET_FOLDS - 1);
        out->sd[k] = sqrt(out->sd[k]);
        out->best = out->error[k] < out->error[out->best] ? k : out->best;
    }
    while (out->error[out->simplest] > out->error[out->best] + out->sd[out->best])
        out->simplest++;
    free(errors);
}
