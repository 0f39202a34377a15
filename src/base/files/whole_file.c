/* SPDX-License-Identifier: Apache-2.0 */
#include "base/files/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define END ".spanloom-new"
enum { MOST_NAMES = 64, END_BYTES = sizeof END + 1 }; /* as many may write one path at once */

static bool is_at(int fd, const char *name)
{
    struct stat s, t;

    return !fstat(fd, &s) && !lstat(name, &t) && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

/* Whether name is free again, as its writer is dead: a living one holds the lock. */
static bool take_away(const char *name)
{
    int fd = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK); /* NFS locks nothing that is only read */
    bool dead;

    if (fd < 0)
        fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    dead = fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB) && is_at(fd, name) && !unlink(name);

    if (fd >= 0)
        close(fd);
    return dead;
}

/* Tries one name after the other; make() gives 0 or an errno. */
static int with_name(struct sl_whole_file *w, int (*make)(struct sl_whole_file *w))
{
    const char *slash = strrchr(w->path, '/');
    size_t n = strlen(w->path), base = slash ? strlen(slash + 1) : n;
    int stem = (int)(base + END_BYTES > NAME_MAX ? n - (base + END_BYTES - NAME_MAX) : n), error = EEXIST;

    for (int i = 1; i <= MOST_NAMES && error == EEXIST; i++) {
        snprintf(w->name, sizeof w->name, i > 1 ? "%.*s" END "%d" : "%.*s" END, stem, w->path, i);
        error = make(w);
        if (error == EEXIST && take_away(w->name))
            error = make(w);
    }
    if (error)
        w->name[0] = 0;
    return error;
}

static int create(struct sl_whole_file *w)
{
    w->fd = open(w->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (w->fd < 0)
        return errno;
    if ((!flock(w->fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK) && is_at(w->fd, w->name))
        return 0;
    close(w->fd); /* somebody takes it for a dead one's, as it was not locked yet */
    w->fd = -1;
    return EEXIST;
}

static void link_of(const struct sl_whole_file *w, char link[32])
{
    snprintf(link, 32, "/proc/self/fd/%d", w->fd);
}

static int give_name(struct sl_whole_file *w)
{
    char link[32];

    link_of(w, link);
    return linkat(AT_FDCWD, link, AT_FDCWD, w->name, AT_SYMLINK_FOLLOW) ? errno : 0;
}

static bool open_nameless(struct sl_whole_file *w)
{
    char *folder = w->name, link[32], *slash; /* threads may have small stacks */

    strcpy(folder, w->path);
    slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = 0;
    w->fd = open(slash ? folder : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    w->name[0] = 0;
    link_of(w, link);
    if (w->fd >= 0 && access(link, F_OK)) { /* no /proc: it could never get a name */
        close(w->fd);
        w->fd = -1;
    }
    if (w->fd >= 0)
        flock(w->fd, LOCK_EX | LOCK_NB);
    return w->fd >= 0;
}

int sl_whole_open(struct sl_whole_file *w, const char *path)
{
    char *real = realpath(path, NULL);
    bool fits = snprintf(w->path, sizeof w->path, "%s", real ? real : path) < (int)sizeof w->path;
    struct stat there;
    int error = 0;

    w->fd = -1;
    w->name[0] = 0;
    free(real);
    if (!fits)
        return ENAMETOOLONG;
    if (!open_nameless(w))
        error = with_name(w, create);
    if (!error && !stat(w->path, &there)) {
        bool owned = !fchown(w->fd, there.st_uid, there.st_gid);
        fchmod(w->fd, there.st_mode & (owned ? 07777 : 0777));
    }
    return error;
}

int sl_whole_publish(struct sl_whole_file *w, const char *as)
{
    char link[32];
    int error;

    as = as ? as : w->path;
    link_of(w, link);
    if (!w->name[0]) {
        if (!linkat(AT_FDCWD, link, AT_FDCWD, as, AT_SYMLINK_FOLLOW))
            return 0;
        if (errno != EEXIST)
            return errno;
        if ((error = with_name(w, give_name))) /* a link replaces nothing, but a new name does */
            return error;
    } else if (fsync(w->fd)) { /* over a network a full disk may be told so late */
        return errno;
    }
    if (rename(w->name, as)) {
        error = errno;
        unlink(w->name);
        w->name[0] = 0;
        return error;
    }
    w->name[0] = 0;
    return 0;
}

void sl_whole_close(struct sl_whole_file *w)
{
    if (w->name[0])
        unlink(w->name);
    if (w->fd >= 0)
        close(w->fd);
    w->fd = -1;
    w->name[0] = 0;
}
