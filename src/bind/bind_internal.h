/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of bindings: bind.c (rules, and all of them), sequence.c (two sequences), written_files.c (files and who wrote
 * them), process.c (processes and who started them) find pairs of spans, which pairs.c links.
 */
#ifndef SL_BIND_BIND_INTERNAL_H
#define SL_BIND_BIND_INTERNAL_H

#include "bind/bind.h"

#define SL_WRITER_RULE "file.writer"

/* pairs.c */
/* The id of a name in the store, new if need be. */
int sl_binding_name(struct sl_store *st, const char *name, int64_t *id, struct sl_err *err);
bool sl_binding_unbound(struct sl_store *st, const char *name); /* a user took it away */
/* Makes temp.sl_pair (l, r, confidence), empty. */
int sl_binding_begin(struct sl_store *st, struct sl_err *err);
/* Its pairs become links of this rule; with guess, only where a left one (of facets: both) has one partner, and doubts
 * elsewhere. */
int sl_binding_end(struct sl_store *st, enum sl_link_kind kind, const char *name, bool guess, struct sl_err *err);

/* roots.c: temp.sl_anew, the roots that a rule looks at. */
int sl_bind_roots_all(struct sl_store *st, struct sl_err *err);
/* Those of the families of touched ones. */
int sl_bind_roots_touched(struct sl_store *st, const struct sl_recipes *set, const struct sl_bind_roots *roots,
                          struct sl_err *err);
/* temp.sl_again: the spans in these that a rule may link. */
int sl_bind_roots_inside(struct sl_store *st, const struct sl_recipes *set, const struct sl_bind_rule *r,
                         struct sl_err *err);
/* What the rule of this name linked of temp.sl_again is taken away; what is in doubt of it is to be settled again. */
int sl_bind_roots_clear(struct sl_store *st, const char *name, struct sl_err *err);

/* sequence.c: two sequences that ascend together. */
int sl_bind_sequence(struct sl_store *st, const struct sl_sequence_decl *o, struct sl_err *err);

/* written_files.c: spans that a file names lie in the span that wrote it. */
int sl_bind_files(struct sl_store *st, struct sl_err *err);

/* process.c: traced processes lie in what started them. */
int sl_bind_processes(struct sl_store *st, const struct sl_recipes *set, const struct sl_bind_scope *scope,
                      struct sl_err *err);

#endif
