/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What rows of spans, events, attributes and samples name by a number, which is asked for each of them: names, sources
 * and shapes of a store, held as arrays.
 */
#ifndef SL_EXPORT_STORED_NAMES_H
#define SL_EXPORT_STORED_NAMES_H

#include "analyse/load/idmap.h"
#include "store/store.h"

struct sl_exported_value {
    const char *name; /* of an attribute, a metric */
    int type;         /* SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT */
    int64_t i;
    double d;
    const char *s;
    size_t n;
};
typedef SL_VEC(struct sl_exported_value) sl_exported_values;

struct sl_shape_field {
    const char *name;
    int64_t pos;
    uint32_t rank; /* of what a span is called by, the best first, from 1; 0: it is called by another one */
};

struct sl_words {
    struct sl_store *st;
    struct sl_idmap names, sources, shapes;
    const char **name, **component; /* by index in names, sources */
    uint32_t *field_start;          /* by index in shapes, and one more */
    SL_VEC(struct sl_shape_field) field;
    struct sl_arena arena;
    sqlite3_stmt *extract;
};

int sl_words_load(struct sl_words *w, struct sl_store *st, struct sl_err *err);
void sl_words_free(struct sl_words *w);

const char *sl_words_name(const struct sl_words *w, int64_t id); /* "": there is none */
const char *sl_words_component(const struct sl_words *w, int64_t source);
/* Whether spans are called by one of its fields. */
bool sl_words_call(const struct sl_words *w, int64_t shape);

/*
 * Adds the values of a list (vals of sl_attr, sl_alike) of a shape, as json_extract() has them, without those that are
 * NULL; only_rank: only fields that spans are called by.  Texts are borrowed from the list, or in the arena.
 */
int sl_words_values(struct sl_words *w, int64_t shape, const char *list, size_t n, bool only_ranked,
                    struct sl_arena *arena, sl_exported_values *to, struct sl_err *err);
uint32_t sl_words_rank(const char *name); /* as in sl_shape_field */

#endif
