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

void sl_rows_copy(struct sl_rows *out, const struct sl_rows *r)
{
    for (size_t i = 0; i < r->n; i++) {
        char *row = sl_rows_add(out);
        memcpy(row, sl_rows_at(r, i), r->columns->bytes);
        for (int k = 0; k < r->columns->n; k++) {
            void *at = row + r->columns->v[k].offset;
            if (r->columns->v[k].type == SL_COLUMN_TEXT)
                *(const char **)at = sl_rows_text(out, *(const char **)at);
            else if (r->columns->v[k].type == SL_COLUMN_ANY)
                *(struct sl_cell *)at = sl_rows_own(out, *(struct sl_cell *)at);
        }
    }
}

struct rank {
    double key;
    size_t at;
};

static int by_rank(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    if (isnan(x->key) != isnan(y->key))
        return isnan(x->key) ? 1 : -1;
    return x->key < y->key ? -1 : x->key > y->key ? 1 : x->at < y->at ? -1 : x->at > y->at;
}

void sl_rows_sort(struct sl_rows *r, double (*key)(const void *row), bool descending)
{
    size_t bytes = r->columns->bytes;
    struct rank *rank = sl_alloc(r->n * sizeof *rank + 1);
    char *sorted = sl_alloc(r->n * bytes + 1);

    for (size_t i = 0; i < r->n; i++) {
        double k = key(sl_rows_at(r, i));
        rank[i] = (struct rank){descending ? -k : k, i};
    }
    qsort(rank, r->n, sizeof *rank, by_rank);
    for (size_t i = 0; i < r->n; i++)
        memcpy(sorted + i * bytes, sl_rows_at(r, rank[i].at), bytes);
    free(r->v);
    r->v = sorted;
    r->cap = r->n;
    free(rank);
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
