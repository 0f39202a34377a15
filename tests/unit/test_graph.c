/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of a store, and the table functions over it, on stores that are made in memory. */
#include "unit.h"

#include "analyse/analyse.h"
#include "analyse/load/graph.h"
#include "base/embed.h"

#include <limits.h>

static void run(sqlite3 *db, const char *sql)
{
    char *why = NULL;

    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
}

static int open_store(void **state)
{
    static const char *const schema[] = {"today.sql", "check.sql", "views.sql", "index.sql"};
    sqlite3 *db;

    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    for (size_t i = 0; i < sizeof schema / sizeof *schema; i++)
        for (const struct sl_embedded *f = sl_embedded_schema; f->name; f++)
            if (!strcmp(f->name, schema[i]))
                run(db, f->data);
    assert_int_equal(sl_analyse_register(db), SQLITE_OK);
    /* names against the order of the alphabet */
    run(db, "INSERT INTO sl_source (id, path, recipe, component) VALUES (1, 'file', 'r', 'c');"
            "INSERT INTO sl_name VALUES (10, 'task'), (9, 'try'), (8, 'work'), (7, 'begin'), (6, 'end'), (5, 'aside')");
    *state = db;
    return 0;
}

static int close_store(void **state)
{
    /* what was not finalized would keep it open */
    assert_int_equal(sqlite3_close(*state), SQLITE_OK);
    return 0;
}

/* The rows of a query, columns separated by spaces and rows by semicolons; "error: ..." where it fails.  free() it. */
static char *ask(sqlite3 *db, const char *sql)
{
    char *text = sqlite3_mprintf("");
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &q, NULL);

    while (rc == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
        for (int i = 0, n = sqlite3_column_count(q); i < n; i++) {
            const char *s = (const char *)sqlite3_column_text(q, i);
            text = sqlite3_mprintf("%z%s%s", text, s ? s : "-", i + 1 < n ? " " : ";");
        }
    if (sqlite3_errcode(db) != SQLITE_OK && sqlite3_errcode(db) != SQLITE_DONE) {
        sqlite3_free(text);
        text = sqlite3_mprintf("error: %s", sqlite3_errmsg(db));
    }
    sqlite3_finalize(q);
    return text;
}

#define assert_rows(db, sql, want)                                                                                     \
    do {                                                                                                               \
        char *got = ask(db, sql);                                                                                      \
        assert_string_equal(got, want);                                                                                \
        sqlite3_free(got);                                                                                             \
    } while (0)

static void load(sqlite3 *db, struct sl_graph *g, unsigned want)
{
    struct sl_err err = {0};

    if (sl_graph_load(g, db, want, &err))
        fail_msg("%s", err.text);
}

/* A task with a try by name and another by link, a facet, and a way back up. */
static void add_task(sqlite3 *db)
{
    run(db,
        "INSERT INTO sl_span (id, type, key, parent, source) VALUES (1, 10, 'one', NULL, 1), (2, 9, '0', 1, 1),"
        "(3, 9, '1', NULL, 1), (4, 8, 'x', 3, 1), (5, 10, 'other', NULL, 1), (6, 8, 'y', 5, 1), (7, 8, 'z', NULL, 1);"
        "INSERT INTO sl_link (left_span, kind, right_span) VALUES (1, 1, 3), (4, 1, 1), (5, 2, 1), (3, 3, 7), (7, 4, "
        "1)");
}

static void graph_holds_names_parents_and_keys(void **state)
{
    struct sl_graph g;

    add_task(*state);
    load(*state, &g, SL_GRAPH_KEYS | SL_GRAPH_PARENTS);
    assert_int_equal(g.n, 7);
    assert_string_equal(g.names.text[g.type[sl_graph_find(&g, 4)]], "work");
    assert_string_equal(g.names.text[0], "aside");
    assert_int_equal(sl_names_find(&g.names, "work"), g.names.n - 1);
    assert_int_equal(sl_names_find(&g.names, "none"), SL_NO_INDEX);
    assert_int_equal(g.parent[sl_graph_find(&g, 4)], sl_graph_find(&g, 3));
    assert_int_equal(g.parent[0], SL_NO_INDEX);
    assert_string_equal(g.key_text + g.key_at[sl_graph_find(&g, 5)], "other");
    assert_int_equal(sl_graph_find(&g, 0), SL_NO_INDEX);
    assert_int_equal(sl_graph_find(&g, 8), SL_NO_INDEX);
    sl_graph_free(&g);
}

static void closure_follows_subspans_and_facets_only(void **state)
{
    struct sl_graph g;
    struct sl_walk w;

    add_task(*state);
    load(*state, &g, 0);
    sl_walk_init(&w, &g);
    for (int again = 0; again < 2; again++) {
        sl_walk_closure(&w, 0);
        assert_int_equal(w.n, 6); /* all but 7, which is only waited for; though 4 contains 1 again */
        assert_int_equal(w.span[0], 0);
        assert_int_equal(w.depths, 3);
        assert_int_equal(w.level[0], 0);
        assert_int_equal(w.level[1], 1);
        assert_int_equal(w.level[2], 4);
        assert_int_equal(w.level[3], 6);
        sl_walk_closure(&w, sl_graph_find(&g, 7));
        assert_int_equal(w.n, 1);
    }
    w.round = UINT32_MAX; /* the marks of 4 billion closures are used up */
    sl_walk_closure(&w, 0);
    assert_int_equal(w.n, 6);
    sl_walk_free(&w);
    sl_graph_free(&g);
    assert_rows(*state, "SELECT span, depth FROM descendants(1)", "1 0;2 1;3 1;5 1;4 2;6 2;");
    assert_rows(*state, "SELECT span, depth FROM descendants(5)", "5 0;1 1;6 1;2 2;3 2;4 3;");
    assert_rows(*state, "SELECT span, root FROM descendants(1) WHERE depth > 1", "4 1;6 1;");
    assert_rows(*state, "SELECT r.id, count(*) FROM sl_span r JOIN descendants(r.id) GROUP BY 1",
                "1 6;2 1;3 6;4 6;5 6;6 1;7 1;");
}

static void links_to_nothing_and_odd_ids_do_no_harm(void **state)
{
    struct sl_graph g;

    run(*state, "INSERT INTO sl_span (id, type, key, parent, source) VALUES (-5, 10, 'a', 77, 1), (0, 9, 'b', -5, 1),"
                "(9223372036854775807, 9, 'c', -5, 1), (-9223372036854775807, 77, 'd', 0, 1);"
                "INSERT INTO sl_link (left_span, kind, right_span) VALUES (-5, 1, 1000), (1000, 1, 0), (-5, 1, 'text'),"
                "(-5, 2, -5), (0, 1, 0);"
                "INSERT INTO sl_event VALUES (-5, -3, 7, 1, 1, NULL), (-4, 0, 7, 1, 1, NULL),"
                "(9223372036854775807, 9223372036854775807, 6, 1, 1, NULL), (0, -9223372036854775807, 6, 1, 1, NULL),"
                "(0, 0, 66, 1, 1, NULL)");
    load(*state, &g, 0);
    assert_null(g.id.at);
    assert_int_equal(sl_graph_find(&g, 0), 2);
    assert_int_equal(sl_graph_find(&g, 1), SL_NO_INDEX);
    sl_graph_free(&g);
    assert_rows(*state, "SELECT * FROM descendants(-5)", "-5 0;0 1;9223372036854775807 1;-9223372036854775807 2;");
    assert_rows(*state, "SELECT position, span_type, event_type, max_s FROM event_sequences('task')",
                "1 try end 0.0;2 task begin 9223372036.85478;3 try end 9223372036.85478;");
    assert_rows(*state, "SELECT * FROM descendants(12)", "");
    assert_rows(*state, "SELECT * FROM descendants(NULL)", "");
    assert_rows(*state, "SELECT * FROM descendants('unknown')", "");
}

static void dnpcsql_inserts_are_seen(void **state)
{
    run(*state, "INSERT INTO span VALUES ('aa', 'task', NULL); INSERT INTO span VALUES ('bb', 'try', NULL);"
                "INSERT INTO span VALUES ('cc', 'task', NULL);"
                "INSERT INTO subspan VALUES ('aa', 'bb', 'k', NULL); INSERT INTO facet VALUES ('cc', 'aa', NULL);"
                "INSERT INTO event VALUES ('e1', 'aa', 1.5, 'begin', NULL); INSERT INTO event VALUES ('e2', 'bb', "
                "2.75, 'end', NULL)");
    assert_rows(*state, "SELECT depth, s.key FROM descendants('cc') d JOIN spans s ON s.id = d.span", "0 cc;1 aa;2 k;");
    assert_rows(*state, "SELECT count, span_type, event_type, mean_s, cumulative_s FROM event_sequences('task')",
                "2 task begin 0.0 0.0;2 try end 1.25 1.25;");
}

static void many_descendants_come_in_the_same_order(void **state)
{
    /* 60,000 are more than it looks up one by one */
    run(*state, "INSERT INTO sl_span (id, type, key, parent, source) VALUES (1, 10, 'r', NULL, 1);"
                "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) "
                "INSERT INTO sl_span (id, type, key, parent, source) SELECT i, 9, i, 1 + i * 7919 % (i - 1), 1 FROM n");
    assert_rows(
        *state,
        "WITH RECURSIVE d(i, depth) AS (SELECT 1, 0 UNION ALL SELECT s.id, depth + 1 FROM d JOIN sl_span s ON "
        "s.parent = i) SELECT (SELECT group_concat(i || ' ' || depth) FROM (SELECT * FROM d ORDER BY depth, i)) = "
        "(SELECT group_concat(span || ' ' || depth) FROM descendants(1)), count(*) FROM descendants(1)",
        "1 60000;");
    /* in a join it changes over between two calls */
    assert_rows(
        *state,
        "WITH RECURSIVE d(r, i) AS (SELECT id, id FROM sl_span WHERE id % 3 = 0 UNION SELECT r, s.id FROM d JOIN "
        "sl_span s ON s.parent = i) SELECT (SELECT count(*) || ',' || sum(i * r % 1009) FROM d) = (SELECT count(*) || "
        "',' || sum(d.span * s.id % 1009) FROM sl_span s JOIN descendants(s.id) d WHERE s.id % 3 = 0)",
        "1;");
}

static void equal_times_are_ordered_by_names(void **state)
{
    run(*state, "INSERT INTO sl_span (id, type, key, parent, source) VALUES (1, 10, 'a', NULL, 1), (2, 9, 'b', 1, 1);"
                "INSERT INTO sl_event VALUES (1, 50, 6, 1, 1, NULL), (1, 50, 7, 1, 2, NULL), (2, 50, 5, 1, 3, NULL),"
                "(1, 50, 6, 1, 4, NULL), (2, 20, 6, 1, 5, NULL)");
    assert_rows(*state, "SELECT position, span_type, event_type FROM event_sequences('task')",
                "1 try end;2 task begin;3 task end;4 task end;5 try aside;");
}

static void orderings_are_ranked_and_timed(void **state)
{
    /* 1 and 4: begin, end; 2: end, begin; 3: nothing; 5: begin */
    run(*state,
        "INSERT INTO sl_span (id, type, key, parent, source) VALUES (1, 10, 'a', NULL, 1), (2, 10, 'b', NULL, 1),"
        "(3, 10, 'c', NULL, 1), (4, 10, 'd', NULL, 1), (5, 10, 'e', NULL, 1);"
        "INSERT INTO sl_event VALUES (1, 1000000001, 7, 1, 1, NULL), (1, 3000000001, 6, 1, 1, NULL),"
        "(2, 5, 6, 1, 1, NULL), (2, 6, 7, 1, 1, NULL),"
        "(4, 0, 7, 1, 1, NULL), (4, 1, 6, 1, 1, NULL), (5, 1, 7, 1, 1, NULL)");
    assert_rows(*state,
                "SELECT sequence, count, position, span_type, event_type, mean_s, min_s, max_s, cumulative_s "
                "FROM event_sequences('task')",
                "1 2 1 task begin 0.0 0.0 0.0 0.0;1 2 2 task end 1.0000000005 1.0e-09 2.0 1.0000000005;"
                "2 1 0 - - - - - -;3 1 1 task begin 0.0 0.0 0.0 0.0;"
                "4 1 1 task end 0.0 0.0 0.0 0.0;4 1 2 task begin 1.0e-09 1.0e-09 1.0e-09 1.0e-09;");
    assert_rows(*state,
                "SELECT sum(count), max(sequence), max(orderings), min(roots) FROM event_sequences('task') "
                "WHERE position <= 1",
                "5 4 4 5;");
    assert_rows(*state, "SELECT n.name, count(*) FROM sl_name n JOIN event_sequences(n.name) GROUP BY 1", "task 6;");
    assert_rows(*state, "SELECT * FROM event_sequences('none')", "");
    assert_rows(*state, "SELECT * FROM event_sequences(NULL)", "");
}

/* 600 tasks of 253 years: as many nanoseconds as 15,000,000 tasks of three days. */
static void sums_do_not_overflow(void **state)
{
    run(*state, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600) "
                "INSERT INTO sl_span (id, type, key, parent, source) SELECT i, 10, i, NULL, 1 FROM n;"
                "INSERT INTO sl_event SELECT id, 0, 7, 1, 1, NULL FROM sl_span;"
                "INSERT INTO sl_event SELECT id, 8000000000000000000, 6, 1, 1, NULL FROM sl_span");
    assert_rows(*state, "SELECT count, mean_s, cumulative_s FROM event_sequences('task') WHERE position = 2",
                "600 8000000000.0 8000000000.0;");
}

static void a_scan_in_reverse_gives_the_same(void **state)
{
    char *want, *got;
    static const char sql[] = "SELECT * FROM event_sequences('task')";

    add_task(*state);
    run(*state, "INSERT INTO sl_event SELECT id, id * 3 % 5, 6 + id % 2, 1, 1, NULL FROM sl_span;"
                "INSERT INTO sl_event SELECT id, id * 7 % 5, 6 + id % 2, 1, 2, NULL FROM sl_span");
    want = ask(*state, sql);
    run(*state, "PRAGMA reverse_unordered_selects = 1");
    got = ask(*state, sql);
    assert_string_equal(got, want);
    sqlite3_free(want);
    sqlite3_free(got);
}

static void long_roots_are_sorted_too(void **state)
{
    run(*state, "INSERT INTO sl_span (id, type, key, parent, source) VALUES (1, 10, 'a', NULL, 1), (2, 9, 'b', 1, 1), "
                "(3, 8, 'c', 2, 1);"
                "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999) "
                "INSERT INTO sl_event SELECT 1 + i % 3, i * 7919 % 3001, 7, 1, i, NULL FROM n");
    assert_rows(
        *state,
        "SELECT (SELECT group_concat(type || ' ' || time_ns) FROM (SELECT s.type, time_ns FROM events e JOIN spans s "
        "ON s.id = e.span ORDER BY time_ns, s.type, e.type)) = (SELECT group_concat(span_type || ' ' || "
        "CAST(round(cumulative_s * 1e9) AS INTEGER)) FROM event_sequences('task')), count(*) FROM sl_event",
        "1 3000;");
}

static void mistakes_are_named(void **state)
{
    sqlite3 *empty;

    assert_rows(*state, "SELECT * FROM event_sequences",
                "error: event_sequences: arguments are missing; call it like event_sequences('parsl.monitoring.task')");
    assert_rows(*state, "SELECT * FROM descendants",
                "error: descendants: arguments are missing; call it like descendants(1234)");
    assert_rows(*state, "SELECT sl_query_each(1, 2) FROM sl_name", "error: sl_query_each() is for Spanloom's own use");
    assert_rows(*state, "SELECT sl_query_each() FROM sl_name", "error: sl_query_each() is for Spanloom's own use");
    sqlite3_open(":memory:", &empty);
    sl_analyse_register(empty);
    assert_rows(empty, "SELECT * FROM event_sequences('x')",
                "error: event_sequences: this database is not a Spanloom store (no such table: sl_name)");
    assert_rows(empty, "SELECT * FROM descendants(1)",
                "error: descendants: this database is not a Spanloom store (no such table: sl_span)");
    assert_int_equal(sqlite3_close(empty), SQLITE_OK);
}

static int countdown;

static int stop_later(void *to)
{
    (void)to;
    return countdown-- == 0;
}

/* Asks, and interrupts after so many steps of SQLite's machine; gives how many were left over. */
static int ask_for(sqlite3 *db, const char *sql, int steps)
{
    char *got;

    countdown = steps;
    sqlite3_progress_handler(db, 1, stop_later, NULL);
    got = ask(db, sql);
    sqlite3_progress_handler(db, 0, NULL, NULL);
    if (countdown < 0)
        assert_non_null(strstr(got, "interrupted"));
    sqlite3_free(got);
    return countdown;
}

static void it_can_be_interrupted_anywhere(void **state)
{
    enum { TRIES = SANITIZED ? 6 : 25 };
    static const char *const sql[] = {"SELECT 1 FROM event_sequences('task') LIMIT 1",
                                      "SELECT count(*) FROM descendants(1)"};

    run(*state, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 70000) "
                "INSERT INTO sl_span (id, type, key, parent, source) SELECT i, 10, i, nullif(i / 10, 0), 1 FROM n;"
                "INSERT INTO sl_event SELECT id, 0, 7, 1, 1, NULL FROM sl_span");
    for (int i = 0; i < 2; i++) {
        int steps = INT_MAX - ask_for(*state, sql[i], INT_MAX);
        for (int at = 0; at < steps; at += 1 + steps / TRIES)
            ask_for(*state, sql[i], at);
        for (int at = steps - TRIES; at < steps; at++) /* between roots */
            ask_for(*state, sql[i], at);
    }
}

static void many_orderings_are_kept_apart(void **state)
{
    /* 4,000 tasks, and 2,000 ways to order 11 events of two types: the bits of i % 2000 */
    run(*state,
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3999) "
        "INSERT INTO sl_span (id, type, key, parent, source) SELECT i, 10, i, NULL, 1 FROM n;"
        "WITH RECURSIVE b(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM b WHERE k < 10) "
        "INSERT INTO sl_event SELECT id, k * 1000, 6 + (id % 2000 >> k & 1), 1, 1, NULL FROM sl_span CROSS JOIN b");
    assert_rows(
        *state,
        "SELECT max(sequence), min(count), max(count), max(position), count(*), count(DISTINCT g) FROM (SELECT *, "
        "sum((event_type = 'end') << (position - 1)) OVER (PARTITION BY sequence) AS g FROM event_sequences('task'))",
        "2000 2 2 11 22000 2000;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_store, close_store)
        TEST(graph_holds_names_parents_and_keys),
        TEST(closure_follows_subspans_and_facets_only),
        TEST(links_to_nothing_and_odd_ids_do_no_harm),
        TEST(dnpcsql_inserts_are_seen),
        TEST(many_descendants_come_in_the_same_order),
        TEST(equal_times_are_ordered_by_names),
        TEST(orderings_are_ranked_and_timed),
        TEST(sums_do_not_overflow),
        TEST(a_scan_in_reverse_gives_the_same),
        TEST(long_roots_are_sorted_too),
        TEST(mistakes_are_named),
        TEST(it_can_be_interrupted_anywhere),
        TEST(many_orderings_are_kept_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
