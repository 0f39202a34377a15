/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of an SQLite database; a place is a rowid.  Columns that an older version lacks are fields that are missing.
 * The database may be in use: it is read in one transaction, never written, and waited for a few seconds.
 */
#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "engine/apply.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WAIT_MS = 5000 };

/* Of the database, and of what it has written, but not into its own file yet. */
static int hash_file(struct sl_parse *p, const char *path, struct sl_err *err)
{
    XXH3_state_t *h;
    struct sl_buf wal = {0};
    char *buf;
    ssize_t n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return sl_err(err, SL_EIO, "%s: cannot read: %s", path, strerror(errno));
    sl_buf_addf(&wal, "%s-wal", path);
    h = sl_must(XXH3_createState());
    XXH3_128bits_reset(h);
    buf = sl_realloc(NULL, 1 << 20);
    for (int part = 0; part < 2 && fd >= 0; part++) {
        while ((n = read(fd, buf, 1 << 20)) > 0) {
            XXH3_128bits_update(h, buf, (size_t)n);
            p->bytes += (uint64_t)n;
        }
        close(fd);
        fd = part || n < 0 ? -1 : open(wal.s, O_RDONLY | O_CLOEXEC);
    }
    sl_buf_free(&wal);
    if (n < 0)
        sl_err(err, SL_EIO, "%s: reading failed: %s", path, strerror(errno));
    else {
        XXH128_hash_t d = XXH3_128bits_digest(h);
        snprintf(p->hash, sizeof p->hash, "%016llx%016llx", (unsigned long long)d.high64, (unsigned long long)d.low64);
    }
    XXH3_freeState(h);
    free(buf);
    return n < 0 ? SL_EIO : 0;
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
    return sl_err(err, rc == SQLITE_BUSY ? SL_EBUSY : SL_EIO, "%s%s: %s%s", path, at, sqlite3_errmsg(db), hint);
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

static bool copy_file(const char *from, const char *to)
{
    char *buf = sl_realloc(NULL, 1 << 18);
    int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    ssize_t n = in < 0 || out < 0 ? -1 : 0;

    while (n >= 0 && (n = read(in, buf, 1 << 18)) > 0)
        if (write(out, buf, (size_t)n) != n)
            n = -1;
    if (in >= 0)
        close(in);
    if (out >= 0 && close(out) != 0)
        n = -1;
    free(buf);
    return n == 0;
}

/* A private copy of the database and its -wal, already unlinked once it is open. */
static int open_copy(sqlite3 **db, const char *path, const char *wal)
{
    const char *tmp = getenv("TMPDIR"), *const end[] = {"/db", "/db-wal", "/db-shm"};
    struct sl_buf dir = {0}, name = {0};
    int rc = SQLITE_CANTOPEN;

    sl_buf_addf(&dir, "%s/spanloom-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (mkdtemp(dir.s)) {
        bool ok;
        sl_buf_addf(&name, "%s/db", dir.s);
        ok = copy_file(path, name.s);
        sl_buf_adds(&name, "-wal");
        ok = ok && copy_file(wal, name.s);
        name.s[name.n - 4] = 0;
        if (ok)
            rc = try_open(db, name.s, "?mode=ro");
        for (int i = 0; i < 3; i++) {
            sl_buf_clear(&name);
            sl_buf_addf(&name, "%s%s", dir.s, end[i]);
            unlink(name.s);
        }
        rmdir(dir.s);
    }
    sl_buf_free(&dir);
    sl_buf_free(&name);
    return rc;
}

/*
 * Read-only.  A database in WAL mode wants to write its -shm file: where nothing waits in a -wal, it is taken as it
 * stands, so that nothing is left beside it; where something waits and we may not write there, a copy is read.
 */
static int open_database(sqlite3 **db, const char *path, struct sl_err *err)
{
    unsigned char head[20] = {0};
    struct sl_buf wal = {0};
    struct stat sb;
    int fd = open(path, O_RDONLY | O_CLOEXEC), rc;
    bool in_wal_mode =
        fd >= 0 && read(fd, head, sizeof head) == sizeof head && head[18] == 2; /* sqlite.org/fileformat */
    bool waiting;

    if (fd >= 0)
        close(fd);
    sl_buf_addf(&wal, "%s-wal", path);
    waiting = stat(wal.s, &sb) == 0 && sb.st_size > 0;
    rc = try_open(db, path, in_wal_mode && !waiting ? "?immutable=1" : "?mode=ro");
    if (in_wal_mode && waiting && (rc == SQLITE_CANTOPEN || rc == SQLITE_READONLY)) {
        sqlite3_close(*db);
        *db = NULL;
        rc = open_copy(db, path, wal.s);
    }
    sl_buf_free(&wal);
    return rc == SQLITE_OK ? 0 : fail(*db, path, NULL, 0, err);
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
    keyed = sqlite3_prepare_v2(db, sql.s, -1, &info, NULL) == SQLITE_OK;
    sqlite3_finalize(info);
    sl_buf_clear(&sql);
    sl_buf_addf(&sql, "PRAGMA table_info(%s)", quoted);
    rc = sqlite3_prepare_v2(db, sql.s, -1, &info, NULL);
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

static bool has_table(sqlite3 *db, const char *name)
{
    sqlite3_stmt *q;
    bool there = false;

    if (sqlite3_prepare_v2(db, "SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view') AND name = ?", -1, &q,
                           NULL) == SQLITE_OK) {
        sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
        there = sqlite3_step(q) == SQLITE_ROW;
    }
    sqlite3_finalize(q);
    return there;
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
    rc = open_database(&db, path, err);
    if (!rc && has_table(db, "sl_source"))
        rc = sl_err(err, SL_EFORMAT,
                    "%s: a store of Spanloom's, which is queried and not imported; see: spanloom info -d %s", path,
                    path);
    for (int i = 0; i < p->input->ntable && !rc && !sl_parse_stopped(p); i++) {
        const struct sl_input_table *t = &p->input->table[i];
        if (!has_table(db, t->name) || !sl_parse_part(p, t->name))
            continue;
        one = read_table(p, db, path, t, &first); /* the other tables may be sound */
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
