/* SPDX-License-Identifier: Apache-2.0 */
/* Spans and runs by the words that users have for them. */
#ifndef SL_RESULT_SPANS_FIND_SPAN_H
#define SL_RESULT_SPANS_FIND_SPAN_H

#include "base/buf.h"
#include "store/store.h"

/*
 * Finds the span that words name: "span 1234", "task 42", "parsl.executor.htex.worker 1", "worker.task 17" (a unique
 * end of a type), run: a run id, its beginning, or the name of a run directory; NULL: any.  0 and *id set, or negative
 * with err filled (a list of candidates where there are several).
 */
int sl_find_span(struct sl_store *st, int argc, char **argv, const char *run, int64_t *id, struct sl_err *err);

/* The workflow that a user's --run means, or another root; 0 where run is NULL. */
int sl_find_run(struct sl_store *st, const char *run, int64_t *span, struct sl_err *err);

/* Appends which types of the store may be meant by one that is none, as sl_near_add() does. */
void sl_find_near_types(struct sl_store *st, const char *given, struct sl_buf *b);

#endif
