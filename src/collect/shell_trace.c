/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/shell_trace.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "collect/process.h"
#include "trace/options.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 5000 }; /* for the lock: an event is written in microseconds */

static const char closing[] = "\n]\n";
static const char opening[] = "[\n{\"name\": \"spanloom\", \"ph\": \"M\", ";

/* ---- the file ---- */

static int make_dirs(char *path)
{
    for (char *p = path + 1;; p++) {
        if (*p && *p != '/')
            continue;
        char was = *p;
        *p = 0;
        int rc = mkdir(path, 0777);
        int error = errno;
        *p = was;
        if (rc != 0 && error != EEXIST && (!was || error != EACCES))
            return error;
        if (!was)
            return 0;
    }
}

/* The parts that log-filename-include names; a file is one process's, so that its pid is always there. */
static bool name_file(char *to, const struct sl_options *o, const struct shell_process *p, bool other)
{
    struct sl_buf b = {0};
    bool pid = false, fits;

    sl_buf_addf(&b, "%s/perfflow.array", o->dir);
    for (const char *w = o->include; *w; w += strcspn(w, ","), w += *w == ',') {
        if (!strncmp(w, "name", 4))
            sl_buf_addf(&b, ".%s", o->name);
        else if (!strncmp(w, "hostname", 8))
            sl_buf_addf(&b, ".%s", p->host);
        else if (!strncmp(w, "instance-path", 13) && getenv("PERFFLOW_INSTANCE_PATH") &&
                 !strchr(getenv("PERFFLOW_INSTANCE_PATH"), '/'))
            sl_buf_addf(&b, ".{%s}", getenv("PERFFLOW_INSTANCE_PATH"));
        else if (!strncmp(w, "pid", 3) && (pid = true))
            sl_buf_addf(&b, ".%d", (int)p->pid);
    }
    if (!pid)
        sl_buf_addf(&b, ".%d", (int)p->pid);
    /* not the name that a runtime inside of the process, which may be Python, would give its own */
    sl_buf_adds(&b, ".shell");
    if (other)
        sl_buf_addf(&b, "-%llu", (unsigned long long)p->start_ticks);
    sl_buf_adds(&b, ".pfw");
    fits = b.n < PATH_MAX;
    if (fits)
        memcpy(to, b.s, b.n + 1);
    sl_buf_free(&b);
    return fits;
}

static int lock(int fd)
{
    for (int ms = 0; ms < PATIENCE_MS; ms++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return 0;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return errno == ENOLCK || errno == EOPNOTSUPP ? 0 : errno; /* a file system without locks: do without */
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    return EWOULDBLOCK;
}

/* Where the last whole event ends; 0: there is none.  A write that was torn lies behind it. */
static size_t whole(const char *s, size_t n)
{
    while (n && s[n - 1] != '\n')
        n--;
    while (n && strchr("\n],", s[n - 1]))
        n--;
    return n && s[n - 1] == '}' ? n : 0;
}

static bool hex_after(const char *s, const char *what, uint64_t *to)
{
    char text[17] = "";
    const char *at = strstr(s, what);

    if (!at || strlen(at) < strlen(what) + 16)
        return false;
    memcpy(text, at + strlen(what), 16);
    *to = strtoull(text, NULL, 16);
    return true;
}

enum whose { OURS, EMPTY, SOMEONES };

/* Reads the header of the open file. */
static enum whose read_header(struct shell_trace *t, const struct shell_process *p)
{
    static const char trace[] = "\"trace_id\": \"";
    char head[4 * PATH_MAX], want[64];
    ssize_t n = pread(t->fd, head, sizeof head - 1, 0);
    char *line;

    head[n > 0 ? n : 0] = 0;
    if (n <= 0 || (strncmp(head, opening, (size_t)n) == 0 && (size_t)n < sizeof opening))
        return EMPTY;
    if (strncmp(head, opening, sizeof opening - 1))
        return SOMEONES;
    if (!(line = strchr(head + 2, '\n')))
        return EMPTY; /* torn, by the first of all writes */
    *line = 0;
    snprintf(want, sizeof want, "\"start_ticks\": %llu,", (unsigned long long)p->start_ticks);
    if (!strstr(head, want) || !hex_after(head, trace, &t->trace_id[0]) ||
        !hex_after(head, "\"span_id\": \"", &t->span_id))
        return SOMEONES;
    hex_after(strstr(head, trace) + strlen(trace) + 16, "", &t->trace_id[1]);
    return OURS;
}

static int fail(const struct shell_trace *t, int error, struct sl_err *err)
{
    return sl_err(err, SL_EIO, "nothing is recorded: %s: %s; name another place: SPANLOOM_OPTIONS=log-dir=DIR", t->path,
                  strerror(error));
}

/* Over what stands behind t->end: the end of the array, or what a crash left. */
static int append(struct shell_trace *t, const struct sl_buf *line, struct sl_err *err)
{
    struct sl_buf b = {0};
    off_t size = lseek(t->fd, 0, SEEK_END);
    ssize_t got;
    int error = 0;

    sl_buf_adds(&b, t->end ? ",\n" : "");
    sl_buf_add(&b, line->s, line->n);
    sl_buf_adds(&b, closing);
    got = pwrite(t->fd, b.s, b.n, t->end);
    if (got != (ssize_t)b.n) { /* there was room for what stood there: it still is */
        error = got < 0 ? errno : ENOSPC;
        if (ftruncate(t->fd, t->end) != 0 ||
            (t->end && pwrite(t->fd, closing, sizeof closing - 1, t->end) < (ssize_t)sizeof closing - 1))
            error = errno ? errno : ENOSPC;
    } else {
        t->end += (off_t)(b.n - (sizeof closing - 1));
        if (t->end + (off_t)sizeof closing - 1 < size && ftruncate(t->fd, t->end + (off_t)sizeof closing - 1) != 0)
            error = errno;
    }
    sl_buf_free(&b);
    return error ? fail(t, error, err) : 0;
}

static int write_header(struct shell_trace *t, const struct sl_options *o, const struct shell_process *p,
                        struct sl_err *err)
{
    struct sl_buf b = {0};
    int rc;

    shell_process_ids(p, t->trace_id, &t->span_id, &t->parent_id);
    sl_buf_adds(&b, opening);
    shell_process_facts(&b, p, o->name, t->trace_id, t->span_id, t->parent_id);
    t->end = 0;
    rc = append(t, &b, err);
    sl_buf_free(&b);
    return rc;
}

static void find_end(struct shell_trace *t)
{
    struct stat st;
    char *s;

    t->end = 0;
    if (fstat(t->fd, &st) != 0 || !st.st_size)
        return;
    s = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, t->fd, 0);
    if (s == MAP_FAILED)
        return;
    t->end = (int64_t)whole(s, (size_t)st.st_size);
    munmap(s, (size_t)st.st_size);
}

static int open_file(struct shell_trace *t, const struct sl_options *o, const struct shell_process *p, bool make,
                     struct sl_err *err)
{
    for (int other = 0; other < 2; other++) {
        enum whose whose;
        int error;
        if (!name_file(t->path, o, p, other))
            return sl_err(err, SL_EIO, "nothing is recorded: log-dir and name are too long for a path");
        t->fd = open(t->path, O_RDWR | (make ? O_CREAT : 0) | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (t->fd < 0 && !make && errno == ENOENT)
            return sl_err(err, SL_ENOTFOUND, "nothing was begun in process %d", (int)p->pid);
        if (t->fd < 0)
            return fail(t, errno, err);
        if ((error = lock(t->fd)) != 0)
            return fail(t, error, err);
        whose = read_header(t, p);
        if (whose == EMPTY)
            return make ? write_header(t, o, p, err) : sl_err(err, SL_ENOTFOUND, "nothing was begun");
        find_end(t);
        if (whose == OURS && t->end)
            return 0;
        close(t->fd); /* of a process that had this pid before */
        t->fd = -1;
    }
    return sl_err(err, SL_EIO, "nothing is recorded: %s is there and is no trace of this process", t->path);
}

int shell_trace_open(struct shell_trace *t, pid_t pid, bool make, struct sl_err *err)
{
    struct sl_options o;
    struct shell_process p;
    struct shell_trace ids = {0};
    int rc, error;

    t->fd = -1;
    t->pid = pid;
    t->end = 0;
    sl_options_read(&o, false, !t->quiet);
    if (!o.enable)
        return 0;
    shell_process_read(&p, pid);
    ids.parent_id = 1; /* not asked for */
    shell_process_ids(&p, ids.trace_id, &ids.span_id, &ids.parent_id);
    shell_log_dir(o.dir, ids.span_id, make && pid != getpid());
    snprintf(t->path, sizeof t->path, "%s", o.dir);
    if (make && (error = make_dirs(t->path)) != 0)
        return fail(t, error, err);
    rc = open_file(t, &o, &p, make, err);
    if (rc)
        shell_trace_close(t);
    return rc;
}

void shell_trace_close(struct shell_trace *t)
{
    if (t->fd >= 0)
        close(t->fd);
    t->fd = -1;
}

void shell_trace_pause(struct shell_trace *t)
{
    if (t->fd >= 0)
        flock(t->fd, LOCK_UN);
}

int shell_trace_resume(struct shell_trace *t, struct sl_err *err)
{
    int error = t->fd >= 0 ? lock(t->fd) : 0;

    if (error)
        return fail(t, error, err);
    if (t->fd >= 0)
        find_end(t);
    return 0;
}

/* ---- events ---- */

static char *quoted(const char *name)
{
    struct sl_buf b = {0};

    sl_buf_add_json(&b, name, strlen(name));
    return b.s;
}

/* name: in quotes; id: of a span, 0: none; args: members of the event's. */
static int write_event(struct shell_trace *t, char phase, const char *name, int64_t ns, uint64_t id, const char *args,
                       struct sl_err *err)
{
    struct sl_buf b = {0};
    int rc;

    /* the phase first: what is looked for from the end is at the beginning of a line */
    sl_buf_addf(&b, "{\"ph\": \"%c\", \"name\": %s, \"cat\": \"shell\", \"pid\": %d, \"tid\": %d, \"ts\": %lld.%03d",
                phase, name, (int)t->pid, (int)t->pid, (long long)(ns / 1000), (int)(ns % 1000));
    if (phase == 'i')
        sl_buf_adds(&b, ", \"s\": \"t\"");
    if (id)
        sl_buf_addf(&b, ", \"args\": {\"span_id\": \"%016llx\"%s%s}", (unsigned long long)id, *args ? ", " : "", args);
    else if (*args)
        sl_buf_addf(&b, ", \"args\": {%s}", args);
    sl_buf_addc(&b, '}');
    rc = append(t, &b, err);
    sl_buf_free(&b);
    return rc;
}

int shell_trace_begin(struct shell_trace *t, const char *name, const char *args, uint64_t *id, struct sl_err *err)
{
    char *q;
    int rc;

    *id = sl_hash_mix(t->span_id, (uint64_t)t->end);
    *id += !*id;
    if (t->fd < 0)
        return 0;
    q = quoted(name);
    rc = write_event(t, 'B', q, sl_clock_now_ns(), *id, args, err);
    free(q);
    return rc;
}

int shell_trace_end(struct shell_trace *t, const struct shell_span *span, const char *args, int64_t time_ns,
                    struct sl_err *err)
{
    return t->fd < 0 ? 0 : write_event(t, 'E', span->name, time_ns, span->id, args, err);
}

int shell_trace_event(struct shell_trace *t, const char *name, const char *args, struct sl_err *err)
{
    char *q;
    int rc;

    if (t->fd < 0)
        return 0;
    q = quoted(name);
    rc = write_event(t, 'i', q, sl_clock_now_ns(), 0, args, err);
    free(q);
    return rc;
}

/* ---- what is open ---- */

static bool read_span(struct shell_span *span, const char *line, size_t n)
{
    static const char name[] = "{\"ph\": \"B\", \"name\": ";
    char *s = sl_strndup(line, n), *p = s + sizeof name, *waiting;
    bool ok = n > sizeof name;

    for (; ok && *p && *p != '"'; p++)
        if (*p == '\\' && p[1])
            p++;
    ok = ok && hex_after(p, "\"span_id\": \"", &span->id);
    if (ok) {
        waiting = strstr(p, "\"span_pid\": ");
        span->command = waiting != NULL;
        span->waiting = waiting ? (pid_t)atoi(waiting + strlen("\"span_pid\": ")) : 0;
        span->name = sl_strndup(s + sizeof name - 1, (size_t)(p + 1 - (s + sizeof name - 1)));
    }
    free(s);
    return ok;
}

void shell_trace_innermost(const struct shell_trace *t, bool commands, struct shell_span *span)
{
    SL_VEC(uint64_t) ended = {0};
    size_t n = (size_t)t->end;
    char *s;

    *span = (struct shell_span){0};
    if (t->fd < 0 || !n || (s = mmap(NULL, n, PROT_READ, MAP_SHARED, t->fd, 0)) == MAP_FAILED)
        return;
    while (n > 1 && !span->name) {
        char *line = memrchr(s, '\n', n);
        size_t from = line ? (size_t)(line - s) + 1 : 0, k = ended.n;
        struct shell_span at = {0};
        char phase = n - from > 8 && !memcmp(s + from, "{\"ph\": \"", 8) ? s[from + 8] : 0;
        if (phase == 'E') {
            char *copy = sl_strndup(s + from, n - from);
            uint64_t id = 0;
            hex_after(copy, "\"span_id\": \"", &id);
            *sl_vec_add(&ended) = id;
            free(copy);
        } else if (phase == 'B' && read_span(&at, s + from, n - from)) {
            while (k && ended.v[k - 1] != at.id)
                k--;
            if (k) /* begun before: it will not be met again, nor what ended within it */
                ended.n = k - 1;
            else if (!at.command || (commands && (kill(at.waiting, 0) == 0 || errno == EPERM)))
                *span = at;
            if (!span->name)
                free(at.name);
        }
        n = from ? from - 1 : 0;
    }
    munmap(s, (size_t)t->end);
    sl_vec_free(&ended);
}

static bool has_open(pid_t pid)
{
    struct shell_trace t = {.quiet = true};
    struct shell_span open = {0};

    if (shell_trace_open(&t, pid, false, NULL))
        return false;
    shell_trace_innermost(&t, true, &open);
    shell_trace_close(&t);
    free(open.name);
    return open.name != NULL;
}

/* Of a process that is not ours to look at it is not known. */
static bool may_be_shell(pid_t pid)
{
    static const char *const shells[] = {"sh",   "bash", "dash", "ash", "zsh",  "ksh",         "ksh93",
                                         "mksh", "yash", "fish", "csh", "tcsh", "bash-static", "busybox"};
    struct shell_process p;
    const char *name;
    bool is;

    shell_process_read(&p, pid);
    name = strrchr(p.exe, '/');
    is = !name;
    for (size_t i = 0; i < sizeof shells / sizeof *shells && !is; i++)
        is = !strcmp(name + 1, shells[i]);
    return is;
}

pid_t shell_trace_caller(bool event)
{
    pid_t parent = getppid();

    return has_open(getpid()) || (event && !may_be_shell(parent) && !has_open(parent)) ? getpid() : parent;
}

/* ---- small things ---- */

/* The whole of s is a number as JSON has it. */
static bool is_number(const char *s)
{
    s += *s == '-';
    if (*s < '0' || *s > '9' || (*s == '0' && s[1] >= '0' && s[1] <= '9'))
        return false;
    s += strspn(s, "0123456789");
    if (*s == '.') {
        size_t n = strspn(s + 1, "0123456789");
        if (!n)
            return false;
        s += n + 1;
    }
    if (*s == 'e' || *s == 'E') {
        s += 1 + (s[1] == '+' || s[1] == '-');
        if (!*s)
            return false;
        s += strspn(s, "0123456789");
    }
    return !*s;
}

bool shell_trace_arg(struct sl_buf *args, const char *text)
{
    const char *eq = strchr(text, '=');
    size_t n = eq ? (size_t)(eq - text) : 0;

    if (!n || (n == 7 && !strncmp(text, "span_id", n)) || (n == 8 && !strncmp(text, "span_pid", n)))
        return false;
    if (args->n)
        sl_buf_adds(args, ", ");
    sl_buf_add_json(args, text, n);
    sl_buf_adds(args, ": ");
    if (is_number(eq + 1))
        sl_buf_adds(args, eq + 1);
    else
        sl_buf_add_json(args, eq + 1, strlen(eq + 1));
    return true;
}

void shell_traceparent(const struct shell_trace *t, uint64_t id, char to[56])
{
    snprintf(to, 56, "00-%016llx%016llx-%016llx-01", (unsigned long long)t->trace_id[0],
             (unsigned long long)t->trace_id[1], (unsigned long long)(id ? id : t->span_id));
}
