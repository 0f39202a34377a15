/* SPDX-License-Identifier: Apache-2.0 */
/* In which orderings the events of spans of a type came, and where the time went between them. */
#ifndef SL_RESULT_OVER_TIME_SEQUENCES_TABLES_H
#define SL_RESULT_OVER_TIME_SEQUENCES_TABLES_H

#include "result/table.h"
#include "store/store.h"

/* Columns of orderings; sequences has all but the last three. */
enum {
    SL_SEQUENCES_SEQUENCE,
    SL_SEQUENCES_COUNT,
    SL_SEQUENCES_POSITION,
    SL_SEQUENCES_SPAN_TYPE,
    SL_SEQUENCES_EVENT_TYPE,
    SL_SEQUENCES_MEAN_S,
    SL_SEQUENCES_MIN_S,
    SL_SEQUENCES_MAX_S,
    SL_SEQUENCES_CUMULATIVE_S,
    SL_SEQUENCES_ORDERINGS,
    SL_SEQUENCES_ROOTS,
    SL_SEQUENCES_NAME, /* of the group; NULL: without by */
    SL_SEQUENCES_COLUMNS
};

/*
 * Tables: sequences, the rows of event_sequences(), of the most common ordering or of all; orderings, always of all,
 * the most common first, and with how many orderings and spans there are; position 0 stands for no event.  by: each
 * of these groups on its own (analyse/groups.h), whose name comes first in sequences; NULL: all together.  within: only
 * what belongs to this span; 0: all.
 */
int sl_result_sequences(struct sl_result *r, struct sl_store *st, const char *root_type, int64_t within, const char *by,
                        bool all, struct sl_err *err);
/* Spans of this type that are no facet of another: tasks that only a log has, and no database.  within: as above. */
int64_t sl_result_left_out(struct sl_store *st, const char *type, int64_t within);

#endif
