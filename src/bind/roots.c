/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which roots a rule looks at.  A rule of a recipe that declares its roots (`roots:`) links spans of one run alone: of
 * roots whose keys begin with the same field, such as the run id of `{run_id}` and `{run_id}/{executor}`, or that are
 * facets.  Call these a family.  What it links in a family follows from rows of that family, so that where an import
 * has written to no root of a family, its links are what they were; and of a family that is touched all is bound anew.
 */
#include "base/buf.h"
#include "bind/bind_internal.h"
#include "bind_roots.sql.h"

#include <string.h>

static const struct sl_alias_decl *by_alias(const struct sl_recipes *set, const char *alias)
{
    for (size_t i = set->aliases.n; i-- > 0;)
        if (!strcmp(set->aliases.v[i].alias, alias))
            return &set->aliases.v[i];
    return NULL;
}

/* The first of at most two fields, which may have slashes, as a folder. */
static const char *family_of(const struct sl_alias_decl *d)
{
    return strchr(d->key, '/') ? "rtrim(rtrim(s.key, replace(s.key, '/', '')), '/')" : "s.key";
}

static int run(struct sl_store *st, char *sql, struct sl_err *err)
{
    int rc = sl_store_exec(st, sql, err);

    sqlite3_free(sql);
    return rc;
}

/* The families of the touched roots of a type, and of its roots that are facets of one in these. */
static int find_families(struct sl_store *st, const struct sl_alias_decl *d, struct sl_err *err)
{
    int rc = run(st, sqlite3_mprintf(sql_families, family_of(d), d->type), err);

    return rc ? rc : run(st, sqlite3_mprintf(sql_families_gone, family_of(d), d->type), err);
}

static int find_roots(struct sl_store *st, const struct sl_alias_decl *d, struct sl_err *err)
{
    static const char *const is = "s.key = f.name", *const in = "s.key > f.name || '/' AND s.key < f.name || '0'";

    return run(st, sqlite3_mprintf(sql_roots, strchr(d->key, '/') ? in : is, d->type, family_of(d)), err);
}

int sl_bind_roots_all(struct sl_store *st, struct sl_err *err)
{
    int rc = sl_store_exec(st, sql_begin, err);

    return rc ? rc : sl_store_exec(st, sql_all, err);
}

int sl_bind_roots_touched(struct sl_store *st, const struct sl_recipes *set, const struct sl_bind_roots *roots,
                          struct sl_err *err)
{
    int64_t before = -1, now;
    int rc = sl_store_exec(st, sql_begin, err);

    while (!rc && (now = sl_store_int(st, "SELECT count(*) FROM temp.sl_family", 0)) != before) {
        before = now;
        for (size_t i = 0; i < roots->n && !rc; i++)
            rc = find_families(st, by_alias(set, roots->alias[i]), err);
        for (size_t i = 0; i < roots->n && !rc; i++)
            rc = find_roots(st, by_alias(set, roots->alias[i]), err);
    }
    return rc;
}

/* ---- what lies in them ---- */

/* The types of a side of a rule, and of what they lie in. */
static void add_types(struct sl_buf *b, const struct sl_recipes *set, const char *alias)
{
    for (const struct sl_alias_decl *d = by_alias(set, alias); d; d = d->in ? by_alias(set, d->in) : NULL) {
        char *part = sqlite3_mprintf("%s%Q", b->n ? ", " : "", d->type);
        sl_buf_adds(b, part);
        sqlite3_free(part);
    }
}

static bool ends_in(const char *type, const char *name)
{
    size_t n = strlen(type), m = strlen(name);

    return n >= m && !strcmp(type + n - m, name) && (n == m || type[n - m - 1] == '.');
}

static void add_side(struct sl_buf *b, const struct sl_recipes *set, const char *side)
{
    for (size_t i = 0; i < set->tables.n; i++)
        for (int k = 0; !strcmp(set->tables.v[i].name, side) && k < set->tables.v[i].n; k++)
            add_types(b, set, set->tables.v[i].alias[k]);
    for (size_t i = 0; i < set->aliases.n; i++)
        if (ends_in(set->aliases.v[i].type, side))
            add_types(b, set, set->aliases.v[i].alias);
}

int sl_bind_roots_inside(struct sl_store *st, const struct sl_recipes *set, const struct sl_bind_rule *r,
                         struct sl_err *err)
{
    struct sl_buf types = {0};
    int rc;

    add_side(&types, set, r->left);
    add_side(&types, set, r->right);
    rc = run(st, sqlite3_mprintf(sql_inside, types.n ? types.s : "NULL"), err);
    sl_buf_free(&types);
    return rc;
}

int sl_bind_roots_clear(struct sl_store *st, const char *name, struct sl_err *err)
{
    return run(st, sqlite3_mprintf(sql_clear, name, name, name), err);
}
