/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts above the workflow: a campaign of runs, as a human calls it. */
#include "bind/bind_internal.h"
#include "bind_campaign.sql.h"

static int64_t find(struct sl_store *st, const char *name)
{
    char *sql = sqlite3_mprintf(sql_find, name);
    int64_t id = sl_store_int(st, sql, 0);

    sqlite3_free(sql);
    return id;
}

int sl_bind_campaign(struct sl_store *st, const char *name, const int64_t *source, size_t n, struct sl_err *err)
{
    int64_t type, rule, span = find(st, name);
    sqlite3_stmt *q;
    char *sql;
    int rc = sl_binding_name(st, "campaign", &type, err);

    rule = type; /* one word for the type of span and the rule */
    if (!rc && !span) {
        sql = sqlite3_mprintf(sql_bind_campaign, (long long)type, name);
        rc = sl_store_exec(st, sql, err);
        sqlite3_free(sql);
        span = find(st, name);
    }
    if (rc)
        return rc;
    /* not a root that holds other roots: a database of many workflows is of many campaigns */
    q = sl_store_prepare(st, sql_insert_link, err);
    if (!q)
        return SL_ESTORE;
    sqlite3_bind_int64(q, 1, span);
    sqlite3_bind_int64(q, 3, rule);
    for (size_t i = 0; i < n && !rc; i++) {
        sqlite3_bind_int64(q, 2, source[i]);
        rc = sqlite3_step(q) == SQLITE_DONE ? 0 : sl_store_err(st, "cannot write", err);
        sqlite3_reset(q);
    }
    sqlite3_finalize(q);
    return rc;
}

int sl_bind_drop_campaign(struct sl_store *st, const char *name, struct sl_err *err)
{
    int64_t span = find(st, name);
    char *sql;
    int rc;

    if (!span)
        return sl_err(err, SL_ENOTFOUND,
                      "no campaign is called %s; see them with: spanloom sql \"select key from spans where type = "
                      "'campaign'\"",
                      name);
    sql = sqlite3_mprintf(sql_bind_drop_campaign, (long long)span, (long long)span, (long long)span);
    rc = sl_store_exec(st, sql, err);
    sqlite3_free(sql);
    return rc;
}
