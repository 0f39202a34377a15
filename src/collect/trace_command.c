/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "collect/child_process.h"
#include "collect/shell_trace.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const struct sl_err *err)
{
    fprintf(stderr, "spanloom: %s\n", err->text);
}

/* The words as one would type them, more or less: for people. */
static void add_command(struct sl_buf *b, char *const *argv)
{
    struct sl_buf words = {0};

    for (int i = 0; argv[i]; i++)
        sl_buf_addf(&words, "%s%s", i ? " " : "", argv[i]);
    sl_buf_addf(b, "\"span_pid\": %d, \"command\": ", (int)getpid());
    sl_buf_add_json(b, words.s, words.n < 1000 ? words.n : 1000);
    sl_buf_free(&words);
}

static void begin(struct shell_trace *t, const char *name, const char *args, char *const *argv, struct shell_span *span)
{
    struct sl_buf b = {0}, quoted = {0};
    struct sl_err err = {0};
    char text[56];

    add_command(&b, argv);
    sl_buf_addf(&b, "%s%s", *args ? ", " : "", args);
    if (shell_trace_begin(t, name, b.s, &span->id, &err)) {
        say(&err);
        shell_trace_close(t);
    } else if (t->fd >= 0) {
        sl_buf_add_json(&quoted, name, strlen(name));
        span->name = quoted.s;
        shell_traceparent(t, span->id, text);
        setenv("TRACEPARENT", text, 1);
        shell_trace_pause(t);
    }
    sl_buf_free(&b);
}

static void end(struct shell_trace *t, const struct shell_span *span, const struct child *c)
{
    struct sl_buf b = {0};
    struct sl_err err = {0};

    if (c->error)
        sl_buf_addf(&b, "\"exit_code\": %d, \"error\": \"%s\"", child_code(c), strerror(c->error));
    else if (WIFSIGNALED(c->status))
        sl_buf_addf(&b, "\"signal\": %d, \"exit_code\": %d", WTERMSIG(c->status), child_code(c));
    else
        sl_buf_addf(&b, "\"exit_code\": %d", child_code(c));
    if (shell_trace_resume(t, &err) || shell_trace_end(t, span, b.s, c->end_ns ? c->end_ns : sl_clock_now_ns(), &err))
        say(&err);
    sl_buf_free(&b);
}

void shell_trace_command(struct shell_trace *t, const char *name, const char *args, char *const *argv, struct child *c)
{
    struct shell_span span = {0};

    if (t->fd >= 0)
        begin(t, name, args, argv, &span);
    child_run(c, argv);
    if (c->error)
        fprintf(stderr, "spanloom: cannot run %s: %s\n", argv[0], strerror(c->error));
    if (t->fd >= 0)
        end(t, &span, c);
    shell_trace_close(t);
    free(span.name);
}
