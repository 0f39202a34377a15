/* SPDX-License-Identifier: Apache-2.0 */
#include "show/print_graph.h"
#include "result/spans/type_graph.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *line, *color, *style;
} kinds[] = {[SL_IN] = {"contains", "&#9472;&#9472;&#9472;&#9654;", "#404040", ""},
             [SL_FACET] = {"is another view of", "&#8211; &#8211; &#8211; &#8211;", "#2060c0",
                           " style=dashed dir=none constraint=false"},
             [SL_AFTER] = {"waited for", "&#183; &#183; &#183; &#183;&#9654;", "#c04020",
                           " style=dotted penwidth=1.6 constraint=false"},
             [SL_FLOW] = {"handed over to", "&#9473;&#9473;&#9473;&#9654;", "#208040", " style=bold"}};

static void add_quoted(struct sl_buf *b, const char *s)
{
    sl_buf_addc(b, '"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            sl_buf_addc(b, '\\');
        sl_buf_addc(b, *s == '\n' ? ' ' : *s);
    }
    sl_buf_addc(b, '"');
}

/* A long type breaks at the dot that is nearest to its middle. */
static void add_label(struct sl_buf *b, const char *type, unsigned long long spans)
{
    enum { LONG = 24 };
    size_t n = strlen(type), at = 0;
    struct sl_buf text = {0};
    char count[32];

    for (size_t i = 1; i + 1 < n && n > LONG; i++)
        if (type[i] == '.' && (!at || labs((long)(2 * i) - (long)n) < labs((long)(2 * at) - (long)n)))
            at = i + 1;
    sl_buf_add(&text, type, at);
    add_quoted(b, text.s ? text.s : "");
    b->n--; /* the label goes on */
    if (at)
        sl_buf_adds(b, "\\n");
    sl_buf_clear(&text);
    add_quoted(&text, type + at);
    sl_buf_add(b, text.s + 1, text.n - 2);
    sl_buf_addf(b, "\\n%s span%s\"", sl_show_count(spans, count), spans == 1 ? "" : "s");
    sl_buf_free(&text);
}

static int add_types(struct sl_buf *b, struct sl_table *t, struct sl_err *err)
{
    int rc;

    while ((rc = sl_table_next(t, err)) > 0) {
        const char *type = sl_table_text_or_empty(t, SL_GRAPH_TYPE);
        sl_buf_adds(b, "    ");
        add_quoted(b, type);
        sl_buf_adds(b, " [label=");
        add_label(b, type, (unsigned long long)sl_table_int(t, SL_GRAPH_SPANS));
        sl_buf_adds(b, "];\n");
    }
    return rc;
}

static int add_relations(struct sl_buf *b, struct sl_table *t, unsigned *seen, struct sl_err *err)
{
    char count[32];
    int rc;

    while ((rc = sl_table_next(t, err)) > 0) {
        int64_t kind = sl_table_int(t, SL_GRAPH_KIND);
        if (kind < SL_IN || kind > SL_FLOW)
            continue;
        *seen |= 1u << kind;
        sl_buf_adds(b, "    ");
        add_quoted(b, sl_table_text_or_empty(t, SL_GRAPH_FROM));
        sl_buf_adds(b, " -> ");
        add_quoted(b, sl_table_text_or_empty(t, SL_GRAPH_TO));
        sl_buf_addf(b, " [label=\"%s\" color=\"%s\" fontcolor=\"%s\"%s];\n",
                    sl_show_count((unsigned long long)sl_table_int(t, SL_GRAPH_PAIRS), count), kinds[kind].color,
                    kinds[kind].color, kinds[kind].style);
    }
    return rc;
}

/* Only of the kinds that are there. */
static void add_legend(struct sl_buf *b, unsigned seen)
{
    sl_buf_adds(b, "    legend [shape=none style=\"\" fontsize=10 label=<<table border=\"1\" color=\"#c0c0c0\" "
                   "cellborder=\"0\" cellspacing=\"1\">\n");
    for (int kind = SL_IN; kind <= SL_FLOW; kind++)
        if (seen >> kind & 1)
            sl_buf_addf(b, "        <tr><td><font color=\"%s\">%s</font></td><td align=\"left\">%s</td></tr>\n",
                        kinds[kind].color, kinds[kind].line, kinds[kind].name);
    sl_buf_adds(b, "        <tr><td colspan=\"2\">numbers: pairs of spans</td></tr></table>>];\n");
}

int sl_show_graph(struct sl_buf *b, const struct sl_result *r, struct sl_err *err)
{
    unsigned seen = 0;
    int rc;

    sl_buf_adds(b, "digraph spanloom {\n"
                   "    graph [rankdir=LR nodesep=0.3 ranksep=0.6 fontname=\"Helvetica\"]\n"
                   "    node [shape=box style=\"rounded,filled\" fillcolor=\"#f4f6fa\" color=\"#8090a8\" "
                   "fontname=\"Helvetica\" fontsize=11]\n"
                   "    edge [fontname=\"Helvetica\" fontsize=9 arrowsize=0.7]\n");
    rc = add_types(b, sl_result_find(r, "types"), err);
    if (!rc)
        rc = add_relations(b, sl_result_find(r, "relations"), &seen, err);
    if (seen)
        add_legend(b, seen);
    sl_buf_adds(b, "}\n");
    return rc;
}
