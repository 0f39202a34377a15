/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores that no import made: the input says what is done to one that was imported, a few bytes for each damage, and
 * which command is asked of it then (0: each of them).  A command ends soon, with a result or with a message that is
 * ours.
 */
#include "fuzz.h"
#include "store/store.h"

#include <dirent.h>
#include <fcntl.h>

int spanloom_main(int argc, char **argv);

enum { WORDS = 8, CELLS = 300, TABLES = 60, DAMAGES = 16, MANY = 20000 };

/* STORE is replaced; those from WRITING on change it. */
static const char *const commands[][WORDS] = {
    {"info"},
    {"types", "--events"},
    {"sequences", "--all", "parsl.rundir.task"},
    {"durations", "pending", "running", "parsl.rundir.task"},
    {"durations", "--list", "pending", "running", "parsl.rundir.task"},
    {"states", "parsl.rundir.task"},
    {"states", "--correct-skew", "--bin", "1", "workqueue.task"},
    {"rate", "running"},
    {"utilisation", "workqueue.worker"},
    {"critical-path"},
    {"critical-path", "--slack"},
    {"what-if", "* x0.5"},
    {"skew"},
    {"diff", "STORE", "STORE"},
    {"graph"},
    {"show", "parsl.rundir.task", "1"},
    {"show", "--lines", "workqueue.task", "1"},
    {"events", "parsl.rundir.task"},
    {"events", "--lines", "workqueue.task"},
    {"links"},
    {"links", "--doubtful"},
    {"bind"},
    {"rejects"},
    {"rejects", "--summary"},
    {"profile", "--tree"},
    {"profile", "--flat", "--by", "thread"},
    {"sql",
     "SELECT * FROM spans; SELECT * FROM events; SELECT * FROM links; SELECT * FROM attributes; SELECT * FROM samples"},
    {"sql",
     "SELECT * FROM descendants(1); SELECT * FROM event_sequences('parsl.rundir.task'); SELECT * FROM lens_events(1)"},
#define WRITING 28
    {"bind", "htex_worker in parsl_task where a.key > 0"},
    {"unbind", "mine"},
    {"forget", "--replaced"},
    {"forget", "tests/data/workqueue-bare/my.tr.log"},
    {"import", "--quiet", "--jobs", "1", "tests/data/taskvine"},
    {"import", "--quiet", "--jobs", "1", "tests/data/workqueue-bare"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const char *const odd[] = {"NULL",
                                  "1.5",
                                  "'x'",
                                  "x'00ff41'",
                                  "-5",
                                  "9223372036854775807",
                                  "-9223372036854775808",
                                  "4294967297",
                                  "9e999",
                                  "''",
                                  "0",
                                  "1",
                                  "2",
                                  "CAST(x'610062' AS TEXT)",
                                  "CAST(x'fffe41' AS TEXT)",
                                  "printf('%.*c', 3000, 'y')",
                                  "9223372036854775806 - abs(random() % 3)",
                                  "random()",
                                  "3999999999",
                                  "16777215"};

static char dir[64], store[96], spoilt[96];
static uint8_t *good;
static size_t good_n;
static struct cell {
    char table[40], column[40];
} cells[CELLS];
static char tables[TABLES][40];
static int ncells, ntables;

/* ---- the commands ---- */

/* Exit code; what it says must be ours. */
static int command(const char *const *words, const char *at)
{
    char *copy[WORDS + 3] = {strdup("spanloom")}, *said = NULL;
    size_t n = 0;
    int argc = 1, rc;
    FILE *real = stderr;

    for (; argc <= WORDS && words[argc - 1]; argc++)
        copy[argc] = strdup(strcmp(words[argc - 1], "STORE") ? words[argc - 1] : at);
    copy[argc++] = strdup("-d");
    copy[argc++] = strdup(at);
    stderr = open_memstream(&said, &n);
    char *argv[WORDS + 4];
    memcpy(argv, copy, sizeof copy);
    argv[argc] = NULL;
    rc = spanloom_main(argc, argv);
    fclose(stderr);
    stderr = real;
    if (rc < 0 || rc > 3 || (rc && !strstr(said, "spanloom: "))) {
        fprintf(stderr, "spanloom %s: exit %d: %s\n", words[0], rc, said);
        abort();
    }
    free(said);
    for (int i = 0; i < argc; i++)
        free(copy[i]);
    return rc;
}

/* ---- the store ---- */

static void run(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(db));
        abort();
    }
}

/* What damage may be done to, and no constraint in its way. */
static void open_up(void)
{
    sqlite3 *db;
    sqlite3_stmt *q;

    MUST(sqlite3_open(store, &db) == SQLITE_OK);
    run(db, "INSERT INTO sl_lens VALUES (1, 'rename', 'parsl.rundir.task/pending', 'began', NULL, NULL), (2, 'merge', "
            "'workqueue.task/*', 'any', 5, NULL);"
            "INSERT OR IGNORE INTO sl_reject VALUES (1, 1, 'bad', 'x'); INSERT INTO sl_bind VALUES ('mine', "
            "'parsl_task after parsl_task where a.key = b.key + 1', NULL);"
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(replace(replace(sql, ' NOT NULL', "
            "''), ' TEXT,', ','), ' TEXT' || char(10), char(10)) "
            "WHERE type = 'table' AND name GLOB 'sl_*'; PRAGMA writable_schema = RESET; VACUUM");
    MUST(sqlite3_prepare_v2(db,
                            "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = "
                            "'table' AND t.name GLOB 'sl_*' ORDER BY 1, 2",
                            -1, &q, NULL) == SQLITE_OK);
    for (; sqlite3_step(q) == SQLITE_ROW && ncells < CELLS; ncells++) {
        snprintf(cells[ncells].table, 40, "%s", (const char *)sqlite3_column_text(q, 0));
        snprintf(cells[ncells].column, 40, "%s", (const char *)sqlite3_column_text(q, 1));
    }
    sqlite3_finalize(q);
    MUST(sqlite3_prepare_v2(db,
                            "SELECT type || ' ' || name FROM sqlite_schema WHERE name NOT GLOB 'sqlite_*' ORDER BY 1",
                            -1, &q, NULL) == SQLITE_OK);
    for (; sqlite3_step(q) == SQLITE_ROW && ntables < TABLES; ntables++)
        snprintf(tables[ntables], 40, "%s", (const char *)sqlite3_column_text(q, 0));
    sqlite3_finalize(q);
    sqlite3_close(db);
}

static void remove_all(void)
{
    DIR *d = opendir(dir);
    char path[400];

    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        unlink(path);
    }
    if (d)
        closedir(d);
    rmdir(dir);
}

static void make_store(void)
{
    static const char *const import[WORDS] = {"import", "--quiet", "tests/data/workqueue-bare/my.tr.log",
                                              "tests/data/traces/usage.pfw", "tests/data/parsl-2026-threads"};
    FILE *f;

    MUST(access("tests/data/workqueue-bare", R_OK) == 0); /* to be run in the root of the sources */
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    setenv("TZ", "UTC", 1);
    snprintf(dir, sizeof dir, "%s/fuzz-store-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    MUST(mkdtemp(dir) && freopen("/dev/null", "w", stdout));
    atexit(remove_all);
    snprintf(store, sizeof store, "%s/good.db", dir);
    snprintf(spoilt, sizeof spoilt, "%s/bad.db", dir);
    MUST(command(import, store) == 0);
    open_up();
    MUST((f = fopen(store, "rb")) && !fseek(f, 0, SEEK_END));
    good_n = (size_t)ftell(f);
    good = malloc(good_n);
    rewind(f);
    MUST(fread(good, 1, good_n, f) == good_n);
    fclose(f);
}

/* ---- damage ---- */

static unsigned byte(const uint8_t **p, const uint8_t *end)
{
    return *p < end ? *(*p)++ : 0;
}

static void attempt(sqlite3 *db, char *sql)
{
    sqlite3_exec(db, sql, NULL, NULL, NULL); /* what cannot be damaged stays */
    sqlite3_free(sql);
}

static void spoil(sqlite3 *db, const uint8_t **p, const uint8_t *end, unsigned what)
{
    const struct cell *c = &cells[(byte(p, end) << 8 | byte(p, end)) % (unsigned)ncells], *o;
    unsigned row = byte(p, end), value = byte(p, end);

    switch (what) {
    case 0: /* some rows of a column are odd */
    case 1:
        attempt(db, sqlite3_mprintf("UPDATE OR IGNORE %s SET %s = %s WHERE abs(random()) %% %d = 0", c->table,
                                    c->column, odd[value % (sizeof odd / sizeof *odd)], row % 4 + 1));
        break;
    case 2: /* a column has the values of another */
        o = &cells[(row << 8 | value) % (unsigned)ncells];
        attempt(
            db,
            sqlite3_mprintf(
                "UPDATE OR IGNORE %s SET %s = (SELECT %s FROM %s ORDER BY random() LIMIT 1) WHERE random() %% 3 = 0",
                c->table, c->column, o->column, o->table));
        break;
    case 3: attempt(db, sqlite3_mprintf("DROP %s", tables[value % (unsigned)ntables])); break;
    case 4: attempt(db, sqlite3_mprintf("DELETE FROM %s WHERE random() %% %d = 0", c->table, value % 3 + 1)); break;
    case 5: /* links in all directions */
        attempt(db, sqlite3_mprintf("INSERT OR IGNORE INTO sl_link (left_span, kind, right_span) SELECT a.id, %d, b.id "
                                    "FROM sl_span a, sl_span b WHERE a.id %% %d = 0 LIMIT %d",
                                    value % 6, row % 7 + 1, MANY));
        break;
    case 6:
        attempt(db, sqlite3_mprintf("UPDATE sl_span SET parent = (abs(random()) %% (SELECT max(id) FROM sl_span)) + 1 "
                                    "WHERE random() %% %d = 0",
                                    value % 5 + 1));
        break;
    case 7: /* the same again, under other ids */
        attempt(db,
                sqlite3_mprintf(
                    "INSERT OR IGNORE INTO sl_span SELECT id + %d, type, key, parent, source, note, place, alike FROM "
                    "sl_span",
                    value * 1000003));
        break;
    default:
        attempt(db, sqlite3_mprintf("UPDATE OR IGNORE sl_event SET time_ns = %s WHERE random() %% %d = 0",
                                    odd[value % (sizeof odd / sizeof *odd)], row % 3 + 1));
    }
}

static void put_file(const uint8_t *data, size_t n)
{
    int fd = open(spoilt, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    MUST(fd >= 0 && write(fd, data, n) == (ssize_t)n);
    close(fd);
}

/* Bytes of pages, then rows: a damaged file takes no more damage by SQL. */
static void damage(const uint8_t **p, const uint8_t *end)
{
    sqlite3 *db;

    put_file(good, good_n);
    MUST(sqlite3_open(spoilt, &db) == SQLITE_OK);
    sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, 1, db); /* the same input, the same damage */
    sqlite3_exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN", NULL, NULL, NULL);
    for (int i = 0; *p < end && i < DAMAGES; i++) {
        unsigned what = byte(p, end) % 10;
        if (what < 9) {
            spoil(db, p, end, what);
            continue;
        }
        sqlite3_exec(db, "COMMIT; BEGIN", NULL, NULL, NULL);
        int fd = open(spoilt, O_WRONLY);
        for (int k = 0; k < 8; k++) {
            off_t at = (off_t)((size_t)(byte(p, end) << 16 | byte(p, end) << 8 | byte(p, end)) % good_n);
            uint8_t b = (uint8_t)byte(p, end);
            MUST(at < 100 || pwrite(fd, &b, 1, at) == 1);
        }
        close(fd);
        break;
    }
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(db);
}

static void ask(unsigned which)
{
    static char changed[120];
    struct sl_buf b = {0};
    FILE *f;
    char chunk[65536];

    if (which < WRITING) {
        command(commands[which], spoilt);
        return;
    }
    MUST((f = fopen(spoilt, "rb")));
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) > 0;)
        sl_buf_add(&b, chunk, n);
    fclose(f);
    snprintf(changed, sizeof changed, "%s/changed.db", dir);
    MUST((f = fopen(changed, "wb")) && fwrite(b.s, 1, b.n, f) == b.n && !fclose(f));
    sl_buf_free(&b);
    command(commands[which], changed);
    unlink(changed);
    snprintf(changed, sizeof changed, "%s/changed.db-journal", dir);
    unlink(changed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *p = data, *end = data + size;
    unsigned which;

    if (!good)
        make_store();
    which = byte(&p, end);
    damage(&p, end);
    for (unsigned i = 0; i < COMMANDS; i++)
        if (!which || which % COMMANDS == i)
            ask(i);
    unlink(spoilt);
    return 0;
}
