/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "cli/cli.h"

#include <string.h>

static const struct option_spec options[] = {
    {"rule", "RULE", "the links of this rule, one by one", false},
    {"doubtful", NULL, "what a rule could have linked, had it known which", false},
    {NULL, NULL, NULL, false},
};

/* By rule: how many, and between what; to be read as `spanloom bind` is: left in right. */
static const char overview_sql[] =
    "WITH l AS (SELECT kind, iif(kind = 'in', right_span, left_span) AS left_span, iif(kind = 'in', left_span, "
    "right_span) "
    "AS right_span, rule, confidence FROM links WHERE rule <> 'name'), d AS (SELECT kind, iif(kind = 'in', right_span, "
    "left_span) AS left_span, iif(kind = 'in', left_span, right_span) AS right_span, rule FROM doubts), "
    "t AS (SELECT l.kind, a.type AS left_type, b.type AS right_type, l.rule, count(*) AS links, 0 AS doubtful, "
    " min(l.confidence) AS confidence FROM l JOIN spans a ON a.id = l.left_span JOIN spans b ON b.id = l.right_span "
    " GROUP BY 1, 2, 3, 4 UNION ALL SELECT d.kind, a.type, b.type, d.rule, 0, count(DISTINCT "
    " d.left_span), NULL FROM d JOIN spans a ON a.id = d.left_span JOIN spans b ON "
    " b.id = d.right_span GROUP BY 1, 2, 3, 4) "
    "SELECT left_type, kind, right_type, rule, sum(links) AS links, sum(doubtful) AS doubtful, max(confidence) AS "
    "confidence FROM t GROUP BY 1, 2, 3, 4 ORDER BY 2, 1, 3, 4";

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
    if (!(st = cli_open(cli)))
        return EXIT_FAILED;
    if (rule && !known(st, rule)) {
        struct sl_err err = {0};
        sl_err(&err, SL_ENOTFOUND, "no rule is called %s; see them with: spanloom links, and spanloom bind", rule);
        sl_store_close(st);
        return cli_fail(cli, &err);
    }
    rc = cli_query(cli, st, cli_option(cli, "doubtful") ? doubtful_sql : rule ? list_sql : overview_sql, args);
    sl_store_close(st);
    return rc;
}

const struct command cmd_links = {"links", "", "what rules have linked, and where they are in doubt", options, run};
