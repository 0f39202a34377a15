/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/sequential.h"
#include "analyse/kernels/quantile.h"

#include <math.h>
#include <stdlib.h>

/* Stakes are half a deviation apart from all to a twentieth, of which the best is right for shifts of 0.03 standard
 * deviations and up. */
enum {
    STAKES = 7,
    WIDE = STAKES + 1, /* with a stake of nothing: compilers take two at once */
    LEAST = 2 /* differences before one is clipped */,
    STEPS = 30 /* halvings of what differences span: to 1e-9 of it */
};
static const double stake[WIDE] = {
    1, 0.625, 0.390625, 0.244140625, 0.152587890625, 0.095367431640625, 0.059604644775390625};

/* 1.5 standard deviations of v[0..n), of few a little more; by the mean absolute deviation where most are the same, and
 * next to nothing where all are.  0: they are too few. */
static double clip_by(const double *v, size_t n)
{
    const double by_median = 1.482602218505602, by_mean = 1.2533141373155003; /* of a normal distribution */
    double *d, middle, spread, mean = 0;

    if (n < LEAST)
        return 0;
    d = sl_alloc(n * sizeof *d);
    memcpy(d, v, n * sizeof *d);
    middle = sl_quantile(d, n, 0.5);
    for (size_t i = 0; i < n; i++)
        d[i] = fabs(d[i] - middle);
    for (size_t i = 0; i < n; i++)
        mean += d[i] / (double)n;
    spread = by_median * sl_quantile(d, n, 0.5);
    free(d);
    return fmax(1.5 * (spread > 0 ? spread : by_mean * mean) * (1 + 1 / (double)n), 0x1p-1000);
}

void sl_sequential_add(struct sl_sequential *s, double difference)
{
    double clip = clip_by(s->difference.v, s->difference.n);

    *sl_vec_add(&s->clip) = clip;
    *sl_vec_add(&s->difference) = difference;
}

void sl_sequential_free(struct sl_sequential *s)
{
    sl_vec_free(&s->difference);
    sl_vec_free(&s->clip);
}

/* Without a measure of what is far, the sign is worth half. */
static double psi(double d, double clip)
{
    if (clip > 0) {
        double x = d / clip;
        x = x < 1 ? x : 1; /* as fmin() and fmax(), which are calls */
        return x > -1 ? x : -1;
    }
    return d > 0 ? 0.5 : d < 0 ? -0.5 : 0;
}

/* The logarithm of the capital of who bets that the shift is above (side 1) or below (-1) this one. */
static double capital(const struct sl_sequential *s, double shift, int side)
{
    double product[WIDE], sum = 0, doublings = 0;

    for (int k = 0; k < WIDE; k++)
        product[k] = 1;
    for (size_t i = 0; i < s->difference.n; i++) {
        double won = side * psi(s->difference.v[i] - shift, s->clip.v[i]), most = 0;
        for (int k = 0; k < WIDE; k++)
            product[k] *= 1 + stake[k] * won;
        if (i % 64 != 63)
            continue;
        for (int k = 0; k < STAKES; k++)
            most = product[k] > most ? product[k] : most;
        for (int k = 0; k < STAKES && (most > 0x1p500 || most < 0x1p-500); k++)
            product[k] *= most > 1 ? 0x1p-500 : 0x1p500;
        doublings += most > 0x1p500 ? 500 : most < 0x1p-500 ? -500 : 0;
    }
    for (int k = 0; k < STAKES; k++)
        sum += product[k] / STAKES;
    return log(sum) + doublings * M_LN2;
}

/* What was won at this shift, in units of c. */
static double balance(const struct sl_sequential *s, double shift)
{
    double sum = 0;

    for (size_t i = 0; i < s->difference.n; i++)
        sum += psi(s->difference.v[i] - shift, s->clip.v[i]);
    return sum;
}

/* Both fall from left to right; where they reach `level`. */
struct falling {
    const struct sl_sequential *s;
    int side; /* 0: the balance */
};

static double value(const struct falling *f, double shift)
{
    return f->side ? f->side * capital(f->s, shift, f->side) : balance(f->s, shift);
}

/* value(low) >= level > value(high): the end of what is at least level. */
static double end_of(const struct falling *f, double low, double high, double level)
{
    for (int k = 0; k < STEPS; k++) {
        double middle = low + (high - low) / 2;
        if (value(f, middle) >= level)
            low = middle;
        else
            high = middle;
    }
    return f->side < 0 ? high : low;
}

struct sl_shift_interval sl_sequential_shift(const struct sl_sequential *s, double alpha)
{
    struct sl_shift_interval out = {NAN, -INFINITY, INFINITY};
    double rich = log(2 / alpha), least = INFINITY, most = -INFINITY, reach;

    if (!s->difference.n)
        return out;
    for (size_t i = 0; i < s->difference.n; i++) {
        least = fmin(least, s->difference.v[i]);
        most = fmax(most, s->difference.v[i]);
    }
    /* beyond all differences by more than any clip, each bet is won or lost whole */
    reach = fmax(most - least, fmax(fabs(least), fabs(most)) * 1e-9) * 4 + 1e-300;
    struct falling f = {s, 0};
    double left = end_of(&f, least - reach, most + reach, 0);
    /* where it is flat at 0, the middle of it */
    out.estimate = left;
    if (balance(s, nextafter(left, INFINITY)) == 0)
        out.estimate = left / 2 + end_of(&f, left, most + reach, 0) / 2;
    f.side = 1;
    if (capital(s, least - reach, 1) >= rich)
        out.low = end_of(&f, least - reach, out.estimate, rich);
    f.side = -1;
    if (capital(s, most + reach, -1) >= rich)
        out.high = end_of(&f, out.estimate, most + reach, -rich);
    return out;
}

bool sl_sequential_passed(const struct sl_sequential *s, double alpha, double shift, int side)
{
    return s->difference.n && capital(s, shift, side) >= log(2 / alpha);
}

double sl_sequential_more(const struct sl_sequential *s, double alpha, double shift, int side)
{
    size_t n = s->difference.n;
    double rich = log(2 / alpha), clip = clip_by(s->difference.v, n), more = INFINITY;

    if (sl_sequential_passed(s, alpha, shift, side))
        return 0;
    for (int k = 0; k < STAKES; k++) {
        double won = 0, each = 0;
        for (size_t i = 0; i < n; i++) {
            double d = s->difference.v[i] - shift;
            won += log1p(stake[k] * side * psi(d, s->clip.v[i]));
            each += log1p(stake[k] * side * psi(d, clip)) / (double)n;
        }
        if (each > 0)
            more = fmin(more, ceil((rich + log(STAKES) - won) / each));
    }
    return fmax(more, 1);
}
