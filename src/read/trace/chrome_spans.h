/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_READ_TRACE_CHROME_SPANS_H
#define SL_READ_TRACE_CHROME_SPANS_H

#include "read/trace/known.h"
#include "read/trace/model.h"

/* What the object around the events of such a trace says in otherData. */
#define SL_CHROME_SPANS "spans 1"

/* An event of such a trace.  NULL, or why it cannot be used: then the caller rejects it. */
const char *sl_chrome_span(struct sl_known *k, const struct sl_trace_model_event *e, struct sl_arena *arena);

#endif
