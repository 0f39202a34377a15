/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of spans, gathered in a temporary table, become links of a rule. */
#include "base/buf.h"
#include "bind/bind_internal.h"
#include "bind_pairs.sql.h"

int sl_binding_name(struct sl_store *st, const char *name, int64_t *id, struct sl_err *err)
{
    int rc = sl_store_run(st, "INSERT OR IGNORE INTO sl_name (name) VALUES (?)", err, "t", name);
    char *sql;

    if (rc)
        return rc;
    sql = sqlite3_mprintf("SELECT id FROM sl_name WHERE name = %Q", name);
    *id = sl_store_int(st, sql, 0);
    sqlite3_free(sql);
    return 0;
}

int sl_binding_begin(struct sl_store *st, struct sl_err *err)
{
    return sl_store_exec(st, sql_binding_begin, err);
}

/* temp.sl_pair -> links; with guess, only where a left one (of facets: both) has one partner, and doubts elsewhere. */
int sl_binding_end(struct sl_store *st, enum sl_link_kind kind, const char *name, bool guess, struct sl_err *err)
{
    static const char *const one = "(SELECT l FROM temp.sl_pair GROUP BY l HAVING count(*) = 1)",
                             *const other = "(SELECT r FROM temp.sl_pair GROUP BY r HAVING count(*) = 1)";
    const char *left = kind == SL_IN ? "r" : "l", *right = kind == SL_IN ? "l" : "r";
    const char *once = kind == SL_FACET ? sql_facet_once : "";
    struct sl_buf fit = {0};
    int64_t rule;
    char *sql;
    int rc;

    if (!sl_store_int(st, "SELECT EXISTS (SELECT 1 FROM temp.sl_pair)", 0))
        return 0;
    if ((rc = sl_binding_name(st, name, &rule, err)))
        return rc;
    if (guess)
        sl_buf_addf(&fit, "l IN %s", one);
    if (guess && kind == SL_FACET)
        sl_buf_addf(&fit, " AND r IN %s", other);
    sql = sqlite3_mprintf(sql_one, left, (int)kind, right, (long long)rule, guess ? fit.s : "1", once);
    rc = sl_store_exec(st, sql, err);
    sqlite3_free(sql);
    if (!rc && guess) {
        sql = sqlite3_mprintf(sql_insert_doubt, left, (int)kind, right, (long long)rule, fit.s, once);
        rc = sl_store_exec(st, sql, err);
        sqlite3_free(sql);
    }
    sl_buf_free(&fit);
    return rc;
}

bool sl_binding_unbound(struct sl_store *st, const char *name)
{
    char *sql = sqlite3_mprintf("SELECT 1 FROM sl_unbound WHERE rule = %Q", name);
    bool yes = sl_store_int(st, sql, 0) != 0;

    sqlite3_free(sql);
    return yes;
}
