/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular fractions of two-level factorials, 2^(k-p) runs of k factors.  A run is a vector of m = k - p bits, a factor
 * is a column, a mask of these bits: its level in a run is the parity of both.  The first m factors are the bits
 * themselves, each of the others is a product (an interaction) of some of them, its generator.
 *
 * Which products: those of minimum aberration (Fries & Hunter, Technometrics 22 (1980) 601), by what
 * counts words of each length: the distances of runs, by the identities of MacWilliams (Xu & Wu, Ann. Statist. 29
 * (2001) 1066), so that the defining relation, which has 2^p words, is never written down to choose it.
 */
#ifndef SL_DESIGN_SETTINGS_FRACTION_H
#define SL_DESIGN_SETTINGS_FRACTION_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum { SL_FRACTION_FACTORS = 60, SL_FRACTION_BITS = 10 };

struct sl_fraction {
    int factors, bits;                     /* k and m; 2^m runs */
    uint32_t column[SL_FRACTION_FACTORS];  /* of each factor */
    double words[SL_FRACTION_FACTORS + 1]; /* of each length, in the defining relation */
    int resolution;                        /* the length of the shortest; 0: there is none, it is the full factorial */
    bool best; /* no other fraction has less aberration; else none was found, and not all were looked at */
};

/* The fraction of 2^bits runs.  SL_EUSAGE: it has too few runs for so many factors, or more than all have. */
int sl_fraction_of_runs(struct sl_fraction *out, int factors, int bits, struct sl_err *err);
/* The smallest one of at least this resolution, which is 3, 4, 5, ... */
int sl_fraction_of_resolution(struct sl_fraction *out, int factors, int resolution, struct sl_err *err);

/* Is the factor at its high level in a run?  The first run has all at their base. */
static inline bool sl_fraction_high(const struct sl_fraction *f, uint32_t run, int factor)
{
    return __builtin_parity(run & f->column[factor]);
}

/* Counts out->words of any columns, and the resolution. */
void sl_fraction_words(struct sl_fraction *f);

/* "III", "IV". */
const char *sl_fraction_roman(int resolution);

#endif
