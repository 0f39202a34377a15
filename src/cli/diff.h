/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of `spanloom diff` share. */
#ifndef SL_CLI_DIFF_H
#define SL_CLI_DIFF_H

#include "analyse/diff.h"
#include "cli/cli.h"

/* A or B, as the user says it. */
struct diff_side {
    const char *text; /* the argument */
    char *path, *run; /* the store; run NULL: all of it */
    struct sl_store *st;
    int64_t within;     /* the span of the run; 0: all */
    int64_t workflow;   /* whose makespan and critical path is compared; 0: none */
    uint64_t workflows; /* how many the store has, where no run is named */
};

/* Seconds on the critical path by what had it, in both. */
struct diff_path {
    char *component, *state;
    double s[2];
};

struct diff {
    const char *type;
    struct diff_side side[2];
    struct sl_diff d;
    double makespan[2];            /* NaN: there is none, and no_path says why */
    SL_VEC(struct diff_path) path; /* by how much it changed; empty: no_path says why */
    char no_path[600];
};

/* For people.  all: every transition and ordering. */
void diff_show(const struct diff *d, bool all);
/* For programs; an exit code. */
int diff_rows(const struct cli *cli, const struct diff *d);

/* "+12 %", "-0.30 %"; "" where that is nothing, or of nothing.  buf holds 32 bytes. */
char *diff_percent(double before, double now, char *buf);

#endif
