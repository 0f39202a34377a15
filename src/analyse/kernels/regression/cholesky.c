/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/regression/cholesky.h"

#include <math.h>

double sl_dot(const double *a, const double *b, size_t n)
{
    double s[4] = {0};
    size_t i = 0;

    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            s[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        s[0] += a[i] * b[i];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

bool sl_cholesky(double *m, size_t n, double least)
{
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++)
            m[i * n + j] -= sl_dot(m + i * n, m + j * n, j);
        if (!(m[j * n + j] > least))
            return false;
        m[j * n + j] = sqrt(m[j * n + j]);
        for (size_t i = j + 1; i < n; i++)
            m[i * n + j] /= m[j * n + j];
    }
    return true;
}

void sl_cholesky_forward(const double *l, size_t n, double *v)
{
    for (size_t i = 0; i < n; i++)
        v[i] = (v[i] - sl_dot(l + i * n, v, i)) / l[i * n + i];
}

void sl_cholesky_backward(const double *l, size_t n, double *v)
{
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            v[i] -= l[k * n + i] * v[k];
        v[i] /= l[i * n + i];
    }
}
