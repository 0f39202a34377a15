/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of spans, and how spans of one are related to spans of another.  Tables:
 *
 *   types        type, spans
 *   relations    kind (enum sl_link_kind), from_type, to_type, pairs of spans; containment by name is SL_IN, too
 */
#ifndef SL_RESULT_SPANS_TYPE_GRAPH_H
#define SL_RESULT_SPANS_TYPE_GRAPH_H

#include "result/table.h"
#include "store/store.h"

enum { SL_GRAPH_TYPE, SL_GRAPH_SPANS };
enum { SL_GRAPH_KIND, SL_GRAPH_FROM, SL_GRAPH_TO, SL_GRAPH_PAIRS };

/* Of the spans of a type (NULL: of all), which belong to the span `within` (0: to any), and all that belongs to them.
 */
int sl_result_graph(struct sl_result *r, struct sl_store *st, const char *type, int64_t within, struct sl_err *err);

#endif
