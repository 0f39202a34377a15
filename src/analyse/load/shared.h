/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the program has loaded of a store and keeps: the functions of the connection look there before they load the
 * same.  Who puts something in takes it out again before it is freed, and does not change the store in between.
 */
#ifndef SL_ANALYSE_LOAD_SHARED_H
#define SL_ANALYSE_LOAD_SHARED_H

#include <sqlite3.h>
#include <stdbool.h>

struct sl_shared {
    const struct sl_root_events *events; /* raw, with parents and sources, of all of the store or of a part; or NULL */
    const struct sl_workflow *workflow;  /* or NULL */
    sqlite3 *beside; /* a second connection that reads the same state of the store, for another thread; or NULL */
};

/* An SQLite result code. */
int sl_shared_register(sqlite3 *db);
/* That of the connection, which owns it; NULL where sl_shared_register() was not called. */
struct sl_shared *sl_shared_of(sqlite3 *db);

/*
 * Until sl_beside_close() the connection is in a transaction that reads, and has another one beside it if it can: where
 * there are processors for two threads, the store is a large file, and its rollback journal lets nobody write
 * meanwhile. The extension has none: it is in a program of somebody else.
 */
void sl_beside_open(sqlite3 *db);
void sl_beside_close(sqlite3 *db);
bool sl_has_beside(sqlite3 *db);

#endif
