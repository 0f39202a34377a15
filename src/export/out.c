/* SPDX-License-Identifier: Apache-2.0 */
#include "export/out.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a signal that stops the program leaves behind would be the temporary file: it goes first. */
static const char *volatile unfinished;
static const int stops[] = {SIGINT, SIGTERM, SIGHUP};

static void stop(int signal)
{
    if (unfinished)
        unlink(unfinished);
    raise(signal); /* SA_RESETHAND: as it would have been */
}

static void watch(const char *temporary)
{
    struct sigaction act = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND}, was;

    unfinished = temporary;
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        if (!sigaction(stops[i], NULL, &was) && was.sa_handler == SIG_DFL) /* nohup's SIGHUP stays ignored */
            sigaction(stops[i], &act, NULL);
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
    watch(o->temporary);
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
    unfinished = NULL;
    free(o->temporary);
    free(name);
    if (!rc && o->error && o->error != EPIPE)
        rc = sl_err(err, SL_EIO, "%s: cannot be written: %s", o->path, strerror(o->error));
    return rc;
}
