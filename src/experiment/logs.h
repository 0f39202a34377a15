/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which workflow of the store is that of a run of the experiment.  A column of the runs says it, which import took for
 * that (--logs): a directory (or file) that the run's logs lie in, as it is or from where the CSV file lies; or the key
 * of a span without a parent, such as Parsl's run id.  Nothing is guessed: not by names, nor by times.
 */
#ifndef SL_EXPERIMENT_LOGS_H
#define SL_EXPERIMENT_LOGS_H

#include "experiment/runs.h"

struct sl_run_logs {
    const char *named; /* what the column says; NULL: nothing */
    const char *place; /* the path that was looked below; NULL: none, or it is a key */
    int64_t workflow;  /* its span; 0: none, or several */
    uint32_t found;    /* how many workflows there are */
    bool shared;       /* another run has the same one: it is of none of them */
};

struct sl_logs {
    struct sl_run_logs *run; /* as many as r has, in the same order */
    /* how many have one workflow of their own; are said nothing of; have none; have several; have that of another */
    size_t with, unnamed, absent, several, shared;
    struct sl_arena arena;
};

/*
 * On success *out is to be freed with sl_logs_free().  Where there is no workflow, the one span is taken in which all
 * others lie.  SL_EUSAGE: the experiment has no such column.
 */
int sl_logs_find(struct sl_logs *out, const struct sl_runs *r, sqlite3 *db, struct sl_err *err);
void sl_logs_free(struct sl_logs *l);

#endif
