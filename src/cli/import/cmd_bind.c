/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "bind/bind.h"
#include "cli/cli.h"
#include "import_cmd_bind.sql.h"
#include "recipe/span_tables.h"
#include "result/spans/find_span.h"

#include <stdlib.h>
#include <string.h>

static const struct option_spec bind_options[] = {
    {"name", "NAME", "what the rule is called (default: its first three words)"},
    {"recipe", "FILE", "also use this recipe (may be given more than once)"},
    {"dry-run", NULL, "only say how many links it would make"},
    {NULL, NULL, NULL},
};

static const struct option_spec unbind_options[] = {
    {"campaign", NULL, "RULE is the name of a campaign: its runs are no longer in it"},
    {"recipe", "FILE", "also use this recipe (may be given more than once)"},
    {NULL, NULL, NULL},
};

static int built_in(struct sl_store *st, const struct sl_recipes *set, struct sl_err *err)
{
    static const char code[] = "INSERT OR IGNORE INTO temp.built_in VALUES (?1, '(' || ?2 || ')', 'built in')";
    int rc = sl_store_exec(st, "CREATE TEMP TABLE built_in (name PRIMARY KEY, rule, origin)", err);

    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < (k ? set->orders.n : set->binds.n) && !rc; i++)
            rc = sl_store_run(st, "INSERT OR IGNORE INTO temp.built_in VALUES (?1, ?2, 'built in')", err, "tt",
                              k ? set->orders.v[i].name : set->binds.v[i].name,
                              k ? set->orders.v[i].rule : set->binds.v[i].rule);
    for (size_t i = 0; i < set->processes.n && !rc; i++)
        rc = sl_store_run(st, code, err, "tt", set->processes.v[i].bind, set->processes.v[i].says);
    for (const struct sl_bind_built_in *b = sl_bind_built_in; b->name && !rc; b++)
        rc = sl_store_run(st, code, err, "tt", b->name, b->says);
    return rc;
}

/* The store for writing, in a transaction, and the recipes. */
static int begin(struct cli *cli, struct sl_store **st, struct sl_recipes **set, struct sl_err *err)
{
    int rc = sl_store_open(st, cli->store_path, SL_STORE_WRITE, err);

    *set = sl_recipes_new();
    if (!rc)
        rc = cli_recipes(cli, *set, err);
    return rc ? rc : sl_store_begin(*st, err);
}

static int end(struct sl_store *st, struct sl_recipes *set, int rc, struct sl_err *err)
{
    if (!rc)
        rc = cli_bind_all(st, set, err);
    return rc ? rc : sl_store_commit(st, err);
}

static bool has(struct sl_store *st, const char *sql, const char *name, const char *rule)
{
    sqlite3_stmt *q = sl_store_prepare(st, sql, NULL);
    bool yes = false;

    if (q) {
        sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
        if (rule)
            sqlite3_bind_text(q, 2, rule, -1, SQLITE_STATIC);
        yes = sqlite3_step(q) == SQLITE_ROW;
    }
    sqlite3_finalize(q);
    return yes;
}

static bool is_built_in(const struct sl_recipes *set, const char *name)
{
    for (size_t i = 0; i < set->binds.n; i++)
        if (!strcmp(set->binds.v[i].name, name))
            return true;
    for (size_t i = 0; i < set->orders.n; i++)
        if (!strcmp(set->orders.v[i].name, name))
            return true;
    for (size_t i = 0; i < set->processes.n; i++)
        if (!strcmp(set->processes.v[i].bind, name))
            return true;
    for (const struct sl_bind_built_in *b = sl_bind_built_in; b->name; b++)
        if (!strcmp(b->name, name))
            return true;
    return false;
}

/* A rule of a recipe, a built-in or a user's one: do the store or the recipes know the name? */
static bool is_rule(struct sl_store *st, const struct sl_recipes *set, const char *name)
{
    return is_built_in(set, name) ||
           has(st, "SELECT 1 FROM sl_name n JOIN sl_link l ON l.rule = n.id WHERE n.name = ?1 LIMIT 1", name, NULL);
}

static void say(const struct cli *cli, struct sl_store *st, const char *name, const char *would)
{
    long long links = sl_bind_links(st, name), doubts = sl_bind_doubts(st, name);

    if (cli->format != SL_FORMAT_TABLE)
        return;
    printf("%s: %s%lld link%s", name, would, links, links == 1 ? "" : "s");
    if (doubts)
        printf(", and %lld doubtful, see: spanloom links --doubtful --rule '%s'", doubts, name);
    putchar('\n');
}

static int no_type(struct sl_store *st, const char *type, struct sl_err *err)
{
    struct sl_buf near = {0};
    int rc;

    sl_find_near_types(st, type, &near);
    rc = sl_err(err, SL_ENOTFOUND, "no type of span is called %s%s see them with: spanloom types -d %s", type,
                near.n ? near.s : ";", st->path);
    sl_buf_free(&near);
    return rc;
}

/* An end of several types is none. */
static int one_type(struct sl_store *st, const struct sl_recipes *set, const char *type, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(st, sql_types_of, err);
    size_t n = strlen(type);
    bool known = false;
    int rc = q ? 0 : SL_ESTORE;

    if (!rc) {
        sqlite3_bind_text(q, 1, type, -1, SQLITE_STATIC);
        rc = sl_store_step(st, q, err);
    }
    if (rc > 0 && sqlite3_column_int(q, 1) > 1 && !sqlite3_column_int(q, 2)) {
        rc = sl_err(err, SL_ENOTFOUND, "several types end in %s: %s; name one", type, sl_store_text(q, 0));
    } else if (rc > 0 && sqlite3_column_int(q, 1) == 0) {
        for (size_t i = 0; i < set->aliases.n; i++) {
            const char *t = set->aliases.v[i].type;
            size_t nt = strlen(t);
            known |= nt >= n && !strcmp(t + nt - n, type) && (nt == n || t[nt - n - 1] == '.');
        }
        if (known)
            cli_say("there are no spans of type %s yet", type);
        else
            rc = no_type(st, type, err);
    }
    sqlite3_finalize(q);
    return rc < 0 ? rc : 0;
}

static int bind_rule(struct cli *cli, struct sl_store *st, struct sl_recipes *set, const char *text, struct sl_err *err)
{
    struct sl_bind_rule r;
    static const char *const kind[] = {"", "in", "facet", "after", "flow"};
    char own[2 * SL_TYPE_BYTES + 20];
    const char *name = cli_option(cli, "name");
    bool dry = cli_option(cli, "dry-run");
    int rc = sl_bind_parse(&r, text, err);

    if (rc)
        return rc;
    if (!name) {
        snprintf(own, sizeof own, "%s %s %s", r.left, kind[r.kind], r.right);
        name = own;
    }
    if (!*name)
        return sl_err(err, SL_EUSAGE, "--name needs a name");
    if (has(st, "SELECT 1 FROM sl_bind WHERE name = ?1 AND rule <> ?2", name, text) || is_built_in(set, name) ||
        !strcmp(name, "name") || has(st, sql_is_rule, name, NULL))
        return sl_err(err, SL_EUSAGE, "there is a binding '%s' already; unbind it, or give this one another --name",
                      name);
    rc = sl_tables_make(st, set, err);
    if (!rc)
        rc = sl_bind_check(st, &r, err);
    for (int i = 0; i < 2 && !rc; i++)
        rc = one_type(st, set, i ? r.right : r.left, err);
    if (!rc)
        rc = sl_store_run(st, "INSERT OR REPLACE INTO sl_bind (name, rule) VALUES (?1, ?2)", err, "tt", name, text);
    if (!rc)
        rc = sl_store_run(st, "DELETE FROM sl_unbound WHERE rule = ?1", err, "t", name);
    if (!rc && dry) {
        rc = cli_bind_all(st, set, err);
        if (!rc)
            say(cli, st, name, "would make ");
        sl_store_rollback(st);
        return rc;
    }
    rc = end(st, set, rc, err);
    if (!rc)
        say(cli, st, name, "");
    return rc;
}

static int list(const struct cli *cli, struct sl_store *st, struct sl_err *err)
{
    static const struct sl_column column[] = {
        {"name", SL_COLUMN_TEXT, NULL, NULL, 0},        {"bound", SL_COLUMN_TEXT, NULL, NULL, 0},
        {"links", SL_COLUMN_INTEGER, "links", NULL, 0}, {"doubts", SL_COLUMN_INTEGER, "links", NULL, 0},
        {"origin", SL_COLUMN_TEXT, NULL, NULL, 0},      {"rule", SL_COLUMN_TEXT, NULL, NULL, 0}};
    struct sl_result r = {0};
    struct sl_table *t = sl_result_sql(&r, st, "bindings", column, SL_COLUMNS(column), sql_list, err);
    int rc = SL_ESTORE;

    if (t) {
        sqlite3_bind_text(t->query, 1, cli->format == SL_FORMAT_TABLE ? "people" : "programs", -1, SQLITE_STATIC);
        rc = sl_show_result(stdout, &r, cli->format, err);
    }
    sl_result_free(&r);
    return rc;
}

static int run_bind(struct cli *cli, int argc, char **argv)
{
    struct sl_store *st = NULL;
    struct sl_recipes *set = NULL;
    struct sl_err err = {0};
    int rc;

    if (argc > 1)
        return cli_usage(cli, "one rule, in quotes: 'TYPE in TYPE where a.COLUMN = b.COLUMN'");
    rc = begin(cli, &st, &set, &err);
    if (!rc && !argc) {
        rc = built_in(st, set, &err);
        if (!rc)
            rc = list(cli, st, &err);
        sl_store_rollback(st);
    } else if (!rc && has(st, "SELECT 1 FROM sl_unbound WHERE rule = ?1", argv[0], NULL)) {
        rc = end(st, set, sl_store_run(st, "DELETE FROM sl_unbound WHERE rule = ?1", &err, "t", argv[0]), &err);
        if (!rc)
            say(cli, st, argv[0], "");
    } else if (!rc && !strpbrk(argv[0], " \t") && is_rule(st, set, argv[0])) {
        rc = sl_err(&err, SL_ENOTFOUND, "%s is bound already", argv[0]);
    } else if (!rc && !strpbrk(argv[0], " \t")) {
        rc = cli_no_rule(st, argv[0], &err);
    } else if (!rc) {
        rc = bind_rule(cli, st, set, argv[0], &err);
    }
    sl_store_close(st);
    sl_recipes_free(set);
    return rc ? cli_fail(cli, &err) : EXIT_DONE;
}

const struct command cmd_bind = {
    .name = "bind",
    .args = "[RULE]",
    .help = "link spans by a rule, without reading logs again",
    .options = bind_options,
    .run = run_bind,
};

static int unbind(struct cli *cli, struct sl_store *st, struct sl_recipes *set, const char *name, struct sl_err *err)
{
    int64_t links = sl_bind_links(st, name);
    int rc;

    if (cli_option(cli, "campaign")) {
        if ((rc = sl_bind_drop_campaign(st, name, err)))
            return rc;
        rc = end(st, set, rc, err);
        if (!rc && cli->format == SL_FORMAT_TABLE)
            printf("campaign %s: its runs are on their own again\n", name);
        return rc;
    } else if (has(st, "SELECT 1 FROM sl_bind WHERE name = ?1", name, NULL)) {
        rc = sl_store_run(st, "DELETE FROM sl_bind WHERE name = ?1", err, "t", name);
    } else if (has(st, "SELECT 1 FROM sl_unbound WHERE rule = ?1", name, NULL)) {
        return sl_err(err, SL_ENOTFOUND, "%s is not bound; bind it again with: spanloom bind '%s'", name, name);
    } else if (is_rule(st, set, name)) {
        rc = sl_store_run(st, "INSERT OR IGNORE INTO sl_unbound VALUES (?1)", err, "t", name);
    } else {
        return cli_no_rule(st, name, err);
    }
    rc = end(st, set, rc, err);
    if (!rc && cli->format == SL_FORMAT_TABLE)
        printf("%s: %lld link%s taken away\n", name, (long long)links, links == 1 ? "" : "s");
    return rc;
}

static int run_unbind(struct cli *cli, int argc, char **argv)
{
    struct sl_store *st = NULL;
    struct sl_recipes *set = NULL;
    struct sl_err err = {0};
    int rc;

    if (argc != 1)
        return cli_usage(cli, "unbind which rule? see them with: spanloom links, and spanloom bind");
    rc = begin(cli, &st, &set, &err);
    if (!rc)
        rc = unbind(cli, st, set, argv[0], &err);
    sl_store_close(st); /* rolls back what was not committed */
    sl_recipes_free(set);
    return rc ? cli_fail(cli, &err) : EXIT_DONE;
}

const struct command cmd_unbind = {
    .name = "unbind",
    .args = "RULE",
    .help = "take away the links of a rule",
    .options = unbind_options,
    .run = run_unbind,
};
