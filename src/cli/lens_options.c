/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/lens_options.h"
#include "analyse/lens/lens.h"
#include "analyse/load/root_events.h"
#include "base/buf.h"
#include "base/near.h"
#include "cli_lens_options.sql.h"
#include "recipe/recipe.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

typedef SL_VEC(char *) texts;

static void free_texts(texts *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->v[i]);
    sl_vec_free(t);
}

struct lens_cli {
    const struct cli *cli;
    struct sl_store *st;
    char *task;  /* their type */
    texts types; /* of spans of the store, then what they become */
    size_t own;  /* so many are the store's */
    texts kinds; /* TYPE/EVENT of the store, for names that are near */
};

static bool is(const struct given *g, const char *name)
{
    return !strcmp(g->spec->name, name);
}

/* ---- what patterns mean ---- */

static int add_types(struct lens_cli *c, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(c->st, sql_add_types, err);
    int rc = q ? 0 : SL_ESTORE;

    while (!rc && (rc = sl_store_step(c->st, q, err)) > 0) {
        *sl_vec_add(&c->types) = sl_strdup(sl_store_text(q, 0));
        rc = 0;
    }
    sqlite3_finalize(q);
    c->own = c->types.n;
    c->task = sl_task_type(c->st->db, 0);
    return rc;
}

static bool ends_in(const char *type, const char *end, size_t n)
{
    size_t len = strlen(type);
    return len > n && type[len - n - 1] == '.' && !memcmp(type + len - n, end, n);
}

/* Appends pattern[0..n) with the span type that its type is a unique end of. */
static int add_pattern(struct lens_cli *c, struct sl_buf *to, const char *pattern, size_t n, struct sl_err *err)
{
    const char *slash = memchr(pattern, '/', n), *found = NULL;
    size_t len = slash ? (size_t)(slash - pattern) : n, many = 0;
    struct sl_buf all = {0};

    for (size_t i = 0; i < c->types.n && !memchr(pattern, '*', len); i++) {
        const char *type = c->types.v[i];
        if (strlen(type) == len && !memcmp(type, pattern, len)) {
            found = type;
            many = 1;
            break;
        }
        if (!ends_in(type, pattern, len))
            continue;
        sl_buf_addf(&all, " %s", type);
        if (c->task && len == 4 && !memcmp(pattern, "task", 4) && !strcmp(type, c->task)) {
            found = type; /* not what comes of one */
            many = 1;
            break;
        }
        found = type;
        many++;
    }
    if (many > 1)
        sl_err(err, SL_ENOTFOUND, "several types end in '%.*s'; say which, or '*.%.*s' for all:%s", (int)len, pattern,
               (int)len, pattern, all.s);
    sl_buf_free(&all);
    if (many > 1)
        return SL_ENOTFOUND;
    sl_buf_add(to, found ? found : pattern, found ? strlen(found) : len);
    sl_buf_add(to, pattern + len, n - len);
    return 0;
}

/* "A,B" as "A B". */
static int add_patterns(struct lens_cli *c, struct sl_buf *to, const char *s, struct sl_err *err)
{
    int rc = 0;

    for (s += strspn(s, ", "); *s && !rc; s += strspn(s, ", ")) {
        size_t n = strcspn(s, ", ");
        if (to->n)
            sl_buf_addc(to, ' ');
        rc = add_pattern(c, to, s, n, err);
        s += n;
    }
    return rc;
}

/* ---- options ---- */

/* Of the --within behind this option, or else of the last one; negative: err is filled. */
static int64_t within_ns(const struct cli *cli, int at, struct sl_err *err)
{
    const char *text = NULL;
    char *end;
    double s;

    for (int i = 0; i < cli->ngiven; i++)
        if (is(&cli->given[i], "within")) {
            text = cli->given[i].value;
            if (i > at)
                break;
        }
    if (!text)
        return SL_LENS_WITHIN_NS;
    s = strtod(text, &end);
    if (!*text || *end || !isfinite(s) || s < 0 || s > 9e9)
        return sl_err(err, SL_EUSAGE, "--within needs seconds, such as 0.1, not '%s'", text);
    return (int64_t)llround(s * 1e9);
}

static int insert(struct sl_store *st, int id, const char *kind, const struct sl_buf *what, const char *becomes,
                  int64_t within, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(
        st, "INSERT INTO temp.sl_lens (id, kind, what, becomes, within_ns) VALUES (?, ?, ?, ?, ?)", err);
    int rc;

    if (!q)
        return SL_ESTORE;
    sqlite3_bind_int(q, 1, id);
    sqlite3_bind_text(q, 2, kind, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 3, what->s ? what->s : "", -1, SQLITE_STATIC);
    if (becomes)
        sqlite3_bind_text(q, 4, becomes, -1, SQLITE_STATIC);
    if (within >= 0)
        sqlite3_bind_int64(q, 5, within);
    rc = sl_store_step(st, q, err);
    sqlite3_finalize(q);
    return rc;
}

/* The new name's type can be named by what follows. */
static int add_name(struct lens_cli *c, const char *option, const char *name, struct sl_err *err)
{
    const char *slash = strchr(name, '/');

    if (strchr(name, '*') || slash == name || (slash && !slash[1]))
        return sl_err(err, SL_EUSAGE, "--%s: '%s' is no name for events; it is TYPE/EVENT, and without a *", option,
                      name);
    *sl_vec_add(&c->types) = sl_strndup(name, strcspn(name, "/"));
    return 0;
}

static int add_option(struct lens_cli *c, int at, struct sl_err *err)
{
    const struct given *g = &c->cli->given[at];
    const char *eq = strchr(g->value, '=');
    struct sl_buf what = {0}, name = {0};
    int64_t within = -1;
    int rc = 0;

    if (!*g->value)
        rc = sl_err(err, SL_EUSAGE, "--%s needs a value: %s", g->spec->name, g->spec->value);
    else if (is(g, "ignore"))
        rc = add_pattern(c, &what, g->value, strlen(g->value), err);
    else if (!eq || eq == g->value || !eq[1])
        rc = sl_err(err, SL_EUSAGE, "--%s needs a value like %s, not '%s'", g->spec->name, g->spec->value, g->value);
    else if (is(g, "rename"))
        rc = add_pattern(c, &what, g->value, (size_t)(eq - g->value), err);
    else if ((within = within_ns(c->cli, at, err)) < 0)
        rc = (int)within;
    else
        rc = add_patterns(c, &what, eq + 1, err);
    if (!rc && !what.n)
        rc = sl_err(err, SL_EUSAGE, "--%s %s: which events? the value is %s", g->spec->name, g->value, g->spec->value);
    if (!rc && eq && !is(g, "ignore")) {
        sl_buf_adds(&name, is(g, "rename") ? eq + 1 : "");
        if (is(g, "merge"))
            sl_buf_add(&name, g->value, (size_t)(eq - g->value));
        rc = add_name(c, g->spec->name, name.s, err);
    }
    if (!rc)
        rc = insert(c->st, at + 1, g->spec->name, &what, name.s, within, err);
    sl_buf_free(&what);
    sl_buf_free(&name);
    return rc;
}

/* ---- warnings ---- */

static void near(char **names, size_t n, const char *pattern, struct sl_buf *out)
{
    size_t best[SL_NEAR];
    int k = sl_near((const char *const *)names, n, pattern, best);

    for (int i = 0; i < k; i++)
        sl_buf_addf(out, "%s %s", i ? "," : "; near it:", names[best[i]]);
}

/* What kinds of events the store has: sl_seen is quick, but only events themselves know of those that came by SQL. */
static const char *const kinds_sql[] = {
    sql_near,
    sql_near_2,
};

static int learn(struct lens_cli *c, struct sl_lens *l, const char *sql, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(c->st, sql, err);
    struct sl_buf both = {0};
    int rc = q ? 0 : SL_ESTORE;

    free_texts(&c->kinds);
    for (size_t i = 0; i < c->own; i++) /* types without events are known, too */
        sl_lens_kind(l, c->types.v[i], "");
    while (!rc && (rc = sl_store_step(c->st, q, err)) > 0) {
        const char *type = sl_store_text(q, 0), *event = sl_store_text(q, 1);
        sl_lens_kind(l, type, event);
        sl_buf_clear(&both);
        sl_buf_addf(&both, "%s/%s", type, event);
        *sl_vec_add(&c->kinds) = sl_strdup(both.s);
        rc = 0;
    }
    sqlite3_finalize(q);
    sl_buf_free(&both);
    sl_lens_close(l);
    return rc;
}

static const char *next_idle(const struct lens_cli *c, const struct sl_lens *l, int *option, size_t *at)
{
    const char *pattern = NULL;

    for (; *option < c->cli->ngiven; ++*option, *at = 0)
        if ((pattern = sl_lens_idle(l, true, *option + 1, at)))
            break;
    return pattern;
}

/* Something has this name, but a rule that comes before took it. */
static bool taken(const struct lens_cli *c, const char *pattern)
{
    bool both = strchr(pattern, '/') != NULL;
    char **names = both ? c->kinds.v : c->types.v;

    for (size_t i = 0; i < (both ? c->kinds.n : c->own); i++)
        if (sl_lens_glob(pattern, names[i]))
            return true;
    return false;
}

/* rule: "--OPTION", or "FILE: KEY". */
static void say_idle(const struct lens_cli *c, const char *rule, const char *pattern)
{
    struct sl_buf names = {0};

    if (taken(c, pattern)) {
        cli_say("%s: a rule before it leaves nothing that is called %s", rule, pattern);
        return;
    }
    for (int events = strchr(pattern, '/') != NULL, k = 0; k < 2 && !names.n; k++, events = !events)
        near(events ? c->kinds.v : c->types.v, events ? c->kinds.n : c->own, pattern, &names);
    cli_say("%s: nothing in %s is called %s%s; see: spanloom types --events -d %s", rule, c->st->path, pattern,
            names.s ? names.s : "", c->st->path);
    sl_buf_free(&names);
}

static void warn(const struct lens_cli *c, const struct sl_lens *l)
{
    char option[32];
    const char *pattern;
    size_t at = 0;

    for (int i = 0; (pattern = next_idle(c, l, &i, &at));) {
        snprintf(option, sizeof option, "--%s", c->cli->given[i].spec->name);
        say_idle(c, option, pattern);
    }
}

static int check(struct lens_cli *c, struct sl_err *err)
{
    struct sl_lens *l = NULL;
    int rc = 0;

    for (int i = 0; i < 2 && !rc; i++) {
        size_t at = 0;
        int option = 0;
        sl_lens_free(l);
        rc = sl_lens_load(&l, c->st->db, err);
        if (!rc)
            rc = learn(c, l, kinds_sql[i], err);
        if (!rc && !next_idle(c, l, &option, &at))
            break;
        if (!rc && i)
            warn(c, l);
    }
    sl_lens_free(l);
    return rc;
}

/* ---- all of it ---- */

static bool asks(const struct cli *cli, const char *lens)
{
    return cli_option(cli, "lens") && !strcmp(cli_option(cli, "lens"), lens);
}

/* temporary tables are not the store: query_only would forbid them, too */
static int make_table(struct sl_store *st, struct sl_err *err)
{
    return sl_store_exec(st, sql_make_table, err);
}

static int add_options(struct lens_cli *c, bool *patterns, struct sl_err *err)
{
    int rc = make_table(c->st, err);

    if (!rc)
        rc = add_types(c, err);
    if (!rc && asks(c->cli, "none"))
        rc = insert(c->st, 0, "none", &(struct sl_buf){0}, NULL, -1, err);
    for (int i = 0; i < c->cli->ngiven && !rc; i++) {
        const struct given *g = &c->cli->given[i];
        if (!is(g, "ignore") && !is(g, "rename") && !is(g, "merge"))
            continue;
        rc = add_option(c, i, err);
        *patterns = true;
    }
    sl_store_exec(c->st, "PRAGMA query_only = 1", NULL);
    return rc;
}

void cli_lens_say_idle(struct sl_store *st)
{
    struct lens_cli c = {.st = st};
    struct sl_lens *l = NULL;
    struct sl_buf rule = {0};
    sqlite3_stmt *q = sl_store_prepare(st, sql_of_projects, NULL);
    bool any = q && sl_store_step(st, q, NULL) > 0;

    if (any && !add_types(&c, NULL) && !sl_lens_load(&l, st->db, NULL) && !learn(&c, l, sql_near, NULL))
        do {
            const char *pattern;
            sl_buf_clear(&rule);
            sl_buf_addf(&rule, "%s: %s", sl_store_text(q, 1), sl_store_text(q, 2));
            for (size_t at = 0; (pattern = sl_lens_idle(l, false, sqlite3_column_int64(q, 0), &at));)
                say_idle(&c, rule.s, pattern);
        } while (sl_store_step(st, q, NULL) > 0);
    sqlite3_finalize(q);
    sl_lens_free(l);
    sl_buf_free(&rule);
    free_texts(&c.types);
    free(c.task);
    free_texts(&c.kinds);
}

int cli_lens(const struct cli *cli, struct sl_store *st, bool *any, struct sl_err *err)
{
    struct lens_cli c = {.cli = cli, .st = st};
    struct sl_lens *l;
    bool given = false, patterns = false;
    int rc = 0;

    *any = false;
    if (cli_option(cli, "within") && !cli_option(cli, "merge"))
        return sl_err(err, SL_EUSAGE, "--within is for --merge; that of what the store merges is its own");
    if (cli_option(cli, "lens") && !asks(cli, "none") && !asks(cli, "recipes"))
        return sl_err(err, SL_EUSAGE, "--lens is none or recipes, not '%s'", cli_option(cli, "lens"));
    for (int i = 0; i < cli->ngiven; i++)
        given |= is(&cli->given[i], "ignore") || is(&cli->given[i], "rename") || is(&cli->given[i], "merge");
    given |= asks(cli, "none");
    if (given)
        rc = add_options(&c, &patterns, err);
    if (!rc && patterns)
        rc = check(&c, err);
    if (!rc && !(rc = sl_lens_load(&l, st->db, err))) {
        *any = !sl_lens_clear(l);
        sl_lens_free(l);
    }
    if (!rc)
        rc = cli_skew(cli, st, err);
    *any |= cli_option(cli, "correct-skew") != NULL;
    free_texts(&c.types);
    free(c.task);
    free_texts(&c.kinds);
    return rc;
}

/* ---- what recipes merge ---- */

static int64_t count_of(struct sl_store *st, const char *sql, const char *text)
{
    char *q = sqlite3_mprintf(sql, text);
    int64_t n = sl_store_int(st, q, 0);

    sqlite3_free(q);
    return n;
}

/* Of how many kinds of events of these stores, or runs, a rule speaks. */
static size_t kinds_of(struct sl_store *const *st, const int64_t *within, int n, const struct sl_merge *m,
                       struct sl_err *err)
{
    char *list = sl_strdup(m->what), *save;
    SL_VEC(const char *) pattern = {0};
    texts found = {0};
    size_t kinds;

    for (char *p = strtok_r(list, " ", &save); p; p = strtok_r(NULL, " ", &save))
        *sl_vec_add(&pattern) = p;
    for (int i = 0; i < n; i++) {
        sqlite3_stmt *q = sl_store_prepare(st[i], within[i] ? sql_near_within : sql_near, err);
        struct sl_buf both = {0};
        if (q && within[i])
            sqlite3_bind_int64(q, 1, within[i]);
        while (q && sl_store_step(st[i], q, err) > 0) {
            size_t k = 0, known = 0;
            sl_buf_clear(&both);
            sl_buf_addf(&both, "%s/%s", sl_store_text(q, 0), sl_store_text(q, 1));
            while (k < pattern.n && !sl_lens_glob(pattern.v[k], both.s))
                k++;
            while (known < found.n && strcmp(found.v[known], both.s) != 0)
                known++;
            if (k < pattern.n && known == found.n)
                *sl_vec_add(&found) = sl_strdup(both.s);
        }
        sqlite3_finalize(q);
        sl_buf_free(&both);
    }
    kinds = found.n;
    free_texts(&found);
    sl_vec_free(&pattern);
    free(list);
    return kinds;
}

static int add_merge(struct sl_store *st, int id, const struct sl_merge *m, struct sl_err *err)
{
    struct sl_buf what = {0};
    int rc = make_table(st, err);

    sl_buf_adds(&what, m->what);
    if (!rc)
        rc = insert(st, id, "merge", &what, m->name, m->within_ns, err);
    sl_store_exec(st, "PRAGMA query_only = 1", NULL);
    sl_buf_free(&what);
    return rc;
}

int cli_lens_of_recipes(const struct cli *cli, struct sl_store *const *st, const int64_t *within, int n,
                        const char *type, bool *used, struct sl_err *err)
{
    const int64_t nowhere[2] = {0};
    bool wanted = !asks(cli, "none") && !cli_option(cli, "rename") && !cli_option(cli, "merge");
    struct sl_recipes *set;
    int rc;

    *used = false;
    for (int i = 0; i < n && wanted && !asks(cli, "recipes"); i++)
        wanted = count_of(st[i], sql_is_task, type) && !sl_store_int(st[i], sql_own_rules, 0);
    if (!wanted)
        return 0;
    set = sl_recipes_new();
    rc = cli_recipes_read(cli, set, err);
    for (size_t i = 0; i < set->lens.n && !rc; i++) {
        if (kinds_of(st, nowhere, n, &set->lens.v[i], err) < 2 || kinds_of(st, within, n, &set->lens.v[i], err) < 2)
            continue;
        *used = true;
        for (int k = 0; k < n && !rc; k++)
            rc = add_merge(st[k], cli->ngiven + 1 + (int)i, &set->lens.v[i], err);
    }
    sl_recipes_free(set);
    return rc;
}

const char cli_lens_says[] = "what several logs tell of one moment is one event (--lens none: as they are)";
