/* SPDX-License-Identifier: Apache-2.0 */
#include "store/retract.h"
#include "store_retract.sql.h"

int sl_retract_begin(struct sl_store *st, struct sl_err *err)
{
    int rc = sl_retract_end(st, err);
    return rc ? rc : sl_store_exec(st, sql_begin, err);
}

int sl_retract_rows(struct sl_store *st, struct sl_err *err)
{
    return sl_store_exec(st, sql_rows, err);
}

int sl_retract_spans(struct sl_store *st, struct sl_err *err)
{
    return sl_store_exec(st, sql_spans, err);
}

int sl_retract_end(struct sl_store *st, struct sl_err *err)
{
    return sl_store_exec(st, sql_end, err);
}

int sl_retract_bindings(struct sl_store *st, struct sl_err *err)
{
    int rc = sl_store_exec(st, "DELETE FROM sl_link WHERE confidence IS NOT NULL; DELETE FROM sl_doubt", err);

    return rc ? rc : sl_store_exec(st, sql_rebind, err);
}
