/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a stretch of one source asserts, before anybody knows what the other sources say.  A parsing thread fills it,
 * the writer merges it.  Spans are named by their index in the batch; a parent always stands before its children.
 */
#ifndef SL_ENGINE_BATCH_H
#define SL_ENGINE_BATCH_H

#include "base/map.h"
#include "base/mem.h"
#include "store/store.h"

enum { SL_KEY_INT = UINT32_MAX };

struct sl_key { /* a canonical decimal integer, or a text */
    uint32_t n; /* SL_KEY_INT: the key is i */
    union {
        int64_t i;
        const char *s;
    };
};

struct sl_batch_span {
    int32_t parent; /* -1: a root */
    uint32_t type;
    struct sl_key key;
    bool strong;  /* some record says that it is there; else only weak links name it */
    bool written; /* it lies in whoever wrote the file */
};

struct sl_batch_event {
    uint32_t span, type;
    int64_t time_ns, place;
    bool naive; /* local time, zone to be found */
};

struct sl_batch_link {
    uint32_t left, right, rule;
    uint8_t kind, weak; /* weak: 1 left, 2 right is named by ~alias, 3 both */
    int64_t place;
};

struct sl_batch_values { /* attributes, or samples (with a time), of one span */
    uint32_t span, shape;
    int64_t time_ns, place;
    bool naive;
    bool alike; /* attributes that many records have in common; the others of the record follow, if there are any */
    const char *json;
    uint32_t n;
};

struct sl_batch_reject {
    int64_t place;
    const char *reason, *text;
};

struct sl_batch_raw {
    int64_t place;
    int32_t span; /* -1: none */
    const char *json;
};

struct sl_batch_zone {
    uint32_t root;              /* span */
    int64_t since_ns, until_ns; /* UTC: seen first and last with this offset, in the batch */
    int32_t offset_s;
};

struct sl_batch_wrote {
    uint32_t span, of_type, rule; /* of_type: one of the subspans of this type wrote it; 0: the span itself */
    const char *path;
    int64_t place;
};

struct sl_batch_share {
    const char *field, *scope, *value;
};

struct sl_batch {
    const char *part; /* table, or NULL; lives as long as the file's parse */
    SL_VEC(struct sl_batch_span) spans;
    SL_VEC(struct sl_batch_event) events;
    SL_VEC(struct sl_batch_link) links;
    SL_VEC(struct sl_batch_values) attrs, samples;
    SL_VEC(struct sl_batch_reject) rejects;
    SL_VEC(struct sl_batch_raw) raws;
    SL_VEC(struct sl_batch_zone) zones;
    SL_VEC(struct sl_batch_share) shares;
    SL_VEC(struct sl_batch_wrote) wrotes;
    uint64_t read, used, skipped, rejected;
    int64_t last_record; /* where the last record begins; INT64_MIN: there is none */
    struct sl_arena arena;
    struct sl_map by_identity; /* spans */
    struct sl_batch *next;
};

struct sl_batch *sl_batch_new(void);
void sl_batch_free(struct sl_batch *b);

/* The span of this identity in b, new if need be (not strong). */
uint32_t sl_batch_span(struct sl_batch *b, int32_t parent, uint32_t type, struct sl_key key);

uint64_t sl_key_hash(uint64_t parent, uint32_t type, struct sl_key key);
/* s[0..n) as a key: canonical decimal integers are integers, so that "5" and 5 are one. Borrows s. */
struct sl_key sl_key_of(const char *s, size_t n);

#endif
