/* SPDX-License-Identifier: Apache-2.0 */
/* What durations, states, rate and utilisation share: the options --bin, --run, --sql. */
#ifndef SL_CLI_OVER_TIME_H
#define SL_CLI_OVER_TIME_H

#include "cli/workflow.h"
#include "result/over_time.h"

#include <stdint.h>

/* In lists of options. */
/* clang-format off */
#define BIN_OPTION {"bin", "SECONDS", "the width of a bin (default: round, so that there are about twenty)"}
#define BY_OPTION {"by", "GROUP", "for each app, executor, node, worker or type on its own"}
#define SQL_OPTION(columns) {"sql", "QUERY", "instead, show what a query yields: " columns}
/* clang-format on */

struct over_time {
    const struct cli *cli;
    struct sl_store *st;
    const char *arg; /* ?1 of queries: a type, an event */
    double bin_s;    /* ?2; 0: not given */
    int64_t within;  /* ?3; 0: NULL */
    char *sql;       /* the user's; NULL: none */
};

/* Opens the store and reads the options.  EXIT_DONE; else it is said what is wrong, and p is closed. */
int over_time_open(struct over_time *p, const struct cli *cli);
/* Ends the command: prints what err has, closes. */
int over_time_close(struct over_time *p, int rc, const struct sl_err *err);

/* What is asked; with what people look at, where they do. */
struct sl_over_time over_time_question(const struct over_time *p, bool summary);
/* The result where it was made (rc 0), for programs, or by `show` where people look on.  Frees it.  rc, or negative. */
int over_time_show(const struct over_time *p, struct sl_result *r, int rc,
                   void (*show)(FILE *out, const struct sl_result *r), struct sl_err *err);
/* All of it where all went well so far (rc 0): asks, shows, ends the command. */
int over_time_run(struct over_time *p, int rc,
                  int (*ask)(struct sl_result *r, const struct sl_over_time *question, struct sl_err *err),
                  void (*show)(FILE *out, const struct sl_result *r), struct sl_err *err);

#endif
