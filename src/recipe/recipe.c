/* SPDX-License-Identifier: Apache-2.0 */
/* The set of recipes: where they come from, and the names they share.  compile.c binds and compiles them. */
#include "recipe/recipe.h"
#include "base/buf.h"
#include "base/embed.h"
#include "base/hash.h"
#include "base/user_folder.h"
#include "recipe/bind_rule.h"
#include "recipe/recipe_internal.h"

#include <stdio.h>
#include <stdlib.h>

struct sl_recipes *sl_recipes_new(void)
{
    struct sl_recipes *set = sl_alloc(sizeof *set);

    pthread_mutex_init(&set->lock, NULL);
    return set;
}

void sl_recipes_free(struct sl_recipes *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->n; i++)
        sl_recipe_free(set->v[i]);
    free(set->v);
    for (size_t i = 0; i < set->docs.n; i++)
        sl_yaml_free(set->docs.v[i]);
    sl_vec_free(&set->docs);
    sl_vec_free(&set->facets);
    sl_vec_free(&set->shared);
    sl_vec_free(&set->aliases);
    sl_vec_free(&set->tables);
    sl_vec_free(&set->binds);
    sl_vec_free(&set->rules);
    sl_vec_free(&set->orders);
    sl_vec_free(&set->processes);
    sl_vec_free(&set->ints);
    sl_vec_free(&set->roles);
    sl_vec_free(&set->phases);
    sl_vec_free(&set->handovers);
    sl_vec_free(&set->lens);
    sl_intern_free(&set->names);
    sl_intern_free(&set->shapes);
    sl_arena_free(&set->arena);
    pthread_mutex_destroy(&set->lock);
    free(set);
}

const struct sl_recipe *sl_recipes_find(const struct sl_recipes *set, const char *name)
{
    for (size_t i = 0; i < set->n; i++)
        if (!strcmp(set->v[i]->name, name))
            return set->v[i];
    return NULL;
}

const struct sl_input *sl_recipe_input(const struct sl_recipe *r, const char *path, const struct sl_pattern **files)
{
    struct sl_match *m = sl_match_new();
    const struct sl_input *found = NULL;

    for (int i = 0; i < r->ninput && !found; i++)
        for (int k = 0; k < r->input[i].nfiles && !found; k++)
            if (sl_pattern_match(&r->input[i].files[k], m, path, strlen(path), 0)) {
                found = &r->input[i];
                *files = &r->input[i].files[k];
            }
    sl_match_free(m);
    return found;
}

static uint32_t intern(struct sl_recipes *set, struct sl_intern *of, const char *s, size_t n)
{
    uint32_t id;

    pthread_mutex_lock(&set->lock);
    id = sl_intern(of, s, n);
    pthread_mutex_unlock(&set->lock);
    return id;
}

uint32_t sl_recipes_name(struct sl_recipes *set, const char *s, size_t n)
{
    return intern(set, &set->names, s, n);
}

uint32_t sl_recipes_shape(struct sl_recipes *set, const char *names, size_t n)
{
    return intern(set, &set->shapes, names, n);
}

/* ---- declarations: spans, fields, facets, shared ---- */

static const char *keep(struct sl_recipes *set, const char *s)
{
    return sl_arena_copy(&set->arena, s, strlen(s));
}

static int scalar(const struct sl_yaml *y, const char *path, const char *what, const char **out, struct sl_err *err)
{
    if (!y || y->kind != SL_YAML_SCALAR)
        return sl_err(err, SL_EFORMAT, "%s:%d: %s must be a text", path, y ? y->line : 0, what);
    *out = y->text;
    return 0;
}

static int declare_span(struct sl_recipes *set, const struct sl_recipe *only, const char *path, const char *alias,
                        const struct sl_yaml *y, struct sl_err *err)
{
    struct sl_alias_decl d = {.only = only};
    char where[300];

    if (y->kind != SL_YAML_MAP)
        return sl_err(err, SL_EFORMAT, "%s:%d: span %s needs {type: ..., key: ..., in: ...}", path, y->line, alias);
    for (size_t i = 0; i < y->n; i++) {
        const char *k = y->key[i]->text, *v = "";
        if (scalar(y->item[i], path, k, &v, err))
            return err ? err->code : SL_EFORMAT;
        if (!strcmp(k, "type"))
            d.type = keep(set, v);
        else if (!strcmp(k, "key"))
            d.key = keep(set, v);
        else if (!strcmp(k, "or"))
            d.otherwise = keep(set, v);
        else if (!strcmp(k, "in"))
            d.in = keep(set, v);
        else if (!strcmp(k, "path"))
            d.path = keep(set, v);
        else
            return sl_err(err, SL_EFORMAT, "%s:%d: unknown key '%s' in span %s; known: type, key, or, in, path", path,
                          y->key[i]->line, k, alias);
    }
    if (d.path && y->n > 1)
        return sl_err(err, SL_EFORMAT, "%s:%d: span %s: path says all; nothing stands beside it", path, y->line, alias);
    if (d.path)
        d.type = d.key = "";
    if (!d.type || !d.key)
        return sl_err(err, SL_EFORMAT, "%s:%d: span %s needs a type and a key", path, y->line, alias);
    for (size_t i = 0; i < set->aliases.n; i++)
        if (set->aliases.v[i].only == only && !strcmp(set->aliases.v[i].alias, alias))
            return sl_err(err, SL_EFORMAT, "%s:%d: span %s is declared already in %s", path, y->line, alias,
                          set->aliases.v[i].where);
    d.alias = keep(set, alias);
    snprintf(where, sizeof where, "%s:%d", path, y->line);
    d.where = keep(set, where);
    *sl_vec_add(&set->aliases) = d;
    return 0;
}

static int declare_facet(struct sl_recipes *set, const char *path, const struct sl_yaml *y, struct sl_err *err)
{
    const struct sl_yaml *pair = y->kind == SL_YAML_LIST ? y : sl_yaml_get(y, "pair");
    const struct sl_yaml *under = sl_yaml_get(y, "under"), *part[4];
    uint32_t type[4] = {0};
    char rule[200];

    if (!pair || pair->kind != SL_YAML_LIST || pair->n != 2 ||
        (under && (under->kind != SL_YAML_LIST || under->n != 2)) ||
        (y->kind == SL_YAML_MAP && y->n != (under ? 2u : 1u)))
        return sl_err(err, SL_EFORMAT, "%s:%d: a facet rule is [a, b] or {pair: [a, b], under: [c, d]}", path, y->line);
    for (int i = 0; i < 2; i++) {
        part[i] = pair->item[i];
        part[2 + i] = under ? under->item[i] : NULL;
    }
    for (int i = 0; i < (under ? 4 : 2); i++) {
        const struct sl_alias_decl *d = NULL;
        for (size_t k = 0; k < set->aliases.n; k++)
            if (part[i]->kind == SL_YAML_SCALAR && !strcmp(set->aliases.v[k].alias, part[i]->text))
                d = &set->aliases.v[k];
        if (!d)
            return sl_err(err, SL_EFORMAT, "%s:%d: facet names a span that is not declared: %s", path, part[i]->line,
                          part[i]->kind == SL_YAML_SCALAR ? part[i]->text : "(not a text)");
        type[i] = sl_intern(&set->names, d->type, strlen(d->type));
    }
    snprintf(rule, sizeof rule, "merge %s = %s", pair->item[0]->text, pair->item[1]->text);
    *sl_vec_add(&set->facets) =
        (struct sl_facet_rule){type[0], type[1], type[2], type[3], sl_intern(&set->names, rule, strlen(rule))};
    return 0;
}

static int declare_table(struct sl_recipes *set, const char *path, const struct sl_yaml *name, const struct sl_yaml *y,
                         struct sl_err *err)
{
    struct sl_table_decl t = {.name = keep(set, name->text)};

    if (y->kind != SL_YAML_LIST || !y->n || y->n > sizeof t.alias / sizeof *t.alias)
        return sl_err(err, SL_EFORMAT, "%s:%d: table %s needs a list of up to %zu spans", path, y->line, name->text,
                      sizeof t.alias / sizeof *t.alias);
    for (size_t i = 0; i < y->n; i++) {
        bool known = false;
        for (size_t k = 0; k < set->aliases.n; k++)
            known |= y->item[i]->kind == SL_YAML_SCALAR && !strcmp(set->aliases.v[k].alias, y->item[i]->text);
        if (!known)
            return sl_err(err, SL_EFORMAT, "%s:%d: table %s names a span that is not declared: %s", path,
                          y->item[i]->line, name->text,
                          y->item[i]->kind == SL_YAML_SCALAR ? y->item[i]->text : "(not a text)");
        t.alias[t.n++] = keep(set, y->item[i]->text);
    }
    for (size_t i = 0; i < set->tables.n; i++)
        if (!strcmp(set->tables.v[i].name, t.name)) {
            set->tables.v[i] = t; /* the later one counts, as with recipes */
            return 0;
        }
    *sl_vec_add(&set->tables) = t;
    return 0;
}

/* Rules that several recipes have: a list, compiled in each that includes them; the later of a name counts. */
static int declare_rules(struct sl_recipes *set, const char *path, const struct sl_yaml *name, const struct sl_yaml *y,
                         struct sl_err *err)
{
    size_t i = 0;

    if (y->kind != SL_YAML_LIST || !y->n)
        return sl_err(err, SL_EFORMAT, "%s:%d: rules %s is a list, as records are", path, y->line, name->text);
    while (i < set->rules.n && strcmp(set->rules.v[i].name, name->text) != 0)
        i++;
    if (i == set->rules.n)
        sl_vec_add(&set->rules);
    set->rules.v[i] = (struct sl_rules_decl){keep(set, name->text), y};
    return 0;
}

/* The aliases of root spans that a rule names; not 0: some are none. */
static int declare_roots(const struct sl_recipes *set, struct sl_bind_roots *out, const struct sl_yaml *list)
{
    const size_t most = sizeof out->alias / sizeof *out->alias;

    for (size_t i = 0; list->kind == SL_YAML_LIST && i < list->n && i < most; i++)
        for (size_t k = set->aliases.n; k-- > 0 && list->item[i]->kind == SL_YAML_SCALAR && out->n == i;) {
            const struct sl_alias_decl *d = &set->aliases.v[k];
            if (!strcmp(d->alias, list->item[i]->text) && !d->in)
                out->alias[out->n++] = d->alias;
        }
    return !out->n || out->n != list->n;
}

/* NAME: a rule; or NAME: {rule, left, right}, two SELECTs whose rows ascend together. */
static int declare_bind(struct sl_recipes *set, const char *path, const struct sl_yaml *name, const struct sl_yaml *y,
                        struct sl_err *err)
{
    const struct sl_yaml *rule = y->kind == SL_YAML_MAP ? sl_yaml_get(y, "rule") : y, *left = sl_yaml_get(y, "left"),
                         *right = sl_yaml_get(y, "right"), *list = sl_yaml_get(y, "roots");
    struct sl_bind_roots roots = {0};
    struct sl_bind_rule r;
    struct sl_err why = {0};
    char *text;

    if (!rule || rule->kind != SL_YAML_SCALAR || !left != !right ||
        (y->kind == SL_YAML_MAP && y->n != 1u + (left ? 2 : 0) + (list != NULL)) ||
        (left && (left->kind != SL_YAML_SCALAR || right->kind != SL_YAML_SCALAR)))
        return sl_err(err, SL_EFORMAT, "%s:%d: binding %s is a rule, or {rule, left, right, roots}", path, y->line,
                      name->text);
    if (list && declare_roots(set, &roots, list))
        return sl_err(err, SL_EFORMAT, "%s:%d: roots of binding %s is a list of one to four spans that lie in none",
                      path, list->line, name->text);
    text = sl_arena_copy(&set->arena, rule->text, rule->n);
    for (char *c = text; *c; c++) /* a folded text of YAML keeps some line ends */
        *c = *c == '\n' ? ' ' : *c;
    if (sl_bind_parse(&r, text, &why))
        return sl_err(err, SL_EFORMAT, "%s:%d: binding %s: %s", path, rule->line, name->text, why.text);
    for (size_t i = 0; i < set->binds.n; i++)
        if (!strcmp(set->binds.v[i].name, name->text)) {
            set->binds.v[i].rule = text;
            set->binds.v[i].roots = roots;
            return 0;
        }
    if (left)
        *sl_vec_add(&set->orders) = (struct sl_sequence_decl){keep(set, name->text), text, keep(set, left->text),
                                                              keep(set, right->text), roots};
    else
        *sl_vec_add(&set->binds) = (struct sl_bind_decl){keep(set, name->text), text, roots};
    return 0;
}

/* {bind, says, variables: [NAME, ...], spans: a SELECT, pids: another, of the workers that run these}. */
static int declare_process(struct sl_recipes *set, const char *path, const struct sl_yaml *y, struct sl_err *err)
{
    const struct sl_yaml *list = y->kind == SL_YAML_MAP ? sl_yaml_get(y, "variables") : NULL;
    struct sl_process_decl d = {0};
    size_t known = list != NULL;

    for (size_t i = 0; list && i < y->n; i++) {
        const char *key = y->key[i]->text;
        const char **to = !strcmp(key, "bind")    ? &d.bind
                          : !strcmp(key, "says")  ? &d.says
                          : !strcmp(key, "spans") ? &d.spans
                          : !strcmp(key, "pids")  ? &d.pids
                                                  : NULL;
        if (to && y->item[i]->kind == SL_YAML_SCALAR) {
            *to = keep(set, y->item[i]->text);
            known++;
        }
    }
    for (size_t i = 0; list && list->kind == SL_YAML_LIST && i < list->n; i++)
        if (list->item[i]->kind == SL_YAML_SCALAR && d.n < SL_PROCESS_VARIABLES)
            d.variable[d.n++] = keep(set, list->item[i]->text);
    if (!d.bind || !d.says || !d.spans || !d.n || d.n != list->n || known != y->n)
        return sl_err(err, SL_EFORMAT,
                      "%s:%d: processes is a list of {bind, says, variables, spans, pids}: texts but for variables, a "
                      "list of one to four names; only pids may be missing",
                      path, y->line);
    *sl_vec_add(&set->processes) = d;
    return 0;
}

/* A later declaration of a name takes the place of an earlier one. */
static void add_merge(void *to, struct sl_merge m)
{
    struct sl_recipes *set = to;
    size_t i = 0;

    while (i < set->lens.n && strcmp(set->lens.v[i].name, m.name) != 0)
        i++;
    if (i == set->lens.n)
        sl_vec_add(&set->lens);
    set->lens.v[i] = m;
}

static int declare_lens(struct sl_recipes *set, const char *path, const struct sl_yaml *y, struct sl_err *err)
{
    struct sl_yaml_check check = {.path = path, .err = err};

    sl_merges_parse(&check, y, "lens", &set->arena, add_merge, set);
    return check.rc;
}

static int declare(struct sl_recipes *set, const struct sl_recipe *only, const char *path, const struct sl_yaml *doc,
                   struct sl_err *err)
{
    const struct sl_yaml *spans = sl_yaml_get(doc, "spans"), *fields = sl_yaml_get(doc, "fields");
    const struct sl_yaml *facets = sl_yaml_get(doc, "facets"), *shared = sl_yaml_get(doc, "shared");
    const struct sl_yaml *tables = sl_yaml_get(doc, "tables"), *binds = sl_yaml_get(doc, "binds");
    const struct sl_yaml *processes = sl_yaml_get(doc, "processes"), *rules = sl_yaml_get(doc, "rules");
    int rc = 0;

    for (size_t i = 0; spans && i < spans->n && !rc; i++)
        rc = spans->kind == SL_YAML_MAP ? declare_span(set, only, path, spans->key[i]->text, spans->item[i], err)
                                        : sl_err(err, SL_EFORMAT, "%s:%d: spans must be a map", path, spans->line);
    for (size_t i = 0; fields && i < fields->n && !rc; i++) {
        if (fields->kind != SL_YAML_MAP || fields->item[i]->kind != SL_YAML_SCALAR ||
            strcmp(fields->item[i]->text, "int"))
            rc = sl_err(err, SL_EFORMAT, "%s:%d: fields is a map of names to 'int' (all others are texts)", path,
                        fields->line);
        else
            *sl_vec_add(&set->ints) = (struct sl_int_decl){keep(set, fields->key[i]->text), only};
    }
    for (size_t i = 0; facets && i < facets->n && !rc; i++)
        rc = facets->kind == SL_YAML_LIST ? declare_facet(set, path, facets->item[i], err)
                                          : sl_err(err, SL_EFORMAT, "%s:%d: facets must be a list", path, facets->line);
    for (size_t i = 0; shared && i < shared->n && !rc; i++) {
        if (shared->kind != SL_YAML_MAP || shared->item[i]->kind != SL_YAML_SCALAR)
            rc = sl_err(err, SL_EFORMAT, "%s:%d: shared is a map {field: scope}", path, shared->line);
        else
            *sl_vec_add(&set->shared) =
                (struct sl_shared_field){keep(set, shared->key[i]->text), keep(set, shared->item[i]->text)};
    }
    for (size_t i = 0; tables && i < tables->n && !rc; i++)
        rc = tables->kind == SL_YAML_MAP
                 ? declare_table(set, path, tables->key[i], tables->item[i], err)
                 : sl_err(err, SL_EFORMAT, "%s:%d: tables is a map {name: [span, ...]}", path, tables->line);
    for (size_t i = 0; binds && i < binds->n && !rc; i++)
        rc = binds->kind == SL_YAML_MAP
                 ? declare_bind(set, path, binds->key[i], binds->item[i], err)
                 : sl_err(err, SL_EFORMAT, "%s:%d: binds is a map {name: rule}", path, binds->line);
    for (size_t i = 0; rules && i < rules->n && !rc; i++)
        rc = rules->kind == SL_YAML_MAP
                 ? declare_rules(set, path, rules->key[i], rules->item[i], err)
                 : sl_err(err, SL_EFORMAT, "%s:%d: rules is a map {name: [rule, ...]}", path, rules->line);
    for (size_t i = 0; processes && i < processes->n && !rc; i++)
        rc = processes->kind == SL_YAML_LIST
                 ? declare_process(set, path, processes->item[i], err)
                 : sl_err(err, SL_EFORMAT, "%s:%d: processes must be a list", path, processes->line);
    if (!rc)
        rc = declare_lens(set, path, sl_yaml_get(doc, "lens"), err);
    return rc ? rc : sl_states_declare(set, path, doc, err);
}

/* ---- files ---- */

/* doc: what text says, or all that is needed of it. */
static int add(struct sl_recipes *set, const char *path, struct sl_yaml *doc, const char *text, size_t n, bool tried,
               struct sl_err *err)
{
    static const char *const names_keys[] = {"spans",     "rules", "fields", "facets",    "shared", "tables", "binds",
                                             "processes", "roles", "phases", "handovers", "lens",   NULL};
    struct sl_recipe *r;

    *sl_vec_add(&set->docs) = doc;
    path = keep(set, path);
    if (doc->kind != SL_YAML_MAP)
        return sl_err(err, SL_EFORMAT, "%s:1: a recipe is a map that begins with recipe: NAME", path);
    if (!sl_yaml_get(doc, "recipe")) {
        for (size_t i = 0; i < doc->n; i++) {
            int k = 0;
            while (names_keys[k] && strcmp(names_keys[k], doc->key[i]->text))
                k++;
            if (!names_keys[k])
                return sl_err(
                    err, SL_EFORMAT,
                    "%s:%d: unknown key '%s'; a recipe needs recipe: NAME, a file of names has "
                    "spans, rules, fields, facets, shared, tables, binds, processes, roles, phases, handovers, lens",
                    path, doc->key[i]->line, doc->key[i]->text);
        }
        return declare(set, NULL, path, doc, err);
    }
    r = sl_alloc(sizeof *r);
    r->path = path;
    r->yaml = doc;
    r->set = set;
    r->tried = tried;
    r->text = tried ? text : sl_arena_copy(&set->arena, text, n); /* ours stands in the program */
    snprintf(r->hash, sizeof r->hash, "%016llx", (unsigned long long)sl_hash(text, n));
    if (scalar(sl_yaml_get(doc, "recipe"), path, "recipe", &r->name, err)) {
        free(r);
        return SL_EFORMAT;
    }
    for (size_t i = 0; i < set->n; i++)
        if (!strcmp(set->v[i]->name, r->name)) { /* the later one wins, so that users can replace ours */
            for (size_t k = set->aliases.n; k-- > 0;)
                if (set->aliases.v[k].only == set->v[i])
                    memmove(&set->aliases.v[k], &set->aliases.v[k + 1],
                            (--set->aliases.n - k) * sizeof *set->aliases.v);
            for (size_t k = set->ints.n; k-- > 0;)
                if (set->ints.v[k].only == set->v[i])
                    memmove(&set->ints.v[k], &set->ints.v[k + 1], (--set->ints.n - k) * sizeof *set->ints.v);
            sl_recipe_free(set->v[i]);
            set->v[i] = r;
            return declare(set, r, path, doc, err);
        }
    set->v = sl_realloc(set->v, (set->n + 1) * sizeof *set->v);
    set->v[set->n++] = r;
    return declare(set, r, path, doc, err);
}

int sl_recipes_add(struct sl_recipes *set, const char *path, const char *text, size_t n, struct sl_err *err)
{
    struct sl_yaml *doc;
    int rc = sl_yaml_parse(&doc, text, n, path, err);

    return rc ? rc : add(set, path, doc, text, n, false, err);
}

/* Without its samples, unless they are wanted. */
static int add_embedded(struct sl_recipes *set, const struct sl_embedded *e, struct sl_err *err)
{
    const struct sl_embedded *tree = sl_embedded_recipe_trees;
    struct sl_buf path = {0};
    int rc;

    while (strcmp(tree->name, e->name) != 0)
        tree++;
    sl_buf_addf(&path, "recipes/%s", e->name);
    rc = set->samples ? sl_recipes_add(set, path.s, e->data, e->size, err)
                      : add(set, path.s, sl_yaml_unpack(tree->data), e->data, e->size, true, err);
    sl_buf_free(&path);
    return rc;
}

int sl_recipes_add_file(struct sl_recipes *set, const char *path, struct sl_err *err)
{
    struct sl_buf b = {0};
    int rc = sl_yaml_read(&b, path);

    if (rc)
        rc = sl_err(err, SL_EIO, "cannot read the recipe %s: %s", path, strerror(rc));
    else
        rc = sl_recipes_add(set, path, b.s ? b.s : "", b.n, err);
    sl_buf_free(&b);
    return rc;
}

static int add_users(struct sl_recipes *set, struct sl_err *err)
{
    struct sl_folder_names in = {0};
    struct sl_buf folder = {0}, path = {0};
    int rc = sl_user_folder_read(&in, &folder, "recipes", err);

    for (size_t i = 0; i < in.name.n && !rc; i++) {
        size_t n = strlen(in.name.v[i]);
        if (n <= 5 || in.name.v[i][0] == '.' || strcmp(in.name.v[i] + n - 5, ".yaml") != 0)
            continue;
        sl_buf_clear(&path);
        sl_buf_addf(&path, "%s/%s", folder.s, in.name.v[i]);
        rc = sl_recipes_add_file(set, path.s, err);
    }
    sl_buf_free(&folder);
    sl_buf_free(&path);
    sl_folder_free(&in);
    return rc;
}

int sl_recipes_add_default(struct sl_recipes *set, struct sl_err *err)
{
    int rc = 0;

    /* names first: recipes refer to them */
    for (const struct sl_embedded *e = sl_embedded_recipes; e->name && !rc; e++)
        if (!strcmp(e->name, "names.yaml"))
            rc = add_embedded(set, e, err);
    for (const struct sl_embedded *e = sl_embedded_recipes; e->name && !rc; e++)
        if (strcmp(e->name, "names.yaml"))
            rc = add_embedded(set, e, err);
    return rc ? rc : add_users(set, err);
}
