/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/gather_lines.h"
#include "cli/lens_options.h"
#include "result/spans/find_span.h"
#include "result/spans/span_history.h"
#include "show/print_span_history.h"

static const struct option_spec options[] = {
    {"run", "RUN", "of this run: its id, the beginning of it, or the name of its directory (001)"},
    {"lines", NULL, "also the log lines, those too that only name it"},
    {"recipe", "FILE", "for --lines: the recipe that read them, where it is your own"},
    LENS_OPTIONS,
    {NULL, NULL, NULL},
};

/* Formats for programs but json, which is whole, have the events alone. */
static int show(const struct cli *cli, struct sl_store *st, int64_t span, struct sl_err *err)
{
    struct sl_history_options how = {.lines = cli_option(cli, "lines"), .text = cli->format == SL_FORMAT_TABLE};
    struct sl_result r = {0};
    struct sl_table *events;
    int rc = cli_lens(cli, st, &how.lens, err);

    if (!rc && how.lines)
        rc = cli_gather_lines(cli, st, span, err);
    if (rc)
        return rc;
    if (how.text || cli->format == SL_FORMAT_JSON)
        rc = sl_span_history(st, span, &how, &r, err);
    else if ((events = sl_span_events(st, &how, &r, err)))
        sl_span_events_of(events, span);
    else
        rc = SL_ESTORE;
    if (!rc)
        rc = how.text ? sl_show_span_history(stdout, &r, st->path, err) : sl_show_result(stdout, &r, cli->format, err);
    sl_result_free(&r);
    return rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_store *st;
    struct sl_err err = {0};
    int64_t span = 0;
    int rc;

    if (cli_option(cli, "recipe") && !cli_option(cli, "lines"))
        return cli_usage(cli, "--recipe is for --lines");
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    rc = sl_find_span(st, argc, argv, cli_option(cli, "run"), &span, &err);
    if (!rc)
        rc = show(cli, st, span, &err);
    sl_store_close(st);
    return rc ? cli_fail(cli, &err) : EXIT_DONE;
}

const struct command cmd_show = {
    .name = "show",
    .args = "TYPE KEY",
    .help = "the whole path of one span through every component",
    .options = options,
    .run = run,
};
