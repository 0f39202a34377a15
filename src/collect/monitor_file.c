/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/monitor_file.h"
#include "base/files/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES = 1000, PART = 65536, RETRY = 16 };

static bool is_output(const struct monitor_file *f)
{
    return !strcmp(f->path, "-");
}

/* ---- opening: never a file that is there, which may be that of another node ---- */

static int open_new(const char *path)
{
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* A container begins to count processes anew each time, so that names come again. */
static int open_own(struct monitor_file *f, const char *dir, const char *host, pid_t pid, struct sl_err *err)
{
    size_t n = strlen(dir);
    char name[256];

    snprintf(name, sizeof name, "%s", host);
    for (char *c = name; *c; c++)
        *c = *c == '/' ? '_' : *c; /* the kernel takes any name for a host */
    for (int i = 1; i < NAMES; i++) {
        char again[16] = "";
        if (i > 1)
            snprintf(again, sizeof again, "-%d", i);
        if (snprintf(f->path, sizeof f->path, "%s%sspanloom-monitor.%s.%d%s.jsonl", dir,
                     n && dir[n - 1] != '/' ? "/" : "", name, (int)pid, again) >= (int)sizeof f->path)
            return sl_err(err, SL_EUSAGE, "%s: too long a path", dir);
        if ((f->fd = open_new(f->path)) >= 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    return sl_err(err, SL_EIO, "%s: %s; name another folder by --output", f->path, strerror(errno));
}

int monitor_file_open(struct monitor_file *f, const char *output, const char *host, pid_t pid, struct sl_err *err)
{
    struct stat s;

    *f = (struct monitor_file){.fd = -1};
    if (!output || !*output)
        return open_own(f, "", host, pid, err);
    if (!strcmp(output, "-")) {
        strcpy(f->path, "-");
        f->fd = STDOUT_FILENO;
        return 0;
    }
    if (output[strlen(output) - 1] == '/' && mkdir(output, 0777) != 0 && errno != EEXIST)
        return sl_err(err, SL_EIO, "%s: %s", output, strerror(errno));
    if (stat(output, &s) == 0 && S_ISDIR(s.st_mode))
        return open_own(f, output, host, pid, err);
    if (snprintf(f->path, sizeof f->path, "%s", output) >= (int)sizeof f->path)
        return sl_err(err, SL_EUSAGE, "%s: too long a path", output);
    if ((f->fd = open_new(output)) >= 0)
        return 0;
    if (errno == EEXIST)
        return sl_err(err, SL_EUSAGE,
                      "%s is there already, and may be another monitor's; remove it, or name a folder, in which each "
                      "monitor has a file of its own: --output DIRECTORY",
                      output);
    return sl_err(err, SL_EIO, "%s: %s", output, strerror(errno));
}

/* ---- writing ---- */

/* All of it, or an errno.  at: where; negative: behind what was written last. */
static int put(int fd, const char *s, size_t n, int64_t at)
{
    while (n) {
        ssize_t put = at < 0 ? write(fd, s, n) : pwrite(fd, s, n, at);
        if (put < 0 && errno != EINTR)
            return errno;
        if (!put)
            return ENOSPC;
        if (put > 0) {
            s += put;
            n -= (size_t)put;
            at += at < 0 ? 0 : put;
        }
    }
    return 0;
}

/* What was written of it is taken back, so that the next line begins where a line begins. */
static int append(struct monitor_file *f, const char *s, size_t n)
{
    int error = put(f->fd, s, n, is_output(f) ? -1 : f->end);

    if (!error)
        f->end += (int64_t)n;
    else if (is_output(f))
        f->closed = true;
    else if (ftruncate(f->fd, f->end) != 0)
        error = errno; /* a line that is cut off is known to readers */
    return error;
}

static const char *name_of(const struct monitor_file *f)
{
    return is_output(f) ? "standard output" : f->path;
}

int monitor_file_header(struct monitor_file *f, const struct sl_buf *line, struct sl_err *err)
{
    int error = append(f, line->s, line->n);

    if (error && error != EPIPE) /* who reads it has gone: it is over, and that is no error */
        return sl_err(err, SL_EIO, "%s: %s", name_of(f), strerror(error));
    f->header = f->end;
    return 0;
}

/* ---- halving ---- */

static int copy(int from, int64_t at, int64_t n, int to, int64_t *end)
{
    static char room[PART];

    while (n > 0) {
        ssize_t got = pread(from, room, (size_t)(n < PART ? n : PART), at);
        int error;
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : EIO; /* somebody has cut it */
        if ((error = put(to, room, (size_t)got, *end)))
            return error;
        at += got;
        n -= got;
        *end += got;
    }
    return 0;
}

static int write_kept(struct monitor_file *f, int to, int64_t *end)
{
    int error = copy(f->fd, 0, f->header, to, end);

    for (size_t i = 0; !error && i < f->moments.n; i++)
        if (!f->moments.v[i].dropped)
            error = copy(f->fd, f->moments.v[i].at, f->moments.v[i].n, to, end);
    return error;
}

/* The file without what was dropped; it has both until then. */
static bool write_anew(struct monitor_file *f)
{
    struct sl_whole_file w;
    int64_t end = 0;
    size_t n = 0;
    int error = sl_whole_open(&w, f->path);

    error = error ? error : write_kept(f, w.fd, &end);
    if (error || (error = sl_whole_publish(&w, NULL))) {
        snprintf(f->lost_why, sizeof f->lost_why, "%s", strerror(error));
        sl_whole_close(&w);
        return false;
    }
    close(f->fd);
    f->fd = w.fd;
    f->end = f->header;
    for (size_t i = 0; i < f->moments.n; i++) {
        struct moment m = f->moments.v[i];
        if (m.dropped)
            continue;
        f->moments.v[n++] = (struct moment){f->end, m.n, false};
        f->end += m.n;
    }
    f->moments.n = n;
    f->has_dropped = false;
    return true;
}

void monitor_file_halve(struct monitor_file *f)
{
    bool drop = false;

    for (size_t i = 0; i < f->moments.n; i++)
        if (!f->moments.v[i].dropped) {
            f->moments.v[i].dropped = drop;
            drop = !drop;
        }
    f->has_dropped = true;
    write_anew(f);
}

bool monitor_file_add(struct monitor_file *f, const struct sl_buf *lines)
{
    struct moment *m;
    int64_t at;
    int error;

    if (f->has_dropped && f->moments.n % RETRY == 0)
        write_anew(f);
    at = f->end;
    error = f->closed ? EPIPE : append(f, lines->s, lines->n);
    if (error == EPIPE)
        return false;
    if (error) {
        f->lost++;
        snprintf(f->lost_why, sizeof f->lost_why, "%s", strerror(error));
    }
    if (!f->stream) {
        m = sl_vec_add(&f->moments);
        *m = (struct moment){at, f->end - at, false};
    }
    return !error;
}

int monitor_file_close(struct monitor_file *f, struct sl_err *err)
{
    int rc = 0;

    if (f->lost)
        rc =
            sl_err(err, SL_EIO, "%s: %llu sample%s could not be written%s: %s", name_of(f), (unsigned long long)f->lost,
                   f->lost == 1 ? "" : "s", f->ended ? "" : ", nor how it ended", f->lost_why);
    else if (f->has_dropped)
        rc = sl_err(err, SL_EIO, "%s: more samples are kept than --max-length says: %s", name_of(f), f->lost_why);
    if (f->fd >= 0 && !is_output(f) && close(f->fd) != 0 && !rc)
        rc = sl_err(err, SL_EIO, "%s: %s", f->path, strerror(errno));
    f->fd = -1;
    sl_vec_free(&f->moments);
    return rc;
}

void monitor_file_discard(struct monitor_file *f)
{
    if (f->fd >= 0 && !is_output(f))
        unlink(f->path);
    monitor_file_close(f, NULL);
}
