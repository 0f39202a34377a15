/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/density2.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

enum { FAR = 9 };

/* The kernel around v at g[from..to), the points in reach. */
static void kernel(double *k, size_t *from, size_t *to, const double *g, size_t n, double v, double h)
{
    *from = 0;
    while (*from < n && g[*from] < v - FAR * h)
        ++*from;
    for (*to = *from; *to < n && g[*to] <= v + FAR * h; ++*to) {
        double z = (g[*to] - v) / h;
        k[*to] = exp(-z * z / 2);
    }
}

void sl_kde2(double *density, const double *gx, size_t nx, const double *gy, size_t ny, const double *x,
             const double *y, size_t n, double hx, double hy)
{
    double *kx = sl_alloc((nx + ny) * sizeof *kx), *ky = kx + nx, norm = 1 / (2 * M_PI * hx) / hy / (double)n;

    memset(density, 0, nx * ny * sizeof *density);
    for (size_t p = 0; p < n; p++) {
        size_t x0, x1, y0, y1;
        kernel(kx, &x0, &x1, gx, nx, x[p], hx);
        kernel(ky, &y0, &y1, gy, ny, y[p], hy);
        for (size_t j = y0; j < y1; j++)
            for (size_t i = x0; i < x1; i++)
                density[j * nx + i] += kx[i] * ky[j];
    }
    for (size_t i = 0; i < nx * ny; i++)
        density[i] *= norm;
    free(kx);
}
