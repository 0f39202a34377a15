/* SPDX-License-Identifier: Apache-2.0 */
/* Where the score of a run is read. */
#ifndef SL_DESIGN_SCORE_H
#define SL_DESIGN_SCORE_H

#include "design/plan/plan.h"

/*
 * The score in n bytes of text, by a pattern or a path of JSON.  SL_EFORMAT: why there is none.
 */
int sl_score_of_text(double *score, const struct sl_plan_score *s, const char *text, size_t n, struct sl_err *err);

/* The number that a text is, with blanks around it: NaN: it is none, or not finite. */
double sl_score_number(const char *text);

#endif
