/* SPDX-License-Identifier: Apache-2.0 */
/* Trace files of Spanloom's runtime, as a process left them, dead or alive: events in order, by its own decoder. */
#include "base/buf.h"
#include "base/files/temporary.h"
#include "base/mem.h"
#include "read/text/text.h"
#include "read/trace/model.h"
#include "trace/decode.h"
#include "trace/format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct sl_trace_model_text ref(struct sl_text_ref t)
{
    return (struct sl_trace_model_text){t.n ? t.s : NULL, t.n};
}

static void key(struct sl_buf *b, const char *name, size_t n)
{
    sl_buf_addc(b, b->n ? ',' : '{');
    sl_buf_add_json(b, name, n);
    sl_buf_addc(b, ':');
}

static void add_int(struct sl_buf *b, const char *name, int64_t v)
{
    key(b, name, strlen(name));
    sl_buf_add_int(b, v);
}

static void add_id(struct sl_buf *b, const char *name, uint64_t v)
{
    if (v) {
        key(b, name, strlen(name));
        sl_buf_addf(b, "\"%016llx\"", (unsigned long long)v);
    }
}

static void add_double(struct sl_buf *b, double v)
{
    char digits[32];

    if (v - v != 0)
        sl_buf_addf(b, "\"%g\"", v);
    else
        sl_buf_add(b, digits, sl_real_text(v, digits));
}

/* As the first event of a .pfw has it. */
static void describe(struct sl_buf *b, const struct sl_decoded *d)
{
    const struct sl_trace_process *p = sl_decode_process(d);
    const char *end = p->facts + p->nfacts;

    add_int(b, "version", 1);
    add_int(b, "pid", p->pid);
    add_int(b, "ppid", p->ppid);
    add_int(b, "start_ns", p->start_ns);
    add_int(b, "end_ns", p->end_ns);
    add_int(b, "lost", (int64_t)p->lost);
    if (p->lost_why) {
        key(b, "lost_why", 8);
        sl_buf_add_json(b, p->lost_why, strlen(p->lost_why));
    }
    if (p->damaged)
        add_int(b, "damaged", (int64_t)p->damaged);
    key(b, "ended", 5);
    sl_buf_adds(b, p->ended ? "true" : "false");
    if (p->trace_id[0] | p->trace_id[1]) {
        key(b, "trace_id", 8);
        sl_buf_addf(b, "\"%016llx%016llx\"", (unsigned long long)p->trace_id[0], (unsigned long long)p->trace_id[1]);
    }
    add_id(b, "span_id", p->span_id);
    add_id(b, "parent_id", p->parent_id);
    for (const char *s = p->facts; s < end && memchr(s, 0, (size_t)(end - s)); s += strlen(s) + 1) {
        const char *is = strchr(s, '=');
        if (!is || is == s)
            continue;
        key(b, s, (size_t)(is - s));
        sl_buf_add_json(b, is + 1, strlen(is + 1));
    }
    sl_buf_addc(b, '}');
}

static void arguments(struct sl_buf *b, const struct sl_trace_event *e)
{
    for (size_t i = 0; i < e->nargs; i++) {
        const struct sl_trace_arg *a = &e->args[i];
        key(b, a->key.s, a->key.n);
        switch (a->kind) {
        case SL_ARG_INT: sl_buf_add_int(b, a->i); break;
        case SL_ARG_DOUBLE: add_double(b, a->d); break;
        case SL_ARG_TEXT: sl_buf_add_json(b, a->t.s, a->t.n); break;
        }
    }
    add_id(b, "span_id", e->context);
    if (e->usage) {
        add_int(b, "cpu_ns", e->cpu_ns);
        add_int(b, "rss_kib", e->rss_kib);
    }
    if (e->unfinished) {
        key(b, "unfinished", 10);
        sl_buf_adds(b, "true");
    }
    switch (e->phase) {
    case 'C':
        key(b, "value", 5);
        add_double(b, e->value);
        break;
    case 'N':
        key(b, "name", 4);
        sl_buf_add_json(b, e->text.s ? e->text.s : "", e->text.n);
        break;
    default: break;
    }
    if (b->n)
        sl_buf_addc(b, '}');
}

static void add(struct sl_trace_model *t, const struct sl_trace_model_event *e)
{
    const char *why = sl_trace_model_add(t, e);

    if (why)
        sl_trace_model_reject(t, e->place, why, e->name.s ? e->name.s : "", e->name.n);
}

static void events(struct sl_parse *p, struct sl_trace_model *t, struct sl_decoded *d)
{
    char pid[16], tid[16] = "", id[32];
    size_t ntid = 0;
    uint32_t of = 0; /* the thread whose number tid has: most events are of the one before */
    struct sl_trace_model_event first = {.phase = 'M', .place = 1, .name = {"spanloom", 8}};
    struct sl_buf args = {0};
    struct sl_trace_event e;

    first.pid = first.tid =
        (struct sl_trace_model_text){pid, (size_t)snprintf(pid, sizeof pid, "%u", sl_decode_process(d)->pid)};
    describe(&args, d);
    first.args = (struct sl_trace_model_text){args.s, args.n};
    add(t, &first);
    for (int64_t place = 2; !sl_parse_stopped(p) && sl_decode_next(d, &e); place++) {
        struct sl_trace_model_event x = {
            .phase = e.phase, .timed = true, .ts_ns = e.ts_ns, .place = place, .pid = first.pid, .enclosing = true};
        if (e.tid != of || !ntid) {
            ntid = (size_t)snprintf(tid, sizeof tid, "%u", e.tid);
            of = e.tid;
        }
        x.tid = (struct sl_trace_model_text){tid, ntid};
        if (e.site) {
            x.name = ref(e.site->name);
            x.category = ref(e.site->category);
            x.source_file = e.phase == 'B' ? ref(e.site->file) : x.source_file;
            x.source_line = e.phase == 'B' ? e.site->line : 0;
        }
        if (strchr("bnestf", e.phase))
            x.id = (struct sl_trace_model_text){id, (size_t)snprintf(id, sizeof id, "%llu", (unsigned long long)e.id)};
        if (strchr("bne", e.phase))
            x.scope = ref(e.text);
        sl_buf_clear(&args);
        arguments(&args, &e);
        if (e.phase == 'N') {
            x.phase = 'M';
            x.name = (struct sl_trace_model_text){"thread_name", 11};
        } else if (!e.site) { /* as in a .pfw */
            x.name = (struct sl_trace_model_text){"traceparent", 11};
        }
        x.args = (struct sl_trace_model_text){args.n ? args.s : NULL, args.n};
        add(t, &x);
    }
    sl_buf_free(&args);
}

static int run(struct sl_parse *p, const char *path, struct sl_err *err)
{
    struct sl_text f;
    struct sl_decoded *d;
    struct sl_trace_model *t;
    const char *why = "";
    int rc = sl_text_open(&f, p, path, err), fd = -1;

    if (rc)
        return rc;
    while ((rc = sl_text_more(&f, err)) > 0 && !sl_parse_stopped(p)) /* for its hash */
        f.start = f.at = f.end;
    if (rc == 0 && !sl_parse_stopped(p) && (p->region || f.came != p->bytes)) { /* it is mapped, so it must be a file */
        if ((fd = sl_temporary_file(err)) < 0 || (rc = sl_bytes_copy(path, p->region, fd, err)))
            rc = rc ? rc : fd;
    }
    d = rc || sl_parse_stopped(p) ? NULL : fd >= 0 ? sl_decode_fd(fd, &why) : sl_decode_open(path, &why);
    if (fd >= 0)
        close(fd);
    if (d) {
        p->unended = !sl_decode_process(d)->ended && !(sl_decode_process(d)->options & SL_TF_BINARY);
        t = sl_trace_model_new(p);
        events(p, t, d);
        if (sl_decode_failed(d))
            rc = sl_err(err, SL_EIO, "%s: %s", path, strerror(ENOMEM));
        if (sl_decode_process(d)->damaged)
            sl_parse_reject(p, 1, "places that could not be read", "", 0);
        sl_decode_free(d);
        sl_trace_model_end(t);
        sl_trace_model_free(t);
    } else if (rc == 0 && !sl_parse_stopped(p)) {
        sl_parse_reject(p, 1, why, "", 0);
    }
    return sl_text_close(&f, rc, err);
}

const struct sl_reader sl_reader_trace = {
    .name = "trace",
    .keys = " empty defaults ",
    .run = run,
    .mapped = ".slt",
};
