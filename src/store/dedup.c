/* SPDX-License-Identifier: Apache-2.0 */
#include "store/dedup.h"
#include "store_dedup.sql.h"

int sl_dedup_part(struct sl_store *st, int64_t *apart, struct sl_err *err)
{
    static const struct {
        const char *any, *part;
    } step[] = {{sql_any_forms, sql_forms}, {sql_any_copies, sql_copies}};
    int rc = 0;

    *apart = 0;
    for (size_t i = 0; i < sizeof step / sizeof *step && !rc; i++) {
        if (!sl_store_int(st, step[i].any, 0))
            continue;
        rc = sl_store_exec(st, step[i].part, err);
        if (!rc)
            rc = sl_store_exec(st, sql_move, err);
        *apart += rc ? 0 : sqlite3_changes64(st->db);
        if (!rc)
            rc = sl_store_exec(st, sql_end, err);
    }
    return rc;
}
