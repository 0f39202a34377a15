/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/sampler/tree_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { COMMAND = 200, PATH = 64 };

/* errno says that it is another user's: what is gone in this moment has ended, and is counted by whom it belonged to.
 */
static bool denied(void)
{
    return errno == EACCES || errno == EPERM;
}

static bool read_file(struct sl_tree *t, const char *path)
{
    int fd = openat(t->proc_fd, path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && text_read_fd(&t->text, fd);
    int error = errno;

    if (!ok)
        read_failed(t->proc, path);
    if (fd >= 0)
        close(fd);
    errno = error;
    return ok;
}

static bool read_file_of(struct sl_tree *t, pid_t pid, const char *name)
{
    char path[PATH];

    snprintf(path, sizeof path, "%d/%s", (int)pid, name);
    return read_file(t, path);
}

bool process_stat_of(struct sl_tree *t, pid_t pid, struct process_stat *stat)
{
    return read_file_of(t, pid, "stat") && process_stat_parse(stat, &t->text);
}

bool process_io_of(struct sl_tree *t, pid_t pid, struct process_io *io)
{
    *io = (struct process_io){0};
    return read_file_of(t, pid, "io") && process_io_parse(io, &t->text);
}

void process_count(const struct sl_tree *t, uint64_t used[USED], const struct process_stat *stat,
                   const struct process_io *io)
{
    used[USED_USER] = (uint64_t)((double)(stat->user + stat->children_user) * t->us_per_tick);
    used[USED_SYSTEM] = (uint64_t)((double)(stat->system + stat->children_system) * t->us_per_tick);
    used[USED_FAULTS] = stat->faults + stat->children_faults;
    used[USED_READ] = io->read;
    used[USED_WRITE] = io->write;
    used[USED_DISK_READ] = io->disk_read;
    used[USED_DISK_WRITE] = io->disk_write;
}

/* ---- stat, which may stay open ---- */

/* 1, or 0: it is gone; negative: nobody knows. */
static int read_stat(struct sl_tree *t, struct member *p)
{
    char path[PATH];
    int fd = p->fd, rc;

    snprintf(path, sizeof path, "%d/stat", (int)p->stat.pid);
    if (fd < 0)
        fd = openat(t->proc_fd, path, O_RDONLY | O_CLOEXEC);
    rc = fd >= 0 && text_read_fd(&t->text, fd) ? 1
         : read_failed(t->proc, path)          ? -1
                                               : 0; /* ESRCH, whoever has its number now */
    if (p->fd >= 0 || fd < 0)
        return rc;
    if (rc > 0 && t->nfiles < t->options.files) {
        p->fd = fd;
        t->nfiles++;
    } else {
        close(fd);
    }
    return rc;
}

void process_close(struct sl_tree *t, struct member *p)
{
    if (p->fd >= 0) {
        close(p->fd);
        t->nfiles--;
    }
    p->fd = -1;
    free(p->command);
    p->command = NULL;
}

/* ---- what costs more ---- */

static bool switches_of_threads(struct sl_tree *t, struct member *p, uint64_t sum[2])
{
    char path[PATH + 16];
    struct dirent *e;
    DIR *dir;
    int fd;
    bool whole;

    snprintf(path, sizeof path, "%d/task", (int)p->stat.pid);
    if ((fd = openat(t->proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        return false;
    if (!(dir = fdopendir(fd))) {
        close(fd);
        return false;
    }
    while ((errno = 0, e = readdir(dir))) {
        struct process_status status;
        int tid = atoi(e->d_name);
        snprintf(path, sizeof path, "%d/task/%d/status", (int)p->stat.pid, tid);
        if (tid < 1 || tid == p->stat.pid || !read_file(t, path)) /* the first one's is that of the process */
            continue;
        process_status_parse(&status, &t->text);
        if (status.voluntary >= 0 && status.involuntary >= 0) {
            sum[0] += (uint64_t)status.voluntary;
            sum[1] += (uint64_t)status.involuntary;
        }
    }
    whole = !errno; /* ended, not failed */
    closedir(dir);
    return whole;
}

static void read_switches(struct sl_tree *t, struct member *p)
{
    const struct process_status *s = &p->status;
    uint64_t now[2] = {(uint64_t)s->voluntary, (uint64_t)s->involuntary};

    if (s->voluntary < 0 || s->involuntary < 0 || (p->stat.threads > 1 && !switches_of_threads(t, p, now))) {
        p->status.voluntary = p->status.involuntary = -1;
        return;
    }
    t->any_switches = true;
    p->status.voluntary = (int64_t)now[0];
    p->status.involuntary = (int64_t)now[1];
    for (int i = 0; i < 2; i++) { /* threads end, and take theirs with them: the sum is what it was at most */
        if (now[i] > p->switches[i]) {
            t->switches[i] += now[i] - p->switches[i];
            p->switches[i] = now[i];
        }
    }
}

void process_read_details(struct sl_tree *t, struct member *p)
{
    p->status = (struct process_status){-1, -1, -1, -1};
    p->pss_kb = -1;
    if (t->options.detail < SL_DETAIL_IO || p->stat.state == 'Z')
        return;
    if (read_file_of(t, p->stat.pid, "status")) {
        process_status_parse(&p->status, &t->text);
        read_switches(t, p);
    }
    if (t->options.detail >= SL_DETAIL_PSS && read_file_of(t, p->stat.pid, "smaps_rollup"))
        p->pss_kb = process_pss_parse(&t->text);
}

/* A zombie's I/O is for root alone; its parent gets it. */
static bool has_ended(struct sl_tree *t, pid_t pid)
{
    struct process_stat now;

    return !process_stat_of(t, pid, &now) || now.state == 'Z' || now.state == 'X';
}

static uint64_t more(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

bool process_read(struct sl_tree *t, struct member *p)
{
    struct process_stat stat;
    struct process_io io = {0};
    uint64_t before[USED], children[USED] = {0}, own;
    int there = read_stat(t, p);

    if (there < 0) /* it is taken to be as it was */
        return true;
    if (!there || !process_stat_parse(&stat, &t->text) || stat.pid != p->stat.pid ||
        (!p->is_new && stat.start_ticks != p->stat.start_ticks))
        return false;
    memcpy(before, p->used, sizeof before);
    children[USED_USER] = (uint64_t)((double)more(stat.children_user, p->stat.children_user) * t->us_per_tick);
    children[USED_SYSTEM] = (uint64_t)((double)more(stat.children_system, p->stat.children_system) * t->us_per_tick);
    children[USED_FAULTS] = more(stat.children_faults, p->stat.children_faults);
    p->stat = stat;
    if (t->options.detail >= SL_DETAIL_IO) {
        bool has = process_io_of(t, stat.pid, &io);
        t->denied_io |= !has && denied() && !has_ended(t, stat.pid);
        t->any_io |= has;
        if (!has && p->has_io) /* as it was */
            io = (struct process_io){before[USED_READ], before[USED_WRITE], before[USED_DISK_READ],
                                     before[USED_DISK_WRITE]};
        p->has_io |= has;
    }
    process_count(t, p->used, &stat, &io);
    for (int k = USED_READ; k < USED; k++) /* of I/O it is not told whose it was */
        children[k] = more(p->used[k], before[k]);
    memcpy(p->from_children, children, sizeof children);
    own = (uint64_t)((double)(stat.user + stat.system) * t->us_per_tick);
    p->own_step_us = more(own, p->own_us);
    p->own_us = own;
    return true;
}

const char *process_command(struct sl_tree *t, struct member *p)
{
    size_t n;

    if (p->command && !strcmp(p->command_of, p->stat.name))
        return *p->command ? p->command : NULL;
    free(p->command);
    if (!(p->command = calloc(1, COMMAND + 1)))
        return NULL;
    if (!read_file_of(t, p->stat.pid, "cmdline"))
        return NULL;
    n = t->text.n;
    while (n && !t->text.s[n - 1])
        n--;
    if (n) /* else it is the kernel's, or in the middle of exec */
        memcpy(p->command_of, p->stat.name, sizeof p->command_of);
    n = n < COMMAND ? n : COMMAND;
    for (size_t i = 0; i < n; i++)
        p->command[i] = t->text.s[i] ? t->text.s[i] : ' ';
    return n ? p->command : NULL;
}
