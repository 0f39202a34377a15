/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the process is called, and where it belongs: file names and the instance path by PerfFlowAspect's rules, the W3C
 * trace context (https://www.w3.org/TR/trace-context/), and facts about the process for whoever joins traces.
 */
#include "runtime/runtime.h"
#include "runtime/sha1.h"
#include "trace/job_environment.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

uint64_t sl_random(void)
{
    uint64_t x;

    if (getrandom(&x, sizeof x, GRND_NONBLOCK) == sizeof x)
        return x;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    x = (uint64_t)t.tv_nsec << 32 ^ (uint64_t)t.tv_sec ^ (uint64_t)getpid() << 20 ^ (uintptr_t)&x;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u; /* the finaliser of SplitMix64 */
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

void sl_names_new_ids(void)
{
    atomic_store_explicit(&sl_rt.ids, (sl_random() >> 43 | 1) << 31, memory_order_relaxed);
}

/* ---- instance path ---- */

static void eight_digits(const char *text, size_t n, char *to)
{
    uint8_t digest[20];

    sl_sha1(text, n, digest);
    snprintf(to, 9, "%02x%02x%02x%02x", digest[0], digest[1], digest[2], digest[3]);
}

/* Both must be there. */
static bool joined(const char *a, const char *b, char *to, size_t n)
{
    const char *x = secure_getenv(a), *y = secure_getenv(b);

    return x && y && snprintf(to, n, "%s.%s", x, y) > 0;
}

/* The directory of the path of a URI (RFC 3986); id stays where there is none. */
static void uri_directory(const char *uri, char *id, size_t n)
{
    const char *path = uri ? strstr(uri, "://") : NULL;
    size_t end;

    path = path ? strchr(path + 3, '/') : NULL;
    if (!path)
        return;
    for (end = strcspn(path, "?#"); path[end - 1] != '/'; end--)
        ;
    while (end > 1 && path[end - 1] == '/')
        end--;
    snprintf(id, n, "%.*s", (int)end, path);
}

static void own_instance(char *to, size_t n)
{
    const char *flux = secure_getenv("FLUX_JOB_ID"), *uri = secure_getenv("FLUX_URI");
    char id[PATH_MAX] = "";

    if (flux) {
        snprintf(to, n, "%s", flux);
        return;
    }
    /* Slurm first, and LSF only where there is no Slurm, as PerfFlowAspect does. */
    if (secure_getenv("SLURM_JOB_ID"))
        joined("SLURM_JOB_ID", "SLURM_STEP_ID", id, sizeof id);
    else
        joined("LSB_JOBID", "LS_JOBPID", id, sizeof id);
    if (!*id) {
        snprintf(id, sizeof id, "1");
        uri_directory(uri, id, sizeof id);
    }
    eight_digits(id, strlen(id), to);
}

/* Another copy of this library, in a program that has one linked and one loaded: what it told lies in its own memory.
 * The environment that a process begins with, and what setenv() makes, does not. */
static bool told_by_a_copy(const char *value)
{
    Dl_info where;

    return dladdr(value, &where) && where.dli_fbase;
}

void sl_names_instance_path(char *to, size_t n)
{
    const char *above = secure_getenv("PERFFLOW_INSTANCE_PATH");
    char own[256];

    if (above && told_by_a_copy(above)) {
        snprintf(to, n, "%s", above);
        return;
    }
    own_instance(own, sizeof own);
    snprintf(to, n, above ? "%s.%s" : "%s%s", above ? above : "", own);
}

/* ---- trace context ---- */

static bool hex_number(const char *s, uint64_t *to)
{
    *to = 0;
    for (int i = 0; i < 16; i++) {
        const char *digit = s[i] ? strchr("0123456789abcdef", s[i]) : NULL;
        if (!digit)
            return false;
        *to = *to << 4 | (uint64_t)(digit - "0123456789abcdef");
    }
    return true;
}

bool sl_names_lie_in(const char *s)
{
    uint64_t high, low, parent;

    if (!s || strnlen(s, 55) != 55 || !strncmp(s, "ff", 2) || s[2] != '-' || !hex_number(s + 3, &high) ||
        !hex_number(s + 19, &low) || s[35] != '-' || !hex_number(s + 36, &parent) || s[52] != '-' || !(high | low) ||
        !parent)
        return false;
    sl_rt.trace_id[0] = high;
    sl_rt.trace_id[1] = low;
    sl_rt.parent_id = parent;
    return true;
}

void sl_names_read_parent(void)
{
    if (!sl_names_lie_in(secure_getenv("TRACEPARENT"))) {
        sl_rt.trace_id[0] = sl_random();
        sl_rt.trace_id[1] = sl_random() | 1;
    }
    sl_rt.span_id = sl_random() | 1;
    sl_names_new_ids();
}

/* Ours, and written in place after a fork, where nothing may be allocated. */
static char traceparent[sizeof "TRACEPARENT=" + 55] = "TRACEPARENT=";
static char instance[sizeof "PERFFLOW_INSTANCE_PATH=" + sizeof sl_rt.instance_path];

void sl_names_export(void)
{
    uint64_t id = sl_rt.forked && sl_rt.state != SL_OPEN ? sl_rt.parent_id : sl_rt.span_id;

    sl_traceparent_write(traceparent + strlen("TRACEPARENT="), id);
    if (*instance)
        return;
    snprintf(instance, sizeof instance, "PERFFLOW_INSTANCE_PATH=%s", sl_rt.instance_path);
    putenv(instance);
    if (sl_rt.options.enable) /* else there will be no trace that has the id */
        putenv(traceparent);
}

void sl_names_unexport(void)
{
    if (secure_getenv("TRACEPARENT") == traceparent + strlen("TRACEPARENT="))
        unsetenv("TRACEPARENT");
    if (secure_getenv("PERFFLOW_INSTANCE_PATH") == instance + strlen("PERFFLOW_INSTANCE_PATH="))
        unsetenv("PERFFLOW_INSTANCE_PATH");
}

/* ---- file names ---- */

static void host(char *to, size_t n)
{
    if (gethostname(to, n) || !memchr(to, 0, n))
        to[n - 1] = 0;
}

void sl_names_make(const struct sl_options *o, bool pid, char *base, size_t n)
{
    size_t at;
    char hostname[256];
    bool has_pid = false;

#define ADD(...)                                                                                                       \
    do {                                                                                                               \
        int got_ = snprintf(base + at, n - at, __VA_ARGS__);                                                           \
        at = got_ < 0 || at + (size_t)got_ >= n ? n - 1 : at + (size_t)got_;                                           \
    } while (0)
    at = 0;
    ADD("%s%sperfflow.%s", o->dir, o->dir[strlen(o->dir) - 1] == '/' ? "" : "/",
        o->binary   ? "binary"
        : o->object ? "object"
                    : "array");
    host(hostname, sizeof hostname);
    for (const char *p = o->include, *end; *p; p = *end ? end + 1 : end) {
        end = p + strcspn(p, ",");
        switch (*p) {
        case 'n': ADD(".%s", o->name); break;
        case 'i': ADD(".{%s}", sl_rt.instance_path); break;
        case 'h': ADD(".%s", hostname); break;
        default: ADD(".%d", (int)sl_rt.pid); has_pid = true;
        }
    }
    if (pid && !has_pid)
        ADD(".%d", (int)sl_rt.pid);
#undef ADD
}

/* ---- facts ---- */

struct facts {
    char *to;
    size_t at, n;
};

static void fact(struct facts *f, const char *name, const char *value)
{
    size_t a = strlen(name), b = value ? strnlen(value, 1024) : 0;

    if (!value || f->at + a + b + 2 > f->n)
        return;
    memcpy(f->to + f->at, name, a);
    f->to[f->at + a] = '=';
    memcpy(f->to + f->at + a + 1, value, b);
    f->to[f->at + a + 1 + b] = 0;
    f->at += a + b + 2;
}

static void number_fact(struct facts *f, const char *name, uint64_t x, bool hex)
{
    char text[24];

    snprintf(text, sizeof text, hex ? "%016llx" : "%llu", (unsigned long long)x);
    fact(f, name, text);
}

size_t sl_names_facts(char *to, size_t n)
{
    struct facts f = {to, 0, n};
    char text[PATH_MAX];
    ssize_t got;

    host(text, 256);
    fact(&f, "hostname", text);
    fact(&f, "name", sl_rt.options.name);
    got = readlink("/proc/self/exe", text, sizeof text - 1);
    if (got > 0) {
        text[got] = 0;
        fact(&f, "exe", text);
    }
    fact(&f, "program", program_invocation_short_name);
    if (getcwd(text, sizeof text))
        fact(&f, "cwd", text);
    fact(&f, "instance_path", sl_rt.instance_path);
    fact(&f, "rank", sl_job_environment_rank());
    sl_job_environment_ancestors(getpid(), text, 1024);
    if (*text)
        fact(&f, "ancestors", text);
    if (sl_rt.options.min_ns)
        number_fact(&f, "min_duration_ns", sl_rt.options.min_ns, false);
    if (sl_rt.forked)
        number_fact(&f, "parent_process", sl_rt.parent_process, true);
    for (char **e = getauxval(AT_SECURE) ? NULL : environ; e && *e; e++)
        if (sl_job_environment_names(*e)) {
            char name[128] = "env.";
            size_t length = strcspn(*e, "=");
            if (length + 5 > sizeof name || !(*e)[length])
                continue;
            memcpy(name + 4, *e, length);
            name[4 + length] = 0;
            fact(&f, name, *e + length + 1);
        }
    return f.at;
}
