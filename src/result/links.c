/* SPDX-License-Identifier: Apache-2.0 */
#include "result/links.h"
#include "result_links.sql.h"

static const struct sl_column
    overview[] = {{"left_type", SL_COLUMN_TEXT, NULL},   {"kind", SL_COLUMN_TEXT, NULL},
                  {"right_type", SL_COLUMN_TEXT, NULL},  {"rule", SL_COLUMN_TEXT, NULL},
                  {"links", SL_COLUMN_INTEGER, "links"}, {"doubtful", SL_COLUMN_INTEGER, "spans"},
                  {"confidence", SL_COLUMN_REAL, NULL}},
    each[] = {{"left", SL_COLUMN_TEXT, NULL},         {"kind", SL_COLUMN_TEXT, NULL},
              {"right", SL_COLUMN_TEXT, NULL},        {"rule", SL_COLUMN_TEXT, NULL},
              {"confidence", SL_COLUMN_REAL, NULL},   {"left_span", SL_COLUMN_INTEGER, NULL},
              {"right_span", SL_COLUMN_INTEGER, NULL}},
    doubtful[] = {{"left", SL_COLUMN_TEXT, NULL},           {"kind", SL_COLUMN_TEXT, NULL},
                  {"candidate", SL_COLUMN_TEXT, NULL},      {"candidates", SL_COLUMN_INTEGER, "spans"},
                  {"rule", SL_COLUMN_TEXT, NULL},           {"span_id", SL_COLUMN_INTEGER, NULL},
                  {"candidate_id", SL_COLUMN_INTEGER, NULL}},
    unresolved[] = {{"left_type", SL_COLUMN_TEXT, NULL},        {"kind", SL_COLUMN_TEXT, NULL},
                    {"right_type", SL_COLUMN_TEXT, NULL},       {"rule", SL_COLUMN_TEXT, NULL},
                    {"unresolved", SL_COLUMN_INTEGER, "links"}, {"links", SL_COLUMN_INTEGER, "links"},
                    {"unknown_type", SL_COLUMN_TEXT, NULL},     {"spans_of_it", SL_COLUMN_INTEGER, "spans"}};

static const struct {
    const struct sl_column *column;
    int columns;
    const char *sql; /* %s: the paths of both spans; what waits */
} questions[] = {
    [SL_LINKS_OVERVIEW] = {overview, SL_COLUMNS(overview), sql_overview},
    [SL_LINKS_EACH] = {each, SL_COLUMNS(each), sql_links},
    [SL_LINKS_DOUBTFUL] = {doubtful, SL_COLUMNS(doubtful), sql_doubtful},
    [SL_LINKS_UNRESOLVED] = {unresolved, SL_COLUMNS(unresolved), sql_unresolved},
};

static int add(struct sl_result *r, struct sl_store *st, const char *name, const struct sl_column *column, int columns,
               char *sql, const char *rule, struct sl_err *err)
{
    struct sl_table *t = sl_result_sql(r, st, name, column, columns, sql, err);

    sqlite3_free(sql);
    if (t && rule)
        sqlite3_bind_text(t->query, 1, rule, -1, SQLITE_TRANSIENT);
    return t ? 0 : SL_ESTORE;
}

int sl_result_links(struct sl_result *r, struct sl_store *st, enum sl_links which, const char *rule, struct sl_err *err)
{
    char *x = sqlite3_mprintf(sql_path, "x", "x"), *y = sqlite3_mprintf(sql_path, "y", "y");
    char *sql = which == SL_LINKS_UNRESOLVED ? sqlite3_mprintf(sql_unresolved, sql_waiting)
                                             : sqlite3_mprintf(questions[which].sql, x, y);

    sqlite3_free(x);
    sqlite3_free(y);
    return add(r, st, "links", questions[which].column, questions[which].columns, sql, rule, err);
}
