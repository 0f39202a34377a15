/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statvfs() of a file system whose server is gone comes back when the server does.  So each one is asked by a thread of
 * its own, which may stay behind; but the root is asked at once: without it nothing goes on.
 */
#include "collect/sampler/sampler_internal.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <time.h>

static const double MB = 1024 * 1024;
static const long PATIENCE_NS = 20000000; /* once: then it is not asked again until it has answered */
enum { STACK = 128 * 1024 };

struct asked { /* of both sides; the thread frees it */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum { READY, ASKED, LEFT } state;
    int error;
    struct statvfs answer;
    char path[];
};

static void *answer(void *arg)
{
    struct asked *a = arg;

    pthread_mutex_lock(&a->lock);
    while (a->state != LEFT) {
        struct statvfs f;
        int error;
        if (a->state == READY) {
            pthread_cond_wait(&a->changed, &a->lock);
            continue;
        }
        pthread_mutex_unlock(&a->lock);
        error = statvfs(a->path, &f) == 0 ? 0 : errno;
        pthread_mutex_lock(&a->lock);
        if (a->state == LEFT)
            break;
        a->error = error;
        a->answer = f;
        a->state = READY;
        pthread_cond_signal(&a->changed);
    }
    pthread_mutex_unlock(&a->lock);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    free(a);
    return NULL;
}

/* NULL: there can be no thread. */
static struct asked *begin(const char *path)
{
    struct asked *a = calloc(1, sizeof *a + strlen(path) + 1);
    pthread_condattr_t clock;
    pthread_attr_t attr;
    sigset_t all, before;
    pthread_t thread;
    int error;

    if (!a)
        return NULL;
    memcpy(a->path, path, strlen(path) + 1);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, &clock);
    pthread_condattr_destroy(&clock);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    sigfillset(&all); /* signals are for who waits for them */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&thread, &attr, answer, a);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    if (!error)
        return a;
    free(a);
    return NULL;
}

/* 0, or an errno; ETIMEDOUT: there is no answer yet. */
static int ask(struct asked *a, struct statvfs *f)
{
    struct timespec until;
    int error;

    pthread_mutex_lock(&a->lock);
    if (a->state == READY) {
        a->state = ASKED;
        pthread_cond_signal(&a->changed);
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += PATIENCE_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        while (a->state == ASKED && pthread_cond_timedwait(&a->changed, &a->lock, &until) == 0)
            ;
    }
    error = a->state == READY ? a->error : ETIMEDOUT;
    *f = a->answer;
    pthread_mutex_unlock(&a->lock);
    return error;
}

bool mounts_init(struct mounts *m, const char *const *paths, size_t n)
{
    static const char *const root[] = {"/"};

    if (!n)
        return mounts_init(m, root, 1);
    m->v = calloc(n, sizeof *m->v);
    m->reports = calloc(n, sizeof *m->reports);
    if (!m->v || !m->reports)
        return false;
    for (; m->n < n; m->n++)
        if (!(m->v[m->n].path = strdup(paths[m->n])))
            return false;
    return true;
}

void mounts_free(struct mounts *m)
{
    for (size_t i = 0; i < m->n; i++) {
        struct asked *a = m->v[i].asked;
        if (a) {
            pthread_mutex_lock(&a->lock);
            a->state = LEFT;
            pthread_cond_signal(&a->changed);
            pthread_mutex_unlock(&a->lock);
        }
        free(m->v[i].path);
    }
    free(m->v);
    free(m->reports);
    *m = (struct mounts){0};
}

static int read_one(struct mount *m, struct statvfs *f)
{
    if (!strcmp(m->path, "/"))
        return statvfs(m->path, f) == 0 ? 0 : errno;
    if (!m->asked && !(m->asked = begin(m->path)))
        return EAGAIN;
    return ask(m->asked, f);
}

/* As df: of what users may have, since some blocks are for root alone. */
void mounts_read(struct mounts *m, struct sl_node_report *r)
{
    for (size_t i = 0; i < m->n; i++) {
        struct sl_mount_report *report = &m->reports[r->nmounts];
        struct statvfs f;
        double used;
        if ((m->v[i].error = read_one(&m->v[i], &f)) || !f.f_blocks)
            continue;
        used = (double)(f.f_blocks - f.f_bfree);
        *report = (struct sl_mount_report){
            .path = m->v[i].path,
            .used_mb = used * (double)f.f_frsize / MB,
            .free_mb = (double)f.f_bavail * (double)f.f_frsize / MB,
            .used_percent = used + (double)f.f_bavail > 0 ? 100 * used / (used + (double)f.f_bavail) : NAN,
        };
        if (!i)
            r->disk_usage_percent = report->used_percent;
        r->nmounts++;
    }
    r->mounts = m->reports;
}
