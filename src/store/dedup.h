/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log may lie there in two forms, as text and as JSON, each with records that the other lacks.  What both tell (an
 * event of one type at one time on one span) is kept once: as the form tells it that the recipe names first.  The other
 * waits in sl_event_also and sl_sample_also.
 */
#ifndef SL_STORE_DEDUP_H
#define SL_STORE_DEDUP_H

#include "store/store.h"

/*
 * Sets aside what is told twice below the roots in temp.sl_touched (retract.h), after all is written; elsewhere nothing
 * has changed.  *apart: how many events.
 */
int sl_dedup_part(struct sl_store *st, int64_t *apart, struct sl_err *err);

#endif
