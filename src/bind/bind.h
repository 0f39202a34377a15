/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bindings: links that no line of a log asserts.  A rule is one line of text,
 *
 *     [guess] LEFT in|facet|after|flow RIGHT [where EXPRESSION]
 *
 * where LEFT and RIGHT are types of spans or tables (span_tables.h), and the SQL expression compares their columns as
 * a.COLUMN and b.COLUMN.  All pairs are linked; with `guess`, only a left one that fits a single right one is, and
 * others become doubts.  What rules link depends on what the store holds alone, so that the order of imports does not
 * matter.  They are applied at the end of every import, to what can relate to what it wrote, and to the whole store by
 * `spanloom bind`, without reading logs again.
 */
#ifndef SL_BIND_BIND_H
#define SL_BIND_BIND_H

#include "recipe/bind_rule.h"
#include "recipe/recipe.h"
#include "store/store.h"

/* Checks the columns and the SQL of a rule, where the store has spans of both types.  0, or SL_EFORMAT. */
int sl_bind_check(struct sl_store *st, const struct sl_bind_rule *r, struct sl_err *err);

/* What is to be bound: all, or what can relate to the roots in temp.sl_touched (store/retract.h). */
struct sl_bind_scope {
    bool all;
    bool retracted; /* rows of these were taken back, too: what they led to is not known any more */
};

/*
 * Before records come, so that what these assert is not in doubt: where all has to be bound anew, because of rules that
 * may look anywhere, or because the rules are others than those of the last time, sets scope->all and takes away what
 * rules linked.
 */
int sl_bind_begin(struct sl_store *st, const struct sl_recipes *set, struct sl_bind_scope *scope, struct sl_err *err);

/*
 * Within a transaction, with the tables made: takes away what rules linked before within the scope, and applies them
 * again: those of the recipes, of files and their writers, and of users.  A user's rule that is no SQL (any more) is
 * told by warn, and left out.
 */
int sl_bind_apply(struct sl_store *st, const struct sl_recipes *set, const struct sl_bind_scope *scope,
                  void (*warn)(void *to, const char *text), void *to, struct sl_err *err);

/* A campaign: a root span of a human's naming, with runs in it.  Adds the roots that these sources name. */
int sl_bind_campaign(struct sl_store *st, const char *name, const int64_t *source, size_t n, struct sl_err *err);
int sl_bind_drop_campaign(struct sl_store *st, const char *name, struct sl_err *err);

/* Rules that are no expression, but code, beside those of recipes (`processes`); ends with a NULL name. */
struct sl_bind_built_in {
    const char *name, *says;
};
extern const struct sl_bind_built_in sl_bind_built_in[];

/* What one rule came to, after sl_bind_apply(). */
int64_t sl_bind_links(struct sl_store *st, const char *name);
int64_t sl_bind_doubts(struct sl_store *st, const char *name);

#endif
