/* SPDX-License-Identifier: Apache-2.0 */
#include "base/files/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Never freed, so that a handler may read them whatever another thread does. */
enum { MOST = 64 };
enum state { FREE, TAKEN, WATCHED };
static char names[MOST][PATH_MAX];
static _Atomic int states[MOST];
static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
enum { STOPS = sizeof stops / sizeof *stops };

void sl_temporary_clear(void)
{
    for (int i = MOST - 1; i >= 0; i--)
        if (atomic_load(&states[i]) == WATCHED && unlink(names[i]))
            rmdir(names[i]);
}

static void stop(int signal)
{
    sl_temporary_clear();
    raise(signal); /* SA_RESETHAND: as it would have been */
}

static void handle_stops(void)
{
    struct sigaction act = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND}, was;

    for (int i = 0; i < STOPS; i++)
        if (!sigaction(stops[i], NULL, &was) && was.sa_handler == SIG_DFL) /* nohup's SIGHUP stays ignored */
            sigaction(stops[i], &act, NULL);
}

void sl_temporary_hold(sigset_t *was)
{
    sigset_t held;

    sigemptyset(&held);
    for (int i = 0; i < STOPS; i++)
        sigaddset(&held, stops[i]);
    pthread_sigmask(SIG_BLOCK, &held, was);
}

void sl_temporary_release(const sigset_t *was)
{
    pthread_sigmask(SIG_SETMASK, was, NULL);
}

void sl_temporary_watch(const char *name)
{
    for (int i = 0; i < MOST; i++) {
        int was = FREE;
        if (!atomic_compare_exchange_strong(&states[i], &was, TAKEN))
            continue;
        snprintf(names[i], sizeof names[i], "%s", name);
        atomic_store(&states[i], WATCHED);
        break;
    }
    handle_stops();
}

void sl_temporary_forget(const char *name)
{
    for (int i = 0; i < MOST; i++)
        if (atomic_load(&states[i]) == WATCHED && !strcmp(names[i], name))
            atomic_store(&states[i], FREE);
}

void sl_temporary_gone(const char *name)
{
    if (unlink(name))
        rmdir(name);
    sl_temporary_forget(name);
}

static const char *folder(void)
{
    const char *tmp = getenv("TMPDIR");

    return tmp && *tmp ? tmp : "/tmp";
}

static int failed(struct sl_err *err)
{
    return sl_err(err, SL_EIO, "%s: nothing temporary can be made there: %s; TMPDIR names another folder", folder(),
                  strerror(errno));
}

int sl_temporary_file(struct sl_err *err)
{
    int fd = open(folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    char name[PATH_MAX];
    sigset_t was;

    if (fd < 0) { /* not every file system has that */
        snprintf(name, sizeof name, "%s/spanloom-XXXXXX", folder());
        sl_temporary_hold(&was);
        if ((fd = mkostemp(name, O_CLOEXEC)) >= 0)
            unlink(name);
        sl_temporary_release(&was);
    }
    return fd >= 0 ? fd : failed(err);
}

int sl_temporary_folder(char path[PATH_MAX], const char *prefix, struct sl_err *err)
{
    sigset_t was;
    bool made;

    if (snprintf(path, PATH_MAX, "%s/%sXXXXXX", folder(), prefix) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return failed(err);
    }
    sl_temporary_hold(&was);
    if ((made = mkdtemp(path)))
        sl_temporary_watch(path);
    sl_temporary_release(&was);
    return made ? 0 : failed(err);
}
