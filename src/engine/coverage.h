/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the wordings that a recipe knows its samples have. */
#ifndef SL_ENGINE_COVERAGE_H
#define SL_ENGINE_COVERAGE_H

#include "base/buf.h"
#include "base/set.h"
#include "recipe/recipe.h"

/* What records came by: inputs, heads, rules and their patterns and conditions.  Zero-initialise; sl_cover_free(). */
struct sl_cover {
    struct sl_set records, naming; /* apart: with the naming rules, all rules that fit are applied */
};

/*
 * Appends to out, one a line, what of r's inputs, heads and rules no record came by: "FILE:LINE: no sample for KEY:
 * TEXT".  Returns how many.
 */
int sl_cover_missing(const struct sl_cover *c, const struct sl_recipe *r, struct sl_buf *out);
void sl_cover_free(struct sl_cover *c);

#endif
