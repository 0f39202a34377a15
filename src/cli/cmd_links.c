/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "cli/cli.h"
#include "cli_cmd_links.sql.h"

#include <string.h>

static const struct option_spec options[] = {
    {"rule", "RULE", "the links of this rule, one by one", false},
    {"doubtful", NULL, "what a rule could have linked, had it known which", false},
    {"unresolved", NULL, "what rules would link, where no record knows the other span", false},
    {NULL, NULL, NULL, false},
};

/* A span by its type and the keys below its root. */
#define PATH(span)                                                                                                     \
    "(SELECT type FROM spans WHERE id = " span ") || ' ' || (WITH RECURSIVE up(id, n) AS (SELECT " span                \
    ", 0 UNION ALL SELECT s.parent, n + 1 FROM up JOIN spans s ON s.id = up.id WHERE s.parent IS NOT NULL AND n < "    \
    "50) SELECT "                                                                                                      \
    "group_concat(key, '/') FROM (SELECT s.key FROM up JOIN spans s ON s.id = up.id WHERE s.parent IS NOT NULL OR "    \
    "n = 0 ORDER BY n DESC))"

static const char list_sql[] = "SELECT " PATH("x") " AS \"left\", kind, " PATH(
    "y") " AS \"right\", rule, confidence, x AS left_span, y AS "
         "right_span FROM (SELECT kind, rule, confidence, iif(kind = 'in', right_span, left_span) AS x, iif(kind = "
         "'in', "
         "left_span, right_span) AS y FROM links WHERE rule = ?1) ORDER BY 6, 7";

/* One row a candidate; those of one span stand together. */
static const char doubtful_sql[] = "SELECT " PATH("x") " AS \"left\", kind, " PATH(
    "y") " AS candidate, count(*) OVER (PARTITION BY rule, x) AS "
         "candidates, rule, x AS span_id, y AS candidate_id FROM (SELECT kind, rule, iif(kind = 'in', right_span, "
         "left_span) AS x, iif(kind = 'in', left_span, right_span) AS y FROM doubts) WHERE ?1 IS NULL OR rule = ?1 "
         "ORDER BY "
         "rule, x, y";

/* By rule; sl_weak is small beside sl_link, which is only looked into for rules that wait. */
#define WAITING                                                                                                        \
    "s AS (SELECT id, type, 1 AS known FROM sl_span UNION ALL SELECT id, type, 0 FROM sl_ghost), "                     \
    "w AS (SELECT a.type AS x, w.kind, b.type AS y, w.rule, count(*) AS n, iif(max(a.known), b.type, a.type) AS "      \
    "unknown FROM sl_weak w JOIN s a ON a.id = w.left_span JOIN s b ON b.id = w.right_span WHERE NOT (a.known AND "    \
    "b.known) GROUP BY 1, 2, 3, 4) "
#define RESOLVED                                                                                                       \
    "FROM sl_link k JOIN sl_span a ON a.id = k.left_span AND a.type = w.x JOIN sl_span b ON b.id = k.right_span AND "  \
    "b.type = w.y WHERE k.kind = w.kind AND k.rule = w.rule"
#define NAME(id) "(SELECT name FROM sl_name WHERE id = " id ")"

static const char unresolved_sql[] = "WITH " WAITING "SELECT " NAME(
    "iif(kind = 1, y, x)") " AS left_type, CASE kind WHEN 1 THEN 'in' WHEN 2 THEN "
                           "'facet' WHEN 3 THEN 'after' ELSE 'flow' END AS kind, " NAME(
                               "iif(kind = 1, x, y)") " AS right_type, " NAME("rule") " AS rule, n AS unresolved, "
                                                                                      "(SELECT count(*) " RESOLVED
                                                                                      ") AS links, " NAME(
                                                                                          "unknown") " AS "
                                                                                                     "unknown_type, "
                                                                                                     "(SELECT count(*) "
                                                                                                     "FROM sl_span "
                                                                                                     "WHERE type = "
                                                                                                     "unknown) AS "
                                                                                                     "spans_of_it FROM "
                                                                                                     "w WHERE ?1 IS "
                                                                                                     "NULL OR rule = "
                                                                                                     "(SELECT id "
                                                                                                     "FROM sl_name "
                                                                                                     "WHERE name = ?1) "
                                                                                                     "ORDER BY rule, "
                                                                                                     "left_type, "
                                                                                                     "right_type";

/* Others of its type in the same span say that its kind is there: so it is the key that is wrong. */
void cli_say_unresolved(struct sl_store *st)
{
    sqlite3_stmt *q = sl_store_prepare(st,
                                       "WITH " WAITING "SELECT " NAME("rule") ", " NAME(
                                           "unknown") ", sum(n) FROM w WHERE EXISTS (SELECT 1 FROM "
                                                      "sl_ghost g JOIN sl_span o ON o.parent = g.parent AND o.type = "
                                                      "g.type WHERE g.type = unknown) AND NOT EXISTS "
                                                      "(SELECT 1 " RESOLVED ") GROUP BY rule, unknown ORDER BY 1, 2",
                                       NULL);

    while (q && sqlite3_step(q) == SQLITE_ROW)
        fprintf(stderr,
                "spanloom: %s: this rule has linked nothing: no record knows a %s that it names (%lld), though there "
                "are others beside it; see: spanloom links --unresolved -d %s\n",
                (const char *)sqlite3_column_text(q, 0), (const char *)sqlite3_column_text(q, 1),
                (long long)sqlite3_column_int64(q, 2), st->path);
    sqlite3_finalize(q);
}

static bool known(struct sl_store *st, const char *rule)
{
    char *sql = sqlite3_mprintf("SELECT 1 FROM sl_name WHERE name = %Q UNION ALL SELECT 1 FROM sl_bind WHERE name = %Q",
                                rule, rule);
    bool yes = sl_store_int(st, sql, 0) != 0;

    sqlite3_free(sql);
    return yes;
}

static int run(struct cli *cli, int argc, char **argv)
{
    const char *rule = cli_option(cli, "rule"), *args[] = {rule, NULL};
    struct sl_store *st;
    int rc;

    (void)argv;
    if (argc)
        return cli_usage(cli, "links takes no argument; name a rule with --rule");
    if (cli_option(cli, "doubtful") && cli_option(cli, "unresolved"))
        return cli_usage(cli, "links takes --doubtful or --unresolved, not both");
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    if (rule && !known(st, rule)) {
        struct sl_err err = {0};
        sl_err(&err, SL_ENOTFOUND, "no rule is called %s; see them with: spanloom links, and spanloom bind", rule);
        sl_store_close(st);
        return cli_fail(cli, &err);
    }
    rc = cli_query(cli, st,
                   cli_option(cli, "doubtful")     ? doubtful_sql
                   : cli_option(cli, "unresolved") ? unresolved_sql
                   : rule                          ? list_sql
                                                   : sql_overview,
                   args);
    sl_store_close(st);
    return rc;
}

const struct command cmd_links = {
    .name = "links",
    .args = "",
    .help = "what rules have linked, and where they are in doubt",
    .options = options,
    .run = run,
};
