/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which records of a text log cannot name any of some spans, found without running its rules.
 *
 * What a record names has keys; where these can come from nowhere but the text, a record without that text names it
 * not. A record that a rule with keep: or count: may match is never passed over, since others are understood by what it
 * says, nor one that a rule may match which looks such a key up.
 */
#ifndef SL_ENGINE_RECORD_FILTER_H
#define SL_ENGINE_RECORD_FILTER_H

#include "engine/apply.h"

/* A span of the store: itself, its naming parent, ..., up to a root. */
struct sl_named_span {
    struct sl_named_level {
        uint32_t type; /* id in the set's names; 0: no recipe has it */
        const char *key;
        size_t n;
    } * level;
    int n;
};

struct sl_record_filter; /* of one file */

/* p has started.  NULL: no record may be passed over.  Borrows p and the keys. */
struct sl_record_filter *sl_record_filter_new(const struct sl_parse *p, const struct sl_named_span *wanted, size_t n);
void sl_record_filter_free(struct sl_record_filter *s);

/* May it be passed over?  The message is the record behind its head. */
bool sl_record_filter_skips(const struct sl_record_filter *s, const char *rec, size_t nrec, const char *message,
                            size_t n);

#endif
