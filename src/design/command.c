/* SPDX-License-Identifier: Apache-2.0 */
#include "design/command.h"
#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GRACE_S = 2, PATIENCE_MS = 500 };

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static sigset_t before, held;
static struct sigaction child_before, pipe_before;
static int taken;        /* a signal that was seen */
static bool put_off;     /* it is not acted on */
static pid_t others[32]; /* children that this process had before, as of a shell whose place it took */
static int nothers;

static bool is_other(pid_t pid)
{
    for (int i = 0; i < nothers; i++)
        if (others[i] == pid)
            return true;
    return false;
}

/* A child of ours that has not ended, and is none of the others; 0: there is none. */
static pid_t some_child(void)
{
    siginfo_t info = {0};
    char path[64], line[512], *paren;
    struct dirent *e;
    pid_t found = 0;
    DIR *d;

    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) && errno == ECHILD)
        return 0;
    for (d = opendir("/proc"); d && !found && (e = readdir(d));) {
        FILE *f;
        int parent = 0;
        char state = 0;
        if (e->d_name[0] < '1' || e->d_name[0] > '9')
            continue;
        snprintf(path, sizeof path, "/proc/%.20s/stat", e->d_name);
        if (!(f = fopen(path, "re")))
            continue;
        if (fgets(line, sizeof line, f) && (paren = strrchr(line, ')')) &&
            sscanf(paren + 1, " %c %d", &state, &parent) == 2 && parent == getpid() && state != 'Z' &&
            !is_other((pid_t)atoi(e->d_name)))
            found = (pid_t)atoi(e->d_name);
        fclose(f);
    }
    if (d)
        closedir(d);
    return found;
}

void sl_command_hold(void)
{
    struct sigaction normal = {.sa_handler = SIG_DFL};
    pid_t child;

    sigemptyset(&held);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        sigaddset(&held, ending[i]);
    sigaddset(&held, SIGCHLD);
    sigaction(SIGCHLD, &normal, &child_before);
    sigaction(SIGPIPE, NULL, &pipe_before);
    sigprocmask(SIG_BLOCK, &held, &before);
    nothers = 0;
    while (nothers < (int)(sizeof others / sizeof *others) && (child = some_child()))
        others[nothers++] = child;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    taken = 0;
}

void sl_command_release(void)
{
    static const struct timespec now = {0, 0};

    while (taken && sigtimedwait(&held, NULL, &now) > 0)
        ; /* who was told twice was told */
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    sigaction(SIGCHLD, &child_before, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

int sl_command_interrupted(void)
{
    static const struct timespec now = {0, 0};
    int sig;

    while (!taken && (sig = sigtimedwait(&held, NULL, &now)) > 0)
        taken = sig == SIGCHLD ? 0 : sig;
    return put_off ? 0 : taken;
}

void sl_command_put_off(bool off)
{
    put_off = off;
}

/* In the new process; only what is safe after a fork. */
static void become(const struct sl_command *c, const int go[2], int tell)
{
    struct sigaction normal = {.sa_handler = SIG_DFL};
    int error = 0, null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    char byte;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    close(go[1]);
    while (read(go[0], &byte, 1) < 0 && errno == EINTR)
        ;
    if (null < 0 || dup2(null, 0) < 0 || dup2(c->output, 1) < 0 || dup2(c->output, 2) < 0 || chdir(c->folder))
        error = errno;
    sigaction(SIGCHLD, &normal, NULL);
    sigaction(SIGPIPE, &normal, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (error) {
        error = -error; /* it is not the command's */
    } else {
        execvpe(c->argv[0], c->argv, c->environment);
        error = errno;
    }
    while (write(tell, &error, sizeof error) < 0 && errno == EINTR)
        ;
    _exit(127);
}

/* The process waits at a pipe until we know of it; another pipe closes without a word when exec worked. */
static pid_t start(struct sl_command *c, int64_t *began)
{
    int go[2] = {-1, -1}, told[2] = {-1, -1}, error = 0;
    pid_t pid = -1;
    ssize_t got = 0;

    if (pipe2(go, O_CLOEXEC) || pipe2(told, O_CLOEXEC) || (pid = fork()) < 0)
        c->unable = (c->error = errno) != 0;
    else if (!pid)
        become(c, go, told[1]);
    if (told[1] >= 0)
        close(told[1]);
    if (pid > 0) {
        setpgid(pid, pid);
        if (c->began)
            c->began(c->to, pid);
        c->began_ns = sl_clock_now_ns();
        *began = sl_clock_mono_ns();
        close(go[1]);
        go[1] = -1;
        while ((got = read(told[0], &error, sizeof error)) < 0 && errno == EINTR)
            ;
        c->error = got == sizeof error ? abs(error) : 0;
        c->unable = error < 0;
    }
    for (int i = 0; i < 2; i++)
        if (go[i] >= 0)
            close(go[i]);
    if (told[0] >= 0)
        close(told[0]);
    return pid;
}

static void add_usage(struct sl_command *c, const struct rusage *u)
{
    c->cpu_s +=
        (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) + (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1e-6;
    if ((double)u->ru_maxrss / 1024 > c->max_rss_mb)
        c->max_rss_mb = (double)u->ru_maxrss / 1024;
}

/* Waits for all that have ended; true: the command was among them. */
static bool reap(struct sl_command *c, pid_t pid)
{
    struct rusage usage;
    int status;
    bool over = false;
    pid_t who;

    while ((who = wait4(-1, &status, WNOHANG, &usage)) > 0) {
        add_usage(c, &usage);
        if (who == pid) {
            c->status = status;
            over = true;
        }
    }
    return over;
}

/* Who is still there is an orphan, and our child now, as those will be whose parents we kill.  What is about to end
 * gets a moment to do so. */
static void clear(struct sl_command *c, pid_t pid)
{
    int64_t end = sl_clock_mono_ns() + PATIENCE_MS * INT64_C(1000000);
    pid_t child;

    reap(c, pid);
    while ((child = some_child())) {
        struct timespec t = {0, 20000000};
        struct rusage usage;
        int status;
        if (sl_clock_mono_ns() < end) {
            nanosleep(&t, NULL);
        } else {
            kill(child, SIGKILL);
            if (wait4(child, &status, 0, &usage) == child) {
                add_usage(c, &usage);
                c->left++;
            }
        }
        reap(c, pid);
    }
}

static void attend(struct sl_command *c, pid_t pid)
{
    int64_t end = c->timeout_s < 1e9 ? sl_clock_mono_ns() + (int64_t)(c->timeout_s * 1e9) : INT64_MAX;
    int told = 0; /* to end: by TERM, then by KILL */

    while (!reap(c, pid)) {
        int64_t left = end - sl_clock_mono_ns();
        struct timespec t = {left / 1000000000, left % 1000000000};
        int sig = left > 0 ? sigtimedwait(&held, NULL, &t) : 0;
        if (sig > 0 && sig != SIGCHLD) {
            taken = sig;
            if (put_off)
                continue;
            c->signal = sig;
        } else if (sl_clock_mono_ns() >= end) {
            c->timed_out |= !told;
        } else {
            continue;
        }
        kill(-pid, told ? SIGKILL : SIGTERM);
        kill(-pid, SIGCONT);
        end = told++ ? INT64_MAX : sl_clock_mono_ns() + GRACE_S * INT64_C(1000000000);
    }
}

void sl_command_run(struct sl_command *c)
{
    int64_t began = 0;
    pid_t pid = start(c, &began);

    if (pid > 0) {
        attend(c, pid);
        c->wall_s = (double)(sl_clock_mono_ns() - began) * 1e-9;
        c->ended_ns = sl_clock_now_ns();
        clear(c, pid);
    }
}

int sl_command_output(struct sl_buf *b, int fd, off_t most)
{
    off_t size = lseek(fd, 0, SEEK_END), at = size > most ? size - most : 0;
    char chunk[16384];
    ssize_t n;

    while ((n = pread(fd, chunk, sizeof chunk, at)) > 0) {
        sl_buf_add(b, chunk, (size_t)n);
        at += n;
    }
    sl_buf_add(b, "", 0);
    return n < 0 ? errno : 0;
}
