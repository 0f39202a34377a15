/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line.  To add a command: cmd_NAME.c with a struct command, its line in the table of main.c, and its page
 * docs/man/spanloom-NAME.1.  Only this folder prints errors or chooses exit codes.
 */
#ifndef SL_CLI_CLI_H
#define SL_CLI_CLI_H

#include "base/err.h"
#include "recipe/span_tables.h"
#include "show/show.h"
#include "store/store.h"

#include <stdbool.h>
#include <stdint.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_GATE = 3, EXIT_UNKNOWN = 4 };

struct cli;

struct option_spec {
    const char *name;  /* --name */
    const char *value; /* what stands behind it in the help; NULL: a flag */
    const char *help;
};

struct command {
    const char *name;
    const char *args;                  /* "PATH..." */
    const char *help;                  /* one line; what follows it is only for the command's own help */
    const struct option_spec *options; /* ends with a NULL name; NULL: none */
    /* The i-th of those that its first argument may be, each with a help of its own, good until the next; behind them
     * NULL.  One without a name begins a group, which is called as its help says.  NULL: there are none. */
    const struct command *(*sub)(size_t i);
    int (*run)(struct cli *cli, int argc, char **argv);
    const struct cli_question *question; /* where it asks a store one question (cli/question.h); then run is NULL */
};

/* What every command gets: the options that all share, and its own. */
struct cli {
    const struct command *command;
    const char *sub; /* of the command, where it has these; NULL: none is said */
    const char *store_path;
    bool store_given;                 /* by -d */
    struct sl_project *project;       /* spanloom.yaml of this folder; NULL: there is none */
    const struct sl_err *project_err; /* why it cannot be used; NULL: it can */
    enum sl_format format;
    bool format_given;
    bool wide;         /* nothing is cut */
    const char *color; /* "auto", "always", "never"; NULL: not given */
    struct given {
        const struct option_spec *spec;
        const char *value;
    } * given;
    int ngiven;
};

/* The last value of an own option, "" for a flag that is set, NULL where it is not. */
const char *cli_option(const struct cli *cli, const char *name);

/* The whole of s as a number from `least` up; negative: it is none. */
int cli_number(const char *s, int least);

/* Prints "spanloom: ..." to stderr; returns EXIT_FAILED, or EXIT_USAGE for SL_EUSAGE. */
int cli_fail(const struct cli *cli, const struct sl_err *err);
int cli_usage(const struct cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Prints "spanloom: ..." to stderr, and a newline; on a terminal to its width. */
void cli_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_warn(void *to, const char *text); /* the same, as a callback; to: nothing */
/* What is shown is not all that was asked for, which was said: the exit status is 1 in the end. */
extern bool cli_not_all;

/*
 * Of an answer that counts calls: says where traced programs, of the span `within`, or 0, could not record all of them.
 * cli_say_lost_of(): of those of a condition, as sl_result_lost() has it; of an SQL format, as sqlite3_mprintf() has
 * it.
 */
void cli_say_lost(struct sl_store *st, int64_t within);
void cli_say_lost_of(struct sl_store *st, const char *which, ...);

/* How wide lines of the output may be: $COLUMNS, the terminal's, or 80. */
int cli_columns(void);

/* Opens the store of -d for reading, with the analysis functions; NULL: the error is printed. */
struct sl_store *cli_open(const struct cli *cli);

/*
 * As `spanloom import` of these paths; tell: prints its summary, too, else a store that is new and got nothing is not
 * kept.  An exit status.
 */
int cli_import(struct cli *cli, int argc, char **argv, bool tell);
/* Does a recipe know any file of this path? */
bool cli_import_knows(const struct cli *cli, char *path);

/* Ends a command: shows r where all went well (rc 0), prints err where not, frees and closes.  st may be NULL. */
int cli_end(const struct cli *cli, struct sl_store *st, struct sl_result *r, int rc, const struct sl_err *err);

struct sl_recipes;
/* The built-in recipes, the user's, and those of --recipe, ready for use. */
int cli_recipes(const struct cli *cli, struct sl_recipes *set, struct sl_err *err);
/* The same, for what they declare only: a tenth of the cost. */
int cli_recipes_read(const struct cli *cli, struct sl_recipes *set, struct sl_err *err);
/* Tables and bindings anew, after the store was changed within a transaction. */
int cli_bind_all(struct sl_store *st, const struct sl_recipes *set, struct sl_err *err);

/* Fills err: there is no such rule, and what else could be meant.  Returns its code. */
int cli_no_rule(struct sl_store *st, const char *rule, struct sl_err *err);

/*
 * The span type that a user means: itself, a unique end of it, or the tasks where given is NULL, those that belong to
 * the span `within`, if it is not 0.
 */
int cli_type(struct sl_store *st, const char *given, int64_t within, char *type, size_t n, struct sl_err *err);

/*
 * --fail-on, of every command that compares: what gets worse by more than that makes it exit with EXIT_GATE.  Put
 * GATE_OPTION into the list of options.
 */
/* clang-format off */
#define GATE_OPTION {"fail-on", "N%|Ns", "exit with 3 where something takes longer by more than this: 5%, 0.2s"}
/* clang-format on */

struct cli_gate {
    const char *text; /* as it was given; NULL: it was not */
    double share;     /* of what it was before: 0.05; negative: seconds say */
    double seconds;
    bool makespan; /* "makespan=5%": of nothing else; for commands that compare two runs */
};
/* EXIT_DONE; or EXIT_USAGE, and it is said why. */
int cli_gate(const struct cli *cli, struct cli_gate *gate);
bool cli_gate_exceeded(const struct cli_gate *gate, double before_s, double now_s);

#endif
