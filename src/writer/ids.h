/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every span that is known, by identity: (type, key) inside the naming parent.  24 bytes each and the hash slots, so
 * that ten million fit into a login node's memory.
 */
#ifndef SL_WRITER_IDS_H
#define SL_WRITER_IDS_H

#include "base/map.h"
#include "base/set.h"
#include "engine/batch.h"

enum {
    SL_ID_REAL = 1u << 31,      /* some record says that it is there; else a ghost */
    SL_ID_TEXT = 1u << 30,      /* key is a text */
    SL_ID_MENTIONED = 1u << 29, /* by the import at hand */
    SL_ID_STORED = 1u << 28,    /* by an earlier one: it is in the store */
    SL_ID_TYPE = (1u << 28) - 1,
};

struct sl_id {
    uint32_t parent; /* index + 1; 0: a root */
    uint32_t type;   /* id in sl_recipes.names, and flags */
    union {
        int64_t i;
        const struct sl_id_text {
            uint32_t n;
            char s[];
        } * s;
    } key;
    uint32_t store;   /* id in the store; 0: none yet */
    uint32_t partner; /* index + 1 of the first facet; more of them are in sl_ids.partners */
};

struct sl_ids {
    struct sl_id *v; /* parents before children */
    uint32_t n, cap;
    uint32_t *slot; /* index, by hash: no sl_map, whose slots have 8 bytes and are at most half full */
    uint8_t *tag;   /* of each slot, from the same hash, so that others need not be looked at; 0: the slot is free */
    uint64_t slots;
    struct sl_arena arena;
    /* The second and later facets of a; next: index + 1 of the next of the same a; last: of the last, in the first. */
    SL_VEC(struct sl_id_pair { uint32_t a, b, next, last; }) partners;
    struct sl_map first; /* the first of each a */
    struct sl_set pairs; /* a << 32 | b */
};

/* The identity, or UINT32_MAX where it is unknown.  parent is an index, UINT32_MAX for a root. */
uint32_t sl_ids_find(const struct sl_ids *t, uint32_t parent, uint32_t type, struct sl_key key);
uint32_t sl_ids_add(struct sl_ids *t, uint32_t parent, uint32_t type, struct sl_key key); /* finds or makes */
struct sl_key sl_ids_key(const struct sl_id *s);
uint32_t sl_ids_root(const struct sl_ids *t, uint32_t i);
/* Notes that a and b are facets; false: known already. */
bool sl_ids_pair(struct sl_ids *t, uint32_t a, uint32_t b);
bool sl_ids_paired(const struct sl_ids *t, uint32_t a, uint32_t b);
/* The facets of a, one by one: begin with *at = 0; UINT32_MAX: no more. */
uint32_t sl_ids_partner(const struct sl_ids *t, uint32_t a, uint32_t *at);
void sl_ids_rehash(struct sl_ids *t); /* after a key was changed in place */
void sl_ids_free(struct sl_ids *t);

#endif
