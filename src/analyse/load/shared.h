/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the program has loaded of a store and keeps: the functions of the connection look there before they load the
 * same.  Who puts something in takes it out again before it is freed, and does not change the store in between.
 */
#ifndef SL_ANALYSE_LOAD_SHARED_H
#define SL_ANALYSE_LOAD_SHARED_H

#include <sqlite3.h>

struct sl_shared {
    const struct sl_root_events *events; /* raw, with parents and sources, of all of the store or of a part; or NULL */
    const struct sl_workflow *workflow;  /* or NULL */
};

/* An SQLite result code. */
int sl_shared_register(sqlite3 *db);
/* That of the connection, which owns it; NULL where sl_shared_register() was not called. */
struct sl_shared *sl_shared_of(sqlite3 *db);

#endif
