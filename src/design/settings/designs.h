/* SPDX-License-Identifier: Apache-2.0 */
/* Designs: which settings are to be run.  Nothing here knows of order or of runs that were made, but for optimal ones.
 */
#ifndef SL_DESIGN_SETTINGS_DESIGNS_H
#define SL_DESIGN_SETTINGS_DESIGNS_H

#include "design/plan/plan.h"
#include "design/settings/fraction.h"

/* Rows of a level of each factor of the plan.  Zero-initialise with the number of factors. */
struct sl_settings {
    size_t factors;
    SL_VEC(int32_t) level; /* n rows of it */
};
static inline size_t sl_settings_n(const struct sl_settings *s)
{
    return s->factors ? s->level.n / s->factors : 0;
}
static inline const int32_t *sl_setting(const struct sl_settings *s, size_t row)
{
    return s->level.v + row * s->factors;
}
void sl_settings_add(struct sl_settings *s, const int32_t *setting); /* copies it */
void sl_settings_free(struct sl_settings *s);

/* What varies in a design: the others stay at their base.  Arrays of as many as the plan has factors. */
struct sl_design_of {
    const struct sl_plan *plan;
    const bool *vary;
    const int32_t *high; /* in designs of two levels: which, beside the base */
};

/* Every setting that the constraints allow; *left_out: those that they do not.  SL_EUSAGE: more than `most`. */
int sl_design_full(struct sl_settings *out, const struct sl_design_of *d, size_t most, size_t *left_out,
                   struct sl_err *err);
/* The runs of a fraction of the factors that vary, in their order.  SL_EUSAGE: the constraints forbid some, without
 * which it is no fraction any more. */
int sl_design_fraction(struct sl_settings *out, const struct sl_design_of *d, const struct sl_fraction *f,
                       struct sl_err *err);
/* The base, and each other level of one factor (up); all factors high, and each of them at its base (down).
 * *left_out: settings that the constraints forbid. */
int sl_design_one_at_a_time(struct sl_settings *out, const struct sl_design_of *d, bool up, bool down, size_t *left_out,
                            struct sl_err *err);
/* n settings, each level of a factor as likely as the others, all different as long as there are others. */
int sl_design_random(struct sl_settings *out, const struct sl_design_of *d, size_t n, uint64_t seed,
                     struct sl_err *err);

/*
 * n settings more beside those that have run (which may be none), so that det(X'X) is as large as can be: X has the
 * intercept, each other level of each factor, and, with interactions, the products of all pairs.  Candidates are all
 * allowed settings, or 4096 random ones of them.  By exchange (Fedorov, Theory of Optimal Experiments, 1972) from
 * several starts.  *logdet: log det of X'X of all runs; -INFINITY: these runs cannot tell all terms.
 */
int sl_design_optimal(struct sl_settings *out, const struct sl_design_of *d, const struct sl_settings *had, size_t n,
                      bool interactions, uint64_t seed, double *logdet, struct sl_err *err);

/*
 * n different settings, in which each level of a factor is there as often as the others, and each pair of levels of two
 * factors, too, as far as constraints allow, by the solver Z3.  *off_single, *off_pair: by so many runs more or fewer
 * than even, at most; pairs that a constraint forbids, or that have no other choice, count for themselves.
 * SL_ENOTFOUND: this build has no Z3, or there is no such design.
 */
int sl_design_balanced(struct sl_settings *out, const struct sl_design_of *d, size_t n, uint64_t seed, int *off_single,
                       int *off_pair, struct sl_err *err);

#endif
