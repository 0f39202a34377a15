/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "cli/history.h"
#include "cli/lens.h"
#include "result/span_names.h"

static const struct option_spec options[] = {
    {"lines", NULL, "also the log lines, those too that only name the span", false},
    {"recipe", "FILE", "for --lines: the recipe that read them, where it is your own", false},
    LENS_OPTIONS,
    {NULL, NULL, NULL, false},
};

/* Each span of the type, one after the other, as they come from the store: nothing is kept. */
static int each(struct sl_store *st, const char *type, bool lines, bool lens, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(
        st, "SELECT s.id FROM sl_name n JOIN sl_span s ON s.type = n.id WHERE n.name = ? ORDER BY s.id", err);
    char name[600];
    bool any = false;
    int rc = q ? 0 : SL_ESTORE;

    if (q)
        sqlite3_bind_text(q, 1, type, -1, SQLITE_STATIC);
    while (!rc && (rc = sl_store_step(st, q, err)) > 0) {
        int64_t span = sqlite3_column_int64(q, 0);
        printf("%s%s  (span %lld)\n", any ? "\n" : "", sl_span_name(st, span, name, sizeof name), (long long)span);
        any = true;
        rc = history_events(st, span, lines, lens, err);
        if (ferror(stdout))
            break; /* nobody reads on */
    }
    sqlite3_finalize(q);
    if (!rc && !any)
        rc = sl_err(err, SL_ENOTFOUND, "no span has the type %s; see the types with: spanloom types", type);
    return rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_store *st;
    struct sl_err err = {0};
    bool lines = cli_option(cli, "lines"), lens;
    char type[300];
    int rc;

    if (argc > 1)
        return cli_usage(cli, "events takes one type of span");
    if (cli_option(cli, "recipe") && !lines)
        return cli_usage(cli, "--recipe is for --lines");
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    rc = cli_type(st, argc ? argv[0] : NULL, type, sizeof type, &err);
    if (!rc)
        rc = cli_lens(cli, st, &lens, &err);
    if (!rc && lines)
        rc = history_gather_lines(cli, st, 0, &err);
    if (!rc && cli->format == SL_FORMAT_TABLE) {
        rc = each(st, type, lines, lens, &err);
    } else if (!rc) {
        char *roots =
            sqlite3_mprintf("SELECT s.id AS id FROM sl_name n JOIN sl_span s ON s.type = n.id WHERE n.name = %Q", type);
        rc = history_rows(cli, st, roots, lines, lens, &err);
        sqlite3_free(roots);
    }
    sl_store_close(st);
    return rc ? cli_fail(cli, &err) : EXIT_DONE;
}

const struct command cmd_events = {"events", "[TYPE]", "every event and log line of all spans of a type", options, run};
