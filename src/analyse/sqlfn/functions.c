/* SPDX-License-Identifier: Apache-2.0 */
/* What table functions there are: a row for each of their columns and arguments. */
#include "analyse/ext.h"
#include "analyse/sqlfn/sqlfn.h"

/* clang-format off */
#define FUNCTIONS(COLUMN, row) \
    COLUMN(row, TEXT, function, NULL, "its name") \
    COLUMN(row, TEXT, about, NULL, "what it tells") \
    COLUMN(row, TEXT, kind, NULL, "argument, column, or hidden: a column that comes only when it is named") \
    COLUMN(row, INTEGER, position, NULL, "1, 2, ... of its kind") \
    COLUMN(row, TEXT, name, NULL, "of the argument or column") \
    COLUMN(row, TEXT, type, NULL, "integer, real, text or any") \
    COLUMN(row, TEXT, unit, NULL, "of its values; NULL: none") \
    COLUMN(row, TEXT, meaning, NULL, "in words; NULL: the name says it") \
    COLUMN(row, INTEGER, needed, NULL, "1: the argument must be given")
/* clang-format on */
SL_ROW(functions, FUNCTIONS);

#define TABLE_FN(name) &sl_fn_##name,
static const struct sl_table_fn *const tables[] = {SL_TABLE_FNS(TABLE_FN)};

const struct sl_table_fn *sl_table_fn_at(size_t i)
{
    return i < sizeof tables / sizeof *tables ? tables[i] : NULL;
}

static struct functions *add_one(struct sl_rows *out, const struct sl_table_fn *fn, const char *kind, int position,
                                 const struct sl_column *c)
{
    static const char *const types[] = {"any", "text", "integer", "real"};
    struct functions *x = sl_rows_add(out);

    x->function = fn->name;
    x->about = fn->about;
    x->kind = kind;
    x->position = position;
    x->name = c->name;
    x->type = types[c->type];
    x->unit = c->unit;
    x->meaning = c->meaning;
    return x;
}

static int fill_functions(struct sl_rows *out, const struct sl_call *call, struct sl_err *err)
{
    const struct sl_table_fn *fn;

    (void)call, (void)err;
    for (size_t i = 0; (fn = sl_table_fn_at(i)); i++) {
        int visible = fn->row->n - fn->hidden;
        for (int k = 0; k < sl_table_args(fn); k++)
            add_one(out, fn, "argument", k + 1, &fn->arg[k])->needed = k < fn->needed;
        for (int k = 0; k < fn->row->n; k++)
            add_one(out, fn, k < visible ? "column" : "hidden", k < visible ? k + 1 : k + 1 - visible, &fn->row->v[k]);
    }
    return 0;
}

const struct sl_table_fn sl_fn_functions = {
    .name = "functions",
    .about = "the table functions, their arguments and their columns",
    .row = &functions_columns,
    .usage = "functions()",
    .rows = 400,
    .fill = fill_functions,
};
