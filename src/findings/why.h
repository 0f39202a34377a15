/* SPDX-License-Identifier: Apache-2.0 */
/* Why a workflow took as long as it did: what findings find in it, by the seconds that each cost. */
#ifndef SL_FINDINGS_WHY_H
#define SL_FINDINGS_WHY_H

#include "analyse/tasks/tasks.h"
#include "findings/finding.h"
#include "result/table.h"
#include "store/store.h"

/* Columns of findings, and of the runs that are compared. */
enum {
    SL_WHY_RANK,
    SL_WHY_FINDING,
    SL_WHY_SECONDS,
    SL_WHY_SHARE,
    SL_WHY_WITHOUT_S,
    SL_WHY_SURE,
    SL_WHY_TEXT,
    SL_WHY_ADVICE,
    SL_WHY_COMMAND,
    SL_WHY_CHANGES,
    SL_WHY_SPANS,
    SL_WHY_USUAL,  /* 1: sound runs have it, too; NULL */
    SL_WHY_TOOK_S, /* where seconds are NULL: what it tells of took so long, by which it is ranked; NULL */
    SL_WHY_SAME_AS /* the rank of one before it that is mostly of the same seconds; NULL */
};
enum {
    SL_WHY_RUN_NAME,
    SL_WHY_RUN_SCRIPT,
    SL_WHY_RUN_WORKFLOW,
    SL_WHY_RUN_START,
    SL_WHY_RUN_END,
    SL_WHY_RUN_MAKESPAN,
    SL_WHY_RUN_TASKS,
    SL_WHY_RUN_WORKERS,
    SL_WHY_RUN_BUSY,
    SL_WHY_RUN_FIRST,
    SL_WHY_RUN_STATE,  /* in doubt: a finding stands instead of all others, and what follows the start is NULL; ended;
                         where no log has the end: done (all tasks); driver silent; goes on (heard of less than a minute
                         ago, or a log beside its own was written to less than 150 s ago, 600 s of a run that is
                         followed, and is no copy that was made after its last event); cut short; NULL: its kind does
                         not tell */
    SL_WHY_RUN_PLACES, /* how many tasks they could run at once, as far as they ever did */
    SL_WHY_RUN_SILENT, /* since when its driver took no results though there were some; NULL: it is not so */
    SL_WHY_RUN_MEMO,   /* how many tasks that are done took the result of an earlier one (memoization, checkpoints) */
    SL_WHY_RUN_UNIT    /* what ran is called: task, or job */
};
enum {
    SL_WHY_RUNS_SIDE,
    SL_WHY_RUNS_NAME,
    SL_WHY_RUNS_START,
    SL_WHY_RUNS_MAKESPAN,
    SL_WHY_RUNS_TASKS,
    SL_WHY_RUNS_WORKERS,
    SL_WHY_RUNS_PLACES,
    SL_WHY_RUNS_DONE, /* NULL: none is */
    SL_WHY_RUNS_STATE
};

enum {
    SL_WHY_PROGRAM_NAME,
    SL_WHY_PROGRAM_START,
    SL_WHY_PROGRAM_END,
    SL_WHY_PROGRAM_MAKESPAN, /* from the first call of any process to the last */
    SL_WHY_PROGRAM_PROCESSES,
    SL_WHY_PROGRAM_THREADS,
    SL_WHY_PROGRAM_RANKS,
    SL_WHY_PROGRAM_HOSTS,
    SL_WHY_PROGRAM_CALLS,
    SL_WHY_PROGRAM_RUNS /* of which this is the last */
};

/*
 * Tables: findings, one row each, what cost most, or took longest, first, then what costs no time; run, one row, what
 * ran; ended, how many tasks ended in which way; problems, findings that could not be looked for; replays, how long the
 * run would have been with the changes of each finding, and with others that its words name; apps, whose median and
 * longest are of what was done; parts, the critical path by component and state; went, the same in words, what took
 * longest first: time in which a task waited for a worker counts as the apps that workers ran meanwhile; pools, workers
 * by executor, those that did most first; more, commands that say more.  A finding says what would have been without it
 * (`changes`, which are replayed: analyse/tasks/simulate.h), or what it cost (`seconds`).
 */
int sl_why(struct sl_result *r, struct sl_store *st, int64_t workflow, const struct sl_findings *findings,
           struct sl_err *err);
/* The same of the workflow whose facts are open. */
int sl_why_of_facts(struct sl_result *r, struct sl_store *st, struct sl_workflow *w, const struct sl_findings *findings,
                    struct sl_err *err);
/*
 * Why traced programs took as long as they did, in a store, or of those of the path whose files tell of them (NULL:
 * all): what ran at one time last.  Tables: findings, problems and more, as above; programs, one row, what ran; went,
 * in which functions its time was, what took longest first: where several ran at once each has its part of the time.
 */
int sl_why_programs(struct sl_result *r, struct sl_store *st, const char *path, const struct sl_findings *findings,
                    struct sl_err *err);
/* 1: there are such; 0: none; negative: it failed. */
int sl_why_programs_are_there(struct sl_store *st, const char *path, struct sl_err *err);
/* Whether the run goes on, as far as was known then. */
bool sl_why_is_open(struct sl_result *r);
/* Whether nothing is said of it but one finding, for what logs tell of it cannot be trusted. */
bool sl_why_is_in_doubt(const struct sl_result *r);

/*
 * Two of these beside each other, A and B.  Tables: changes, what is slower or faster, most first: findings (notes
 * last, without seconds, where one of the two alone has them), apps (what their tasks ran, divided by the places on
 * workers, and apart from it their tries that failed), and the critical path in words (went) and in parts (path), the
 * changes of each of which are that of the makespan; runs, A and B.  a_s or b_s is NULL where only the other has it.
 * A run that is in doubt cannot be compared.
 */
int sl_why_compared(struct sl_result *r, struct sl_result of[2], struct sl_err *err);

#endif
