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
#include <sys/prctl.h>
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

/* True: it has ended.  All that have ended with it are looked after. */
static bool look_after(struct child *c, const struct child_watch *w)
{
    bool ended = false;
    siginfo_t info;

    while ((info.si_pid = 0,
            waitid(w ? P_ALL : P_PID, (id_t)c->pid, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0) &&
           info.si_pid) {
        pid_t pid = info.si_pid;
        struct rusage usage;
        int status;
        if (info.si_code == CLD_STOPPED) {
            waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG);
            if (pid == c->pid)
                stop_with(c, info.si_status);
            continue;
        }
        if (w)
            w->ending(w->arg, pid);
        if (wait4(pid, &status, 0, &usage) != pid)
            continue;
        if (w)
            w->ended(w->arg, pid, &usage);
        if (pid != c->pid)
            continue;
        c->status = status;
        c->end_ns = sl_clock_now_ns();
        ended = true;
        if (!w)
            break; /* there may be another process of that number by now */
    }
    return ended;
}

static int next_signal(const sigset_t *set, siginfo_t *info, int64_t until_ns)
{
    int64_t left = until_ns - sl_clock_mono_ns();
    struct timespec t = {0, 0};

    if (!until_ns)
        return sigwaitinfo(set, info);
    if (left > 0)
        t = (struct timespec){left / 1000000000, left % 1000000000};
    return sigtimedwait(set, info, &t);
}

static void attend(struct child *c, const sigset_t *set, const struct child_watch *w)
{
    static const struct timespec now = {0, 0};
    int64_t until_ns = w ? w->due(w->arg, c) : 0;

    while (!look_after(c, w)) {
        siginfo_t info;
        int sig = next_signal(set, &info, until_ns);
        if (sig > 0 && sig != SIGCHLD && info.si_code <= 0 && info.si_pid != c->pid) /* the kernel's are > 0 */
            kill(c->pid, sig);
        if (w && sl_clock_mono_ns() >= until_ns)
            until_ns = w->due(w->arg, c);
    }
    while (sigtimedwait(set, NULL, &now) > 0) /* what was meant for it and came too late */
        ;
}

void child_run(struct child *c, char *const *argv)
{
    child_run_watched(c, argv, NULL);
}

void child_run_watched(struct child *c, char *const *argv, const struct child_watch *watch)
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
    if (watch)
        prctl(PR_SET_CHILD_SUBREAPER, 1);
    start(c, argv, &before);
    if (c->pid)
        attend(c, &set, watch);
    if (watch)
        prctl(PR_SET_CHILD_SUBREAPER, 0);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

int child_signal(const struct child *c)
{
    return !c->error && WIFSIGNALED(c->status) ? WTERMSIG(c->status) : 0;
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
