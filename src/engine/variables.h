/* SPDX-License-Identifier: Apache-2.0 */
/* keep: and look: of a recipe: values remembered within a file, by the text of other fields. */
#ifndef SL_ENGINE_VARIABLES_H
#define SL_ENGINE_VARIABLES_H

#include "base/map.h"
#include "base/mem.h"

/* Zero-initialise; its arena may be used for other things that live as long as the file's parse. */
struct sl_variables {
    struct sl_arena arena;
    SL_VEC(struct sl_kept {
        int value, by;
        const char *of, *is;
        uint32_t nof, nis;
    })
    v;
    struct sl_map map; /* of v */
    SL_VEC(bool) any;  /* by value: something was remembered */
};

/* Remembers the text is[0..nis) as `value` for `of`; by tells apart what is remembered by different fields. */
void sl_variables_put(struct sl_variables *k, int value, int by, const char *of, size_t n, const char *is, size_t nis);
/* NULL: nothing was remembered.  Valid until the next put. */
const struct sl_kept *sl_variables_get(const struct sl_variables *k, int value, int by, const char *of, size_t n);
/* Was anything ever remembered as this value, for whatever? */
static inline bool sl_variables_any(const struct sl_variables *k, int value)
{
    return (size_t)value < k->any.n && k->any.v[value];
}
void sl_variables_free(struct sl_variables *k);

#endif
