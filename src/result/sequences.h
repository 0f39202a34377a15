/* SPDX-License-Identifier: Apache-2.0 */
/* In which orderings the events of spans of a type came, and where the time went between them. */
#ifndef SL_RESULT_SEQUENCES_H
#define SL_RESULT_SEQUENCES_H

#include "result/table.h"
#include "store/store.h"

/*
 * Tables: sequences, the rows of event_sequences(), of the most common ordering or of all; orderings, always of all,
 * the most common first, and with how many orderings and spans there are; position 0 stands for no event.  within: only
 * what belongs to this span; 0: all.
 */
int sl_result_sequences(struct sl_result *r, struct sl_store *st, const char *root_type, int64_t within, bool all,
                        struct sl_err *err);
/* Spans of this type that are no facet of another: tasks that only a log has, and no database. */
int64_t sl_result_left_out(struct sl_store *st, const char *type);

#endif
