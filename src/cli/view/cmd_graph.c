/* SPDX-License-Identifier: Apache-2.0 */
/* Types of spans and how they are related, drawn by `dot`. */
#include "cli/over_time.h"
#include "export/out.h"
#include "plot/plot.h"
#include "result/graph.h"
#include "show/graph.h"

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

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_result r = {0};
    struct drawing d = {0};
    struct sl_err err = {0};
    const char *path = cli_option(cli, "output");
    char type[SL_TYPE_BYTES];
    struct over_time p;
    int rc;

    if (argc > 1)
        return cli_usage(cli, "graph takes one type of spans, or none; '%s' is one too many", argv[1]);
    if ((rc = over_time_open(&p, cli)))
        return rc;
    if (argc)
        rc = cli_type(p.st, argv[0], p.within, type, sizeof type, &err);
    if (!rc)
        rc = sl_result_graph(&r, p.st, argc ? type : NULL, p.within, &err);
    if (!rc)
        rc = sl_show_graph(&d.dot, &r, &err);
    if (!rc && !(d.format = format_of(cli, path, &err)))
        rc = SL_EUSAGE;
    if (!rc)
        rc = sl_out_save(path ? path : "-", put, &d, &err);
    sl_buf_free(&d.dot);
    sl_result_free(&r);
    return over_time_close(&p, rc, &err);
}

const struct command cmd_graph = {
    .name = "graph",
    .args = "[TYPE]",
    .help = "which types of spans belong to which, as a picture",
    .options = options,
    .run = run,
};
