/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What runs are called: what tells their directories apart, as little of it as does.  Of a/runinfo/000 and
 * b/runinfo/000 that is a and b, of x/runinfo/000 and x/runinfo/001 it is 000 and 001; a run alone is called like the
 * last folder above it whose name is not a number or that of every run (runinfo).  A run without a directory is called
 * by its key.
 */
#ifndef SL_RESULT_SPANS_RUN_NAMES_H
#define SL_RESULT_SPANS_RUN_NAMES_H

#include "base/mem.h"
#include "store/store.h"

struct sl_run_name {
    int64_t workflow;            /* its span */
    const char *name;            /* no two are equal */
    const char *key, *directory; /* directory "": nothing says */
};

struct sl_run_names {
    SL_VEC(struct sl_run_name) v; /* in the order of the workflows' ids */
    struct sl_arena arena;
};

/* Of workflows that are not part of another.  *out is to be freed, on failure too. */
int sl_run_names_load(struct sl_run_names *out, struct sl_store *st, struct sl_err *err);
void sl_run_names_free(struct sl_run_names *names);

/* Runs whose name is this (*exactly), or begins with it where none is: how many, *workflow the first. */
size_t sl_run_names_find(const struct sl_run_names *names, const char *name, int64_t *workflow, bool *exactly);

/* What a workflow, or a facet of it, is called; its type and key, where it has no name.  buf is returned. */
char *sl_run_name(struct sl_store *st, int64_t workflow, char *buf, size_t n);

#endif
