/* SPDX-License-Identifier: Apache-2.0 */
#include "experiment/search/surrogate.h"
#include "analyse/kernels/quantile.h"
#include "analyse/kernels/random.h"
#include "analyse/kernels/regression/cholesky.h"

#include <math.h>
#include <stdlib.h>

enum {
    TRIES = 1000,     /* for a random setting that is allowed */
    STARTS = 16,      /* of searches */
    PAIRS_UP_TO = 700 /* terms; with more than that there are none of pairs */
};

/* Of noise, beside what the runs say: as if two runs of one setting had been 1 % apart.  So a fit of few runs does not
 * take them to be exact. */
static const double noise_runs = 2, noise_squares = 2 * 0.01 * 0.01;

/* ---- settings ---- */

bool sl_space_random(const struct sl_space *space, uint64_t *random, int32_t *setting)
{
    for (int k = 0; k < TRIES; k++) {
        for (size_t f = 0; f < space->factors; f++)
            setting[f] = (int32_t)sl_random_below(random, (size_t)space->levels[f]);
        if (space->allowed(space->arg, setting))
            return true;
    }
    /* few are: from one that is, by the first factor that cannot vary freely */
    for (size_t f = 0; f < space->factors; f++)
        setting[f] = 0;
    if (!space->allowed(space->arg, setting))
        return false;
    for (size_t k = 0; k < 10 * space->factors; k++) {
        size_t f = sl_random_below(random, space->factors);
        int32_t was = setting[f];
        setting[f] = (int32_t)sl_random_below(random, (size_t)space->levels[f]);
        if (!space->allowed(space->arg, setting))
            setting[f] = was;
    }
    return true;
}

static bool same(const struct sl_space *space, const int32_t *a, const int32_t *b)
{
    return !memcmp(a, b, space->factors * sizeof *a);
}

/* ---- terms ---- */

/* Helmert's contrast j of 0..levels - 2, so that a level's have squares that add up to 1. */
static double contrast(int32_t levels, int32_t level, int32_t j)
{
    double scale = sqrt((double)levels / (levels - 1) / ((j + 1.0) * (j + 2.0)));

    return level <= j ? scale : level == j + 1 ? -(j + 1.0) * scale : 0;
}

static size_t count_levels(const struct sl_space *space)
{
    size_t n = 0;

    for (size_t f = 0; f < space->factors; f++)
        n += (size_t)space->levels[f] - 1;
    return n;
}

static size_t count_terms(const struct sl_space *space)
{
    size_t mains = count_levels(space), own = 0;

    for (size_t f = 0; f < space->factors; f++)
        own += ((size_t)space->levels[f] - 1) * ((size_t)space->levels[f] - 1);
    return mains + (mains * mains - own) / 2 + 1 <= PAIRS_UP_TO ? mains + (mains * mains - own) / 2 + 1 : mains + 1;
}

/* The intercept, levels, and pairs where terms has room for them. */
static void fill_terms(const struct sl_space *space, const int32_t *setting, double *x, size_t terms)
{
    size_t n = 1, mains = count_levels(space) + 1, begin = 1;

    x[0] = 1;
    for (size_t f = 0; f < space->factors; f++)
        for (int32_t j = 0; j < space->levels[f] - 1; j++)
            x[n++] = contrast(space->levels[f], setting[f], j);
    for (size_t f = 0; f < space->factors && terms > mains; f++) {
        size_t end = begin + (size_t)space->levels[f] - 1;
        for (size_t a = begin; a < end; a++)
            for (size_t b = end; b < mains; b++)
                x[n++] = x[a] * x[b];
        begin = end;
    }
}

/* ---- the fit ---- */

/* How much the mean of so many runs of a setting weighs, by noise. */
static double weight(const struct sl_surrogate *s, double runs)
{
    return runs > 0 ? 1 / (s->variance[2] + 1 / runs) : 0;
}

/* Sums over cells, which depend on the variance of a setting by itself alone. */
struct sums {
    double own;         /* that variance; negative: nothing is summed yet */
    double *xx, *xy;    /* terms squared, below its diagonal; terms */
    double yy, weights; /* weights: of their logarithms */
    double within;      /* squares of runs about the means of cells */
};

static void sum_up(const struct sl_surrogate *s, struct sums *sums)
{
    size_t p = s->terms;

    memset(sums->xx, 0, p * p * sizeof *sums->xx);
    memset(sums->xy, 0, p * sizeof *sums->xy);
    sums->yy = sums->weights = 0;
    sums->own = s->variance[2];
    for (size_t c = 0; c < s->cells; c++) {
        const double *x = s->column + c * p;
        double w = weight(s, s->runs[c]), y = s->mean[c] - s->centre;
        for (size_t i = 0; i < p; i++) {
            double wx = w * x[i];
            sums->xy[i] += wx * y;
            for (size_t j = 0; j <= i; j++)
                sums->xx[i * p + j] += wx * x[j];
        }
        sums->weights += log(w);
        sums->yy += w * y * y;
    }
}

/* Of terms, by noise, for the variances in s; what it gives is the logarithm of how likely the runs are, up to a
 * constant. */
static double solve(struct sl_surrogate *s, struct sums *sums)
{
    size_t p = s->terms, mains = count_levels(s->space) + 1;
    double determinant, squares, n = (double)s->n;

    if (sums->own != s->variance[2])
        sum_up(s, sums);
    memcpy(s->triangle, sums->xx, p * p * sizeof *s->triangle);
    memcpy(s->b, sums->xy, p * sizeof *s->b);
    determinant = log(1e6);
    for (size_t i = 0; i < p; i++) {
        double variance = i == 0 ? 1e6 : s->variance[i >= mains];
        s->triangle[i * p + i] += 1 / variance;
        determinant += i ? log(variance) : 0;
    }
    if (!sl_cholesky(s->triangle, p, 0)) /* variances too far apart for double */
        return -INFINITY;
    for (size_t i = 0; i < p; i++)
        determinant += 2 * log(s->triangle[i * p + i]);
    sl_cholesky_forward(s->triangle, p, s->b);
    squares = fmax(sums->yy - sl_dot(s->b, s->b, p), 0) + sums->within + noise_squares;
    sl_cholesky_backward(s->triangle, p, s->b);
    s->noise = sqrt(squares / (n + noise_runs));
    return -((n + noise_runs) * log(squares) + determinant - sums->weights) / 2;
}

/* By steps of each variance in turn, as long as these help; and by a belief that effects are some five times, pairs
 * some twice the noise, which a few runs outweigh. */
static double likelihood(struct sl_surrogate *s, const double *power, struct sums *sums)
{
    static const double expected[3] = {2, -1, -3};
    double prior = 0;

    for (int k = 0; k < 3; k++) {
        s->variance[k] = exp2(power[k]);
        prior -= (power[k] - expected[k]) * (power[k] - expected[k]) / (2 * 4 * 4);
    }
    return solve(s, sums) + prior;
}

static void choose_variances(struct sl_surrogate *s, struct sums *sums)
{
    double power[3] = {2, -1, -3}, best = likelihood(s, power, sums);

    for (double step = 4; step >= 1; step /= 2)
        for (int k = 0; k < 3; k++)
            for (int side = -1; side <= 1; side += 2)
                for (;;) {
                    double was = power[k], got;
                    power[k] += side * step;
                    got = power[k] >= -12 && power[k] <= 16 ? likelihood(s, power, sums) : -INFINITY;
                    if (got > best + 1e-9) {
                        best = got;
                        continue;
                    }
                    power[k] = was;
                    break;
                }
    likelihood(s, power, sums);
}

static size_t cell_of(const struct sl_surrogate *s, const int32_t *setting)
{
    size_t c = 0;

    while (c < s->cells && !same(s->space, s->setting + c * s->space->factors, setting))
        c++;
    return c;
}

/* Room for one cell more than there are runs, for sl_surrogate_learn() to grow into. */
static size_t add_cell(struct sl_surrogate *s, const int32_t *setting)
{
    size_t c = cell_of(s, setting), k = s->space->factors;

    if (c < s->cells)
        return c;
    s->cells++;
    s->setting = sl_realloc(s->setting, s->cells * k * sizeof *s->setting + 1);
    s->mean = sl_realloc(s->mean, s->cells * sizeof *s->mean);
    s->runs = sl_realloc(s->runs, s->cells * sizeof *s->runs);
    s->column = sl_realloc(s->column, s->cells * s->terms * sizeof *s->column);
    memcpy(s->setting + c * k, setting, k * sizeof *setting);
    s->mean[c] = s->runs[c] = 0;
    fill_terms(s->space, setting, s->column + c * s->terms, s->terms);
    return c;
}

bool sl_surrogate_fit(struct sl_surrogate *out, const struct sl_space *space, const int32_t *settings,
                      const double *given, size_t n)
{
    double *sorted = sl_alloc(2 * n * sizeof *sorted + 1), *y = sorted + n, worst = -INFINITY;
    size_t *cell = sl_alloc(n * sizeof *cell + 1);
    struct sums sums = {.own = -1};

    *out = (struct sl_surrogate){.space = space, .n = n, .terms = count_terms(space)};
    for (size_t i = 0; i < n; i++)
        worst = isnan(given[i]) ? worst : fmax(worst, given[i]);
    for (size_t i = 0; i < n; i++)
        sorted[i] = y[i] = isnan(given[i]) ? worst : given[i];
    for (size_t i = 0; i < n && isfinite(worst); i++) {
        cell[i] = add_cell(out, settings + i * space->factors);
        out->runs[cell[i]]++;
        out->mean[cell[i]] += (y[i] - out->mean[cell[i]]) / out->runs[cell[i]];
    }
    if (isfinite(worst)) {
        out->centre = sl_quantile(sorted, n, 0.5);
        for (size_t i = 0; i < n; i++)
            sums.within += (y[i] - out->mean[cell[i]]) * (y[i] - out->mean[cell[i]]);
        out->triangle = sl_alloc(out->terms * out->terms * sizeof *out->triangle);
        out->b = sl_alloc(out->terms * sizeof *out->b);
        sums.xx = sl_alloc(out->terms * out->terms * sizeof *sums.xx);
        sums.xy = sl_alloc(out->terms * sizeof *sums.xy);
        choose_variances(out, &sums);
        free(sums.xx);
        free(sums.xy);
    }
    free(sorted);
    free(cell);
    return isfinite(worst);
}

void sl_surrogate_free(struct sl_surrogate *s)
{
    free(s->setting);
    free(s->mean);
    free(s->runs);
    free(s->column);
    free(s->triangle);
    free(s->b);
    *s = (struct sl_surrogate){0};
}

/* ---- what it says ---- */

size_t sl_surrogate_runs(const struct sl_surrogate *s, const int32_t *setting)
{
    size_t c = cell_of(s, setting);
    return c < s->cells ? (size_t)s->runs[c] : 0;
}

/* Variance, by noise, of the sum of terms x. */
static double spread(const struct sl_surrogate *s, const double *x)
{
    double *z = sl_alloc(s->terms * sizeof *z), v;

    memcpy(z, x, s->terms * sizeof *z);
    sl_cholesky_forward(s->triangle, s->terms, z);
    v = sl_dot(z, z, s->terms);
    free(z);
    return v;
}

/* What a setting has by itself is known as far as it has run: `share` of what its runs are beyond the terms. */
static double share(const struct sl_surrogate *s, size_t cell)
{
    return s->variance[2] * weight(s, s->runs[cell]);
}

struct sl_belief sl_surrogate_believe(const struct sl_surrogate *s, const int32_t *setting)
{
    size_t c = cell_of(s, setting);
    double *x = sl_alloc(s->terms * sizeof *x), known = c < s->cells ? share(s, c) : 0, sum, terms;

    fill_terms(s->space, setting, x, s->terms);
    sum = sl_dot(x, s->b, s->terms);
    terms = spread(s, x);
    free(x);
    if (known > 0)
        sum += known * (s->mean[c] - s->centre - sum);
    return (struct sl_belief){s->centre + sum,
                              s->noise * sqrt((1 - known) * (1 - known) * terms + s->variance[2] * (1 - known))};
}

struct sl_belief sl_surrogate_effect(const struct sl_surrogate *s, size_t factor, int32_t level)
{
    double *x = sl_alloc(s->terms * sizeof *x);
    size_t at = 1;
    struct sl_belief out;

    for (size_t f = 0; f < factor; f++)
        at += (size_t)s->space->levels[f] - 1;
    for (int32_t j = 0; j < s->space->levels[factor] - 1; j++)
        x[at + (size_t)j] = contrast(s->space->levels[factor], level, j) - contrast(s->space->levels[factor], 0, j);
    out = (struct sl_belief){sl_dot(x, s->b, s->terms), s->noise * sqrt(spread(s, x))};
    free(x);
    return out;
}

/* ---- searches ---- */

/* The value of a setting, of which the least is looked for. */
struct search {
    const struct sl_surrogate *s;
    const double *b;       /* terms: their sum */
    const double *effects; /* or: what a run takes from the variances of effects, rows of terms; negative */
    size_t neffects;
    double *x;
};

static double value(const struct search *q, const int32_t *setting)
{
    size_t p = q->s->terms;

    fill_terms(q->s->space, setting, q->x, p);
    if (q->b)
        return sl_dot(q->x, q->b, p);
    size_t runs = sl_surrogate_runs(q->s, setting);
    double taken = 0, more = weight(q->s, (double)runs + 1) - weight(q->s, (double)runs);
    for (size_t e = 0; e < q->neffects; e++) {
        double d = sl_dot(q->effects + e * p, q->x, p);
        taken += d * d;
    }
    return -taken * more / (1 + more * spread(q->s, q->x));
}

/* Goes to the best neighbour as long as there is one: another level of a factor, or of two. */
static double descend(const struct search *q, int32_t *setting)
{
    const struct sl_space *space = q->s->space;
    size_t k = space->factors;
    int32_t *best = sl_alloc(k * sizeof *best + 1);
    double at = value(q, setting), least = at;

    for (bool pairs = false;; at = least) {
        for (size_t f = 0; f < k; f++) {
            int32_t was = setting[f];
            for (setting[f] = 0; setting[f] < space->levels[f]; setting[f]++) {
                for (size_t g = pairs ? f + 1 : k; g <= k; g++) {
                    int32_t other = g < k ? setting[g] : 0;
                    for (int32_t l = 0; l < (g < k ? space->levels[g] : 1); l++) {
                        double got;
                        if (g < k)
                            setting[g] = l;
                        got = space->allowed(space->arg, setting) ? value(q, setting) : INFINITY;
                        if (got < least - 1e-12 * fabs(least)) {
                            least = got;
                            memcpy(best, setting, k * sizeof *best);
                        }
                    }
                    if (g < k)
                        setting[g] = other;
                }
            }
            setting[f] = was;
        }
        if (least < at) {
            memcpy(setting, best, k * sizeof *best);
            pairs = false;
        } else if (!pairs && q->b) {
            pairs = true; /* to swap one for another, which none alone is worth */
        } else {
            break;
        }
    }
    free(best);
    return least;
}

/* From settings that have run, too. */
static bool search(struct search *q, uint64_t *random, double *least, int32_t *setting)
{
    const struct sl_surrogate *s = q->s;
    size_t k = s->space->factors;
    int32_t *from = sl_alloc(k * sizeof *from + 1);
    bool found = false;

    q->x = sl_alloc(s->terms * sizeof *q->x);
    for (int i = 0; i < STARTS; i++) {
        double got;
        if (!sl_space_random(s->space, random, from))
            break;
        got = descend(q, from);
        if (!found || got < *least) {
            *least = got;
            memcpy(setting, from, k * sizeof *from);
            found = true;
        }
    }
    free(q->x);
    free(from);
    return found;
}

bool sl_surrogate_best(const struct sl_surrogate *s, uint64_t *random, bool measured, int32_t *setting)
{
    struct search q = {.s = s, .b = s->b};
    double least = INFINITY;
    bool found = !measured && search(&q, random, &least, setting);

    if (found)
        least = sl_surrogate_believe(s, setting).mean;
    for (size_t c = 0; c < s->cells; c++) {
        const int32_t *its = s->setting + c * s->space->factors;
        double mean = s->space->allowed(s->space->arg, its) ? sl_surrogate_believe(s, its).mean : INFINITY;
        if (mean < least || (!found && mean <= least)) {
            least = mean;
            memcpy(setting, its, s->space->factors * sizeof *its);
            found = true;
        }
    }
    return found;
}

bool sl_surrogate_draw(const struct sl_surrogate *s, uint64_t *random, int32_t *setting)
{
    size_t p = s->terms;
    double *b = sl_alloc(p * sizeof *b), least;
    struct search q = {.s = s, .b = b};
    bool found;

    for (size_t i = 0; i < p; i++)
        b[i] = s->noise * sl_random_normal(random);
    sl_cholesky_backward(s->triangle, p, b);
    for (size_t i = 0; i < p; i++)
        b[i] += s->b[i];
    found = search(&q, random, &least, setting);
    if (found && cell_of(s, setting) < s->cells)
        least = INFINITY; /* what follows has it */
    for (size_t c = 0; c < s->cells; c++) {
        double sum = sl_dot(s->column + c * p, b, p), known = share(s, c);
        sum += known * (s->mean[c] - s->centre - sum) +
               s->noise * sqrt(fmax(s->variance[2] * (1 - known), 0)) * sl_random_normal(random);
        if (!s->space->allowed(s->space->arg, s->setting + c * s->space->factors) || (found && sum >= least))
            continue;
        least = sum;
        memcpy(setting, s->setting + c * s->space->factors, s->space->factors * sizeof *setting);
        found = true;
    }
    free(b);
    return found;
}

bool sl_surrogate_learn(struct sl_surrogate *s, uint64_t *random, int32_t *setting)
{
    size_t p = s->terms, effects = count_levels(s->space), e = 0, at = 1, c;
    double *v = sl_alloc((effects + 1) * p * sizeof *v), least;
    struct search q = {.s = s, .effects = v, .neffects = effects};
    bool found;

    for (size_t f = 0; f < s->space->factors; at += (size_t)s->space->levels[f++] - 1)
        for (int32_t l = 1; l < s->space->levels[f]; l++, e++) {
            for (int32_t j = 0; j < s->space->levels[f] - 1; j++)
                v[e * p + at + (size_t)j] = contrast(s->space->levels[f], l, j) - contrast(s->space->levels[f], 0, j);
            sl_cholesky_forward(s->triangle, p, v + e * p);
            sl_cholesky_backward(s->triangle, p, v + e * p);
        }
    found = search(&q, random, &least, setting);
    free(v);
    if (!found)
        return false;
    c = add_cell(s, setting);
    /* of what the run will say only its weight is known */
    double before = weight(s, s->runs[c]), more;
    double expected = sl_surrogate_believe(s, setting).mean;
    s->mean[c] += (expected - s->mean[c]) / (s->runs[c] + 1);
    s->runs[c]++;
    more = weight(s, s->runs[c]) - before;
    double *a = sl_alloc(p * p * sizeof *a);
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j <= i; j++) {
            a[i * p + j] = more * s->column[c * p + i] * s->column[c * p + j];
            for (size_t k = 0; k <= j; k++)
                a[i * p + j] += s->triangle[i * p + k] * s->triangle[j * p + k];
        }
    if (sl_cholesky(a, p, 0)) {
        double *was = s->triangle;
        s->triangle = a;
        a = was;
    }
    free(a);
    return true;
}
