/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/load/near_names.h"
#include "analyse/ext.h"
#include "base/mem.h"
#include "base/near.h"
#include "load_near_names.sql.h"

#include <stdlib.h>
#include <string.h>

void sl_query_near(struct sl_buf *b, sqlite3 *db, const char *sql, const char *name)
{
    SL_VEC(char *) names = {0};
    sqlite3_stmt *q = NULL;

    if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK)
        while (sqlite3_step(q) == SQLITE_ROW)
            if (sqlite3_column_text(q, 0))
                *sl_vec_add(&names) = sl_strdup((const char *)sqlite3_column_text(q, 0));
    sqlite3_finalize(q);
    sl_near_add(b, (const char *const *)names.v, names.n, name);
    for (size_t i = 0; i < names.n; i++)
        free(names.v[i]);
    sl_vec_free(&names);
}

int sl_no_event(sqlite3 *db, const char *name, struct sl_err *err)
{
    struct sl_buf near = {0};
    int rc;

    sl_query_near(&near, db, strchr(name, '/') ? sql_events_of_types : sql_events, name);
    rc = sl_err(err, SL_ENOTFOUND, "no event is called %s%s see what there is with: spanloom types --events", name,
                near.n ? near.s : ";");
    sl_buf_free(&near);
    return rc;
}
