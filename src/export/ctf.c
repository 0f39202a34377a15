/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Common Trace Format, version 1.8 (diamon.org/ctf): a description in TSDL, and a stream of packets.  Integers are
 * little-endian and begin at bytes, so that a packet is bytes one behind the other.
 */
#include "export/formats.h"
#include "export_ctf.sql.h"

#include <stdlib.h>

enum { PACKET = 1 << 18, HEAD = 4 + 4 + 8 + 8 + 8 + 8, MAGIC = 0xC1FC1FC1 };
enum event { SPAN_BEGIN, SPAN_END, EVENT, SAMPLE, LINK, TEXT, INTEGER, REAL, UNTIMED };

static const char metadata[] =
    "/* CTF 1.8 */\n"
    "typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
    "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
    "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
    "typealias integer { size = 64; align = 8; signed = true; } := int64_t;\n"
    "typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; byte_order = le; } := double;\n"
    "trace {\n"
    "    major = 1; minor = 8; byte_order = le;\n"
    "    packet.header := struct { uint32_t magic; uint32_t stream_id; };\n"
    "};\n"
    "env { domain = \"spanloom\"; tracer_name = \"spanloom\"; };\n"
    "clock { name = unix; description = \"nanoseconds since 1970, UTC\"; freq = 1000000000; offset_s = 0; offset = 0; "
    "absolute = true; };\n"
    "typealias integer { size = 64; align = 8; signed = false; map = clock.unix.value; } := moment_t;\n"
    "stream {\n"
    "    id = 0;\n"
    "    event.header := struct { uint16_t id; moment_t timestamp; };\n"
    "    packet.context := struct { moment_t timestamp_begin; moment_t timestamp_end; uint64_t content_size; uint64_t "
    "packet_size; };\n"
    "};\n"
    "event { name = \"span_begin\"; id = 0; stream_id = 0; fields := struct { uint64_t span; uint64_t parent; string "
    "type; string key; string name; }; };\n"
    "event { name = \"span_end\"; id = 1; stream_id = 0; fields := struct { uint64_t span; }; };\n"
    "event { name = \"event\"; id = 2; stream_id = 0; fields := struct { uint64_t span; string type; }; };\n"
    "event { name = \"sample\"; id = 3; stream_id = 0; fields := struct { uint64_t span; string metric; double value; "
    "}; };\n"
    "event { name = \"link\"; id = 4; stream_id = 0; fields := struct { string kind; uint64_t other; uint64_t span; "
    "string rule; }; };\n"
    "event { name = \"attribute_text\"; id = 5; stream_id = 0; fields := struct { uint64_t span; string name; string "
    "value; }; };\n"
    "event { name = \"attribute_integer\"; id = 6; stream_id = 0; fields := struct { uint64_t span; string name; "
    "int64_t value; }; };\n"
    "event { name = \"attribute_real\"; id = 7; stream_id = 0; fields := struct { uint64_t span; string name; double "
    "value; }; };\n"
    "event { name = \"span_without_time\"; id = 8; stream_id = 0; fields := struct { uint64_t span; uint64_t parent; "
    "string type; string key; string name; }; };\n";

struct ctf {
    struct sl_spans *s;
    struct sl_out *out;
    struct sl_export_counts *counts;
    struct sl_buf packet, text, label;
    uint64_t first, last; /* of the packet */
};

static void put_integer(struct sl_buf *b, uint64_t x, int bytes)
{
    char s[8];

    for (int i = 0; i < bytes; i++)
        s[i] = (char)(x >> 8 * i);
    sl_buf_add(b, s, (size_t)bytes);
}

static void put_real(struct sl_buf *b, double d)
{
    uint64_t x;

    memcpy(&x, &d, 8);
    put_integer(b, x, 8);
}

/* A string ends with a NUL, and has none inside. */
static void put_string(struct ctf *c, const char *s, size_t n)
{
    sl_buf_clear(&c->text);
    sl_buf_add_utf8(&c->text, s, n);
    sl_buf_add(&c->packet, c->text.s ? c->text.s : "", c->text.n);
    sl_buf_addc(&c->packet, 0);
}

static void put_text(struct ctf *c, const char *s)
{
    put_string(c, s, strlen(s));
}

static int flush(struct ctf *c)
{
    struct sl_buf head = {0};
    uint64_t bits = 8 * (HEAD + (uint64_t)c->packet.n);

    if (c->packet.n) {
        put_integer(&head, MAGIC, 4);
        put_integer(&head, 0, 4);
        put_integer(&head, c->first, 8);
        put_integer(&head, c->last, 8);
        put_integer(&head, bits, 8);
        put_integer(&head, bits, 8);
        sl_out_buf(c->out, &head);
        sl_out_buf(c->out, &c->packet);
        sl_buf_free(&head);
    }
    return sl_out_failed(c->out) ? SL_EIO : 0;
}

static int begin_event(struct ctf *c, enum event e, int64_t ns)
{
    int rc = c->packet.n > PACKET ? flush(c) : 0;

    if (!c->packet.n)
        c->first = ns < 0 ? 0 : (uint64_t)ns;
    c->last = ns < 0 ? 0 : (uint64_t)ns;
    put_integer(&c->packet, e, 2);
    put_integer(&c->packet, c->last, 8);
    return rc;
}

/* The span, what is known of it, and its links. */
static int put_span(struct ctf *c, enum event e, int64_t id, int64_t ns, struct sl_err *err)
{
    static const char *const kinds[] = {"", "in", "facet", "after", "flow"};
    struct sl_exported_span span;
    int rc = sl_spans_get(c->s, id, &span, err);

    if (rc != 1)
        return rc;
    if ((rc = begin_event(c, e, ns)))
        return rc;
    put_integer(&c->packet, (uint64_t)span.id, 8);
    put_integer(&c->packet, (uint64_t)span.parent, 8);
    put_text(c, span.type);
    put_text(c, span.key);
    put_text(c, sl_spans_label(c->s, &span, &c->label));
    c->counts->spans++;
    rc = sl_spans_values(c->s, &span, err);
    for (size_t i = 0; !rc && i < c->s->value.n; i++) {
        const struct sl_exported_value *v = &c->s->value.v[i];
        rc = begin_event(c, v->type == SQLITE_INTEGER ? INTEGER : v->type == SQLITE_FLOAT ? REAL : TEXT, ns);
        put_integer(&c->packet, (uint64_t)id, 8);
        put_text(c, v->name);
        if (v->type == SQLITE_INTEGER)
            put_integer(&c->packet, (uint64_t)v->i, 8);
        else if (v->type == SQLITE_FLOAT)
            put_real(&c->packet, v->d);
        else
            put_string(c, v->s, v->n);
        c->counts->attributes++;
    }
    if (!rc)
        rc = sl_spans_links(c->s, id, err);
    for (size_t i = 0; !rc && i < c->s->link.n; i++) {
        rc = begin_event(c, LINK, ns);
        put_text(c, kinds[c->s->link.v[i].kind]);
        put_integer(&c->packet, (uint64_t)c->s->link.v[i].other, 8);
        put_integer(&c->packet, (uint64_t)id, 8);
        put_text(c, c->s->link.v[i].rule);
        c->counts->links++;
    }
    return rc;
}

static int put_moment(struct ctf *c, sqlite3_stmt *row, struct sl_err *err)
{
    int64_t ns = sqlite3_column_int64(row, 0), span = sqlite3_column_int64(row, 2);
    struct sl_exported_value v;
    int rc = 0;

    switch (sqlite3_column_int(row, 1)) {
    case 0: return put_span(c, SPAN_BEGIN, span, ns, err);
    case 1:
        rc = begin_event(c, EVENT, ns);
        put_integer(&c->packet, (uint64_t)span, 8);
        put_text(c, sl_store_text(row, 3));
        c->counts->events++;
        return rc;
    case 2:
        v = sl_spans_value(row, 4);
        if (v.type == SQLITE_TEXT)
            return 0;
        rc = begin_event(c, SAMPLE, ns);
        put_integer(&c->packet, (uint64_t)span, 8);
        put_text(c, sl_store_text(row, 3));
        put_real(&c->packet, v.d);
        c->counts->samples++;
        return rc;
    default:
        rc = begin_event(c, SPAN_END, ns);
        put_integer(&c->packet, (uint64_t)span, 8);
        return rc;
    }
}

static int put_stream(struct ctf *c, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(c->s->st, sql_moments, err),
                 *untimed = q ? sl_store_prepare(c->s->st, sql_untimed, err) : NULL;
    int rc = untimed ? sl_store_step(c->s->st, q, err) : SL_ESTORE, more = 0;
    int64_t first_ns = rc == 1 ? sqlite3_column_int64(q, 0) : 0;

    while (rc >= 0 && (more = sl_store_step(c->s->st, untimed, err)) == 1) { /* at the beginning of all */
        c->counts->untimed++;
        if ((more = put_span(c, UNTIMED, sqlite3_column_int64(untimed, 0), first_ns, err)) < 0)
            break;
    }
    rc = more < 0 ? more : rc;
    while (rc == 1) {
        rc = put_moment(c, q, err);
        if (!rc)
            rc = sl_store_step(c->s->st, q, err);
    }
    if (!rc)
        rc = flush(c);
    sqlite3_finalize(q);
    sqlite3_finalize(untimed);
    return sl_out_failed(c->out) ? 0 : rc; /* which says why when it is closed */
}

int sl_export_ctf(struct sl_spans *s, const char *folder, struct sl_export_counts *counts, struct sl_err *err)
{
    struct sl_folder to;
    struct sl_out out;
    struct ctf c = {.s = s, .out = &out, .counts = counts};
    int rc = sl_folder_open(&to, folder, err);

    *counts = (struct sl_export_counts){0};
    if (!rc)
        rc = sl_spans_begin(s, false, err);
    if (!rc)
        rc = sl_folder_file(&to, "stream", &out, err);
    if (!rc)
        rc = sl_out_close(&out, put_stream(&c, err), err);
    if (!rc)
        rc = sl_folder_file(&to, "metadata", &out, err);
    if (!rc) {
        sl_out_write(&out, metadata, sizeof metadata - 1);
        rc = sl_out_close(&out, 0, err);
    }
    sl_buf_free(&c.packet);
    sl_buf_free(&c.text);
    sl_buf_free(&c.label);
    return sl_folder_close(&to, rc, err);
}
