/* SPDX-License-Identifier: Apache-2.0 */
#include "recipe/states.h"
#include "recipe/recipe_internal.h"

#include <stdio.h>
#include <string.h>

static const char *const roles[] = {"workflow", "task", "attempt", "worker", "executor", "batch", "job", NULL};
static const char *const kinds[] = {"depend", "wait", "run", "work", "done", NULL};

static bool among(const char *const *list, const char *s)
{
    while (*list && strcmp(*list, s) != 0)
        list++;
    return *list != NULL;
}

static const char *keep(struct sl_recipes *set, const char *s, size_t n)
{
    return sl_arena_copy(&set->arena, s, n);
}

/* The type of a span that is declared; the newest declaration counts.  NULL: there is none. */
static const char *type_of(const struct sl_recipes *set, const char *alias, size_t n)
{
    for (size_t i = set->aliases.n; i-- > 0;)
        if (strlen(set->aliases.v[i].alias) == n && !memcmp(set->aliases.v[i].alias, alias, n))
            return set->aliases.v[i].type;
    return NULL;
}

static int declare_role(struct sl_recipes *set, const char *path, const struct sl_yaml *name, const struct sl_yaml *y,
                        struct sl_err *err)
{
    if (!among(roles, name->text) || y->kind != SL_YAML_LIST || !y->n)
        return sl_err(err, SL_EFORMAT,
                      "%s:%d: roles is a map {workflow|task|attempt|worker|executor|batch|job: [span, ...]}", path,
                      name->line);
    for (size_t i = 0; i < y->n; i++) {
        const struct sl_yaml *a = y->item[i];
        const char *type = a->kind == SL_YAML_SCALAR ? type_of(set, a->text, a->n) : NULL;
        size_t k = 0;
        if (!type)
            return sl_err(err, SL_EFORMAT, "%s:%d: the role %s names a span that is not declared: %s", path, a->line,
                          name->text, a->kind == SL_YAML_SCALAR ? a->text : "(not a text)");
        while (k < set->roles.n && strcmp(set->roles.v[k].type, type) != 0)
            k++;
        if (k == set->roles.n)
            sl_vec_add(&set->roles)->type = type;
        set->roles.v[k].role = keep(set, name->text, name->n);
    }
    return 0;
}

/* One of `after`: SPAN/EVENT. */
static int declare_after(struct sl_recipes *set, struct sl_phase_decl p, const char *path, const struct sl_yaml *a,
                         struct sl_err *err)
{
    const char *slash = a->kind == SL_YAML_SCALAR ? strchr(a->text, '/') : NULL;
    size_t k = 0;

    if (!slash || !slash[1])
        return sl_err(err, SL_EFORMAT, "%s:%d: after is a list of SPAN/EVENT", path, a->line);
    p.span_type = type_of(set, a->text, (size_t)(slash - a->text));
    if (!p.span_type)
        return sl_err(err, SL_EFORMAT, "%s:%d: after names a span that is not declared: %.*s", path, a->line,
                      (int)(slash - a->text), a->text);
    p.event_type = keep(set, slash + 1, strlen(slash + 1));
    while (k < set->phases.n && (strcmp(set->phases.v[k].span_type, p.span_type) != 0 ||
                                 strcmp(set->phases.v[k].event_type, p.event_type) != 0))
        k++;
    if (k == set->phases.n)
        sl_vec_add(&set->phases);
    set->phases.v[k] = p;
    return 0;
}

static int declare_phase(struct sl_recipes *set, const char *path, const struct sl_yaml *y, struct sl_err *err)
{
    struct sl_phase_decl p = {.rank = ++set->phase_rank};
    const struct sl_yaml *after = y->kind == SL_YAML_MAP ? sl_yaml_get(y, "after") : NULL;
    int rc = 0;

    for (size_t i = 0; after && i < y->n; i++) {
        const char *key = y->key[i]->text, *v = y->item[i]->kind == SL_YAML_SCALAR ? y->item[i]->text : NULL;
        if (!v && y->item[i] != after)
            return sl_err(err, SL_EFORMAT, "%s:%d: %s must be a text", path, y->item[i]->line, key);
        if (!strcmp(key, "state"))
            p.state = keep(set, v, y->item[i]->n);
        else if (!strcmp(key, "component"))
            p.component = keep(set, v, y->item[i]->n);
        else if (!strcmp(key, "kind") && among(kinds, v))
            p.kind = keep(set, v, y->item[i]->n);
        else if (!strcmp(key, "again") && (!strcmp(v, "true") || !strcmp(v, "false")))
            p.again = !strcmp(v, "true");
        else if (y->item[i] != after)
            return sl_err(err, SL_EFORMAT,
                          "%s:%d: %s: %s is not known; a phase has state, component, kind (depend, wait, run, work or "
                          "done), again (true or false) and after",
                          path, y->key[i]->line, key, v);
    }
    if (!after || after->kind != SL_YAML_LIST || !after->n || !p.state || !p.kind)
        return sl_err(err, SL_EFORMAT, "%s:%d: a phase needs state, kind and after: [SPAN/EVENT, ...]", path, y->line);
    for (size_t i = 0; i < after->n && !rc; i++)
        rc = declare_after(set, p, path, after->item[i], err);
    return rc;
}

/* [SPAN/EVENT, SPAN/EVENT]: the first is over before the second. */
static int declare_handover(struct sl_recipes *set, const char *path, const struct sl_yaml *y, struct sl_err *err)
{
    struct sl_handover_decl h;

    if (y->kind != SL_YAML_LIST || y->n != 2)
        return sl_err(err, SL_EFORMAT, "%s:%d: a handover is [SPAN/EVENT, SPAN/EVENT]", path, y->line);
    for (int i = 0; i < 2; i++) {
        const struct sl_yaml *a = y->item[i];
        const char *slash = a->kind == SL_YAML_SCALAR ? strchr(a->text, '/') : NULL;
        if (!slash || !slash[1] || !(h.type[i] = type_of(set, a->text, (size_t)(slash - a->text))))
            return sl_err(err, SL_EFORMAT, "%s:%d: a handover is [SPAN/EVENT, SPAN/EVENT], of spans that are declared",
                          path, a->line);
        h.event[i] = keep(set, slash + 1, strlen(slash + 1));
    }
    *sl_vec_add(&set->handovers) = h;
    return 0;
}

int sl_states_declare(struct sl_recipes *set, const char *path, const struct sl_yaml *doc, struct sl_err *err)
{
    const struct sl_yaml *r = sl_yaml_get(doc, "roles"), *p = sl_yaml_get(doc, "phases");
    const struct sl_yaml *h = sl_yaml_get(doc, "handovers");
    int rc = 0;

    if (r && r->kind != SL_YAML_MAP)
        return sl_err(err, SL_EFORMAT, "%s:%d: roles is a map {role: [span, ...]}", path, r->line);
    if (p && p->kind != SL_YAML_LIST)
        return sl_err(err, SL_EFORMAT, "%s:%d: phases is a list of {state, component, kind, after}", path, p->line);
    if (h && h->kind != SL_YAML_LIST)
        return sl_err(err, SL_EFORMAT, "%s:%d: handovers is a list of [SPAN/EVENT, SPAN/EVENT]", path, h->line);
    for (size_t i = 0; r && i < r->n && !rc; i++)
        rc = declare_role(set, path, r->key[i], r->item[i], err);
    for (size_t i = 0; p && i < p->n && !rc; i++)
        rc = declare_phase(set, path, p->item[i], err);
    for (size_t i = 0; h && i < h->n && !rc; i++)
        rc = declare_handover(set, path, h->item[i], err);
    return rc;
}

/* A table that is written anew. */
struct insert {
    struct sl_store *st;
    sqlite3_stmt *q;
};

static int begin_insert(struct insert *in, struct sl_store *st, const char *schema, const char *table, int columns,
                        struct sl_err *err)
{
    char sql[120];

    snprintf(sql, sizeof sql, "DELETE FROM %s.%s", schema, table);
    if (sl_store_exec(st, sql, err))
        return SL_ESTORE;
    snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO %s.%s VALUES (%.*s)", schema, table, 2 * columns - 1,
             "?,?,?,?,?,?,?,?");
    in->st = st;
    in->q = sl_store_prepare(st, sql, err);
    return in->q ? 0 : SL_ESTORE;
}

static int insert(struct insert *in, const char *const *text, int n, struct sl_err *err)
{
    int rc;

    for (int i = 0; i < n; i++)
        sqlite3_bind_text(in->q, i + 1, text[i], -1, SQLITE_STATIC);
    rc = sl_store_step(in->st, in->q, err);
    sqlite3_reset(in->q);
    return rc;
}

static int write_states(struct sl_store *st, const char *schema, const struct sl_recipes *set, struct sl_err *err)
{
    struct insert in = {0};
    int rc = begin_insert(&in, st, schema, "sl_state", 7, err);

    for (size_t i = 0; i < set->phases.n && !rc; i++) {
        const struct sl_phase_decl *p = &set->phases.v[i];
        sqlite3_bind_int(in.q, 6, p->rank);
        sqlite3_bind_int(in.q, 7, p->again);
        rc = insert(&in, (const char *[]){p->span_type, p->event_type, p->component, p->state, p->kind}, 5, err);
    }
    sqlite3_finalize(in.q);
    return rc;
}

static int write_handovers(struct sl_store *st, const char *schema, const struct sl_recipes *set, struct sl_err *err)
{
    struct insert in = {0};
    int rc = begin_insert(&in, st, schema, "sl_handover", 4, err);

    for (size_t i = 0; i < set->handovers.n && !rc; i++) {
        const struct sl_handover_decl *h = &set->handovers.v[i];
        rc = insert(&in, (const char *[]){h->type[0], h->event[0], h->type[1], h->event[1]}, 4, err);
    }
    sqlite3_finalize(in.q);
    return rc;
}

int sl_states_write(struct sl_store *st, const char *schema, const struct sl_recipes *set, struct sl_err *err)
{
    struct insert in = {0};
    int rc = begin_insert(&in, st, schema, "sl_role", 2, err);

    for (size_t i = 0; i < set->roles.n && !rc; i++)
        rc = insert(&in, (const char *[]){set->roles.v[i].type, set->roles.v[i].role}, 2, err);
    sqlite3_finalize(in.q);
    if (!rc)
        rc = write_states(st, schema, set, err);
    return rc ? rc : write_handovers(st, schema, set, err);
}
