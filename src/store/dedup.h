/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log may lie there in two forms, as text and as JSON, each with records that the other lacks.  What both tell (an
 * event of one type at one time on one span) is kept once: as the form tells it that the recipe names first.  The other
 * waits in sl_event_also and sl_sample_also.
 */
#ifndef SL_STORE_DEDUP_H
#define SL_STORE_DEDUP_H

#include "store/store.h"

/* Puts back what waits: before sources are taken out or added, so that nothing else has to know of it. */
int sl_dedup_join(struct sl_store *st, struct sl_err *err);
/* Sets aside what is told twice, after all is written. */
int sl_dedup_part(struct sl_store *st, struct sl_err *err);

/* Events that wait. */
int64_t sl_dedup_waiting(struct sl_store *st);

#endif
