/* SPDX-License-Identifier: Apache-2.0 */
#include "recipe/project.h"
#include "base/buf.h"
#include "recipe/bind_rule.h"
#include "recipe/merge_rules.h"
#include "recipe/time.h"
#include "recipe/yaml_keys.h"
#include "recipe_project.sql.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A path of the file is relative to its folder. */
static const char *path_of(struct sl_yaml_check *c, const struct sl_yaml *y, const char *what)
{
    const char *s = sl_yaml_text(c, y, what), *slash = strrchr(c->path, '/');
    struct sl_buf b = {0};

    if (*s == '/' || !slash || !strncmp(c->path, "./", (size_t)(slash - c->path) + 1))
        return s;
    sl_buf_add(&b, c->path, (size_t)(slash - c->path) + 1);
    sl_buf_adds(&b, s);
    s = sl_arena_copy(c->arena, b.s, b.n);
    sl_buf_free(&b);
    return s;
}

static size_t count(struct sl_yaml_check *c, const struct sl_yaml *y, const char *what)
{
    if (y->kind == SL_YAML_MAP)
        sl_yaml_fail(c, y, "'%s' is a list", what);
    return y->kind == SL_YAML_LIST ? y->n : y->kind == SL_YAML_SCALAR;
}

static void read_store(struct sl_yaml_check *c, const struct sl_yaml *y, void *to)
{
    ((struct sl_project *)to)->store = path_of(c, y, "store");
}

static void read_sources(struct sl_yaml_check *c, const struct sl_yaml *y, void *to)
{
    struct sl_project *p = to;

    for (size_t i = 0, n = count(c, y, "sources"); i < n; i++)
        *sl_vec_add(&p->sources) = path_of(c, sl_yaml_item(y, i), "a source");
}

static void read_recipes(struct sl_yaml_check *c, const struct sl_yaml *y, void *to)
{
    struct sl_project *p = to;

    for (size_t i = 0, n = count(c, y, "recipes"); i < n; i++)
        *sl_vec_add(&p->recipes) = path_of(c, sl_yaml_item(y, i), "a recipe");
}

static void read_zone(struct sl_yaml_check *c, const struct sl_yaml *y, void *to)
{
    struct sl_project *p = to;

    p->zone = sl_yaml_text(c, y, "zone");
    if (sl_zone_offset(p->zone) == INT32_MIN)
        sl_yaml_fail(c, y, "zone must be an offset such as \"+05:30\", \"-06:00\" or Z");
}

static void read_bind(struct sl_yaml_check *c, const struct sl_yaml *y, void *to)
{
    struct sl_project *p = to;
    struct sl_bind_rule r;
    struct sl_err why = {0};

    for (size_t i = 0; sl_yaml_is_map(c, y, "bind must be a map {name: rule}") && i < y->n; i++) {
        const char *rule = sl_yaml_text(c, y->item[i], "a rule");
        if (!c->rc && sl_bind_parse(&r, rule, &why))
            sl_yaml_fail(c, y->item[i], "%s", why.text);
        *sl_vec_add(&p->binds) = (struct sl_project_bind){sl_yaml_text(c, y->key[i], "the name of a binding"), rule};
    }
}

static void read_ignore(struct sl_yaml_check *c, const struct sl_yaml *y, void *to)
{
    struct sl_project *p = to;

    for (size_t i = 0, n = count(c, y, "ignore"); i < n; i++)
        *sl_vec_add(&p->lens) =
            (struct sl_project_lens){"ignore", sl_yaml_text(c, sl_yaml_item(y, i), "a type"), NULL, 0};
}

static void read_rename(struct sl_yaml_check *c, const struct sl_yaml *y, void *to)
{
    struct sl_project *p = to;

    for (size_t i = 0; sl_yaml_is_map(c, y, "rename must be a map {old: new}") && i < y->n; i++) {
        const char *old = sl_yaml_text(c, y->key[i], "an old name"), *new = sl_yaml_text(c, y->item[i], "a new name");
        sl_merge_name(c, y->item[i], new, false);
        if (!strcmp(old, new))
            sl_yaml_fail(c, y->key[i], "%s is called so already", old);
        *sl_vec_add(&p->lens) = (struct sl_project_lens){"rename", old, new, 0};
    }
}

static void add_merge(void *to, struct sl_merge m)
{
    struct sl_project *p = to;
    *sl_vec_add(&p->lens) = (struct sl_project_lens){"merge", m.what, m.name, m.within_ns};
}

static void read_merge(struct sl_yaml_check *c, const struct sl_yaml *y, void *to)
{
    sl_merges_parse(c, y, "merge", c->arena, add_merge, to);
}

static void read_set(struct sl_yaml_check *c, const struct sl_yaml *y, void *to)
{
    struct sl_project *p = to;

    for (size_t i = 0; sl_yaml_is_map(c, y, "set must be a map {field: value}") && i < y->n; i++) {
        *sl_vec_add(&p->set) = sl_yaml_text(c, y->key[i], "a field");
        *sl_vec_add(&p->set) = sl_yaml_text(c, y->item[i], "a value");
    }
}

/* {first: [a*, b], second: [c*]}, in this order: "a*,b;c*"; named: "first=a*,b;second=c*". */
static const char *lists_of(struct sl_yaml_check *c, const struct sl_yaml *y, const char *what, bool named)
{
    struct sl_buf b = {0};
    const char *out;

    for (size_t i = 0; sl_yaml_is_map(c, y, what) && i < y->n; i++)
        for (size_t k = 0, n = count(c, y->item[i], "a factor's list"); k < n; k++) {
            sl_buf_adds(&b, k ? "," : b.n ? ";" : "");
            if (named && !k)
                sl_buf_addf(&b, "%s=", y->key[i]->text);
            sl_buf_adds(&b, sl_yaml_text(c, sl_yaml_item(y->item[i], k), "a factor"));
        }
    out = b.n ? sl_arena_copy(c->arena, b.s, b.n) : NULL;
    sl_buf_free(&b);
    return out;
}

static void read_groups(struct sl_yaml_check *c, const struct sl_yaml *y, void *to)
{
    struct sl_project_experiment *e = to;
    e->groups = lists_of(c, y, "groups must be a map {name: [factor, ...]}", false);
}

static void read_split(struct sl_yaml_check *c, const struct sl_yaml *y, void *to)
{
    struct sl_project_experiment *e = to;
    e->split = lists_of(c, y, "split must be a map {old factor: [factor, ...]}", true);
}

static void read_experiment(struct sl_yaml_check *c, const struct sl_yaml *y, void *to)
{
    static const struct sl_yaml_key keys[] = {
        SL_YAML_KEY("name", TEXT, struct sl_project_experiment, name),
        SL_YAML_KEY("score", TEXT, struct sl_project_experiment, score),
        SL_YAML_KEY("time", TEXT, struct sl_project_experiment, time),
        SL_YAML_KEY("key", TEXT, struct sl_project_experiment, key),
        SL_YAML_KEY("logs", TEXT, struct sl_project_experiment, logs),
        {.name = "groups", .as = SL_YAML_READ, .read = read_groups},
        {.name = "split", .as = SL_YAML_READ, .read = read_split},
    };
    sl_yaml_keys(c, y, "experiment", keys, sizeof keys / sizeof *keys, &((struct sl_project *)to)->experiment);
}

static const struct sl_yaml_key project_keys[] = {
    {.name = "store", .as = SL_YAML_READ, .read = read_store},
    {.name = "sources", .as = SL_YAML_READ, .read = read_sources},
    {.name = "recipes", .as = SL_YAML_READ, .read = read_recipes},
    {.name = "zone", .as = SL_YAML_READ, .read = read_zone},
    SL_YAML_KEY("campaign", TEXT, struct sl_project, campaign),
    {.name = "set", .as = SL_YAML_READ, .read = read_set},
    {.name = "bind", .as = SL_YAML_READ, .read = read_bind},
    {.name = "ignore", .as = SL_YAML_READ, .read = read_ignore},
    {.name = "rename", .as = SL_YAML_READ, .read = read_rename},
    {.name = "merge", .as = SL_YAML_READ, .read = read_merge},
    {.name = "experiment", .as = SL_YAML_READ, .read = read_experiment},
};

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
    struct sl_yaml_check c = {.path = path, .err = err, .arena = &out->arena};
    struct sl_yaml *doc;

    *out = (struct sl_project){0};
    out->path = sl_arena_copy(&out->arena, path, strlen(path));
    if (!says_anything(text, n))
        return 0;
    if ((c.rc = sl_yaml_parse(&doc, text, n, path, err)))
        return c.rc;
    sl_yaml_keys(&c, doc, "a project file", project_keys, sizeof project_keys / sizeof *project_keys, out);
    sl_yaml_free(doc);
    return c.rc;
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
