/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rule becomes SQL: the columns that its expression names are taken from the tables of both types into temporary
 * tables, as SQLite finds equal values of tables far faster than of views, and joined there.
 */
#include "bind/bind.h"
#include "base/buf.h"
#include "base/hash.h"
#include "bind/bind_internal.h"
#include "bind_bind.sql.h"
#include "recipe/span_tables.h"
#include "store/retract.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- types and columns ---- */

/* The view of this type, by its name, the type, or a unique end of it; false: the store has none. */
static bool find_view(struct sl_store *st, const char *type, char *view, size_t n)
{
    char *sql;
    sqlite3_stmt *q;
    int found = 0;

    sl_tables_name(type, view, n);
    sql = sqlite3_mprintf("SELECT 1 FROM sqlite_schema WHERE type = 'view' AND name = %Q COLLATE NOCASE", view);
    found = (int)sl_store_int(st, sql, 0);
    sqlite3_free(sql);
    if (found)
        return true;
    q = sl_store_prepare(st, sql_find_view, NULL);
    if (!q)
        return false;
    sqlite3_bind_text(q, 1, type, -1, SQLITE_STATIC);
    while (sqlite3_step(q) == SQLITE_ROW && ++found == 1)
        sl_tables_name(sl_store_text(q, 0), view, n);
    sqlite3_finalize(q);
    return found == 1;
}

static bool has_column(struct sl_store *st, const char *view, const char *column)
{
    char *sql = sqlite3_mprintf("SELECT 1 FROM pragma_table_info(%Q) WHERE name = %Q COLLATE NOCASE", view, column);
    bool yes = sl_store_int(st, sql, 0) != 0;

    sqlite3_free(sql);
    return yes;
}

/* The next column of side 'a' or 'b' that the expression names; NULL: no more.  What stands in quotes is text. */
static const char *next_column(const char *s, char side, char *name, size_t n)
{
    bool inside = false; /* of a word */

    for (; *s; s++) {
        if (*s == '\'') {
            for (s++; *s && *s != '\''; s++)
                ;
            if (!*s)
                return NULL;
            inside = false;
            continue;
        }
        if (!inside && (*s == side || *s == side - 32) && s[1] == '.') {
            size_t i = 0;
            char close = s[2] == '"' ? '"' : s[2] == '[' ? ']' : s[2] == '`' ? '`' : 0;
            for (s += close ? 3 : 2; *s && (close ? *s != close : isalnum((unsigned char)*s) || *s == '_'); s++)
                if (i + 1 < n)
                    name[i++] = *s;
            name[i] = 0;
            return s + (close && *s);
        }
        inside = isalnum((unsigned char)*s) || *s == '_' || *s == '.';
    }
    return NULL;
}

/* The rows of the spans in temp.sl_again, one by one: SQLite looks up a row of a view by a number, but not by a set. */
static int take_again(struct sl_store *st, const char *table, const char *select, struct sl_err *err)
{
    char *sql = sqlite3_mprintf("INSERT INTO temp.%s %s WHERE id = ?1", table, select);
    sqlite3_stmt *ids = sl_store_prepare(st, "SELECT id FROM temp.sl_again", err);
    sqlite3_stmt *put = ids ? sl_store_prepare(st, sql, err) : NULL;
    int rc = put ? 0 : SL_ESTORE;

    sqlite3_free(sql);
    while (!rc && (rc = sl_store_step(st, ids, err)) > 0) {
        sqlite3_bind_int64(put, 1, sqlite3_column_int64(ids, 0));
        rc = sl_store_write(st, put, err);
    }
    sqlite3_finalize(ids);
    sqlite3_finalize(put);
    return rc;
}

/*
 * One side into a temporary table: the columns that the expression names; those that the view lacks are NULL.  again:
 * of the spans in temp.sl_again only.
 */
static int take_side(struct sl_store *st, const char *table, const char *view, const char *where, char side, bool again,
                     struct sl_err *err)
{
    struct sl_buf sql = {0}, create = {0};
    char name[200], *part;
    struct sl_buf seen = {0};
    int rc;

    sl_buf_adds(&sql, "SELECT id AS id");
    sl_buf_adds(&seen, "\nid\n");
    for (const char *s = where; (s = next_column(s, side, name, sizeof name));) {
        char line[210];
        snprintf(line, sizeof line, "\n%s\n", name);
        for (char *c = line; *c; c++)
            *c = (char)tolower((unsigned char)*c);
        if (!*name || strchr(name, ']') || strstr(seen.s, line))
            continue;
        sl_buf_adds(&seen, line);
        part = has_column(st, view, name) ? sqlite3_mprintf(", [%s] AS [%s]", name, name)
                                          : sqlite3_mprintf(", NULL AS [%s]", name);
        sl_buf_adds(&sql, part);
        sqlite3_free(part);
    }
    part = sqlite3_mprintf(" FROM \"%w\"", view);
    sl_buf_adds(&sql, part);
    sqlite3_free(part);
    sl_buf_addf(&create, "DROP TABLE IF EXISTS temp.%s; CREATE TEMP TABLE %s AS ", table, table);
    sl_buf_add(&create, sql.s, sql.n);
    sl_buf_adds(&create, again ? " WHERE 0" : "");
    rc = sl_store_exec(st, create.s, err);
    if (!rc && again)
        rc = take_again(st, table, sql.s, err);
    sl_buf_free(&create);
    sl_buf_free(&sql);
    sl_buf_free(&seen);
    return rc;
}

/* ---- pairs ---- */

/* What a record has linked to a right one already needs no guess. */
static int drop_known(struct sl_store *st, enum sl_link_kind kind, struct sl_err *err)
{
    char sql[700];

    snprintf(sql, sizeof sql, sql_drop_known, (int)kind, kind == SL_IN || kind == SL_FACET, kind != SL_IN);
    return sl_store_exec(st, sql, err);
}

enum { STEPS = 1000000 };

static int too_long(void *left)
{
    return --*(int64_t *)left < 0;
}

/*
 * Pairs from a query into temp.sl_pair.  A user's expression may never end: it has a thousand of SQLite's steps for
 * each pair of spans, and some seconds.  A query that only reads can be stopped without the transaction.
 */
static int take_pairs(struct sl_store *st, sqlite3_stmt *q, struct sl_err *err)
{
    int64_t left =
        300 + sl_store_int(st, "SELECT (SELECT count(*) FROM temp.sl_left) * (SELECT count(*) FROM temp.sl_right)", 0) *
                  1000 / STEPS;
    sqlite3_stmt *put = sl_store_prepare(st, "INSERT OR IGNORE INTO temp.sl_pair VALUES (?, ?, ?)", err);
    int rc = put ? SQLITE_ROW : SL_ESTORE;

    while (rc == SQLITE_ROW) {
        sqlite3_progress_handler(st->db, STEPS, too_long, &left);
        rc = sqlite3_step(q);
        sqlite3_progress_handler(st->db, 0, NULL, NULL);
        if (rc != SQLITE_ROW)
            break;
        for (int i = 0; i < 3; i++)
            sqlite3_bind_value(put, i + 1, sqlite3_column_value(q, i));
        if (sl_store_step(st, put, err) < 0)
            rc = SL_ESTORE;
        sqlite3_reset(put);
    }
    sqlite3_finalize(put);
    return rc;
}

static int fill_pairs(struct sl_store *st, const struct sl_bind_rule *r, const char *left, const char *right,
                      bool again, struct sl_err *err)
{
    struct sl_buf sql = {0};
    sqlite3_stmt *q = NULL;
    const char *tail = "";
    int rc = sl_binding_begin(st, err);

    if (!rc)
        rc = take_side(st, "sl_left", left, r->where, 'a', again, err);
    if (!rc)
        rc = take_side(st, "sl_right", right, r->where, 'b', again, err);
    sl_buf_addf(&sql,
                "SELECT a.id, b.id, %s FROM temp.sl_left a JOIN temp.sl_right b "
                "ON (\n",
                r->guess ? "0.9" : "1.0");
    sl_buf_adds(&sql, *r->where ? r->where : "1");
    sl_buf_adds(&sql, "\n) WHERE a.id <> b.id");
    if (!rc && sqlite3_prepare_v2(st->db, sql.s, -1, &q, &tail) != SQLITE_OK)
        rc = sl_err(err, SL_EFORMAT, "the expression of a binding is not SQL: %s; it is: %.300s",
                    sl_sqlite_words(st->db), r->where);
    else if (!rc && *tail)
        rc = sl_err(err, SL_EFORMAT, "the expression of a binding ends too early: %.300s", r->where);
    else if (!rc && (rc = take_pairs(st, q, err)) > 0)
        rc = rc == SQLITE_DONE ? 0
             : rc == SQLITE_INTERRUPT
                 ? sl_err(err, SL_EFORMAT, "the expression of a binding does not end; it is: %.300s", r->where)
                 : sl_err(err, SL_EFORMAT, "the expression of a binding fails: %s; it is: %.300s",
                          sl_sqlite_words(st->db), r->where);
    sqlite3_finalize(q);
    sl_buf_free(&sql);
    return rc;
}

/* A column that the table lacks (yet) is NULL; whoever wrote the rule may have meant another one. */
static int check_columns(struct sl_store *st, const struct sl_bind_rule *r, const char *const view[2],
                         struct sl_err *err)
{
    char name[200];

    for (int i = 0; i < 2; i++)
        for (const char *s = r->where; (s = next_column(s, i ? 'b' : 'a', name, sizeof name));)
            if (!has_column(st, view[i], name))
                return sl_err(err, SL_EFORMAT,
                              "%s has no column %s; see them with: spanloom sql \"select name from "
                              "pragma_table_info('%s')\"",
                              i ? r->right : r->left, name, view[i]);
    return 0;
}

static int apply_rule(struct sl_store *st, const char *name, const char *text, bool check, bool again,
                      struct sl_err *err)
{
    struct sl_bind_rule r;
    char left[SL_TYPE_BYTES], right[SL_TYPE_BYTES];
    int rc = sl_bind_parse(&r, text, err);

    if (rc)
        return sl_err_wrap(err, "binding %s", name);
    if (!find_view(st, r.left, left, sizeof left) || !find_view(st, r.right, right, sizeof right))
        return 0; /* nothing of that kind was imported (yet) */
    if (check)
        rc = check_columns(st, &r, (const char *const[]){left, right}, err);
    if (!rc)
        rc = fill_pairs(st, &r, left, right, again, err);
    if (!rc && r.guess)
        rc = drop_known(st, r.kind, err);
    if (!rc)
        rc = sl_binding_end(st, r.kind, name, r.guess, err);
    return rc ? sl_err_wrap(err, "binding %s", name) : 0;
}

int sl_bind_check(struct sl_store *st, const struct sl_bind_rule *r, struct sl_err *err)
{
    char view[2][SL_TYPE_BYTES];
    int rc;

    for (int i = 0; i < 2; i++)
        if (!find_view(st, i ? r->right : r->left, view[i], sizeof view[i]))
            return 0;
    rc = check_columns(st, r, (const char *const[]){view[0], view[1]}, err);
    return rc ? rc : fill_pairs(st, r, view[0], view[1], false, err);
}

/* ---- all of them ---- */

const struct sl_bind_built_in sl_bind_built_in[] = {
    {SL_WRITER_RULE, "a file lies in the span that wrote it"},
    {"trace.parent", "a process lies in the span that TRACEPARENT names"},
    {"trace.ppid", "a process lies in its parent on the same host"},
    {"trace.instance", "a process lies in that of its PERFFLOW_INSTANCE_PATH"},
    {NULL, NULL},
};

/* Facets of bindings carry on to the children of the two, as those of logs do (names.yaml: facets). */
static int spread(struct sl_store *st, const struct sl_recipes *set, struct sl_err *err)
{
    int64_t before = -1, now;
    int rc = 0;

    if (!sl_store_int(st, sql_has_facet, 0))
        return 0;
    while (!rc && (now = sl_store_int(st, "SELECT count(*) FROM sl_link WHERE confidence IS NOT NULL", 0)) != before) {
        before = now;
        for (size_t i = 0; i < set->facets.n && !rc; i++) {
            const struct sl_facet_rule *f = &set->facets.v[i];
            const char *a = sl_intern_text(&set->names, f->left), *b = sl_intern_text(&set->names, f->right);
            int64_t rule;
            char *sql;
            if ((rc = sl_binding_name(st, sl_intern_text(&set->names, f->rule), &rule, err)))
                break;
            sql = sqlite3_mprintf(f->under_left ? sql_deep : sql_direct, (long long)rule, a, b);
            rc = sl_store_exec(st, sql, err);
            sqlite3_free(sql);
        }
    }
    return rc;
}

typedef SL_VEC(char *) text_list;

/* A name and a rule: no table can be dropped while a query is under way. */
static int add_user(void *of, sqlite3_stmt *q, struct sl_err *err)
{
    text_list *text = of;

    (void)err;
    for (int i = 0; i < 2; i++)
        *sl_vec_add(text) = sl_strdup(sl_store_text(q, i));
    return 0;
}

/* Those that guess, or those that do not. */
static int apply_users(struct sl_store *st, bool guess, void (*warn)(void *to, const char *text), void *to,
                       struct sl_err *err)
{
    struct sl_err own = {0};
    struct sl_bind_rule r;
    text_list text = {0};
    int rc = sl_store_each(st, "SELECT name, rule FROM sl_bind ORDER BY name", add_user, &text, err, "");

    for (size_t i = 0; i + 1 < text.n && !rc; i += 2) {
        if (sl_bind_parse(&r, text.v[i + 1], NULL) == 0 && r.guess != guess)
            continue;
        rc = apply_rule(st, text.v[i], text.v[i + 1], true, false, &own);
        if (rc == SL_EFORMAT && warn)
            warn(to, own.text);
        else if (rc && err)
            *err = own;
        rc = rc == SL_EFORMAT ? 0 : rc;
    }
    for (size_t i = 0; i < text.n; i++)
        free(text.v[i]);
    sl_vec_free(&text);
    return rc;
}

static int unbind_all(struct sl_store *st, struct sl_err *err)
{
    int64_t before = -1, now;
    int rc = sl_store_exec(st, sql_unbind, err);

    while (!rc && (now = sl_store_int(st, "SELECT count(*) FROM sl_link_off", 0)) != before) {
        before = now;
        if (sl_store_int(st, sql_has_facet_off, 0))
            rc = sl_store_exec(st, sql_unmerge, err);
    }
    return rc;
}

static int apply_all(struct sl_store *st, const struct sl_recipes *set, void (*warn)(void *to, const char *text),
                     void *to, struct sl_err *err)
{
    const struct sl_bind_scope all = {.all = true};
    int rc = sl_retract_bindings(st, err);

    if (!rc && sl_store_int(st, "SELECT EXISTS (SELECT 1 FROM sl_unbound)", 0))
        rc = unbind_all(st, err);
    if (!rc)
        rc = sl_bind_roots_all(st, err);
    if (!rc) /* who knows goes before who guesses */
        rc = apply_users(st, false, warn, to, err);
    if (!rc)
        rc = spread(st, set, err);
    if (!rc && !sl_binding_unbound(st, SL_WRITER_RULE))
        rc = sl_bind_files(st, err);
    if (!rc)
        rc = sl_bind_processes(st, set, &all, err);
    for (size_t i = 0; i < set->orders.n && !rc; i++)
        if (!sl_binding_unbound(st, set->orders.v[i].name))
            rc = sl_bind_sequence(st, &set->orders.v[i], err);
    for (size_t i = 0; i < set->binds.n && !rc; i++)
        if (!sl_binding_unbound(st, set->binds.v[i].name))
            rc = apply_rule(st, set->binds.v[i].name, set->binds.v[i].rule, false, false, err);
    if (!rc)
        rc = apply_users(st, true, warn, to, err);
    if (!rc)
        rc = spread(st, set, err);
    return rc ? rc : sl_store_exec(st, sql_settle, err);
}

/* ---- those of what was touched ---- */

/* Both sides of a rule may be there. */
static bool applies(struct sl_store *st, const char *text)
{
    struct sl_bind_rule r;
    char view[SL_TYPE_BYTES];

    return !sl_bind_parse(&r, text, NULL) && find_view(st, r.left, view, sizeof view) &&
           find_view(st, r.right, view, sizeof view);
}

static bool any_elsewhere(struct sl_store *st, const struct sl_recipes *set)
{
    bool any = sl_store_int(st, "SELECT EXISTS (SELECT 1 FROM temp.sl_touched WHERE id < 0)", 0) != 0;

    for (size_t i = 0; i < set->orders.n && !any; i++)
        any = !set->orders.v[i].roots.n;
    for (size_t i = 0; i < set->binds.n && !any; i++)
        any = !set->binds.v[i].roots.n && applies(st, set->binds.v[i].rule);
    return any;
}

/* A rule of a recipe that declares its roots. */
struct local_rule {
    const char *name, *text;
    const struct sl_bind_roots *roots;
};

static struct local_rule local_rule(const struct sl_recipes *set, size_t i)
{
    const struct sl_sequence_decl *o = i < set->orders.n ? &set->orders.v[i] : NULL;
    const struct sl_bind_decl *b = o ? NULL : &set->binds.v[i - set->orders.n];

    return o ? (struct local_rule){o->name, o->rule, &o->roots} : (struct local_rule){b->name, b->rule, &b->roots};
}

/* What it may link is in temp.sl_again then, and its roots in temp.sl_anew. */
static int begin_local(struct sl_store *st, const struct sl_recipes *set, const struct local_rule *l,
                       struct sl_err *err)
{
    struct sl_bind_rule r;
    int rc = sl_bind_parse(&r, l->text, err);

    if (!rc)
        rc = sl_bind_roots_touched(st, set, l->roots, err);
    return rc ? rc : sl_bind_roots_inside(st, set, &r, err);
}

/* First all of their links go: what one of them links may be in the tables that another looks at. */
static int apply_local(struct sl_store *st, const struct sl_recipes *set, struct sl_err *err)
{
    size_t rules = set->orders.n + set->binds.n, begun = rules;
    int rc = 0;

    for (size_t k = 0; k < 2 * rules && !rc; k++) {
        size_t i = k % rules;
        struct local_rule l = local_rule(set, i);
        if (!l.roots->n || !applies(st, l.text))
            continue;
        if (begun != i)
            rc = begin_local(st, set, &l, err);
        begun = i;
        if (rc || !sl_store_int(st, "SELECT EXISTS (SELECT 1 FROM temp.sl_anew)", 0))
            continue;
        rc = k < rules           ? sl_bind_roots_clear(st, l.name, err)
             : i < set->orders.n ? sl_bind_sequence(st, &set->orders.v[i], err)
                                 : apply_rule(st, l.name, l.text, false, true, err);
    }
    return rc;
}

/*
 * What rules make of all of the store, where they made it before all but what is touched.  Other rules than these look
 * at what they like, so that where there are any all is bound anew: it is seen at the beginning, or by any_elsewhere().
 * Each of these looks at what no other one links, but for those of a recipe, which are told apart by their order.
 */
static int apply_touched(struct sl_store *st, const struct sl_recipes *set, const struct sl_bind_scope *scope,
                         struct sl_err *err)
{
    int rc = sl_store_exec(st, sql_begin_touched, err);

    if (!rc)
        rc = sl_bind_files(st, err);
    if (!rc)
        rc = sl_bind_processes(st, set, scope, err);
    if (!rc)
        rc = apply_local(st, set, err);
    return rc ? rc : sl_store_exec(st, sql_settle_touched, err);
}

/* ---- is what is bound still what these rules make? ---- */

static uint64_t add_text(uint64_t hash, const char *s)
{
    return sl_hash_mix(hash, s ? sl_hash(s, strlen(s)) : 1);
}

/* The tables that a rule looks at: a column may be called otherwise once more is known of a type. */
static uint64_t add_views(uint64_t hash, struct sl_store *st, const char *text)
{
    char view[SL_TYPE_BYTES], *sql;
    struct sl_bind_rule r;
    sqlite3_stmt *q;

    for (int i = 0; i < 2 && !sl_bind_parse(&r, text, NULL); i++) {
        if (!find_view(st, i ? r.right : r.left, view, sizeof view))
            continue;
        sql = sqlite3_mprintf("SELECT sql FROM sqlite_schema WHERE name = %Q COLLATE NOCASE", view);
        q = sl_store_prepare(st, sql, NULL);
        sqlite3_free(sql);
        if (q && sqlite3_step(q) == SQLITE_ROW)
            hash = add_text(hash, sl_store_text(q, 0));
        sqlite3_finalize(q);
    }
    return hash;
}

/* Of all that decides what is linked, but for what the store holds. */
static int64_t hash_rules(struct sl_store *st, const struct sl_recipes *set)
{
    uint64_t hash = 1; /* of this code */

    for (size_t i = 0; i < set->n; i++)
        hash = add_text(hash, set->v[i]->hash);
    for (size_t i = 0; i < set->aliases.n; i++)
        hash = add_text(add_text(add_text(hash, set->aliases.v[i].type), set->aliases.v[i].key), set->aliases.v[i].in);
    for (size_t i = 0; i < set->orders.n; i++)
        hash = add_text(add_text(add_text(hash, set->orders.v[i].name), set->orders.v[i].left), set->orders.v[i].right);
    for (size_t i = 0; i < set->orders.n + set->binds.n; i++) {
        struct local_rule l = local_rule(set, i);
        hash = add_text(add_text(hash, l.name), l.text);
        for (size_t k = 0; k < l.roots->n; k++)
            hash = add_text(hash, l.roots->alias[k]);
        hash = i < set->orders.n ? hash : add_views(hash, st, l.text);
    }
    for (size_t i = 0; i < set->processes.n; i++) {
        const struct sl_process_decl *p = &set->processes.v[i];
        hash = add_text(add_text(add_text(hash, p->bind), p->spans), p->pids);
        for (size_t k = 0; k < p->n; k++)
            hash = add_text(hash, p->variable[k]);
    }
    return (int64_t)hash;
}

static bool bound_by(struct sl_store *st, int64_t rules)
{
    return sl_store_int(st, "SELECT value FROM sl_meta WHERE name = 'bound'", 0) == rules;
}

/* Facets of bindings carry on to what lies in them, and with these to all that rules look at. */
static bool has_facets(struct sl_store *st, const struct sl_recipes *set)
{
    struct sl_bind_rule r;
    bool any = false;

    for (size_t i = 0; i < set->binds.n && !any; i++)
        if (!sl_bind_parse(&r, set->binds.v[i].rule, NULL) && r.kind == SL_FACET) {
            char *sql = sqlite3_mprintf(sql_any_bound, set->binds.v[i].name);
            any = sl_store_int(st, sql, 0) != 0; /* no such name yet: none */
            sqlite3_free(sql);
        }
    return any;
}

int sl_bind_begin(struct sl_store *st, const struct sl_recipes *set, struct sl_bind_scope *scope, struct sl_err *err)
{
    int rc = 0;

    if (!sl_store_int(st, "SELECT EXISTS (SELECT 1 FROM sl_meta WHERE name = 'bound')", 0)) /* a store of before */
        rc = sl_store_exec(st, sql_handles, err);
    scope->all |= !bound_by(st, hash_rules(st, set)) || sl_store_int(st, sql_unusual, 1) || has_facets(st, set);
    return rc || !scope->all ? rc : sl_retract_bindings(st, err);
}

int sl_bind_apply(struct sl_store *st, const struct sl_recipes *set, const struct sl_bind_scope *scope,
                  void (*warn)(void *to, const char *text), void *to, struct sl_err *err)
{
    int64_t rules = hash_rules(st, set);
    bool all = scope->all || !bound_by(st, rules);
    int rc = sl_store_exec(st, "CREATE TEMP TABLE IF NOT EXISTS sl_touched (id INTEGER PRIMARY KEY)", err);

    if (!rc)
        rc = all || any_elsewhere(st, set) ? apply_all(st, set, warn, to, err) : apply_touched(st, set, scope, err);
    if (!rc && !bound_by(st, rules))
        rc = sl_store_run(st, "INSERT OR REPLACE INTO sl_meta VALUES ('bound', ?1)", err, "i", rules);
    return rc ? rc : sl_store_exec(st, sql_drop_temp, err);
}

static int64_t count(struct sl_store *st, const char *table, const char *name)
{
    char *sql =
        sqlite3_mprintf("SELECT count(*) FROM %s WHERE rule = (SELECT id FROM sl_name WHERE name = %Q)", table, name);
    int64_t n = sl_store_int(st, sql, 0);

    sqlite3_free(sql);
    return n;
}

int64_t sl_bind_links(struct sl_store *st, const char *name)
{
    return count(st, "sl_link", name);
}

int64_t sl_bind_doubts(struct sl_store *st, const char *name)
{
    return count(st, "sl_doubt", name);
}
