/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/tasks/workflows.h"
#include "analyse/ext.h"
#include "analyse/load/fast_rows.h"
#include "store/store.h" /* the kinds of links alone */
#include "tasks_workflows.sql.h"

int sl_workflow_views_load(sl_workflow_views *out, sqlite3 *db, struct sl_err *err)
{
    sqlite3_stmt *q;

    if (sqlite3_prepare_v2(db, sql_workflows, -1, &q, NULL) != SQLITE_OK)
        return sl_query_err(db, err);
    while (sqlite3_step(q) == SQLITE_ROW)
        *sl_vec_add(out) = (struct sl_workflow_view){sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1)};
    return sqlite3_finalize(q) == SQLITE_OK ? 0 : sl_query_err(db, err);
}
