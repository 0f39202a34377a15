/* SPDX-License-Identifier: Apache-2.0 */
/* Two settings run in turns until it is known which is better (experiment/search/turns.h), or the budget is spent. */
#ifndef SL_DESIGN_COMPARISON_H
#define SL_DESIGN_COMPARISON_H

#include "design/run_log.h"
#include "experiment/search/turns.h"

enum { SL_COMPARISON_FAILURES = 3 /* of one side, in a row, end it */ };

enum sl_comparison_end {
    SL_COMPARISON_KNOWN,
    SL_COMPARISON_PAIRS, /* as many as there may be */
    SL_COMPARISON_TIME,
    SL_COMPARISON_FAILED,
    SL_COMPARISON_INTERRUPTED
};

struct sl_comparison {
    /* What is asked.  Side 0 is the base, 1 the new one. */
    const int32_t *setting[2];
    struct sl_compare_rule rule;
    size_t pairs;                                              /* at most */
    double budget_s;                                           /* no pair begins after this time; infinite: none */
    uint64_t seed;                                             /* of the order in pairs */
    bool warm_up;                                              /* one run of each before, which is not measured */
    int log;                                                   /* sl_run_log_open(); negative: runs are not kept */
    const char *id;                                            /* of its runs: ID-1, ... */
    void (*progress)(void *to, const struct sl_comparison *c); /* after each pair; NULL: nobody looks */
    void *to;

    /* What came of it. */
    struct sl_compared is;
    enum sl_comparison_end end;
    size_t runs[2], failed[2]; /* of each side, without warm-up */
    char why[2][400];          /* a side's last failure, in words; "": none */
    int signal;                /* of INTERRUPTED */
    double elapsed_s;
};

/* 0, or negative: what sl_trial_run() and sl_run_log_add() have.  SL_EUSAGE: a score has no logarithm. */
int sl_comparison_run(struct sl_comparison *c, struct sl_trials *s, struct sl_err *err);

#endif
