/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of a lens as they stand in sl_lens.  For lens.c; rules.c includes lens.h for what of its rules others may
 * know: sl_lens_glob(), and how near events are merged.
 */
#ifndef SL_ANALYSE_LENS_RULES_H
#define SL_ANALYSE_LENS_RULES_H

#include "base/err.h"
#include "base/mem.h"

#include <sqlite3.h>
#include <stdbool.h>

enum sl_lens_what { SL_LENS_IGNORE, SL_LENS_RENAME, SL_LENS_MERGE };

struct sl_lens_pattern {
    const char *text;
    bool both; /* it has a '/': of span type and event, not of the type alone */
    bool hit;
};

struct sl_lens_rule {
    enum sl_lens_what what;
    int64_t id;
    bool temp; /* of temp.sl_lens */
    SL_VEC(struct sl_lens_pattern) pattern;
    const char *type, *event; /* what it becomes; NULL: stays as it is */
    uint64_t within_ns;
};

struct sl_lens_rules {
    SL_VEC(struct sl_lens_rule) rule; /* in the order in which they apply */
    struct sl_arena text;
};

/* On success *out is to be freed. */
int sl_lens_rules_read(struct sl_lens_rules *out, sqlite3 *db, struct sl_err *err);
void sl_lens_rules_free(struct sl_lens_rules *r);

/* Does the rule speak of events of a span type?  both is "SPAN_TYPE/EVENT".  Notes which of its patterns hit. */
bool sl_lens_rule_hits(struct sl_lens_rule *r, const char *type, const char *both);

#endif
