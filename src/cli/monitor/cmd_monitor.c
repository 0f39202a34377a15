/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "cli/monitor/monitor_view.h"
#include "cli/view/mlflow_options.h"
#include "collect/monitor.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option_spec options[] = {
    {"interval", "TIME", "from one sample to the next: 1s (the default), 500ms, 2min"},
    {"output", "FILE", "where to write; DIRECTORY/: a file in it; -: standard output (default: a file here)"},
    {"pid", "PID", "watch this process and all below it, until it ends"},
    {"max-length", "N", "at most so many samples are kept: then every other one, half as often (default: 1000)"},
    {"stream", NULL, "keep all samples"},
    {"mount", "DIRECTORY", "whose disk usage is told (default: /); may be given more than once"},
    {"detail", "LEVEL", "of processes: cpu; io, with I/O and context switches (the default); pss, with shared memory"},
    {"top", "N", "tell of so many processes one by one, those that use most (default: 20)"},
    {"no-gpu", NULL, "do not ask the GPUs"},
    {"proc", "DIRECTORY", "another /proc, such as the host's in a container"},
    {"sys", "DIRECTORY", "another /sys"},
    {"mlflow", NULL, "at the end, send the metrics to the run of MLFLOW_RUN_ID (spanloom export mlflow)"},
    MLFLOW_NAMES_OPTION,
    {"quiet", NULL, "no view and no summary"},
    {NULL, NULL, NULL},
};

enum { MAX_LENGTH = 1000, TOP = 20 };
static const double LEAST_INTERVAL_S = 0.01, LARGEST_INTERVAL_S = 86400;

/* "1s", "500ms", "2min", "0.5"; NAN: none of these. */
static double time_of(const char *text)
{
    static const struct {
        const char *unit;
        double s;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"min", 60}, {"h", 3600}};
    size_t digits = strspn(text, "0123456789.");
    char *end;
    double n = strtod(text, &end);

    if (!digits || end != text + digits)
        return NAN;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(end, units[i].unit))
            return n * units[i].s;
    return NAN;
}

static int detail_of(const char *text)
{
    static const char *const names[] = {"cpu", "io", "pss"};

    for (int i = 0; i < 3; i++)
        if (!strcmp(text, names[i]))
            return i;
    return -1;
}

static int number(const struct cli *cli, const char *name, int least, int otherwise)
{
    const char *text = cli_option(cli, name);
    int n = text ? cli_number(text, least) : otherwise;

    if (n < 0)
        cli_usage(cli, "--%s needs a number from %d up, not '%s'", name, least, text);
    return n;
}

/* What was asked for; or EXIT_USAGE, and it is said why. */
static int read_options(const struct cli *cli, int argc, char **argv, struct monitor_options *o)
{
    const char *interval = cli_option(cli, "interval"), *detail = cli_option(cli, "detail");
    const char **mounts = sl_alloc((size_t)cli->ngiven * sizeof *mounts + 1);
    int n, top, pid = 0;

    *o = (struct monitor_options){
        .interval_s = interval ? time_of(interval) : 1,
        .output = cli_option(cli, "output"),
        .argv = argc ? argv : NULL,
        .mounts = mounts,
        .detail = SL_DETAIL_IO,
        .roots = {cli_option(cli, "proc"), cli_option(cli, "sys")},
        .no_gpu = cli_option(cli, "no-gpu") != NULL,
    };
    for (int i = 0; i < cli->ngiven; i++)
        if (!strcmp(cli->given[i].spec->name, "mount"))
            mounts[o->nmounts++] = cli->given[i].value;
    if (isnan(o->interval_s))
        return cli_usage(cli, "--interval needs a time, such as 1s, 500ms or 2min, not '%s'", interval);
    if (o->interval_s < LEAST_INTERVAL_S || o->interval_s > LARGEST_INTERVAL_S)
        return cli_usage(cli, "--interval is from 10ms (less than that the kernel does not tell apart) to 24h");
    if (detail && (n = detail_of(detail)) < 0)
        return cli_usage(cli, "--detail is cpu, io or pss, not '%s'", detail);
    if (detail)
        o->detail = (enum sl_detail)n;
    if ((n = number(cli, "max-length", 2, MAX_LENGTH)) < 0 || (top = number(cli, "top", 0, TOP)) < 0)
        return EXIT_USAGE;
    if (cli_option(cli, "pid") && (pid = number(cli, "pid", 1, 0)) < 0)
        return EXIT_USAGE;
    if (pid && argc)
        return cli_usage(cli, "either --pid or a command, not both");
    if (cli_option(cli, "stream") && cli_option(cli, "max-length"))
        return cli_usage(cli, "--stream keeps all samples, so that --max-length says nothing");
    if (argc && !*argv[0])
        return cli_usage(cli, "the command has no name");
    if (argc && o->output && !strcmp(o->output, "-"))
        return cli_usage(cli, "standard output is that of the command; name a file: --output FILE");
    o->max_length = cli_option(cli, "stream") || (o->output && !strcmp(o->output, "-")) ? 0 : (size_t)n;
    o->top = (size_t)top;
    o->pid = pid;
    return EXIT_DONE;
}

/* What came of it changes no exit status: it is the command's. */
static void send_mlflow(const struct cli *cli, const struct monitor *m)
{
    enum cli_mlflow_names names;

    if (cli_mlflow_names(cli, &names) == EXIT_DONE)
        cli_mlflow_file(cli, m->file.path, names);
}

/* Before anything runs: what could not be sent in the end. */
static int check_mlflow(const struct cli *cli, const struct monitor_options *o)
{
    enum cli_mlflow_names names;

    if (!cli_option(cli, "mlflow"))
        return cli_option(cli, "names") ? cli_usage(cli, "--names is for --mlflow") : EXIT_DONE;
    if (o->output && !strcmp(o->output, "-"))
        return cli_usage(cli, "--mlflow needs a file, not --output -");
    return cli_mlflow_names(cli, &names) ? EXIT_USAGE : cli_mlflow_ready(cli);
}

/* Before it is written: an import of the folder goes by names, and would pass over it. */
static void say_name(const char *output)
{
    size_t n = strlen(output);
    struct stat s;

    if (!n || output[n - 1] == '/' || !strcmp(output, "-") || (n > 6 && !strcmp(output + n - 6, ".jsonl")) ||
        stat(output, &s) == 0)
        return;
    cli_say(
        "%s: import finds files called NAME.jsonl in a folder, and this one only where it is named; %s/ is a folder",
        output, output);
}

static int run(struct cli *cli, int argc, char **argv)
{
    bool quiet = cli_option(cli, "quiet") != NULL;
    struct monitor_view view = {.out = stdout};
    struct monitor_options o;
    struct sl_err err = {0};
    struct monitor m;
    int rc = read_options(cli, argc, argv, &o);

    if (rc == EXIT_DONE)
        rc = check_mlflow(cli, &o);
    if (rc != EXIT_DONE) {
        free((void *)o.mounts);
        return rc;
    }
    if (!quiet && !o.argv && isatty(STDOUT_FILENO) && !(o.output && !strcmp(o.output, "-"))) {
        o.show = monitor_view_draw;
        o.arg = &view;
    }
    if (!quiet && o.output)
        say_name(o.output);
    rc = monitor_run(&m, &o, &err);
    if (m.has_file && o.show && m.signal == SIGINT)
        fputc('\n', stderr); /* behind the terminal's ^C */
    if (m.has_file && !quiet)
        monitor_summary(stderr, &m);
    if (rc < 0)
        cli_fail(cli, &err);
    if (m.has_file && cli_option(cli, "mlflow"))
        send_mlflow(cli, &m);
    rc = rc == 0 ? EXIT_DONE : rc == SL_EUSAGE ? EXIT_USAGE : EXIT_FAILED;
    if (o.argv && (m.child.pid || m.child.error))
        rc = m.child.error ? child_code(&m.child) : -1;
    else if (o.argv)
        rc = CHILD_FAILED; /* it was not run, because of us */
    monitor_free(&m);
    free((void *)o.mounts);
    return rc < 0 ? child_end_like(&m.child) : rc;
}

const struct command cmd_monitor = {
    .name = "monitor",
    .args = "[[--] COMMAND [ARGUMENT...]]",
    .help = "watch a node: CPU, memory, disk, network, GPUs, and a command\n\n"
            "Without a command or --pid it goes on until it is told to end (Ctrl-C, TERM).",
    .options = options,
    .run = run,
};
