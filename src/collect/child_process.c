/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All signals of interest are blocked and taken one by one by sigwaitinfo(), so that nothing happens between two steps
 * and no handler is needed.  The command stays in our process group: Ctrl-C, Ctrl-Z and the terminal's size are told to
 * it by the kernel, as if we were not there.
 */
#include "collect/child_process.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const int forwarded[] = {SIGINT,  SIGTERM,  SIGHUP,  SIGQUIT, SIGUSR1,
                                SIGUSR2, SIGWINCH, SIGCONT, SIGTSTP, SIGALRM};
static struct sigaction pipe_before, xfsz_before, child_before;

void child_remember_signals(void)
{
    sigaction(SIGPIPE, NULL, &pipe_before);
    sigaction(SIGXFSZ, NULL, &xfsz_before);
    sigaction(SIGCHLD, NULL, &child_before);
}

/* In the new process; only what is safe after a fork. */
static void become(char *const *argv, const sigset_t *mask, int tell)
{
    int error;

    sigaction(SIGPIPE, &pipe_before, NULL);
    sigaction(SIGXFSZ, &xfsz_before, NULL);
    sigaction(SIGCHLD, &child_before, NULL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(argv[0], argv);
    error = errno;
    while (write(tell, &error, sizeof error) < 0 && errno == EINTR)
        ;
    _exit(CHILD_NOT_FOUND);
}

static void start(struct child *c, char *const *argv, const sigset_t *mask)
{
    int ends[2] = {-1, -1}, error = 0;
    ssize_t got;

    if (pipe2(ends, O_CLOEXEC) != 0 || (c->pid = fork()) < 0) {
        c->error = errno;
        c->pid = 0;
    } else if (!c->pid) {
        become(argv, mask, ends[1]);
    }
    if (ends[1] >= 0)
        close(ends[1]);
    if (c->pid) { /* the pipe closes without a word when exec worked */
        while ((got = read(ends[0], &error, sizeof error)) < 0 && errno == EINTR)
            ;
        if (got == sizeof error) {
            waitpid(c->pid, &c->status, 0);
            c->error = error;
            c->pid = 0;
        }
    }
    if (ends[0] >= 0)
        close(ends[0]);
}

/* Stopped by what a terminal does, not by kill -STOP: our shell should know.  Who is alone has nobody to wake him. */
static void stop_with(const struct child *c, int by)
{
    pid_t session = getsid(0);

    if ((by != SIGTSTP && by != SIGTTIN && by != SIGTTOU) || session == getpgrp() || getppid() == 1)
        return;
    raise(SIGSTOP);
    kill(c->pid, SIGCONT);
}

/* True: it has ended. */
static bool look_after(struct child *c)
{
    int status;

    while (waitpid(c->pid, &status, WNOHANG | WUNTRACED) == c->pid) {
        if (!WIFSTOPPED(status)) {
            c->status = status;
            c->end_ns = sl_clock_now_ns();
            return true;
        }
        stop_with(c, WSTOPSIG(status));
    }
    return false;
}

static void attend(struct child *c, const sigset_t *set)
{
    static const struct timespec now = {0, 0};

    while (!look_after(c)) {
        siginfo_t info;
        int sig = sigwaitinfo(set, &info);
        if (sig > 0 && sig != SIGCHLD && info.si_code <= 0 && info.si_pid != c->pid) /* the kernel's are > 0 */
            kill(c->pid, sig);
    }
    while (sigtimedwait(set, NULL, &now) > 0) /* what was meant for it and came too late */
        ;
}

void child_run(struct child *c, char *const *argv)
{
    struct sigaction normal = {.sa_handler = SIG_DFL};
    sigset_t set, before;

    *c = (struct child){0};
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
        sigaddset(&set, forwarded[i]);
    sigaddset(&set, SIGCHLD);
    sigaction(SIGCHLD, &normal, NULL); /* were it ignored, there would be no status */
    sigprocmask(SIG_BLOCK, &set, &before);
    start(c, argv, &before);
    if (c->pid)
        attend(c, &set);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

int child_code(const struct child *c)
{
    if (c->error)
        return c->error == ENOENT ? CHILD_NOT_FOUND : CHILD_NOT_RUN;
    return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}

int child_end_like(const struct child *c)
{
    if (!c->error && WIFSIGNALED(c->status)) {
        struct sigaction normal = {.sa_handler = SIG_DFL};
        struct rlimit none = {0, 0}; /* the core is the command's, not ours */
        int sig = WTERMSIG(c->status);
        sigset_t set;
        setrlimit(RLIMIT_CORE, &none);
        sigaction(sig, &normal, NULL);
        sigemptyset(&set);
        sigaddset(&set, sig);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
        raise(sig);
    }
    return child_code(c);
}
