/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every file of analyse that calls SQLite includes this instead of sqlite3.h: in the extension the calls go through the
 * pointers that the host program hands us (ext.c holds them), in the program (SQLITE_CORE) they are plain calls.
 */
#ifndef SL_ANALYSE_EXT_H
#define SL_ANALYSE_EXT_H

#include <sqlite3ext.h>
#ifndef SL_EXT_HOLDER
SQLITE_EXTENSION_INIT3
#include "base/sqlite_words.h" /* behind SQLite */
#endif

#endif
