/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/question.h"
#include "cli/view/mlflow_options.h"
#include "export/formats.h"
#include "result/spans/find_span.h"
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
     "where to write; - is standard output (default: the store's name, .pftrace and so on behind it; of a trace: "
     "beside "
     "it, .pfw instead of .slt)"},
    {"run", "RUN", "only this run: its id, the beginning of it, or its directory (001)"},
    {"format", "KIND", "of chrome, of traces: array or object (default: as the process was told)"},
    {"event", "KIND", "of chrome, of traces: verbose (B and E) or compact (X) (default: as the process was told)"},
    {"names", "KIND", "of mlflow: table, code (max_t_(mem_percent)) or system (MLflow's own) (default: table)"},
    {"spooled", NULL, "of mlflow: only send what waits from before"},
    {NULL, NULL, NULL},
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
        sl_err(&err, SL_EFORMAT, "%s: %s; give a .slt that a traced process left, or a store: -d %s", path, why, path);
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

/* ---- stores ---- */

static void tell_timeline(const char *path, const struct sl_export_counts *c)
{
    char spans[32], events[32], links[32], tracks[32], untimed[32];

    fprintf(stderr, "%s: %s slices and %s events on %s tracks, %s arrows", path, sl_show_count(c->spans, spans),
            sl_show_count(c->events, events), sl_show_count(c->tracks, tracks), sl_show_count(c->links, links));
    if (c->untimed)
        fprintf(stderr, "; not in it: %s span%s of which nothing says when", sl_show_count(c->untimed, untimed),
                c->untimed == 1 ? "" : "s");
    fprintf(stderr, "\nopen it at https://ui.perfetto.dev\n");
}

static void tell_spans(const char *path, const struct sl_export_counts *c)
{
    char spans[32], events[32], links[32], samples[32], untimed[32];

    fprintf(stderr, "%s: %s spans, %s events, %s links, %s samples", path, sl_show_count(c->spans, spans),
            sl_show_count(c->events, events), sl_show_count(c->links, links), sl_show_count(c->samples, samples));
    if (c->untimed)
        fprintf(stderr, "; nothing says when %s of the spans w%s", sl_show_count(c->untimed, untimed),
                c->untimed == 1 ? "as" : "ere");
    fputc('\n', stderr);
}

/* Each is a file or a folder. */
static const struct format {
    const char *name, *suffix;
    int (*file)(struct sl_spans *s, struct sl_out *out, struct sl_export_counts *counts, struct sl_err *err);
    int (*folder)(struct sl_spans *s, const char *path, struct sl_export_counts *counts, struct sl_err *err);
    void (*tell)(const char *path, const struct sl_export_counts *c);
} formats[] = {
    {"perfetto", ".pftrace", sl_export_perfetto, NULL, tell_timeline},
    {"chrome", ".trace.json", sl_export_chrome, NULL, tell_timeline},
    {"otlp", ".otlp.jsonl", sl_export_otlp, NULL, tell_spans},
    {"csv", ".csv", NULL, sl_export_csv, tell_spans},
    {"ctf", ".ctf", NULL, sl_export_ctf, tell_spans},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static int write_format(const struct format *f, struct sl_spans *s, const char *path, struct sl_err *err)
{
    struct sl_export_counts counts;
    struct sl_out out;
    int rc;

    if (f->folder)
        rc = f->folder(s, path, &counts, err);
    else if (!(rc = sl_out_open(&out, path, err)))
        rc = sl_out_close(&out, f->file(s, &out, &counts, err), err);
    if (!rc && strcmp(path, "-") != 0)
        f->tell(path, &counts);
    return rc;
}

static void tell_nodes(int64_t n)
{
    if (n)
        fprintf(stderr, "not in it: what %lld node%s did meanwhile of which nothing says that %s part of the run\n",
                (long long)n, n == 1 ? "" : "s", n == 1 ? "it was" : "they were");
}

/* The name of the store, in this folder. */
static char *beside_store(const struct cli *cli, const char *suffix)
{
    const char *name = strrchr(cli->store_path, '/'), *dot;

    name = name ? name + 1 : cli->store_path;
    dot = strrchr(name, '.');
    return sqlite3_mprintf("%.*s%s", dot && dot > name ? (int)(dot - name) : (int)strlen(name), name, suffix);
}

static int export_store(struct cli *cli, const struct format *f)
{
    const char *output = cli_option(cli, "output");
    struct sl_store *st = cli_open(cli);
    struct sl_spans spans = {0};
    struct sl_err err = {0};
    char *path = NULL;
    int64_t workflow;
    int rc;

    if (!st)
        return EXIT_FAILED;
    rc = sl_find_run(st, cli_option(cli, "run"), &workflow, &err);
    if (!rc && f->folder && output && !strcmp(output, "-"))
        rc = sl_err(&err, SL_EUSAGE, "%s is a folder of files: give its name with --output", f->name);
    if (!rc) {
        path = output ? sqlite3_mprintf("%s", output) : beside_store(cli, f->suffix);
        rc = sl_spans_open(&spans, st, workflow, &err);
        if (!rc)
            rc = write_format(f, &spans, path, &err);
        if (!rc && strcmp(path, "-") != 0)
            tell_nodes(sl_spans_nodes_of_nobody(&spans));
        sl_spans_close(&spans);
    }
    sqlite3_free(path);
    sl_store_close(st);
    return rc ? cli_fail(cli, &err) : EXIT_DONE;
}

/* ---- all ---- */

static int export_traces(struct cli *cli, int argc, char **argv)
{
    const char *output = cli_option(cli, "output");
    int worst = EXIT_DONE;

    if (output && argc > 1)
        return cli_usage(cli, "--output takes one trace");
    if (cli_option(cli, "run"))
        return cli_usage(cli, "--run is for stores: without FILEs");
    for (int i = 0; i < argc && worst != EXIT_USAGE; i++) {
        int rc = export_one(cli, argv[i], output);
        worst = rc > worst ? rc : worst;
    }
    return worst;
}

static int run(struct cli *cli, int argc, char **argv)
{
    const struct format *f = NULL;
    bool mlflow = argc && !strcmp(argv[0], "mlflow"), traces = argc > 1 && !strcmp(argv[0], "chrome");

    for (int i = 0; i < FORMATS && argc; i++)
        if (!strcmp(argv[0], formats[i].name))
            f = &formats[i];
    if (!f && !mlflow && !traces)
        return cli_usage(cli, "export %s%s%s? one of perfetto, chrome, otlp, csv, ctf, mlflow", argc ? "as '" : "what",
                         argc ? argv[0] : "", argc ? "'" : "");
    if (!traces && (cli_option(cli, "format") || cli_option(cli, "event")))
        return cli_usage(cli, "--format and --event are for export chrome FILE.slt");
    if (!mlflow && (cli_option(cli, "names") || cli_option(cli, "spooled")))
        return cli_usage(cli, "--names and --spooled are for export mlflow");
    if (mlflow && cli_option(cli, "output"))
        return cli_usage(cli, "--output is not for export mlflow");
    if (mlflow)
        return cli_mlflow_export(cli, argc - 1, argv + 1);
    if (traces)
        return export_traces(cli, argc - 1, argv + 1);
    if (argc > 1)
        return cli_usage(cli, "export %s takes a store: spanloom export %s -d %s", f->name, f->name, argv[1]);
    return export_store(cli, f);
}

const struct command cmd_export = {
    .name = "export",
    .args = "perfetto | chrome [FILE.slt...] | otlp | csv | ctf | mlflow [FILE...]",
    .help = "stores and traces for Perfetto, Chrome, OTLP, MLflow ...",
    .options = options,
    .run = run,
};
