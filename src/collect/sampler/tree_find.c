/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is in the tree: whose parent is.  Who once was stays in it, when its parent ends and it becomes a child of
 * another.  New processes have numbers behind the last one that was given (/proc/loadavg tells it), so that of all the
 * others on the machine none is read again; where the numbers may have gone round since, all are.
 */
#include "base/clock.h"
#include "collect/sampler/tree_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROUND_S = 10 };

static int by_number(const void *a, const void *b)
{
    pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

    return (x > y) - (x < y);
}

static int by_pid(const void *a, const void *b)
{
    return by_number(&((const struct member *)a)->stat.pid, &((const struct member *)b)->stat.pid);
}

static struct member *find(struct member *v, size_t n, pid_t pid)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (v[middle].stat.pid == pid)
            return &v[middle];
        if (v[middle].stat.pid < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

struct member *tree_member(const struct sl_tree *t, pid_t pid)
{
    return find(t->v, t->n, pid);
}

/* ---- which numbers are in use ---- */

struct entry { /* struct linux_dirent64: getdents64(2) */
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

static void add_pid(struct sl_tree *t, const char *name)
{
    struct scan s = {name, name + strlen(name)};
    uint64_t x;

    if (!scan_uint(&s, &x) || s.at != s.end || x > INT_MAX)
        return;
    if (t->npids == t->pids_cap) {
        size_t cap = t->pids_cap ? t->pids_cap * 2 : 512;
        pid_t *v = read_realloc(t->pids, cap * sizeof *v);
        if (!v)
            return;
        t->pids = v;
        t->pids_cap = cap;
    }
    t->pids[t->npids++] = (pid_t)x;
}

/* By getdents64(): readdir() copies each entry, which half the cost is of. */
static void list_pids(struct sl_tree *t)
{
    _Alignas(8) char room[32768];
    bool sorted = true;
    long got;

    t->npids = 0;
    lseek(t->proc_fd, 0, SEEK_SET);
    while ((got = syscall(SYS_getdents64, t->proc_fd, room, sizeof room)) > 0)
        for (long at = 0; at < got;) {
            const struct entry *e = (const void *)(room + at);
            if (*e->name >= '1' && *e->name <= '9')
                add_pid(t, e->name);
            at += e->length;
        }
    if (got < 0)
        read_failed(t->proc, "");
    for (size_t i = 1; i < t->npids; i++)
        sorted &= t->pids[i - 1] < t->pids[i];
    if (!sorted) /* the kernel's /proc is */
        qsort(t->pids, t->npids, sizeof *t->pids, by_number);
}

/* The number that was given last; 0: it is not told. */
static pid_t last_given(struct sl_tree *t)
{
    struct scan s;
    const char *blank;
    uint64_t x;

    if (!kept_file_read(&t->loadavg, &t->text))
        return 0;
    s = scan_text(&t->text);
    if (!(blank = memrchr(s.at, ' ', t->text.n)))
        return 0;
    s.at = blank;
    return scan_uint(&s, &x) && x <= INT_MAX ? (pid_t)x : 0;
}

static bool may_be_new(pid_t pid, pid_t before, pid_t now)
{
    return before <= now ? pid > before && pid <= now : pid > before || pid <= now;
}

/* ---- who is new ---- */

static struct member *add(struct sl_tree *t, const struct process_stat *stat)
{
    struct member *p;

    if (t->n == t->cap) {
        size_t cap = t->cap ? t->cap * 2 : 64;
        if (!(p = read_realloc(t->v, cap * sizeof *p)))
            return NULL;
        t->v = p;
        t->cap = cap;
    }
    p = &t->v[t->n++];
    *p = (struct member){.stat = *stat, .fd = -1, .is_new = true, .pss_kb = -1};
    return p;
}

/* known: how many are sorted; behind them are those that were added since. */
static bool belongs(const struct sl_tree *t, const struct process_stat *stat, size_t known)
{
    if (stat->pid == t->options.root || find(t->v, known, stat->ppid) || (t->options.ours && stat->ppid == getpid()))
        return true;
    for (size_t i = known; i < t->n; i++)
        if (t->v[i].stat.pid == stat->ppid)
            return true;
    return false;
}

/* Parents are mostly found before their children, but numbers go round. */
static void add_new(struct sl_tree *t, pid_t before, pid_t now, bool all)
{
    struct process_stat *v = NULL;
    size_t n = 0, cap = 0, known = t->n;
    bool found = true;

    for (size_t i = 0; i < t->npids; i++) {
        const struct member *p = find(t->v, known, t->pids[i]);
        if ((p && !p->gone) || !(all || may_be_new(t->pids[i], before, now)))
            continue;
        if (n == cap) {
            struct process_stat *more = read_realloc(v, (cap = cap ? cap * 2 : 64) * sizeof *v);
            if (!more)
                break;
            v = more;
        }
        n += process_stat_of(t, t->pids[i], &v[n]);
    }
    while (found) {
        found = false;
        for (size_t i = 0; i < n; i++)
            if (v[i].pid && belongs(t, &v[i], known) && add(t, &v[i])) {
                v[i].pid = 0;
                found = true;
            }
    }
    free(v);
}

void tree_find(struct sl_tree *t, bool first)
{
    int64_t now = sl_clock_ns(CLOCK_MONOTONIC);
    pid_t given;
    size_t known;

    given = last_given(t);
    list_pids(t);
    for (size_t i = 0; i < t->n; i++)
        if (!process_read(t, &t->v[i]))
            t->v[i].gone = true;
    known = t->n;
    add_new(t, t->last_pid, given,
            first || !given || !t->last_pid || now - t->last_mono_ns > (int64_t)ROUND_S * 1000000000);
    for (size_t i = known; i < t->n; i++) {
        struct member *p = &t->v[i];
        if (!process_read(t, p))
            p->gone = true; /* it came and went: with its parent's children, if that waited for it */
        p->is_new = false;
        memset(p->from_children, 0, sizeof p->from_children);
        if (first && !t->options.ours)
            memcpy(p->base, p->used, sizeof p->base);
    }
    t->last_pid = given;
    if (t->n > known)
        qsort(t->v, t->n, sizeof *t->v, by_pid);
}
