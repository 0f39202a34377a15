/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include "cli/monitor/node_files.h"
#include "cli/question.h"
#include "result/spans/find_span.h"
#include "show/nodes/print_metrics.h"

#include <string.h>

static const struct option_spec options[] = {
    {"by", "THING", "of each node, task or app (default: node)"},
    RUN_OPTION,
    {"names", "KIND", "code: max_t_(mem_percent) for max_t_mem_percent, and so on (default: table)"},
    {"reports", NULL, "all samples of all nodes, as JSON: {\"0\": [{...}, ...], ...}"},
    {NULL, NULL, NULL},
};

static int choose(const char *word, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (!strcmp(word, words[i]))
            return i;
    return -1;
}

static int show(const struct cli *cli, struct sl_store *st, int by, int64_t within, bool code, struct sl_err *err)
{
    struct sl_result r = {0};
    struct sl_buf reports = {0};
    int rc;

    if (cli_option(cli, "reports")) {
        rc = sl_result_reports(&reports, st, within, err);
        if (!rc)
            fwrite(reports.s, 1, reports.n, stdout);
        sl_buf_free(&reports);
        return rc;
    }
    rc = sl_result_metrics(&r, st, (enum sl_metrics_by)by, within, code, err);
    if (!rc)
        rc = cli->format == SL_FORMAT_TABLE ? sl_show_metrics(stdout, &r, (enum sl_metrics_by)by, err)
                                            : sl_show_result(stdout, &r, cli->format, err);
    sl_result_free(&r);
    return rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
    static const char *const things[] = {"node", "task", "app", NULL}, *const kinds[] = {"table", "code", NULL};
    const char *by_text = cli_option(cli, "by"), *names = cli_option(cli, "names");
    int by = by_text ? choose(by_text, things) : 0, code = names ? choose(names, kinds) : 0, rc;
    struct sl_err err = {0};
    struct sl_store *st;
    int64_t within;

    if (by < 0)
        return cli_usage(cli, "--by is node, task or app, not '%s'", by_text);
    if (code < 0)
        return cli_usage(cli, "--names is table or code, not '%s'", names);
    if (names && (by || cli_option(cli, "reports")))
        return cli_usage(cli, "--names is for the metrics of nodes");
    if (by && cli_option(cli, "reports"))
        return cli_usage(cli, "--reports is for nodes");
    if (cli->format != SL_FORMAT_TABLE && cli->format != SL_FORMAT_JSON && cli_option(cli, "reports"))
        return cli_usage(cli, "--reports is JSON");
    if (!(st = cli_node_store(cli, argc, argv)))
        return EXIT_FAILED;
    rc = sl_find_run(st, cli_option(cli, "run"), &within, &err);
    if (!rc)
        rc = show(cli, st, by, within, code, &err);
    sl_store_close(st);
    return rc < 0 ? cli_fail(cli, &err) : EXIT_DONE;
}

const struct command cmd_metrics = {
    .name = "metrics",
    .args = "[FILE...]",
    .help = "one value a node: how busy its CPUs were, memory, disk, network",
    .options = options,
    .run = run,
};
