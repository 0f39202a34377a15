/* SPDX-License-Identifier: Apache-2.0 */
#include "result/spans/span_names.h"
#include "spans_span_names.sql.h"

#include <stdio.h>

char *sl_span_name(struct sl_store *st, int64_t span, char *buf, size_t n)
{
    sqlite3_stmt *q = sl_store_prepare(st, sql_span_name, NULL);
    size_t at = 0;
    int64_t id = span;

    *buf = 0;
    while (q && id && at < n) {
        sqlite3_bind_int64(q, 1, id);
        if (sqlite3_step(q) != SQLITE_ROW)
            break;
        at += (size_t)snprintf(buf + at, n - at, "%s%s %s", at ? " of " : "", sl_store_text(q, 0), sl_store_text(q, 1));
        if (at < n && sqlite3_column_type(q, 3) != SQLITE_NULL)
            at += (size_t)snprintf(buf + at, n - at, " (%s)", sl_store_text(q, 3));
        id = sqlite3_column_int64(q, 2);
        sqlite3_reset(q);
    }
    sqlite3_finalize(q);
    return buf;
}
