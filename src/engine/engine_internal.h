/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the engine: evaluate.c (fields, spans, times), rule.c (one rule), match.c (which rules), apply.c (records),
 * file_context.c (files). */
#ifndef SL_ENGINE_ENGINE_INTERNAL_H
#define SL_ENGINE_ENGINE_INTERNAL_H

#include "engine/apply.h"
#include "engine/variables.h"

enum sl_evaluated { SL_GOOD, SL_MISSING, SL_BAD };

/* Where the batch stood before a record, to go back to. */
struct sl_mark {
    size_t events, links, attrs, samples, raws, zones, shares, wrotes, spans;
    SL_VEC(uint32_t) made_strong;
};

/* evaluate.c */
/* Notes why the record is rejected; false, so that callers return it. */
bool sl_apply_reject(struct sl_parse *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *sl_apply_field_name(const struct sl_parse *p, int slot);
/* Nothing, or an empty text. */
bool sl_apply_missing(const struct sl_value *v);
/* The text of a value: *s is set to v's own or to digits[32]; the length is returned. */
size_t sl_apply_value_text(const struct sl_value *v, char *digits, const char **s);
/* Evaluates t; texts of several parts live in the scratch arena.  *which is a missing field. */
int sl_apply_evaluate(struct sl_parse *p, const struct sl_template *t, struct sl_value *out, int *which);
int sl_apply_name(struct sl_parse *p, const struct sl_named *n, uint32_t *id, int *which);
/* The span that mention m names; -1: a key field is missing, -2: bad. */
int32_t sl_apply_span(struct sl_parse *p, int m, int *which);
/* The span and its naming ancestors are there: a record says so.  k may be NULL. */
void sl_apply_make_strong(struct sl_parse *p, struct sl_mark *k, int32_t s);
/* >= 0: the span; -1: weak and not to be named; -2: the record is rejected. */
int32_t sl_apply_refer(struct sl_parse *p, struct sl_mark *k, struct sl_ref r);
bool sl_apply_field_time(struct sl_parse *p, int slot, int64_t *ns, bool *naive, bool *there);
/* The record's own time: the first of the declared time fields that is there. */
bool sl_apply_time(struct sl_parse *p, int64_t *ns, bool *naive);
void sl_apply_learn_zone(struct sl_parse *p, const struct sl_rule *u);

/* match.c */
/* Whether u matches the record at hand, whose message is s; its fields are in p->f then, with what u looks up. */
bool sl_match_rule(struct sl_parse *p, const struct sl_rule *u, const char *s, size_t n);
/* Puts what the head captures, and the message, into p->base. */
void sl_match_fill(struct sl_parse *p, const char *message, size_t n);
/* What pat captured in s, where it matched at `at`, into the fields f. */
void sl_match_set_captures(struct sl_value *f, const struct sl_pattern *pat, const char *s, const size_t *at);
bool sl_match_captures(const struct sl_pattern *pat, int field);
/* Which of these n texts v is; n: none. */
int sl_match_which_of(const char *const *text, int n, const struct sl_value *v);

/* apply.c */
void sl_apply_new_batch(struct sl_parse *p);
/* Names what the file is about.  believe: it is there; false: a field is missing, p->reason says which. */
bool sl_apply_contexts(struct sl_parse *p, bool believe);
void sl_apply_emit(struct sl_parse *p); /* hands the batch on, the last one */

/* rule.c */
/* Applies u to the fields in p->f; false: rejected. */
bool sl_apply_rule(struct sl_parse *p, struct sl_mark *k, const struct sl_rule *u);
void sl_apply_look_up(struct sl_parse *p, const struct sl_rule *u);
void sl_apply_raw(struct sl_parse *p, int32_t span);

#endif
