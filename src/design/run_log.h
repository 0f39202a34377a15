/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log of an experiment's runs: NAME.runs.jsonl beside the plan, a line of JSON a run, which is on disk before the
 * next run begins.  Nothing else knows what has run; stores read it (recipes/experiment/runs.yaml), so that they can be
 * made anew at any time.
 *
 * Lines are of two kinds.  {"record": "experiment", "experiment": NAME, "score": COLUMN, "base.FACTOR": LEVEL, ...}
 * says what the columns are, and which level of each factor is its base, whenever a process goes on with it: the last
 * one written holds.  {"record": "run", "experiment": NAME, "run": ID, "began": TIME, COLUMN:
 * SCORE or null, "block": N, FACTOR: "level", ..., "outcome": "done", ...} is a run.
 */
#ifndef SL_DESIGN_RUN_LOG_H
#define SL_DESIGN_RUN_LOG_H

#include "design/trial.h"
#include "experiment/runs.h" /* SL_RUN_LOG_BASE */

/* What is known of a run that was made. */
struct sl_run_record {
    const char *run;  /* its id, which is that of the run that was planned */
    int32_t *setting; /* a level of each factor of the plan; the base of those that were not there yet; -1: a level
                       * that the plan does not have */
    const char *block, *design; /* "" */
    double score;               /* NaN: it failed */
    double wall_s;              /* NaN: it never began */
    int64_t line;               /* of the log */
};

struct sl_run_records {
    SL_VEC(struct sl_run_record) v; /* in the order of the log */
    struct sl_arena arena;
};

/* The path of a log, which the caller frees: FOLDER/NAME.runs.jsonl, or with a part FOLDER/NAME.PART.runs.jsonl. */
char *sl_run_log_path(const struct sl_plan *p, const char *part);
/* All of the plan's logs, sorted; none of a folder that is not there; to be freed with sl_run_logs_free(). */
struct sl_run_logs_found {
    SL_VEC(char *) path;
};
int sl_run_logs_find(struct sl_run_logs_found *out, const struct sl_plan *p, struct sl_err *err);
void sl_run_logs_free(struct sl_run_logs_found *l);

/* Reads all of the plan's logs; what a kill cut off is passed over.  To be freed in any case. */
int sl_run_log_read(struct sl_run_records *out, const struct sl_plan *p, struct sl_err *err);
void sl_run_records_free(struct sl_run_records *r);

/*
 * Opens a log for writing, cuts off what a kill left of a line, and writes the line that says what the columns are.
 * The descriptor is the caller's; negative: an error.
 */
int sl_run_log_open(const char *path, const struct sl_trials *s, struct sl_err *err);
/* Appends a run; it is on disk when this returns.  columns: pairs of further columns and their values, ends with NULL;
 * or NULL. */
int sl_run_log_add(int fd, const struct sl_trials *s, const char *run, const char *block, const struct sl_trial *t,
                   const char *const *columns, struct sl_err *err);

/*
 * Imports the plan's logs (what is new in them), and with traces those of its runs, into the store at `store`, which is
 * made if need be.
 */
int sl_run_log_import(const struct sl_plan *p, const char *store, const char *traces, struct sl_err *err);

#endif
