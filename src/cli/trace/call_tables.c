/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of two runs of traced programs as temporary tables of one store.  A run is one of a store, a store, or
 * trace files, which become a store for as long as they are read.
 */
#include "base/call_sums.h"
#include "cli/side.h"
#include "cli/trace/profile_files.h"
#include "cli/view/picture.h"
#include "result/spans/find_span.h"
#include "trace_call_tables.sql.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct source {
    struct sl_diff_input side;
    struct sl_call_sums sums;
    bool files;
};

static bool is_folder(const char *path)
{
    struct stat s;
    return !stat(path, &s) && S_ISDIR(s.st_mode);
}

static bool is_store(const char *path)
{
    static const char magic[] = "SQLite format 3"; /* and a NUL: sqlite.org/fileformat2.html, 1.3.1 */
    char head[sizeof magic] = {0};
    FILE *f = fopen(path, "re");
    bool is = f && fread(head, 1, sizeof head, f) == sizeof head && !memcmp(head, magic, sizeof magic);

    if (f)
        fclose(f);
    return is;
}

/* A run that has the name of a folder is the run. */
static bool is_run(const struct cli *cli, const char *name)
{
    struct sl_store *st = NULL;
    struct stat s;
    int64_t span = 0;
    bool is = !stat(cli->store_path, &s) && !sl_store_open(&st, cli->store_path, SL_STORE_READ, NULL) &&
              !sl_find_run(st, name, &span, NULL);

    sl_store_close(st);
    return is;
}

/* 0, or negative: err is filled, or its code 0, where it is said already. */
static int open_one(const struct cli *cli, struct source *s, const char *text, struct sl_err *err)
{
    char *const words[] = {(char *)(uintptr_t)text};

    s->side.text = text;
    s->files = cli_side_is_file(text) ? !is_store(text) : is_folder(text) && !is_run(cli, text);
    return s->files ? profile_read_files(cli, 1, words, &s->side.st, &s->sums, err) : cli_side_open(cli, &s->side, err);
}

static int too_few(const struct cli *cli, int n, struct sl_err *err)
{
    return sl_err(err, SL_ENOTFOUND,
                  "two runs of traced programs are compared, and %s holds %s; trace it again into the same store "
                  "(spanloom run COMMAND), or name both: runs (spanloom runs), stores or trace files",
                  cli->store_path, n ? "one" : "none");
}

/* The last two of the store. */
static int open_last(const struct cli *cli, struct source of[2], struct sl_err *err)
{
    sqlite3_stmt *q;
    int rc = 0, n = 0;

    for (int i = 0; i < 2; i++)
        if (!(of[i].side.st = cli_open(cli)))
            return SL_EIO;
    if (!(q = sl_store_prepare(of[0].side.st, sql_tops, err)))
        return SL_ESTORE;
    while (n < 2 && (rc = sl_store_step(of[0].side.st, q, err)) > 0)
        of[1 - n++].side.within = sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    return rc < 0 ? rc : n < 2 ? too_few(cli, n, err) : 0;
}

static int add_tree(struct sl_result *r, const struct source *s, const char *name, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(s->side.st, sql_tree, err);

    if (!q)
        return SL_ESTORE;
    if (s->side.within)
        sqlite3_bind_int64(q, 1, s->side.within);
    if (s->files)
        sqlite3_bind_pointer(q, 2, (void *)(uintptr_t)&s->sums, SL_CALLS_SUMS, NULL);
    sl_result_query(r, name, NULL, 0, q);
    return 0;
}

int cli_call_tables(const struct cli *cli, int argc, char **argv, struct sl_store **st, struct sl_err *err)
{
    struct source of[2] = {{.files = false}};
    struct sl_result r = {0};
    int rc = argc ? 0 : open_last(cli, of, err);

    for (int i = 0; i < 2 && argc && !rc; i++)
        rc = open_one(cli, &of[i], argv[i], err);
    for (int i = 0; i < 2 && !rc; i++)
        rc = add_tree(&r, &of[i], i ? "b" : "a", err);
    if (!rc)
        rc = sl_result_temporary(&r, of[1].side.st, "calls", err);
    if (!rc) {
        *st = of[1].side.st;
        of[1].side.st = NULL;
    }
    sl_result_free(&r);
    for (int i = 0; i < 2; i++) {
        cli_side_close(&of[i].side);
        sl_call_sums_free(&of[i].sums);
    }
    return rc;
}
