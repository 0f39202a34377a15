/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning and the end of tracing in a process.  The file is made by its first event: programs that record nothing
 * leave nothing. */
#include "runtime/runtime.h"
#include "runtime/runtime_clock.h"
#include "trace/job_environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

struct sl_runtime sl_rt = {.lock = PTHREAD_MUTEX_INITIALIZER, .flushing = PTHREAD_MUTEX_INITIALIZER, .fd = -1};
struct sl_lane sl_no_lane;
__thread struct sl_lane *sl_current = &sl_no_lane;
uint32_t sl_clock;
int sl_trace_on = 1; /* before the constructor: others may come first */

static void absolute(char dir[PATH_MAX])
{
    char cwd[PATH_MAX], rest[PATH_MAX];
    const char *tail = dir;
    size_t n = strlen(dir);

    while (n > 1 && dir[n - 1] == '/')
        dir[--n] = 0;
    if (*dir == '/' || !getcwd(cwd, sizeof cwd))
        return;
    while (tail[0] == '.' && tail[1] == '/')
        tail += 2;
    if (!strcmp(tail, "."))
        tail++;
    memcpy(rest, tail, strlen(tail) + 1);
    if (snprintf(dir, PATH_MAX, "%s/%s", strcmp(cwd, "/") ? cwd : "", rest) >= PATH_MAX - 512)
        strcpy(dir, "/nonexistent"); /* a path that long can be created by nobody */
}

static void begin(void)
{
    bool secure = getauxval(AT_SECURE) != 0;
    struct stat s;

    if (!secure && !fstat(STDERR_FILENO, &s)) {
        sl_rt.stderr_dev = s.st_dev;
        sl_rt.stderr_ino = s.st_ino;
    }
    sl_options_read(&sl_rt.options, secure, true);
    sl_clock = sl_rt.options.monotonic ? SL_TF_CLOCK_NS : sl_clock_best();
    sl_rt.start = sl_clock_moment();
    sl_rt.realtime_ns = sl_clock_offset();
    if (sl_rt.options.min_ns && sl_rt.options.enable && !secure)
        sl_rt.min_ticks = sl_count_ticks(sl_rt.options.min_ns);
    sl_rt.sites = SL_TF_FIRST_SITE;
    sl_rt.state = sl_rt.options.enable ? SL_READY : SL_OFF;
    if (secure || !sl_rt.options.enable)
        sl_trace_on = 0;
    sl_names_instance_path(sl_rt.instance_path, sizeof sl_rt.instance_path);
    sl_names_read_parent();
    if (!secure)
        sl_names_export();
    if (!sl_rt.options.enable)
        return;
    absolute(sl_rt.options.dir);
    pthread_atfork(sl_before_fork, sl_after_fork_parent, sl_after_fork_child);
}

static void begin_once(void)
{
    if (sl_rt.state == SL_UNSET)
        begin();
}

__attribute__((constructor(101))) static void constructed(void)
{
    struct sl_guard g;

    sl_guard_enter(&g);
    pthread_mutex_lock(&sl_rt.lock);
    begin_once();
    pthread_mutex_unlock(&sl_rt.lock);
    sl_guard_leave(&g);
}

/* Programs close descriptors, and open files of theirs that get their numbers: what 2 is now must be what it was. */
void sl_complain(const char *path, const char *why)
{
    struct stat s;

    if (sl_rt.stderr_ino && !fstat(STDERR_FILENO, &s) && s.st_dev == sl_rt.stderr_dev && s.st_ino == sl_rt.stderr_ino)
        sl_options_complain(path, why);
}

bool sl_open(void)
{
    struct sl_defs *inherited;

    begin_once();
    if (sl_rt.state != SL_READY)
        return sl_rt.state == SL_OPEN;
    sl_rt.pid = getpid();
    if (sl_rt.forked)
        sl_rt.start = sl_clock_moment();
    inherited = sl_rt.defs;
    if (!sl_file_make()) {
        sl_rt.state = SL_FAILED;
        __atomic_store_n(&sl_trace_on, 0, __ATOMIC_RELAXED);
        sl_complain(sl_rt.path, strerror(errno));
        return false;
    }
    sl_rt.state = SL_OPEN;
    if (sl_rt.forked)
        sl_names_export();
    if (!sl_rt.keyed)
        sl_rt.keyed = !pthread_key_create(&sl_rt.key, sl_lane_leave);
    return !sl_rt.forked || sl_sites_inherit(inherited);
}

int sl_trace_enable(int on)
{
    struct sl_guard g;
    int was;

    sl_guard_enter(&g);
    pthread_mutex_lock(&sl_rt.lock);
    begin_once();
    was = SL_TRACING_;
    if (sl_rt.state == SL_READY || sl_rt.state == SL_OPEN)
        __atomic_store_n(&sl_trace_on, on != 0, __ATOMIC_RELAXED);
    if (!on)
        sl_lanes_stop();
    pthread_mutex_unlock(&sl_rt.lock);
    sl_guard_leave(&g);
    return was;
}

void sl_trace_parent(const char *traceparent)
{
    struct sl_guard g;

    sl_guard_enter(&g);
    sl_lane_notice_fork();
    pthread_mutex_lock(&sl_rt.lock);
    begin_once();
    if ((sl_rt.state == SL_READY || sl_rt.state == SL_OPEN) && sl_names_lie_in(traceparent)) {
        sl_names_export();
        if (sl_rt.header) {
            memcpy(sl_rt.header->trace_id, sl_rt.trace_id, sizeof sl_rt.trace_id);
            sl_rt.header->parent_id = sl_rt.parent_id;
        }
    }
    pthread_mutex_unlock(&sl_rt.lock);
    sl_guard_leave(&g);
}

int sl_trace_flush(void)
{
    struct sl_guard g;
    bool open;
    int fd = -1, rc = ENOENT;

    sl_guard_enter(&g);
    sl_lane_notice_fork();
    pthread_mutex_lock(&sl_rt.flushing);
    pthread_mutex_lock(&sl_rt.lock);
    open = sl_rt.state == SL_OPEN && !sl_rt.options.binary;
    if (open) {
        sl_file_moment();
        fd = sl_file_dup();
    }
    pthread_mutex_unlock(&sl_rt.lock);
    if (open)
        rc = fd < 0 ? EBADF : sl_file_export(fd);
    if (fd >= 0)
        close(fd);
    pthread_mutex_unlock(&sl_rt.flushing);
    sl_guard_leave(&g);
    return rc;
}

/* Of many that end at one time, such as the ranks of MPI, one will do: whoever has children, or is nobody's child. */
static bool looks_after_others(void)
{
    if (sl_rt.options.binary)
        return false;
    return (sl_rt.forks && (sl_rt.state == SL_READY || sl_rt.state == SL_OPEN)) ||
           (sl_rt.state == SL_OPEN && !sl_rt.parent_id && !sl_job_environment_rank());
}

void sl_trace_finish(void)
{
    struct sl_guard g;
    bool looks;

    sl_guard_enter(&g);
    sl_lane_notice_fork();
    __atomic_store_n(&sl_trace_on, 0, __ATOMIC_RELAXED);
    pthread_mutex_lock(&sl_rt.flushing); /* a file of less would replace the one that is complete */
    pthread_mutex_lock(&sl_rt.lock);
    sl_lanes_stop();
    looks = looks_after_others();
    if (sl_rt.state == SL_OPEN) {
        sl_file_finish();
        sl_lanes_end();
    }
    if (sl_rt.keyed) /* this code may be unmapped before the threads end */
        pthread_key_delete(sl_rt.key);
    sl_rt.keyed = false;
    sl_rt.state = SL_DONE;
    sl_names_unexport();
    pthread_mutex_unlock(&sl_rt.lock);
    pthread_mutex_unlock(&sl_rt.flushing);
    sl_guard_leave(&g);
    if (looks) {
        sl_leftover_end();
        errno = g.error;
    }
}

__attribute__((destructor(101))) static void destructed(void)
{
    sl_trace_finish();
}
