/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What others left.  A process that ends in order makes the .pfw of those in its folder that were killed: the workers
 * that multiprocessing terminates, and the program that ran there before.  Never by a signal handler or a process of
 * its own: what the traced program does stays as it is.  It looks at little and stops early: exit is no place to work
 * in.
 */
#include "runtime/runtime.h"
#include "trace/chrome_writer.h"
#include "trace/decode.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    NAMES = 10000,   /* of a folder that are looked at */
    OTHERS = 100,    /* traces of other families that are opened */
    MOST = 16 << 20, /* bytes of them that are converted; of its own family all are */
};

uint32_t sl_leftover_pids(void)
{
    struct stat s;

    return stat("/proc/self/ns/pid", &s) ? 0 : (uint32_t)s.st_ino;
}

/* It is no more, or has died and waits to be asked how; that stays so. */
static bool is_dead(pid_t pid)
{
    siginfo_t info = {0};

    if (pid <= 0)
        return false;
    if (kill(pid, 0))
        return errno == ESRCH;
    return !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid == pid;
}

static bool is_fact(const char *facts, size_t n, const char *fact)
{
    for (const char *p = facts, *end = facts + n; p < end; p += strnlen(p, (size_t)(end - p)) + 1)
        if (!strncmp(p, fact, (size_t)(end - p)))
            return true;
    return false;
}

/* What the process said of itself is read before anything else: its pid says nothing on another machine. */
static bool is_left(int fd, bool *family)
{
    struct {
        struct sl_tf_header h;
        char facts[512]; /* the host is the first one */
    } head;
    struct stat s;
    char host[sizeof "hostname=" + 256] = "hostname=";
    ssize_t got = pread(fd, &head, sizeof head, 0);

    if (got != sizeof head || fstat(fd, &s) || !S_ISREG(s.st_mode) || s.st_uid != geteuid() ||
        head.h.magic != SL_TF_MAGIC || head.h.version != 1 || head.h.options & SL_TF_BINARY)
        return false;
    if (gethostname(host + 9, 255) || !head.h.pids || head.h.pids != sl_leftover_pids() ||
        !is_fact(head.facts, sizeof head.facts, host))
        return false;
    *family = !memcmp(head.h.trace_id, sl_rt.trace_id, sizeof head.h.trace_id);
    return is_dead((pid_t)head.h.pid);
}

/* Nothing but a file is replaced: another user's pipe of the name would keep us waiting. */
static bool may_make(const char *pfw)
{
    struct stat s;

    return lstat(pfw, &s) ? errno == ENOENT : S_ISREG(s.st_mode);
}

static void convert(int folder, const char *name, int fd)
{
    char pfw[PATH_MAX];
    int n = snprintf(pfw, sizeof pfw, "%s/%.*s.pfw", sl_rt.options.dir, (int)strlen(name) - 4, name);
    const char *why;
    struct sl_decoded *d = n < (int)sizeof pfw && may_make(pfw) ? sl_decode_fd(fd, &why) : NULL;

    if (d && !sl_chrome_write_file(d, pfw, sl_decode_process(d)->options))
        unlinkat(folder, name, 0);
    sl_decode_free(d);
}

/* others and most: what is left to do for other families. */
static void look_at(int folder, const char *name, int *others, off_t *most)
{
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool family = false, left = fd >= 0 && is_left(fd, &family);
    off_t size = left && !family ? lseek(fd, 0, SEEK_END) : 0;

    *others -= !family;
    if (left && size <= *most) {
        *most -= size;
        convert(folder, name, fd);
    }
    if (fd >= 0)
        close(fd);
}

void sl_leftover_end(void)
{
    DIR *folder = opendir(sl_rt.options.dir);
    int others = OTHERS;
    off_t most = MOST;

    for (int i = 0; folder && i < NAMES && others; i++) {
        const struct dirent *e = readdir(folder);
        size_t n = e ? strlen(e->d_name) : 0;
        if (!e)
            break;
        if (n > 4 && !strncmp(e->d_name, "perfflow.", 9) && !strcmp(e->d_name + n - 4, ".slt"))
            look_at(dirfd(folder), e->d_name, &others, &most);
    }
    if (folder)
        closedir(folder);
}
