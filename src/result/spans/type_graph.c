/* SPDX-License-Identifier: Apache-2.0 */
#include "result/spans/type_graph.h"
#include "analyse/relations.h"

#include <stdlib.h>

static void add_types(struct sl_result *r, const struct sl_relations *of)
{
    static const struct sl_column column[] = {{"type", SL_COLUMN_TEXT, NULL, NULL, 0},
                                              {"spans", SL_COLUMN_INTEGER, "spans", NULL, 0}};
    struct sl_table *t = sl_result_table(r, "types", column, SL_COLUMNS(column));

    for (uint32_t i = 0; i < of->g.names.n; i++)
        if (of->spans[i]) {
            sl_table_add(t);
            sl_table_put_text(t, SL_GRAPH_TYPE, of->g.names.text[i]);
            sl_table_put_int(t, SL_GRAPH_SPANS, of->spans[i]);
        }
}

static int by_types(const void *a, const void *b)
{
    const struct sl_relation_count *x = a, *y = b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Whatever the rule.  Facets have no direction here: their types stand in the order of the alphabet, as ranks do. */
static void add_relations(struct sl_result *r, struct sl_relations *of)
{
    static const struct sl_column column[] = {{"kind", SL_COLUMN_INTEGER, NULL, NULL, 0},
                                              {"from_type", SL_COLUMN_TEXT, NULL, NULL, 0},
                                              {"to_type", SL_COLUMN_TEXT, NULL, NULL, 0},
                                              {"pairs", SL_COLUMN_INTEGER, "pairs", NULL, 0}};
    struct sl_table *t = sl_result_table(r, "relations", column, SL_COLUMNS(column));
    int64_t n = 0;

    for (size_t i = 0; i < of->v.n; i++) {
        struct sl_relation_count *x = &of->v.v[i];
        uint32_t from = x->from;
        if (x->by == SL_RELATION_AGAIN)
            x->n = 0;
        if (x->kind == SL_FACET && x->to < from) {
            x->from = x->to;
            x->to = from;
        }
    }
    if (of->v.n)
        qsort(of->v.v, of->v.n, sizeof *of->v.v, by_types);
    for (size_t i = 0; i < of->v.n; i++) {
        const struct sl_relation_count *x = &of->v.v[i];
        n += x->n;
        if (i + 1 < of->v.n && !by_types(x, x + 1))
            continue;
        if (n) {
            sl_table_add(t);
            sl_table_put_int(t, SL_GRAPH_KIND, x->kind);
            sl_table_put_text(t, SL_GRAPH_FROM, of->g.names.text[x->from]);
            sl_table_put_text(t, SL_GRAPH_TO, of->g.names.text[x->to]);
            sl_table_put_int(t, SL_GRAPH_PAIRS, n);
        }
        n = 0;
    }
}

int sl_result_graph(struct sl_result *r, struct sl_store *st, const char *type, int64_t within, struct sl_err *err)
{
    struct sl_relations of;
    int rc = sl_relations_count(&of, st->db, type, within, err);

    if (!rc) {
        add_types(r, &of);
        add_relations(r, &of);
    }
    sl_relations_free(&of);
    return rc;
}
