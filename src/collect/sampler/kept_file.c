/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/sampler/sampler_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    FIRST = 8192,
    LARGEST = 16 << 20, /* no file that we read is as large: it is not what it should be */
    LINE = 1024         /* of a file that comes in parts, no line is longer */
};

static __thread struct {
    uint64_t n;
    char why[200];
} failures;

bool read_failed(const char *folder, const char *path)
{
    if (errno != EIO && errno != ENOMEM && errno != EMFILE && errno != ENFILE)
        return false;
    failures.n++;
    snprintf(failures.why, sizeof failures.why, "%s%s%s: %s", folder, *folder && *path ? "/" : "", path,
             strerror(errno));
    return true;
}

void *read_realloc(void *p, size_t n)
{
    void *q = realloc(p, n);

    if (!q)
        read_failed("", "a reading");
    return q;
}

uint64_t sl_read_failures(const char **why)
{
    *why = failures.why;
    return failures.n;
}

static bool grow(struct text *t)
{
    size_t cap = t->cap ? t->cap * 2 : FIRST;
    char *s = cap <= LARGEST ? realloc(t->s, cap) : (errno = EFBIG, NULL);

    if (!s)
        return false;
    t->s = s;
    t->cap = cap;
    return true;
}

/*
 * The kernel hands out files of one record at once, and of others as many lines as fit into a page.  So what ends well
 * before the page has ended is all of it, and asking for more, which is a third of the cost, is not needed.
 */
static bool read_all(struct text *t, int fd, bool to_its_end)
{
    t->n = 0;
    for (;;) {
        ssize_t got;
        size_t room;
        if (t->cap - t->n < 2 && !grow(t))
            return false;
        room = t->cap - t->n - 1;
        if ((got = pread(fd, t->s + t->n, room, (off_t)t->n)) < 0)
            return false;
        t->n += (size_t)got;
        if (!got || (!to_its_end && (size_t)got < room && t->n < 4096 - LINE))
            break;
    }
    t->s[t->n] = 0;
    return true;
}

bool text_read_fd(struct text *t, int fd)
{
    return read_all(t, fd, false);
}

bool text_read(struct text *t, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && read_all(t, fd, true); /* lines of mountinfo may be as long as a page */

    if (!ok)
        read_failed("", path);
    if (fd >= 0)
        close(fd);
    return ok;
}

bool kept_file_init(struct kept_file *f, const char *root, const char *relative)
{
    *f = (struct kept_file){.fd = -1};
    return asprintf(&f->path, "%s/%s", root, relative) >= 0 || (f->path = NULL, false);
}

/* What was open and cannot be read any more (a group that was made anew, lxcfs that was) is opened once more. */
bool kept_file_read(struct kept_file *f, struct text *t)
{
    if (!f->path)
        return false;
    if (f->fd >= 0 && text_read_fd(t, f->fd))
        return f->is_there = true;
    if (f->fd >= 0)
        close(f->fd);
    f->fd = open(f->path, O_RDONLY | O_CLOEXEC);
    f->is_there = f->fd >= 0 && text_read_fd(t, f->fd);
    if (!f->is_there)
        read_failed("", f->path);
    return f->is_there;
}

void kept_file_free(struct kept_file *f)
{
    if (f->path && f->fd >= 0)
        close(f->fd);
    free(f->path);
    *f = (struct kept_file){.fd = -1};
}

double scan_decimal(struct scan *s)
{
    uint64_t whole, part;
    double value, unit = 1;
    const char *start;

    if (!scan_uint(s, &whole))
        return NAN;
    value = (double)whole;
    if (s->at < s->end && *s->at == '.') {
        s->at++;
        start = s->at;
        if (s->at < s->end && *s->at >= '0' && *s->at <= '9' && scan_uint(s, &part)) {
            for (const char *c = start; c < s->at; c++)
                unit *= 10;
            value += (double)part / unit;
        }
    }
    return value;
}
