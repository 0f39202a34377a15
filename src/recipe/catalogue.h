/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files NAME.yaml that the program has, and of which users may have more: findings, sections of reports.  The user's
 * lie in $XDG_CONFIG_HOME/spanloom/FOLDER; of one name the user's counts.
 */
#ifndef SL_RECIPE_CATALOGUE_H
#define SL_RECIPE_CATALOGUE_H

#include "base/embed.h"
#include "base/err.h"
#include "base/mem.h"

struct sl_catalogue {
    SL_VEC(const char *) problem; /* files of the user that cannot be used, and why: a text each */
    SL_VEC(const char *) notice;  /* files of the user that take the place of ours, or are not read */
    struct sl_arena arena;        /* of all texts */
};

/* One file more, n bytes of YAML.  0: it is new; 1: it takes the place of another; negative: err is filled. */
typedef int sl_catalogue_add(void *to, const char *path, const char *text, size_t n, struct sl_err *err);

/* Ours have the path FOLDER/NAME.yaml.  *c is to be freed in any case. */
int sl_catalogue_load(struct sl_catalogue *c, const struct sl_embedded *ours, const char *folder, sl_catalogue_add *add,
                      void *to, struct sl_err *err);
/* The name of a file, without what is before and behind it. */
const char *sl_catalogue_name(struct sl_catalogue *c, const char *path);
void sl_catalogue_free(struct sl_catalogue *c);

#endif
