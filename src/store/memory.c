/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "store/store.h"

static sqlite3_mem_methods its_own;

static void *must_malloc(int bytes)
{
    void *p = its_own.xMalloc(bytes);
    return p || bytes <= 0 ? p : (sl_no_memory((size_t)bytes), NULL);
}

static void *must_realloc(void *old, int bytes)
{
    void *p = its_own.xRealloc(old, bytes);
    return p || bytes <= 0 ? p : (sl_no_memory((size_t)bytes), NULL);
}

void sl_store_memory(void)
{
    sqlite3_mem_methods ours;

    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); /* counting takes a lock for each block, and nobody asks */
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &its_own) != SQLITE_OK)
        return; /* it is in use */
    ours = its_own;
    ours.xMalloc = must_malloc;
    ours.xRealloc = must_realloc;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &ours);
}
