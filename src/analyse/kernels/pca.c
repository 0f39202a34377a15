/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/pca.h"
#include "base/mem.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SWEEPS = 60 }; /* ten are enough */

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void rotate(double *a, double *b, size_t n, double c, double s)
{
    for (size_t i = 0; i < n; i++) {
        double x = a[i], y = b[i];
        a[i] = c * x - s * y;
        b[i] = s * x + c * y;
    }
}

/* Makes columns a and b orthogonal; false: they are. */
static bool make_orthogonal(double *x, size_t n, double *v, size_t p, size_t a, size_t b)
{
    double aa = dot(x + a * n, x + a * n, n), bb = dot(x + b * n, x + b * n, n), ab = dot(x + a * n, x + b * n, n);
    double zeta, t, c;

    if (fabs(ab) <= 1e-15 * sqrt(aa) * sqrt(bb))
        return false;
    zeta = (bb - aa) / (2 * ab);
    t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + hypot(1, zeta));
    c = 1 / hypot(1, t);
    rotate(x + a * n, x + b * n, n, c, c * t);
    rotate(v + a * p, v + b * p, p, c, c * t);
    return true;
}

static void swap(double *a, double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

static void turn(double *x, size_t n, double *v, size_t p)
{
    size_t at = 0;

    for (size_t j = 1; j < p; j++)
        if (fabs(v[j]) > fabs(v[at]) * (1 + 1e-9))
            at = j;
    for (size_t j = 0; j < p && v[at] < 0; j++)
        v[j] = j == at ? v[j] : -v[j];
    for (size_t i = 0; i < n && v[at] < 0; i++)
        x[i] = -x[i];
    v[at] = fabs(v[at]);
}

void sl_pca(double *x, size_t n, size_t p, double *sdev, double *rotation)
{
    bool any = true;

    for (size_t j = 0; j < p; j++) {
        double mean = 0;
        for (size_t i = 0; i < n; i++)
            mean += x[j * n + i] / (double)n;
        for (size_t i = 0; i < n; i++)
            x[j * n + i] -= mean;
    }
    for (size_t j = 0; j < p; j++)
        for (size_t k = 0; k < p; k++)
            rotation[k * p + j] = j == k;
    for (int sweep = 0; any && sweep < SWEEPS; sweep++) {
        any = false;
        for (size_t a = 0; a < p; a++)
            for (size_t b = a + 1; b < p; b++)
                any |= make_orthogonal(x, n, rotation, p, a, b);
    }
    for (size_t k = 0; k < p; k++)
        sdev[k] = sqrt(dot(x + k * n, x + k * n, n) / (double)(n - 1));
    for (size_t k = 0; k < p; k++) {
        size_t most = k;
        for (size_t j = k + 1; j < p; j++)
            most = sdev[j] > sdev[most] ? j : most;
        if (most != k) {
            swap(x + k * n, x + most * n, n);
            swap(rotation + k * p, rotation + most * p, p);
            swap(sdev + k, sdev + most, 1);
        }
        turn(x + k * n, n, rotation + k * p, p);
    }
}
