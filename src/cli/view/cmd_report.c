/* SPDX-License-Identifier: Apache-2.0 */
/* A run, or two beside each other, as a page that needs nothing else. */
#include "cli/view/install_paths.h"
#include "cli/view/picture.h"
#include "cli/workflow.h"
#include "export/out.h"
#include "report/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct option_spec options[] = {
    WORKFLOW_OPTION,
    {"output", "FILE", "where to: FILE.html, the page, or FILE.json, its figures; -: the standard output"},
    {"json", NULL, "the figures as JSON, also without -o"},
    SKEW_OPTION,
    {NULL, NULL, NULL},
};

struct page {
    char path[PATH_MAX]; /* of the page that it is put into; "": the JSON alone */
    struct sl_buf json, title;
};

static int put(FILE *out, const void *what, struct sl_err *err)
{
    const struct page *p = what;

    if (*p->path)
        return sl_report_page(out, p->path, p->title.s, &p->json, err);
    fwrite(p->json.s, 1, p->json.n, out);
    return ferror(out) ? sl_err(err, SL_EIO, "cannot write: %s", strerror(errno)) : 0;
}

/* The store of -d and its only workflow, or none where it holds none. */
static int only_run(struct cli *cli, struct sl_store **st, int64_t *workflow)
{
    struct sl_err err = {0};
    uint64_t n = 0;
    int rc;

    if (!(*st = cli_open(cli)))
        return EXIT_FAILED;
    rc = cli_states(cli, *st, &err);
    if (!rc)
        rc = cli_workflows(*st, workflow, &n, NULL, &err);
    if (!rc && n)
        rc = cli_find_workflow(cli, *st, NULL, workflow, &err);
    else
        *workflow = 0;
    if (!rc)
        rc = cli_skew(cli, *st, &err);
    return rc ? cli_fail(cli, &err) : EXIT_DONE;
}

/* The run that text means, as `why` takes it. */
static int open_run(struct cli *cli, char *text, struct sl_report_run *run)
{
    if (!text && !cli_option(cli, "run"))
        return only_run(cli, &run->st, &run->workflow);
    return cli_find_subject(cli, text, &run->st, &run->workflow);
}

static int make(const struct cli *cli, struct sl_report_run *run, int runs, struct page *page, const char *path)
{
    struct sl_sections sections = {0};
    struct sl_findings findings = {0};
    struct sl_buf problems = {0};
    struct sl_err err = {0};
    int rc = sl_sections_load(&sections, &err);

    rc = rc ? rc : sl_findings_load(&findings, &err);
    for (size_t i = 0; i < sections.files.problem.n && !rc; i++)
        sl_buf_addf(&problems, "%s\n", sections.files.problem.v[i]);
    for (size_t i = 0; i < findings.files.problem.n && !rc; i++)
        sl_buf_addf(&problems, "%s\n", findings.files.problem.v[i]);
    rc = rc ? rc : sl_report_json(&page->json, run, runs, &sections, &findings, &problems, &err);
    rc = rc ? rc : sl_store_failed(cli->store_path, &err); /* a page with a hole takes no other's place */
    sl_sections_free(&sections);
    sl_findings_free(&findings);
    sl_report_title(&page->title, run, runs);
    if (!rc)
        rc = sl_out_save(path, put, page, &err);
    for (char *line = problems.s, *end; !rc && line && (end = strchr(line, '\n')); line = end + 1)
        cli_say("%.*s", (int)(end - line), line);
    rc = rc < 0 ? cli_fail(cli, &err) : problems.n ? EXIT_FAILED : EXIT_DONE;
    sl_buf_free(&problems);
    return rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
    const char *path = cli_option(cli, "output");
    struct page page = {.path = ""};
    struct sl_report_run told[2] = {0};
    struct sl_err err = {0};
    char *none = NULL;
    int runs = argc ? argc : 1, rc = EXIT_DONE, form;
    bool in_part = false, json = cli_option(cli, "json") || (cli->format_given && cli->format == SL_FORMAT_JSON);

    if (argc > 2)
        return cli_usage(cli, "one run, or two beside each other: %s is too much", argv[2]);
    if (argc && cli_option(cli, "run"))
        return cli_usage(cli, "--run and %s both say which run; one is enough", argv[0]);
    if (cli->format_given && !json)
        return cli_usage(cli, "a report is a page, -o FILE.html, or its figures, --json; it has no other format");
    if ((!path || !*path) && !json)
        return cli_usage(cli, "where to? -o FILE.html, or --json");
    path = path && *path ? path : "-";
    form = cli_picture_form(path);
    if (strcmp(path, "-") != 0 && form != SL_PLOT_HTML && form != SL_PLOT_JSON)
        return cli_usage(cli, "-o %s: a report is a page, FILE.html, or its figures, FILE.json", path);
    if (json && form == SL_PLOT_HTML)
        return cli_usage(cli, "--json and -o %s say two things: a page, or the figures alone", path);
    json |= form == SL_PLOT_JSON;
    if (!json && place_find_report(page.path, "run.html", &err)) {
        sl_err_wrap(&err, "--json does without a page; of one");
        return cli_fail(cli, &err);
    }
    for (int i = 0; i < argc && !rc; i++)
        rc = cli_import_subject(cli, argv[i], &in_part);
    for (int i = 0; i < runs && !rc; i++)
        rc = open_run(cli, argc ? argv[i] : none, &told[i]);
    if (!rc)
        rc = make(cli, told, runs, &page, path);
    for (int i = 0; i < runs; i++) {
        sl_result_free(&told[i].why);
        if (!rc)
            cli_say_lost(told[i].st, told[i].workflow);
        sl_store_close(told[i].st);
    }
    sl_buf_free(&page.json);
    sl_buf_free(&page.title);
    return !rc && in_part ? EXIT_FAILED : rc;
}

const struct command cmd_report = {
    .name = "report",
    .args = "[PATH|RUN [PATH|RUN]] -o FILE.html",
    .help = "all of a run, or of two, as a page that needs nothing else",
    .options = options,
    .run = run,
};
