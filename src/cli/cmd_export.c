/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mlflow.h"
#include "cli/over_time.h"
#include "trace/chrome_writer.h"
#include "trace/format.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const struct option_spec options[] = {
    {"output", "FILE",
     "of chrome: where to write; - is standard output (default: beside the trace, .pfw instead of .slt)", false},
    {"format", "KIND", "of chrome: array or object (default: as the process was told)", false},
    {"event", "KIND", "of chrome: verbose (B and E) or compact (X) (default: as the process was told)", false},
    {"run", "RUN", "of mlflow: only nodes of this run: its id, the beginning of it, or its directory (001)", false},
    {"names", "KIND", "of mlflow: table, code (max_t_(mem_percent)) or system (MLflow's own) (default: table)", false},
    {"spooled", NULL, "of mlflow: only send what waits from before", false},
    {NULL, NULL, NULL, false},
};

/* One of two words, as PERFFLOW_OPTIONS has them. */
static bool choose(const char *value, const char *no, const char *yes, uint32_t bit, uint32_t *options_)
{
    if (!value)
        return true;
    *options_ &= ~bit;
    if (!strcasecmp(value, yes))
        *options_ |= bit;
    return !strcasecmp(value, yes) || !strcasecmp(value, no);
}

static bool beside(const char *path, char *to, size_t n)
{
    size_t stem = strlen(path);

    if (stem > 4 && !strcmp(path + stem - 4, ".slt"))
        stem -= 4;
    return snprintf(to, n, "%.*s.pfw", (int)stem, path) < (int)n;
}

static void report(const char *path, const char *to, const struct sl_trace_process *p)
{
    const char *how = p->ended ? "" : "; the process did not end in order";

    fprintf(stderr, "%s: written as %s%s", path, to, how);
    if (p->lost)
        fprintf(stderr, "; it could not record %llu events", (unsigned long long)p->lost);
    if (p->damaged)
        fprintf(stderr, "; %llu places could not be read", (unsigned long long)p->damaged);
    fputc('\n', stderr);
}

/* By what it begins with: an array or an object, or gzip that is called so. */
static bool is_chrome(const char *path)
{
    const char *end = strrchr(path, '.');
    unsigned char head[64];
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(head, 1, sizeof head, f) : 0, at = 0;

    if (f)
        fclose(f);
    while (at < n && strchr(" \t\r\n", head[at]) && head[at])
        at++;
    return (at < n && (head[at] == '[' || head[at] == '{')) ||
           (n > 1 && head[0] == 0x1f && head[1] == 0x8b && end && end - path > 4 && !strcmp(end - 4, ".pfw.gz"));
}

static int export_one(struct cli *cli, const char *path, const char *output)
{
    char to[PATH_MAX];
    const char *why;
    struct sl_err err = {0};
    struct sl_decoded *d = sl_decode_open(path, &why);
    uint32_t how;
    int rc;

    if (!d && is_chrome(path)) {
        sl_err(&err, SL_EFORMAT, "%s: it is Chrome Trace Format already", path);
        return cli_fail(cli, &err);
    }
    if (!d) {
        sl_err(&err, SL_EFORMAT, "%s: %s; give a .slt that a traced process left", path, why);
        return cli_fail(cli, &err);
    }
    how = sl_decode_process(d)->options & (SL_TF_OBJECT | SL_TF_COMPACT);
    if (!choose(cli_option(cli, "format"), "array", "object", SL_TF_OBJECT, &how)) {
        sl_decode_free(d);
        return cli_usage(cli, "--format is array or object");
    }
    if (!choose(cli_option(cli, "event"), "verbose", "compact", SL_TF_COMPACT, &how)) {
        sl_decode_free(d);
        return cli_usage(cli, "--event is verbose or compact");
    }
    if (output && !strcmp(output, "-")) {
        rc = sl_chrome_write_fd(d, STDOUT_FILENO, how);
        if (rc == EPIPE)
            rc = 0;
    } else {
        if (output && !realpath(output, to)) /* a link stays one */
            snprintf(to, sizeof to, "%s", output);
        rc = output || beside(path, to, sizeof to) ? sl_chrome_write_file(d, to, how) : ENAMETOOLONG;
        if (!rc)
            report(path, to, sl_decode_process(d));
    }
    sl_decode_free(d);
    if (!rc)
        return EXIT_DONE;
    sl_err(&err, SL_EIO, "%s: cannot be written: %s", output ? output : to, strerror(rc));
    return cli_fail(cli, &err);
}

static int run(struct cli *cli, int argc, char **argv)
{
    const char *output = cli_option(cli, "output");
    int worst = EXIT_DONE;

    if (argc && !strcmp(argv[0], "mlflow")) {
        static const char *const chrome[] = {"output", "format", "event"};
        for (int i = 0; i < 3; i++)
            if (cli_option(cli, chrome[i]))
                return cli_usage(cli, "--%s is for export chrome", chrome[i]);
        return cli_mlflow_export(cli, argc - 1, argv + 1);
    }
    if (argc < 2 || strcmp(argv[0], "chrome") != 0)
        return cli_usage(cli, "export what? `spanloom export chrome FILE.slt`, `spanloom export mlflow`");
    if (cli_option(cli, "run") || cli_option(cli, "names") || cli_option(cli, "spooled"))
        return cli_usage(cli, "--run, --names and --spooled are for export mlflow");
    if (output && argc > 2)
        return cli_usage(cli, "--output takes one trace");
    for (int i = 1; i < argc && worst != EXIT_USAGE; i++) {
        int rc = export_one(cli, argv[i], output);
        worst = rc > worst ? rc : worst;
    }
    return worst;
}

const struct command cmd_export = {
    .name = "export",
    .args = "chrome FILE... | mlflow [FILE...]",
    .help = "traces as Chrome Trace Format, metrics of nodes to MLflow",
    .options = options,
    .run = run,
};
