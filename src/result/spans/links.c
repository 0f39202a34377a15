/* SPDX-License-Identifier: Apache-2.0 */
#include "result/spans/links.h"
#include "analyse/relations.h"
#include "spans_links.sql.h"

#include <math.h>
#include <stdlib.h>

static const struct sl_column
    overview[] = {{"left_type", SL_COLUMN_TEXT, NULL, NULL, 0},   {"kind", SL_COLUMN_TEXT, NULL, NULL, 0},
                  {"right_type", SL_COLUMN_TEXT, NULL, NULL, 0},  {"rule", SL_COLUMN_TEXT, NULL, NULL, 0},
                  {"links", SL_COLUMN_INTEGER, "links", NULL, 0}, {"doubtful", SL_COLUMN_INTEGER, "spans", NULL, 0},
                  {"confidence", SL_COLUMN_REAL, NULL, NULL, 0}},
    each[] = {{"left", SL_COLUMN_TEXT, NULL, NULL, 0},         {"kind", SL_COLUMN_TEXT, NULL, NULL, 0},
              {"right", SL_COLUMN_TEXT, NULL, NULL, 0},        {"rule", SL_COLUMN_TEXT, NULL, NULL, 0},
              {"confidence", SL_COLUMN_REAL, NULL, NULL, 0},   {"left_span", SL_COLUMN_INTEGER, NULL, NULL, 0},
              {"right_span", SL_COLUMN_INTEGER, NULL, NULL, 0}},
    doubtful[] = {{"left", SL_COLUMN_TEXT, NULL, NULL, 0},
                  {"kind", SL_COLUMN_TEXT, NULL, NULL, 0},
                  {"candidate", SL_COLUMN_TEXT, NULL, NULL, 0},
                  {"candidates", SL_COLUMN_INTEGER, "spans", NULL, 0},
                  {"rule", SL_COLUMN_TEXT, NULL, NULL, 0},
                  {"span_id", SL_COLUMN_INTEGER, NULL, NULL, 0},
                  {"candidate_id", SL_COLUMN_INTEGER, NULL, NULL, 0}},
    unresolved[] = {
        {"left_type", SL_COLUMN_TEXT, NULL, NULL, 0},        {"kind", SL_COLUMN_TEXT, NULL, NULL, 0},
        {"right_type", SL_COLUMN_TEXT, NULL, NULL, 0},       {"rule", SL_COLUMN_TEXT, NULL, NULL, 0},
        {"unresolved", SL_COLUMN_INTEGER, "links", NULL, 0}, {"links", SL_COLUMN_INTEGER, "links", NULL, 0},
        {"unknown_type", SL_COLUMN_TEXT, NULL, NULL, 0},     {"spans_of_it", SL_COLUMN_INTEGER, "spans", NULL, 0}};

static const struct {
    const struct sl_column *column;
    int columns;
    const char *sql; /* %s: the paths of both spans; what waits */
} questions[] = {
    [SL_LINKS_EACH] = {each, SL_COLUMNS(each), sql_links},
    [SL_LINKS_DOUBTFUL] = {doubtful, SL_COLUMNS(doubtful), sql_doubtful},
    [SL_LINKS_UNRESOLVED] = {unresolved, SL_COLUMNS(unresolved), sql_unresolved},
};

static int add(struct sl_result *r, struct sl_store *st, const char *name, const struct sl_column *column, int columns,
               char *sql, const char *rule, int64_t within, struct sl_err *err)
{
    struct sl_table *t = sl_result_sql(r, st, name, column, columns, sql, err);

    sqlite3_free(sql);
    if (t && rule)
        sqlite3_bind_text(t->query, 1, rule, -1, SQLITE_TRANSIENT);
    if (t && within)
        sqlite3_bind_int64(t->query, 2, within);
    return t ? 0 : SL_ESTORE;
}

/* ---- the overview ---- */

/* By rule: how many, and between what; to be read as `spanloom bind` is: left in right.  Names are ranks. */
struct row {
    const char *kind;
    uint32_t left, right, rule;
    int64_t links, doubtful;
    double confidence; /* NaN: it has no links */
};

struct overview {
    struct sl_relations of;
    SL_VEC(struct row) v;
};

static void add_row(struct overview *o, int kind, uint32_t left, uint32_t right, int64_t rule, struct row x)
{
    static const char *const kinds[] = {[SL_IN] = "in", [SL_FACET] = "facet", [SL_AFTER] = "after", [SL_FLOW] = "flow"};

    x.rule = sl_names_rank(&o->of.g.names, rule);
    if (left == SL_NO_INDEX || right == SL_NO_INDEX || x.rule == SL_NO_INDEX || kind < SL_IN || kind > SL_FLOW)
        return;
    x.kind = kinds[kind];
    x.left = left;
    x.right = right;
    *sl_vec_add(&o->v) = x;
}

static int doubt_row(void *to, sqlite3_stmt *row, struct sl_err *err)
{
    struct overview *o = to;
    const struct sl_names *names = &o->of.g.names;

    (void)err;
    add_row(o, sqlite3_column_int(row, 0), sl_names_rank(names, sqlite3_column_int64(row, 1)),
            sl_names_rank(names, sqlite3_column_int64(row, 2)), sqlite3_column_int64(row, 3),
            (struct row){.doubtful = sqlite3_column_int64(row, 4), .confidence = NAN});
    return 0;
}

static void add_links(struct overview *o)
{
    uint32_t name = sl_names_find(&o->of.g.names, "name"); /* the rule of what is contained by name, in the view */

    for (size_t i = 0; i < o->of.v.n; i++) {
        const struct sl_relation_count *x = &o->of.v.v[i];
        bool in = x->kind == SL_IN;
        if (x->by != SL_RELATION_NAME && sl_names_rank(&o->of.g.names, x->rule) != name)
            add_row(o, x->kind, in ? x->to : x->from, in ? x->from : x->to, x->rule,
                    (struct row){.links = x->n, .confidence = x->confidence});
    }
}

static int by_kind(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int kind = strcmp(x->kind, y->kind);

    if (kind)
        return kind;
    if (x->left != y->left)
        return x->left < y->left ? -1 : 1;
    if (x->right != y->right)
        return x->right < y->right ? -1 : 1;
    return (x->rule > y->rule) - (x->rule < y->rule);
}

/* Rows of one kind, types and rule are one. */
static void show_rows(struct overview *o, struct sl_table *t)
{
    const char *const *text = o->of.g.names.text;

    if (o->v.n)
        qsort(o->v.v, o->v.n, sizeof *o->v.v, by_kind);
    for (size_t i = 0; i < o->v.n; i++) {
        struct row *x = &o->v.v[i];
        if (i + 1 < o->v.n && !by_kind(x, x + 1)) {
            x[1].links += x->links;
            x[1].doubtful += x->doubtful;
            x[1].confidence = fmin(x[1].confidence, x->confidence); /* the one that is not NaN */
            continue;
        }
        sl_table_add(t);
        sl_table_put_text(t, 0, text[x->left]);
        sl_table_put_text(t, 1, x->kind);
        sl_table_put_text(t, 2, text[x->right]);
        sl_table_put_text(t, 3, text[x->rule]);
        sl_table_put_int(t, 4, x->links);
        sl_table_put_int(t, 5, x->doubtful);
        sl_table_put_real(t, 6, x->confidence);
    }
}

static int add_overview(struct sl_result *r, struct sl_store *st, int64_t within, struct sl_err *err)
{
    struct overview o = {0};
    int rc = sl_relations_count(&o.of, st->db, NULL, within, err);

    if (!rc) {
        add_links(&o);
        rc = sl_store_each(st, sql_doubts, doubt_row, &o, err, within ? "i" : "", within);
    }
    if (!rc)
        show_rows(&o, sl_result_table(r, "links", overview, SL_COLUMNS(overview)));
    sl_relations_free(&o.of);
    sl_vec_free(&o.v);
    return rc;
}

/* ---- all of them ---- */

int sl_result_links(struct sl_result *r, struct sl_store *st, enum sl_links which, const char *rule, int64_t within,
                    struct sl_err *err)
{
    char *x, *y, *sql;

    if (which == SL_LINKS_OVERVIEW)
        return add_overview(r, st, within, err);
    x = sqlite3_mprintf(sql_path, "x", "x");
    y = sqlite3_mprintf(sql_path, "y", "y");
    sql = which == SL_LINKS_UNRESOLVED ? sqlite3_mprintf(sql_unresolved, sql_waiting)
                                       : sqlite3_mprintf(questions[which].sql, x, y);

    sqlite3_free(x);
    sqlite3_free(y);
    return add(r, st, "links", questions[which].column, questions[which].columns, sql, rule, within, err);
}
