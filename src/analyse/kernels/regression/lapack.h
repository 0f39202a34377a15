/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LAPACK, where the machine has it.  It is looked for when it is first needed, under the name that distributions agree
 * on (liblapack.so.3, be it OpenBLAS or the reference), so that no command waits for it that does without.  Built with
 * -Dlapack=disabled, there is none.
 */
#ifndef SL_ANALYSE_KERNELS_REGRESSION_LAPACK_H
#define SL_ANALYSE_KERNELS_REGRESSION_LAPACK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The triangle of Householder's QR of a[0..rows * columns), columns one after the other, rows >= columns: in its place,
 * R[i][j] in a[j * rows + i], i <= j; what is below is to be ignored.  false: there is no LAPACK, a is as it was.
 */
bool sl_lapack_qr(double *a, size_t rows, size_t columns);

#endif
