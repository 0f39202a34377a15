/* SPDX-License-Identifier: Apache-2.0 */
#include "design/traces.h"
#include "analyse/analyse.h"
#include "base/files/folder.h"
#include "ingest/import.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int ask(double *score, struct sl_store *st, const char *sql, struct sl_err *err)
{
    sqlite3_stmt *q = NULL;
    int rc = 0;

    if (sl_analyse_register(st->db) != SQLITE_OK)
        return sl_store_err(st, "cannot register the analysis functions", err);
    sl_store_only_read(st);
    if (sqlite3_prepare_v2(st->db, sql, -1, &q, NULL) != SQLITE_OK || !q)
        return sl_err(err, SL_EFORMAT, "no score: %s", q ? "nothing is asked" : sl_sqlite_words(st->db));
    switch (sqlite3_step(q)) {
    case SQLITE_ROW:
        if (sqlite3_column_type(q, 0) == SQLITE_INTEGER || sqlite3_column_type(q, 0) == SQLITE_FLOAT)
            *score = sqlite3_column_double(q, 0);
        else
            rc = sl_err(err, SL_EFORMAT, "no score: the first column of what sql asks is no number");
        break;
    case SQLITE_DONE: rc = sl_err(err, SL_EFORMAT, "no score: what sql asks of the traces has no row"); break;
    default: rc = sl_err(err, SL_EFORMAT, "no score: %s", sl_sqlite_words(st->db));
    }
    sqlite3_finalize(q);
    return rc;
}

static void keep(void *err, const char *text)
{
    sl_err(err, SL_EIO, "no score: %s", text);
}

int sl_traces_score(double *score, const char *folder, const char *sql, struct sl_err *err)
{
    struct sl_err why = {0};
    struct sl_import_options o = {.jobs = 1, .zone_s = INT32_MIN, .warn = keep, .to = &why};
    struct sl_import_result r = {0};
    struct sl_recipes *set = sl_recipes_new();
    struct sl_found_list found = {0};
    struct sl_store *st = NULL;
    char *paths[] = {(char *)(uintptr_t)folder};
    int rc = sl_recipes_add_default(set, err);

    *score = NAN;
    if (!rc)
        rc = sl_recipes_compile(set, err);
    if (!rc)
        sl_find(&found, set, paths, 1, false);
    if (!rc)
        rc = sl_found_problem(&found, err);
    if (!rc && !found.v.n)
        rc = sl_err(err, SL_EFORMAT, "no score: the run left no trace in %s", folder);
    if (!rc)
        rc = sl_store_open(&st, "the traces of the run", SL_STORE_SCRATCH, err);
    if (!rc)
        rc = sl_import(&r, st, set, &found, &o, err);
    if (!rc && r.problems)
        rc = sl_err(err, why.code, "%s", why.text);
    if (!rc)
        rc = ask(score, st, sql, err);
    sl_store_close(st);
    sl_vec_free(&r.recipe);
    sl_found_free(&found);
    sl_recipes_free(set);
    return rc;
}

int sl_traces_folder(struct sl_buf *b, const struct sl_plan *p, const char *run, struct sl_err *err)
{
    sl_buf_addf(b, "%s/%s.traces", p->folder, p->name);
    if (mkdir(b->s, 0777) && errno != EEXIST)
        return sl_err(err, SL_EIO, "cannot make %s: %s", b->s, strerror(errno));
    sl_buf_addf(b, "/%s", run);
    return 0;
}

/* The text behind "KEY": " in the first lines of a trace. */
static const char *fact(const char *text, const char *key, size_t *n)
{
    char quoted[40];
    const char *at;

    snprintf(quoted, sizeof quoted, "\"%s\": \"", key);
    at = strstr(text, quoted);
    at = at ? at + strlen(quoted) : NULL;
    *n = at ? strcspn(at, "\"") : 0;
    return at;
}

void sl_traces_process(char *to, size_t room, const char *folder, pid_t pid)
{
    char end[48], path[PATH_MAX], text[2048];
    struct sl_folder_names in = {0};

    *to = 0;
    sl_folder_read(&in, folder, NULL);
    snprintf(end, sizeof end, ".%d.shell.pfw", (int)pid); /* as shell_trace_open() calls them */
    for (size_t i = 0; i < in.name.n && !*to; i++) {
        const char *file = in.name.v[i];
        size_t n = strlen(file), nhost, nstart;
        const char *host, *start;
        FILE *f;
        if (n < strlen(end) || strcmp(file + n - strlen(end), end) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, file);
        if (!(f = fopen(path, "re")))
            continue;
        text[fread(text, 1, sizeof text - 1, f)] = 0;
        fclose(f);
        host = fact(text, "hostname", &nhost);
        start = fact(text, "start_ns", &nstart);
        if (host && start)
            snprintf(to, room, "%.*s:%d@%.*s", (int)nhost, host, (int)pid, (int)nstart, start);
    }
    sl_folder_free(&in);
}
