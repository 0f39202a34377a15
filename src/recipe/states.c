/* SPDX-License-Identifier: Apache-2.0 */
#include "recipe/states.h"
#include "recipe/recipe_internal.h"

#include <stdio.h>
#include <string.h>

static const char *const roles[] = {"workflow", "task",   "attempt", "worker", "executor", "manager",
                                    "block",    "script", "batch",   "job",    NULL};
static const char *const kinds[] = {"depend", "wait", "run", "work", "done", "end", NULL};

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

static void declare_role(struct sl_declaring *c, const struct sl_yaml *name, const struct sl_yaml *y)
{
    struct sl_recipes *set = c->set;

    if (!among(roles, name->text) || y->kind != SL_YAML_LIST || !y->n) {
        sl_yaml_fail(
            &c->check, name,
            "roles is a map {workflow|task|attempt|worker|executor|manager|block|script|batch|job: [span, ...]}");
        return;
    }
    for (size_t i = 0; i < y->n; i++) {
        const struct sl_yaml *a = y->item[i];
        const char *type = a->kind == SL_YAML_SCALAR ? type_of(set, a->text, a->n) : NULL;
        size_t k = 0;
        if (!type) {
            sl_yaml_fail(&c->check, a, "the role %s names a span that is not declared: %s", name->text,
                         a->kind == SL_YAML_SCALAR ? a->text : "(not a text)");
            return;
        }
        while (k < set->roles.n && strcmp(set->roles.v[k].type, type) != 0)
            k++;
        if (k == set->roles.n)
            sl_vec_add(&set->roles)->type = type;
        set->roles.v[k].role = keep(set, name->text, name->n);
    }
}

/* SPAN/EVENT, of a span that is declared; what: is what. */
static bool read_event(struct sl_declaring *c, const struct sl_yaml *y, const char *what, const char **type,
                       const char **event)
{
    const char *slash = y->kind == SL_YAML_SCALAR ? strchr(y->text, '/') : NULL;

    if (!slash || !slash[1])
        sl_yaml_fail(&c->check, y, "%s", what);
    else if (!(*type = type_of(c->set, y->text, (size_t)(slash - y->text))))
        sl_yaml_fail(&c->check, y, "%s; this span is not declared: %.*s", what, (int)(slash - y->text), y->text);
    else
        *event = keep(c->set, slash + 1, strlen(slash + 1));
    return !c->check.rc;
}

static void declare_after(struct sl_declaring *c, struct sl_phase_decl p, const struct sl_yaml *y)
{
    struct sl_recipes *set = c->set;
    size_t k = 0;

    if (!read_event(c, y, "after is a list of SPAN/EVENT", &p.span_type, &p.event_type))
        return;
    while (k < set->phases.n && (strcmp(set->phases.v[k].span_type, p.span_type) != 0 ||
                                 strcmp(set->phases.v[k].event_type, p.event_type) != 0))
        k++;
    if (k == set->phases.n)
        sl_vec_add(&set->phases);
    set->phases.v[k] = p;
}

static void declare_phase(struct sl_declaring *c, const struct sl_yaml *none, const struct sl_yaml *y)
{
    static const struct sl_yaml_key keys[] = {
        SL_YAML_KEY("state", TEXT, struct sl_phase_decl, state, .needed = true),
        SL_YAML_KEY("component", TEXT, struct sl_phase_decl, component),
        SL_YAML_KEY("kind", TEXT, struct sl_phase_decl, kind, .needed = true),
        SL_YAML_KEY("again", BOOL, struct sl_phase_decl, again),
        {.name = "after", .as = SL_YAML_ELSEWHERE, .needed = true},
    };
    struct sl_phase_decl p = {.rank = ++c->set->phase_rank};
    const struct sl_yaml *after = sl_yaml_get(y, "after");

    (void)none;
    sl_yaml_keys(&c->check, y, "a phase", keys, sizeof keys / sizeof *keys, &p);
    if (!c->check.rc && !among(kinds, p.kind))
        sl_yaml_fail(&c->check, sl_yaml_get(y, "kind"), "kind of a phase is depend, wait, run, work, done or end");
    if (!c->check.rc && (after->kind != SL_YAML_LIST || !after->n))
        sl_yaml_fail(&c->check, after, "after is a list of SPAN/EVENT");
    for (size_t i = 0; !c->check.rc && i < after->n; i++)
        declare_after(c, p, after->item[i]);
}

/* [SPAN/EVENT, SPAN/EVENT]: the first is over before the second. */
static void declare_handover(struct sl_declaring *c, const struct sl_yaml *none, const struct sl_yaml *y)
{
    static const char what[] = "a handover is [SPAN/EVENT, SPAN/EVENT]";
    struct sl_handover_decl h;

    (void)none;
    if (y->kind != SL_YAML_LIST || y->n != 2)
        sl_yaml_fail(&c->check, y, "%s", what);
    else if (read_event(c, y->item[0], what, &h.type[0], &h.event[0]) &&
             read_event(c, y->item[1], what, &h.type[1], &h.event[1]))
        *sl_vec_add(&c->set->handovers) = h;
}

void sl_states_declare(struct sl_declaring *c, const struct sl_yaml *doc)
{
    static const struct sl_declared declared[] = {
        {"roles", SL_YAML_MAP, "a map {role: [span, ...]}", declare_role},
        {"phases", SL_YAML_LIST, "a list of {state, component, kind, after}", declare_phase},
        {"handovers", SL_YAML_LIST, "a list of [SPAN/EVENT, SPAN/EVENT]", declare_handover},
    };

    sl_declare_all(c, doc, declared, sizeof declared / sizeof *declared);
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
