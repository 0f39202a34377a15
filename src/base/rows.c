/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rows.h"

#include <math.h>
#include <stdlib.h>

void sl_row_clear(const struct sl_columns *columns, void *row)
{
    memset(row, 0, columns->bytes);
    for (int i = 0; i < columns->n; i++) {
        char *at = (char *)row + columns->v[i].offset;
        if (columns->v[i].type == SL_COLUMN_INTEGER)
            *(int64_t *)(void *)at = SL_NULL_INTEGER;
        else if (columns->v[i].type == SL_COLUMN_REAL)
            *(double *)(void *)at = NAN;
    }
}

void *sl_rows_add(struct sl_rows *r)
{
    if (r->n == r->cap)
        r->v = sl_vec_grow(r->v, &r->cap, r->columns->bytes);
    sl_row_clear(r->columns, r->v + r->n * r->columns->bytes);
    return r->v + r->n++ * r->columns->bytes;
}

void *sl_rows_at(const struct sl_rows *r, size_t i)
{
    return r->v + i * r->columns->bytes;
}

const char *sl_rows_text(struct sl_rows *r, const char *s)
{
    return s ? sl_arena_copy(&r->text, s, strlen(s)) : NULL;
}

struct sl_cell sl_rows_own(struct sl_rows *r, struct sl_cell value)
{
    if (value.type == SL_CELL_TEXT)
        value.s = sl_arena_copy(&r->text, value.s, value.n);
    return value;
}

void sl_rows_clear(struct sl_rows *r)
{
    r->n = 0;
    sl_arena_reset(&r->text);
}

void sl_rows_free(struct sl_rows *r)
{
    free(r->v);
    sl_arena_free(&r->text);
    *r = (struct sl_rows){.columns = r->columns};
}
