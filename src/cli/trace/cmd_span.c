/* SPDX-License-Identifier: Apache-2.0 */
/*
 * span: a command as a span of the shell script that runs it.
 *
 * Spans of a process nest, but a script may run several commands at once, in pipelines or behind &.  Only what the
 * script waits for is put into its own trace.  What runs beside is a process of its own, which lies in the span that
 * was open then.
 */
#include "cli/cli.h"
#include "collect/child_process.h"
#include "collect/shell_trace.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a shell without job control runs behind & ignores ^C (POSIX, 2.11); with job control, it is not in front. */
static bool in_background(void)
{
    struct sigaction interrupt;

    return (sigaction(SIGINT, NULL, &interrupt) == 0 && interrupt.sa_handler == SIG_IGN) ||
           (isatty(2) && tcgetpgrp(2) != getpgrp());
}

static void open_trace(struct shell_trace *t)
{
    struct shell_span waits = {0}, around = {0};
    struct sl_err err = {0};
    int rc = shell_trace_open(t, shell_trace_caller(false), true, &err);

    if (!rc && t->fd >= 0) {
        shell_trace_innermost(t, true, &waits);
        if (waits.command || in_background()) {
            shell_trace_innermost(t, false, &around);
            shell_trace_close(t);
            t->parent_id = around.name ? around.id : t->span_id;
            rc = shell_trace_open(t, getpid(), true, &err);
        }
    }
    if (rc)
        cli_say("%s", err.text);
    free(waits.name);
    free(around.name);
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct shell_trace t = {.fd = -1};
    struct sl_buf args = {0};
    struct child c;
    int at = 1;

    sl_buf_adds(&args, "");
    for (; at < argc && strcmp(argv[at], "--") != 0; at++)
        if (!shell_trace_arg(&args, argv[at])) {
            sl_buf_free(&args);
            return cli_usage(cli, "'%s' is no KEY=VALUE; the command stands behind --", argv[at]);
        }
    if (!argc || !*argv[0] || at + 1 >= argc) {
        sl_buf_free(&args);
        return cli_usage(cli, "span needs a name and a command: spanloom span NAME -- COMMAND");
    }
    open_trace(&t);
    shell_trace_command(&t, argv[0], args.s, argv + at + 1, &c);
    sl_buf_free(&args);
    return child_end_like(&c);
}

const struct command cmd_span = {
    .name = "span",
    .args = "SPAN [KEY=VALUE...] -- COMMAND [ARGUMENT...]",
    .help = "a command as a span of this shell script",
    .options = NULL,
    .run = run,
};
