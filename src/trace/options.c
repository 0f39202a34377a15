/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PERFFLOW_OPTIONS as PerfFlowAspect documents it ("k=v:k=v", docs/BasicTutorial.rst there), and SPANLOOM_OPTIONS,
 * which takes the same and what is new, and comes second.
 */
#include "trace/options.h"
#include "trace/format.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { BUFFER_LEAST = 16 << 10, BUFFER_MOST = 64 << 20 };

static void say(const char *const *parts)
{
    char line[1024];
    size_t n = 0;
    sigset_t before, raised;

    sigpending(&before);
    for (; *parts; parts++)
        for (const char *p = *parts; *p && n + 1 < sizeof line; p++)
            line[n++] = *p;
    line[n++] = '\n';
    for (size_t at = 0; at < n;) {
        ssize_t got = write(STDERR_FILENO, line + at, n - at);
        if (got <= 0 && errno != EINTR)
            break;
        at += got > 0 ? (size_t)got : 0;
    }
    sigemptyset(&raised);
    for (int i = 0; i < 2; i++)
        if (!sigismember(&before, i ? SIGPIPE : SIGXFSZ))
            sigaddset(&raised, i ? SIGPIPE : SIGXFSZ);
    sigtimedwait(&raised, NULL, &(struct timespec){0, 0});
}

#define SAY(...) say((const char *const[]){"spanloom: ", __VA_ARGS__, NULL})

void sl_options_complain(const char *option, const char *why)
{
    SAY(option, ": ", why);
}

static bool one_of(const char *value, const char *yes, const char *no, bool *to)
{
    bool is = !strcasecmp(value, yes);

    if (!is && strcasecmp(value, no))
        return false;
    *to = is;
    return true;
}

static bool text(const char *value, char *to, size_t n)
{
    if (strlen(value) >= n)
        return false;
    strcpy(to, value);
    return true;
}

static bool is_part(const char *p, size_t n)
{
    static const char *const known[] = {"name", "instance-path", "hostname", "pid"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == n && !memcmp(known[i], p, n))
            return true;
    return false;
}

/* Those that are known; NULL, or what is wrong with the others. */
static const char *parts(const char *value, char *to, size_t room)
{
    const char *why = NULL;
    size_t at = 0;

    if (strlen(value) >= room)
        return "is too long";
    for (const char *p = value, *end; *p; p = *end ? end + 1 : end) {
        size_t n = strcspn(p, ",");
        end = p + n;
        if (!is_part(p, n)) {
            why = "what is none of name,instance-path,hostname,pid is left out";
            continue;
        }
        if (at)
            to[at++] = ',';
        memcpy(to + at, p, n);
        at += n;
    }
    to[at] = 0;
    return why;
}

static bool size(const char *value, uint32_t *to)
{
    char *end;
    unsigned long long n = strtoull(value, &end, 10);

    if (end == value || *value == '-')
        return false;
    if (*end == 'k' || *end == 'K')
        n <<= 10, end++;
    else if (*end == 'm' || *end == 'M')
        n <<= 20, end++;
    if (*end || n < BUFFER_LEAST || n > BUFFER_MOST)
        return false;
    *to = (uint32_t)((n + SL_TF_PAGE - 1) / SL_TF_PAGE * SL_TF_PAGE);
    return true;
}

/* 500ns, 1us, 2ms; at most a second. */
static bool duration(const char *value, uint64_t *to)
{
    static const char *const units[] = {"ns", "us", "ms"};
    char *end;
    unsigned long long n = strtoull(value, &end, 10);

    if (end == value || *value < '0' || *value > '9' || n > 1000000000)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++, n *= 1000)
        if (!strcmp(end, units[i]) && n <= 1000000000) {
            *to = n;
            return true;
        }
    return false;
}

#define KNOWN "name, log-filename-include, log-dir, log-enable, cpu-mem-usage, log-event, log-format, caliper-enable"

/* What usage is measured of. */
static const char *measured(struct sl_options *o, const char *value, bool ours)
{
    bool of_thread = !strcasecmp(value, "thread");

    if (of_thread && !ours)
        return "belongs in SPANLOOM_OPTIONS; say True or False here";
    if (!of_thread && !one_of(value, "true", "false", &o->usage))
        return ours ? "say True, False or Thread" : "say True or False";
    o->usage |= of_thread;
    o->of_thread = of_thread;
    return NULL;
}

/* NULL, or what is wrong with it. */
static const char *set(struct sl_options *o, const char *name, const char *value, bool ours)
{
    bool b;

    if (!strcmp(name, "name"))
        return *value && !strchr(value, '/') && text(value, o->name, sizeof o->name)
                   ? NULL
                   : "a name has 1 to 255 bytes and no /";
    if (!strcmp(name, "log-filename-include"))
        return parts(value, o->include, sizeof o->include);
    if (!strcmp(name, "log-dir"))
        return *value && text(value, o->dir, sizeof o->dir - 512) ? NULL : "name a directory";
    if (!strcmp(name, "log-enable"))
        return one_of(value, "true", "false", &o->enable) ? NULL : "say True or False";
    if (!strcmp(name, "cpu-mem-usage"))
        return measured(o, value, ours);
    if (!strcmp(name, "log-event"))
        return one_of(value, "compact", "verbose", &o->compact) ? NULL : "say Verbose or Compact";
    if (!strcmp(name, "log-format")) {
        if (ours && !strcasecmp(value, "binary")) {
            o->binary = true;
            return NULL;
        }
        if (!one_of(value, "object", "array", &b))
            return ours                          ? "say Array, Object or Binary"
                   : strcasecmp(value, "binary") ? "say Array or Object"
                                                 : "belongs in SPANLOOM_OPTIONS; say Array or Object here";
        o->object = b;
        o->binary = false;
        return NULL;
    }
    if (!strcmp(name, "caliper-enable"))
        return one_of(value, "true", "false", &b) && !b
                   ? NULL
                   : "Spanloom does not feed Caliper; spanloom-trace(7) says what to do";
    if (!ours && (!strcmp(name, "log-close") || !strcmp(name, "buffer-size") || !strcmp(name, "clock") ||
                  !strcmp(name, "min-duration") || !strcmp(name, "only") || !strcmp(name, "skip")))
        return "belongs in SPANLOOM_OPTIONS";
    if (!strcmp(name, "log-close"))
        return one_of(value, "true", "false", &o->close) ? NULL : "say True or False";
    if (!strcmp(name, "buffer-size"))
        return size(value, &o->buffer) ? NULL : "say a size from 16K to 64M";
    if (!strcmp(name, "only"))
        return text(value, o->only, sizeof o->only) ? NULL : "has at most 1023 bytes";
    if (!strcmp(name, "skip"))
        return text(value, o->skip, sizeof o->skip) ? NULL : "has at most 1023 bytes";
    if (!strcmp(name, "min-duration"))
        return duration(value, &o->min_ns) ? NULL : "say a time up to 1000ms, such as 500ns or 1us";
    if (!strcmp(name, "clock")) {
        if (!one_of(value, "monotonic", "tsc", &o->monotonic))
            return "say tsc or monotonic";
        return NULL;
    }
    return ours ? "there is no such option; there are: " KNOWN
                  ", log-close, buffer-size, clock, min-duration, only, skip"
                : "there is no such option; there are: " KNOWN;
}

static void read_options(struct sl_options *o, const char *variable, bool ours, bool aloud)
{
    const char *p = secure_getenv(variable);
    char option[PATH_MAX + 64];

    for (; p && *p; p += strcspn(p, ":"), p += *p == ':') {
        size_t n = strcspn(p, ":");
        const char *why;
        char *equals;
        if (!n)
            continue;
        if (n >= sizeof option) {
            if (aloud)
                SAY(variable, ": an option is too long, and ignored");
            continue;
        }
        memcpy(option, p, n);
        option[n] = 0;
        equals = strchr(option, '=');
        if (!equals) {
            if (aloud)
                SAY(variable, ": ill-formed option: ", option, ": say NAME=VALUE (ignored)");
            continue;
        }
        *equals = 0;
        why = set(o, option, equals + 1, ours);
        *equals = '=';
        if (why && aloud)
            SAY(variable, ": ill-formed option: ", option, ": ", why, strstr(why, "left out") ? "" : " (ignored)");
    }
}

void sl_options_read(struct sl_options *o, bool secure, bool aloud)
{
    *o = (struct sl_options){
        .name = "generic", .include = "hostname,pid", .dir = "./", .enable = true, .close = true, .buffer = 64 << 10};
    if (secure)
        return;
    read_options(o, "PERFFLOW_OPTIONS", false, aloud);
    read_options(o, "SPANLOOM_OPTIONS", true, aloud);
    if (o->min_ns && o->usage) {
        if (aloud)
            SAY("min-duration does nothing where cpu-mem-usage measures each span");
        o->min_ns = 0;
    }
}
