/* SPDX-License-Identifier: Apache-2.0 */
/* How spans are called in headings. */
#ifndef SL_RESULT_SPANS_SPAN_NAMES_H
#define SL_RESULT_SPANS_SPAN_NAMES_H

#include "store/store.h"

/* "parsl.monitoring.task 42 (add) of parsl.monitoring.workflow 5c5e...".  buf is returned. */
char *sl_span_name(struct sl_store *st, int64_t span, char *buf, size_t n);

#endif
