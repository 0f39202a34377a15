/* SPDX-License-Identifier: Apache-2.0 */
#include "base/embed.h"
#include "base/mem.h"
#include "store/row_source.h"
#include "store/store.h"

#include <errno.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SCHEMA = 7, BUSY_MS = 5000 };

/* In this order; the number of a file is that of the schema that it makes of the one before. */
static const char *const schema_files[SCHEMA] = {"001-core.sql",    "002-joins.sql", "003-states.sql",  "004-sides.sql",
                                                 "005-lookups.sql", "006-alike.sql", "007-in-order.sql"};

struct store {
    struct sl_store pub;
    const struct sl_row_source *current;
};

/* ---- errors ---- */

#define DAMAGED "; the store is damaged: make a new one from the logs with -d"

/* What a function says, without its name before it: who asked may not know that there is one. */
static const char *without_function(const char *why)
{
    size_t n = strspn(why, "abcdefghijklmnopqrstuvwxyz_0123456789");

    return n && !strncmp(why + n, ": ", 2) ? why + n + 2 : why;
}

int sl_store_err(struct sl_store *st, const char *doing, struct sl_err *err)
{
    int rc = sqlite3_extended_errcode(st->db), now = sl_sqlite_errno(st->db), seen = sl_store_errno(rc & 0xff);
    int error = seen ? seen : now;
    const char *why = error ? strerror(error) : sqlite3_errmsg(st->db), *hint = "";

    switch (rc & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: hint = "; another process is writing to it: try again when that has finished"; break;
    case SQLITE_FULL: hint = "; make room or choose another place with -d (nothing was changed)"; break;
    case SQLITE_IOERR: hint = " (nothing was changed)"; break;
    case SQLITE_CANTOPEN: hint = "; choose another place with -d"; break;
    case SQLITE_READONLY: hint = "; no permission to write: choose another place with -d"; break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: hint = error ? "" : DAMAGED; break;
    default: break;
    }
    if ((rc & 0xff) == SQLITE_READONLY && error) /* it says which */
        hint = "; choose another place with -d";
    if (rc == SQLITE_ERROR && (!strncmp(why, "no such table: sl_", 18) || !strncmp(why, "no such table: main.sl_", 23)))
        hint = DAMAGED;
    if (rc == SQLITE_ERROR && !*hint && without_function(why) != why)
        return sl_err(err, SL_ESTORE, "%s: %s", st->path, without_function(why));
    return sl_err(err, (rc & 0xff) == SQLITE_BUSY ? SL_EBUSY : SL_ESTORE, "%s: %s: %s%s", st->path, doing, why, hint);
}

int sl_store_exec(struct sl_store *st, const char *sql, struct sl_err *err)
{
    return sqlite3_exec(st->db, sql, NULL, NULL, NULL) == SQLITE_OK ? sl_store_failed(st->path, err)
                                                                    : sl_store_err(st, "cannot write", err);
}

int sl_store_temporary(struct sl_store *st, const char *sql, struct sl_err *err)
{
    bool reading = sl_store_int(st, "PRAGMA query_only", 0) != 0;
    int rc = sl_store_exec(st, "PRAGMA query_only = 0", err);

    if (!rc && sqlite3_exec(st->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        rc = sl_err(err, SL_ESTORE, "%s: %s", st->path, sl_sqlite_words(st->db)); /* it is no store that is written */
    if (reading)
        sl_store_exec(st, "PRAGMA query_only = 1", NULL);
    return rc;
}

sqlite3_stmt *sl_store_prepare(struct sl_store *st, const char *sql, struct sl_err *err)
{
    sqlite3_stmt *s = NULL;

    if (sqlite3_prepare_v2(st->db, sql, -1, &s, NULL) != SQLITE_OK)
        sl_store_err(st, "cannot query", err);
    return s;
}

int sl_store_step(struct sl_store *st, sqlite3_stmt *s, struct sl_err *err)
{
    switch (sqlite3_step(s)) {
    case SQLITE_ROW: return 1;
    case SQLITE_DONE: return sl_store_failed(st->path, err); /* of what was asked meanwhile */
    default: return sl_store_err(st, "query failed", err);
    }
}

int sl_store_write(struct sl_store *st, sqlite3_stmt *s, struct sl_err *err)
{
    int rc = sqlite3_step(s) == SQLITE_DONE ? 0 : sl_store_err(st, "cannot write", err);

    sqlite3_reset(s);
    return rc;
}

/* Every argument is an int64_t or a pointer to a text that stays until the statement is finalized. */
static sqlite3_stmt *prepare_with(struct sl_store *st, const char *sql, struct sl_err *err, const char *types,
                                  va_list ap)
{
    sqlite3_stmt *s = sl_store_prepare(st, sql, err);

    for (int i = 1; s && *types; i++)
        if (*types++ == 'i')
            sqlite3_bind_int64(s, i, va_arg(ap, int64_t));
        else
            sqlite3_bind_text(s, i, va_arg(ap, const char *), -1, SQLITE_STATIC);
    return s;
}

int sl_store_run(struct sl_store *st, const char *sql, struct sl_err *err, const char *types, ...)
{
    sqlite3_stmt *s;
    va_list ap;
    int rc = SL_ESTORE;

    va_start(ap, types);
    if ((s = prepare_with(st, sql, err, types, ap)))
        rc = sqlite3_step(s) == SQLITE_DONE ? 0 : sl_store_err(st, "cannot write", err);
    va_end(ap);
    sqlite3_finalize(s);
    return rc;
}

int sl_store_each(struct sl_store *st, const char *sql, sl_row_fn *fn, void *of, struct sl_err *err, const char *types,
                  ...)
{
    sqlite3_stmt *s;
    va_list ap;
    int rc = SL_ESTORE;

    va_start(ap, types);
    if ((s = prepare_with(st, sql, err, types, ap)))
        while ((rc = sl_store_step(st, s, err)) > 0 && !(rc = fn(of, s, err)))
            ;
    va_end(ap);
    sqlite3_finalize(s);
    return rc;
}

int64_t sl_store_int(struct sl_store *st, const char *sql, int64_t otherwise)
{
    sqlite3_stmt *s = sl_store_prepare(st, sql, NULL);
    int64_t v = otherwise;

    /* a failure is kept: see sl_store_failed() */
    if (s && sqlite3_step(s) == SQLITE_ROW && sqlite3_column_type(s, 0) != SQLITE_NULL)
        v = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return v;
}

const char *sl_store_text(sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return text ? text : "";
}

int sl_store_insert(struct sl_store *st, const char *sql, const struct sl_row_source *rows, struct sl_err *err)
{
    int rc;

    if (!rows->n)
        return 0;
    ((struct store *)st)->current = rows;
    rc = sl_store_exec(st, sql, err);
    ((struct store *)st)->current = NULL;
    return rc;
}

/* ---- users' queries ---- */

static bool is_one_of(const char *s, const char *const *list)
{
    while (s && *list && sqlite3_stricmp(s, *list) != 0)
        list++;
    return s && *list;
}

/*
 * query_only stops what changes the store, but not VACUUM INTO or ATTACH, which make other files, nor the pragma that
 * takes it back.
 */
static int only_reads(void *to, int action, const char *a, const char *b, const char *schema, const char *by)
{
    static const char *const told[] = {/* with what stands in parentheses */
                                       "table_info",
                                       "table_xinfo",
                                       "table_list",
                                       "index_list",
                                       "index_info",
                                       "index_xinfo",
                                       "foreign_key_list",
                                       "foreign_key_check",
                                       "integrity_check",
                                       "quick_check",
                                       "function_list",
                                       "cache_size",
                                       "case_sensitive_like",
                                       "reverse_unordered_selects",
                                       "threads",
                                       NULL};
    static const char *const acting[] = {"incremental_vacuum", "optimize", "wal_checkpoint", NULL};

    (void)to, (void)schema, (void)by;
    if (action == SQLITE_ATTACH || action == SQLITE_DETACH)
        return SQLITE_DENY;
    if (action == SQLITE_PRAGMA && (b ? !is_one_of(a, told) : is_one_of(a, acting)))
        return SQLITE_DENY;
    return SQLITE_OK;
}

void sl_store_only_read(struct sl_store *st)
{
    sqlite3_set_authorizer(st->db, only_reads, NULL);
}

/* ---- open and close ---- */

static const char *embedded(const char *only)
{
    for (const struct sl_embedded *f = sl_embedded_schema; f->name; f++)
        if (!strcmp(f->name, only))
            return f->data;
    return NULL;
}

static int run_embedded(struct sl_store *st, const char *file, struct sl_err *err)
{
    const char *sql = embedded(file);

    return sql ? sl_store_exec(st, sql, err)
               : sl_err(err, SL_ESTORE, "schema file %s is missing from this build", file);
}

/* From schema `have` (0: an empty database) to the newest. */
static int make_schema(struct sl_store *st, int have, struct sl_err *err)
{
    char sql[80];
    int rc = have ? 0 : run_embedded(st, "today.sql", err); /* what all files come to (tools/schema_of_today.py) */

    for (int i = have; have && i < SCHEMA && !rc; i++)
        rc = run_embedded(st, schema_files[i], err);
    if (!rc)
        rc = run_embedded(st, "views.sql", err);
    snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO sl_meta VALUES ('schema', %d)", SCHEMA);
    return rc ? rc : sl_store_exec(st, sql, err);
}

static int have_schema(struct sl_store *st)
{
    return (int)sl_store_int(st, "SELECT value FROM sl_meta WHERE name = 'schema'", 0);
}

/* 1: a store of ours; 0: an empty database; negative: something else, err filled. */
static int look(struct sl_store *st, struct sl_err *err)
{
    int64_t schema;

    if (sqlite3_exec(st->db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL) != SQLITE_OK) {
        if ((sqlite3_errcode(st->db) & 0xff) == SQLITE_NOTADB && !sl_sqlite_errno(st->db))
            return sl_err(err, SL_EFORMAT,
                          "%s is not a Spanloom store (not an SQLite file); name the store with -d FILE", st->path);
        return sl_store_err(st, "cannot open", err);
    }
    if (!sl_store_int(st, "SELECT count(*) FROM sqlite_schema", 0))
        return sl_store_failed(st->path, err);
    if (!sl_store_int(st, "SELECT count(*) FROM sqlite_schema WHERE name = 'sl_meta'", 0))
        return sl_err(err, SL_EFORMAT,
                      "%s is an SQLite database, but not a Spanloom store; choose another file with -d FILE", st->path);
    schema = sl_store_int(st, "SELECT value FROM sl_meta WHERE name = 'schema'", 0);
    if (sl_store_failed(st->path, err))
        return SL_ESTORE;
    if (schema < 1)
        return sl_err(err, SL_EFORMAT, "%s: sl_meta does not tell the schema" DAMAGED, st->path);
    if (schema > SCHEMA)
        return sl_err(err, SL_EFORMAT,
                      "%s was written by a newer Spanloom (schema %lld, this program knows %d); update", st->path,
                      (long long)schema, SCHEMA);
    return 1;
}

/* Rows that no import writes, where all other code relies on them: the first query of check.sql, or all. */
static int check(struct sl_store *st, bool all, struct sl_err *err)
{
    const char *sql = embedded("check.sql");
    int rc = 0;

    do {
        sqlite3_stmt *q = NULL;
        if (sqlite3_prepare_v2(st->db, sql, -1, &q, &sql) != SQLITE_OK)
            rc = sqlite3_errcode(st->db) == SQLITE_ERROR
                     ? sl_err(err, SL_EFORMAT, "%s: %s" DAMAGED, st->path, sl_sqlite_words(st->db))
                     : sl_store_err(st, "cannot open", err);
        else if (q && (rc = sl_store_step(st, q, err)) > 0)
            rc = sl_store_damaged(st, sl_store_text(q, 0), sl_store_text(q, 1), "content", err);
        sqlite3_finalize(q);
    } while (!rc && all && *sql);
    return rc;
}

int sl_store_damaged(struct sl_store *st, const char *table, const char *row, const char *what, struct sl_err *err)
{
    return sl_err(err, SL_EFORMAT, "%s: %s has a row (%.80s) whose %s is nothing that an import writes" DAMAGED,
                  st->path, table, row, what);
}

/* Whether the views and their triggers are those of this program, to the letter.  Others may never end. */
static bool has_our_views(struct sl_store *st)
{
    const char *views = embedded("views.sql");
    const size_t size = strlen(views);
    sqlite3_stmt *q = sl_store_prepare(st, /* names of tables of spans are quoted, and these are not */
                                       "SELECT sql FROM sqlite_schema WHERE type IN ('view', 'trigger') "
                                       "AND sql NOT GLOB 'CREATE VIEW \"*'",
                                       NULL);
    int64_t want = 0, have = 0;

    for (const char *s = views; (s = strstr(s, "\nCREATE ")); s++)
        want++;
    while (q && sqlite3_step(q) == SQLITE_ROW) {
        const char *sql = sl_store_text(q, 0), *at = views;
        size_t n = (size_t)sqlite3_column_bytes(q, 0);
        while (n && (at = memmem(at, size - (size_t)(at - views), sql, n)) && at[n] != ';')
            at++;
        have += n && at;
    }
    sqlite3_finalize(q);
    return have == want;
}

/* Views in the place of tables, and triggers on tables: whatever reads or writes these runs them. */
static int check_objects(struct sl_store *st, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(
        st,
        "SELECT type, name FROM sqlite_schema WHERE type = 'view' AND name GLOB 'sl_*' "
        "AND name NOT IN ('sl_value', 'sl_key', 'sl_near') OR type = 'trigger' AND tbl_name GLOB 'sl_*'",
        err);
    int rc = q ? sl_store_step(st, q, err) : SL_ESTORE;

    if (rc > 0)
        rc = sl_err(err, SL_EFORMAT, "%s: there is a %s %s, which no import makes" DAMAGED, st->path,
                    sl_store_text(q, 0), sl_store_text(q, 1));
    sqlite3_finalize(q);
    return rc;
}

/* A store of an older program, or whose views were changed. */
static int update(struct sl_store *st, struct sl_err *err)
{
    int rc;

    if (sqlite3_db_readonly(st->db, "main") && have_schema(st) == SCHEMA)
        return sl_err(err, SL_EFORMAT, "%s: its views are not those of this program, and it may not be written" DAMAGED,
                      st->path);
    if (sqlite3_db_readonly(st->db, "main"))
        return sl_err(err, SL_ESTORE,
                      "%s was written by an older Spanloom (schema %d, this program needs %d) and may not be written; "
                      "copy it, or import again with -d",
                      st->path, have_schema(st), SCHEMA);
    rc = sl_store_exec(st, "PRAGMA query_only = 0; BEGIN IMMEDIATE", err);
    if (!rc && (have_schema(st) < SCHEMA || !has_our_views(st))) /* else somebody was quicker */
        rc = make_schema(st, have_schema(st), err);
    if (!rc)
        rc = sl_store_exec(st, "COMMIT", err);
    if (rc)
        sl_store_rollback(st);
    return rc;
}

/* What stat() knows of a path before SQLite tries: of a folder it only says "disk I/O error", and a FIFO it waits for.
 */
static int look_at_file(const char *path, enum sl_store_mode mode, struct sl_err *err)
{
    struct stat sb;
    char *folder;
    int rc = 0;

    if (stat(path, &sb) != 0) {
        if (errno != ENOENT)
            return sl_err(err, SL_EIO, "cannot open the store %s: %s; choose another place with -d FILE", path,
                          strerror(errno));
        if (mode != SL_STORE_CREATE)
            return sl_err(err, SL_ENOTFOUND, "no store %s; make one with: spanloom import PATH... -d %s", path, path);
        folder = sl_strdup(path);
        if (access(dirname(folder), W_OK) != 0) /* SQLite would not say why */
            rc = sl_err(err, SL_EIO, "cannot open the store %s: %s; choose another place with -d FILE", path,
                        strerror(errno));
        free(folder);
        return rc;
    }
    if (S_ISDIR(sb.st_mode))
        return sl_err(err, SL_EIO, "%s is a directory; name the file of the store with -d FILE", path);
    if (!S_ISREG(sb.st_mode))
        return sl_err(err, SL_EIO, "%s is a pipe, socket or device; name the file of the store with -d FILE", path);
    return 0;
}

int sl_store_open(struct sl_store **out, const char *path, enum sl_store_mode mode, struct sl_err *err)
{
    struct store *s = sl_alloc(sizeof *s);
    struct sl_store *st = &s->pub;
    int rc = 0, kind;

    *out = NULL;
    /* SQLite has special names; ours are files */
    if (path[0] == ':' || !strncmp(path, "file:", 5)) {
        st->path = sl_alloc(strlen(path) + 3);
        strcat(strcpy(st->path, "./"), path);
    } else {
        st->path = sl_strdup(path);
    }
    path = st->path;
    if (mode != SL_STORE_SCRATCH && (rc = look_at_file(path, mode, err)))
        goto fail;
    /* Also for reading, a read-write open: it can roll back what a killed import left. */
    if (sqlite3_open_v2(mode == SL_STORE_SCRATCH ? "" : path, &st->db, /* "": a file that has no name any more */
                        SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE |
                            (mode >= SL_STORE_CREATE ? SQLITE_OPEN_CREATE : 0),
                        NULL) != SQLITE_OK ||
        (mode == SL_STORE_READ && access(path, W_OK) != 0)) {
        int seen = sl_store_errno(SQLITE_CANTOPEN), why = seen || !st->db ? seen : sqlite3_system_errno(st->db);
        sqlite3_close(st->db);
        st->db = NULL;
        if (mode != SL_STORE_READ ||
            sqlite3_open_v2(path, &st->db, SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
            why = why || !st->db ? why : sqlite3_system_errno(st->db);
            rc = sl_err(err, SL_EIO, "cannot open the store %s: %s; choose another place with -d FILE", path,
                        why ? strerror(why) : "SQLite cannot open it");
            goto fail;
        }
    }
    sqlite3_busy_timeout(st->db, BUSY_MS);
    sqlite3_db_config(st->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL); /* a store may come from anybody */
    sqlite3_db_config(st->db, SQLITE_DBCONFIG_DQS_DML, 1, NULL);   /* dnpcsql's scripts quote strings with " */
    kind = look(st, err);
    if (kind < 0) {
        rc = kind;
        goto fail;
    }
    if (!kind && mode < SL_STORE_CREATE) {
        rc = sl_err(err, SL_EFORMAT, "%s is empty; fill it with: spanloom import PATH... -d %s", path, path);
        goto fail;
    }
    if (mode != SL_STORE_READ) {
        sl_row_source_register(st->db, &s->current);
        /* A killed process loses nothing with the rollback journal; NORMAL is for power cuts too. */
        rc = sl_store_exec(st, /* large pages: fewer writes, flatter trees */
                           "PRAGMA page_size = 16384; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -24576; PRAGMA "
                           "temp_store = FILE",
                           err);
        st->fresh = !kind;
    }
    if (!rc && kind)
        rc = check_objects(st, err);
    if (!rc && kind && (have_schema(st) < SCHEMA || !has_our_views(st)))
        rc = update(st, err);
    if (!rc && mode == SL_STORE_READ)
        rc = sl_store_exec(st, "PRAGMA query_only = 1", err);
    if (!rc && kind)
        rc = check(st, mode != SL_STORE_READ, err);
    if (rc)
        goto fail;
    *out = st;
    return 0;
fail:
    sl_store_close(st);
    return rc;
}

void sl_store_close(struct sl_store *st)
{
    if (!st)
        return;
    sqlite3_close(st->db);
    free(st->path);
    free(st);
}

int sl_store_begin(struct sl_store *st, struct sl_err *err)
{
    int rc = sl_store_exec(st, "BEGIN IMMEDIATE", err);

    if (!rc && st->fresh) {
        /* somebody may have been quicker */
        st->fresh = !sl_store_int(st, "SELECT count(*) FROM sqlite_schema", 0);
        if (st->fresh)
            rc = make_schema(st, 0, err);
    }
    return rc;
}

int sl_store_index(struct sl_store *st, struct sl_err *err)
{
    return run_embedded(st, "index.sql", err);
}

int sl_store_commit(struct sl_store *st, struct sl_err *err)
{
    int rc = sl_store_index(st, err);

    if (!rc)
        rc = sl_store_exec(st, "COMMIT", err);
    if (rc)
        sl_store_rollback(st);
    else
        st->fresh = false;
    return rc;
}

void sl_store_rollback(struct sl_store *st)
{
    sqlite3_exec(st->db, "ROLLBACK", NULL, NULL, NULL);
}
