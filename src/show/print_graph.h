/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_SHOW_PRINT_GRAPH_H
#define SL_SHOW_PRINT_GRAPH_H

#include "show/show.h"

/* result/spans/type_graph.h in the language of graphviz, as `dot` reads it. */
int sl_show_graph(struct sl_buf *b, const struct sl_result *r, struct sl_err *err);

#endif
