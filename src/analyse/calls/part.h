/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a store that the calls of some spans are known from: what belongs to the spans, all that this lies in,
 * and, by names, all of the processes of its calls.  Nothing else tells who called them, or how long they lasted.
 */
#ifndef SL_ANALYSE_CALLS_PART_H
#define SL_ANALYSE_CALLS_PART_H

#include "analyse/calls/calls.h"

/*
 * *ids: of these spans, a JSON list in ascending order, to be freed; NULL where they are no small part of the store,
 * so that loading all of it is cheaper.
 */
int sl_calls_part(char **ids, sqlite3 *db, const struct sl_calls_want *want, struct sl_err *err);

#endif
