/* SPDX-License-Identifier: Apache-2.0 */
#include "plot/html.h"
#include "plot/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const sl_plot_forms[SL_PLOT_FORMS] = {"html", "svg", "png", "pdf", "json"};

static int cannot(struct sl_err *err, const char *what)
{
    return sl_err(err, SL_EIO, "cannot %s: %s", what, strerror(errno));
}

/* Files in memory: the helper reads all before it writes, and nothing waits for a pipe that is full. */
struct streams {
    int in, out, messages;
};

static int write_all(int fd, const char *s, size_t n)
{
    ssize_t got;

    for (; n; s += got, n -= (size_t)got)
        if ((got = write(fd, s, n)) < 0) {
            if (errno != EINTR)
                return -1;
            got = 0;
        }
    return 0;
}

static int copy(FILE *out, int from)
{
    char part[1 << 16];
    ssize_t n;

    if (lseek(from, 0, SEEK_SET) < 0)
        return -1;
    while ((n = read(from, part, sizeof part)) > 0)
        if (fwrite(part, 1, (size_t)n, out) != (size_t)n)
            return -1;
    return n < 0 ? -1 : 0;
}

/* What the helper said, in text: the last of it, where it is long. */
static void read_messages(int fd, char *text, size_t room)
{
    off_t size = lseek(fd, 0, SEEK_END);
    ssize_t n = pread(fd, text, room - 1, size > (off_t)room - 1 ? size - (off_t)room + 1 : 0);

    while (n > 0 && text[n - 1] == '\n')
        n--;
    text[n > 0 ? n : 0] = 0;
}

static int run(const struct streams *s, char *const *argv, int *status, struct sl_err *err)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    pid_t pid;
    int rc;

    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, s->in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, s->out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, s->messages, STDERR_FILENO);
    rc = posix_spawnp(&pid, argv[0], &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (rc)
        return sl_err(err, rc == ENOENT ? SL_ENOTFOUND : SL_EIO, "cannot run %s: %s", argv[0], strerror(rc));
    while (waitpid(pid, status, 0) < 0)
        if (errno != EINTR)
            return cannot(err, "wait for spanloom-render");
    return 0;
}

/* How the helper ended, if it was not well. */
static int judge(int status, int messages, struct sl_err *err)
{
    char text[sizeof err->text];

    read_messages(messages, text, sizeof text);
    if (WIFSIGNALED(status))
        return sl_err(err, SL_EIO,
                      "the drawing engine was ended by signal %d (%s)%s%s; .html does without it, and rows reduced in "
                      "SQL need less memory and time",
                      WTERMSIG(status), strsignal(WTERMSIG(status)), *text ? ": " : "", text);
    if (WEXITSTATUS(status))
        return sl_err(err, SL_EFORMAT, "%s", *text ? text : "the drawing engine failed and does not say why");
    if (*text)
        sl_err(err, 0, "%s", text);
    return 0;
}

int sl_plot_filter(FILE *out, char *const *argv, const char *in, size_t n, struct sl_err *err)
{
    struct streams s = {memfd_create("spec", MFD_CLOEXEC), memfd_create("picture", MFD_CLOEXEC),
                        memfd_create("messages", MFD_CLOEXEC)};
    int status = 0, rc;

    if (s.in < 0 || s.out < 0 || s.messages < 0 || write_all(s.in, in, n) || lseek(s.in, 0, SEEK_SET))
        rc = sl_err(err, SL_EIO, "cannot hand %s what to draw: %s", argv[0], strerror(errno));
    else if (!(rc = run(&s, argv, &status, err)) && !(rc = judge(status, s.messages, err)) && copy(out, s.out))
        rc = cannot(err, "write");
    for (int i = 0; i < 3; i++)
        if ((&s.in)[i] >= 0)
            close((&s.in)[i]);
    return rc;
}

/* form: as spanloom-render has it. */
static int by_helper(FILE *out, const char *spec, size_t n, const char *form, const struct sl_plot_parts *parts,
                     struct sl_err *err)
{
    char *argv[] = {(char *)(uintptr_t)parts->helper, (char *)(uintptr_t)form, (char *)(uintptr_t)parts->bundle,
                    *parts->schemas ? (char *)(uintptr_t)parts->schemas : NULL, NULL};

    return sl_plot_filter(out, argv, spec, n, err);
}

int sl_plot_render(FILE *out, const char *spec, size_t n, enum sl_plot_form form, const struct sl_plot_parts *parts,
                   struct sl_err *err)
{
    int rc;

    if (form != SL_PLOT_JSON && form != SL_PLOT_HTML)
        return by_helper(out, spec, n, sl_plot_forms[form], parts, err);
    if (form == SL_PLOT_HTML)
        rc = sl_plot_html(out, spec, n, parts->page, err);
    else
        rc = fwrite(spec, 1, n, out) != n || fputc('\n', out) == EOF ? cannot(err, "write") : 0;
    if (!rc && *parts->schemas && by_helper(out, spec, n, "check", parts, err))
        sl_err(err, 0, "%s", ""); /* it draws nothing here, and need not be able to */
    return rc;
}
