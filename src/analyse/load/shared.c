/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite 3.40 keeps nothing of ours with a connection but what belongs to a function: a pointer, which only C reads. */
#include "analyse/load/shared.h"
#include "analyse/ext.h"
#include "analyse/load/fast_rows.h"
#include "base/mem.h"
#include "base/processors.h"

#include <stdbool.h>
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

/* ---- a second connection ---- */

enum { LARGE_SPANS = 100000 }; /* below it there is little to win: 30 ms */

/* Large, and kept as it is by who reads it: a writer waits.  What stands in a log beside it can be another state. */
static bool is_fit(sqlite3 *db)
{
    static const char *const fit[] = {"delete", "truncate", "persist"};
    sqlite3_stmt *q = NULL;
    bool is = sqlite3_prepare_v2(db, "SELECT max(id) FROM sl_span", -1, &q, NULL) == SQLITE_OK &&
              sqlite3_step(q) == SQLITE_ROW && sqlite3_column_int64(q, 0) >= LARGE_SPANS;

    sqlite3_finalize(q);
    if (!is || sqlite3_prepare_v2(db, "PRAGMA main.journal_mode", -1, &q, NULL) != SQLITE_OK)
        return false;
    is = sqlite3_step(q) == SQLITE_ROW;
    for (size_t i = 0; is && i < sizeof fit / sizeof *fit; i++)
        if (!sqlite3_stricmp((const char *)sqlite3_column_text(q, 0), fit[i]))
            break;
        else if (i + 1 == sizeof fit / sizeof *fit)
            is = false;
    sqlite3_finalize(q);
    return is;
}

void sl_beside_open(sqlite3 *db)
{
    struct sl_shared *shared = sl_shared_of(db);
    const char *file = sqlite3_db_filename(db, "main");
    sqlite3 *other = NULL;

    if (!shared || shared->beside || sl_processors() < 2 || !file || !*file || !sqlite3_get_autocommit(db) ||
        sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        return;
    if (is_fit(db) && sqlite3_open_v2(file, &other, SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        sl_query_register(other) == SQLITE_OK &&
        sqlite3_exec(other, "BEGIN; SELECT max(id) FROM sl_span", NULL, NULL, NULL) == SQLITE_OK) {
        shared->beside = other;
        return;
    }
    sqlite3_close(other);
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
}

void sl_beside_close(sqlite3 *db)
{
    struct sl_shared *shared = sl_shared_of(db);

    if (!shared || !shared->beside)
        return;
    sqlite3_close(shared->beside);
    shared->beside = NULL;
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
}

bool sl_has_beside(sqlite3 *db)
{
    const struct sl_shared *shared = sl_shared_of(db);

    return shared && shared->beside;
}
