/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/process.h"
#include "base/clock.h"
#include "base/hash.h"
#include "trace/job_environment.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CLOCKS_DIFFER_NS = 1000 * 1000 * 1000 }; /* /proc counts from the boot, by a clock that is not set */

extern char **environ;

/* A file of /proc/PID/, NUL-terminated; the length, 0 where it cannot be read. */
static size_t read_proc(pid_t pid, const char *name, char *to, size_t n)
{
    char path[64];
    ssize_t got = -1;
    int fd;

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    if ((fd = open(path, O_RDONLY | O_CLOEXEC)) >= 0) {
        got = read(fd, to, n - 1);
        close(fd);
    }
    to[got > 0 ? got : 0] = 0;
    return got > 0 ? (size_t)got : 0;
}

static void read_link(pid_t pid, const char *name, char *to, size_t n)
{
    char path[64];
    ssize_t got;

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    got = readlink(path, to, n - 1);
    to[got > 0 ? got : 0] = 0;
}

static int64_t boot_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t);
    return sl_clock_now_ns() - ((int64_t)t.tv_sec * 1000000000 + t.tv_nsec);
}

void shell_process_read(struct shell_process *p, pid_t pid)
{
    char stat[1024], *name, *rest;
    unsigned long long ticks;
    int ppid;

    *p = (struct shell_process){.pid = pid};
    if (gethostname(p->host, sizeof p->host - 1) != 0 || !*p->host)
        snprintf(p->host, sizeof p->host, "localhost");
    p->start_ns = sl_clock_now_ns();
    read_proc(pid, "stat", stat, sizeof stat);
    name = strchr(stat, '(');
    rest = strrchr(stat, ')'); /* the name may have any characters */
    if (name && rest) {
        snprintf(p->program, sizeof p->program, "%.*s", (int)(rest - name - 1), name + 1);
        if (sscanf(rest + 1, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                   &p->state, &ppid, &ticks) == 3) {
            p->ppid = (pid_t)ppid;
            p->start_ticks = ticks;
            p->start_ns = boot_ns() + (int64_t)((__int128)ticks * 1000000000 / sysconf(_SC_CLK_TCK));
        }
    }
    read_link(pid, "exe", p->exe, sizeof p->exe);
    read_link(pid, "cwd", p->cwd, sizeof p->cwd);
}

bool shell_process_is(const char *host, size_t nhost, pid_t pid, int64_t ns)
{
    struct shell_process p;

    if (pid < 1 || (kill(pid, 0) != 0 && errno != EPERM))
        return false;
    shell_process_read(&p, pid);
    return strlen(p.host) == nhost && !memcmp(p.host, host, nhost) && p.start_ticks && p.state != 'Z' &&
           p.start_ns < ns + CLOCKS_DIFFER_NS;
}

bool shell_process_lives(const char *key)
{
    const char *at = strrchr(key, '@'), *colon = at ? memrchr(key, ':', (size_t)(at - key)) : NULL;

    return colon && shell_process_is(key, (size_t)(colon - key), (pid_t)atoi(colon + 1), atoll(at + 1));
}

static uint64_t hex(const char *s, size_t n, const char **end)
{
    uint64_t x = 0;

    for (; n && ((*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'f')); n--, s++)
        x = x << 4 | (uint64_t)(*s <= '9' ? *s - '0' : *s - 'a' + 10);
    *end = n ? NULL : s;
    return x;
}

/* https://www.w3.org/TR/trace-context/#traceparent-header */
static void read_traceparent(uint64_t trace_id[2], uint64_t *parent_id)
{
    const char *s = getenv("TRACEPARENT"), *end;
    uint64_t high, low, parent;

    if (!s || strlen(s) < 55 || !strncmp(s, "ff", 2) || s[2] != '-' || s[35] != '-' || s[52] != '-')
        return;
    high = hex(s + 3, 16, &end);
    low = end ? hex(s + 19, 16, &end) : 0;
    parent = end ? hex(s + 36, 16, &end) : 0;
    if (!end || !(high | low) || !parent)
        return;
    trace_id[0] = high;
    trace_id[1] = low;
    *parent_id = parent;
}

void shell_process_ids(const struct shell_process *p, uint64_t trace_id[2], uint64_t *span_id, uint64_t *parent_id)
{
    char who[1024], boot[64], space[64];
    size_t n;

    if (!*parent_id)
        read_traceparent(trace_id, parent_id);
    read_proc(p->pid, "../sys/kernel/random/boot_id", boot, sizeof boot);
    read_link(p->pid, "ns/pid", space, sizeof space); /* containers count pids anew */
    n = (size_t)snprintf(who, sizeof who, "%s %s %s %d %llu", p->host, boot, space, (int)p->pid,
                         (unsigned long long)p->start_ticks);
    if (!p->start_ticks) /* nothing tells two processes of one pid apart but the time */
        n += (size_t)snprintf(who + n, sizeof who - n, " %lld", (long long)p->start_ns);
    *span_id = sl_hash(who, n);
    *span_id += !*span_id;
    if (!(trace_id[0] | trace_id[1])) {
        trace_id[0] = sl_hash_mix(*span_id, 1);
        trace_id[1] = sl_hash_mix(*span_id, 2);
    }
}

/* ---- as JSON ---- */

static void fact(struct sl_buf *b, const char *name, const char *value)
{
    if (!value || !*value)
        return;
    sl_buf_adds(b, ", ");
    sl_buf_add_json(b, name, strlen(name));
    sl_buf_adds(b, ": ");
    sl_buf_add_json(b, value, strlen(value));
}

/* bash ./build.sh: the script says more than the shell. */
static void name_for_people(const struct shell_process *p, char *to, size_t n)
{
    char line[PATH_MAX];
    size_t got = read_proc(p->pid, "cmdline", line, sizeof line), first = strlen(line) + 1;
    const char *base = first < got ? strrchr(line + first, '/') : NULL;

    if (first < got && line[first] && line[first] != '-' && strcmp(p->program, "spanloom") != 0)
        snprintf(to, n, "%s %s", p->program, base ? base + 1 : line + first);
    else
        snprintf(to, n, "%s", p->program);
}

void shell_process_facts(struct sl_buf *b, const struct shell_process *p, const char *component,
                         const uint64_t trace_id[2], uint64_t span_id, uint64_t parent_id)
{
    char name[PATH_MAX], ancestors[1024];

    sl_job_environment_ancestors(p->pid, ancestors, sizeof ancestors);
    sl_buf_addf(
        b,
        "\"pid\": %d, \"tid\": %d, \"args\": {\"version\": 1, \"pid\": %d, \"ppid\": %d, \"start_ns\": \"%lld\", "
        "\"start_ticks\": %llu, \"trace_id\": \"%016llx%016llx\", \"span_id\": \"%016llx\"",
        (int)p->pid, (int)p->pid, (int)p->pid, (int)p->ppid, (long long)p->start_ns, (unsigned long long)p->start_ticks,
        (unsigned long long)trace_id[0], (unsigned long long)trace_id[1], (unsigned long long)span_id);
    if (parent_id)
        sl_buf_addf(b, ", \"parent_id\": \"%016llx\"", (unsigned long long)parent_id);
    fact(b, "hostname", p->host);
    fact(b, "name", component);
    fact(b, "exe", p->exe);
    fact(b, "program", p->program);
    fact(b, "cwd", p->cwd);
    fact(b, "instance_path", getenv("PERFFLOW_INSTANCE_PATH"));
    fact(b, "rank", sl_job_environment_rank());
    fact(b, "ancestors", ancestors);
    for (char **e = environ; e && *e; e++) {
        size_t n = strcspn(*e, "=");
        char key[128];
        if (!sl_job_environment_names(*e) || n + 5 > sizeof key || !(*e)[n])
            continue;
        snprintf(key, sizeof key, "env.%.*s", (int)n, *e);
        fact(b, key, *e + n + 1);
    }
    name_for_people(p, name, sizeof name);
    sl_buf_addf(b, "}},\n{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": %d, \"tid\": %d, \"args\": {\"name\": ",
                (int)p->pid, (int)p->pid);
    sl_buf_add_json(b, name, strlen(name));
    sl_buf_adds(b, "}}");
}
