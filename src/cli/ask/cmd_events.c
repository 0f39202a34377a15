/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/gather_lines.h"
#include "cli/lens_options.h"
#include "cli/workflow.h"
#include "result/spans/span_history.h"
#include "result/spans/span_names.h"
#include "show/print_span_history.h"

static const struct option_spec options[] = {
    {"lines", NULL, "also the log lines, those too that only name the span"},
    {"recipe", "FILE", "for --lines: the recipe that read them, where it is your own"},
    RUN_OPTION,
    LENS_OPTIONS,
    {NULL, NULL, NULL},
};

/* For people: each span, one after the other, as they come from the store: nothing is kept. */
static int show_each(struct sl_store *st, sqlite3_stmt *spans, const char *type, struct sl_table *events,
                     struct sl_err *err)
{
    char name[600];
    bool any = false;
    int rc;

    while ((rc = sl_store_step(st, spans, err)) > 0) {
        int64_t span = sqlite3_column_int64(spans, 0);
        sl_span_name(st, span, name, sizeof name - 32);
        snprintf(name + strlen(name), 32, "  (span %lld)", (long long)span);
        if (any)
            putchar('\n');
        sl_show_words(stdout, name, 0);
        any = true;
        sl_span_events_of(events, span);
        if ((rc = sl_show_span_events(stdout, events, err)) || ferror(stdout))
            break; /* nobody reads on */
    }
    if (!rc && !any)
        rc =
            sl_err(err, SL_ENOTFOUND, "the run has no span of type %s; see its types with: spanloom types --run", type);
    return rc;
}

/* For programs: as rows. */
static int show_rows(const struct cli *cli, struct sl_store *st, sqlite3_stmt *spans, struct sl_table *events,
                     struct sl_err *err)
{
    struct sl_show_part part = {0};
    int rc = 0, more = 1;

    while (!rc && more && !ferror(stdout)) {
        more = sl_store_step(st, spans, err);
        if (more < 0)
            rc = more;
        sl_span_events_of(events, more > 0 ? sqlite3_column_int64(spans, 0) : -1);
        part.last = more <= 0;
        if (!rc && sl_show_part(stdout, events, cli->format, &part, err) < 0)
            rc = SL_ESTORE;
    }
    return rc;
}

#define SPANS_SQL                                                                                                      \
    "SELECT s.id FROM sl_name n JOIN sl_span s ON s.type = n.id WHERE n.name = ?1 AND (?2 IS NULL OR s.id IN (SELECT " \
    "span FROM descendants(?2))) ORDER BY "

static int show(const struct cli *cli, struct sl_store *st, const char *type, int64_t within,
                const struct sl_history_options *how, struct sl_err *err)
{
    struct sl_result r = {0};
    struct sl_table *events = sl_span_events(st, how, &r, err);
    sqlite3_stmt *spans = sl_store_prepare(st, how->text ? SPANS_SQL "s.id" : SPANS_SQL "s.key, s.id", err);
    int rc = SL_ESTORE;

    if (spans)
        sqlite3_bind_text(spans, 1, type, -1, SQLITE_STATIC);
    if (spans && within)
        sqlite3_bind_int64(spans, 2, within);
    if (spans && events)
        rc = how->text ? show_each(st, spans, type, events, err) : show_rows(cli, st, spans, events, err);
    sqlite3_finalize(spans);
    sl_result_free(&r);
    return rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_store *st;
    struct sl_err err = {0};
    struct sl_history_options how = {.lines = cli_option(cli, "lines"), .text = cli->format == SL_FORMAT_TABLE};
    char type[SL_TYPE_BYTES];
    int64_t within = 0;
    int rc;

    if (argc > 1)
        return cli_usage(cli, "events takes one type of span");
    if (cli_option(cli, "recipe") && !how.lines)
        return cli_usage(cli, "--recipe is for --lines");
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    rc = cli_within(cli, st, &within, &err);
    if (!rc)
        rc = cli_type(st, argc ? argv[0] : NULL, within, type, sizeof type, &err);
    if (!rc)
        rc = cli_lens(cli, st, &how.lens, &err);
    if (!rc && how.lines)
        rc = cli_gather_lines(cli, st, 0, &err);
    if (!rc)
        rc = show(cli, st, type, within, &how, &err);
    sl_store_close(st);
    return rc ? cli_fail(cli, &err) : EXIT_DONE;
}

const struct command cmd_events = {
    .name = "events",
    .args = "[TYPE]",
    .help = "every event and log line of all spans of a type",
    .options = options,
    .run = run,
};
