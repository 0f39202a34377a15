/* SPDX-License-Identifier: Apache-2.0 */
#include "result/trials.h"

#include <math.h>

static struct sl_table *add_row(struct sl_result *r, const char *name, const struct sl_columns *columns,
                                const void *row)
{
    struct sl_table *t = sl_result_find(r, name);
    const struct sl_rows one = {.columns = columns, .v = (char *)(uintptr_t)row, .n = 1};
    char *own;

    t = t ? t : sl_result_rows(r, name, columns);
    sl_rows_copy(&t->memory, &one);
    own = sl_rows_at(&t->memory, t->rows++);
    for (int i = 0; i < columns->n; i++) {
        double *d = (double *)(void *)(own + columns->v[i].offset);
        if (columns->v[i].type == SL_COLUMN_REAL && isinf(*d))
            *d = NAN;
    }
    return t;
}

void sl_result_comparison(struct sl_result *r, const struct sl_comparison_row *row)
{
    add_row(r, "comparison", &sl_comparison_row_columns, row);
}

void sl_result_setting(struct sl_result *r, const struct sl_setting_row *row)
{
    struct sl_table *t = add_row(r, "settings", &sl_setting_row_columns, row);

    if (t->own)
        return;
    t->own = sl_alloc((size_t)t->columns * sizeof *t->own);
    memcpy(t->own, t->column, (size_t)t->columns * sizeof *t->own);
    for (int i = 0; i < t->columns; i++)
        if (!strcmp(t->own[i].name, "for_what"))
            t->own[i].name = "for"; /* which no member can be called */
    t->column = t->own;
}

void sl_result_tuned(struct sl_result *r, const struct sl_tuned_row *row)
{
    add_row(r, "tuned", &sl_tuned_row_columns, row);
}

void sl_result_history(struct sl_result *r, const struct sl_history_row *row)
{
    add_row(r, "history", &sl_history_row_columns, row);
}
