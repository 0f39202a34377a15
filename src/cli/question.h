/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command that asks a store one question: what must be known before, how it is asked, how people see the answer.
 * cli_ask() does the rest: it opens the store, finds the run, the type and what else is wanted, draws the picture of
 * -o, prints the answer in the format that is asked for, and says what the answer lacks.
 */
#ifndef SL_CLI_QUESTION_H
#define SL_CLI_QUESTION_H

#include "cli/workflow.h"
#include "result/over_time/over_time.h"

#include <stdint.h>

/* In lists of options. */
/* clang-format off */
#define BIN_OPTION {"bin", "SECONDS", "the width of a bin (default: round, so that there are about twenty)"}
#define BY_OPTION {"by", "GROUP", "for each app, executor, node, worker or type on its own"}
#define SQL_OPTION(columns) {"sql", "QUERY", "instead, show what a query yields: " columns}
/* clang-format on */

/* A question while it is asked. */
struct asking {
    const struct cli *cli;
    unsigned before; /* of its question, or what is to be so instead */
    int argc;
    char **argv;
    struct sl_store *st;
    int64_t within;           /* the span of --run, 0: none was given; of ASK_WORKFLOW the workflow */
    char type[SL_TYPE_BYTES]; /* of ASK_TYPE */
    double bin_s;             /* of --bin; 0: not given */
    char *sql;                /* of --sql, without what ends it; NULL: none */
    bool merged;              /* it looks through what recipes merge */
    struct sl_result r;
};

/* What must be known before it is asked. */
enum {
    ASK_STATES = 1,   /* roles and states of a store that was made before these were */
    ASK_WORKFLOW = 2, /* the workflow of the arguments, of --run, or the only one */
    ASK_TYPE = 4,     /* the type that the first argument says, or that of tasks; not with --sql */
    ASK_GROUPS = 8,   /* is --by a group of spans? */
    ASK_LENS = 16,    /* LENS_OPTIONS */
    ASK_SKEW = 32,    /* SKEW_OPTION; ASK_LENS and ASK_WORKFLOW have it */
    SAY_MIXED = 64,   /* that it is of several runs; not with --sql */
    SAY_LOST = 128,   /* where it counts calls: that programs could not record all */
    SHOW_ALL = 256    /* show() has the other formats, too */
};
enum { CLI_WORDS = 1000000 }; /* as many arguments as one likes */

struct cli_question {
    unsigned before;   /* the above */
    int most;          /* arguments; with --sql none */
    const char *takes; /* "one type of spans, or --sql": it is said where there are more.  NULL: "no arguments" */
    const char *plot;  /* of -o; NULL: it has no picture */
    /* What is wrong with the options, as an exit status.  NULL: nothing can be. */
    int (*check)(const struct cli *cli, int argc, char **argv);
    int (*ask)(struct asking *a, struct sl_err *err); /* fills a->r */
    /* For people: what is said of a->r; where there is nothing special to say, the one or NULL, as aligned tables. */
    int (*show)(struct asking *a, struct sl_err *err);
    void (*people)(FILE *out, const struct sl_result *r);
};

/* The command's question, from the options to the exit status. */
int cli_ask(struct cli *cli, int argc, char **argv);

/*
 * The first part of it, for commands that do more: opens the store, finds the span of --run, and reads --bin, --sql and
 * --by; of `before` it heeds ASK_STATES and ASK_GROUPS.  EXIT_DONE; else it is said what is wrong, and all is closed.
 */
int cli_asking_open(struct asking *a, const struct cli *cli, unsigned before);
/* The last one: says that calls are lost, prints what err has, closes.  An exit status. */
int cli_asking_close(struct asking *a, int rc, const struct sl_err *err);

/* What is asked over time of a type, an event or --sql. */
struct sl_over_time cli_over_time(const struct asking *a, const char *about);

#endif
