/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a run goes on, by what was written to its logs last. */
#include "findings/why_internal.h"
#include "findings_run_state.sql.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { QUIET_S = 150, FOLLOWED_QUIET_S = 600, CLOCKS_S = 2 };

/*
 * Whether a log is as old as what it tells: all files of a copy came to be, and were written, after the last event.
 * Where the file system knows no time of birth, as many a network one does not, it may be.
 */
static bool is_as_old(const char *path, int64_t end_s)
{
    struct statx x;

    return !statx(AT_FDCWD, path, 0, STATX_MTIME | STATX_BTIME, &x) &&
           (x.stx_mtime.tv_sec <= end_s + CLOCKS_S || !(x.stx_mask & STATX_BTIME) ||
            x.stx_btime.tv_sec <= end_s + CLOCKS_S);
}

int sl_why_look_at_logs(struct sl_table *run, struct sl_store *st, bool followed, struct sl_err *err)
{
    const char *state = sl_table_next(run, NULL) > 0 ? sl_table_text_or_empty(run, SL_WHY_RUN_STATE) : "";
    bool goes_on = !strcmp(state, "goes on"), is_written = false, is_original = followed;
    int64_t end_s = sl_table_int(run, SL_WHY_RUN_END) / 1000000000;
    time_t since = time(NULL) - (followed ? FOLLOWED_QUIET_S : QUIET_S);
    sqlite3_stmt *q = NULL;
    struct stat file;
    int rc = 0;

    if (!strcmp(state, "cut short")) {
        q = sl_store_prepare(st, sql_logs, err);
        rc = q ? 0 : SL_ESTORE;
        while (!rc && !(is_written && is_original) && (rc = sl_store_step(st, q, err)) > 0) {
            const char *path = (const char *)sqlite3_column_text(q, 0);
            rc = 0;
            is_written |= !stat(path, &file) && file.st_mtime > since;
            is_original |= is_as_old(path, end_s);
        }
        sqlite3_finalize(q);
        if ((goes_on = !rc && is_written && is_original))
            sl_table_put_text(run, SL_WHY_RUN_STATE, "goes on");
    }
    sl_table_rewind(run);
    return !rc && goes_on ? sl_store_temporary(st, sql_seen, err) : rc;
}
