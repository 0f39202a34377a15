/* SPDX-License-Identifier: Apache-2.0 */
/* Specifications of plots, as users write them; one that is good is filled from a small store. */
#include "analyse/analyse.h"
#include "base/json.h"
#include "fuzz.h"
#include "plot/plot.h"

static const char rows[] =
    "INSERT INTO sl_source (id, path, recipe, component) VALUES (1, '/r', 'r', 'c');"
    "INSERT INTO sl_name VALUES (1, 'run'), (2, 'run.task'), (3, 'begin'), (4, 'end');"
    "INSERT INTO sl_span (id, type, key, parent, source) VALUES (1, 1, 'r1', NULL, 1), (2, 2, '5', 1, 1), (3, 2, '6', "
    "1, 1);"
    "INSERT INTO sl_event VALUES (2, 1000, 3, 1, 1, NULL), (2, 2000, 4, 1, 2, NULL), (3, 1000, 3, 1, 3, NULL)";

static int give_up(void *calls)
{
    return ++*(int *)calls > 50;
}

static struct sl_store *small_store(void)
{
    struct sl_store *st;

    MUST(sl_store_open(&st, "small", SL_STORE_SCRATCH, NULL) == 0 && sl_analyse_register(st->db) == SQLITE_OK);
    MUST(sl_store_begin(st, NULL) == 0 && sl_store_exec(st, rows, NULL) == 0 && sl_store_commit(st, NULL) == 0);
    sqlite3_limit(st->db, SQLITE_LIMIT_LENGTH, 1 << 20);
    return st;
}

/* What comes of it is JSON, has no byte that pictures cannot hold, and the store is as it was. */
static void fill(const struct sl_plot *p, const char *sql)
{
    static struct sl_store *st;
    struct sl_plot_question q = {.sql = sql, .title = "T"};
    struct sl_buf out = {0};
    struct sl_err err = {0};
    uint64_t n = 0;
    int calls = 0, rc;

    if (!st)
        st = small_store();
    q.st = st;
    MUST(sl_store_exec(st, "SAVEPOINT one", NULL) == 0);
    sqlite3_progress_handler(st->db, 1000, give_up, &calls);
    rc = sl_plot_fill(&out, p, &q, &n, &err);
    sqlite3_progress_handler(st->db, 0, NULL, NULL);
    MUST((rc < 0) == (err.code < 0) && (rc || n));
    if (!rc) {
        struct sl_json c = {out.s, out.s + out.n, 0, true};
        struct sl_json_text all;
        MUST(!sl_json_value(&c, &all, 0) && c.at == c.end && all.kind == '{');
        MUST(sl_utf8_valid(out.s, out.n) == out.n);
    }
    MUST(sl_store_int(st, "SELECT count(*) FROM sl_span", 0) == 3);
    MUST(sl_store_exec(st, "ROLLBACK TO one; RELEASE one", NULL) == 0);
    sl_buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool by_sql = size && data[0] == '='; /* '=', a specification that says nothing of data */
    struct sl_plot *p = NULL;
    struct sl_err err = {0};
    char *exact = malloc(size ? size : 1); /* no NUL behind it */

    memcpy(exact, data, size);
    if (sl_plot_parse(&p, "mine.json", exact + by_sql, size - by_sql, by_sql, &err)) {
        MUST(!strncmp(err.text, "mine.json", 9));
    } else {
        MUST(p->data.n);
        fill(p, by_sql ? "SELECT 1 AS a, 'x' AS b, NULL AS c" : NULL);
        sl_plot_free(p);
    }
    free(exact);
    return 0;
}
