/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What users write by hand to bind spans: a project file, or, behind a byte '=', one rule, which is applied to a small
 * store.
 */
#include "bind/bind.h"
#include "fuzz.h"
#include "recipe/project.h"
#include "recipe/span_tables.h"
#include "store/store.h"

static const char rows[] =
    "INSERT INTO sl_source (id, path, recipe, component) VALUES (1, '/r', 'r', 'c');"
    "INSERT INTO sl_name VALUES (1, 'run'), (2, 'run.task'), (3, 'job'), (4, 'begin'), (5, 'end'), (6, 'parsl.log:1');"
    "INSERT INTO sl_span (id, type, key, parent, source) VALUES (1, 1, 'r1', NULL, 1), (2, 2, '5', 1, 1), (3, 2, '6', "
    "1, 1), (4, 3, '77', NULL, 1), (5, 3, '78', NULL, 1);"
    "INSERT INTO sl_event VALUES (2, 1000, 4, 1, 1, NULL), (2, 2000, 5, 1, 2, NULL), (4, 1000, 4, 1, 3, NULL);"
    "INSERT INTO sl_shape VALUES (1, 0, 'app', '$[0]'), (1, 1, 'job', '$[1]');"
    "INSERT INTO sl_attr VALUES (2, 1, 1, 1, '[\"f\",77]'), (3, 1, 1, 1, '[\"g\",78]');"
    "INSERT INTO sl_seen VALUES (2, 1, 4), (2, 1, 5), (2, 2, 1), (3, 1, 4)";

static struct sl_recipes *set;

static int give_up(void *calls)
{
    return ++*(int *)calls > 50;
}

static struct sl_store *small_store(void)
{
    static char path[80];
    struct sl_store *st;

    snprintf(path, sizeof path, "%s/spanloom-fuzz-project-%ld.db", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm",
             (long)getpid());
    unlink(path);
    MUST(sl_store_open(&st, path, SL_STORE_CREATE, NULL) == 0);
    unlink(path); /* it is ours alone, and gone with us */
    sqlite3_exec(st->db, "PRAGMA journal_mode = MEMORY", NULL, NULL, NULL);
    MUST(sl_store_begin(st, NULL) == 0 && sl_store_exec(st, rows, NULL) == 0 && sl_store_index(st, NULL) == 0);
    MUST(sl_tables_make(st, set, NULL) == 0);
    sqlite3_limit(st->db, SQLITE_LIMIT_LENGTH, 1 << 20);
    return st;
}

/* Whatever the rule says, the store is whole, and a rule makes links of its own kind only. */
static void apply(const char *text)
{
    static struct sl_store *st;
    struct sl_bind_rule r;
    struct sl_err err = {0};
    int calls = 0;

    if (sl_bind_parse(&r, text, &err)) {
        MUST(err.code == SL_EFORMAT && err.text[0]);
        return;
    }
    if (!st)
        st = small_store();
    MUST(sl_store_exec(st, "SAVEPOINT one", NULL) == 0);
    sqlite3_progress_handler(st->db, 1000, give_up, &calls);
    if (!sl_bind_check(st, &r, &err)) {
        sqlite3_stmt *q = sl_store_prepare(st, "INSERT INTO sl_bind (name, rule) VALUES ('mine', ?)", NULL);
        MUST(q);
        sqlite3_bind_text(q, 1, text, -1, SQLITE_STATIC);
        sqlite3_step(q);
        sqlite3_finalize(q);
        if (!sl_bind_apply(st, set, &(const struct sl_bind_scope){.all = true}, NULL, NULL, &err)) {
            char sql[120];
            snprintf(sql, sizeof sql, "SELECT count(*) FROM sl_link WHERE kind <> %d", (int)r.kind);
            sqlite3_progress_handler(st->db, 0, NULL, NULL);
            MUST(sl_store_int(st, sql, -1) == 0);
            MUST(sl_store_int(st, "SELECT count(*) FROM sl_span", 0) == 5);
            MUST(sl_store_int(st, "SELECT count(*) FROM sl_link WHERE left_span = right_span", 1) == 0);
        }
    } else {
        MUST(err.text[0]);
    }
    sqlite3_progress_handler(st->db, 0, NULL, NULL);
    MUST(sl_store_exec(st, "ROLLBACK TO one; RELEASE one", NULL) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct sl_project p;
    struct sl_err err = {0};
    int rc;

    if (!set)
        set = fuzz_recipes(NULL);
    memcpy(text, data, size);
    text[size] = 0;
    if (size && text[0] == '=') {
        apply(text + 1);
    } else {
        char *exact = malloc(size ? size : 1); /* no NUL behind it */
        memcpy(exact, data, size);
        rc = sl_project_parse(&p, "/study/spanloom.yaml", exact, size, &err);
        MUST((rc < 0) == (err.code < 0) && (!rc || strstr(err.text, "spanloom.yaml")));
        for (size_t i = 0; !rc && i < p.binds.n; i++) {
            struct sl_bind_rule r;
            MUST(sl_bind_parse(&r, p.binds.v[i].rule, NULL) == 0);
        }
        MUST(p.set.n % 2 == 0);
        sl_project_free(&p);
        free(exact);
    }
    free(text);
    return 0;
}
