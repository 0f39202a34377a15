/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runs of an experiment as arrays.  In the store a run is a span of type experiment.run inside a span of type
 * experiment; its attributes are the columns of the file that it came from, and attributes of the experiment say which
 * of them is the score, and which the time.  All others are factors.
 */
#ifndef SL_EXPERIMENT_RUNS_H
#define SL_EXPERIMENT_RUNS_H

#include "base/err.h"
#include "base/mem.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

enum sl_factor_kind {
    SL_FACTOR_CONSTANT, /* the same in all runs: nothing can be said of it */
    SL_FACTOR_BOOLEAN,  /* 0 and 1, or no and yes, false and true */
    SL_FACTOR_NUMERIC,
    SL_FACTOR_CATEGORICAL,
    SL_FACTOR_IDENTITY /* texts, of which almost each run has its own: a name of the run, which nothing can be said of
                        */
};

struct sl_factor {
    const char *name;
    enum sl_factor_kind kind;
    int32_t levels; /* in runs that were chosen and did not fail */
    const char *
        *level;    /* their texts: the first is the base, "not applied"; ascending, but for a base that is stated */
    double *value; /* of a numeric factor; NULL otherwise */
    bool stated;   /* the log of the runs says that this is the base; else it is the lowest level ... */
    bool absent;   /* ... since no run has that which the log says */
    size_t joined; /* so many runs were before it; they count as at the base that is stated, or else, of a boolean
                    * factor, as without it */
};

/* A level other than the base, applied to its factor. */
struct sl_treatment {
    uint32_t factor;
    int32_t level;
    const char *name; /* of a boolean the factor's, else FACTOR=LEVEL */
};

/* What a score is measured in: "us/task", of which rate_per / score is "tasks/s". */
struct sl_unit {
    char cost[64], rate[64];
    double rate_per;
};

struct sl_runs {
    const char *experiment, *score_name, *time_name; /* time_name NULL: nothing says when */
    const char *logs_name;                           /* the column that says where a run's logs are; NULL: none does */
    const char *key_names;                           /* "a,b": columns that tell runs apart; NULL: the time does */
    int64_t id;                                      /* of the experiment's span */
    sqlite3 *db;                                     /* that they were loaded from */
    struct sl_unit unit;
    bool rate;          /* score is a rate: more is better */
    bool more;          /* it was measured as one; where `rate` is false, it is turned into a cost */
    const char *scored; /* the unit of score */
    size_t n, factors;  /* those with a score */
    struct sl_factor *factor;
    int32_t *level; /* n rows of `factors` indices into factor.level; -1: nothing says */
    double *score;
    int64_t *time_ns, *span; /* ascending by time, then by span */
    SL_VEC(struct sl_treatment) treatment;
    size_t failed;     /* runs without a score, which are in no array unless the question wants them */
    size_t incomplete; /* runs where the level of some factor that varies is not known */
    struct sl_arena arena;
};

/* Attributes of an experiment that begin so state the base of a factor, whose name follows.  The levels of such a
 * factor are names, also where they are numbers: a model has a term for each but the base, as designs have it. */
#define SL_RUN_LOG_BASE "base."

/* What is asked of an experiment. */
struct sl_question {
    const char *experiment;          /* its name; NULL: the only one of the store */
    const char *where;               /* which runs: a condition on the columns of the view experiment_run; NULL: all */
    bool rate;                       /* not as cost */
    bool coarse;                     /* many levels of a factor are put together, see runs_internal.h */
    bool verbatim;                   /* levels as they were told, also those that tell runs apart; for export */
    bool failed;                     /* runs that failed are wanted, too; their score is NaN */
    bool log, interactions, no_time; /* of models */
    bool every_event;                /* of parts: also those that are told under some levels alone */
    bool elastic_net;                /* also where least squares would do */
    double alpha, lambda;            /* of it; lambda 0: to be chosen */
    double limit; /* what failed runs scored, or worse; infinite: as the worst of the others; 0: they are left out */
    const char *split;   /* NULL, or factors that were split: "old=a,b;other=c,d", see levels.c */
    const char *groups;  /* NULL, or patterns: "sys_*,app_*;cfg_*": these first, and so on */
    const char *order;   /* NULL, or treatments: "a,b,c" */
    const char *of, *by; /* of scatter: the treatment, and the factor that colours; NULL: none */
};

/* The alpha of an elastic net where nobody says: half of the lasso, which of terms that tell the same keeps one. */
#define SL_QUESTION_ALPHA 0.5

/* SL_EUSAGE: alpha, lambda or limit is out of its range. */
int sl_question_check(const struct sl_question *q, struct sl_err *err);

/* SL_EUSAGE: some score has no logarithm. */
int sl_runs_check_log(const struct sl_runs *r, struct sl_err *err);

/*
 * Loads what q asks for.  On success *out is to be freed with sl_runs_free().  Errors: there is no experiment, several
 * and q names none, the condition is no SQL, no run is left or none has a score, one run is told in two ways, a split
 * names no factor of 0 and 1.
 */
int sl_runs_load(struct sl_runs *out, sqlite3 *db, const struct sl_question *q, struct sl_err *err);
void sl_runs_free(struct sl_runs *r);

/* What the name of a column says of its unit: usec_per_task is us/task. */
void sl_unit_of(struct sl_unit *u, const char *column);
/* The same, where a unit is stated, or NULL, and where more is better: tasks/s costs ms/task. */
void sl_unit_stated(struct sl_unit *u, const char *column, const char *unit, bool more);

/* The runs by their spans; to be freed. */
struct sl_run_at {
    int64_t span;
    size_t run;
};
struct sl_run_at *sl_runs_by_span(const struct sl_runs *r);
/* The one of this span, of so many; NULL: there is none. */
const struct sl_run_at *sl_run_of_span(const struct sl_run_at *v, size_t n, int64_t span);

static inline const int32_t *sl_runs_levels(const struct sl_runs *r, size_t run)
{
    return r->level + run * r->factors;
}

#endif
