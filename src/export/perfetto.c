/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Perfetto's protobuf, by hand: messages are fields of a number and a wire type (varint, 64 bits, length and bytes).
 * Field numbers are those of trace_packet.proto, track_event.proto, track_descriptor.proto, debug_annotation.proto,
 * interned_data.proto and clock_snapshot.proto.
 */
#include "base/intern.h"
#include "export/formats.h"

#include <stdlib.h>

enum { INTERNED_MAX = 1 << 16 }; /* names; further ones are written where they are used */
enum { VARINT = 0, FIXED64 = 1, BYTES = 2 };
enum { PACKET = 1 }; /* of Trace */
enum {               /* of TracePacket */
       CLOCK_SNAPSHOT = 6,
       TIMESTAMP = 8,
       SEQUENCE_ID = 10,
       TRACK_EVENT = 11,
       INTERNED_DATA = 12,
       SEQUENCE_FLAGS = 13,
       TRACK_DESCRIPTOR = 60
};
enum { SEQUENCE_CLEARED = 1, SEQUENCE_NEEDS_STATE = 2 };
enum { SNAPSHOT_CLOCKS = 1, CLOCK_ID = 1, CLOCK_TIMESTAMP = 2, REALTIME = 1, BOOTTIME = 6 };
enum {
    DESCRIPTOR_UUID = 1,
    DESCRIPTOR_NAME = 2,
    DESCRIPTOR_PARENT = 5,
    DESCRIPTOR_COUNTER = 8,
    DESCRIPTOR_ORDERING = 11,
    DESCRIPTOR_RANK = 12
};
enum { ORDERING_EXPLICIT = 3 };
enum { /* of TrackEvent */
       EVENT_CATEGORY_IIDS = 3,
       EVENT_ANNOTATIONS = 4,
       EVENT_TYPE = 9,
       EVENT_NAME_IID = 10,
       EVENT_TRACK = 11,
       EVENT_CATEGORIES = 22,
       EVENT_NAME = 23,
       EVENT_COUNTER = 30,
       EVENT_DOUBLE_COUNTER = 44,
       EVENT_FLOWS = 47
};
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };
enum {
    ANNOTATION_NAME_IID = 1,
    ANNOTATION_INT = 4,
    ANNOTATION_DOUBLE = 5,
    ANNOTATION_STRING = 6,
    ANNOTATION_NAME = 10,
    ANNOTATION_ARRAY = 12
};
enum kind { CATEGORIES = 1, NAMES = 2, ANNOTATION_NAMES = 3, KINDS }; /* of InternedData */
enum { ENTRY_IID = 1, ENTRY_NAME = 2 };

struct perfetto {
    struct sl_spans *s;
    struct sl_out *out;
    struct sl_intern known[KINDS];
    struct sl_buf packet, event, interned, part, text;
    bool begun, clocks;
};

/* ---- protobuf ---- */

static void put_varint(struct sl_buf *b, uint64_t x)
{
    char bytes[10];
    size_t n = 0;

    do
        bytes[n++] = (char)((x & 0x7f) | (x > 0x7f ? 0x80 : 0));
    while (x >>= 7);
    sl_buf_add(b, bytes, n);
}

static void put_int(struct sl_buf *b, int field, uint64_t x)
{
    put_varint(b, (uint64_t)field << 3 | VARINT);
    put_varint(b, x);
}

static void put_fixed(struct sl_buf *b, int field, uint64_t x)
{
    char bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (char)(x >> 8 * i);
    put_varint(b, (uint64_t)field << 3 | FIXED64);
    sl_buf_add(b, bytes, 8);
}

static void put_double(struct sl_buf *b, int field, double d)
{
    uint64_t x;

    memcpy(&x, &d, 8);
    put_fixed(b, field, x);
}

static void put_bytes(struct sl_buf *b, int field, const char *s, size_t n)
{
    put_varint(b, (uint64_t)field << 3 | BYTES);
    put_varint(b, n);
    sl_buf_add(b, s, n);
}

/* A string is UTF-8. */
static void put_text(struct perfetto *p, struct sl_buf *b, int field, const char *s, size_t n)
{
    sl_buf_clear(&p->text);
    sl_buf_add_utf8(&p->text, s, n);
    put_bytes(b, field, p->text.s, p->text.n);
}

/* ---- packets ---- */

static void write_packet(struct perfetto *p)
{
    struct sl_buf head = {0};

    put_varint(&head, PACKET << 3 | BYTES);
    put_varint(&head, p->packet.n);
    sl_out_write(p->out, head.s, head.n);
    sl_out_buf(p->out, &p->packet);
    sl_buf_free(&head);
}

/* Of the sequence that has the interned names, where it is one of events. */
static void end_packet(struct perfetto *p, bool sequence)
{
    if (p->interned.n)
        put_bytes(&p->packet, INTERNED_DATA, p->interned.s, p->interned.n);
    sl_buf_clear(&p->interned);
    put_int(&p->packet, SEQUENCE_ID, 1);
    if (sequence)
        put_int(&p->packet, SEQUENCE_FLAGS, p->begun ? SEQUENCE_NEEDS_STATE : SEQUENCE_CLEARED | SEQUENCE_NEEDS_STATE);
    p->begun |= sequence;
    write_packet(p);
}

/* The number of a name, which goes into the packet at hand where it is new; 0: there are too many. */
static uint64_t intern(struct perfetto *p, enum kind kind, const char *s, size_t n)
{
    uint32_t id = sl_intern_find(&p->known[kind], s, n);
    struct sl_buf entry = {0};

    if (id || p->known[kind].of.n >= INTERNED_MAX)
        return id;
    id = sl_intern(&p->known[kind], s, n);
    put_int(&entry, ENTRY_IID, id);
    put_text(p, &entry, ENTRY_NAME, s, n);
    put_bytes(&p->interned, (int)kind, entry.s, entry.n);
    sl_buf_free(&entry);
    return id;
}

static void put_name(struct perfetto *p, struct sl_buf *b, enum kind kind, int by_number, int by_name, const char *s)
{
    size_t n = strlen(s);
    uint64_t id = intern(p, kind, s, n);

    if (id)
        put_int(b, by_number, id);
    else
        put_text(p, b, by_name, s, n);
}

static void put_value(struct perfetto *p, struct sl_buf *b, const struct sl_exported_value *v)
{
    if (v->type == SQLITE_INTEGER)
        put_int(b, ANNOTATION_INT, (uint64_t)v->i);
    else if (v->type == SQLITE_FLOAT)
        put_double(b, ANNOTATION_DOUBLE, v->d);
    else
        put_text(p, b, ANNOTATION_STRING, v->s, v->n);
}

/* n values of one name: a list, where they are several. */
static void annotate(struct perfetto *p, const char *name, const struct sl_exported_value *v, size_t n)
{
    sl_buf_clear(&p->part);
    put_name(p, &p->part, ANNOTATION_NAMES, ANNOTATION_NAME_IID, ANNOTATION_NAME, name);
    if (n == 1)
        put_value(p, &p->part, v);
    for (size_t i = 0; n > 1 && i < n; i++) {
        struct sl_buf item = {0};
        put_value(p, &item, &v[i]);
        put_bytes(&p->part, ANNOTATION_ARRAY, item.s, item.n);
        sl_buf_free(&item);
    }
    put_bytes(&p->event, EVENT_ANNOTATIONS, p->part.s, p->part.n);
}

static void annotate_all(struct perfetto *p, const struct sl_exported_value *v, size_t n)
{
    for (size_t i = 0, k; i < n; i = k) {
        for (k = i + 1; k < n && !strcmp(v[k].name, v[i].name);)
            k++;
        annotate(p, v[i].name, &v[i], k - i);
    }
}

static void begin_event(struct perfetto *p, const struct sl_track *t, int type)
{
    sl_buf_clear(&p->event);
    put_int(&p->event, EVENT_TYPE, (uint64_t)type);
    put_int(&p->event, EVENT_TRACK, t->number);
}

/* Times of a trace are since boot; here they are those of the day.  Once, at a time of the trace, as it counts as one.
 */
static void put_clocks(struct perfetto *p, uint64_t ns)
{
    static const int clocks[] = {BOOTTIME, REALTIME};
    struct sl_buf both = {0};

    for (int i = 0; i < 2; i++) {
        sl_buf_clear(&p->part);
        put_int(&p->part, CLOCK_ID, (uint64_t)clocks[i]);
        put_int(&p->part, CLOCK_TIMESTAMP, ns);
        put_bytes(&both, SNAPSHOT_CLOCKS, p->part.s, p->part.n);
    }
    put_int(&p->packet, TIMESTAMP, ns);
    put_bytes(&p->packet, CLOCK_SNAPSHOT, both.s, both.n);
    put_int(&p->packet, SEQUENCE_ID, 1);
    write_packet(p);
    sl_buf_free(&both);
}

static int end_event(struct perfetto *p, int64_t ns)
{
    uint64_t at = ns < 0 ? 0 : (uint64_t)ns;

    if (!p->clocks)
        put_clocks(p, at);
    p->clocks = true;
    put_int(&p->packet, TIMESTAMP, at);
    put_bytes(&p->packet, TRACK_EVENT, p->event.s, p->event.n);
    end_packet(p, true);
    return sl_out_failed(p->out) ? SL_EIO : 0;
}

/* ---- the timeline ---- */

static int group(void *to, const struct sl_track *place, struct sl_err *err)
{
    (void)to;
    (void)place;
    (void)err;
    return 0;
}

static int track(void *to, const struct sl_track *t, struct sl_err *err)
{
    struct perfetto *p = to;

    (void)err;
    sl_buf_clear(&p->event);
    put_int(&p->event, DESCRIPTOR_UUID, t->number);
    put_text(p, &p->event, DESCRIPTOR_NAME, t->name, strlen(t->name));
    if (t->within)
        put_int(&p->event, DESCRIPTOR_PARENT, t->within);
    if (t->kind == SL_TRACK_COUNTER)
        put_bytes(&p->event, DESCRIPTOR_COUNTER, "", 0);
    put_int(&p->event, DESCRIPTOR_ORDERING, ORDERING_EXPLICIT);
    put_int(&p->event, DESCRIPTOR_RANK, t->rank);
    put_bytes(&p->packet, TRACK_DESCRIPTOR, p->event.s, p->event.n);
    end_packet(p, false);
    return sl_out_failed(p->out) ? SL_EIO : 0;
}

static int begin(void *to, const struct sl_track *t, int64_t ns, const struct sl_slice *s, struct sl_err *err)
{
    struct perfetto *p = to;
    struct sl_exported_value id = {.type = SQLITE_INTEGER, .i = s->span->id},
                             key = {.type = SQLITE_TEXT, .s = s->span->key, .n = strlen(s->span->key)};

    (void)err;
    begin_event(p, t, SLICE_BEGIN);
    put_name(p, &p->event, NAMES, EVENT_NAME_IID, EVENT_NAME, s->name);
    put_name(p, &p->event, CATEGORIES, EVENT_CATEGORY_IIDS, EVENT_CATEGORIES, s->span->type);
    annotate(p, "span", &id, 1);
    annotate(p, "key", &key, 1);
    annotate_all(p, p->s->value.v, p->s->value.n);
    for (size_t i = 0; i < s->narrows; i++)
        put_fixed(&p->event, EVENT_FLOWS, s->arrow[i].number);
    return end_event(p, ns);
}

static int end(void *to, const struct sl_track *t, int64_t ns, struct sl_err *err)
{
    (void)err;
    begin_event(to, t, SLICE_END);
    return end_event(to, ns);
}

static int instant(void *to, const struct sl_track *t, int64_t ns, const struct sl_instant *i, struct sl_err *err)
{
    struct perfetto *p = to;
    struct sl_exported_value id = {.type = SQLITE_INTEGER, .i = i->span};

    (void)err;
    begin_event(p, t, INSTANT);
    put_name(p, &p->event, NAMES, EVENT_NAME_IID, EVENT_NAME, i->name);
    put_name(p, &p->event, CATEGORIES, EVENT_CATEGORY_IIDS, EVENT_CATEGORIES, i->n ? "sample" : "event");
    annotate(p, "span", &id, 1);
    annotate_all(p, i->value, i->n);
    return end_event(p, ns);
}

static int counter(void *to, const struct sl_track *t, int64_t ns, const struct sl_exported_value *v,
                   struct sl_err *err)
{
    struct perfetto *p = to;

    (void)err;
    begin_event(p, t, COUNTER);
    if (v->type == SQLITE_INTEGER)
        put_int(&p->event, EVENT_COUNTER, (uint64_t)v->i);
    else
        put_double(&p->event, EVENT_DOUBLE_COUNTER, v->d);
    return end_event(p, ns);
}

int sl_export_perfetto(struct sl_spans *s, struct sl_out *out, struct sl_export_counts *counts, struct sl_err *err)
{
    static const struct sl_timeline_writer writer = {group, track, begin, end, instant, counter};
    struct perfetto p = {.s = s, .out = out};
    int rc;

    rc = sl_spans_begin(s, false, err);
    if (!rc)
        rc = sl_timeline(s, &writer, &p, counts, err);
    if (sl_out_failed(out)) /* which says why when it is closed */
        rc = 0;
    for (int i = 0; i < KINDS; i++)
        sl_intern_free(&p.known[i]);
    sl_buf_free(&p.packet);
    sl_buf_free(&p.event);
    sl_buf_free(&p.interned);
    sl_buf_free(&p.part);
    sl_buf_free(&p.text);
    return rc;
}
