/* SPDX-License-Identifier: Apache-2.0 */
/* Types of spans and how they are related, in the language of graphviz; `dot` draws it. */
#include "base/buf.h"
#include "cli/over_time.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const struct option_spec options[] = {
    {"format", "KIND", "dot, svg, png or pdf (default: as the name of FILE says, or dot)", false},
    {"output", "FILE", "into this file, drawn as its name says: .svg, .png, .pdf, .dot", false},
    RUN_OPTION,
    {NULL, NULL, NULL, false},
};

/* The closure of the spans of a type (?1), in a run (?3) where it is given; or of the run.  One recursion for all. */
#define CHOSEN                                                                                                         \
    "WITH RECURSIVE r(span) AS (SELECT ?3 UNION SELECT s.id FROM r JOIN sl_span s ON s.parent = r.span UNION SELECT "  \
    "right_span FROM r JOIN sl_link ON left_span = r.span AND kind IN (1, 2) UNION SELECT left_span FROM r JOIN "      \
    "sl_link ON right_span = r.span AND kind = 2), "                                                                   \
    "t(span) AS (SELECT s.id FROM sl_name n JOIN sl_span s ON s.type = n.id WHERE n.name = ?1 AND (?3 IS NULL OR "     \
    "s.id IN (SELECT span FROM r)) UNION SELECT s.id FROM t JOIN sl_span s ON s.parent = t.span UNION SELECT "         \
    "right_span FROM t JOIN sl_link ON left_span = t.span AND kind IN (1, 2) UNION SELECT left_span FROM t JOIN "      \
    "sl_link ON right_span = t.span AND kind = 2), "                                                                   \
    "c(span) AS MATERIALIZED (SELECT span FROM t WHERE ?1 IS NOT NULL UNION ALL SELECT span FROM r WHERE ?1 IS "       \
    "NULL), "

#define NODES(with, some)                                                                                              \
    with "g(type, n) AS (SELECT s.type, count(*) FROM sl_span s WHERE " some                                           \
         " GROUP BY 1) SELECT n.name, g.n FROM g JOIN sl_name n ON n.id = g.type ORDER BY 1"

/* Facets have no direction: their types stand in the order of the alphabet. */
#define EDGES(with, some)                                                                                              \
    with                                                                                                               \
        "e(kind, a, b) AS (SELECT 1, s.parent, s.id FROM sl_span s WHERE s.parent IS NOT NULL AND NOT EXISTS (SELECT " \
        "1 FROM sl_link WHERE left_span = s.parent AND kind = 1 AND right_span = s.id) UNION ALL SELECT kind, "        \
        "left_span, right_span FROM sl_link), g(kind, a, b, n) AS (SELECT e.kind, x.type, y.type, count(*) FROM e "    \
        "JOIN sl_span x ON x.id = e.a JOIN sl_span y ON y.id = e.b WHERE " some                                        \
        " GROUP BY 1, 2, 3) SELECT kind, iif(kind = 2, min(n.name, m.name), n.name), iif(kind = 2, max(n.name, "       \
        "m.name), m.name), sum(g.n) FROM g JOIN sl_name n ON n.id = g.a JOIN sl_name m ON m.id = g.b GROUP BY 1, 2, "  \
        "3 ORDER BY 1, 2, 3"

static const char *const nodes_sql[] = {NODES("WITH ", "1"), NODES(CHOSEN, "s.id IN (SELECT span FROM c)")};
static const char *const edges_sql[] = {EDGES("WITH ", "1"),
                                        EDGES(CHOSEN, "e.a IN (SELECT span FROM c) AND e.b IN (SELECT span FROM c)")};

static bool chosen(const struct plot *p)
{
    return p->arg || p->within;
}

static const struct {
    const char *name, *line, *color, *style;
} kinds[] = {
    {"contains", "&#9472;&#9472;&#9472;&#9654;", "#404040", ""},
    {"is another view of", "&#8211; &#8211; &#8211; &#8211;", "#2060c0", " style=dashed dir=none constraint=false"},
    {"waited for", "&#183; &#183; &#183; &#183;&#9654;", "#c04020", " style=dotted penwidth=1.6 constraint=false"},
    {"handed over to", "&#9473;&#9473;&#9473;&#9654;", "#208040", " style=bold"}};

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

static int add_nodes(struct plot *p, struct sl_buf *b, struct sl_err *err)
{
    sqlite3_stmt *q = plot_prepare(p, nodes_sql[chosen(p)], err);
    int rc = q ? 0 : SL_ESTORE;

    while (q && (rc = sl_store_step(p->st, q, err)) > 0) {
        const char *type = sl_store_text(q, 0);
        sl_buf_adds(b, "    ");
        add_quoted(b, type);
        sl_buf_adds(b, " [label=");
        add_label(b, type, (unsigned long long)sqlite3_column_int64(q, 1));
        sl_buf_adds(b, "];\n");
    }
    sqlite3_finalize(q);
    return rc;
}

static int add_edges(struct plot *p, struct sl_buf *b, unsigned *seen, struct sl_err *err)
{
    sqlite3_stmt *q = plot_prepare(p, edges_sql[chosen(p)], err);
    int rc = q ? 0 : SL_ESTORE;
    char count[32];

    while (q && (rc = sl_store_step(p->st, q, err)) > 0) {
        int kind = sqlite3_column_int(q, 0);
        if (kind < 1 || kind > 4)
            continue;
        *seen |= 1u << kind;
        sl_buf_adds(b, "    ");
        add_quoted(b, sl_store_text(q, 1));
        sl_buf_adds(b, " -> ");
        add_quoted(b, sl_store_text(q, 2));
        sl_buf_addf(b, " [label=\"%s\" color=\"%s\" fontcolor=\"%s\"%s];\n",
                    sl_show_count((unsigned long long)sqlite3_column_int64(q, 3), count), kinds[kind - 1].color,
                    kinds[kind - 1].color, kinds[kind - 1].style);
    }
    sqlite3_finalize(q);
    return rc;
}

/* Only of the kinds that are there. */
static void add_legend(struct sl_buf *b, unsigned seen)
{
    sl_buf_adds(b, "    legend [shape=none style=\"\" fontsize=10 label=<<table border=\"1\" color=\"#c0c0c0\" "
                   "cellborder=\"0\" cellspacing=\"1\">\n");
    for (int kind = 1; kind <= 4; kind++)
        if (seen >> kind & 1)
            sl_buf_addf(b, "        <tr><td><font color=\"%s\">%s</font></td><td align=\"left\">%s</td></tr>\n",
                        kinds[kind - 1].color, kinds[kind - 1].line, kinds[kind - 1].name);
    sl_buf_adds(b, "        <tr><td colspan=\"2\">numbers: pairs of spans</td></tr></table>>];\n");
}

static int make_dot(struct plot *p, struct sl_buf *b, struct sl_err *err)
{
    unsigned seen = 0;
    int rc;

    sl_buf_adds(b, "digraph spanloom {\n"
                   "    graph [rankdir=LR nodesep=0.3 ranksep=0.6 fontname=\"Helvetica\"]\n"
                   "    node [shape=box style=\"rounded,filled\" fillcolor=\"#f4f6fa\" color=\"#8090a8\" "
                   "fontname=\"Helvetica\" fontsize=11]\n"
                   "    edge [fontname=\"Helvetica\" fontsize=9 arrowsize=0.7]\n");
    rc = add_nodes(p, b, err);
    if (!rc)
        rc = add_edges(p, b, &seen, err);
    if (seen)
        add_legend(b, seen);
    sl_buf_adds(b, "}\n");
    return rc;
}

/* ---- drawing ---- */

static int save(const char *path, const struct sl_buf *b, struct sl_err *err)
{
    FILE *f = fopen(path, "w");

    if (!f || fwrite(b->s, 1, b->n, f) != b->n || fclose(f))
        return sl_err(err, SL_EIO, "cannot write %s: %s", path, strerror(errno));
    return 0;
}

/* path NULL: to the standard output. */
static int draw(const char *format, const char *path, const struct sl_buf *b, struct sl_err *err)
{
    char type[32], *argv[] = {"dot", type, path ? "-o" : NULL, (char *)(uintptr_t)path, NULL};
    posix_spawn_file_actions_t files;
    int ends[2], status = 0, rc;
    void (*on_pipe)(int);
    pid_t child;
    FILE *to;

    snprintf(type, sizeof type, "-T%s", format);
    fflush(stdout);
    if (pipe(ends))
        return sl_err(err, SL_EIO, "cannot start dot: %s", strerror(errno));
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[0], 0);
    posix_spawn_file_actions_addclose(&files, ends[0]);
    posix_spawn_file_actions_addclose(&files, ends[1]);
    rc = posix_spawnp(&child, "dot", &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    close(ends[0]);
    if (rc) {
        close(ends[1]);
        return sl_err(err, SL_EIO,
                      "graphviz draws it, and its program dot cannot be run (%s); install graphviz, or write FILE.dot",
                      strerror(rc));
    }
    on_pipe = signal(SIGPIPE, SIG_IGN); /* that dot ends early is no reader who has seen enough */
    if ((to = fdopen(ends[1], "w"))) {
        fwrite(b->s, 1, b->n, to);
        fclose(to);
    }
    signal(SIGPIPE, on_pipe);
    if (waitpid(child, &status, 0) < 0 || (status && (path || !WIFSIGNALED(status) || WTERMSIG(status) != SIGPIPE)))
        return sl_err(err, SL_EIO, "dot could not draw %s", path ? path : format);
    return 0;
}

/* What to make: as --format says, or the end of the file's name. */
static const char *format_of(const struct cli *cli, const char *path, struct sl_err *err)
{
    static const char *const known[] = {"dot", "svg", "png", "pdf"};
    const char *format = cli_option(cli, "format"), *dot = path ? strrchr(path, '.') : NULL;

    if (!format && path)
        format = dot && !strchr(dot, '/') ? dot + 1 : "";
    for (int i = 0; i < 4; i++)
        if (!strcmp(format ? format : "dot", known[i]))
            return known[i];
    sl_err(err, SL_EUSAGE, "%s%s: known are dot, svg, png and pdf", cli_option(cli, "format") ? "--format " : "-o ",
           cli_option(cli, "format") ? format : path);
    return NULL;
}

static int put(const struct cli *cli, const struct sl_buf *b, struct sl_err *err)
{
    const char *path = cli_option(cli, "output"), *format = format_of(cli, path, err);

    if (!format)
        return SL_EUSAGE;
    if (strcmp(format, "dot") != 0)
        return draw(format, path, b, err);
    if (path)
        return save(path, b, err);
    fwrite(b->s, 1, b->n, stdout);
    return 0;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_buf b = {0};
    struct sl_err err = {0};
    char type[SL_TYPE_BYTES];
    struct plot p;
    int rc;

    if (argc > 1)
        return cli_usage(cli, "graph takes one type of spans, or none; '%s' is one too many", argv[1]);
    if ((rc = plot_open(&p, cli)))
        return rc;
    if (argc)
        rc = cli_type(p.st, argv[0], type, sizeof type, &err);
    p.arg = argc ? type : NULL;
    if (!rc)
        rc = make_dot(&p, &b, &err);
    if (!rc)
        rc = put(cli, &b, &err);
    sl_buf_free(&b);
    return plot_close(&p, rc, &err);
}

const struct command cmd_graph = {
    .name = "graph",
    .args = "[TYPE]",
    .help = "which types of spans belong to which, as a picture",
    .options = options,
    .run = run,
};
