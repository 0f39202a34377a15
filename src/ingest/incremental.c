/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of the files that were found are new: by path, by content, and by the company they keep.  Nothing is decided by
 * a file that cannot be read: its error is that of the file which it was to be decided of, which is left out.
 */
#include "base/buf.h"
#include "base/files/folder.h"
#include "ingest/file_contents.h"
#include "ingest/import_internal.h"
#include "ingest_incremental.sql.h"
#include "unpack/archive.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool hash_prefix(struct sl_import_file *f, uint64_t bytes, char out[33])
{
    struct sl_beginning b;
    bool ok;

    sl_beginning_open(&b, f->found, true, &f->err);
    ok = sl_beginning_hash(&b, bytes, out);
    sl_beginning_close(&b);
    return ok;
}

/* Is it called as compressed files are? */
static bool is_packed(const struct sl_found *f)
{
    return strlen(f->path) != strlen(f->log);
}

/* Does f begin with bytes of this hash, or, not as_is, what it holds?  whole: is that all of it? */
static bool begins_with(struct sl_import_file *f, bool as_is, uint64_t bytes, const char *hash, bool *whole)
{
    struct sl_beginning b;
    char now[33];
    bool yes;

    sl_beginning_open(&b, f->found, as_is, &f->err);
    yes = sl_beginning_hash(&b, bytes, now) && !strcmp(now, hash);
    *whole = yes && sl_beginning_is_all(&b);
    sl_beginning_close(&b);
    return yes;
}

/* Is a file of the store still there, or what it was packed into? */
static bool is_there(const char *path)
{
    char *above = sl_strdup(path);
    bool there = !sl_is_gone(path);

    for (char *slash; !there && (slash = strrchr(above, '/')) && slash > above;) {
        *slash = 0;
        there = sl_archive_named(above) && !sl_is_gone(above);
    }
    free(above);
    return there;
}

/* The fields that a path gives, as JSON; without those that name the root, so that copies of a run agree. */
static char *context_of(const struct sl_found *f)
{
    struct sl_match *m = sl_match_new();
    const size_t *at = sl_pattern_match(f->files, m, f->log, strlen(f->log), 0);
    struct sl_buf b = {0};

    sl_buf_addc(&b, '{');
    for (uint32_t i = 0; at && i < f->files->ncaptures; i++) {
        const struct sl_capture *c = &f->files->capture[i];
        if (at[2 * c->group] == PCRE2_UNSET || f->path[at[2 * c->group]] == '/')
            continue; /* {rundir}/: where the run lies */
        if (b.n > 1)
            sl_buf_addc(&b, ',');
        sl_buf_add_json(&b, c->name, strlen(c->name));
        sl_buf_addc(&b, ':');
        sl_buf_add_json(&b, f->path + at[2 * c->group], at[2 * c->group + 1] - at[2 * c->group]);
    }
    sl_buf_addc(&b, '}');
    sl_match_free(m);
    return b.s;
}

/* The folder that the path pattern takes for the root ({rundir}/ at its beginning); "" if none. */
static void root_of(const struct sl_found *f, char *out, size_t n)
{
    struct sl_match *m = sl_match_new();
    const size_t *at = sl_pattern_match(f->files, m, f->log, strlen(f->log), 0);

    *out = 0;
    for (uint32_t i = 0; at && i < f->files->ncaptures; i++) {
        const struct sl_capture *c = &f->files->capture[i];
        if (at[2 * c->group] == 0)
            snprintf(out, n, "%.*s", (int)at[2 * c->group + 1], f->path);
    }
    sl_match_free(m);
}

/* Same path: unchanged, grown, or another file.  0 or negative. */
static int same_path(struct sl_importing *m, struct sl_import_file *f, sqlite3_stmt *q, struct sl_err *err)
{
    int rc, all_same = 1, any = 0;

    sqlite3_reset(q);
    sqlite3_bind_text(q, 1, f->found->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 2, f->found->recipe->name, -1, SQLITE_STATIC);
    while ((rc = sl_store_step(m->st, q, err)) > 0) {
        uint64_t bytes = (uint64_t)sqlite3_column_int64(q, 1);
        bool untouched = bytes == f->found->bytes && sqlite3_column_int64(q, 2) == f->found->mtime_ns &&
                         !f->found->input->reader->mapped;
        char now[33];
        any = 1;
        f->known = sqlite3_column_int64(q, 0);
        if (strcmp(sl_import_text(q, 4), f->found->recipe->hash) != 0)
            all_same = 0; /* the recipe was changed: it may say more now */
        if (untouched)
            continue;
        if (bytes == f->found->bytes && hash_prefix(f, bytes, now) && !strcmp(now, sl_import_text(q, 3)))
            continue; /* touched only */
        all_same = 0;
        if (f->found->input->reader->grows && sl_import_text(q, 3)[0])
            f->replaces =
                !(f->found->bytes >= bytes && hash_prefix(f, bytes, now) && !strcmp(now, sl_import_text(q, 3)));
        if (f->found->input->reader->appends && sl_import_text(q, 3)[0] && !f->replaces &&
            sqlite3_column_int64(q, 5) > 0 && !strcmp(sl_import_text(q, 4), f->found->recipe->hash)) {
            f->since = sqlite3_column_int64(q, 5);
            f->tail_hash = sl_arena_copy(&m->arena, sl_import_text(q, 6), strlen(sl_import_text(q, 6)));
            f->tail_spans = sl_arena_copy(&m->arena, sl_import_text(q, 7), strlen(sl_import_text(q, 7)));
        }
    }
    f->skip = any && all_same;
    return rc;
}

/* STEM.pfw or STEM.pfw.gz, and STEM.slt is no more: this says all that it said when the process was alive. */
static int outlives(struct sl_importing *m, struct sl_import_file *f, sqlite3_stmt *q, struct sl_err *err)
{
    const struct sl_recipe *r = f->found->recipe;
    const char *name = f->found->name, *slash = strrchr(name, '/'), *dot;
    size_t n = strlen(name);
    struct sl_buf old = {0};
    int rc = 0;

    n -= n > 3 && !strcmp(name + n - 3, ".gz") ? 3 : 0;
    dot = memrchr(name, '.', n);
    for (int i = 0; i < r->ninput && dot && dot > slash && !f->known && !rc; i++) {
        if (!r->input[i].reader->mapped || f->found->input->reader->mapped)
            continue;
        sl_buf_clear(&old);
        sl_buf_addf(&old, "%.*s%s", (int)(dot - name), name, r->input[i].reader->mapped);
        sqlite3_reset(q);
        sqlite3_bind_text(q, 1, old.s, -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 2, r->name, -1, SQLITE_STATIC);
        if ((rc = sl_store_step(m->st, q, err)) > 0) {
            rc = 0;
            f->replaces = sl_is_gone(old.s);
            f->known = f->replaces ? sqlite3_column_int64(q, 0) : 0;
        }
        sqlite3_reset(q);
    }
    sl_buf_free(&old);
    return rc;
}

static const char *const endings[] = {"", ".gz", ".zst", ".xz", ".bz2"};
enum { ENDINGS = sizeof endings / sizeof *endings };

/* What has come in the place of a log, compressed, or of what was the log, compressed: its records are told once. */
static int repacked(struct sl_importing *m, struct sl_import_file *f, sqlite3_stmt *q, struct sl_err *err)
{
    size_t n = strlen(f->found->name) - (strlen(f->found->path) - strlen(f->found->log));
    struct sl_buf old = {0};
    int rc = 0;

    for (size_t i = 0; i < ENDINGS && !f->known && !f->found->region && !rc; i++) {
        sl_buf_clear(&old);
        sl_buf_addf(&old, "%.*s%s", (int)n, f->found->name, endings[i]);
        if (!strcmp(old.s, f->found->name) || !sl_is_gone(old.s))
            continue;
        sqlite3_reset(q);
        sqlite3_bind_text(q, 1, old.s, -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 2, f->found->recipe->name, -1, SQLITE_STATIC);
        if ((rc = sl_store_step(m->st, q, err)) > 0) {
            rc = 0;
            f->known = sqlite3_column_int64(q, 0);
            f->replaces = true;
        }
    }
    sqlite3_reset(q);
    sl_buf_free(&old);
    return rc;
}

/* How what f holds and what another file does go together. */
static enum sl_beginnings compare(struct sl_import_file *f, const struct sl_found *other)
{
    int how = sl_found_compare(f->found, other, f->err.code ? NULL : &f->err);

    return how < 0 ? SL_APART : (enum sl_beginnings)how;
}

/* The same of a file that the store knows, if it is there, and for us. */
static enum sl_beginnings against(struct sl_import_file *f, char *other)
{
    struct sl_found at = {.path = other, .log = other};

    return sl_is_gone(other) || (access(other, R_OK) != 0 && errno == EACCES) ? SL_APART : compare(f, &at);
}

/* Is f what the log at `now` was at an earlier time? */
static bool is_older(struct sl_import_file *f, char *now)
{
    return f->found->input->reader->grows && against(f, now) == SL_FIRST_BEGINS;
}

/*
 * A run that was moved or copied: a folder whose files stand at the same places below another folder, which the store
 * or an earlier file of this import knows.  One file of some size must be the same, or have grown; logs hold times, so
 * that does not happen by chance.
 */
enum { TELLING = 200, APART = 4096 }; /* bytes; headings may be longer than the first, but not than the second */

static bool continues(const struct sl_import_file *f, struct sl_beginning *b, uint64_t bytes, const char *hash)
{
    char now[33];

    return (bytes == f->found->bytes || f->found->input->reader->grows) && sl_beginning_hash(b, bytes, now) &&
           !strcmp(now, hash);
}

/* The file was moved: from here on this recipe knows it by its new path. */
static void rename_source(struct sl_importing *m, int64_t source, const char *path)
{
    sl_store_run(m->st, sql_rename_source, NULL, "it", source, path);
    m->renamed = true;
}

/* Does old end as path does below root? */
static bool same_place(const char *path, const char *root, const char *old)
{
    size_t tail = strlen(path) - strlen(root), no = strlen(old);
    return no > tail && !strcmp(old + no - tail, path + strlen(root));
}

/* A copy of another one of this import, which is read in its stead. */
static void skip_for(struct sl_importing *m, struct sl_import_file *f, const struct sl_import_file *other)
{
    m->out->twins += !f->skip;
    f->skip = true;
    f->twin = other;
}

/* Is f read in the stead of this one? */
static bool stands_for(const struct sl_import_file *f, const struct sl_import_file *this)
{
    while (this->skip && this->twin && this != f)
        this = this->twin;
    return this == f;
}

/* The files of f's folder, each against the file at the same place of the folder that f's twin `old` lies in. */
static int copy_of_folder(struct sl_importing *m, const struct sl_import_file *f, const char *old, const char *root,
                          struct sl_err *err)
{
    size_t nr = strlen(root), no = strlen(old),
           tail = strlen(same_place(f->found->path, root, old) ? f->found->path : f->found->log) - nr;
    char *old_root = sl_arena_copy(&m->arena, old, no - tail);
    sqlite3_stmt *q = sl_store_prepare(m->st, sql_copy_of_folder, err);
    struct sl_buf at = {0};
    sqlite3_stmt *s = sl_store_prepare(m->st, sql_insert_shared, err);

    if (!q || !s) {
        sqlite3_finalize(q);
        return SL_ESTORE;
    }
    sqlite3_bind_text(s, 1, root, -1, SQLITE_STATIC); /* files that come to the copy later need it, too */
    sqlite3_bind_text(s, 2, old_root, -1, SQLITE_STATIC);
    if (sqlite3_step(s) == SQLITE_DONE && sqlite3_changes(m->st->db) > 0)
        m->renamed = true;
    sqlite3_finalize(s);
    *sl_vec_add(&m->moved) = (struct sl_moved){sl_arena_copy(&m->arena, root, nr), old_root};
    for (size_t k = 0; k < m->n; k++) {
        struct sl_import_file *g = &m->file[k];
        const struct sl_found *found = g->found;
        if (strncmp(found->path, root, nr) != 0 || found->path[nr] != '/')
            continue;
        for (size_t i = 1; i < ENDINGS && !is_packed(found) && !g->known && !g->skip; i++) { /* unpacked again */
            enum sl_beginnings how;
            sl_buf_clear(&at);
            sl_buf_addf(&at, "%s%s%s", old_root, found->path + nr, endings[i]);
            sqlite3_reset(q);
            sqlite3_bind_text(q, 1, at.s, -1, SQLITE_STATIC);
            sqlite3_bind_text(q, 2, found->recipe->name, -1, SQLITE_STATIC);
            if (sqlite3_step(q) != SQLITE_ROW)
                continue;
            how = against(g, at.s);
            g->skip = how == SL_BOTH_SAME || (how == SL_FIRST_BEGINS && found->input->reader->grows);
            g->replaces = how == SL_SECOND_BEGINS;
            g->known = g->replaces ? sqlite3_column_int64(q, 0) : 0;
        }
        for (int held = 0; held <= is_packed(found) && !g->known && !g->skip; held++) { /* then against what it holds */
            bool whole;
            sl_buf_clear(&at);
            sl_buf_addf(&at, "%s%s", old_root, (held ? found->log : found->path) + nr);
            sqlite3_reset(q);
            sqlite3_bind_text(q, 1, at.s, -1, SQLITE_STATIC);
            sqlite3_bind_text(q, 2, found->recipe->name, -1, SQLITE_STATIC);
            if (sqlite3_step(q) == SQLITE_ROW) {
                bool begins = begins_with(g, !held, (uint64_t)sqlite3_column_int64(q, 1), sl_import_text(q, 2), &whole);
                bool moved = begins && !is_there(at.s);
                bool held_grew = !begins && is_packed(found) && !held && found->input->reader->grows &&
                                 against(g, at.s) == SL_SECOND_BEGINS;
                g->skip = (whole && !(moved && held)) ||
                          (!begins && (is_packed(found) || (uint64_t)sqlite3_column_int64(q, 1) > found->bytes) &&
                           is_older(g, at.s));
                if (moved && !held)
                    rename_source(m, sqlite3_column_int64(q, 0), found->name);
                if (!g->skip && (begins || held_grew || (!held && !found->input->reader->grows)))
                    g->known = sqlite3_column_int64(q, 0); /* grown since */
                g->replaces |= g->known && (held || held_grew);
            }
            for (size_t i = 0; i < m->n && !g->skip && !g->known; i++) { /* or of this very import */
                const struct sl_found *o = m->file[i].found;
                enum sl_beginnings how;
                if (o->recipe != found->recipe || strcmp(o->path, at.s) != 0 || stands_for(g, &m->file[i]))
                    continue;
                how = compare(g, o);
                if (how == SL_SECOND_BEGINS && o->input->reader->grows) {
                    skip_for(m, &m->file[i], g);
                    break;
                }
                if (how == SL_BOTH_SAME || (how == SL_FIRST_BEGINS && found->input->reader->grows))
                    skip_for(m, g, &m->file[i]);
            }
        }
    }
    sl_buf_free(&at);
    sqlite3_finalize(q);
    return 0;
}

static int by_context(const void *x, const void *y)
{
    const struct sl_import_file *a = *(struct sl_import_file *const *)x, *b = *(struct sl_import_file *const *)y;
    int c = a->found->recipe < b->found->recipe ? -1 : a->found->recipe > b->found->recipe;

    if (!c)
        c = strcmp(a->context, b->context);
    if (!c)
        c = a->found->bytes < b->found->bytes ? -1 : a->found->bytes > b->found->bytes;
    return c ? c : a < b ? -1 : a > b;
}

static bool of_one_kind(const struct sl_import_file *a, const struct sl_import_file *b)
{
    return a->found->recipe == b->found->recipe && !strcmp(a->context, b->context);
}

static bool is_new(const struct sl_import_file *f)
{
    return *f->head_hash && !f->skip && !f->known;
}

/* Copies within this import: same recipe, context and beginning are rare, so only these are compared. */
static int find_twins(struct sl_importing *m, struct sl_err *err)
{
    struct sl_import_file **v = sl_alloc((m->n + 1) * sizeof *v);
    int rc = 0;

    for (size_t i = 0; i < m->n; i++)
        v[i] = &m->file[i];
    qsort(v, m->n, sizeof *v, by_context);
    for (size_t i = 0, at = 0; i < m->n && !rc; i++) {
        at = i && !of_one_kind(v[i - 1], v[i]) ? i : at;
        for (size_t k = at; k < m->n && !rc && is_new(v[i]) && of_one_kind(v[k], v[i]); k++) {
            const struct sl_found *f = v[i]->found, *o = v[k]->found;
            enum sl_beginnings how;
            char root[4096];
            if (k == i || v[k]->skip || (k > i && is_packed(o) == is_packed(f)) || (is_packed(o) && !is_packed(f)) ||
                strcmp(v[k]->head_hash, v[i]->head_hash) != 0 ||
                (*v[k]->page_hash && *v[i]->page_hash && strcmp(v[k]->page_hash, v[i]->page_hash) != 0))
                continue;
            root_of(f, root, sizeof root);
            if (!*root || !(same_place(f->path, root, o->path) || same_place(f->log, root, o->path)))
                continue;
            how = compare(v[i], o);
            if (how == SL_BOTH_SAME || (how != SL_APART && f->input->reader->grows))
                rc = copy_of_folder(m, v[i], o->path, root, err);
        }
    }
    free(v);
    return rc;
}

/* Of what it holds, if it is called as compressed files are. */
static void hash_head(struct sl_import_file *f)
{
    struct sl_beginning b;

    sl_beginning_open(&b, f->found, !is_packed(f->found), &f->err);
    if (!sl_beginning_hash(&b, TELLING, f->head_hash))
        *f->head_hash = 0;
    if (!sl_beginning_hash(&b, APART, f->page_hash))
        *f->page_hash = 0;
    sl_beginning_close(&b);
}

/* bytes, head: of f, or of what it holds */
static void ask(sqlite3_stmt *q, const struct sl_import_file *f, uint64_t bytes, const char *head, const char *hash)
{
    sqlite3_reset(q);
    sqlite3_bind_text(q, 1, f->found->recipe->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 2, f->context, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 3, f->found->name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(q, 4, (int64_t)bytes);
    sqlite3_bind_text(q, 5, head, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 6, hash, -1, SQLITE_STATIC);
}

struct copies { /* queries: a file as long as this; of this content; that this one may continue; of these the compressed
                 */
    sqlite3_stmt *as_long, *equal, *begun, *packed;
};

/* The stored file that f, at another place, is a copy of, or continues, or was once; NULL: none. */
static char *find_original(struct sl_importing *m, struct sl_import_file *f, struct sl_beginning *b, const char *root,
                           struct copies *c)
{
    sqlite3_stmt *q = f->found->input->reader->grows ? c->begun : c->equal;
    char hash[33] = "", *old = NULL;

    if (q == c->equal) {
        ask(c->as_long, f, f->found->bytes, f->head_hash, NULL);
        if (sqlite3_step(c->as_long) != SQLITE_ROW || !sqlite3_column_int(c->as_long, 0) ||
            !sl_beginning_hash(b, f->found->bytes, hash))
            return NULL;
    }
    ask(q, f, q == c->equal ? f->found->bytes : INT64_MAX, f->head_hash, hash);
    while (!old && sqlite3_step(q) == SQLITE_ROW) {
        uint64_t bytes = (uint64_t)sqlite3_column_int64(q, 1);
        char *at = sl_arena_copy(&m->arena, sl_import_text(q, 0), strlen(sl_import_text(q, 0)));
        if (same_place(f->found->path, root, at) &&
            (bytes > f->found->bytes ? is_older(f, at) : continues(f, b, bytes, sl_import_text(q, 2))))
            old = at;
    }
    sqlite3_reset(q);
    return old;
}

/* The same of a compressed file: the stored one that holds what it does, or begins as that, or goes on after it. */
static char *find_held(struct sl_importing *m, struct sl_import_file *f, const char *root, struct copies *c)
{
    struct sl_beginning b;
    char now[33], *old = NULL;

    sl_beginning_open(&b, f->found, false, &f->err);
    ask(c->begun, f, INT64_MAX, f->head_hash, NULL);
    while (*f->head_hash && !old && sqlite3_step(c->begun) == SQLITE_ROW) {
        char *at = sl_arena_copy(&m->arena, sl_import_text(c->begun, 0), strlen(sl_import_text(c->begun, 0)));
        if (same_place(f->found->path, root, at)) { /* compressed, too */
            enum sl_beginnings how = against(f, at);
            if (how == SL_BOTH_SAME || (how != SL_APART && f->found->input->reader->grows))
                old = at;
        } else if (same_place(f->found->log, root, at)) {
            if (sl_beginning_hash(&b, (uint64_t)sqlite3_column_int64(c->begun, 1), now)
                    ? !strcmp(now, sl_import_text(c->begun, 2)) &&
                          (f->found->input->reader->grows || sl_beginning_is_all(&b))
                    : is_older(f, at))
                old = at;
        }
    }
    sqlite3_reset(c->begun);
    sl_beginning_close(&b);
    return old;
}

/* The reverse: what the stored file would be called, had it not been compressed. */
static char *find_packed(struct sl_importing *m, struct sl_import_file *f, const char *root, struct copies *c)
{
    char *old = NULL;

    ask(c->packed, f, INT64_MAX, f->head_hash, NULL);
    while (!old && sqlite3_step(c->packed) == SQLITE_ROW) {
        const char *at = sl_import_text(c->packed, 0);
        size_t stem = sl_bytes_stem(at);
        char *packed = sl_arena_copy(&m->arena, at, strlen(at)), *plain = sl_arena_copy(&m->arena, at, stem);
        enum sl_beginnings how;
        if (!at[stem] || !same_place(f->found->path, root, plain))
            continue;
        how = against(f, packed);
        if (how == SL_BOTH_SAME || how == SL_SECOND_BEGINS ||
            (how == SL_FIRST_BEGINS && f->found->input->reader->grows))
            old = plain;
    }
    sqlite3_reset(c->packed);
    return old;
}

static int find_copies(struct sl_importing *m, struct sl_err *err)
{
    struct copies c = {sl_store_prepare(m->st, sql_as_long, err), sl_store_prepare(m->st, sql_find_equal, err),
                       sl_store_prepare(m->st, sql_find_begun, err), sl_store_prepare(m->st, sql_find_packed, err)};
    int rc = c.as_long && c.equal && c.begun && c.packed ? 0 : SL_ESTORE;

    for (size_t i = 0; i < m->n && !rc; i++) {
        struct sl_import_file *f = &m->file[i];
        struct sl_beginning b;
        char root[4096], *old = NULL;
        if (f->skip || f->found->bytes < TELLING)
            continue;
        sl_beginning_open(&b, f->found, true, &f->err);
        hash_head(f);
        root_of(f->found, root, sizeof root);
        if (!f->known && *root)
            old = find_original(m, f, &b, root, &c);
        sl_beginning_close(&b);
        if (!old && !f->known && *root && *f->head_hash)
            old = is_packed(f->found) ? find_held(m, f, root, &c) : find_packed(m, f, root, &c);
        if (old)
            rc = copy_of_folder(m, f, old, root, err);
    }
    sqlite3_finalize(c.as_long);
    sqlite3_finalize(c.equal);
    sqlite3_finalize(c.begun);
    sqlite3_finalize(c.packed);
    return rc;
}

int sl_import_known(struct sl_importing *m, struct sl_err *err)
{
    sqlite3_stmt *q = NULL;
    int rc = 0;

    if (!(q = sl_store_prepare(m->st, sql_import_known, err)))
        return SL_ESTORE;
    for (size_t i = 0; i < m->n && !rc; i++) {
        m->file[i].context = context_of(m->file[i].found);
        rc = same_path(m, &m->file[i], q, err);
        if (!rc && !m->file[i].known)
            rc = outlives(m, &m->file[i], q, err);
        if (!rc && !m->file[i].known)
            rc = repacked(m, &m->file[i], q, err);
    }
    sqlite3_finalize(q);
    if (!rc)
        rc = find_copies(m, err);
    if (!rc)
        rc = find_twins(m, err);
    for (size_t i = 0; i < m->n; i++) {
        struct sl_import_file *f = &m->file[i];
        f->rc = f->err.code;
        m->out->known += f->skip && !f->rc;
        f->skip |= f->rc != 0;
        m->left += !f->skip;
        m->total += f->skip ? 0 : f->found->bytes;
    }
    return rc;
}
