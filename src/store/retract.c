/* SPDX-License-Identifier: Apache-2.0 */
#include "store/retract.h"
#include "base/buf.h"
#include "store_retract.sql.h"

#include <stdlib.h>
#include <string.h>

int sl_retract_begin(struct sl_store *st, struct sl_err *err)
{
    int rc = sl_retract_end(st, err);
    return rc ? rc : sl_store_exec(st, sql_begin, err);
}

/*
 * BELOW(column) in sql: the spans of that column may be spoken of; where they are most of the store, it is read whole.
 * RETRACTED(table.): the row is of a record that is retracted.  The caller frees.
 */
static char *spell_out(struct sl_store *st, const char *sql)
{
    bool all = sl_store_int(st, "SELECT EXISTS (SELECT 1 FROM temp.sl_below WHERE id < 0)", 1);
    struct sl_buf text = {0};

    for (const char *at; (at = strpbrk(sql, "BR"));) {
        bool below = !strncmp(at, "BELOW(", 6), retracted = !strncmp(at, "RETRACTED(", 10);
        const char *in = at + (below ? 6 : 10);
        int n = below || retracted ? (int)strcspn(in, ")") : 0;
        sl_buf_add(&text, sql, (size_t)(at - sql) + (n || retracted ? 0 : 1));
        sql = below || retracted ? in + n + 1 : at + 1;
        if (below && all)
            sl_buf_adds(&text, "1");
        else if (below)
            sl_buf_addf(&text, "%.*s IN (SELECT id FROM temp.sl_below)", n, in);
        else if (retracted)
            sl_buf_addf(&text,
                        "%.*ssource IN (SELECT id FROM temp.sl_retracted) AND %.*splace >= (SELECT since FROM "
                        "temp.sl_retracted WHERE id = %.*ssource)",
                        n, in, n, in, n, in);
    }
    sl_buf_adds(&text, sql);
    return text.s;
}

static int run(struct sl_store *st, const char *sql, struct sl_err *err)
{
    char *text = spell_out(st, sql);
    int rc = sl_store_exec(st, text, err);

    free(text);
    return rc;
}

int sl_retract_source(struct sl_store *st, int64_t source, int64_t since, const char *spans, struct sl_err *err)
{
    int rc = sl_store_run(st, "INSERT OR IGNORE INTO temp.sl_retracted VALUES (?, ?)", err, "ii", source, since);

    return !rc && spans ? sl_store_run(st, sql_tail, err, "t", spans) : rc;
}

int sl_retract_rows(struct sl_store *st, int64_t *back, struct sl_err *err)
{
    bool all = sl_store_int(st, sql_many, 1);
    int rc = all ? 0 : sl_store_exec(st, sql_below, err);

    if (!rc && (all || sl_store_int(st, sql_most, 1)))
        rc = sl_store_exec(st, "INSERT INTO temp.sl_below VALUES (-1); INSERT INTO temp.sl_touched VALUES (-1)", err);
    if (!rc)
        rc = run(st, sql_join, err);
    *back = sqlite3_changes64(st->db);
    return rc ? rc : run(st, sql_rows, err);
}

int sl_retract_spans(struct sl_store *st, struct sl_err *err)
{
    return run(st, sql_spans, err);
}

int sl_retract_each(struct sl_store *st, sl_row_fn *fn, void *of, struct sl_err *err)
{
    char *sql = spell_out(st, sql_each);
    int rc = sl_store_each(st, sql, fn, of, err, "");

    free(sql);
    return rc;
}

int sl_retract_end(struct sl_store *st, struct sl_err *err)
{
    return sl_store_exec(st, sql_end, err);
}

int sl_retract_bindings(struct sl_store *st, struct sl_err *err)
{
    int rc = sl_store_exec(st, "DELETE FROM sl_link WHERE confidence IS NOT NULL; DELETE FROM sl_doubt", err);

    return rc ? rc : sl_store_exec(st, sql_rebind, err);
}
