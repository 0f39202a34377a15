/* SPDX-License-Identifier: Apache-2.0 */
/* `spanloom experiment report`: all questions as one page. */
#include "cli/experiment/subcommands.h"
#include "cli/view/install_paths.h"
#include "cli/view/picture.h"
#include "cli/workflow.h"
#include "export/out.h"
#include "plot/html.h"
#include "report/experiment_page.h"

struct page {
    char path[PATH_MAX]; /* of the page that it is put into */
    struct sl_buf title, body;
};

static int write_page(FILE *out, const void *what, struct sl_err *err)
{
    const struct page *p = what;
    const struct sl_page_part part[] = {{"@TITLE@", p->title.s, p->title.n}, {"@BODY@", p->body.s, p->body.n}};

    return sl_plot_page(out, p->path, part, 2, err);
}

int cli_experiment_report(const struct cli *cli, const struct sl_question *q)
{
    const char *path = cli_option(cli, "output");
    struct page page = {.path = ""};
    struct sl_err err = {0};
    struct sl_store *st;
    int rc;

    if (!path || !*path)
        return cli_usage(cli, "where to? -o FILE.html");
    if (strcmp(path, "-") != 0 && cli_picture_form(path) != SL_PLOT_HTML)
        return cli_usage(cli, "-o %s: a report is a page, so the name must end in .html", path);
    if (place_find_report(page.path, "report.html", &err))
        return cli_fail(cli, &err);
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    rc = cli_states(cli, st, &err);
    sl_experiment_remember(st->db);
    if (!rc)
        rc = sl_report_experiment(&page.title, &page.body, st, q, &err);
    sl_experiment_forget();
    sl_store_close(st);
    if (!rc)
        rc = sl_out_save(path, write_page, &page, &err);
    sl_buf_free(&page.title);
    sl_buf_free(&page.body);
    return rc < 0 ? cli_fail(cli, &err) : EXIT_DONE;
}
