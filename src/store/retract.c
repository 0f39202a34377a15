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

/* BELOW(column) in sql: the spans of that column may be spoken of.  Where they are most of the store, it is read whole.
 * The caller frees. */
static char *with_below(struct sl_store *st, const char *sql)
{
    bool all = sl_store_int(st, "SELECT EXISTS (SELECT 1 FROM temp.sl_below WHERE id < 0)", 1);
    struct sl_buf text = {0};

    for (const char *at; (at = strstr(sql, "BELOW(")); sql = strchr(at, ')') + 1) {
        const char *column = at + strlen("BELOW(");
        sl_buf_add(&text, sql, (size_t)(at - sql));
        if (all)
            sl_buf_adds(&text, "1");
        else
            sl_buf_addf(&text, "%.*s IN (SELECT id FROM temp.sl_below)", (int)strcspn(column, ")"), column);
    }
    sl_buf_adds(&text, sql);
    return text.s;
}

static int run(struct sl_store *st, const char *sql, struct sl_err *err)
{
    char *text = with_below(st, sql);
    int rc = sl_store_exec(st, text, err);

    free(text);
    return rc;
}

int sl_retract_rows(struct sl_store *st, int64_t *back, struct sl_err *err)
{
    int rc = sl_store_int(st, sql_many, 1) ? 0 : sl_store_exec(st, sql_below, err);

    if (!rc && sl_store_int(st, sql_most, 1))
        rc = sl_store_exec(st, "INSERT INTO temp.sl_below VALUES (-1)", err);
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
    char *sql = with_below(st, sql_each);
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
