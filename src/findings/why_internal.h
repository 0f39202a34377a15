/* SPDX-License-Identifier: Apache-2.0 */
/* What workflows (why.c) and traced programs (programs.c) share: findings, looked for and ranked. */
#ifndef SL_FINDINGS_WHY_INTERNAL_H
#define SL_FINDINGS_WHY_INTERNAL_H

#include "findings/why.h"

struct found {
    const struct sl_finding *by;
    double seconds, without_s; /* NaN: nothing says */
    double took_s;             /* where nothing says what it cost: how long that of which it tells took; NaN */
    size_t same_as;            /* the rank of one before it that is of the same seconds; 0 */
    char *sure, *text, *advice, *command, *changes, *spans;
    char *replays; /* JSON: further changes, and the seconds with each */
    char *cause;   /* others that have the same text tell of the same time; NULL: none do */
};

struct why {
    struct sl_store *st;
    struct sl_workflow *w; /* NULL of programs */
    double makespan_s;
    struct sl_replay *replay; /* NULL of programs */
    double bias;              /* of the last replay */
    bool replayed;            /* for the finding that is looked for */
    char *doubts;             /* why replays of the run are in doubt, in words; NULL: not asked yet */
    struct sl_err failed;     /* why it failed */
    char name[600];           /* of the run */
    size_t runs;              /* of the store */
    char workers[200];        /* their type, where it has to be said; "" */
    SL_VEC(struct found) found;
    bool keep_untold; /* sl_findings.untold */
    SL_VEC(struct found) untold;
    bool alone; /* the one that is left */
    bool jobs;  /* what ran are jobs of a batch system, not tasks */
    bool spans; /* of OpenTelemetry, which `profile` knows nothing of */
    struct { /* a task of the critical path that is a program of several ranks, whose tables there are; key NULL: none
              */
        char *key, *name;
        double run_s;
    } task;
};

/* Finds the task of y, and makes the tables of programs.sql of its processes. */
int sl_why_find_ranks(struct why *y, struct sl_err *err);

/* What is found in a program that is a task costs the run what it would be shorter with the task so much shorter. */
void sl_why_of_task(const struct why *y, struct found *x);
/* Its words, below the name of the task. */
void sl_why_name_task(const struct why *y, char **text);

/* The makespan with these changes, in seconds; NaN: it cannot be told, and err says why. */
double sl_why_replay(struct why *y, const char *changes, struct sl_err *err);
/* without_s(CHANGES) in SQL, with the why as its data. */
void sl_why_without_s(sqlite3_context *out, int argc, sqlite3_value **argv);
/* Adds to how a finding is known that its replay is in doubt, where it is, and why. */
int sl_why_doubt(struct why *y, char **sure, struct sl_err *err);
/*
 * Which of them, ranked, are of the same seconds as one before: the run with both replayed is shorter than with the one
 * that gains more by less than half of what the other gains.  Of estimates nothing is said.
 */
void sl_why_find_same(struct why *y);
/* The table replays: what was replayed of each finding, its changes, then those that its words name besides. */
int sl_why_put_replays(struct sl_result *r, struct why *y, struct sl_table *problems, struct sl_err *err);
/* The table terms, with what words of the text mean; NULL: none yet. */
void sl_why_put_terms(struct sl_result *r, const char *text, bool jobs);
void sl_why_put_problem(struct sl_table *problems, const struct sl_finding *f, const char *text);

/* The tables findings and problems, empty. */
void sl_why_begin(struct sl_result *r);
/* Looks for findings of programs, or of workflows, in the temporary tables that are there; into both tables and
 * replays. */
int sl_why_look(struct sl_result *r, struct why *y, const struct sl_findings *findings, bool programs,
                struct sl_err *err);
/* The table more: what to ask next, whatever was found: n pairs of what and a command. */
void sl_why_more(struct sl_result *r, struct why *y, const char *const (*more)[2], int n);
/* The number of the column of that name, of n bytes; -1: there is none. */
int sl_why_column(sqlite3_stmt *q, const char *name, size_t n);
/* Words of a finding (its text, advice or command) with each "{column}" replaced by what it holds in this row.  *out is
 * to be freed, and NULL where there are none. */
int sl_why_words(char **out, const struct why *y, const struct sl_finding *f, const char *text, sqlite3_stmt *q,
                 struct sl_err *err);
/* A command of ours, with what names this run and its store where that has to be said. */
void sl_why_name_run(const struct why *y, char **command);
/* time_text(SECONDS) in SQL, with the why as its data: as {column_s} in words. */
void sl_why_time_text(sqlite3_context *out, int argc, sqlite3_value **argv);
/* The rows of a query in memory, as the temporary tables behind it go; NULL: none. */
int sl_why_rows(struct sl_result *r, struct sl_store *st, const char *name, const struct sl_column *column, int columns,
                const char *sql, struct sl_err *err);

/*
 * Whether it goes on, into the table run.  A task may run for long before a log has an event to tell; managers and the
 * interchange of Parsl write meanwhile.
 */
int sl_why_look_at_logs(struct sl_table *run, struct sl_store *st, bool followed, struct sl_err *err);

#endif
