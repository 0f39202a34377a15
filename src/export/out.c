/* SPDX-License-Identifier: Apache-2.0 */
#include "export/out.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a signal that stops the program leaves behind would be temporary files, and their folder: they go first. */
static const char *volatile unfinished[SL_FOLDER_FILES], *volatile unfinished_folder;
static const int stops[] = {SIGINT, SIGTERM, SIGHUP};

static void stop(int signal)
{
    for (size_t i = 0; i < SL_FOLDER_FILES; i++)
        if (unfinished[i])
            unlink(unfinished[i]);
    if (unfinished_folder)
        rmdir(unfinished_folder);
    raise(signal); /* SA_RESETHAND: as it would have been */
}

static void watch(void)
{
    struct sigaction act = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND}, was;

    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        if (!sigaction(stops[i], NULL, &was) && was.sa_handler == SIG_DFL) /* nohup's SIGHUP stays ignored */
            sigaction(stops[i], &act, NULL);
}

static void forget(void)
{
    for (size_t i = 0; i < SL_FOLDER_FILES; i++)
        unfinished[i] = NULL;
    unfinished_folder = NULL;
}

int sl_out_open(struct sl_out *o, const char *path, struct sl_err *err)
{
    struct stat there;
    char pid[32];
    int fd;

    *o = (struct sl_out){.path = path};
    if (!strcmp(path, "-")) {
        o->f = stdout;
        return 0;
    }
    if (!stat(path, &there) && !S_ISREG(there.st_mode)) { /* not to be replaced */
        o->f = S_ISDIR(there.st_mode) ? NULL : fopen(path, "we");
        return o->f ? 0
                    : sl_err(err, SL_EIO, "%s: cannot be written: %s", path,
                             strerror(S_ISDIR(there.st_mode) ? EISDIR : errno));
    }
    if (!(o->temporary = realpath(path, NULL))) /* a link stays one */
        o->temporary = sl_strdup(path);
    snprintf(pid, sizeof pid, ".%d.new", (int)getpid());
    o->temporary = sl_realloc(o->temporary, strlen(o->temporary) + sizeof pid);
    strcat(o->temporary, pid);
    unlink(o->temporary);
    fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0 || !(o->f = fdopen(fd, "w"))) {
        int error = errno;
        free(o->temporary);
        return sl_err(err, SL_EIO, "%s: cannot be written: %s", path, strerror(error));
    }
    unfinished[0] = o->temporary;
    watch();
    setvbuf(o->f, NULL, _IOFBF, 1 << 18);
    return 0;
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
    char *name = o->temporary ? sl_strndup(o->temporary, (size_t)(strrchr(o->temporary, '.') - o->temporary)) : NULL;

    if (o->f && (o->f == stdout ? fflush(o->f) : fclose(o->f)) && !o->error)
        o->error = errno;
    if (name)
        *strrchr(name, '.') = 0; /* .PID.new */
    if (o->temporary && !rc && !o->error && rename(o->temporary, name))
        o->error = errno;
    if (o->temporary && (rc || o->error))
        unlink(o->temporary);
    if (o->temporary)
        forget();
    free(o->temporary);
    free(name);
    if (!rc && o->error && o->error != EPIPE)
        rc = sl_err(err, SL_EIO, "%s: cannot be written: %s", o->path, strerror(o->error));
    return rc;
}

/* ---- folders ---- */

int sl_folder_open(struct sl_folder *f, const char *path, struct sl_err *err)
{
    size_t n = strlen(path);
    struct stat there;
    bool is = !stat(path, &there);

    *f = (struct sl_folder){.path = sl_strdup(path), .inside = is && S_ISDIR(there.st_mode)};
    while (n > 1 && f->path[n - 1] == '/')
        f->path[--n] = 0;
    f->temporary = sl_alloc(n + 40);
    snprintf(f->temporary, n + 40, f->inside ? "%s/.%d.new" : "%s.%d.new", f->path, (int)getpid());
    if ((is && !f->inside) || mkdir(f->temporary, 0777))
        return sl_err(err, SL_EIO, "%s: cannot be made: %s", path, strerror(is && !f->inside ? ENOTDIR : errno));
    f->made = true;
    unfinished_folder = f->temporary;
    watch();
    return 0;
}

static char *in_folder(const char *folder, const char *name)
{
    char *path = sl_alloc(strlen(folder) + strlen(name) + 2);

    return strcat(strcat(strcpy(path, folder), "/"), name);
}

int sl_folder_file(struct sl_folder *f, const char *name, struct sl_out *o, struct sl_err *err)
{
    const char *file = f->file[f->n] = in_folder(f->temporary, name);
    int fd;

    *o = (struct sl_out){.path = f->final[f->n] = in_folder(f->path, name)};
    unfinished[f->n++] = file;
    fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0 || !(o->f = fdopen(fd, "w")))
        return sl_err(err, SL_EIO, "%s: cannot be written: %s", o->path, strerror(errno));
    setvbuf(o->f, NULL, _IOFBF, 1 << 18);
    return 0;
}

int sl_folder_close(struct sl_folder *f, int rc, struct sl_err *err)
{
    sigset_t all, was;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &was); /* all files, or none */
    if (f->made && !rc && !f->inside && rename(f->temporary, f->path))
        rc = sl_err(err, SL_EIO, "%s: cannot be made: %s", f->path, strerror(errno));
    for (size_t i = 0; i < f->n; i++) {
        if (!rc && f->inside && rename(f->file[i], f->final[i]))
            rc = sl_err(err, SL_EIO, "%s: cannot be written: %s", f->final[i], strerror(errno));
        if (rc)
            unlink(f->file[i]);
    }
    if (f->made && (rc || f->inside))
        rmdir(f->temporary);
    forget();
    sigprocmask(SIG_SETMASK, &was, NULL);
    for (size_t i = 0; i < f->n; i++)
        free(f->file[i]), free(f->final[i]);
    free(f->path);
    free(f->temporary);
    return rc;
}
