/* SPDX-License-Identifier: Apache-2.0 */
#include "result/graph.h"
#include "result_graph.sql.h"

static int add(struct sl_result *r, struct sl_store *st, const char *name, const struct sl_column *column, int columns,
               char *sql, const char *type, int64_t within, struct sl_err *err)
{
    struct sl_table *t = sl_result_sql(r, st, name, column, columns, sql, err);

    sqlite3_free(sql);
    if (!t)
        return SL_ESTORE;
    if (type)
        sqlite3_bind_text(t->query, 1, type, -1, SQLITE_TRANSIENT);
    if (within)
        sqlite3_bind_int64(t->query, 2, within);
    return 0;
}

int sl_result_graph(struct sl_result *r, struct sl_store *st, const char *type, int64_t within, struct sl_err *err)
{
    static const struct sl_column types[] = {{"type", SL_COLUMN_TEXT, NULL}, {"spans", SL_COLUMN_INTEGER, "spans"}},
                                  relations[] = {{"kind", SL_COLUMN_INTEGER, NULL},
                                                 {"from_type", SL_COLUMN_TEXT, NULL},
                                                 {"to_type", SL_COLUMN_TEXT, NULL},
                                                 {"pairs", SL_COLUMN_INTEGER, "pairs"}};
    bool some = type || within;
    const char *chosen = some ? sql_chosen : "";
    int rc = add(r, st, "types", types, SL_COLUMNS(types),
                 sqlite3_mprintf(sql_types, chosen, some ? "s.id IN (SELECT span FROM c)" : "1"), type, within, err);

    return rc ? rc
              : add(r, st, "relations", relations, SL_COLUMNS(relations),
                    sqlite3_mprintf(sql_relations, chosen,
                                    some ? "e.a IN (SELECT span FROM c) AND e.b IN (SELECT span FROM c)" : "1"),
                    type, within, err);
}
