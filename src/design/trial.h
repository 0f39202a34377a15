/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run of an experiment: a setting is applied, the command is run once, the score is read, and all that was applied
 * is undone.  A log keeps it (run_log.h), and stores read that.
 */
#ifndef SL_DESIGN_TRIAL_H
#define SL_DESIGN_TRIAL_H

#include "base/buf.h"
#include "design/plan/plan.h"
#include "design/undo.h"

/* This process runs an experiment.  Zero-initialise. */
struct sl_trials {
    const struct sl_plan *plan;
    struct sl_undo undo;
    int lock;           /* a descriptor */
    int undone;         /* files that were put back, since a process was killed before it could */
    bool torn_down;     /* likewise its teardown was run */
    char torn_why[400]; /* why that failed; "": it did not */
    char host[256], kernel[256];
    int cpus;
    pid_t pid;                           /* of the command that ran last */
    bool several;                        /* hosts run it at once, so that the host is a factor that is not controlled */
    SL_VEC(struct sl_plan_pair) version; /* what the plan's commands said; borrowed from the arena */
    struct sl_arena arena;
};

/*
 * Begins: nobody else may run it on this host (SL_EBUSY), what a killed process left is undone (without a state of its
 * own, also what such a one of this host left), all texts that levels
 * replace and all commands are there (but for a plan without a file), versions are asked for.  Signals that end
 * processes wait from now on (command.h).  state: a folder beside the plan is `state` and this suffix, such as ".NAME";
 * NULL: the experiment's own name.  The plan stays the caller's, and must stay.  After an error there is nothing to
 * close.
 */
int sl_trials_open(struct sl_trials *s, const struct sl_plan *plan, const char *state, struct sl_err *err);
void sl_trials_close(struct sl_trials *s);
/* The lock (.NAME.lock) of a process of this host that has ended, locked, to be closed; -1: it lives, or who knows. */
int sl_trials_lock_of_dead(const char *path);

enum sl_trial_outcome {
    SL_TRIAL_DONE,
    SL_TRIAL_FAILED, /* exit status, signal, no score, or it could not be set up */
    SL_TRIAL_TIMED_OUT,
    SL_TRIAL_INTERRUPTED /* by a signal to this process: it is no run, and is to be made again */
};

struct sl_trial {
    /* What is asked. */
    const int32_t *setting; /* a level of each factor of the plan */
    const char *traces;     /* a folder for its traces, which is made; NULL: it is not traced */

    /* What came of it. */
    enum sl_trial_outcome outcome;
    struct sl_err broken; /* it is no run: the system failed us, and not the command; code 0: it did not */
    char why[400];        /* it failed, in words, with the last line that it wrote; "": it did not */
    int signal;           /* of INTERRUPTED */
    int exit_status;      /* of the command, 128 + n of signal n; -1: it was not run */
    int64_t began_ns, ended_ns;
    double wall_s, cpu_s, max_rss_mb; /* of the command and all that it started */
    double load_1m;                   /* before it began */
    char process[300];                /* of the command, where it was traced: as its trace calls it; "": it was not */
    unsigned left;                    /* processes that it left behind, which were killed */
    double measured, ideal;           /* NaN: none */
    double score;                     /* measured, or the overhead against the ideal; NaN unless DONE */
};

/* Makes one run.  A run that fails is no error; SL_EIO where files cannot be kept or put back,
 * no process can be made, or what it wrote cannot be read: that is none. */
int sl_trial_run(struct sl_trials *s, struct sl_trial *t, struct sl_err *err);

/* What the setting says, for people: "no_log prefetch=100", "base" where all are. */
void sl_trial_name(struct sl_buf *b, const struct sl_plan *p, const int32_t *setting);

#endif
