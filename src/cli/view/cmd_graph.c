/* SPDX-License-Identifier: Apache-2.0 */
/* Types of spans and how they are related, drawn by `dot`. */
#include "cli/question.h"
#include "export/out.h"
#include "plot/plot.h"
#include "result/spans/type_graph.h"
#include "show/print_graph.h"

#include <string.h>

static const struct option_spec options[] = {
    {"format", "KIND", "dot, svg, png or pdf (default: as the name of FILE says, or dot)"},
    {"output", "FILE", "into this file, drawn as its name says: .svg, .png, .pdf, .dot"},
    RUN_OPTION,
    {NULL, NULL, NULL},
};

struct drawing {
    const char *format; /* of dot -T */
    struct sl_buf dot;
};

static int put(FILE *out, const void *what, struct sl_err *err)
{
    const struct drawing *d = what;
    char type[32], *argv[] = {"dot", type, NULL};
    int rc;

    if (!strcmp(d->format, "dot"))
        return fwrite(d->dot.s, 1, d->dot.n, out) == d->dot.n ? 0 : SL_EIO;
    snprintf(type, sizeof type, "-T%s", d->format);
    rc = sl_plot_filter(out, argv, d->dot.s, d->dot.n, err);
    if (rc == SL_ENOTFOUND)
        sl_err_wrap(err, "graphviz is needed to draw it (FILE.dot needs none)");
    else if (rc)
        sl_err_wrap(err, "dot");
    return rc;
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

static int ask(struct asking *a, struct sl_err *err)
{
    const char *path = cli_option(a->cli, "output");
    struct drawing d = {0};
    int rc = 0;

    if (a->argc)
        rc = cli_type(a->st, a->argv[0], a->within, a->type, sizeof a->type, err);
    if (!rc)
        rc = sl_result_graph(&a->r, a->st, a->argc ? a->type : NULL, a->within, err);
    if (!rc)
        rc = sl_show_graph(&d.dot, &a->r, err);
    if (!rc && !(d.format = format_of(a->cli, path, err)))
        rc = SL_EUSAGE;
    if (!rc)
        rc = sl_out_save(path ? path : "-", put, &d, err);
    sl_buf_free(&d.dot);
    sl_result_free(&a->r);
    return rc;
}

const struct command cmd_graph = {
    .name = "graph",
    .args = "[TYPE]",
    .help = "which types of spans belong to which, as a picture",
    .options = options,
    .question =
        &(const struct cli_question){.before = SAY_LOST, .most = 1, .takes = "one type of spans, or none", .ask = ask},
};
