/* SPDX-License-Identifier: Apache-2.0 */
/* Recipes against samples and logs: for their authors, and for the tests. */
#ifndef SL_ENGINE_CHECK_H
#define SL_ENGINE_CHECK_H

#include "base/buf.h"
#include "engine/coverage.h"
#include "recipe/recipe.h"

#include <stdint.h>

/*
 * Runs sample i of r and appends to out, one a line, what it came to:
 *   TYPE KEY EVENT SECONDS | TYPE KEY in|facet|after|flow TYPE KEY | TYPE KEY NAME = VALUE | TYPE KEY METRIC = VALUE at
 *   SECONDS | zone +HH:MM | share FIELD SCOPE VALUE | reject PLACE REASON
 * Returns how many of its gives: are missing; these are appended to `missing`.  Negative: the sample cannot be run.
 * What its records came by is added to cover.
 */
int sl_check_sample(struct sl_recipes *set, const struct sl_recipe *r, int i, struct sl_buf *out,
                    struct sl_buf *missing, struct sl_cover *cover, struct sl_err *err);

/*
 * Reads the log at path by r and calls line() for each record: place, its first line, and what it came to (the same
 * form as above), "" where no rule knows it.  by_path: false where no files: pattern takes the path.
 */
int sl_check_log(struct sl_recipes *set, const struct sl_recipe *r, const char *path, bool *by_path,
                 void (*line)(void *to, int64_t place, const char *text, size_t n, const char *came_to, int rule_line),
                 void *to, struct sl_err *err);

#endif
