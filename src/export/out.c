/* SPDX-License-Identifier: Apache-2.0 */
#include "export/out.h"
#include "base/files/temporary.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 1 << 18 };

static int cannot_write(const char *path, int error, struct sl_err *err)
{
    return sl_err(err, SL_EIO, "%s: cannot be written: %s", strcmp(path, "-") != 0 ? path : "the standard output",
                  strerror(error));
}

/* ---- files; what has a name before it is whole is watched ---- */

/* Streams forget why they failed. */
static ssize_t put(void *to, const char *s, size_t n)
{
    struct sl_out *o = to;
    size_t done = 0;

    while (done < n && !o->error) {
        ssize_t got = write(o->fd, s + done, n - done);
        if (got > 0)
            done += (size_t)got;
        else if (got < 0 && errno != EINTR)
            o->error = errno;
    }
    return (ssize_t)done;
}

/* 0, or an errno. */
static int stream(struct sl_out *o)
{
    if (!(o->f = fopencookie(o, "w", (cookie_io_functions_t){.write = put})))
        return errno;
    o->buffer = sl_alloc(BUFFER);
    setvbuf(o->f, o->buffer, _IOFBF, BUFFER);
    return 0;
}

static int whole_open(struct sl_out *o, const char *path)
{
    struct sl_whole_file *w = o->whole = sl_alloc(sizeof *w);
    sigset_t was;
    int error;

    sl_temporary_hold(&was);
    error = sl_whole_open(w, path);
    if (*w->name)
        sl_temporary_watch(w->name);
    sl_temporary_release(&was);
    o->fd = w->fd;
    return error ? error : stream(o);
}

static int whole_publish(struct sl_whole_file *w, const char *as)
{
    char name[SL_WHOLE_NAME];
    sigset_t was;
    int error;

    strcpy(name, w->name);
    sl_temporary_hold(&was);
    error = sl_whole_publish(w, as);
    if (*name)
        sl_temporary_forget(name);
    sl_temporary_release(&was);
    return error;
}

static void whole_free(struct sl_whole_file *w)
{
    if (*w->name)
        sl_temporary_gone(w->name);
    *w->name = 0;
    sl_whole_close(w);
    free(w);
}

int sl_out_open(struct sl_out *o, const char *path, struct sl_err *err)
{
    struct stat there;
    int error;

    *o = (struct sl_out){.path = path, .fd = STDOUT_FILENO};
    if (!strcmp(path, "-")) {
        fflush(stdout);
        error = stream(o);
    } else if (stat(path, &there) || S_ISREG(there.st_mode)) {
        if ((error = whole_open(o, path)))
            whole_free(o->whole);
    } else { /* not to be replaced */
        o->fd = open(path, O_WRONLY | O_CLOEXEC);
        error = o->fd < 0 ? errno : stream(o);
    }
    return error ? cannot_write(path, error, err) : 0;
}

void sl_out_write(struct sl_out *o, const void *s, size_t n)
{
    o->written += n;
    if (!o->error && n && fwrite(s, 1, n, o->f) != n)
        o->error = errno ? errno : EIO;
}

void sl_out_buf(struct sl_out *o, struct sl_buf *b)
{
    sl_out_write(o, b->s, b->n);
    sl_buf_clear(b);
}

bool sl_out_failed(const struct sl_out *o)
{
    return o->error != 0;
}

int sl_out_close(struct sl_out *o, int rc, struct sl_err *err)
{
    if (fclose(o->f) && !o->error)
        o->error = errno ? errno : EIO;
    free(o->buffer);
    if (!o->whole && o->fd != STDOUT_FILENO && close(o->fd) && !o->error)
        o->error = errno;
    if (o->whole && !o->in_folder) {
        if (!rc && !o->error)
            o->error = whole_publish(o->whole, NULL);
        whole_free(o->whole);
    }
    if (!o->error)
        return rc;
    return o->error == EPIPE ? 0 : cannot_write(o->path, o->error, err); /* whatever came of it */
}

int sl_out_save(const char *path, int (*put)(FILE *out, const void *what, struct sl_err *err), const void *what,
                struct sl_err *err)
{
    struct sl_out o;
    int rc = sl_out_open(&o, path, err);

    return rc ? rc : sl_out_close(&o, put(o.f, what, err), err);
}

/* ---- folders ---- */

/* The caller frees it. */
static char *joined(const char *folder, const char *between, const char *name)
{
    struct sl_buf b = {0};

    sl_buf_addf(&b, "%s%s%s", folder, between, name);
    return b.s;
}

int sl_folder_open(struct sl_folder *f, const char *path, struct sl_err *err)
{
    size_t n = strlen(path);
    struct stat there;

    *f = (struct sl_folder){.path = sl_strdup(path), .there = !stat(path, &there)};
    while (n > 1 && f->path[n - 1] == '/')
        f->path[--n] = 0;
    return !f->there || S_ISDIR(there.st_mode) ? 0
                                               : sl_err(err, SL_EIO, "%s: cannot be made: %s", path, strerror(ENOTDIR));
}

int sl_folder_file(struct sl_folder *f, const char *name, struct sl_out *o, struct sl_err *err)
{
    char *path = joined(f->path, f->there ? "/" : ".", name); /* a folder to be comes last of all */
    int error;

    *o = (struct sl_out){.path = f->final[f->n] = joined(f->path, "/", name), .in_folder = true};
    error = whole_open(o, path);
    free(path);
    f->file[f->n] = o->whole;
    f->name[f->n++] = name;
    if (error && !f->there)
        return sl_err(err, SL_EIO, "%s: cannot be made: %s", f->path, strerror(error));
    return error ? cannot_write(o->path, error, err) : 0;
}

/* folder/name, without asking for memory: of what failed then, files would stay. */
static const char *within(char path[PATH_MAX], const char *folder, const char *name)
{
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return path;
}

/* All of its files into a folder that is there. */
static int publish(struct sl_folder *f, const char *folder, struct sl_err *err)
{
    char path[PATH_MAX];
    struct stat there;
    int rc = 0, error;

    for (size_t i = 0; i < f->n && !rc && f->there; i++)
        if (!stat(f->final[i], &there) && S_ISDIR(there.st_mode)) /* what could not be replaced, before any is */
            rc = cannot_write(f->final[i], EISDIR, err);
    for (size_t i = 0; i < f->n && !rc; i++)
        if ((error = whole_publish(f->file[i], within(path, folder, f->name[i]))))
            rc = cannot_write(f->final[i], error, err);
    return rc;
}

static void take_away(const struct sl_folder *f, const char *folder)
{
    char path[PATH_MAX];

    for (size_t i = 0; i < f->n; i++)
        unlink(within(path, folder, f->name[i]));
    rmdir(folder);
}

/* A new folder, locked; one that a dead process left there is taken away.  Its descriptor; negative: errno says why. */
static int make_locked(const struct sl_folder *f, const char *path)
{
    int fd = -1;

    for (int i = 0; i < 2 && fd < 0; i++) {
        bool made = !mkdir(path, 0777);
        if (!made && errno != EEXIST)
            return -1;
        if ((fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)) < 0) {
            int error = errno;
            if (made)
                rmdir(path);
            errno = error;
            return -1;
        }
        if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
            close(fd);
            errno = EBUSY;
            return -1;
        }
        if (!made) {
            take_away(f, path);
            close(fd);
            fd = -1;
        }
    }
    return fd;
}

/* Made beside its name, and then called so. */
static int make(struct sl_folder *f, struct sl_err *err)
{
    char *beside = joined(f->path, ".", "spanloom-new");
    int fd = make_locked(f, beside), rc;

    if (fd < 0)
        rc = sl_err(err, SL_EIO, "%s: cannot be made: %s", f->path, strerror(errno));
    else if (!(rc = publish(f, beside, err)) && rename(beside, f->path))
        rc = sl_err(err, SL_EIO, "%s: cannot be made: %s", f->path, strerror(errno));
    if (rc && fd >= 0)
        take_away(f, beside);
    if (fd >= 0)
        close(fd);
    free(beside);
    return rc;
}

int sl_folder_close(struct sl_folder *f, int rc, struct sl_err *err)
{
    sigset_t was;

    sl_temporary_hold(&was); /* all files, or none */
    if (!rc)
        rc = f->there ? publish(f, f->path, err) : make(f, err);
    for (size_t i = 0; i < f->n; i++) {
        whole_free(f->file[i]);
        free(f->final[i]);
    }
    sl_temporary_release(&was);
    free(f->path);
    return rc;
}
