/* SPDX-License-Identifier: Apache-2.0 */
/* How many spans of one type are related to spans of another, and by which rule: one pass over spans and links. */
#ifndef SL_ANALYSE_RELATIONS_H
#define SL_ANALYSE_RELATIONS_H

#include "analyse/load/graph.h"
#include "base/mem.h"

enum sl_relation_by {
    SL_RELATION_LINK,  /* a link (sl_link) */
    SL_RELATION_NAME,  /* a subspan has its name in its parent; there is no rule */
    SL_RELATION_AGAIN, /* a link that says the same as the name */
};

struct sl_relation_count {
    uint32_t from, to; /* ranks of the names of types */
    int kind;          /* as in sl_link */
    enum sl_relation_by by;
    int64_t rule;      /* an id of sl_name; 0: none */
    int64_t n;         /* pairs of spans */
    double confidence; /* the least */
};

struct sl_relations {
    struct sl_graph g;
    SL_VEC(struct sl_relation_count) v; /* in no order */
    int64_t *spans;                     /* by rank: how many of that type */
};

/*
 * Of the spans of a type (NULL: of all), which belong to the span `within` (0: to any), and all that belongs to them.
 * On success and on failure *r is to be freed.
 */
int sl_relations_count(struct sl_relations *r, sqlite3 *db, const char *type, int64_t within, struct sl_err *err);
void sl_relations_free(struct sl_relations *r);

#endif
