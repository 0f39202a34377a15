/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields that one file of a scope tells and all others need: the run id, told by parsl.log, for all files of the run
 * directory.  They are gathered before anything is read in earnest, so that the order of files does not matter.
 */
#include "base/buf.h"
#include "ingest/import_internal.h"
#include "ingest_scope.sql.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct wider { /* what was found of the last folder */
    const char *by, *folder;
    size_t n;
};

struct teller {
    struct sl_importing *m;
    const struct sl_found *found;
    struct sl_shares *to;
};

static void take_shares(void *to, struct sl_batch *b)
{
    struct teller *t = to;

    for (size_t i = 0; i < b->shares.n; i++) {
        const struct sl_batch_share *s = &b->shares.v[i];
        size_t n = strlen(s->scope), k;
        bool inside = !strncmp(t->found->path, s->scope, n) && t->found->path[n] == '/';
        for (k = 0; k < t->to->v.n; k++)
            if (!strcmp(t->to->v.v[k].field, s->field) && !strcmp(t->to->v.v[k].scope, s->scope))
                break;
        if (k < t->to->v.n && t->to->v.v[k].inside && !inside)
            continue;
        if (k == t->to->v.n)
            sl_vec_add(&t->to->v);
        t->to->v.v[k] = (struct sl_shared_value){
            sl_arena_copy(&t->m->arena, s->field, strlen(s->field)), sl_arena_copy(&t->m->arena, s->scope, n),
            sl_arena_copy(&t->m->arena, s->value, strlen(s->value)), inside, false};
    }
    sl_batch_free(b);
}

/* The value that the store has; NULL: none.  Valid until the next call. */
static const char *stored_value(sqlite3_stmt *q, const char *field, const char *scope, size_t n)
{
    sqlite3_reset(q);
    sqlite3_bind_text(q, 1, field, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 2, scope, (int)n, SQLITE_STATIC);
    return sqlite3_step(q) == SQLITE_ROW ? sl_import_text(q, 0) : NULL;
}

/* What is known of a copy holds of the original, and the reverse. */
static int share_copies(struct sl_importing *m, struct sl_shares *to, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(m->st, sql_of_scope, err);

    if (!q)
        return SL_ESTORE;
    for (size_t i = 0; i < m->moved.n; i++) {
        const char *const end[] = {m->moved.v[i].from, m->moved.v[i].to};
        size_t told = to->v.n;
        for (int k = 0; k < 2; k++) {
            for (size_t j = 0; j < told; j++) {
                struct sl_shared_value s = to->v.v[j];
                if (strcmp(s.scope, end[k]) != 0)
                    continue;
                s.scope = end[!k];
                *sl_vec_add(&to->v) = s;
            }
            sqlite3_reset(q);
            sqlite3_bind_text(q, 1, end[k], -1, SQLITE_STATIC);
            while (sqlite3_step(q) == SQLITE_ROW)
                *sl_vec_add(&to->v) = (struct sl_shared_value){
                    sl_arena_copy(&m->arena, sl_import_text(q, 0), strlen(sl_import_text(q, 0))), end[!k],
                    sl_arena_copy(&m->arena, sl_import_text(q, 1), strlen(sl_import_text(q, 1))), false, false};
        }
    }
    sqlite3_finalize(q);
    return 0;
}

int sl_import_gather_shared(struct sl_importing *m, struct sl_shares *to, struct sl_err *err)
{
    sqlite3_stmt *q;
    int rc;

    for (size_t i = 0; i < m->n; i++) {
        struct teller t = {m, m->file[i].found, to};
        struct sl_parse p = {.recipe = t.found->recipe,
                             .input = t.found->input,
                             .set = m->set,
                             .mode = SL_PARSE_SHARES,
                             .region = t.found->region,
                             .wal = t.found->wal,
                             .emit = take_shares,
                             .to = &t};
        if (!t.found->recipe->shares || m->file[i].skip)
            continue;
        if (sl_parse_start(&p, t.found->files, t.found->log, m->o->set))
            t.found->input->reader->run(&p, t.found->path, &m->file[i].err); /* told when it is read in earnest */
        if (t.found->input->reader->tables)
            sl_store_forgive();
        sl_parse_finish(&p);
    }
    if ((rc = share_copies(m, to, err)))
        return rc;
    if (!(q = sl_store_prepare(m->st, sql_shared_value, err)))
        return SL_ESTORE;
    for (size_t k = 0; k < to->v.n; k++) {
        const char *stored = stored_value(q, to->v.v[k].field, to->v.v[k].scope, strlen(to->v.v[k].scope));
        to->v.v[k].known = stored && !strcmp(stored, to->v.v[k].value);
    }
    sqlite3_finalize(q);
    return 0;
}

static const char *there(struct sl_importing *m, const char *folder, const char *rest)
{
    size_t n = strlen(folder), nrest = strlen(rest);
    char *s = sl_arena_alloc(&m->arena, n + nrest + 1);

    memcpy(s, folder, n);
    memcpy(s + n, rest, nrest + 1);
    return s;
}

/* What a scope says of a field: as it was just told, else as the store has it; NULL: nothing. */
static const char *value_in(struct sl_importing *m, const struct sl_shares *s, sqlite3_stmt *q, const char *field,
                            const char *scope, size_t n)
{
    const char *stored;

    for (size_t k = s->v.n; k-- > 0;)
        if (!strcmp(s->v.v[k].field, field) && strlen(s->v.v[k].scope) == n && !strncmp(s->v.v[k].scope, scope, n))
            return s->v.v[k].value;
    stored = stored_value(q, field, scope, n);
    return stored ? sl_arena_copy(&m->arena, stored, strlen(stored)) : NULL;
}

/* Whether a file that tells what is shared by this field, such as parsl.log, lies in this folder. */
static bool has_teller(struct sl_importing *m, const char *by, const char *folder)
{
    size_t n = strlen(by);
    bool has = false;

    for (size_t r = 0; r < m->set->n && !has; r++)
        for (int i = 0; i < m->set->v[r]->ninput && m->set->v[r]->shares && !has; i++)
            for (int k = 0; k < m->set->v[r]->input[i].nfiles && !has; k++) {
                const char *text = m->set->v[r]->input[i].files_text[k]; /* "{rundir}/parsl.log" */
                const char *path;
                if (*text != '{' || strncmp(text + 1, by, n) != 0 || strncmp(text + 1 + n, "}/", 2) != 0 ||
                    strpbrk(text + n + 3, "{*/"))
                    continue;
                path = there(m, folder, text + n + 2);
                has = access(path, F_OK) == 0;
                for (size_t f = 0; f < m->n && !has; f++) /* in an archive, or compressed */
                    has = !strcmp(m->file[f].found->log, path);
            }
    return has;
}

/* The one that begins with the next part of the path; NULL: what follows is no field. */
static const struct sl_capture *capture_behind(const struct sl_pattern *p, const struct sl_capture *cap,
                                               const size_t *at)
{
    for (uint32_t c = 0; c < p->ncaptures; c++)
        if (at[2 * p->capture[c].group] == at[2 * cap->group + 1] + 1)
            return &p->capture[c];
    return NULL;
}

/* Whether the last part of a path is one. */
static bool is_number(const char *s, size_t n)
{
    size_t k = n;

    while (k && isdigit((unsigned char)s[k - 1]))
        k--;
    return k < n && (!k || s[k - 1] == '/');
}

/*
 * What Parsl calls an executor is its folder below the run directory, and may have a "/": where no file that tells what
 * is shared lies in what the path has for it, but in a folder above, that one is meant, and the rest is part of the
 * next field.  A number is what Parsl calls a run directory, and no part of a label: that has no such file yet.
 * 0: as the path has it; else how much of it is that folder.
 */
static size_t wider_scope(struct sl_importing *m, struct wider *last, const char *by, const char *folder, size_t n)
{
    enum { LEVELS = 2 };
    char *s;
    size_t k = n;

    if (last->folder && strlen(last->folder) == n && !strncmp(last->folder, folder, n) && last->by == by)
        return last->n;
    s = sl_arena_copy(&m->arena, folder, n);
    *last = (struct wider){by, s, 0};
    if (has_teller(m, by, s))
        return 0;
    for (int level = 0; level < LEVELS && !is_number(folder, k); level++) {
        while (k && folder[--k] != '/')
            ;
        s = k ? sl_arena_copy(&m->arena, folder, k) : NULL;
        if (s && has_teller(m, by, s))
            return last->n = k;
    }
    return 0;
}

int sl_import_spread_shared(struct sl_importing *m, const struct sl_shares *s, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(m->st, sql_shared_value, err);
    struct wider last = {0};

    if (!q)
        return SL_ESTORE;
    for (size_t i = 0; i < m->n; i++) {
        struct sl_import_file *f = &m->file[i];
        SL_VEC(const char *) extra = {0};
        struct sl_match *match = sl_match_new();
        const size_t *at = sl_pattern_match(f->found->files, match, f->found->log, strlen(f->found->log), 0);
        for (size_t d = 0; d < m->set->shared.n; d++)
            for (uint32_t c = 0; at && c < f->found->files->ncaptures; c++) {
                const struct sl_capture *cap = &f->found->files->capture[c], *next;
                const char *value = f->found->log + at[2 * cap->group];
                size_t n = at[2 * cap->group + 1] - at[2 * cap->group], wider;
                if (strcmp(cap->name, m->set->shared.v[d].by) != 0)
                    continue;
                if ((next = capture_behind(f->found->files, cap, at)) &&
                    (wider = wider_scope(m, &last, m->set->shared.v[d].by, value, n))) {
                    *sl_vec_add(&extra) = cap->name;
                    *sl_vec_add(&extra) = sl_arena_copy(&m->arena, value, wider);
                    *sl_vec_add(&extra) = next->name;
                    *sl_vec_add(&extra) = sl_arena_copy(&m->arena, value + wider + 1,
                                                        at[2 * next->group + 1] - at[2 * cap->group] - wider - 1);
                    n = wider;
                }
                for (size_t k = 0; m->o->set && m->o->set[k]; k += 2)
                    if (!strcmp(m->o->set[k], cap->name)) {
                        value = m->o->set[k + 1];
                        n = strlen(value);
                    }
                value = value_in(m, s, q, m->set->shared.v[d].field, value, n);
                if (value) {
                    *sl_vec_add(&extra) = m->set->shared.v[d].field;
                    *sl_vec_add(&extra) = value;
                }
            }
        for (size_t k = 0; k < m->moved.n; k++) { /* the copy of a run is that run, and its files are those */
            const char *from = m->moved.v[k].from, *path = f->found->log;
            if (!strncmp(path, from, strlen(from)) && path[strlen(from)] == '/') {
                *sl_vec_add(&extra) = "_file";
                *sl_vec_add(&extra) = there(m, m->moved.v[k].to, path + strlen(from));
            }
            for (uint32_t c = 0; at && c < f->found->files->ncaptures; c++) {
                const struct sl_capture *cap = &f->found->files->capture[c];
                size_t n = at[2 * cap->group + 1];
                if (at[2 * cap->group] == 0 && strlen(m->moved.v[k].from) == n &&
                    !strncmp(f->found->log, m->moved.v[k].from, n)) {
                    *sl_vec_add(&extra) = cap->name;
                    *sl_vec_add(&extra) = m->moved.v[k].to;
                }
            }
        }
        for (size_t k = 0; m->o->set && m->o->set[k]; k++)
            *sl_vec_add(&extra) = m->o->set[k];
        sl_vec_add(&extra);
        f->extra = (char **)extra.v;
        sl_match_free(match);
    }
    sqlite3_finalize(q);
    return 0;
}

/* Roots that were known by their folder, and are now known by what is shared (their run id). */
void sl_import_rekey_roots(struct sl_importing *m, const struct sl_shares *s)
{
    for (size_t a = 0; a < m->set->aliases.n; a++) {
        const struct sl_alias_decl *d = &m->set->aliases.v[a];
        for (size_t i = 0; d->otherwise && !d->in && i < s->v.n; i++) {
            char field[80];
            int n = snprintf(field, sizeof field, "{%s}", s->v.v[i].field);
            if (!s->v.v[i].known && n > 0 && !strncmp(d->key, field, (size_t)n)) /* "{run_id}", or "{run_id}/..." */
                sl_writer_rekey_roots(m->w, sl_intern(&m->set->names, d->type, strlen(d->type)), s->v.v[i].scope,
                                      s->v.v[i].value);
        }
    }
}
