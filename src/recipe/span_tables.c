/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns are scalar subqueries, so that a query pays for the columns that it names and for no others.  What they are
 * called comes from the recipes, and from what was seen (sl_seen), for names that only the logs know.
 *
 * Above 600 lines: names of columns, keys of rows and the text around them make one view, and share what they know.
 */
#include "recipe/span_tables.h"
#include "base/buf.h"
#include "base/intern.h"
#include "recipe_span_tables.sql.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { COLUMNS = 400 }; /* a table with more columns is of use to nobody; the views events and attributes have all */

#define MARK "/* a table of spans, made by spanloom */"

struct key {
    char *name;     /* as recipes say */
    const char *as; /* the column, in taken */
};

struct make {
    struct sl_store *st;
    const struct sl_recipes *set;
    SL_VEC(char *) made;       /* tables so far */
    SL_VEC(char *) taken;      /* names of the columns so far */
    SL_VEC(char *) own;        /* of the member at hand, as the logs have them */
    SL_VEC(struct key) key;    /* columns that are keys */
    struct sl_buf rows, sql;   /* rows: with their keys, by which other tables are joined; sql: the columns */
    sqlite3_stmt *name, *have; /* span_tables.sql */
    struct sl_intern attrs;    /* that any span has */
    struct sl_err *err;
};

void sl_tables_name(const char *type, char *name, size_t n)
{
    size_t i = 0;

    if (n > 1 && (isdigit((unsigned char)*type) || !strncasecmp(type, "sqlite_", 7))) /* reserved */
        name[i++] = '_';
    for (; *type && i + 1 < n; type++)
        name[i++] = isalnum((unsigned char)*type) && (unsigned char)*type < 128 ? *type : '_';
    name[i] = 0;
}

static const struct sl_alias_decl *by_alias(const struct sl_recipes *set, const char *alias)
{
    for (size_t i = 0; i < set->aliases.n; i++)
        if (!strcmp(set->aliases.v[i].alias, alias))
            return &set->aliases.v[i];
    return NULL;
}

static const struct sl_alias_decl *by_type(const struct sl_recipes *set, const char *type)
{
    for (size_t i = 0; i < set->aliases.n; i++)
        if (!strcmp(set->aliases.v[i].type, type))
            return &set->aliases.v[i];
    return NULL;
}

/* ---- columns ---- */

static bool among(char *const *v, size_t n, const char *name)
{
    while (n && strcasecmp(v[n - 1], name) != 0) /* SQL does not tell case apart */
        n--;
    return n;
}

/* Takes a name, or, where it is taken, PREFIX_NAME, or PREFIX_NAME_2, ...; NULL: there are columns enough. */
static const char *take(struct make *m, const char *name, const char *prefix)
{
    struct sl_buf b = {0};

    sl_buf_adds(&b, name);
    for (int i = 1; among(m->taken.v, m->taken.n, b.s); i++) {
        sl_buf_clear(&b);
        sl_buf_addf(&b, "%s_%s", prefix, name);
        if (i > 1)
            sl_buf_addf(&b, "_%d", i);
    }
    if (m->taken.n >= COLUMNS) {
        sl_buf_free(&b);
        return NULL;
    }
    *sl_vec_add(&m->taken) = b.s;
    return b.s;
}

/* before: what stands before the name */
static void add_name(struct sl_buf *b, const char *before, const char *name)
{
    char *quoted = sqlite3_mprintf("%s\"%w\"", before, name);

    sl_buf_adds(b, quoted);
    sqlite3_free(quoted);
}

/* fmt: with the formats of sqlite3_mprintf(). */
static void column(struct make *m, const char *name, const char *fmt, ...)
{
    va_list ap;
    char *text;

    if (!name)
        return;
    va_start(ap, fmt);
    text = sqlite3_vmprintf(fmt, ap);
    va_end(ap);
    sl_buf_addf(&m->sql, ",\n %s", text);
    add_name(&m->sql, " AS ", name);
    sqlite3_free(text);
}

/* What the key of this alias is called in a table: the field that it is made of, else the alias. */
static const char *key_name(const struct sl_alias_decl *d, char *name, size_t n)
{
    const char *close = strchr(d->key, '}');
    bool field = *d->key == '{' && close && !close[1];

    snprintf(name, n, "%.*s", field ? (int)(close - d->key - 1) : (int)n - 1, field ? d->key + 1 : d->alias);
    return name;
}

enum { NAME = 100 };

/* A key of two fields, "{run_id}/{executor}": they are columns, too.  Their names; false: it is no such key. */
static bool key_parts(const struct sl_alias_decl *d, char part[2][NAME])
{
    char both[2 * NAME + 8];

    if (sscanf(d->key, "{%99[A-Za-z0-9_]}/{%99[A-Za-z0-9_]}", part[0], part[1]) != 2)
        return false;
    snprintf(both, sizeof both, "{%s}/{%s}", part[0], part[1]);
    return !strcmp(both, d->key);
}

#define KEY "number"                                           /* the view sl_key has it */
#define FIRST_PART "rtrim(rtrim(key,replace(key,'/','')),'/')" /* which may have slashes, as a folder */
#define LAST_PART "substr(key,length(rtrim(key,replace(key,'/','')))+1)"

/* What of its key the column of this name has; NULL: nothing. */
static const char *key_column_sql(const struct sl_alias_decl *d, const char *name)
{
    char part[2][NAME], whole[NAME];

    if (!strcmp(key_name(d, whole, sizeof whole), name))
        return KEY;
    if (!key_parts(d, part))
        return NULL;
    return !strcmp(part[0], name) ? FIRST_PART : !strcmp(part[1], name) ? LAST_PART : NULL;
}

struct member {
    const struct sl_alias_decl *d;
    sqlite3_int64 type;                    /* 0: nothing in the store is called so, and its columns are NULL */
    const struct sl_alias_decl *chain[32]; /* itself, its parent, ... */
    int n;
};

static void find_chain(struct make *m, struct member *v)
{
    v->n = 0;
    for (const struct sl_alias_decl *d = v->d; d && v->n < 32; d = d->in ? by_alias(m->set, d->in) : NULL)
        v->chain[v->n++] = d;
}

/* The key called `name`: a column of the rows. */
static void key_column(struct make *m, const char *name)
{
    const char *as = take(m, name, "key");

    if (!as)
        return;
    *sl_vec_add(&m->key) = (struct key){sl_strdup(name), as};
}

/* Did this member name it already, by a rule or in another record? */
static bool is_own(struct make *m, const char *name)
{
    for (size_t i = 0; i < m->own.n; i++)
        if (!strcmp(m->own.v[i], name))
            return true;
    *sl_vec_add(&m->own) = sl_strdup(name);
    return false;
}

static void forget_own(struct make *m)
{
    while (m->own.n)
        free(m->own.v[--m->own.n]);
}

/* The keys from the root down. */
static void key_columns(struct make *m, struct member *v, int n)
{
    char name[NAME], part[2][NAME];

    for (int i = 0; i < n; i++)
        find_chain(m, &v[i]);
    for (int i = 0; i < n; i++)
        for (int k = v[i].n - 1; k >= 0; k--) {
            for (int p = 0; p < 2 && key_parts(v[i].chain[k], part); p++)
                if (!is_own(m, part[p]))
                    key_column(m, part[p]);
            if (!is_own(m, key_name(v[i].chain[k], name, sizeof name)))
                key_column(m, name);
        }
    forget_own(m);
}

static void event_column(struct make *m, const char *of, const char *prefix, const char *event, sqlite3_int64 id)
{
    column(m, take(m, event, prefix),
           of && id ? "(SELECT min(time_ns)/1e9 FROM sl_event WHERE span=%s AND type=%lld)" : "NULL", of,
           (long long)id);
}

static void attr_column(struct make *m, const char *of, const char *prefix, const char *attr, bool there)
{
    column(m, take(m, attr, prefix), of && there ? "(SELECT value FROM sl_value WHERE span=%s AND name=%Q)" : "NULL",
           of, attr);
}

/* What the query says of this text; 0: nothing. */
static sqlite3_int64 look_up(sqlite3_stmt *q, const char *text)
{
    sqlite3_int64 id;

    sqlite3_bind_text(q, 1, text, -1, SQLITE_STATIC);
    id = sqlite3_step(q) == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
    sqlite3_reset(q);
    return id;
}

/* What the rules say of spans of this alias, attributes or events, where they say it by name. */
static void declared(struct make *m, const struct sl_alias_decl *d, const char *of, const char *prefix, bool events)
{
    for (size_t r = 0; r < m->set->n; r++) {
        const struct sl_recipe *rec = m->set->v[r];
        for (int i = 0; i < rec->nrule; i++) {
            const struct sl_rule *u = &rec->rule[i];
            int n = events ? u->nevent : u->attrs.n;
            if (u->span.mention < 0 || strcmp(rec->mention[u->span.mention].alias, d->alias) != 0 ||
                (d->only && d->only != rec))
                continue;
            for (int k = 0; k < n; k++) {
                uint32_t id = events ? u->event[k].name.id : u->attrs.v[k].name.id;
                const char *name = id ? sl_intern_text(&m->set->names, id) : NULL;
                if (!id || is_own(m, name))
                    continue;
                if (events)
                    event_column(m, of, prefix, name, of ? look_up(m->name, name) : 0);
                else
                    attr_column(m, of, prefix, name, sl_intern_find(&m->attrs, name, strlen(name)));
            }
        }
    }
}

struct seen {
    struct make *m;
    const char *of, *prefix;
    bool events;
};

static int seen_row(void *of, sqlite3_stmt *q, struct sl_err *err)
{
    const struct seen *s = of;
    const char *name = sl_store_text(q, 0);

    (void)err;
    if (is_own(s->m, name))
        return 0;
    if (s->events)
        event_column(s->m, s->of, s->prefix, name, sqlite3_column_int64(q, 1));
    else
        attr_column(s->m, s->of, s->prefix, name, true);
    return 0;
}

/* What was seen on spans of this type. */
static int seen(struct make *m, const char *type, const char *of, const char *prefix, bool events)
{
    return sl_store_each(m->st, events ? sql_seen : sql_seen_2, seen_row, &(struct seen){m, of, prefix, events}, m->err,
                         "t", type);
}

/*
 * Of two names that are one, the second gets the member before it; an attribute that is called like an event, `attr`.
 * of: the id of its span in r; NULL: nothing is of this type.
 */
static int columns(struct make *m, const struct sl_alias_decl *d, const char *type, const char *of, const char *prefix)
{
    int rc = 0;

    for (int events = 1; events >= 0 && !rc; events--) {
        const char *before = prefix ? prefix : events ? "event" : "attr";
        forget_own(m);
        if (d)
            declared(m, d, of, before, events);
        rc = of ? seen(m, type, of, before, events) : 0;
    }
    forget_own(m);
    return rc;
}

/* ---- views ---- */

static void forget_columns(struct make *m)
{
    while (m->taken.n)
        free(m->taken.v[--m->taken.n]);
    while (m->key.n)
        free(m->key.v[--m->key.n].name);
}

static void begin(struct make *m, const char *name)
{
    char *head = sqlite3_mprintf("CREATE VIEW \"%w\" AS " MARK "\n", name);

    forget_columns(m);
    *sl_vec_add(&m->made) = sl_strdup(name);
    sl_buf_clear(&m->rows);
    sl_buf_adds(&m->rows, head);
    sqlite3_free(head);
    sl_buf_clear(&m->sql);
    take(m, "id", "");
    take(m, "key", "");
    take(m, "first", "");
    take(m, "last", "");
    take(m, "seconds", "");
}

/* Makes the view that m->rows says, unless it is there as it should be, or the user has something of that name. */
static int create(struct make *m, const char *name)
{
    const char *have;
    bool same = false, foreign = false;
    char *drop = NULL;
    int rc;

    sqlite3_bind_text(m->have, 1, name, -1, SQLITE_STATIC);
    if (sqlite3_step(m->have) == SQLITE_ROW) {
        have = (const char *)sqlite3_column_text(m->have, 0);
        same = have && !strcmp(have, m->rows.s);
        foreign = !have || !strstr(have, MARK);
        drop = same || foreign ? NULL : sqlite3_mprintf("DROP VIEW \"%w\"", name);
    }
    sqlite3_reset(m->have);
    rc = drop ? sl_store_exec(m->st, drop, m->err) : 0;
    sqlite3_free(drop);
    return rc || same || foreign ? rc : sl_store_exec(m->st, m->rows.s, m->err);
}

/* Both parts together, and the view. */
static int finish(struct make *m, const char *name)
{
    sl_buf_adds(&m->rows, m->sql.s);
    sl_buf_adds(&m->rows, "\nFROM r");
    return create(m, name);
}

/* of: ids, with commas between; "": there are none */
static void ends(struct make *m, const char *of)
{
    const char *sql = !*of              ? "NULL"
                      : strchr(of, ',') ? "(SELECT %s FROM sl_event WHERE span IN (%s))"
                                        : "(SELECT %s FROM sl_event WHERE span=%s)";

    column(m, "first", sql, "min(time_ns)/1e9", of);
    column(m, "last", sql, "max(time_ns)/1e9", of);
    column(m, "seconds", sql, "(max(time_ns)-min(time_ns))/1e9", of);
}

/*
 * A span of type `to` that is another view of span `from`, lies in it, or has it inside.  More than one: the first.
 * With its LIMIT the inner query stays one, and `from` goes into each part of sl_near, which is a union.
 */
static void partner(struct sl_buf *b, const char *from, sqlite3_int64 to)
{
    sl_buf_addf(b, "(SELECT min(near) FROM (SELECT near FROM sl_near WHERE span=%s AND type=%lld LIMIT -1))", from,
                (long long)to);
}

/* The id of member `to` of rows that member `lead` begins: from the nearest member before it that has one. */
static void find_member(struct sl_buf *b, const struct member *v, int lead, int to)
{
    if (to > lead + 1)
        sl_buf_adds(b, "coalesce(");
    for (int k = to - 1; k > lead; k--) { /* a query without FROM stays one, and so is answered once */
        sl_buf_adds(b, "(SELECT ");
        partner(b, "f.id", v[to].type);
        sl_buf_adds(b, " FROM (SELECT ");
        partner(b, "s.id", v[k].type);
        sl_buf_adds(b, " AS id) f),\n  ");
    }
    partner(b, "s.id", v[to].type);
    if (to > lead + 1)
        sl_buf_addc(b, ')');
}

/* Rows that begin with member `lead`: those before it are not there. */
struct rows {
    const struct member *v;
    int n, lead;
    SL_VEC(const struct sl_alias_decl *) above; /* whose ids are columns: a0, a1, ... */
    struct sl_buf from;                         /* what has them, but for its name, which is s */
};

/* SELECT *, what FROM what there was: its name is still to come. */
static void add_columns(struct rows *r, const char *columns)
{
    struct sl_buf from = {0};

    sl_buf_addf(&from, "(SELECT *,%s\n FROM %s) s", columns, r->from.s);
    sl_buf_free(&r->from);
    r->from = from;
}

/* The id of what member i is, or lies in; k steps above it. */
static void id_from(struct sl_buf *id, struct rows *r, int i, int k);

/* Of a row, the span of this alias: a member, or what the first that is there lies in. */
static void id_of(struct sl_buf *id, struct rows *r, const struct sl_alias_decl *d)
{
    struct sl_buf all = {0}, one = {0};
    int found = 0;

    for (size_t i = 0; i < r->above.n; i++)
        if (r->above.v[i] == d) {
            sl_buf_addf(id, "s.a%zu", i);
            return;
        }
    for (int i = r->lead, k; i < r->n; i++) {
        for (k = 0; k < r->v[i].n && r->v[i].chain[k] != d; k++)
            ;
        if (k == r->v[i].n)
            continue;
        sl_buf_clear(&one);
        id_from(&one, r, i, k);
        if (!found || !strstr(all.s, one.s))
            sl_buf_addf(&all, "%s%s", found++ ? "," : "", one.s);
    }
    if (found > 1) {
        sl_buf_clear(&one);
        sl_buf_addf(&one, "coalesce(%s)", all.s);
    }
    if (d->in && one.s[0] != 's') { /* asked for again, for what it lies in */
        sl_buf_addf(id, "s.a%zu", r->above.n);
        sl_buf_addf(&one, " AS a%zu", r->above.n);
        add_columns(r, one.s);
        *sl_vec_add(&r->above) = d;
    } else {
        sl_buf_adds(id, one.s);
    }
    sl_buf_free(&all);
    sl_buf_free(&one);
}

static void id_from(struct sl_buf *id, struct rows *r, int i, int k)
{
    if (!k) {
        sl_buf_addf(id, i == r->lead ? "s.id" : "s.m%d", i);
    } else if (k == 1 && i == r->lead) {
        sl_buf_adds(id, "s.parent");
    } else {
        sl_buf_adds(id, "(SELECT parent FROM sl_span WHERE id=");
        if (k > 1)
            id_of(id, r, r->v[i].chain[k - 1]);
        else
            id_from(id, r, i, 0);
        sl_buf_addc(id, ')');
    }
}

/* A key, from the first member that has it.  A span's own key is never NULL. */
static void key_value(struct sl_buf *to, struct rows *r, const char *name)
{
    struct sl_buf all = {0}, ids = {0}, id = {0};
    const char *what = NULL, *is;
    int found = 0, parts = 0;

    for (int i = r->lead, k; i <= r->n; i++) {
        is = NULL;
        for (k = 0; i < r->n && k < r->v[i].n && !(is = key_column_sql(r->v[i].chain[k], name)); k++)
            ;
        if (i == r->lead && is && !k) {
            sl_buf_adds(&all, is);
            parts = 1;
            break;
        }
        if (i < r->n && !is)
            continue;
        if (found && (!is || strcmp(is, what) != 0)) {
            sl_buf_addf(&all,
                        found > 1 ? "%s(SELECT %s FROM sl_key WHERE id=coalesce(%s))"
                                  : "%s(SELECT %s FROM sl_key WHERE id=%s)",
                        parts++ ? "," : "", what, ids.s);
            found = 0;
        }
        if (!is)
            break;
        sl_buf_clear(&id);
        id_of(&id, r, r->v[i].chain[k]);
        if (!found)
            sl_buf_clear(&ids);
        if (!found || !strstr(ids.s, id.s))
            sl_buf_addf(&ids, "%s%s", found++ ? "," : "", id.s);
        what = is;
    }
    sl_buf_addf(to, parts > 1 ? "coalesce(%s)" : "%s", parts ? all.s : "NULL");
    sl_buf_free(&all);
    sl_buf_free(&ids);
    sl_buf_free(&id);
}

static void rows_of(struct make *m, const struct member *v, int n, int lead)
{
    struct rows r = {.v = v, .n = n, .lead = lead};
    struct sl_buf members = {0}, keys = {0};

    sl_buf_addf(&r.from, "sl_key s WHERE s.type=%lld", (long long)v[lead].type);
    for (int i = 0; i < lead; i++)
        sl_buf_addf(&r.from, " AND NOT EXISTS (SELECT 1 FROM sl_near WHERE span=s.id AND type=%lld)",
                    (long long)v[i].type);
    for (int i = 0; n > 1 && i < n; i++) {
        sl_buf_adds(&members, i ? ",\n  " : "");
        if (i < lead)
            sl_buf_adds(&members, "NULL");
        else if (i == lead)
            sl_buf_adds(&members, "s.id");
        else
            find_member(&members, v, lead, i);
        sl_buf_addf(&members, " AS m%d", i);
    }
    if (n > 1)
        add_columns(&r, members.s);
    for (size_t i = 0; i < m->key.n; i++) {
        sl_buf_adds(&keys, ",\n ");
        key_value(&keys, &r, m->key.v[i].name);
    }
    sl_buf_adds(&m->rows, "SELECT id,key");
    for (int i = 0; n > 1 && i < n; i++)
        sl_buf_addf(&m->rows, ",m%d", i);
    sl_buf_addf(&m->rows, "%s\n FROM %s", m->key.n ? keys.s : "", r.from.s);
    sl_buf_free(&members);
    sl_buf_free(&keys);
    sl_buf_free(&r.from);
    sl_vec_free(&r.above);
}

/*
 * Key columns belong to the rows, so that SQLite takes what a query says of them into each part, and joins tables by an
 * index of its own; events and attributes are looked up only where a query names them.  No part has all of the members:
 * as the affinities of their columns differ, SQLite does not take the parts of a union out of it, for which a join has
 * no index.  A table of one member has an empty part for this, and one of none nothing else.
 */
static void all_rows(struct make *m, const struct member *v, int n)
{
    sl_buf_adds(&m->rows, "WITH r(id,key");
    for (int i = 0; n > 1 && i < n; i++)
        sl_buf_addf(&m->rows, ",m%d", i);
    for (size_t i = 0; i < m->key.n; i++)
        add_name(&m->rows, ",", m->key.v[i].as);
    sl_buf_adds(&m->rows, ") AS (\n");
    for (int lead = 0; lead < n; lead++) {
        sl_buf_adds(&m->rows, lead ? "\nUNION ALL\n" : "");
        rows_of(m, v, n, lead);
    }
    if (n < 2) {
        sl_buf_adds(&m->rows, n ? "\nUNION ALL\nSELECT NULL,NULL" : "SELECT id,key");
        for (size_t i = 0; i < m->key.n; i++)
            sl_buf_adds(&m->rows, ",NULL");
        sl_buf_adds(&m->rows, " FROM sl_span WHERE 0");
    }
    sl_buf_adds(&m->rows, ")\n");
    sl_buf_adds(&m->sql, n > 1 ? "SELECT id,key" : "SELECT *");
    for (size_t i = 0; n > 1 && i < m->key.n; i++)
        add_name(&m->sql, ",", m->key.v[i].as);
}

static int make_type(struct make *m, const char *type, sqlite3_int64 id)
{
    struct member v = {.d = by_type(m->set, type), .type = id};
    char name[SL_TYPE_BYTES + 20];
    size_t n;
    int rc;

    for (size_t i = 0; i < m->set->tables.n; i++) { /* that is it already */
        const struct sl_table_decl *t = &m->set->tables.v[i];
        sl_tables_name(type, name, SL_TYPE_BYTES);
        if (t->n == 1 && !strcmp(t->name, name) && !strcmp(by_alias(m->set, t->alias[0])->type, type))
            return 0;
    }
    sl_tables_name(type, name, SL_TYPE_BYTES);
    n = strlen(name);
    for (int i = 2; among(m->made.v, m->made.n, name); i++) /* a.b and a_b, or a table of names.yaml */
        snprintf(name + n, 20, "_%d", i);
    begin(m, name);
    key_columns(m, &v, 1);
    all_rows(m, &v, 1);
    ends(m, "id");
    rc = columns(m, v.d, type, "id", NULL);
    return rc ? rc : finish(m, name);
}

static int make_table(struct make *m, const struct sl_table_decl *t)
{
    struct member v[8] = {0}, there[8] = {0}; /* there: those that the store knows */
    char at[8][16];
    struct sl_buf id = {0};
    int n = 0, rc = 0;

    for (int i = 0; i < t->n; i++) {
        v[i].d = by_alias(m->set, t->alias[i]);
        v[i].type = look_up(m->name, v[i].d->type);
    }
    begin(m, t->name);
    key_columns(m, v, t->n);
    for (int i = 0; i < t->n; i++)
        if (v[i].type) {
            snprintf(at[i], sizeof at[i], "m%d", n);
            sl_buf_addf(&id, "%sm%d", n ? "," : "", n);
            there[n++] = v[i];
        }
    all_rows(m, there, n);
    ends(m, n > 1 ? id.s : n ? "id" : "");
    for (int i = 0; i < t->n && !rc; i++)
        rc = columns(m, v[i].d, v[i].d->type, !v[i].type ? NULL : n > 1 ? at[i] : "id", i ? v[i].d->alias : NULL);
    sl_buf_free(&id);
    return rc ? rc : finish(m, t->name);
}

static int attr_row(void *of, sqlite3_stmt *q, struct sl_err *err)
{
    (void)err;
    sl_intern(of, sl_store_text(q, 0), (size_t)sqlite3_column_bytes(q, 0));
    return 0;
}

/* For `WHERE task = 7`. */
static int index_numbers(void *of, sqlite3_stmt *q, struct sl_err *err)
{
    long long type = sqlite3_column_int64(q, 0);
    char *sql = sqlite3_mprintf(sql_number_index, type, type);
    int rc = sl_store_exec(of, sql, err);

    sqlite3_free(sql);
    return rc;
}

int sl_tables_make(struct sl_store *st, const struct sl_recipes *set, struct sl_err *err)
{
    struct make m = {.st = st, .set = set, .err = err};
    sqlite3_stmt *q = sl_store_prepare(st, sql_tables_make, err);
    int rc = q && (m.name = sl_store_prepare(st, sql_name, err)) && (m.have = sl_store_prepare(st, sql_have, err))
                 ? sl_store_each(st, sql_attrs, attr_row, &m.attrs, err, "")
                 : SL_ESTORE;

    if (!rc) /* of what was forgotten since */
        rc = sl_store_exec(st, "DELETE FROM sl_seen WHERE type NOT IN (SELECT type FROM sl_span)", err);
    for (size_t i = 0; i < set->tables.n && !rc; i++)
        rc = make_table(&m, &set->tables.v[i]);
    while (!rc && (rc = sl_store_step(st, q, err)) > 0)
        rc = make_type(&m, sl_store_text(q, 0), sqlite3_column_int64(q, 1));
    if (!rc)
        rc = sl_store_each(st, sql_task_types, index_numbers, st, err, "");
    sqlite3_finalize(q);
    sqlite3_finalize(m.name);
    sqlite3_finalize(m.have);
    forget_columns(&m);
    sl_vec_free(&m.taken);
    while (m.made.n)
        free(m.made.v[--m.made.n]);
    sl_vec_free(&m.made);
    sl_vec_free(&m.own);
    sl_intern_free(&m.attrs);
    sl_buf_free(&m.sql);
    sl_buf_free(&m.rows);
    sl_vec_free(&m.key);
    return rc;
}
