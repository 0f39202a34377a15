/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of an SQLite database; a place is a rowid.  Columns that an older version lacks are fields that are missing.
 * The database may be in use: it is read in one transaction, never written, and waited for a few seconds.  One that is
 * compressed, or in an archive, is copied first.
 */
#include "base/buf.h"
#include "base/files/folder.h"
#include "base/files/temporary.h"
#include "base/hash.h"
#include "base/mem.h"
#include "engine/apply.h"
#include "unpack/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sqlite_words.h" /* behind SQLite */

enum { WAIT_MS = 5000 };

static void digest(void *to, const char *s, size_t n)
{
    XXH3_128bits_update(to, s, n);
}

/* Of the database, and of what it has written, but not into its own file yet. */
static int hash_file(struct sl_parse *p, const char *path, struct sl_err *err)
{
    XXH3_state_t *h = sl_must(XXH3_createState());
    struct sl_buf wal = {0};
    char *buf = sl_realloc(NULL, 1 << 20);
    int rc = 0;

    sl_buf_addf(&wal, "%s-wal", path);
    XXH3_128bits_reset(h);
    for (int part = 0; part < 2 && !rc; part++) {
        struct sl_bytes *b;
        ssize_t n;
        if (part && (p->region ? !p->wal : sl_is_gone(wal.s)))
            break;
        if ((rc = sl_bytes_open(&b, part ? wal.s : path, part ? p->wal : p->region, true, err)))
            break;
        sl_bytes_watch(b, digest, h);
        while ((n = sl_bytes_read(b, buf, 1 << 20)) > 0)
            p->bytes += (uint64_t)n;
        if (n < 0)
            rc = sl_err(err, SL_EIO, "%s: reading failed: %s", path, strerror(errno));
        sl_bytes_close(b);
    }
    if (!rc) {
        XXH128_hash_t d = XXH3_128bits_digest(h);
        snprintf(p->hash, sizeof p->hash, "%016llx%016llx", (unsigned long long)d.high64, (unsigned long long)d.low64);
    }
    sl_buf_free(&wal);
    XXH3_freeState(h);
    free(buf);
    return rc;
}

static int fail(sqlite3 *db, const char *path, const char *table, int64_t row, struct sl_err *err)
{
    int rc = sqlite3_errcode(db) & 0xff;
    const char *hint = "";
    char at[200] = "";

    if (table)
        snprintf(at, sizeof at, "#%s:%lld", table, (long long)row);
    if (rc == SQLITE_BUSY || rc == SQLITE_LOCKED)
        hint = "; another program has locked it: import it when that has ended, or import a copy";
    else if (rc == SQLITE_NOTADB)
        hint = "; nothing of it was imported";
    else if (rc == SQLITE_CORRUPT)
        hint = "; what could be read was imported (`sqlite3 FILE .recover` may save more)";
    return sl_err(err, rc == SQLITE_BUSY ? SL_EBUSY : SL_EIO, "%s%s: %s%s", path, at, sl_sqlite_words(db), hint);
}

static int try_open(sqlite3 **db, const char *path, const char *how)
{
    struct sl_buf uri = {0};
    int rc;

    sl_buf_adds(&uri, "file:");
    for (const char *s = path; *s; s++) {
        if (strchr("%?#", *s))
            sl_buf_addf(&uri, "%%%02X", (unsigned char)*s);
        else
            sl_buf_addc(&uri, *s);
    }
    sl_buf_adds(&uri, how);
    rc = sqlite3_open_v2(uri.s, db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_OK) {
        sqlite3_busy_timeout(*db, WAIT_MS);
        rc = sqlite3_exec(*db, "BEGIN; SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
    }
    sl_buf_free(&uri);
    return rc & 0xff;
}

/* Copies what there is under the name `to`; region: see sl_bytes_open(). */
static int copy_file(const char *from, const struct sl_region *region, const char *to, struct sl_err *err)
{
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), rc;

    if (out < 0)
        return sl_err(err, SL_EIO, "%s: cannot write it: %s; TMPDIR names another folder", to, strerror(errno));
    rc = sl_bytes_copy(from, region, out, err);
    close(out);
    return rc;
}

/* A private copy of the database and its -wal (NULL: it has none), already unlinked once it is open. */
static int open_copy(sqlite3 **db, struct sl_parse *p, const char *path, const char *wal, struct sl_err *err)
{
    static const char *const end[] = {"/db", "/db-wal", "/db-shm"};
    char dir[PATH_MAX];
    struct sl_buf name[3] = {0};
    int rc = sl_temporary_folder(dir, "spanloom-", err);

    if (rc)
        return sl_err_wrap(err, "%s: a copy is to be read", path);
    for (int i = 0; i < 3; i++) {
        sl_buf_addf(&name[i], "%s%s", dir, end[i]);
        sl_temporary_watch(name[i].s);
    }
    rc = copy_file(path, p->region, name[0].s, err);
    if (!rc && wal)
        rc = copy_file(wal, p->wal, name[1].s, err);
    if (!rc && try_open(db, name[0].s, wal ? "?mode=ro" : "?immutable=1") != SQLITE_OK)
        rc = fail(*db, path, NULL, 0, err);
    for (int i = 0; i < 3; i++) {
        sl_temporary_gone(name[i].s);
        sl_buf_free(&name[i]);
    }
    sl_temporary_gone(dir);
    return rc;
}

/* The beginning of the database itself; where it lies compressed or in an archive (1), only a copy is a file. */
static int wants_copy(const struct sl_parse *p, const char *path, unsigned char head[20], struct sl_err *err)
{
    struct sl_bytes *b;
    char buf[64 * 1024];
    ssize_t n;
    int rc = sl_bytes_open(&b, path, p->region, false, err);

    if (rc)
        return rc;
    if ((n = sl_bytes_read(b, buf, sizeof buf)) >= 20)
        memcpy(head, buf, 20);
    rc = n < 0 ? sl_err(err, SL_EIO, "%s: reading failed: %s", path, strerror(errno))
               : sl_bytes_packed(b) || p->region != NULL;
    sl_bytes_close(b);
    return rc;
}

/*
 * Read-only.  A database in WAL mode wants to write its -shm file: where nothing waits in a -wal, it is taken as it
 * stands, so that nothing is left beside it; where something waits and we may not write there, a copy is read.
 */
static int open_database(sqlite3 **db, struct sl_parse *p, const char *path, struct sl_err *err)
{
    unsigned char head[20] = {0};
    struct sl_buf wal = {0};
    struct stat sb;
    int rc = SQLITE_OK, out, copy = wants_copy(p, path, head, err);
    bool in_wal_mode = head[18] == 2, waiting; /* sqlite.org/fileformat */

    if (copy < 0)
        return copy;
    sl_buf_addf(&wal, "%s-wal", path);
    waiting = p->region ? p->wal != NULL : !copy && !sl_is_gone(wal.s) && (stat(wal.s, &sb) != 0 || sb.st_size > 0);
    if (!copy) {
        rc = try_open(db, path, in_wal_mode && !waiting ? "?immutable=1" : "?mode=ro");
        copy = in_wal_mode && waiting && (rc == SQLITE_CANTOPEN || rc == SQLITE_READONLY);
        if (copy) {
            sqlite3_close(*db);
            *db = NULL;
        }
    }
    if (copy)
        out = open_copy(db, p, path, waiting ? wal.s : NULL, err);
    else
        out = rc == SQLITE_OK ? 0 : fail(*db, path, NULL, 0, err);
    sl_buf_free(&wal);
    return out;
}

struct column {
    int slot;
    const char *name;
    size_t n;
    int from; /* index in the result */
};

static struct sl_value column_value(sqlite3_stmt *q, int i)
{
    switch (sqlite3_column_type(q, i)) {
    case SQLITE_INTEGER: return (struct sl_value){.kind = SL_INT, .i = sqlite3_column_int64(q, i)};
    case SQLITE_FLOAT: return (struct sl_value){.kind = SL_REAL, .d = sqlite3_column_double(q, i)};
    case SQLITE_NULL: return (struct sl_value){.kind = SL_NONE};
    default: {
        const char *s = sqlite3_column_blob(q, i);
        return (struct sl_value){.kind = SL_TEXT, .s = s ? s : "", .n = (uint32_t)sqlite3_column_bytes(q, i)};
    }
    }
}

static int read_table(struct sl_parse *p, sqlite3 *db, const char *path, const struct sl_input_table *t,
                      struct sl_err *err)
{
    SL_VEC(struct column) cols = {0};
    struct sl_arena names = {0}; /* not the batch's: that may be handed on in mid-table */
    struct sl_buf sql = {0};
    sqlite3_stmt *info = NULL, *q = NULL;
    char *quoted = sqlite3_mprintf("\"%w\"", t->name);
    int rc = SQLITE_OK, out = 0, n = 1;
    int64_t row = 0;
    bool keyed;

    if (!quoted)
        return fail(db, path, t->name, 0, err);
    /* views and tables WITHOUT ROWID are numbered by us */
    sl_buf_addf(&sql, "SELECT rowid FROM %s LIMIT 0", quoted);
    rc = sqlite3_prepare_v2(db, sql.s, -1, &info, NULL);
    keyed = rc == SQLITE_OK;
    sqlite3_finalize(info);
    sl_buf_clear(&sql);
    sl_buf_addf(&sql, "PRAGMA table_info(%s)", quoted);
    if (rc == SQLITE_OK || rc == SQLITE_ERROR)
        rc = sqlite3_prepare_v2(db, sql.s, -1, &info, NULL);
    else
        info = NULL;
    sl_buf_clear(&sql);
    sl_buf_adds(&sql, keyed ? "SELECT rowid" : "SELECT NULL");
    while (rc == SQLITE_OK && (rc = sqlite3_step(info)) == SQLITE_ROW) {
        rc = SQLITE_OK;
        const char *name = (const char *)sqlite3_column_text(info, 1);
        size_t len = strlen(name), before = cols.n;
        int slot = sl_parse_slot(p, name, len);
        if (slot >= 0 || p->recipe->wants_all)
            *sl_vec_add(&cols) = (struct column){slot, sl_arena_copy(&names, name, len), len, n};
        for (int i = 0; i < t->nrename; i++)
            if (!strcmp(t->rename[i].column, name))
                *sl_vec_add(&cols) = (struct column){t->rename[i].field, NULL, 0, n};
        if (cols.n > before) {
            char *c = sqlite3_mprintf(", \"%w\"", name);
            sl_buf_adds(&sql, c);
            sqlite3_free(c);
            n++;
        }
    }
    sqlite3_finalize(info);
    rc = rc == SQLITE_DONE ? SQLITE_OK : rc;
    sl_buf_addf(&sql, " FROM %s", quoted);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(db, sql.s, -1, &q, NULL);
    while (rc == SQLITE_OK && !sl_parse_stopped(p)) {
        int step = sqlite3_step(q);
        if (step != SQLITE_ROW) {
            rc = step == SQLITE_DONE ? SQLITE_OK : step;
            break;
        }
        row = keyed ? sqlite3_column_int64(q, 0) : row + 1;
        sl_parse_begin(p, row);
        for (size_t i = 0; i < cols.n; i++)
            sl_parse_set(p, cols.v[i].slot, cols.v[i].name, cols.v[i].n, column_value(q, cols.v[i].from));
        sl_parse_end(p);
    }
    if (rc != SQLITE_OK)
        out = fail(db, path, t->name, row + 1, err);
    sqlite3_finalize(q);
    sqlite3_free(quoted);
    sl_buf_free(&sql);
    sl_vec_free(&cols);
    sl_arena_free(&names);
    return out;
}

/* 1: it has; 0: it has not; negative: who knows. */
static int has_table(sqlite3 *db, const char *path, const char *name, struct sl_err *err)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(db, "SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view') AND name = ?", -1, &q,
                                NULL);

    if (rc == SQLITE_OK) {
        sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
        rc = sqlite3_step(q);
    }
    rc = rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : fail(db, path, name, 0, err);
    sqlite3_finalize(q);
    return rc;
}

static int run(struct sl_parse *p, const char *path, struct sl_err *err)
{
    sqlite3 *db = NULL;
    struct sl_err first = {0};
    int rc = 0, one;

    if (p->mode == SL_PARSE_IMPORT && (rc = hash_file(p, path, err)))
        return rc;
    if (p->bytes == 0 && p->mode == SL_PARSE_IMPORT)
        return sl_err(err, SL_EFORMAT, "%s: empty; no database was written here", path);
    rc = open_database(&db, p, path, err);
    if (!rc && (rc = has_table(db, path, "sl_source", err)) > 0)
        rc = sl_err(err, SL_EFORMAT,
                    "%s: a store of Spanloom's, which is queried and not imported; see: spanloom info -d %s", path,
                    path);
    for (int i = 0; i < p->input->ntable && !rc && !sl_parse_stopped(p); i++) {
        const struct sl_input_table *t = &p->input->table[i];
        if ((one = has_table(db, path, t->name, &first)) > 0)
            one = sl_parse_part(p, t->name) ? read_table(p, db, path, t, &first) : 0; /* others may be sound */
        if (one && err && !err->code)
            *err = first;
    }
    if (!rc && first.code)
        rc = first.code;
    sqlite3_close(db);
    if (p->progress)
        atomic_fetch_add_explicit(p->progress, (unsigned long long)p->bytes, memory_order_relaxed);
    return rc;
}

const struct sl_reader sl_reader_sqlite = {
    .name = "sqlite",
    .keys = " tables empty defaults ",
    .run = run,
    .tables = true,
};
