/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics against sorting, brute force, closed forms, and certified values of NIST's Statistical Reference Datasets.
 */
#include "unit.h"

#include "analyse/kernels/beta.h"
#include "analyse/kernels/bootstrap.h"
#include "analyse/kernels/density.h"
#include "analyse/kernels/moments.h"
#include "analyse/kernels/pca.h"
#include "analyse/kernels/quantile.h"
#include "analyse/kernels/regression/least_squares.h"
#include "base/mem.h"

#include <math.h>

static uint64_t seed = 20261120;

static double uniform(void)
{
    return (double)(rnd(&seed) >> 11) * 0x1p-53;
}

static void near(double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * fabs(want)))
        fail_msg("%.17g, not %.17g", got, want);
}

/* ---- orders ---- */

enum { SHAPES = 9 };

static void fill(double *v, size_t n, int shape)
{
    for (size_t i = 0; i < n; i++) {
        double x = (double)i;
        switch (shape) {
        case 0: v[i] = uniform() - 0.5; break;
        case 1: v[i] = x; break;
        case 2: v[i] = -x; break;
        case 3: v[i] = 7; break;
        case 4: v[i] = (double)below(&seed, 3); break;
        case 5: v[i] = i < n / 2 ? x : (double)(n - i); break; /* up and down */
        case 6: v[i] = i % 2 ? x : -x; break;
        case 7: v[i] = exp(1400 * (uniform() - 0.5)) * (i % 2 ? 1 : -1); break;
        default: v[i] = (const double[]){0.0, INFINITY, -INFINITY, 5e-324, -1e308, -3}[below(&seed, 6)]; break;
        }
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void selected(const double *v, const double *sorted, size_t n, size_t k)
{
    assert_true(v[k] == sorted[k]);
    for (size_t i = 0; i < n; i++)
        assert_true(i < k ? v[i] <= v[k] : v[i] >= v[k]);
}

static void orders(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 24, 25, 26, 100, 1000, 4096, 4097, 10000, 60000};

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int shape = 0; shape < SHAPES; shape++) {
            size_t n = sizes[s];
            double *v = sl_alloc(n * sizeof *v), *sorted = sl_alloc(n * sizeof *v), *w = sl_alloc(n * sizeof *v);
            fill(v, n, shape);
            memcpy(sorted, v, n * sizeof *v);
            qsort(sorted, n, sizeof *v, by_value);
            for (int round = 0; round < (SANITIZED ? 4 : 12); round++) {
                size_t k = round == 0 ? 0 : round == 1 ? n - 1 : round == 2 ? n / 2 : below(&seed, n);
                memcpy(w, v, n * sizeof *v);
                sl_select(w, n, k);
                selected(w, sorted, n, k);
                qsort(w, n, sizeof *v, by_value);
                for (size_t i = 0; i < n; i++)
                    assert_true(w[i] == sorted[i]); /* nothing lost */
            }
            memcpy(w, v, n * sizeof *v);
            sl_sort(w, n);
            for (size_t i = 0; i < n; i++)
                assert_true(w[i] == sorted[i]);
            free(v);
            free(sorted);
            free(w);
        }
}

static void quantiles(void **state)
{
    /* by hand, as Hyndman and Fan define their seventh */
    static const double sorted[] = {1, 2, 4, 8, 16};
    static const double p[] = {0, 0.1, 0.25, 0.3, 0.5, 0.9, 1}, want[] = {1, 1.4, 2, 2.4, 4, 12.8, 16};
    double v[5], two[2] = {-INFINITY, INFINITY}, bad[2] = {1, NAN};

    (void)state;
    for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
        memcpy(v, (double[]){16, 4, 1, 8, 2}, sizeof v);
        near(sl_quantile(v, 5, p[i]), want[i], 1e-15);
        near(sl_quantile_sorted(sorted, 5, p[i]), want[i], 1e-15);
    }
    assert_true(isnan(sl_quantile(v, 0, 0.5)));
    assert_true(isnan(sl_quantile(two, 2, 0.5)));
    assert_true(isnan(sl_quantile(bad, 2, 0)));
    assert_true(sl_quantile((double[]){1, INFINITY}, 2, 0.5) == INFINITY);
    assert_true(sl_quantile((double[]){-1.7e308, 1.7e308}, 2, 0.5) == 0);
    assert_true(sl_quantile((double[]){0.1, 0.1}, 2, 0.3) == 0.1);
}

/* ---- moments ---- */

/* x[i] and y[i] in pieces of any size. */
static struct sl_moments moments(const double *x, const double *y, size_t n)
{
    struct sl_moments m = {0};

    for (size_t i = 0, piece; i < n; i += piece) {
        piece = 1 + below(&seed, SL_MOMENTS_BLOCK);
        piece = piece > n - i ? n - i : piece;
        sl_moments_add(&m, x + i, y ? y + i : NULL, piece);
    }
    return m;
}

static void deviations(void **state)
{
    enum { N = 1001, MANY = 300000 };
    double x[N], *v = sl_alloc(2 * MANY * sizeof *v), *y = v + MANY;
    struct sl_moments m = {0};

    (void)state;
    assert_true(isnan(sl_moments_stddev(&m)));
    for (int i = 0; i < N; i++) /* NIST StRD NumAcc2 and NumAcc4: 0.1 */
        x[i] = !i ? 1.2 : i % 2 ? 1.1 : 1.3;
    m = moments(x, NULL, N);
    near(sl_moments_stddev(&m), 0.1, 1e-14);
    for (int i = 0; i < N; i++)
        x[i] = !i ? 10000000.2 : i % 2 ? 10000000.1 : 10000000.3;
    m = moments(x, NULL, N);
    near(sl_moments_stddev(&m), 0.1, 1e-8);                         /* the numbers themselves have no more digits */
    m = moments((double[]){10000001, 10000003, 10000002}, NULL, 3); /* NumAcc1 */
    near(sl_moments_stddev(&m), 1, 0);
    for (int i = 0; i < N; i++)
        x[i] = 0.1;
    m = moments(x, x, N);
    assert_true(sl_moments_stddev(&m) == 0 && isnan(sl_moments_corr(&m)));
    for (int e = -300; e <= 300; e += 100) { /* beyond the range of squares */
        double s = pow(10, e);
        m = moments((double[]){1 * s, 2 * s, 3 * s}, (double[]){3 / s, 2 / s, 1 / s}, 3);
        near(sl_moments_stddev(&m), s, 1e-14);
        near(sl_moments_corr(&m), -1, 1e-14);
    }
    /* 0 to MANY - 1: n (n + 1) / 12; a far first value; y = -x */
    for (int i = 0; i < MANY; i++) {
        v[i] = (double)((i * (uint64_t)7919) % MANY) + 1e9;
        y[i] = -v[i];
    }
    m = moments(v, y, MANY);
    near(sl_moments_stddev(&m), sqrt(MANY / 12.0 * (MANY + 1.0)), 1e-13);
    near(sl_moments_corr(&m), -1, 1e-14);
    free(v);
}

/* ---- tails ---- */

static double binomial_tail(int k, int n, double x)
{
    double sum = 0;

    for (int i = k; i <= n; i++) {
        double term = 1;
        for (int j = 1; j <= i; j++)
            term *= (double)(n - i + j) / j * x;
        sum += term * pow(1 - x, n - i);
    }
    return sum;
}

static void tails(void **state)
{
    (void)state;
    for (double x = 0.001; x < 1; x += 0.037) {
        near(sl_beta_inc(1, 1, x, 1 - x), x, 1e-14);
        near(sl_beta_inc(3.5, 1, x, 1 - x), pow(x, 3.5), 1e-13);
        near(sl_beta_inc(0.5, 0.5, x, 1 - x), 2 / M_PI * asin(sqrt(x)), 1e-13);
        for (int k = 1; k <= 30; k += 4)
            near(sl_beta_inc(k, 30 - k + 1, x, 1 - x), binomial_tail(k, 30, x), 1e-12);
    }
    for (double t = 0.01; t < 1e6; t *= 3.7) {
        near(sl_t_two_sided(t, 1), 2 / M_PI * atan(1 / t), 1e-13);
        near(sl_t_two_sided(-t, 2), 2 / (2 + t * t + t * sqrt(2 + t * t)), 1e-13);
        near(sl_f_upper(t * t, 1, 17), sl_t_two_sided(t, 17), 1e-13);
        near(sl_f_upper(t, 2, 8), pow(1 + t / 4, -4), 1e-13);
        if (t < 5) /* normal, up to terms of t^4 / df */
            near(sl_t_two_sided(t, 1e9), erfc(t / sqrt(2)), 1e-6);
    }
    assert_true(sl_t_two_sided(0, 5) == 1 && sl_t_two_sided(INFINITY, 5) == 0 && isnan(sl_t_two_sided(NAN, 5)));
    assert_true(sl_f_upper(0, 3, 5) == 1 && sl_f_upper(INFINITY, 3, 5) == 0);
}

/* ---- least squares ---- */

static const double longley[16][7] = {
    {83.0, 234289, 2356, 1590, 107608, 1947, 60323},  {88.5, 259426, 2325, 1456, 108632, 1948, 61122},
    {88.2, 258054, 3682, 1616, 109773, 1949, 60171},  {89.5, 284599, 3351, 1650, 110929, 1950, 61187},
    {96.2, 328975, 2099, 3099, 112075, 1951, 63221},  {98.1, 346999, 1932, 3594, 113270, 1952, 63639},
    {99.0, 365385, 1870, 3547, 115094, 1953, 64989},  {100.0, 363112, 3578, 3350, 116219, 1954, 63761},
    {101.2, 397469, 2904, 3048, 117388, 1955, 66019}, {104.6, 419180, 2822, 2857, 118734, 1956, 67857},
    {108.4, 442769, 2936, 2798, 120445, 1957, 68169}, {110.8, 444546, 4681, 2637, 121950, 1958, 66513},
    {112.6, 482704, 3813, 2552, 123366, 1959, 68655}, {114.2, 502601, 3931, 2514, 125368, 1960, 69564},
    {115.7, 518173, 4806, 2572, 127852, 1961, 69331}, {116.9, 554894, 4007, 2827, 130081, 1962, 70551}};

/* NIST StRD, Longley: certified to 15 digits. */
static void certified(void **state)
{
    static const double b[] = {-3482258.63459582, 15.0618722713733,       -0.358191792925910E-01, -2.02022980381683,
                               -1.03322686717359, -0.511041056535807E-01, 1829.15146461355};
    static const double se[] = {890420.383607373,  84.9149257747669,  0.334910077722432E-01, 0.488399681651699,
                                0.214274163161675, 0.226073200069370, 455.478499142212};

    (void)state;
    for (int shifted = 0; shifted < 2; shifted++) {
        struct sl_ols o;
        struct sl_ols_fit fit;
        sl_ols_init(&o, 6);
        for (int i = 0; i < 16; i++) {
            double row[7];
            for (int j = 0; j < 7; j++)
                row[j] = longley[i][j] - (shifted ? longley[0][j] : 0);
            sl_ols_add(&o, row);
        }
        assert_true(sl_ols_solve(&o, shifted ? longley[0] : NULL, &fit));
        for (int j = 0; j < 7; j++) {
            near(fit.b[j], b[j], 1e-10);
            near(fit.se[j], se[j], 1e-10);
        }
        near(fit.residual_stddev, 304.854073561965, 1e-11);
        near(fit.r_squared, 0.995479004577296, 1e-13);
        near(fit.f, 330.285339234588, 1e-11);
        assert_int_equal(fit.df, 9);
        sl_ols_fit_free(&fit);
        sl_ols_free(&o);
    }
}

/* Of every set of columns, what follows from others is left out, and the others are found. */
static void left_out(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        size_t n = 1 + below(&seed, 2000);
        struct sl_ols o;
        struct sl_ols_fit fit;
        sl_ols_init(&o, 5);
        for (size_t i = 0; i < n; i++) {
            double a = uniform(), c = uniform() * 1e-200, b = a * 3e100 + 5e99;
            sl_ols_add(&o, (double[]){4, a, b, c, 2 * a - c * 1e200, 7 + 3 * a - 2e200 * c});
        }
        assert_true(sl_ols_solve(&o, NULL, &fit));
        assert_true(isnan(fit.b[1]) && isnan(fit.b[3]) && isnan(fit.b[5]) && isnan(fit.se[1]));
        if (n > 10) {
            near(fit.b[0], 7, 1e-9);
            near(fit.b[2], 3, 1e-9);
            near(fit.b[4], -2e200, 1e-9);
            assert_int_equal(fit.df, n - 3);
        } else if (n <= 3) {
            assert_int_equal(fit.df, 0);
            assert_true(isnan(fit.se[0]) && isnan(fit.f));
        }
        sl_ols_fit_free(&fit);
        sl_ols_free(&o);
    }
}

/* ---- densities ---- */

static void bins(void **state)
{
    (void)state;
    for (int round = 0; round < 400; round++) {
        size_t n = 1 + below(&seed, 3000), total = 0, wanted = round % 3 ? 1 + below(&seed, 300) : 0;
        double *v = sl_alloc(n * sizeof *v), offset = round % 5 ? 0 : 1.8e18;
        struct sl_histogram_bins b;
        fill(v, n, round % 7);
        for (size_t i = 0; i < n; i++)
            v[i] += offset;
        sl_histogram(&b, v, n, wanted);
        for (size_t k = 0; k < b.n; k++) {
            uint64_t count = 0;
            for (size_t i = 0; i < n; i++)
                count += b.edge[k] <= v[i] && (v[i] < b.edge[k + 1] || (k + 1 == b.n && v[i] == b.edge[k + 1]));
            assert_true(b.count[k] == count && b.edge[k] <= b.edge[k + 1]);
            total += count;
        }
        assert_int_equal(total, n);
        sl_sort(v, n);
        assert_true(b.edge[0] == v[0] && b.edge[b.n] == v[n - 1]);
        assert_int_equal(b.n, v[0] == v[n - 1] ? 1 : wanted ? wanted : b.n);
        assert_in_range(b.n, 1, wanted ? wanted : SL_BINS_DEFAULT_MOST);
        sl_bins_free(&b);
        free(v);
    }
}

static void kernel_densities(void **state)
{
    enum { POINTS = 97 };
    double x[POINTS], density[POINTS];

    (void)state;
    for (int round = 0; round < 60; round++) {
        size_t n = 1 + below(&seed, 4000);
        double *v = sl_alloc(n * sizeof *v), h;
        fill(v, n, (const int[]){0, 1, 4, 5}[round % 4]);
        for (size_t i = 0; i < n; i += 50)
            v[i] *= 20; /* some far away */
        sl_sort(v, n);
        h = round % 2 ? sl_bandwidth(v, n, SL_BANDWIDTH_NRD0) : exp(10 * (uniform() - 0.5));
        h = isnan(h) ? 1 : h;
        assert_true(sl_kde(x, density, POINTS, v, n, h));
        for (int i = 0; i < POINTS; i++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += exp(-0.5 * ((x[i] - v[k]) / h) * ((x[i] - v[k]) / h));
            sum /= (double)n * h * sqrt(2 * M_PI);
            assert_true(fabs(density[i] - sum) <= 1e-15 / h + 1e-12 * sum);
        }
        near(x[0], v[0] - 3 * h, 1e-14);
        near(x[POINTS - 1], v[n - 1] + 3 * h, 1e-14);
        free(v);
    }
    assert_false(sl_kde(x, density, POINTS, (double[]){-1.7e308, 1.7e308}, 2, 1));
    assert_true(isnan(sl_bandwidth((double[]){3}, 1, SL_BANDWIDTH_NRD0)) &&
                isnan(sl_bandwidth((double[]){3, 3, 3}, 3, SL_BANDWIDTH_NRD0)));
}

/* ---- bootstrap ---- */

/* Resampling as the book has it. */
static double drawn_quantile(const double *v, size_t n, double p, double *w)
{
    for (size_t i = 0; i < n; i++)
        w[i] = v[below(&seed, n)];
    return sl_quantile(w, n, p);
}

static void intervals(void **state)
{
    enum { NA = 301, NB = 83, ROUNDS = SANITIZED ? 4000 : 40000 };
    static const double p[] = {0.5, 0.9, 0.03, 0, 1};
    const double by = 5 * sqrt(2 * 0.05 * 0.95 / ROUNDS);
    double a[NA], b[NB], w[NA], *d = sl_alloc(ROUNDS * sizeof *d);

    (void)state;
    for (size_t i = 0; i < NA; i++)
        a[i] = -log(1 - uniform());
    for (size_t i = 0; i < NB; i++)
        b[i] = 1 + uniform();
    sl_sort(a, NA);
    sl_sort(b, NB);
    for (size_t q = 0; q < sizeof p / sizeof *p; q++) {
        struct sl_interval ours, again;
        double low, high;
        assert_int_equal(sl_bootstrap_quantile(&ours, a, NA, b, NB, p[q], 0.9, ROUNDS, NULL), 0);
        assert_int_equal(sl_bootstrap_quantile(&again, a, NA, b, NB, p[q], 0.9, ROUNDS, NULL), 0);
        assert_memory_equal(&ours, &again, sizeof ours);
        for (int i = 0; i < ROUNDS; i++)
            d[i] = drawn_quantile(b, NB, p[q], w) - drawn_quantile(a, NA, p[q], w);
        /* their shares of ROUNDS differences are 0.05 and 0.95, to five standard errors of both */
        low = sl_quantile(d, ROUNDS, 0.05 - by) - 1e-12, high = sl_quantile(d, ROUNDS, 0.05 + by) + 1e-12;
        assert_true(low <= ours.low && ours.low <= high);
        low = sl_quantile(d, ROUNDS, 0.95 - by) - 1e-12, high = sl_quantile(d, ROUNDS, 0.95 + by) + 1e-12;
        assert_true(low <= ours.high && ours.high <= high);
        near(ours.difference, sl_quantile_sorted(b, NB, p[q]) - sl_quantile_sorted(a, NA, p[q]), 0);
    }
    free(d);
}

static void intervals_of_little(void **state)
{
    struct sl_interval i;
    double one = 3, two[] = {5, 5};

    (void)state;
    assert_int_equal(sl_bootstrap_quantile(&i, &one, 1, two, 2, 0.5, 0.95, SL_BOOTSTRAP_ROUNDS, NULL), 0);
    assert_true(i.difference == 2 && i.low == 2 && i.high == 2);
    assert_int_equal(sl_bootstrap_quantile(&i, &one, 0, two, 2, 0.5, 0.95, 1000, NULL), SL_EUSAGE);
    assert_int_equal(sl_bootstrap_quantile(&i, &one, 1, two, 2, 1.1, 0.95, 1000, NULL), SL_EUSAGE);
    assert_int_equal(sl_bootstrap_quantile(&i, &one, 1, two, 2, 0.5, 1, 1000, NULL), SL_EUSAGE);
    assert_int_equal(sl_bootstrap_quantile(&i, &one, 1, two, 2, 0.5, 0.95, 0, NULL), SL_EUSAGE);
}

/* Blocks of neighbours: all draws, each value as often as any other, and neighbours together. */
static void blocks(void **state)
{
    enum { N = 100, ROUNDS = 20000, LENGTH = 5 };
    uint32_t times[N];
    double sum[N] = {0};
    uint64_t random = 1;

    (void)state;
    for (int k = 0; k < ROUNDS; k++) {
        size_t all = 0;
        sl_bootstrap_blocks(times, N, &random);
        for (int i = 0; i < N; i++) {
            all += times[i];
            sum[i] += times[i];
        }
        assert_int_equal(all, N);
        for (int i = 0; i < N; i++) /* whoever is drawn, a neighbour is */
            assert_true(!times[i] || times[(i + 1) % N] || times[(i + N - 1) % N]);
    }
    for (int i = 0; i < N; i++)
        assert_true(fabs(sum[i] / ROUNDS - 1) < 0.06); /* six standard errors of blocks */
    sl_bootstrap_blocks(times, 1, &random);
    assert_int_equal(times[0], 1);
}

/* Closed forms, and R's qt(). */
static void quantiles_of_t(void **state)
{
    (void)state;
    near(sl_t_quantile(0.95, 1), tan(0.475 * M_PI), 1e-13);
    near(sl_t_quantile(0.95, 2), 0.95 * sqrt(2 / (1 - 0.95 * 0.95)), 1e-13);
    near(sl_t_quantile(0.95, 10), 2.2281388519862739, 1e-13);
    near(sl_t_quantile(0.99, 177), 2.6038906104907285, 1e-13);
    near(sl_t_quantile(0.95, 1e9), 1.9599639869123249, 1e-8);
}

/* All rows at once, so many that LAPACK is asked where there is one, and a row after the other. */
static void matrices(void **state)
{
    enum { N = 1500, P = 190 };
    double *x = sl_alloc((size_t)N * (P + 1) * sizeof *x), row[P + 1];
    struct sl_ols o[2];
    struct sl_ols_fit fit[2];

    (void)state;
    for (size_t j = 0; j < P; j++)
        for (size_t i = 0; i < N; i++)
            x[j * N + i] = j == 7 ? x[2 * N + i] + x[5 * N + i] : j % 2 ? uniform() < 0.4 : 1e3 * uniform();
    for (size_t i = 0; i < N; i++)
        x[(size_t)P * N + i] = 5 * x[3 * N + i] - 0.1 * x[4 * N + i] + uniform();
    for (int k = 0; k < 2; k++)
        sl_ols_init(&o[k], P);
    sl_ols_matrix(&o[0], x, N);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j <= P; j++)
            row[j] = x[j * N + i];
        sl_ols_add(&o[1], row);
    }
    for (int k = 0; k < 2; k++)
        assert_true(sl_ols_solve(&o[k], NULL, &fit[k]));
    assert_true(isnan(fit[0].b[8]) && isnan(fit[1].b[8]));
    assert_int_equal(fit[0].df, fit[1].df);
    for (size_t j = 0; j <= P; j++) {
        if (j == 8)
            continue;
        assert_true(fabs(fit[0].b[j] - fit[1].b[j]) <= 1e-10 * fit[1].se[j]);
        near(fit[0].se[j], fit[1].se[j], 1e-10);
    }
    near(fit[0].r_squared, fit[1].r_squared, 1e-12);
    for (int k = 0; k < 2; k++) {
        sl_ols_fit_free(&fit[k]);
        sl_ols_free(&o[k]);
    }
    free(x);
}

/* Two variables, where components are known in closed form: half the angle of atan2(2 cov, difference of variances). */
static void components(void **state)
{
    enum { N = 400 };
    double x[2 * N], copy[2 * N], sdev[2], rotation[4], mean[2] = {0}, c[3] = {0}, angle;

    (void)state;
    for (size_t i = 0; i < N; i++) {
        x[i] = 1e6 + 3 * uniform();
        x[N + i] = -x[i] / 2 + uniform();
    }
    memcpy(copy, x, sizeof x);
    for (size_t i = 0; i < N; i++) {
        mean[0] += x[i] / N;
        mean[1] += x[N + i] / N;
    }
    for (size_t i = 0; i < N; i++) {
        double a = x[i] - mean[0], b = x[N + i] - mean[1];
        c[0] += a * a / (N - 1);
        c[1] += a * b / (N - 1);
        c[2] += b * b / (N - 1);
    }
    angle = 0.5 * atan2(2 * c[1], c[0] - c[2]);
    sl_pca(x, N, 2, sdev, rotation);
    near(rotation[0], cos(angle), 1e-8);
    near(rotation[1], sin(angle), 1e-8);
    near(sdev[0] * sdev[0] + sdev[1] * sdev[1], c[0] + c[2], 1e-8);
    near(sdev[0] * sdev[0] * sdev[1] * sdev[1], c[0] * c[2] - c[1] * c[1], 1e-7);
    for (size_t i = 0; i < N; i++)
        assert_true(fabs(x[i] - rotation[0] * (copy[i] - mean[0]) - rotation[1] * (copy[N + i] - mean[1])) < 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders),     cmocka_unit_test(quantiles),
        cmocka_unit_test(deviations), cmocka_unit_test(tails),
        cmocka_unit_test(certified),  cmocka_unit_test(left_out),
        cmocka_unit_test(bins),       cmocka_unit_test(kernel_densities),
        cmocka_unit_test(intervals),  cmocka_unit_test(intervals_of_little),
        cmocka_unit_test(blocks),     cmocka_unit_test(quantiles_of_t),
        cmocka_unit_test(matrices),   cmocka_unit_test(components),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
