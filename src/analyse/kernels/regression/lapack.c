/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/kernels/regression/lapack.h"
#include "base/mem.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>

#ifdef SL_LAPACK

/* Fortran's DGEQRF: all by reference, integers of 32 bits. */
typedef void geqrf_fn(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
                      const int *lwork, int *info);

static geqrf_fn *geqrf(void)
{
    static geqrf_fn *fn;
    static bool tried;
    void *library;

    if (!tried && (library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL))) /* it stays */
        *(void **)&fn = dlsym(library, "dgeqrf_");
    tried = true;
    return fn;
}

bool sl_lapack_qr(double *a, size_t rows, size_t columns)
{
    geqrf_fn *fn = rows <= INT_MAX ? geqrf() : NULL;
    int m = (int)rows, n = (int)columns, query = -1, info = 0, lwork;
    double *tau, *work, best = 0;

    if (!fn)
        return false;
    fn(&m, &n, a, &m, &best, &best, &query, &info);
    lwork = info || !(best >= columns) ? n : (int)best;
    tau = sl_alloc(columns * sizeof *tau);
    work = sl_alloc((size_t)lwork * sizeof *work);
    fn(&m, &n, a, &m, tau, work, &lwork, &info);
    free(tau);
    free(work);
    return true;
}

#else

bool sl_lapack_qr(double *a, size_t rows, size_t columns)
{
    (void)a, (void)rows, (void)columns;
    return false;
}

#endif
