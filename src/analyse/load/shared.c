/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite 3.40 keeps nothing of ours with a connection but what belongs to a function: a pointer, which only C reads. */
#include "analyse/load/shared.h"
#include "analyse/ext.h"
#include "base/mem.h"

#include <stdlib.h>

static const char POINTER[] = "spanloom-shared";

static void shared(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    (void)argc, (void)argv;
    sqlite3_result_pointer(out, sqlite3_user_data(out), POINTER, NULL);
}

int sl_shared_register(sqlite3 *db)
{
    return sqlite3_create_function_v2(db, "sl_shared", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                      sl_alloc(sizeof(struct sl_shared)), shared, NULL, NULL, free);
}

struct sl_shared *sl_shared_of(sqlite3 *db)
{
    struct sl_shared *found = NULL;
    sqlite3_stmt *q = NULL;

    if (sqlite3_prepare_v2(db, "SELECT sl_shared()", -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
        found = sqlite3_value_pointer(sqlite3_column_value(q, 0), POINTER);
    sqlite3_finalize(q);
    return found;
}
