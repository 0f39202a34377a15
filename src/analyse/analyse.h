/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The analysis library: SQL functions and table functions over a store, the same inside the program and as the loadable
 * extension spanloom.so.  Each is the file of its name in sqlfn/ (quantiles and the like: stats.c), and described in
 * docs/sql.md.
 */
#ifndef SL_ANALYSE_ANALYSE_H
#define SL_ANALYSE_ANALYSE_H

#include <sqlite3.h>

/* Makes all of it known to db, which need not be a store yet.  An SQLite result code. */
int sl_analyse_register(sqlite3 *db);

#endif
