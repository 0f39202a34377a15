/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers with the runs that they are about, which many may ask for: a page of all questions asks several of them again
 * and again, in C and in SQL.
 */
#ifndef SL_EXPERIMENT_ANSWERED_H
#define SL_EXPERIMENT_ANSWERED_H

#include "experiment/answers.h"

struct sl_loaded; /* runs, which several answers may be about */

struct sl_answered {
    const struct sl_runs *runs;
    struct sl_loaded *loaded; /* these */
    struct sl_answer_rows rows;
    char *key; /* what was asked */
    size_t refs;
    struct sl_answered *next;
};

/* Loads the runs that a asks for, or this answer needs (failed, coarse), and answers.  On success *out is to be given
 * back with sl_answered_release(). */
int sl_answered_get(struct sl_answered **out, sqlite3 *db, enum sl_answer_of which, const struct sl_asked *a,
                    struct sl_err *err);
void sl_answered_release(struct sl_answered *x);

/*
 * From now on what was answered from db is remembered, until it is forgotten: for who knows that the store does not
 * change meanwhile.  One at a time, in one thread.
 */
void sl_answered_remember(sqlite3 *db);
void sl_answered_forget(void);

#endif
