/* SPDX-License-Identifier: Apache-2.0 */
/* What workflows (why.c) and traced programs (programs.c) share: findings, looked for and ranked. */
#ifndef SL_FINDINGS_WHY_INTERNAL_H
#define SL_FINDINGS_WHY_INTERNAL_H

#include "findings/why.h"

struct found {
    const struct sl_finding *by;
    double seconds, without_s; /* NaN: nothing says */
    char *sure, *text, *advice, *command, *changes, *spans;
    char *replays; /* JSON: further changes, and the seconds with each */
};

struct why {
    struct sl_store *st;
    struct sl_workflow *w; /* NULL of programs */
    double makespan_s;
    struct sl_replay *replay; /* NULL of programs */
    double bias;              /* of the last replay */
    struct sl_err failed;     /* why it failed */
    char name[600];           /* of the run */
    size_t runs;              /* of the store */
    char workers[200];        /* their type, where it has to be said; "" */
    SL_VEC(struct found) found;
    bool alone; /* the one that is left */
};

/* The tables findings and problems, empty. */
void sl_why_begin(struct sl_result *r);
/* Looks for findings of programs, or of workflows, in the temporary tables that are there; into both tables and
 * replays. */
int sl_why_look(struct sl_result *r, struct why *y, const struct sl_findings *findings, bool programs,
                struct sl_err *err);
/* The table more: what to ask next, whatever was found: n pairs of what and a command. */
void sl_why_more(struct sl_result *r, struct why *y, const char *const (*more)[2], int n);
/* The rows of a query in memory, as the temporary tables behind it go; NULL: none. */
int sl_why_rows(struct sl_result *r, struct sl_store *st, const char *name, const struct sl_column *column, int columns,
                const char *sql, struct sl_err *err);

#endif
