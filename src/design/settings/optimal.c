/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/random.h"
#include "design/settings/designs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is left of X'X where no run is: so small that it decides only between settings that tell nothing else apart. */
#define RIDGE 1e-6

enum { CANDIDATES = 4096, STARTS = 8, ROUNDS = 50 };

struct terms {
    const struct sl_design_of *d;
    bool interactions;
    size_t n; /* with the intercept */
    size_t singles;
    SL_VEC(struct single {
        uint32_t factor;
        int32_t level;
    })
    single;
};

struct exchange {
    const struct terms *t;
    size_t n;          /* terms */
    double *inverse;   /* of M = X'X + ridge */
    double *x;         /* rows of candidates */
    size_t candidates; /* of them */
    double *scratch;   /* n */
};

static void make_terms(struct terms *t)
{
    const struct sl_plan *p = t->d->plan;

    for (uint32_t f = 0; f < p->factor.n; f++)
        for (int32_t k = 1; t->d->vary[f] && k < (int32_t)p->factor.v[f].level.n; k++)
            *sl_vec_add(&t->single) = (struct single){f, k};
    t->singles = t->single.n;
    t->n = 1 + t->singles;
    for (size_t i = 0; t->interactions && i < t->singles; i++)
        for (size_t k = i + 1; k < t->singles; k++)
            t->n += t->single.v[i].factor != t->single.v[k].factor;
}

/* A row of X: 1 where a level is applied and -1 where not, so that no factor counts more than another. */
static void make_row(const struct terms *t, const int32_t *setting, double *x)
{
    size_t n = 1 + t->singles;

    x[0] = 1;
    for (size_t i = 0; i < t->singles; i++)
        x[1 + i] = setting[t->single.v[i].factor] == t->single.v[i].level ? 1 : -1;
    for (size_t i = 0; t->interactions && i < t->singles; i++)
        for (size_t k = i + 1; k < t->singles; k++)
            if (t->single.v[i].factor != t->single.v[k].factor)
                x[n++] = x[1 + i] * x[1 + k];
}

/* y = inverse x; x' inverse x. */
static double quadratic(const struct exchange *e, const double *x, double *y)
{
    double sum = 0;

    for (size_t i = 0; i < e->n; i++) {
        double s = 0;
        for (size_t k = 0; k < e->n; k++)
            s += e->inverse[i * e->n + k] * x[k];
        y[i] = s;
        sum += s * x[i];
    }
    return sum;
}

static double dot(const double *a, const double *b, size_t n)
{
    double s = 0;

    for (size_t i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

/* The inverse after a run is added (sign 1) or taken away (-1): Sherman and Morrison, 1950.  What log det gains. */
static double change(struct exchange *e, const double *x, double sign)
{
    double v = quadratic(e, x, e->scratch), by = 1 + sign * v;

    for (size_t i = 0; i < e->n; i++)
        for (size_t k = 0; k < e->n; k++)
            e->inverse[i * e->n + k] -= sign * e->scratch[i] * e->scratch[k] / by;
    return log(by);
}

static void reset(struct exchange *e)
{
    memset(e->inverse, 0, e->n * e->n * sizeof *e->inverse);
    for (size_t i = 0; i < e->n; i++)
        e->inverse[i * e->n + i] = 1 / RIDGE;
}

static double start(struct exchange *e, const double *had, size_t nhad, size_t *chosen, size_t n, uint64_t *random)
{
    double gained = 0;

    reset(e);
    for (size_t i = 0; i < nhad; i++)
        gained += change(e, had + i * e->n, 1);
    for (size_t i = 0; i < n; i++) {
        chosen[i] = sl_random_below(random, e->candidates);
        gained += change(e, e->x + chosen[i] * e->n, 1);
    }
    return gained;
}

/* Each chosen run in turn is exchanged for the candidate that gains most:
 * det' / det = (1 + d(c)) (1 - d(r)) + d(c, r)^2. */
static double improve(struct exchange *e, size_t *chosen, size_t n)
{
    double *y = sl_alloc(e->n * sizeof *y), *z = sl_alloc(e->n * sizeof *z), gained = 0;
    bool better = true;

    for (int round = 0; better && round < ROUNDS; round++) {
        better = false;
        for (size_t i = 0; i < n; i++) {
            const double *out = e->x + chosen[i] * e->n;
            double dr = quadratic(e, out, y), most = 1 + 1e-9;
            size_t best = chosen[i];
            for (size_t c = 0; c < e->candidates; c++) {
                const double *in = e->x + c * e->n;
                double dc = quadratic(e, in, z), both = dot(in, y, e->n), ratio = (1 + dc) * (1 - dr) + both * both;
                if (ratio > most) {
                    most = ratio;
                    best = c;
                }
            }
            if (best != chosen[i]) {
                gained += change(e, e->x + best * e->n, 1) + change(e, out, -1);
                chosen[i] = best;
                better = true;
            }
        }
    }
    free(y);
    free(z);
    return gained;
}

/* log det by Cholesky's factors, without the ridge; -INFINITY: it is singular. */
static double log_det(const double *m, size_t n)
{
    double *l = sl_alloc(n * n * sizeof *l), sum = 0;

    for (size_t i = 0; i < n && isfinite(sum); i++)
        for (size_t k = 0; k <= i; k++) {
            double s = m[i * n + k] - dot(l + i * n, l + k * n, k);
            if (i == k) {
                sum = s > 1e-9 * m[i * n + i] ? sum + log(s) : -INFINITY;
                l[i * n + i] = s > 0 ? sqrt(s) : 1;
            } else {
                l[i * n + k] = s / l[k * n + k];
            }
        }
    free(l);
    return sum;
}

static void add_product(double *m, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            m[i * n + k] += x[i] * x[k];
}

static int find_candidates(struct sl_settings *out, const struct sl_design_of *d, uint64_t seed, struct sl_err *err)
{
    size_t left_out;
    struct sl_settings all = {.factors = out->factors};
    int rc = sl_design_full(&all, d, CANDIDATES, &left_out, NULL);

    if (rc) {
        sl_settings_free(&all);
        return sl_design_random(out, d, CANDIDATES, seed, err);
    }
    *out = all;
    return sl_settings_n(out) ? 0 : sl_err(err, SL_EUSAGE, "the constraints allow no setting at all");
}

int sl_design_optimal(struct sl_settings *out, const struct sl_design_of *d, const struct sl_settings *had, size_t n,
                      bool interactions, uint64_t seed, double *logdet, struct sl_err *err)
{
    struct terms t = {.d = d, .interactions = interactions};
    struct sl_settings candidates = {.factors = d->plan->factor.n};
    struct exchange e = {.t = &t};
    size_t nhad = had ? sl_settings_n(had) : 0, *chosen = sl_alloc((n + 1) * sizeof *chosen),
           *best = sl_alloc((n + 1) * sizeof *best);
    double *x, *m, most = -INFINITY;
    int rc = find_candidates(&candidates, d, seed ^ 0x5eed, err);

    make_terms(&t);
    e.n = t.n;
    e.candidates = sl_settings_n(&candidates);
    if (!rc && t.n > 1000)
        rc = sl_err(err, SL_EUSAGE,
                    "a model of %zu terms is too large to design for; leave --interactions, or name "
                    "fewer --factors",
                    t.n);
    if (!rc) {
        e.inverse = sl_alloc(t.n * t.n * sizeof *e.inverse);
        e.scratch = sl_alloc(t.n * sizeof *e.scratch);
        e.x = sl_alloc(e.candidates * t.n * sizeof *e.x);
        x = sl_alloc((nhad + 1) * t.n * sizeof *x);
        m = sl_alloc(t.n * t.n * sizeof *m);
        for (size_t i = 0; i < e.candidates; i++)
            make_row(&t, sl_setting(&candidates, i), e.x + i * t.n);
        for (size_t i = 0; i < nhad; i++) {
            make_row(&t, sl_setting(had, i), x + i * t.n);
            add_product(m, x + i * t.n, t.n);
        }
        for (int k = 0; k < STARTS; k++) {
            double det = start(&e, x, nhad, chosen, n, &seed);
            det += improve(&e, chosen, n);
            if (det > most + 1e-9) {
                most = det;
                memcpy(best, chosen, n * sizeof *best);
            }
        }
        for (size_t i = 0; i < n; i++) {
            sl_settings_add(out, sl_setting(&candidates, best[i]));
            add_product(m, e.x + best[i] * t.n, t.n);
        }
        *logdet = log_det(m, t.n);
        free(e.inverse);
        free(e.scratch);
        free(e.x);
        free(x);
        free(m);
    }
    sl_settings_free(&candidates);
    sl_vec_free(&t.single);
    free(chosen);
    free(best);
    return rc;
}
