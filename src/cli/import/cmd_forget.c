/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "base/mem.h"
#include "base/near.h"
#include "bind/bind.h"
#include "cli/cli.h"
#include "import_cmd_forget.sql.h"
#include "store/dedup.h"
#include "store/retract.h"

#include <stdlib.h>
#include <string.h>

static const struct option_spec options[] = {
    {"replaced", NULL, "all older versions of files that were replaced since"},
    {NULL, NULL, NULL},
};

/* ---- which ---- */

/* "./a//b/./c/" as "a/b/c". */
static void tidy(struct sl_buf *out, const char *path)
{
    for (const char *s = path; *s;) {
        size_t n = strcspn(s, "/");
        if (n > 1 || (n && *s != '.')) {
            if (out->n || *path == '/')
                sl_buf_addc(out, '/');
            sl_buf_add(out, s, n);
        }
        s += n + (s[n] == '/');
    }
    sl_buf_adds(out, "");
}

/* Without links and "..", as far as there is something of that name; what is gone keeps the rest of its name. */
static void resolve(struct sl_buf *out, const char *path)
{
    char *real = *path ? realpath(path, NULL) : NULL, *above;
    const char *slash = strrchr(path, '/');

    if (real) {
        sl_buf_adds(out, strcmp(real, "/") != 0 ? real : "");
    } else if (slash) {
        above = sl_strndup(path, (size_t)(slash - path));
        resolve(out, above);
        sl_buf_add_utf8(out, slash, strlen(slash)); /* as the store has it */
        free(above);
    }
    free(real);
}

/* A source as the user may call it: as import names files, and by the end of its path. */
struct called {
    struct sl_buf end, path, link; /* link: a link to a file that lay in a folder, whose own name import keeps */
};

static void call(struct called *c, const char *given)
{
    struct sl_buf whole = {0};
    char *here = *given == '/' ? NULL : realpath(".", NULL), *slash;

    tidy(&c->end, given);
    sl_buf_addf(&whole, "%s%s%s", here ? here : "", here && c->end.n ? "/" : "", c->end.s);
    resolve(&c->path, whole.s);
    sl_buf_adds(&c->path, "");
    if ((slash = strrchr(whole.s, '/'))) {
        *slash = 0;
        resolve(&c->link, whole.s);
        sl_buf_addf(&c->link, "/%s", slash + 1);
    }
    sl_buf_adds(&c->link, "");
    sl_buf_free(&whole);
    free(here);
}

static void uncall(struct called *c)
{
    sl_buf_free(&c->end);
    sl_buf_free(&c->path);
    sl_buf_free(&c->link);
}

/* Fills temp.sl_retracted; the number of sources, or negative. */
static int64_t choose(struct sl_store *st, const char *where, const char *a, const char *b, struct sl_err *err)
{
    char *sql =
        sqlite3_mprintf("INSERT INTO temp.sl_retracted SELECT id, -1 FROM sl_source WHERE id > 0 AND (%s)", where);
    sqlite3_stmt *q = sl_store_prepare(st, sql, err);
    int64_t n = SL_ESTORE;

    sqlite3_free(sql);
    if (q) {
        sqlite3_bind_text(q, 1, a, -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 2, b, -1, SQLITE_STATIC);
        n = sqlite3_step(q) == SQLITE_DONE ? sqlite3_changes64(st->db) : sl_store_err(st, "cannot write", err);
    }
    sqlite3_finalize(q);
    return n;
}

static int none(struct sl_store *st, const char *given, const char *end, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(st, "SELECT DISTINCT path FROM sl_source WHERE id > 0 ORDER BY path", NULL);
    const char *last = strrchr(end, '/');
    SL_VEC(char *) paths = {0};
    SL_VEC(const char *) names = {0};
    size_t best[SL_NEAR];
    struct sl_buf list = {0};
    int rc, n;

    while (sl_store_step(st, q, NULL) > 0) {
        *sl_vec_add(&paths) = sl_strdup((const char *)sqlite3_column_text(q, 0));
        last = strrchr(paths.v[paths.n - 1], '/');
        *sl_vec_add(&names) = last ? last + 1 : paths.v[paths.n - 1];
    }
    sqlite3_finalize(q);
    last = strrchr(end, '/');
    n = sl_near(names.v, names.n, last ? last + 1 : end, best);
    for (int i = 0; i < n; i++)
        sl_buf_addf(&list, "%s%s", i ? ", " : "; near it: ", paths.v[best[i]]);
    rc = sl_err(err, SL_ENOTFOUND,
                "no source is called %s%s; see them with: spanloom sql -d %s 'select id, path from sources'", given,
                list.n ? list.s : "", st->path);
    for (size_t i = 0; i < paths.n; i++)
        free(paths.v[i]);
    sl_vec_free(&paths);
    sl_vec_free(&names);
    sl_buf_free(&list);
    return rc;
}

/* The end of several paths is none. */
static int one_path(struct sl_store *st, const char *end, struct sl_err *err)
{
    enum { LISTED = 5 };
    sqlite3_stmt *q = sl_store_prepare(st, sql_one_path, err);
    struct sl_buf list = {0};
    int rc = q ? 0 : SL_ESTORE, n = 0;

    while (!rc && (rc = sl_store_step(st, q, err)) > 0) {
        if (n++ < LISTED)
            sl_buf_addf(&list, "\n  %s", (const char *)sqlite3_column_text(q, 0));
        rc = 0;
    }
    sqlite3_finalize(q);
    if (!rc && n > LISTED)
        sl_buf_addf(&list, "\n  and %d more: spanloom sql -d %s 'select id, path from sources'", n - LISTED, st->path);
    if (!rc && n > 1)
        rc = sl_err(err, SL_ENOTFOUND, "%d sources end in %s; say which, by more of its path or by its id:%s", n, end,
                    list.s);
    sl_buf_free(&list);
    return rc;
}

/* The whole path, that of a folder, or the id; or else the end of one. */
static int64_t choose_called(struct sl_store *st, const char *given, struct sl_err *err)
{
    static const char at[] = "path IN (?1, ?2) OR substr(path, 1, length(?1) + 1) = ?1 || '/' OR substr(path, 1, "
                             "length(?2) + 1) = ?2 || '/'",
                      id[] = "CAST(id AS TEXT) = ?1 AND ?2 = ''",
                      end[] = "substr(path, -length(?1) - 1) = '/' || ?1 AND ?2 = ''";
    struct called c = {0};
    int64_t n;

    call(&c, given);
    n = choose(st, at, c.path.s, c.link.s, err);
    if (!n)
        n = choose(st, id, given, "", err);
    if (!n && c.end.n && (n = choose(st, end, c.end.s, "", err)) > 0) {
        int rc = one_path(st, c.end.s, err);
        n = rc ? rc : n;
    }
    if (!n)
        n = none(st, given, c.end.s, err);
    uncall(&c);
    return n;
}

static int forget(const struct cli *cli, struct sl_store *st, const struct sl_recipes *set, const char *which,
                  struct sl_err *err)
{
    int rc = sl_store_begin(st, err);
    int64_t n = 0, moved;

    if (rc)
        return rc;
    rc = sl_retract_begin(st, err);
    if (!rc) /* what is inferred from what goes, goes */
        rc = sl_retract_bindings(st, err);
    if (!rc) {
        n = which ? choose_called(st, which, err) : choose(st, "replaced_by IS NOT NULL", NULL, NULL, err);
        rc = n < 0 ? (int)n : 0;
    }
    if (!rc)
        rc = sl_retract_rows(st, &moved, err);
    if (!rc)
        rc = sl_retract_spans(st, err);
    if (!rc)
        rc = sl_store_exec(st, sql_sources, err);
    if (!rc)
        rc = sl_dedup_part(st, &moved, err);
    if (!rc)
        rc = sl_retract_end(st, err);
    if (!rc)
        rc = cli_bind_all(st, set, err);
    if (rc)
        sl_store_rollback(st);
    else
        rc = sl_store_commit(st, err);
    if (!rc && cli->format == SL_FORMAT_TABLE)
        printf("%lld source%s forgotten\n", (long long)n, n == 1 ? "" : "s");
    return rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct sl_store *st;
    struct sl_recipes *set;
    struct sl_err err = {0};
    bool replaced = cli_option(cli, "replaced");
    int rc;

    if (argc != !replaced || (argc && !*argv[0]))
        return cli_usage(cli,
                         replaced ? "--replaced takes no further argument" : "forget which source? a path, or its id");
    rc = sl_store_open(&st, cli->store_path, SL_STORE_WRITE, &err);
    if (!rc) {
        set = sl_recipes_new();
        rc = cli_recipes(cli, set, &err);
        if (!rc)
            rc = forget(cli, st, set, replaced ? NULL : argv[0], &err);
        sl_recipes_free(set);
        sl_store_close(st);
    }
    return rc ? cli_fail(cli, &err) : EXIT_DONE;
}

const struct command cmd_forget = {
    .name = "forget",
    .args = "SOURCE",
    .help = "drop what a source asserted",
    .options = options,
    .run = run,
};
