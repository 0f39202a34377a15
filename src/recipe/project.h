/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A project file, spanloom.yaml: what a study is made of, so that it can be repeated.  docs/man/spanloom-project.5
 * describes it for users.
 */
#ifndef SL_RECIPE_PROJECT_H
#define SL_RECIPE_PROJECT_H

#include "base/err.h"
#include "base/mem.h"
#include "store/store.h"

#define SL_PROJECT_FILE "spanloom.yaml"

struct sl_project {
    const char *path;                      /* canonical */
    const char *store, *zone, *campaign;   /* NULL: not given; store as it is to be opened */
    SL_VEC(const char *) sources, recipes; /* relative ones are relative to the file */
    SL_VEC(const char *) set;              /* pairs of field and value */
    SL_VEC(struct sl_project_bind { const char *name, *rule; }) binds;
    SL_VEC(struct sl_project_lens {
        const char *kind, *what, *becomes;
        int64_t within_ns;
    })
    lens; /* sl_lens */
    struct sl_project_experiment {
        const char *name, *score, *time, *key, *logs; /* as the options of `spanloom experiment import`; NULL: not given
                                                       */
        const char *groups;                           /* of treatments, as --groups: "a*,b;c*" */
        const char *split;                            /* factors that became several, as --split: "old=a,b;other=c" */
    } experiment;
    struct sl_arena arena;
};

/* Parses n bytes of text; *out is to be freed in any case. */
int sl_project_parse(struct sl_project *out, const char *path, const char *text, size_t n, struct sl_err *err);
/* Reads the file; 1: there is none. */
int sl_project_load(struct sl_project *out, const char *path, struct sl_err *err);
void sl_project_free(struct sl_project *p);

/* Within a transaction: its bindings and lenses, and no others that an older version of it had.  *changed: some did. */
int sl_project_store(struct sl_store *st, const struct sl_project *p, bool *changed, struct sl_err *err);

#endif
