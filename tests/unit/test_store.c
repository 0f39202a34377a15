/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store.h"
#include "unit.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], path[100];

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/spanloom-unit-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/s.db", folder);
    return 0;
}

static int tear_down(void **state)
{
    char journal[120];

    (void)state;
    unlink(path);
    snprintf(journal, sizeof journal, "%s-journal", path);
    unlink(journal);
    return rmdir(folder);
}

static struct sl_store *opened(enum sl_store_mode mode)
{
    struct sl_store *st;
    struct sl_err err = {0};

    if (sl_store_open(&st, path, mode, &err))
        fail_msg("%s", err.text);
    return st;
}

static void refused(enum sl_store_mode mode, int code, const char *why)
{
    struct sl_store *st = (struct sl_store *)1;
    struct sl_err err = {0};

    assert_int_equal(sl_store_open(&st, path, mode, &err), code);
    assert_null(st);
    if (!strstr(err.text, why) || !strstr(err.text, path))
        fail_msg("not '%s' but: %s", why, err.text);
    assert_int_equal(sl_store_open(&st, path, mode, NULL), code);
}

static void make(void)
{
    struct sl_store *st = opened(SL_STORE_CREATE);
    struct sl_err err = {0};

    assert_true(st->fresh);
    if (sl_store_begin(st, &err) || sl_store_commit(st, &err))
        fail_msg("%s", err.text);
    assert_false(st->fresh);
    sl_store_close(st);
}

static void sql(const char *text)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void missing_and_empty(void **state)
{
    (void)state;
    refused(SL_STORE_READ, SL_ENOTFOUND, "no store");
    refused(SL_STORE_WRITE, SL_ENOTFOUND, "spanloom import");
    assert_int_not_equal(access(path, F_OK), 0); /* looking makes nothing */
    sl_store_close(opened(SL_STORE_CREATE));
    refused(SL_STORE_READ, SL_EFORMAT, "is empty");
}

static void what_is_no_store(void **state)
{
    FILE *f = fopen(path, "w");

    (void)state;
    fputs("this is a text, and quite a long one, so that it can be no header of anything else; and on it goes", f);
    fclose(f);
    refused(SL_STORE_READ, SL_EFORMAT, "not an SQLite file");
    refused(SL_STORE_CREATE, SL_EFORMAT, "not an SQLite file");
    unlink(path);
    sql("CREATE TABLE photos(x)");
    refused(SL_STORE_READ, SL_EFORMAT, "not a Spanloom store");
    refused(SL_STORE_CREATE, SL_EFORMAT, "not a Spanloom store");
    unlink(path);
    mkdir(path, 0700);
    refused(SL_STORE_READ, SL_EIO, "is a directory");
    refused(SL_STORE_CREATE, SL_EIO, "is a directory");
    rmdir(path);
    make();
    sql("UPDATE sl_meta SET value = 99 WHERE name = 'schema'");
    refused(SL_STORE_READ, SL_EFORMAT, "newer");
}

static void all_or_nothing(void **state)
{
    struct sl_store *st;

    (void)state;
    make();
    st = opened(SL_STORE_WRITE);
    assert_int_equal(sl_store_begin(st, NULL), 0);
    assert_int_equal(sl_store_exec(st, "INSERT INTO sl_name (name) VALUES ('x')", NULL), 0);
    sl_store_rollback(st);
    assert_int_equal(sl_store_int(st, "SELECT count(*) FROM sl_name", -1), 0);
    assert_int_equal(sl_store_begin(st, NULL), 0);
    assert_int_equal(sl_store_exec(st, "INSERT INTO sl_name (name) VALUES ('x')", NULL), 0);
    sl_store_close(st); /* as if the program had died */
    st = opened(SL_STORE_READ);
    assert_int_equal(sl_store_int(st, "SELECT count(*) FROM sl_name", -1), 0);
    sl_store_close(st);
    unlink(path);
    st = opened(SL_STORE_CREATE); /* an import that fails leaves no half of a schema */
    assert_int_equal(sl_store_begin(st, NULL), 0);
    assert_true(st->fresh);
    sl_store_rollback(st);
    sl_store_close(st);
    refused(SL_STORE_READ, SL_EFORMAT, "is empty");
}

static void reading_changes_nothing(void **state)
{
    struct sl_store *st;
    struct sl_err err = {0};

    (void)state;
    make();
    st = opened(SL_STORE_READ);
    assert_int_equal(sl_store_exec(st, "INSERT INTO sl_name (name) VALUES ('x')", &err), SL_ESTORE);
    assert_non_null(strstr(err.text, "cannot write"));
    assert_null(sl_store_prepare(st, "SELECT nonsense FROM nowhere", &err));
    assert_non_null(strstr(err.text, "nowhere"));
    assert_int_equal(sl_store_int(st, "SELECT nonsense", 7), 7);
    assert_int_equal(sl_store_int(st, "SELECT NULL", 7), 7);
    assert_int_equal(sl_store_int(st, "SELECT 1 WHERE 0", 7), 7);
    assert_int_equal(sl_store_int(st, "SELECT -5", 7), -5);
    sl_store_close(st);
    sl_store_close(NULL);
}

static void column(const void *of, size_t row, int col, sqlite3_context *out)
{
    const int *base = of;

    if (col == 1)
        sqlite3_result_text(out, row % 2 ? "odd" : "even", -1, SQLITE_STATIC);
    else if (col != 2)
        sqlite3_result_int64(out, *base + (int64_t)row * 10 + col);
}

static void rows_in_bulk(void **state)
{
    struct sl_store *st;
    int base = 1000;
    struct sl_row_source rows = {5000, &base, column}, none = {0, &base, column};
    struct sl_err err = {0};

    (void)state;
    make();
    st = opened(SL_STORE_WRITE);
    assert_int_equal(sl_store_exec(st, "CREATE TEMP TABLE t(a, b, c, d, i)", NULL), 0);
    assert_int_equal(sl_store_insert(st, "INSERT INTO t SELECT c0, c1, c2, c3, c8 FROM sl_rows", &none, NULL), 0);
    assert_int_equal(sl_store_insert(st, "INSERT INTO t SELECT c0, c1, c2, c3, c8 FROM sl_rows", &rows, NULL), 0);
    assert_int_equal(sl_store_int(st, "SELECT count(*) FROM t", 0), 5000);
    assert_int_equal(sl_store_int(st, "SELECT count(*) FROM t WHERE c IS NULL AND d = a + 3 AND i = a + 8", 0), 5000);
    assert_int_equal(sl_store_int(st, "SELECT count(*) FROM t WHERE b = 'odd'", 0), 2500);
    assert_int_equal(sl_store_int(st, "SELECT sum(a) FROM t", 0), 5000 * 1000 + 10 * (5000 * 4999 / 2));
    assert_int_equal(sl_store_int(st, "SELECT count(*) FROM sl_rows", -1), 0); /* nothing stays behind */
    assert_int_equal(sl_store_exec(st, "CREATE TEMP TABLE u(a UNIQUE, b UNIQUE)", NULL), 0);
    assert_int_equal(sl_store_insert(st, "INSERT INTO u SELECT c0, c1 FROM sl_rows", &rows, &err), SL_ESTORE);
    assert_non_null(strstr(err.text, "UNIQUE"));
    sl_store_close(st);
}

/* Two spans, one in the other, in a source; names by hand. */
static const char some[] =
    "INSERT INTO sl_name (id, name) VALUES (1, 'run'), (2, 'task'), (3, 'begin'), (4, 'rule:1');"
    "INSERT INTO sl_source (id, path, recipe, component, bytes, records, used) VALUES (1, '/r/a.log', 'r', 'c', 10, 3, "
    "3);"
    "INSERT INTO sl_span (id, type, key, parent, source, note) VALUES (1, 1, 'A', NULL, 1, NULL), (2, 2, '5', 1, 1, "
    "'n'),"
    " (3, 1, 'B', NULL, 1, NULL);"
    "INSERT INTO sl_event (span, time_ns, type, source, place) VALUES (2, 1795162290537000001, 3, 1, 7),"
    " (1, -1500000000, 3, 1, 8);"
    "INSERT INTO sl_link (left_span, kind, right_span, rule, source, place) VALUES (1, 2, 3, 4, NULL, NULL), (3, 1, 2, "
    "4, 1, 9);"
    "INSERT INTO sl_shape (id, pos, name, path) VALUES (1, 0, 'host', '$[0]'), (1, 1, 'n', '$[1]');"
    "INSERT INTO sl_attr (span, shape, source, place, vals) VALUES (2, 1, 1, 7, '[\"h\",3]'), (2, 1, 1, 8, '[null,4]');"
    "INSERT INTO sl_sample (span, time_ns, shape, source, place, vals) VALUES (2, 12, 1, 1, 7, '[1.5,null]');"
    "INSERT INTO sl_reject (source, place, reason, text) VALUES (1, 3, 'bad', 'text');"
    "INSERT INTO sl_zone (id, root, since_ns, offset_s, how) VALUES (1, 1, NULL, 3600, 'learned');";

static int add_up(void *of, sqlite3_stmt *row, struct sl_err *err)
{
    char *at = of;

    (void)err;
    sprintf(at + strlen(at), "%d %s,", sqlite3_column_int(row, 0), (const char *)sqlite3_column_text(row, 1));
    return sqlite3_column_int(row, 0) == 3 ? SL_EFORMAT : 0;
}

/* Arguments by letter; the first row that fails ends it; what is wrong is said. */
static void rows_one_by_one(void **state)
{
    struct sl_store *st = opened(SL_STORE_CREATE);
    struct sl_err err = {0};
    char got[100] = "";

    (void)state;
    assert_int_equal(sl_store_exec(st, "CREATE TEMP TABLE x (a INTEGER PRIMARY KEY, b TEXT, c)", &err), 0);
    for (int64_t i = 1; i <= 4; i++)
        assert_int_equal(sl_store_run(st, "INSERT INTO x VALUES (?1, ?2, ?3)", &err, "it", i, i == 2 ? NULL : "t"), 0);
    assert_int_equal(sl_store_int(st, "SELECT count(*) FROM x WHERE c IS NULL AND (b IS NULL) = (a = 2)", 0), 4);
    assert_int_equal(sl_store_run(st, "INSERT INTO x VALUES (?1, ?2, 0)", &err, "it", (int64_t)4, "t"), SL_ESTORE);
    assert_non_null(strstr(err.text, "UNIQUE"));
    assert_int_equal(
        sl_store_each(st, "SELECT a, b FROM x WHERE b = ?2 AND a < ?1", add_up, got, &err, "it", (int64_t)3, "t"), 0);
    assert_string_equal(got, "1 t,");
    assert_int_equal(sl_store_each(st, "SELECT a, b FROM x WHERE b = 't'", add_up, got, &err, ""), SL_EFORMAT);
    assert_string_equal(got, "1 t,1 t,3 t,");
    assert_int_equal(sl_store_each(st, "SELECT nothing", add_up, got, &err, ""), SL_ESTORE);
    sl_store_close(st);
}

static void views(void **state)
{
    static const struct {
        const char *sql;
        int64_t want;
    } of[] = {
        {"SELECT count(*) FROM span", 3},
        {"SELECT count(*) FROM spans WHERE type = 'task' AND key = '5' AND parent = 1 AND note = 'n'", 1},
        {"SELECT count(*) FROM event", 2},
        {"SELECT count(*) FROM event WHERE type = 'begin' AND span_uuid = 2 AND abs(time - 1795162290.537) < 1e-6", 1},
        {"SELECT count(*) FROM (SELECT DISTINCT uuid FROM event)", 2},
        {"SELECT count(*) FROM events WHERE time = '2026-11-20T08:11:30.537000001Z' AND place = 7", 1},
        {"SELECT count(*) FROM subspan", 2},
        {"SELECT count(*) FROM subspan WHERE superspan_uuid = 1 AND subspan_uuid = 2 AND key = '5'", 1},
        {"SELECT count(*) FROM subspan WHERE superspan_uuid = 3 AND subspan_uuid = 2 AND note = 'rule:1'", 1},
        {"SELECT count(*) FROM facet WHERE left_uuid = 1 AND right_uuid = 3 AND note = 'rule:1'", 1},
        {"SELECT count(*) FROM links", 3},
        {"SELECT count(*) FROM links WHERE kind = 'in' AND rule = 'name' AND confidence = 1.0", 1},
        {"SELECT count(*) FROM attributes", 3},
        {"SELECT value FROM attributes WHERE name = 'n' AND place = 8", 4},
        {"SELECT count(*) FROM samples WHERE metric = 'host' AND value = 1.5 AND time_ns = 12", 1},
        {"SELECT count(*) FROM samples", 1},
        {"SELECT count(*) FROM rejects", 1},
        {"SELECT count(*) FROM sources", 1},
        {"SELECT count(*) FROM zones WHERE type = 'run' AND key = 'A' AND offset_s = 3600", 1},
    };
    struct sl_store *st;
    struct sl_err err = {0};
    sqlite3_stmt *q;

    (void)state;
    make();
    st = opened(SL_STORE_WRITE);
    if (sl_store_exec(st, some, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (sl_store_int(st, of[i].sql, -1) != of[i].want)
            fail_msg("%s gives %lld", of[i].sql, (long long)sl_store_int(st, of[i].sql, -1));
    q = sl_store_prepare(st, "SELECT name FROM sqlite_schema WHERE type = 'view'", NULL);
    while (sqlite3_step(q) == SQLITE_ROW) { /* each can be read to its end */
        char text[100];
        sqlite3_stmt *v;
        snprintf(text, sizeof text, "SELECT * FROM \"%s\"", sqlite3_column_text(q, 0));
        v = sl_store_prepare(st, text, &err);
        if (!v)
            fail_msg("%s", err.text);
        while (sqlite3_step(v) == SQLITE_ROW)
            ;
        assert_int_equal(sqlite3_finalize(v), SQLITE_OK);
    }
    sqlite3_finalize(q);
    sl_store_close(st);
}

/* Times before 1970 are times, too. */
static void early_times(void **state)
{
    struct sl_store *st;

    (void)state;
    make();
    st = opened(SL_STORE_WRITE);
    assert_int_equal(sl_store_exec(st, some, NULL), 0);
    assert_int_equal(
        sl_store_int(st, "SELECT time = '1969-12-31T23:59:58.500000000Z' FROM events WHERE time_ns < 0", -1), 1);
    sl_store_close(st);
}

/* As dnpcsql's import scripts write: its ids are texts made by uuid4, strings may stand in double quotes. */
static void dnpcsql_inserts(void **state)
{
    struct sl_store *st;
    struct sl_err err = {0};

    (void)state;
    make();
    st = opened(SL_STORE_WRITE);
    if (sl_store_exec(
            st,
            "INSERT INTO span (uuid, type, note) VALUES ('u-1', 'parsl.task', \"a note\"), ('u-2', 'parsl.try', NULL);"
            "INSERT INTO event (uuid, span_uuid, time, type, note) VALUES ('e-1', 'u-2', 1795162290.537001, 'begin', "
            "'x');"
            "INSERT INTO event (uuid, span_uuid, time, type, note) VALUES ('e-2', 'u-2', 1795162290.537001, 'begin', "
            "'y');"
            "INSERT INTO event VALUES ('e-3', 'u-1', 1.001001, 'end', NULL);"
            "INSERT INTO subspan (superspan_uuid, subspan_uuid, key) VALUES ('u-1', 'u-2', '0');"
            "INSERT INTO facet (left_uuid, right_uuid, note) VALUES ('u-1', 'u-2', 'z');"
            "INSERT INTO facet (left_uuid, right_uuid) VALUES ('u-1', 'u-2');",
            &err))
        fail_msg("%s", err.text);
    assert_int_equal(sl_store_int(st, "SELECT count(*) FROM span WHERE type LIKE 'parsl.%'", 0), 2);
    assert_int_equal(sl_store_int(st, "SELECT count(*) FROM span WHERE note = 'a note'", 0), 1);
    assert_int_equal(sl_store_int(st, "SELECT count(*) FROM event", 0), 3);
    assert_int_equal(
        sl_store_int(st,
                     "SELECT count(*) FROM event e JOIN span s ON s.uuid = e.span_uuid WHERE s.type = 'parsl.try' "
                     "AND e.type = 'begin' AND e.note IN ('x', 'y')",
                     0),
        2);
    assert_int_equal(sl_store_int(st, "SELECT max(time_ns) FROM events", 0), 1795162290537001000);
    assert_int_equal(
        sl_store_int(st,
                     "SELECT count(*) FROM subspan JOIN span ON uuid = subspan_uuid WHERE type = 'parsl.try' "
                     "AND key = '0'",
                     0),
        1);
    assert_int_equal(sl_store_int(st, "SELECT count(*) FROM facet", 0), 1);
    assert_int_equal(sl_store_int(st, "SELECT count(*) FROM span JOIN sl_span ON id = uuid AND key = 'u-1'", 0), 1);
    assert_int_equal(sl_store_int(st, "SELECT min(time_ns) FROM events", 0), 1001001000);
    /* ours are integers, and can be named by them */
    assert_int_equal(
        sl_store_exec(st, "INSERT INTO event SELECT 'e-4', uuid, 2.0, 'seen', NULL FROM span WHERE type = 'parsl.task'",
                      &err),
        0);
    assert_int_equal(sl_store_int(st, "SELECT count(*) FROM event WHERE type = 'seen' AND time = 2.0", 0), 1);
    assert_int_not_equal(sl_store_exec(st, "INSERT INTO span VALUES ('u-1', 'again', NULL)", &err),
                         0); /* an id twice */
    sl_store_close(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(missing_and_empty, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_store, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_or_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reading_changes_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_in_bulk, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_one_by_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(views, set_up, tear_down),
        cmocka_unit_test_setup_teardown(early_times, set_up, tear_down),
        cmocka_unit_test_setup_teardown(dnpcsql_inserts, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
