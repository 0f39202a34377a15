/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans that a file of another format has from a store of ours (src/export): it says of each which it was, its type and
 * key and what that is in, by numbers of its own.  Here they become records that name them by their whole path, so that
 * they are the same spans again.
 */
#ifndef SL_READ_TRACE_KNOWN_H
#define SL_READ_TRACE_KNOWN_H

#include "engine/apply.h"

struct sl_known;

struct sl_known *sl_known_new(struct sl_parse *p);
void sl_known_free(struct sl_known *k);
struct sl_parse *sl_known_parse(const struct sl_known *k);

/* parent 0: a root; else one that was added before.  False: it was not, or the number is taken. */
bool sl_known_add(struct sl_known *k, uint64_t number, uint64_t parent, const char *type, size_t ntype, const char *key,
                  size_t nkey);
bool sl_known_has(const struct sl_known *k, uint64_t number);

/*
 * A record of it: begun, filled, ended.  kind: "span" (its attributes; its begin and end, events of these names),
 * "span event", "span sample", "span link".  Texts must live until its end.  False: there is no such span, and the
 * record is rejected.
 */
bool sl_known_begin(struct sl_known *k, uint64_t number, const char *kind, int64_t place);
void sl_known_value(struct sl_known *k, const char *name, size_t n, struct sl_value v);
void sl_known_time(struct sl_known *k, const char *which, int64_t ns); /* begin, end, or time */
void sl_known_end(struct sl_known *k);

void sl_known_event(struct sl_known *k, uint64_t number, const char *name, size_t n, int64_t ns, int64_t place);
/* Whether an import makes it again that has a rule and a confidence: all but where who wrote a file said so, which is
 * in no export. */
bool sl_known_follows(const char *rule, size_t n);
/* kind: in, facet, after or flow; other: what contains it, it waited for, handed over.  They are told at the end.
 * inferred: a binding made it, and will again. */
void sl_known_link(struct sl_known *k, uint64_t number, const char *kind, size_t n, uint64_t other, bool inferred,
                   int64_t place);
void sl_known_finish(struct sl_known *k);

#endif
