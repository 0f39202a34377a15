/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is the same in many lines (a site's name and category, the process and thread) is made once and copied.  Numbers
 * are written by hand: the exit of the traced program waits for this.
 */
#include "trace/chrome_writer.h"
#include "base/files/whole_file.h"
#include "trace/format.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 1 << 18, LINE = 1 << 16, CACHE = 4096 };

struct heading { /* {"name": "...", "cat": "...", "pid": N, "tid": */
    const struct sl_trace_site *site;
    uint32_t n;
    char *text;
};

struct out {
    int fd, error;
    size_t n;
    uint64_t written, most; /* bytes of the file, and how many it may have */
    const struct sl_trace_process *process;
    struct sl_decoded *d;
    uint32_t options;
    bool any;
    struct heading cache[CACHE];
    char pid[32], buffer[BUFFER + LINE];
};

/* ---- text ---- */

static void flush(struct out *o)
{
    /* To write beyond the limit of the process would raise SIGXFSZ in it. */
    o->written += o->n;
    if (o->written > o->most && !o->error)
        o->error = EFBIG;
    for (size_t at = 0; at < o->n && !o->error;) {
        ssize_t got = write(o->fd, o->buffer + at, o->n - at);
        if (got < 0 && errno != EINTR)
            o->error = errno;
        at += got > 0 ? (size_t)got : 0;
    }
    o->n = 0;
}

static inline void put(struct out *o, const char *s, size_t n)
{
    while (n > BUFFER + LINE - o->n) {
        size_t part = BUFFER + LINE - o->n;
        memcpy(o->buffer + o->n, s, part);
        o->n += part;
        s += part;
        n -= part;
        flush(o);
    }
    memcpy(o->buffer + o->n, s, n);
    o->n += n;
}

#define PUT(o, literal) put(o, literal, sizeof(literal) - 1)

static void put_string(struct out *o, const char *s)
{
    put(o, s, strlen(s));
}

static char *digits(char *end, uint64_t x)
{
    do
        *--end = (char)('0' + x % 10);
    while (x /= 10);
    return end;
}

static void put_number(struct out *o, uint64_t x)
{
    char text[24], *p = digits(text + sizeof text, x);

    put(o, p, (size_t)(text + sizeof text - p));
}

static void put_signed(struct out *o, int64_t x)
{
    if (x < 0)
        PUT(o, "-");
    put_number(o, x < 0 ? -(uint64_t)x : (uint64_t)x);
}

/* Nanoseconds as microseconds with three decimals. */
static void put_us(struct out *o, int64_t ns)
{
    uint64_t u = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    char text[32], *p;

    text[31] = (char)('0' + u % 10);
    text[30] = (char)('0' + u / 10 % 10);
    text[29] = (char)('0' + u / 100 % 10);
    text[28] = '.';
    p = digits(text + 28, u / 1000);
    if (ns < 0)
        *--p = '-';
    put(o, p, (size_t)(text + 32 - p));
}

static void put_double(struct out *o, double x)
{
    char text[40];

    if (!isfinite(x)) /* JSON has no such numbers */
        put_string(o, isnan(x) ? "\"NaN\"" : x > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    else {
        snprintf(text, sizeof text, "%.17g", x);
        for (char *p = text; *p; p++)
            if (*p == ',') /* the program's locale */
                *p = '.';
        put_string(o, text);
        if (!strpbrk(text, ".e"))
            PUT(o, ".0");
    }
}

/* Length of the UTF-8 character at s (RFC 3629), or 0. */
static size_t utf8(const uint8_t *s, size_t n)
{
    static const struct {
        uint8_t first, last, low, high, n;
    } forms[] = {{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
                 {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
                 {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (s[0] >= forms[i].first && s[0] <= forms[i].last) {
            if (n < forms[i].n || s[1] < forms[i].low || s[1] > forms[i].high)
                return 0;
            for (size_t k = 2; k < forms[i].n; k++)
                if (s[k] >> 6 != 2)
                    return 0;
            return forms[i].n;
        }
    return 0;
}

/* What stands for a byte that cannot stand for itself.  One that is no UTF-8 is taken for Latin-1: no name is dropped.
 */
static size_t escaped(uint8_t c, char to[6])
{
    static const char hex[] = "0123456789abcdef", letters[] = "btn?fr";

    if (c >= 0x80) { /* as UTF-8, since not every viewer decodes escapes */
        to[0] = (char)(0xc0 | c >> 6);
        to[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    to[0] = '\\';
    if (c == '"' || c == '\\') {
        to[1] = (char)c;
        return 2;
    }
    if (c >= '\b' && c <= '\r' && letters[c - '\b'] != '?') {
        to[1] = letters[c - '\b'];
        return 2;
    }
    memcpy(to + 1, "u00", 3);
    to[4] = hex[c >> 4];
    to[5] = hex[c & 15];
    return 6;
}

static void put_text(struct out *o, struct sl_text_ref t)
{
    size_t from = 0;
    char text[6];

    PUT(o, "\"");
    for (size_t i = 0; i < t.n;) {
        uint8_t c = (uint8_t)t.s[i];
        size_t n = c < 0x80 ? c >= 0x20 && c != '"' && c != '\\' : utf8((const uint8_t *)t.s + i, t.n - i);
        if (n) {
            i += n;
            continue;
        }
        put(o, t.s + from, i - from);
        put(o, text, escaped(c, text));
        from = ++i;
    }
    put(o, t.s + from, t.n - from);
    PUT(o, "\"");
}

static void put_quoted(struct out *o, const char *s)
{
    put_text(o, (struct sl_text_ref){s, (uint32_t)strlen(s)});
}

/* ---- events ---- */

static void line(struct out *o)
{
    if (o->any && !(o->options & SL_TF_NO_CLOSE))
        PUT(o, ",\n");
    o->any = true;
}

static void end_line(struct out *o)
{
    if (o->options & SL_TF_NO_CLOSE)
        PUT(o, ",\n");
    if (o->n > BUFFER)
        flush(o);
}

static void make_heading(struct out *o, const struct sl_trace_site *site)
{
    PUT(o, "{\"name\": ");
    put_text(o, site->name);
    PUT(o, ", \"cat\": ");
    put_text(o, site->category);
    put_string(o, o->pid);
}

static void put_heading(struct out *o, const struct sl_trace_site *site)
{
    struct heading *h = &o->cache[((uintptr_t)site / sizeof *site) % CACHE];
    uint64_t written = o->written;
    size_t from;

    if (h->site == site) {
        put(o, h->text, h->n);
        return;
    }
    from = o->n;
    make_heading(o, site);
    if (o->written != written || o->n - from > 1024) /* it was flushed on the way, or is long */
        return;
    free(h->text);
    h->n = (uint32_t)(o->n - from);
    h->text = malloc(h->n);
    h->site = h->text ? site : NULL;
    if (h->text)
        memcpy(h->text, o->buffer + from, h->n);
}

/* Up to the phase. */
static void begin_event(struct out *o, const struct sl_trace_site *site, uint32_t tid, int64_t ts_ns, char phase)
{
    char ph[] = ", \"ph\": \"?\"";

    line(o);
    put_heading(o, site);
    put_number(o, tid);
    PUT(o, ", \"ts\": ");
    put_us(o, ts_ns);
    ph[sizeof ph - 3] = phase;
    put(o, ph, sizeof ph - 1);
}

static void put_id(struct out *o, uint64_t id)
{
    PUT(o, ", \"id\": ");
    if (id < UINT64_C(1) << 53)
        put_number(o, id);
    else {
        char text[24];
        snprintf(text, sizeof text, "\"0x%llx\"", (unsigned long long)id);
        put_string(o, text);
    }
}

static void arg_name(struct out *o, bool *any)
{
    if (*any)
        PUT(o, ", ");
    else
        PUT(o, ", \"args\": {");
    *any = true;
}

static void put_arg(struct out *o, const struct sl_trace_arg *a, bool *any)
{
    static const char *const ours[] = {"span_id", "unfinished"};
    char renamed[32];
    struct sl_text_ref key = a->key;

    for (int i = 0; i < 2; i++)
        if (key.n == strlen(ours[i]) && !memcmp(key.s, ours[i], key.n)) {
            key.n = (uint32_t)snprintf(renamed, sizeof renamed, "args.%s", ours[i]);
            key.s = renamed;
        }
    arg_name(o, any);
    put_text(o, key);
    PUT(o, ": ");
    if (a->kind == SL_ARG_INT)
        put_signed(o, a->i);
    else if (a->kind == SL_ARG_DOUBLE)
        put_double(o, a->d);
    else
        put_text(o, a->t);
}

static bool given_again(const struct sl_trace_event *e, const struct sl_trace_arg *a)
{
    for (size_t i = 0; i < e->nargs; i++)
        if (e->args[i].key.s == a->key.s)
            return true;
    return false;
}

/* whole: with those of the begin, which has no line of its own. */
static void put_args(struct out *o, const struct sl_trace_event *e, bool whole)
{
    bool any = false;

    for (size_t i = 0; whole && i < e->nbegin; i++)
        if (!given_again(e, &e->begin_args[i]))
            put_arg(o, &e->begin_args[i], &any);
    for (size_t i = 0; i < e->nargs; i++)
        put_arg(o, &e->args[i], &any);
    if (e->context) {
        char text[24];
        snprintf(text, sizeof text, "\"%016llx\"", (unsigned long long)e->context);
        arg_name(o, &any);
        PUT(o, "\"span_id\": ");
        put_string(o, text);
    }
    if (e->unfinished) {
        arg_name(o, &any);
        PUT(o, "\"unfinished\": true");
    }
    if (any)
        PUT(o, "}");
}

static void put_usage(struct out *o, const struct sl_trace_event *e)
{
    int64_t wall = e->ts_ns - e->begin_ns, cpu = e->cpu_ns;

    if (o->process->options & SL_TF_OF_THREAD && cpu > wall) /* by two clocks */
        cpu = wall;

    begin_event(o, e->site, e->tid, e->begin_ns, 'C');
    PUT(o, ", \"args\": {\"cpu_usage\": ");
    put_double(o, wall > 0 ? 100.0 * (double)cpu / (double)wall : 0);
    PUT(o, ", \"memory_usage\": ");
    put_signed(o, e->rss_kib);
    PUT(o, "}}");
    end_line(o);
    begin_event(o, e->site, e->tid, e->ts_ns, 'C');
    PUT(o, ", \"args\": {\"cpu_usage\": 0.0, \"memory_usage\": 0}}");
    end_line(o);
}

static void end_event(struct out *o, const struct sl_trace_event *e, bool whole)
{
    put_args(o, e, whole);
    PUT(o, "}");
    end_line(o);
}

static void put_span(struct out *o, const struct sl_trace_event *e)
{
    bool compact = o->options & SL_TF_COMPACT;

    if (compact && e->phase == 'B')
        return;
    if (compact && e->usage)
        put_usage(o, e);
    begin_event(o, e->site, e->tid, compact ? e->begin_ns : e->ts_ns, compact ? 'X' : e->phase);
    if (compact) {
        PUT(o, ", \"dur\": ");
        put_us(o, e->ts_ns - e->begin_ns);
    }
    end_event(o, e, compact);
    if (!compact && e->usage)
        put_usage(o, e);
}

static void metadata(struct out *o, const char *name, uint32_t tid)
{
    line(o);
    PUT(o, "{\"name\": ");
    put_quoted(o, name);
    put_string(o, o->pid);
    put_number(o, tid);
    PUT(o, ", \"ph\": \"M\", \"args\": {");
}

static void end_metadata(struct out *o)
{
    PUT(o, "}}");
    end_line(o);
}

static void put_event(struct out *o, const struct sl_trace_event *e)
{
    static const struct sl_trace_site context = {.name = {"traceparent", 11}, .category = {"spanloom", 8}};

    switch (e->phase) {
    case 'B':
    case 'E': put_span(o, e); return;
    case 'N':
        if (o->options & SL_TF_NO_CLOSE)
            return;
        metadata(o, "thread_name", e->tid);
        PUT(o, "\"name\": ");
        put_text(o, e->text);
        end_metadata(o);
        return;
    case 'C':
        begin_event(o, e->site, e->tid, e->ts_ns, 'C');
        PUT(o, ", \"args\": {\"value\": ");
        if (isfinite(e->value))
            put_double(o, e->value);
        else
            PUT(o, "null");
        PUT(o, "}}");
        end_line(o);
        return;
    case 'i':
        begin_event(o, e->site ? e->site : &context, e->tid, e->ts_ns, 'i');
        PUT(o, ", \"s\": \"t\"");
        break;
    case 's':
    case 't':
    case 'f':
        begin_event(o, e->site, e->tid, e->ts_ns, e->phase);
        PUT(o, ", \"bp\": \"e\"");
        put_id(o, e->id);
        break;
    default:
        begin_event(o, e->site, e->tid, e->ts_ns, e->phase);
        if (e->text.n) {
            PUT(o, ", \"scope\": ");
            put_text(o, e->text);
        }
        put_id(o, e->id);
    }
    end_event(o, e, false);
}

/* ---- about the process ---- */

static void put_hex(struct out *o, const char *name, const uint64_t *x, size_t n)
{
    char text[20];

    PUT(o, ", ");
    put_quoted(o, name);
    PUT(o, ": \"");
    for (size_t i = 0; i < n; i++) {
        snprintf(text, sizeof text, "%016llx", (unsigned long long)x[i]);
        put_string(o, text);
    }
    PUT(o, "\"");
}

static void put_process(struct out *o)
{
    const struct sl_trace_process *p = o->process;
    const char *name = sl_decode_fact(o->d, "name"), *program = sl_decode_fact(o->d, "program"), *rank, *fact;
    char label[64];

    metadata(o, "spanloom", p->pid);
    PUT(o, "\"version\": 1, \"pid\": ");
    put_number(o, p->pid);
    PUT(o, ", \"ppid\": ");
    put_number(o, p->ppid);
    PUT(o, ", \"start_ns\": \"");
    put_signed(o, p->start_ns);
    PUT(o, "\", \"end_ns\": \"");
    put_signed(o, p->end_ns);
    put_string(o, p->ended ? "\", \"ended\": true" : "\", \"ended\": false");
    PUT(o, ", \"lost\": ");
    put_number(o, p->lost);
    if (p->lost_why) {
        PUT(o, ", \"lost_why\": ");
        put_quoted(o, p->lost_why);
    }
    if (p->damaged) {
        PUT(o, ", \"damaged\": ");
        put_number(o, p->damaged);
    }
    put_hex(o, "trace_id", p->trace_id, 2);
    put_hex(o, "span_id", &p->span_id, 1);
    if (p->parent_id)
        put_hex(o, "parent_id", &p->parent_id, 1);
    for (fact = p->facts; fact < p->facts + p->nfacts; fact += strlen(fact) + 1) {
        size_t n = strcspn(fact, "=");
        PUT(o, ", ");
        put_text(o, (struct sl_text_ref){fact, (uint32_t)n});
        PUT(o, ": ");
        put_quoted(o, fact + n + (fact[n] == '='));
    }
    end_metadata(o);
    metadata(o, "process_name", p->pid);
    PUT(o, "\"name\": ");
    put_quoted(o, name && strcmp(name, "generic") ? name : program ? program : "");
    end_metadata(o);
    rank = sl_decode_fact(o->d, "rank");
    if (!rank)
        return;
    metadata(o, "process_labels", p->pid);
    PUT(o, "\"labels\": ");
    snprintf(label, sizeof label, "rank %s", rank);
    put_quoted(o, label);
    end_metadata(o);
    if (strspn(rank, "0123456789") == strlen(rank) && strlen(rank) < 10) {
        metadata(o, "process_sort_index", p->pid);
        PUT(o, "\"sort_index\": ");
        put_signed(o, atol(rank));
        end_metadata(o);
    }
}

int sl_chrome_write_fd(struct sl_decoded *d, int fd, uint32_t options)
{
    struct out *o = calloc(1, sizeof *o);
    bool close = !(options & SL_TF_NO_CLOSE);
    struct sl_trace_event e;
    struct rlimit limit;
    int error;

    if (!o)
        return ENOMEM;
    o->fd = fd;
    o->most = !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : UINT64_MAX;
    o->options = options;
    o->d = d;
    o->process = sl_decode_process(d);
    snprintf(o->pid, sizeof o->pid, ", \"pid\": %u, \"tid\": ", o->process->pid);
    if (options & SL_TF_OBJECT)
        PUT(o, "{\n\"displayTimeUnit\": \"ns\",\n\"traceEvents\": [\n");
    else
        PUT(o, "[\n");
    if (close)
        put_process(o);
    while (!o->error && sl_decode_next(d, &e))
        put_event(o, &e);
    if (!o->error && sl_decode_failed(d))
        o->error = ENOMEM;
    if (close)
        put_string(o, options & SL_TF_OBJECT ? "\n]\n}\n" : "\n]\n");
    flush(o);
    error = o->error;
    for (size_t i = 0; i < CACHE; i++)
        free(o->cache[i].text);
    free(o);
    return error;
}

int sl_chrome_write_file(struct sl_decoded *d, const char *path, uint32_t options)
{
    struct sl_whole_file *w; /* too large for the stacks of some threads */
    struct stat there;
    int fd, error;

    if (!stat(path, &there) && !S_ISREG(there.st_mode)) { /* a device or a pipe: not to be replaced */
        fd = open(path, O_WRONLY | O_CLOEXEC);
        if (fd < 0)
            return errno;
        error = sl_chrome_write_fd(d, fd, options);
        return close(fd) && !error ? errno : error;
    }
    if (!(w = malloc(sizeof *w)))
        return ENOMEM;
    error = sl_whole_open(w, path);
    if (!error && !(error = sl_chrome_write_fd(d, w->fd, options)))
        error = sl_whole_publish(w, NULL);
    sl_whole_close(w);
    free(w);
    return error;
}
