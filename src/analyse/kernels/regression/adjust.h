/* SPDX-License-Identifier: Apache-2.0 */
/*
 * p values of many comparisons, corrected: what R's p.adjust() gives.  NaN is no comparison, and stays.  out may be p.
 */
#ifndef SL_ANALYSE_KERNELS_REGRESSION_ADJUST_H
#define SL_ANALYSE_KERNELS_REGRESSION_ADJUST_H

#include <stddef.h>

/* Below 0.05: the chance that any of those so marked is chance is at most 5 %.  Holm, Scand. J. Stat. 6 (1979) 65. */
void sl_adjust_holm(double *out, const double *p, size_t n);

/* Below 0.05: of those so marked, at most 5 % are chance, on average.  Benjamini & Hochberg, JRSS B 57 (1995) 289. */
void sl_adjust_bh(double *out, const double *p, size_t n);

/*
 * Both, of n structures of so many bytes, one behind the other; p, holm and bh are members of the first:
 *
 *     sl_adjust_members(n, sizeof *v, &v->p, &v->p_holm, &v->p_bh);
 */
void sl_adjust_members(size_t n, size_t bytes, const double *p, double *holm, double *bh);

#endif
