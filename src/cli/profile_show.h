/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles for people: `spanloom profile`, and what `spanloom run` says at the end. */
#ifndef SL_CLI_PROFILE_SHOW_H
#define SL_CLI_PROFILE_SHOW_H

#include "analyse/calls/calls.h"
#include "store/store.h"

#include <stdio.h>

struct profile_view {
    struct sl_calls_want want;
    bool flat, tree;
    size_t top; /* rows of each; 0: all */
};

/* 1: shown; 0: there are no calls and no asynchronous spans, and nothing was printed; negative. */
int profile_show(FILE *out, struct sl_store *st, const struct profile_view *view, struct sl_err *err);

#endif
