/* SPDX-License-Identifier: Apache-2.0 */
/* The set of recipes: where they come from, and the names they share.  compile.c binds and compiles them. */
#include "recipe/recipe.h"
#include "base/buf.h"
#include "base/embed.h"
#include "base/files/user_folder.h"
#include "base/hash.h"
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

static const char *text_or_none(const struct sl_yaml *y)
{
    return y->kind == SL_YAML_SCALAR ? y->text : "(not a text)";
}

static void declare_span(struct sl_declaring *c, const struct sl_yaml *alias, const struct sl_yaml *y)
{
    static const struct sl_yaml_key keys[] = {
        SL_YAML_KEY("type", TEXT, struct sl_alias_decl, type),    SL_YAML_KEY("key", TEXT, struct sl_alias_decl, key),
        SL_YAML_KEY("or", TEXT, struct sl_alias_decl, otherwise), SL_YAML_KEY("in", TEXT, struct sl_alias_decl, in),
        SL_YAML_KEY("path", TEXT, struct sl_alias_decl, path),
    };
    struct sl_recipes *set = c->set;
    struct sl_alias_decl d = {.only = c->only};
    char where[300];

    sl_yaml_keys(&c->check, y, "a span", keys, sizeof keys / sizeof *keys, &d);
    if (d.path && y->n > 1)
        sl_yaml_fail(&c->check, y, "span %s: path says all; nothing stands beside it", alias->text);
    if (d.path)
        d.type = d.key = "";
    if (!d.type || !d.key)
        sl_yaml_fail(&c->check, y, "span %s needs a type and a key", alias->text);
    for (size_t i = 0; i < set->aliases.n; i++)
        if (set->aliases.v[i].only == c->only && !strcmp(set->aliases.v[i].alias, alias->text))
            sl_yaml_fail(&c->check, y, "span %s is declared already in %s", alias->text, set->aliases.v[i].where);
    if (c->check.rc)
        return;
    d.alias = keep(set, alias->text);
    snprintf(where, sizeof where, "%s:%d", c->check.path, y->line);
    d.where = keep(set, where);
    *sl_vec_add(&set->aliases) = d;
}

static void declare_field(struct sl_declaring *c, const struct sl_yaml *name, const struct sl_yaml *y)
{
    if (strcmp(text_or_none(y), "int") != 0)
        sl_yaml_fail(&c->check, y, "fields is a map of names to 'int' (all others are texts)");
    *sl_vec_add(&c->set->ints) = (struct sl_int_decl){keep(c->set, name->text), c->only};
}

static void declare_shared(struct sl_declaring *c, const struct sl_yaml *name, const struct sl_yaml *y)
{
    *sl_vec_add(&c->set->shared) =
        (struct sl_shared_field){keep(c->set, name->text), sl_yaml_text(&c->check, y, "the scope of a shared field")};
}

/* The first declaration of an alias; NULL: there is none. */
static const struct sl_alias_decl *find_alias(const struct sl_recipes *set, const struct sl_yaml *y)
{
    for (size_t i = 0; i < set->aliases.n && y->kind == SL_YAML_SCALAR; i++)
        if (!strcmp(set->aliases.v[i].alias, y->text))
            return &set->aliases.v[i];
    return NULL;
}

static bool is_pair(const struct sl_yaml *y)
{
    return y && y->kind == SL_YAML_LIST && y->n == 2;
}

static void declare_facet(struct sl_declaring *c, const struct sl_yaml *none, const struct sl_yaml *y)
{
    const struct sl_yaml *pair = y->kind == SL_YAML_LIST ? y : sl_yaml_get(y, "pair"), *under = sl_yaml_get(y, "under");
    struct sl_recipes *set = c->set;
    uint32_t type[4] = {0};
    char rule[200];

    (void)none;
    if (!is_pair(pair) || (under && !is_pair(under)) || (y->kind == SL_YAML_MAP && y->n != (under ? 2u : 1u))) {
        sl_yaml_fail(&c->check, y, "a facet rule is [a, b] or {pair: [a, b], under: [c, d]}");
        return;
    }
    for (int i = 0; i < (under ? 4 : 2); i++) {
        const struct sl_yaml *part = i < 2 ? pair->item[i] : under->item[i - 2];
        const struct sl_alias_decl *d = NULL;
        for (size_t k = 0; k < set->aliases.n; k++) /* the newest counts */
            if (!strcmp(set->aliases.v[k].alias, text_or_none(part)))
                d = &set->aliases.v[k];
        if (!d) {
            sl_yaml_fail(&c->check, part, "facet names a span that is not declared: %s", text_or_none(part));
            return;
        }
        type[i] = sl_intern(&set->names, d->type, strlen(d->type));
    }
    snprintf(rule, sizeof rule, "merge %s = %s", pair->item[0]->text, pair->item[1]->text);
    *sl_vec_add(&set->facets) =
        (struct sl_facet_rule){type[0], type[1], type[2], type[3], sl_intern(&set->names, rule, strlen(rule))};
}

static void declare_table(struct sl_declaring *c, const struct sl_yaml *name, const struct sl_yaml *y)
{
    struct sl_recipes *set = c->set;
    struct sl_table_decl t = {.name = keep(set, name->text)};
    size_t i = 0;

    if (y->kind != SL_YAML_LIST || !y->n || y->n > sizeof t.alias / sizeof *t.alias) {
        sl_yaml_fail(&c->check, y, "table %s needs a list of up to %zu spans", name->text,
                     sizeof t.alias / sizeof *t.alias);
        return;
    }
    for (size_t k = 0; k < y->n; k++) {
        if (!find_alias(set, y->item[k]))
            sl_yaml_fail(&c->check, y->item[k], "table %s names a span that is not declared: %s", name->text,
                         text_or_none(y->item[k]));
        t.alias[t.n++] = keep(set, text_or_none(y->item[k]));
    }
    while (i < set->tables.n && strcmp(set->tables.v[i].name, t.name) != 0)
        i++;
    if (i == set->tables.n)
        sl_vec_add(&set->tables);
    set->tables.v[i] = t; /* the later one counts, as with recipes */
}

/* Rules that several recipes have: a list, compiled in each that includes them; the later of a name counts. */
static void declare_rules(struct sl_declaring *c, const struct sl_yaml *name, const struct sl_yaml *y)
{
    struct sl_recipes *set = c->set;
    size_t i = 0;

    if (y->kind != SL_YAML_LIST || !y->n)
        sl_yaml_fail(&c->check, y, "rules %s is a list, as records are", name->text);
    while (i < set->rules.n && strcmp(set->rules.v[i].name, name->text) != 0)
        i++;
    if (i == set->rules.n)
        sl_vec_add(&set->rules);
    set->rules.v[i] = (struct sl_rules_decl){keep(set, name->text), y};
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
static void declare_bind(struct sl_declaring *c, const struct sl_yaml *name, const struct sl_yaml *y)
{
    const struct sl_yaml *rule = y->kind == SL_YAML_MAP ? sl_yaml_get(y, "rule") : y, *left = sl_yaml_get(y, "left"),
                         *right = sl_yaml_get(y, "right"), *list = sl_yaml_get(y, "roots");
    struct sl_recipes *set = c->set;
    struct sl_bind_roots roots = {0};
    struct sl_bind_rule r;
    struct sl_err why = {0};
    char *text;

    if (!rule || rule->kind != SL_YAML_SCALAR || !left != !right ||
        (y->kind == SL_YAML_MAP && y->n != 1u + (left ? 2 : 0) + (list != NULL)) ||
        (left && (left->kind != SL_YAML_SCALAR || right->kind != SL_YAML_SCALAR))) {
        sl_yaml_fail(&c->check, y, "binding %s is a rule, or {rule, left, right, roots}", name->text);
        return;
    }
    if (list && declare_roots(set, &roots, list))
        sl_yaml_fail(&c->check, list, "roots of binding %s is a list of one to four spans that lie in none",
                     name->text);
    text = sl_arena_copy(&set->arena, rule->text, rule->n);
    for (char *s = text; *s; s++) /* a folded text of YAML keeps some line ends */
        *s = *s == '\n' ? ' ' : *s;
    if (sl_bind_parse(&r, text, &why))
        sl_yaml_fail(&c->check, rule, "binding %s: %s", name->text, why.text);
    for (size_t i = 0; i < set->binds.n; i++)
        if (!strcmp(set->binds.v[i].name, name->text)) {
            set->binds.v[i].rule = text;
            set->binds.v[i].roots = roots;
            return;
        }
    if (left)
        *sl_vec_add(&set->orders) = (struct sl_sequence_decl){keep(set, name->text), text, keep(set, left->text),
                                                              keep(set, right->text), roots};
    else
        *sl_vec_add(&set->binds) = (struct sl_bind_decl){keep(set, name->text), text, roots};
}

static void read_variables(struct sl_yaml_check *c, const struct sl_yaml *y, void *process)
{
    struct sl_process_decl *d = process;

    if (y->kind != SL_YAML_LIST || !y->n || y->n > SL_PROCESS_VARIABLES)
        sl_yaml_fail(c, y, "variables of processes is a list of one to four names");
    for (size_t i = 0; !c->rc && i < y->n; i++)
        d->variable[d->n++] = sl_yaml_text(c, y->item[i], "a variable");
}

/* {bind, says, variables: [NAME, ...], spans: a SELECT, pids: another, of the workers that run these}. */
static void declare_process(struct sl_declaring *c, const struct sl_yaml *none, const struct sl_yaml *y)
{
    static const struct sl_yaml_key keys[] = {
        SL_YAML_KEY("bind", TEXT, struct sl_process_decl, bind, .needed = true),
        SL_YAML_KEY("says", TEXT, struct sl_process_decl, says, .needed = true),
        {.name = "variables", .as = SL_YAML_READ, .needed = true, .read = read_variables},
        SL_YAML_KEY("spans", TEXT, struct sl_process_decl, spans, .needed = true),
        SL_YAML_KEY("pids", TEXT, struct sl_process_decl, pids),
    };
    struct sl_process_decl d = {0};

    (void)none;
    sl_yaml_keys(&c->check, y, "an item of processes", keys, sizeof keys / sizeof *keys, &d);
    if (!c->check.rc)
        *sl_vec_add(&c->set->processes) = d;
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

static int declare(struct sl_recipes *set, const struct sl_recipe *only, const char *path, const struct sl_yaml *doc,
                   struct sl_err *err)
{
    static const struct sl_declared declared[] = {
        /* what names another is behind it */
        {"spans", SL_YAML_MAP, "a map {alias: {type, key, in}}", declare_span},
        {"fields", SL_YAML_MAP, "a map of names to 'int' (all others are texts)", declare_field},
        {"facets", SL_YAML_LIST, "a list of pairs of spans", declare_facet},
        {"shared", SL_YAML_MAP, "a map {field: scope}", declare_shared},
        {"tables", SL_YAML_MAP, "a map {name: [span, ...]}", declare_table},
        {"binds", SL_YAML_MAP, "a map {name: rule}", declare_bind},
        {"rules", SL_YAML_MAP, "a map {name: [rule, ...]}", declare_rules},
        {"processes", SL_YAML_LIST, "a list of {bind, says, variables, spans, pids}", declare_process},
    };
    struct sl_declaring c = {.check = {.path = path, .err = err, .arena = &set->arena}, .set = set, .only = only};

    sl_declare_all(&c, doc, declared, sizeof declared / sizeof *declared);
    sl_merges_parse(&c.check, sl_yaml_get(doc, "lens"), "lens", &set->arena, add_merge, set);
    sl_states_declare(&c, doc);
    return c.check.rc;
}

void sl_declare_all(struct sl_declaring *c, const struct sl_yaml *doc, const struct sl_declared *d, size_t n)
{
    for (; n && !c->check.rc; d++, n--) {
        const struct sl_yaml *y = sl_yaml_get(doc, d->key);
        if (y && y->kind != d->kind && (y->n || y->kind != SL_YAML_SCALAR)) /* nothing is no item */
            sl_yaml_fail(&c->check, y, "%s is %s", d->key, d->is);
        for (size_t i = 0; y && i < y->n && !c->check.rc; i++)
            d->declare(c, y->kind == SL_YAML_MAP ? y->key[i] : NULL, y->item[i]);
    }
}

/* ---- files ---- */

/* doc: what text says, or all that is needed of it. */
static int add(struct sl_recipes *set, const char *path, struct sl_yaml *doc, const char *text, size_t n, bool tried,
               struct sl_err *err)
{
    struct sl_yaml_check c = {.path = path, .err = err, .arena = &set->arena};
    struct sl_recipe *r;

    *sl_vec_add(&set->docs) = doc;
    path = keep(set, path);
    if (doc->kind != SL_YAML_MAP)
        return sl_err(err, SL_EFORMAT, "%s:1: a recipe is a map that begins with recipe: NAME", path);
    if (!sl_yaml_get(doc, "recipe")) {
        sl_yaml_known_keys(&c, doc, "a file of names (a recipe begins with recipe: NAME)",
                           " spans rules fields facets shared tables binds processes roles phases handovers lens ");
        if (c.rc)
            return c.rc;
        return declare(set, NULL, path, doc, err);
    }
    r = sl_alloc(sizeof *r);
    r->path = path;
    r->yaml = doc;
    r->set = set;
    r->tried = tried;
    r->text = tried ? text : sl_arena_copy(&set->arena, text, n); /* ours stands in the program */
    snprintf(r->hash, sizeof r->hash, "%016llx", (unsigned long long)sl_hash(text, n));
    r->name = sl_yaml_text(&c, sl_yaml_get(doc, "recipe"), "recipe");
    if (c.rc) {
        free(r);
        return c.rc;
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
