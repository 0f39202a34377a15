/* SPDX-License-Identifier: Apache-2.0 */
#include "design/undo.h"
#include "base/buf.h"
#include "base/files/whole_file.h"
#include "base/mem.h"
#include "collect/process.h"
#include "recipe/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SCRIPT "teardown.sh"

static int failed(struct sl_err *err, const char *what, const char *path)
{
    return sl_err(err, SL_EIO, "cannot %s %s: %s", what, path, strerror(errno));
}

static int write_all(int fd, const char *s, size_t n)
{
    while (n) {
        ssize_t got = write(fd, s, n);
        if (got < 0 && errno != EINTR)
            return -1;
        if (got > 0)
            s += got, n -= (size_t)got;
    }
    return 0;
}

/* Programs that compare the second and the size of a file, as Python does with what it compiled, see that it changed:
 * its time is a second behind what it was, at least. */
static void touch(const char *path, const struct stat *was)
{
    struct stat now;

    if (!stat(path, &now) && now.st_mtime <= was->st_mtime) {
        const struct timespec t[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = was->st_mtime + 1}};
        utimensat(AT_FDCWD, path, t, 0);
    }
}

int sl_undo_write(const char *path, const char *text, size_t n, struct sl_err *err)
{
    struct sl_whole_file w;
    struct stat was;
    bool there = !stat(path, &was);
    int error = sl_whole_open(&w, path);

    if (!error && (write_all(w.fd, text, n) || fsync(w.fd)))
        error = errno;
    if (!error)
        error = sl_whole_publish(&w, NULL);
    sl_whole_close(&w);
    if (error)
        return sl_err(err, SL_EIO, "cannot write %s: %s", path, strerror(error));
    if (there)
        touch(path, &was);
    return 0;
}

static void sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

static const char *inside(const struct sl_undo *u, const char *name, char path[PATH_MAX + 32])
{
    snprintf(path, PATH_MAX + 32, "%s/%s", u->folder, name);
    return path;
}

/* A new file of the folder that is on disk. */
static int put(const struct sl_undo *u, const char *name, const char *text, size_t n, struct sl_err *err)
{
    char path[PATH_MAX + 32];
    int fd, rc = 0;

    if (mkdir(u->folder, 0777) && errno != EEXIST)
        return failed(err, "make", u->folder);
    fd = open(inside(u, name, path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write_all(fd, text, n) || fsync(fd))
        rc = failed(err, "write", path);
    if (fd >= 0)
        close(fd);
    sync_folder(u->folder);
    return rc;
}

int sl_undo_keep(struct sl_undo *u, const char *path, struct sl_err *err)
{
    struct sl_buf was = {0}, list = {0}, line = {0};
    char name[32], at[PATH_MAX + 32];
    int rc, missing;

    rc = sl_yaml_read(&list, inside(u, "list", at));
    if (rc && rc != ENOENT)
        return sl_err(err, SL_EIO, "cannot read %s: %s", at, strerror(rc));
    sl_buf_addf(&line, " %s\n", path);
    if (list.n && strstr(list.s, line.s)) {
        sl_buf_free(&list);
        sl_buf_free(&line);
        return 0;
    }
    missing = sl_yaml_read(&was, path);
    rc = missing && missing != ENOENT ? sl_err(err, SL_EIO, "cannot read %s: %s", path, strerror(missing)) : 0;
    if (!rc && strchr(path, '\n'))
        rc = sl_err(err, SL_EUSAGE, "a file with an end of line in its name cannot be changed for a run");
    snprintf(name, sizeof name, "%d", u->files);
    if (!rc && !missing)
        rc = put(u, name, was.s ? was.s : "", was.n, err);
    if (!rc) {
        sl_buf_addf(&list, "%s%s", missing ? "-" : name, line.s);
        rc = put(u, "list.new", list.s, list.n, err);
    }
    if (!rc) {
        char from[PATH_MAX + 32];
        if (rename(inside(u, "list.new", from), at))
            rc = failed(err, "write", at);
        sync_folder(u->folder);
        u->files++;
    }
    sl_buf_free(&was);
    sl_buf_free(&list);
    sl_buf_free(&line);
    return rc;
}

static int put_back(const struct sl_undo *u, char *line, struct sl_err *err)
{
    char *path = strchr(line, ' '), from[PATH_MAX + 32];
    struct sl_buf was = {0};
    int rc;

    if (!path)
        return sl_err(err, SL_EFORMAT, "%s/list is damaged; put the files back by hand, and remove %s", u->folder,
                      u->folder);
    *path++ = 0;
    if (!strcmp(line, "-"))
        return unlink(path) && errno != ENOENT ? failed(err, "remove", path) : 0;
    rc = sl_yaml_read(&was, inside(u, line, from));
    rc = rc ? sl_err(err, SL_EIO, "cannot read %s: %s", from, strerror(rc))
            : sl_undo_write(path, was.s ? was.s : "", was.n, err);
    sl_buf_free(&was);
    return rc;
}

int sl_undo_all(struct sl_undo *u, struct sl_err *err)
{
    struct sl_buf list = {0};
    char path[PATH_MAX + 32], name[32];
    int rc = sl_yaml_read(&list, inside(u, "list", path)), n = 0;

    rc = rc && rc != ENOENT ? sl_err(err, SL_EIO, "cannot read %s: %s", path, strerror(rc)) : 0;
    for (char *line = list.s, *end; !rc && line && (end = strchr(line, '\n')); line = end + 1, n++) {
        *end = 0;
        rc = put_back(u, line, err);
    }
    sl_buf_free(&list);
    if (rc)
        return rc;
    unlink(inside(u, "list", path));
    unlink(inside(u, "list.new", path));
    unlink(inside(u, "process", path));
    unlink(inside(u, SCRIPT, path));
    for (int i = 0; i <= n; i++) {
        snprintf(name, sizeof name, "%d", i);
        unlink(inside(u, name, path));
    }
    u->files = 0;
    return rmdir(u->folder) && errno != ENOENT ? failed(err, "remove", u->folder) : 0;
}

int sl_undo_process(struct sl_undo *u, pid_t pid, struct sl_err *err)
{
    struct shell_process p;
    char text[96], path[PATH_MAX + 32];

    if (!pid) {
        unlink(inside(u, "process", path));
        if (!u->files)
            rmdir(u->folder);
        return 0;
    }
    shell_process_read(&p, pid);
    snprintf(text, sizeof text, "%d %llu\n", (int)pid, (unsigned long long)p.start_ticks);
    return put(u, "process", text, strlen(text), err);
}

/* What is killed ends when it is scheduled next, and what it was doing in the kernel is done until then. */
static void wait_for_end(pid_t group)
{
    const struct timespec step = {.tv_nsec = 10000000};

    for (int i = 0; i < 500 && !kill(-group, SIGKILL); i++) /* 5 s: where nobody takes note of it, it stays */
        nanosleep(&step, NULL);
}

/* By its number and when it began: numbers come again. */
static void end_process(const struct sl_undo *u)
{
    struct sl_buf b = {0};
    struct shell_process p;
    char path[PATH_MAX + 32];
    unsigned long long ticks;
    int pid;

    if (!sl_yaml_read(&b, inside(u, "process", path)) && b.n && sscanf(b.s, "%d %llu", &pid, &ticks) == 2 && pid > 1) {
        shell_process_read(&p, (pid_t)pid);
        if (ticks && p.start_ticks == ticks)
            wait_for_end((pid_t)pid);
    }
    sl_buf_free(&b);
}

int sl_undo_keep_script(struct sl_undo *u, const char *text, struct sl_err *err)
{
    char path[PATH_MAX + 32];

    if (text)
        return put(u, SCRIPT, text, strlen(text), err);
    unlink(inside(u, SCRIPT, path));
    if (!u->files)
        rmdir(u->folder);
    return 0;
}

bool sl_undo_script(const struct sl_undo *u, char path[PATH_MAX + 32])
{
    return !access(inside(u, SCRIPT, path), F_OK);
}

int sl_undo_open(struct sl_undo *u, const char *folder, struct sl_err *err)
{
    struct sl_buf list = {0};
    char path[PATH_MAX + 32];

    *u = (struct sl_undo){0};
    if (snprintf(u->folder, sizeof u->folder, "%s", folder) >= (int)sizeof u->folder)
        return sl_err(err, SL_EUSAGE, "the path is too long: %s", folder);
    if (access(folder, F_OK))
        return 0;
    end_process(u);
    if (!sl_yaml_read(&list, inside(u, "list", path)))
        for (size_t i = 0; i < list.n; i++)
            u->files += list.s[i] == '\n';
    sl_buf_free(&list);
    return 0;
}
