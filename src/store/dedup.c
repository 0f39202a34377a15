/* SPDX-License-Identifier: Apache-2.0 */
#include "store/dedup.h"
#include "store_dedup.sql.h"

static int part_copies(struct sl_store *st, struct sl_err *err)
{
    int rc = 0;

    if (!sl_store_int(st, sql_part_copies_2, 0))
        return 0;
    rc = sl_store_exec(st, sql_copies, err);
    if (!rc)
        rc = sl_store_exec(st, sql_part_copies, err);
    return rc ? rc : sl_store_exec(st, "DROP TABLE temp.sl_copy", err);
}

int sl_dedup_join(struct sl_store *st, struct sl_err *err)
{
    return sl_store_exec(st, sql_join, err);
}

int sl_dedup_part(struct sl_store *st, struct sl_err *err)
{
    int rc = sl_store_int(st, sql_any, 0) ? sl_store_exec(st, sql_part, err) : 0;

    return rc ? rc : part_copies(st, err);
}

int64_t sl_dedup_waiting(struct sl_store *st)
{
    return sl_store_int(st, "SELECT count(*) FROM sl_event_also", 0);
}
