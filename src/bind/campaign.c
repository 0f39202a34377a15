/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts above the workflow: a campaign of runs, as a human calls it. */
#include "bind/bind_internal.h"

static int64_t find(struct sl_store *st, const char *name)
{
    char *sql = sqlite3_mprintf("SELECT s.id FROM sl_span s JOIN sl_name n ON n.id = s.type WHERE n.name = 'campaign' "
                                "AND s.key = %Q AND s.parent IS NULL",
                                name);
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
        sql = sqlite3_mprintf(
            "INSERT OR IGNORE INTO sl_source (id, path, recipe, component) VALUES (0, '(SQL)', 'sql', 'sql');"
            "INSERT INTO sl_span (id, type, key, source) VALUES (1 + max(ifnull((SELECT max(id) FROM sl_span), 0), "
            "ifnull((SELECT max(id) FROM sl_ghost), 0)), %lld, %Q, 0)",
            (long long)type, name);
        rc = sl_store_exec(st, sql, err);
        sqlite3_free(sql);
        span = find(st, name);
    }
    if (rc)
        return rc;
    /* not a root that holds other roots: a database of many workflows is of many campaigns */
    q = sl_store_prepare(st,
                         "INSERT OR IGNORE INTO sl_link (left_span, kind, right_span, rule) SELECT ?1, 1, r.root, ?3 "
                         "FROM sl_root r WHERE r.source = ?2 AND r.root <> ?1 AND NOT EXISTS (SELECT 1 FROM sl_link l "
                         "JOIN sl_span s ON s.id = l.right_span AND s.parent IS NULL WHERE l.left_span = r.root AND "
                         "l.kind = 1)",
                         err);
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
    sql = sqlite3_mprintf("DELETE FROM sl_link WHERE left_span = %lld OR right_span = %lld; DELETE FROM sl_span WHERE "
                          "id = %lld",
                          (long long)span, (long long)span, (long long)span);
    rc = sl_store_exec(st, sql, err);
    sqlite3_free(sql);
    return rc;
}
