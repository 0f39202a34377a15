/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "export/formats.h"
#include "export_tables.sql.h"

#include <stdlib.h>

/* A field: quoted where it has to be (RFC 4180), and where it is empty, as NULL is nothing. */
static void put_text(struct sl_buf *b, const char *s, size_t n)
{
    struct sl_buf clean = {0};

    if (n && sl_utf8_valid(s, n) == n && !strpbrk(s, "\",\r\n")) { /* as nearly all are */
        sl_buf_add(b, s, n);
        return;
    }
    sl_buf_add_utf8(&clean, s, n);
    if (clean.n && !strpbrk(clean.s, "\",\r\n")) {
        sl_buf_add(b, clean.s, clean.n);
    } else {
        sl_buf_addc(b, '"');
        for (size_t i = 0; i < clean.n; i++) {
            if (clean.s[i] == '"')
                sl_buf_addc(b, '"');
            sl_buf_addc(b, clean.s[i]);
        }
        sl_buf_addc(b, '"');
    }
    sl_buf_free(&clean);
}

static void put_cell(struct sl_buf *b, sqlite3_stmt *row, int column, bool time)
{
    char text[SL_TIME_TEXT];

    if (time) {
        sl_buf_adds(b, sl_time_text(sqlite3_column_int64(row, column), text));
        return;
    }
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL: return;
    case SQLITE_INTEGER: sl_buf_add_int(b, sqlite3_column_int64(row, column)); return;
    case SQLITE_FLOAT:
        sl_real_text(sqlite3_column_double(row, column), text);
        sl_buf_adds(b, text);
        if (!strpbrk(text, ".en")) /* a real number shows that it is one */
            sl_buf_adds(b, ".0");
        return;
    default: put_text(b, sl_store_text(row, column), (size_t)sqlite3_column_bytes(row, column));
    }
}

static int put_table(struct sl_spans *s, struct sl_folder *folder, const char *name, const char *sql, uint64_t *rows,
                     struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(s->st, sql, err);
    struct sl_buf line = {0};
    struct sl_out out;
    int rc = q ? sl_folder_file(folder, name, &out, err) : SL_ESTORE, columns = q ? sqlite3_column_count(q) : 0,
        time = -1; /* the column of nanoseconds that is told as people read it */

    if (rc)
        goto done;
    for (int i = 0; i < columns; i++) {
        time = strcmp(sqlite3_column_name(q, i), "time") ? time : i;
        sl_buf_adds(&line, i ? "," : "");
        sl_buf_adds(&line, sqlite3_column_name(q, i));
    }
    sl_buf_adds(&line, "\r\n");
    while (!sl_out_failed(&out) && (rc = sl_store_step(s->st, q, err)) == 1) {
        for (int i = 0; i < columns; i++) {
            sl_buf_adds(&line, i ? "," : "");
            put_cell(&line, q, i, i == time);
        }
        sl_buf_adds(&line, "\r\n");
        sl_out_buf(&out, &line);
        ++*rows;
    }
    sl_out_buf(&out, &line); /* the header, where there are no rows */
    rc = sl_out_close(&out, rc < 0 ? rc : 0, err);
done:
    sqlite3_finalize(q);
    sl_buf_free(&line);
    return rc;
}

int sl_export_csv(struct sl_spans *s, const char *folder, struct sl_export_counts *counts, struct sl_err *err)
{
    uint64_t sources = 0;
    struct {
        const char *name, *sql;
        uint64_t *rows;
    } table[] = {
        {"spans.csv", sql_spans, &counts->spans},       {"events.csv", sql_events, &counts->events},
        {"links.csv", sql_links, &counts->links},       {"attributes.csv", sql_attributes, &counts->attributes},
        {"samples.csv", sql_samples, &counts->samples}, {"sources.csv", sql_sources, &sources}};
    struct sl_folder to;
    int rc;

    *counts = (struct sl_export_counts){0};
    rc = sl_folder_open(&to, folder, err);
    for (size_t i = 0; !rc && i < sizeof table / sizeof *table; i++)
        rc = put_table(s, &to, table[i].name, table[i].sql, table[i].rows, err);
    return sl_folder_close(&to, rc, err);
}
