/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of what a store holds, of plots/ and the user's own. */
#include "base/files/temporary.h"
#include "base/near.h"
#include "cli/lens_options.h"
#include "cli/question.h"
#include "cli/view/picture.h"
#include "collect/child_process.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option_spec options[] = {
    {"output", "FILE", "the picture, as FILE ends: .html, .svg, .png, .pdf or .json; - is the standard output"},
    {"open", NULL, "instead, show it in the browser"},
    {"list", NULL, "instead, which plots there are; with PLOT: its arguments and columns"},
    {"spec", "FILE", "a plot of your own, not one by name"},
    {"title", "TEXT", "what stands above the picture"},
    {"format", "FORM", "html, svg, png, pdf or json, for -o -; of --list: table, tsv, csv or json"},
    BIN_OPTION,
    RUN_OPTION,
    {"sql", "QUERY", "instead of the plot's own query: one with the columns that --list PLOT shows"},
    LENS_OPTIONS,
    {NULL, NULL, NULL},
};

/* ---- --list ---- */

static const struct sl_column list_columns[] = {
    {"plot", SL_COLUMN_TEXT, NULL, NULL, 0},    {"answers", SL_COLUMN_TEXT, NULL, NULL, 0},
    {"from", SL_COLUMN_TEXT, NULL, NULL, 0},    {"arguments", SL_COLUMN_TEXT, NULL, NULL, 0},
    {"columns", SL_COLUMN_TEXT, NULL, NULL, 0},
};
/* An argument, or a column of the query that --sql can be instead. */
static const struct sl_column part_columns[] = {
    {"what", SL_COLUMN_TEXT, NULL, NULL, 0},   {"name", SL_COLUMN_TEXT, NULL, NULL, 0},
    {"type", SL_COLUMN_TEXT, NULL, NULL, 0},   {"unit", SL_COLUMN_TEXT, NULL, NULL, 0},
    {"needed", SL_COLUMN_TEXT, NULL, NULL, 0}, {"about", SL_COLUMN_TEXT, NULL, NULL, 0},
};

static void put_texts(struct sl_table *t, const char *const *text)
{
    sl_table_add(t);
    for (int i = 0; i < t->columns; i++)
        sl_table_put_text(t, i, text[i]);
}

/* A plot of the user's that cannot be used is told of, and the rest is listed. */
static int list_all(const struct cli *cli)
{
    sl_plot_names names = {0};
    struct sl_result r = {0};
    struct sl_table *t = sl_result_table(&r, "plots", list_columns, SL_COLUMNS(list_columns));
    bool people = cli->format == SL_FORMAT_TABLE;
    struct sl_err users = {0};
    int rc = EXIT_DONE, shown;

    if (sl_plot_list(&names, &users))
        rc = cli_fail(cli, &users);
    if (people) /* who see in 80 columns what there is, and where it is from if not all is ours */
        t->columns = 2;
    for (size_t i = 0; i < names.n && people; i++)
        t->columns = names.v[i].path ? 3 : t->columns;
    for (size_t i = 0; i < names.n; i++) {
        struct sl_buf usage = {0}, file = {0}, columns = {0};
        struct sl_err err = {0};
        struct sl_plot *p;
        if (sl_plot_find(&p, names.v[i].name, &err)) {
            rc = cli_fail(cli, &err);
            continue;
        }
        cli_picture_usage(p, &usage);
        for (size_t c = 0; c < p->data.v[0].column.n; c++)
            sl_buf_addf(&columns, "%s%s", c ? " " : "", p->data.v[0].column.v[c].name);
        sl_buf_addf(&file, "%s%s", p->path, names.v[i].shadows ? " (instead of ours)" : "");
        put_texts(t, (const char *const[]){p->name, p->answers, names.v[i].path ? file.s : "spanloom",
                                           usage.n ? usage.s : "", columns.n ? columns.s : ""});
        sl_buf_free(&usage);
        sl_buf_free(&columns);
        sl_buf_free(&file);
        sl_plot_free(p);
    }
    sl_plot_list_free(&names);
    shown = cli_end(cli, NULL, &r, 0, NULL);
    if (people)
        puts("\nspanloom plot --list PLOT: its arguments, and what a query must give it");
    return shown ? shown : rc;
}

static int list_one(const struct cli *cli, const struct sl_plot *p)
{
    struct sl_result r = {0};
    struct sl_table *t = sl_result_table(&r, "parts", part_columns, SL_COLUMNS(part_columns));

    for (size_t i = 0; i < p->argument.n; i++) {
        const struct sl_plot_argument *a = &p->argument.v[i];
        put_texts(t, (const char *const[]){"argument", a->name, sl_plot_kinds[a->kind], "", a->optional ? "no" : "yes",
                                           a->about});
    }
    for (size_t i = 0; i < p->data.v[0].column.n; i++) {
        const struct sl_plot_column *c = &p->data.v[0].column.v[i];
        put_texts(t, (const char *const[]){"column", c->name, *c->type ? c->type : "any", c->unit,
                                           c->optional ? "no" : "yes", c->about});
    }
    if (cli->format == SL_FORMAT_TABLE)
        printf("%s: %s\n\n", p->name, p->answers);
    return cli_end(cli, NULL, &r, 0, NULL);
}

static int list(struct cli *cli, const struct sl_plot *p)
{
    const char *format = cli_option(cli, "format");
    int f = format ? sl_format_find(format) : SL_FORMAT_TABLE;

    if (f < 0)
        return cli_usage(cli, "unknown format '%s'; of --list: table, tsv, csv, json", format);
    cli->format = (enum sl_format)f;
    return p ? list_one(cli, p) : list_all(cli);
}

/* ---- --open ---- */

static int show(const char *path, struct sl_err *err)
{
    const char *browser = getenv("BROWSER");
    struct child c = {0};

    if (!browser || !*browser)
        browser = "xdg-open";
    fflush(stdout);
    child_run(&c, (char *const[]){(char *)(uintptr_t)browser, (char *)(uintptr_t)path, NULL});
    if (c.error)
        return sl_err(err, SL_EIO, "cannot run %s: %s; open %s in a browser, or say which in $BROWSER", browser,
                      strerror(c.error), path);
    if (child_code(&c))
        return sl_err(err, SL_EIO, "%s could not show %s; open it in a browser, or say which in $BROWSER", browser,
                      path);
    return 0;
}

static int open_plot(const struct cli *cli, const struct sl_plot *p, int argc, char **argv)
{
    const char *dir = getenv("TMPDIR");
    struct sl_buf path = {0};
    struct sl_err err = {0};
    int fd, rc;

    sl_buf_addf(&path, "%s/spanloom-%s-XXXXXX.html", dir && *dir ? dir : "/tmp", p->name);
    if ((fd = mkstemps(path.s, 5)) < 0) {
        sl_err(&err, SL_EIO, "cannot write %s: %s", path.s, strerror(errno));
        rc = cli_fail(cli, &err);
    } else {
        close(fd);
        sl_temporary_watch(path.s);
        rc = cli_picture_of(cli, p, argc, argv, path.s, SL_PLOT_HTML);
        if (rc)
            sl_temporary_gone(path.s);
        sl_temporary_forget(path.s);
        if (!rc && show(path.s, &err))
            rc = cli_fail(cli, &err);
    }
    sl_buf_free(&path);
    return rc;
}

/* ---- the command ---- */

/* Finds it; of a name that is none, says which are near. */
static int find(const struct cli *cli, struct sl_plot **p, const char *name)
{
    sl_plot_names names = {0};
    struct sl_err err = {0};
    struct sl_buf near = {0};
    SL_VEC(const char *) all = {0};
    int rc = sl_plot_find(p, name, &err);

    if (rc == SL_ENOTFOUND) {
        sl_plot_list(&names, NULL);
        for (size_t i = 0; i < names.n; i++)
            *sl_vec_add(&all) = names.v[i].name;
        sl_near_add(&near, all.v, all.n, name);
        if (near.n)
            sl_err(&err, SL_ENOTFOUND, "there is no plot called '%s'%s All: spanloom plot --list", name, near.s);
        sl_vec_free(&all);
        sl_buf_free(&near);
        sl_plot_list_free(&names);
    }
    return rc ? cli_fail(cli, &err) : EXIT_DONE;
}

/* The form of -o; negative: it is said what is wrong. */
static int form_of(const struct cli *cli, const char *path)
{
    const char *format = cli_option(cli, "format");
    int form = format ? -1 : cli_picture_form(path);

    for (int i = 0; format && i < SL_PLOT_FORMS; i++)
        if (!strcmp(format, sl_plot_forms[i]))
            form = i;
    if (form < 0 && format)
        cli_usage(cli, "--format %s: known are html, svg, png, pdf and json", format);
    else if (form < 0 && !strcmp(path, "-"))
        cli_usage(cli, "-o - has no ending that says the form; add --format html, svg, png, pdf or json");
    else if (form < 0)
        cli_usage(cli, "-o %s: the name must end in .html, .svg, .png, .pdf or .json", path);
    return form;
}

static bool same_file(const char *a, const char *b)
{
    struct stat s, t;

    return !stat(a, &s) && !stat(b, &t) && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

static int draw(const struct cli *cli, const struct sl_plot *p, int argc, char **argv)
{
    const char *path = cli_option(cli, "output");
    int form;

    if (path && cli_option(cli, "open"))
        return cli_usage(cli, "-o writes a file, --open shows one: which of them?");
    if (cli_option(cli, "open"))
        return open_plot(cli, p, argc, argv);
    if (!path || !*path)
        return cli_usage(cli, "where to? -o FILE.html (or .svg, .png, .pdf, .json); or --open shows it in the browser");
    if (!p->ours && same_file(path, p->path))
        return cli_usage(cli, "-o %s is the specification itself, which would be gone", path);
    form = form_of(cli, path);
    if (!strcmp(path, "-") && (form == SL_PLOT_PNG || form == SL_PLOT_PDF) && isatty(STDOUT_FILENO))
        return cli_usage(cli, "-o - is a terminal, which shows no %s; name a file, or send it on: | COMMAND",
                         sl_plot_forms[form]);
    return form < 0 ? EXIT_USAGE : cli_picture_of(cli, p, argc, argv, path, (enum sl_plot_form)form);
}

static int run(struct cli *cli, int argc, char **argv)
{
    const char *spec = cli_option(cli, "spec");
    bool by_name = !spec, lists = cli_option(cli, "list") != NULL;
    struct sl_plot *p = NULL;
    struct sl_err err = {0};
    int rc;

    if (lists && !spec && !argc)
        return list(cli, NULL);
    if (by_name && !argc)
        return cli_usage(cli, "which plot? `spanloom plot --list` shows them; --spec FILE is one of your own");
    if (by_name && (rc = find(cli, &p, argv[0])))
        return rc;
    if (!by_name && sl_plot_read(&p, spec, cli_option(cli, "sql") && !lists, &err))
        return cli_fail(cli, &err);
    rc = lists ? list(cli, p) : draw(cli, p, argc - by_name, argv + by_name);
    sl_plot_free(p);
    return rc;
}

const struct command cmd_plot = {
    .name = "plot",
    .args = "PLOT [ARGUMENTS] -o FILE",
    .help = "a picture: interactive (html), svg, pdf, png, or its data",
    .options = options,
    .run = run,
};
