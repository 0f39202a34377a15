/* SPDX-License-Identifier: Apache-2.0 */
/*
 * begin, end and event: spans of a shell script.  A script must never fail because it is traced, so what cannot be
 * recorded is said, once, and the exit status is that of success; only mistakes in the script itself are not.
 */
#include "base/clock.h"
#include "cli/cli.h"
#include "collect/shell_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
#define PID_OPTION {"pid", "N", "of this process (default: the one that called; in subshells and pipelines, say $$)"}
#define EXPORT_OPTION {"export", NULL, "print a shell command that tells programs started from here what they are part of"}
/* clang-format on */

static const struct option_spec begin_options[] = {EXPORT_OPTION, PID_OPTION, {NULL, NULL, NULL}};
static const struct option_spec event_options[] = {PID_OPTION, {NULL, NULL, NULL}};

extern const struct command cmd_event;

static int whose(const struct cli *cli, pid_t *pid)
{
    const char *given = cli_option(cli, "pid");
    long n = given && strspn(given, "0123456789") == strlen(given) ? strtol(given, NULL, 10) : 0;

    if (given && (n < 1 || n > INT_MAX))
        return cli_usage(cli, "--pid needs the number of a process, such as $$");
    *pid = given ? (pid_t)n : shell_trace_caller(cli->command == &cmd_event);
    return EXIT_DONE;
}

static int arguments(const struct cli *cli, int argc, char **argv, struct sl_buf *args)
{
    sl_buf_adds(args, "");
    if (!argc || !*argv[0])
        return cli_usage(cli, "%s what? give it a name", cli->command->name);
    for (int i = 1; i < argc; i++)
        if (!shell_trace_arg(args, argv[i]))
            return cli_usage(cli, "'%s' is no KEY=VALUE%s", argv[i],
                             strchr(argv[i], '=') > argv[i] ? " that is free to be used" : "");
    return EXIT_DONE;
}

static void say(const struct sl_err *err)
{
    cli_say("%s", err->text);
}

static void print_export(const struct cli *cli, const struct shell_trace *t, uint64_t id)
{
    char text[56];

    if (!cli_option(cli, "export") || t->fd < 0)
        return;
    shell_traceparent(t, id, text);
    printf("export TRACEPARENT=%s\n", text);
}

static int run_begin(struct cli *cli, int argc, char **argv)
{
    struct shell_trace t = {0};
    struct sl_buf args = {0};
    struct sl_err err = {0};
    uint64_t id;
    pid_t pid;
    int rc = whose(cli, &pid);

    if (!rc)
        rc = arguments(cli, argc, argv, &args);
    if (!rc) {
        if (shell_trace_open(&t, pid, true, &err) || shell_trace_begin(&t, argv[0], args.s, &id, &err))
            say(&err);
        else
            print_export(cli, &t, id);
        shell_trace_close(&t);
    }
    sl_buf_free(&args);
    return rc;
}

static int run_event(struct cli *cli, int argc, char **argv)
{
    struct shell_trace t = {0};
    struct sl_buf args = {0};
    struct sl_err err = {0};
    pid_t pid;
    int rc = whose(cli, &pid);

    if (!rc)
        rc = arguments(cli, argc, argv, &args);
    if (!rc) {
        if (shell_trace_open(&t, pid, true, &err) || shell_trace_event(&t, argv[0], args.s, &err))
            say(&err);
        shell_trace_close(&t);
    }
    sl_buf_free(&args);
    return rc;
}

/* What is open is `open`, as JSON; NULL: nothing. */
static bool is_called(const char *open, const char *name)
{
    struct sl_buf b = {0};
    bool is;

    sl_buf_add_json(&b, name, strlen(name));
    is = !strcmp(b.s, open);
    sl_buf_free(&b);
    return is;
}

static void nothing_open(pid_t pid)
{
    cli_say("nothing is open in process %d that could end; say `spanloom begin` first, and --pid $$ for both "
            "in subshells",
            (int)pid);
}

/* Else `begin` has said why nothing is recorded. */
static bool could_be_written(char *path)
{
    char *slash = strrchr(path, '/');

    if (slash)
        *slash = 0;
    return access(path, W_OK | X_OK) == 0;
}

static void end_span(const struct cli *cli, struct shell_trace *t, const char *name)
{
    struct shell_span open, around;
    struct sl_err err = {0};

    if (t->fd < 0)
        return;
    shell_trace_innermost(t, false, &open);
    if (!open.name) {
        nothing_open(t->pid);
    } else if (name && !is_called(open.name, name)) {
        cli_say("%s is open in process %d, which must end before %s", open.name, (int)t->pid, name);
    } else if (shell_trace_end(t, &open, "", sl_clock_now_ns(), &err)) {
        say(&err);
    } else if (cli_option(cli, "export")) {
        shell_trace_innermost(t, false, &around);
        print_export(cli, t, around.name ? around.id : 0);
        free(around.name);
    }
    free(open.name);
}

static int run_end(struct cli *cli, int argc, char **argv)
{
    struct shell_trace t = {0};
    struct sl_err err = {0};
    pid_t pid;
    int rc = whose(cli, &pid);

    if (rc)
        return rc;
    if (argc > 1)
        return cli_usage(cli, "end takes one name; KEY=VALUE stands behind begin");
    rc = shell_trace_open(&t, pid, false, &err);
    if (rc == SL_ENOTFOUND && could_be_written(t.path))
        nothing_open(pid);
    if (rc) /* `begin` has said why nothing is recorded */
        return EXIT_DONE;
    end_span(cli, &t, argc ? argv[0] : NULL);
    shell_trace_close(&t);
    return rc;
}

const struct command cmd_begin = {
    .name = "begin",
    .args = "SPAN [KEY=VALUE...]",
    .help = "a span of this shell script begins",
    .options = begin_options,
    .run = run_begin,
};
const struct command cmd_end = {
    .name = "end",
    .args = "[SPAN]",
    .help = "the innermost span of this shell script ends",
    .options = begin_options,
    .run = run_end,
};
const struct command cmd_event = {
    .name = "event",
    .args = "EVENT [KEY=VALUE...]",
    .help = "something happened in this shell script",
    .options = event_options,
    .run = run_event,
};
