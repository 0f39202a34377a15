/* SPDX-License-Identifier: Apache-2.0 */
#include "recipe/project.h"
#include "base/buf.h"
#include "recipe/bind_rule.h"
#include "recipe/merge.h"
#include "recipe/time.h"
#include "recipe/yaml.h"
#include "recipe_project.sql.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct parse {
    struct sl_project *p;
    const char *folder;
    struct sl_yaml_check check;
};

static const char *keep(struct parse *c, const char *s)
{
    return sl_arena_copy(&c->p->arena, s, strlen(s));
}

static const char *text_of(struct parse *c, const struct sl_yaml *y, const char *what)
{
    if (y->kind == SL_YAML_SCALAR && *y->text)
        return keep(c, y->text);
    sl_yaml_fail(&c->check, y, "%s must be a text", what);
    return "";
}

/* A path of the file is relative to its folder. */
static const char *path_of(struct parse *c, const struct sl_yaml *y, const char *what)
{
    const char *s = text_of(c, y, what);
    struct sl_buf b = {0};

    if (*s == '/' || !strcmp(c->folder, "."))
        return s;
    sl_buf_addf(&b, "%s/%s", c->folder, s);
    s = keep(c, b.s);
    sl_buf_free(&b);
    return s;
}

static size_t count(struct parse *c, const struct sl_yaml *y, const char *what)
{
    if (y->kind == SL_YAML_MAP)
        sl_yaml_fail(&c->check, y, "%s must be a list", what);
    return y->kind == SL_YAML_LIST ? y->n : y->kind == SL_YAML_SCALAR;
}

static void parse_zone(struct parse *c, const struct sl_yaml *y)
{
    c->p->zone = text_of(c, y, "zone");
    if (!c->check.rc && sl_zone_offset(c->p->zone) == INT32_MIN)
        sl_yaml_fail(&c->check, y, "zone must be an offset such as \"+05:30\", \"-06:00\" or Z");
}

static void parse_bind(struct parse *c, const struct sl_yaml *y)
{
    struct sl_bind_rule r;
    struct sl_err why = {0};

    if (!sl_yaml_is_map(&c->check, y, "bind must be a map {name: rule}"))
        return;
    for (size_t i = 0; i < y->n; i++) {
        const char *rule = text_of(c, y->item[i], "a rule");
        if (!c->check.rc && sl_bind_parse(&r, rule, &why))
            sl_yaml_fail(&c->check, y->item[i], "%s", why.text);
        if (!*y->key[i]->text)
            sl_yaml_fail(&c->check, y->key[i], "a binding needs a name");
        *sl_vec_add(&c->p->binds) = (struct sl_project_bind){keep(c, y->key[i]->text), rule};
    }
}

static void parse_ignore(struct parse *c, const struct sl_yaml *y)
{
    for (size_t i = 0, n = count(c, y, "ignore"); i < n; i++)
        *sl_vec_add(&c->p->lens) =
            (struct sl_project_lens){"ignore", text_of(c, sl_yaml_item(y, i), "a type"), NULL, 0};
}

static void parse_rename(struct parse *c, const struct sl_yaml *y)
{
    for (size_t i = 0; sl_yaml_is_map(&c->check, y, "rename must be a map {old: new}") && i < y->n; i++) {
        const char *old = y->key[i]->text, *new = text_of(c, y->item[i], "a new name");
        sl_merge_name(&c->check, y->item[i], new, false);
        if (!strcmp(old, new))
            sl_yaml_fail(&c->check, y->key[i], "%s is called so already", old);
        *sl_vec_add(&c->p->lens) = (struct sl_project_lens){"rename", keep(c, old), new, 0};
    }
}

static void add_merge(void *to, struct sl_merge m)
{
    struct parse *c = to;
    *sl_vec_add(&c->p->lens) = (struct sl_project_lens){"merge", m.what, m.name, m.within_ns};
}

static void parse_merge(struct parse *c, const struct sl_yaml *y)
{
    sl_merges_parse(&c->check, y, "merge", &c->p->arena, add_merge, c);
}

static void parse_set(struct parse *c, const struct sl_yaml *y)
{
    for (size_t i = 0; sl_yaml_is_map(&c->check, y, "set must be a map {field: value}") && i < y->n; i++) {
        *sl_vec_add(&c->p->set) = keep(c, y->key[i]->text);
        *sl_vec_add(&c->p->set) = text_of(c, y->item[i], "a value");
    }
}

/* {first: [a*, b], second: [c*]}, in this order: "a*,b;c*"; named: "first=a*,b;second=c*". */
static const char *parse_lists(struct parse *c, const struct sl_yaml *y, const char *what, bool named)
{
    struct sl_buf b = {0};
    const char *out;

    for (size_t i = 0; sl_yaml_is_map(&c->check, y, what) && i < y->n; i++)
        for (size_t k = 0, n = count(c, y->item[i], "a factor's list"); k < n; k++) {
            sl_buf_adds(&b, k ? "," : b.n ? ";" : "");
            if (named && !k)
                sl_buf_addf(&b, "%s=", y->key[i]->text);
            sl_buf_adds(&b, text_of(c, sl_yaml_item(y->item[i], k), "a factor"));
        }
    out = b.n ? keep(c, b.s) : NULL;
    sl_buf_free(&b);
    return out;
}

static void parse_experiment(struct parse *c, const struct sl_yaml *y)
{
    struct sl_project_experiment *e = &c->p->experiment;

    for (size_t i = 0; sl_yaml_is_map(&c->check, y, "experiment must be a map {score, time, ...}") && i < y->n; i++) {
        const char *k = y->key[i]->text;
        const char **to = !strcmp(k, "name")    ? &e->name
                          : !strcmp(k, "score") ? &e->score
                          : !strcmp(k, "time")  ? &e->time
                          : !strcmp(k, "key")   ? &e->key
                          : !strcmp(k, "logs")  ? &e->logs
                                                : NULL;
        if (to)
            *to = text_of(c, y->item[i], k);
        else if (!strcmp(k, "groups"))
            e->groups = parse_lists(c, y->item[i], "groups must be a map {name: [factor, ...]}", false);
        else if (!strcmp(k, "split"))
            e->split = parse_lists(c, y->item[i], "split must be a map {old factor: [factor, ...]}", true);
        else
            sl_yaml_fail(&c->check, y->key[i],
                         "unknown key '%s' of experiment; known: name, score, time, key, logs, groups, split", k);
    }
}

static void parse_key(struct parse *c, const struct sl_yaml *key, const struct sl_yaml *y)
{
    const char *k = key->text;

    if (!strcmp(k, "store"))
        c->p->store = path_of(c, y, k);
    else if (!strcmp(k, "zone"))
        parse_zone(c, y);
    else if (!strcmp(k, "campaign"))
        c->p->campaign = text_of(c, y, k);
    else if (!strcmp(k, "sources"))
        for (size_t i = 0, n = count(c, y, k); i < n; i++)
            *sl_vec_add(&c->p->sources) = path_of(c, sl_yaml_item(y, i), "a source");
    else if (!strcmp(k, "recipes"))
        for (size_t i = 0, n = count(c, y, k); i < n; i++)
            *sl_vec_add(&c->p->recipes) = path_of(c, sl_yaml_item(y, i), "a recipe");
    else if (!strcmp(k, "set"))
        parse_set(c, y);
    else if (!strcmp(k, "bind"))
        parse_bind(c, y);
    else if (!strcmp(k, "ignore"))
        parse_ignore(c, y);
    else if (!strcmp(k, "rename"))
        parse_rename(c, y);
    else if (!strcmp(k, "merge"))
        parse_merge(c, y);
    else if (!strcmp(k, "experiment"))
        parse_experiment(c, y);
    else
        sl_yaml_fail(&c->check, key,
                     "unknown key '%s'; known: store, sources, recipes, zone, campaign, set, bind, ignore, rename, "
                     "merge, experiment",
                     k);
}

/* Not only blanks and comments. */
static bool says_anything(const char *s, size_t n)
{
    bool comment = false;

    for (size_t i = 0; i < n; i++) {
        comment = s[i] == '\n' ? false : comment || s[i] == '#';
        if (!comment && !strchr(" \t\r\n", s[i]))
            return true;
    }
    return false;
}

int sl_project_parse(struct sl_project *out, const char *path, const char *text, size_t n, struct sl_err *err)
{
    struct parse c = {.p = out, .folder = ".", .check = {.path = path, .err = err}};
    const char *slash = strrchr(path, '/');
    struct sl_yaml *doc;

    *out = (struct sl_project){0};
    out->path = keep(&c, path);
    if (slash)
        c.folder = sl_arena_copy(&out->arena, path, slash == path ? 1 : (size_t)(slash - path));
    if (!says_anything(text, n))
        return 0;
    if ((c.check.rc = sl_yaml_parse(&doc, text, n, path, err)))
        return c.check.rc;
    if (doc->kind != SL_YAML_MAP)
        sl_yaml_fail(&c.check, doc, "a project file is a map with the keys sources, recipes, bind, ...");
    for (size_t i = 0; doc->kind == SL_YAML_MAP && i < doc->n && !c.check.rc; i++)
        parse_key(&c, doc->key[i], doc->item[i]);
    sl_yaml_free(doc);
    return c.check.rc;
}

int sl_project_load(struct sl_project *out, const char *path, struct sl_err *err)
{
    struct sl_buf b = {0};
    char *real;
    int rc = sl_yaml_read(&b, path);

    *out = (struct sl_project){0};
    if (rc)
        rc = rc == ENOENT ? 1 : sl_err(err, SL_EIO, "cannot read %s: %s", path, strerror(rc));
    else
        rc = sl_project_parse(out, path, b.s ? b.s : "", b.n, err);
    if (!rc && (real = realpath(path, NULL))) {
        out->path = sl_arena_copy(&out->arena, real, strlen(real));
        free(real);
    }
    sl_buf_free(&b);
    return rc;
}

void sl_project_free(struct sl_project *p)
{
    sl_vec_free(&p->sources);
    sl_vec_free(&p->recipes);
    sl_vec_free(&p->set);
    sl_vec_free(&p->binds);
    sl_vec_free(&p->lens);
    sl_arena_free(&p->arena);
}

/* ---- into the store ---- */

static int write_rows(struct sl_store *st, const struct sl_project *p, struct sl_err *err)
{
    sqlite3_stmt *q =
        sl_store_prepare(st, "INSERT OR REPLACE INTO sl_bind (name, rule, project) VALUES (?, ?, ?)", err);
    int rc = q ? 0 : SL_ESTORE;

    for (size_t i = 0; i < p->binds.n && !rc; i++) {
        sqlite3_bind_text(q, 1, p->binds.v[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 2, p->binds.v[i].rule, -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 3, p->path, -1, SQLITE_STATIC);
        rc = sqlite3_step(q) == SQLITE_DONE ? 0 : sl_store_err(st, "cannot write", err);
        sqlite3_reset(q);
    }
    sqlite3_finalize(q);
    q = sl_store_prepare(st, "INSERT INTO sl_lens (kind, what, becomes, within_ns, project) VALUES (?, ?, ?, ?, ?)",
                         err);
    rc = rc ? rc : q ? 0 : SL_ESTORE;
    for (size_t i = 0; i < p->lens.n && !rc; i++) {
        const struct sl_project_lens *l = &p->lens.v[i];
        sqlite3_bind_text(q, 1, l->kind, -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 2, l->what, -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 3, l->becomes, -1, SQLITE_STATIC);
        sqlite3_bind_null(q, 4);
        if (!strcmp(l->kind, "merge"))
            sqlite3_bind_int64(q, 4, l->within_ns);
        sqlite3_bind_text(q, 5, p->path, -1, SQLITE_STATIC);
        rc = sqlite3_step(q) == SQLITE_DONE ? 0 : sl_store_err(st, "cannot write", err);
        sqlite3_reset(q);
    }
    sqlite3_finalize(q);
    return rc;
}

/* What the store has of the project, as one text. */
static char *digest(struct sl_store *st, const char *path)
{
    char *sql = sqlite3_mprintf(sql_digest, path, path);
    sqlite3_stmt *q = sl_store_prepare(st, sql, NULL);
    char *out = NULL;

    if (q && sqlite3_step(q) == SQLITE_ROW)
        out = sl_strdup(sqlite3_column_text(q, 0) ? (const char *)sqlite3_column_text(q, 0) : "");
    sqlite3_finalize(q);
    sqlite3_free(sql);
    return out ? out : sl_strdup("");
}

int sl_project_store(struct sl_store *st, const struct sl_project *p, bool *changed, struct sl_err *err)
{
    char *before = digest(st, p->path), *after;
    char *sql = sqlite3_mprintf("DELETE FROM sl_bind WHERE project = %Q; DELETE FROM sl_lens WHERE project = %Q",
                                p->path, p->path);
    int rc = sl_store_exec(st, sql, err);

    if (!rc)
        rc = write_rows(st, p, err);
    after = digest(st, p->path);
    *changed = strcmp(before, after) != 0;
    sqlite3_free(sql);
    free(before);
    free(after);
    return rc;
}
