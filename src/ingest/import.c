/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading threads take the files in order and push batches; the caller's thread merges them in the same order, whoever
 * is done first, so that the store does not depend on the number of threads.
 */
#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "bind/bind.h"
#include "ingest/import_internal.h"
#include "ingest_import.sql.h"
#include "recipe/span_tables.h"
#include "recipe/states.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { AHEAD = 16 }; /* batches that may wait, and as many of the file being merged, so that nobody waits for ever */

static void warn(struct sl_importing *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void warn(struct sl_importing *m, const char *fmt, ...)
{
    char text[1200];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (m->o->warn)
        m->o->warn(m->o->to, text);
}

static double thread_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- reading ---- */

struct reading {
    struct sl_importing *m;
    struct sl_import_file *f;
};

static int merge_batch(struct sl_importing *m, struct sl_import_file *f, struct sl_batch *b, struct sl_err *err);

static void push(void *to, struct sl_batch *b)
{
    struct reading *r = to;
    struct sl_importing *m = r->m;

    if (m->direct) {
        if (m->direct_rc)
            sl_batch_free(b);
        else if ((m->direct_rc = merge_batch(m, r->f, b, m->direct)))
            atomic_store(&m->cancel, true);
        return;
    }
    pthread_mutex_lock(&m->lock);
    while ((r->f == &m->file[m->merging] ? r->f->queued : m->waiting) >= AHEAD && !atomic_load(&m->cancel))
        pthread_cond_wait(&m->popped, &m->lock);
    *r->f->tail = b;
    r->f->tail = &b->next;
    r->f->queued++;
    m->waiting++;
    pthread_cond_broadcast(&m->pushed);
    pthread_mutex_unlock(&m->lock);
}

static void read_file(struct sl_importing *m, struct sl_import_file *f)
{
    struct reading r = {m, f};
    const struct sl_found *found = f->found;
    struct sl_parse p = {.recipe = found->recipe,
                         .input = found->input,
                         .set = m->set,
                         .emit = push,
                         .to = &r,
                         .given = m->o->set,
                         .cancel = &m->cancel,
                         .progress = &m->progress,
                         .region = found->region,
                         .wal = found->wal,
                         .sums = m->o->sums};
    double from = thread_seconds();

    if (sl_parse_start(&p, found->files, found->log, (const char *const *)f->extra))
        f->rc = found->input->reader->run(&p, found->path, &f->err);
    else
        f->rc = sl_err(&f->err, SL_EFORMAT, "%s: %s", found->path, p.reason);
    if (found->input->reader->tables) /* what failed there is told as what failed of a file */
        sl_store_forgive();
    memcpy(f->hash, p.hash, sizeof f->hash);
    f->bytes = p.bytes;
    f->adrift = p.adrift;
    f->unended = p.unended;
    f->overruled = p.overruled;
    f->strange = p.strange && !p.met ? sl_strdup(p.reason) : NULL;
    p.strange |= f->rc != 0;              /* what cannot be read is no empty file, and names no run */
    if (f->rc && !p.hash[0] && p.batch) { /* it was not even opened: it says nothing */
        sl_batch_free(p.batch);
        p.batch = NULL;
    }
    sl_parse_finish(&p);
    f->seconds = thread_seconds() - from;
    pthread_mutex_lock(&m->lock);
    f->done = true;
    pthread_cond_broadcast(&m->pushed);
    pthread_mutex_unlock(&m->lock);
}

static void *reading_thread(void *arg)
{
    struct sl_importing *m = arg;

    for (;;) {
        struct sl_import_file *f = NULL;
        pthread_mutex_lock(&m->lock);
        while (m->next < m->n && m->file[m->next].skip)
            m->next++;
        if (m->next < m->n && !atomic_load(&m->cancel))
            f = &m->file[m->next++];
        pthread_mutex_unlock(&m->lock);
        if (!f)
            return NULL;
        read_file(m, f);
    }
}

/* ---- merging ---- */

static void tell(struct sl_importing *m, bool always)
{
    int64_t now = sl_clock_mono_ns();
    const struct sl_writer_counts *c = sl_writer_counts(m->w);

    if (!m->o->progress || (!always && now - m->told < 100000000))
        return;
    m->told = now;
    m->o->progress(m->o->to, atomic_load(&m->progress), m->total, c->spans, c->events, (double)(now - m->started) / 1e9,
                   m->file[m->merging].found->name);
}

static struct sl_import_part *part_of(struct sl_importing *m, struct sl_import_file *f, const char *name,
                                      struct sl_err *err)
{
    struct sl_import_part *p;
    sqlite3_stmt *q;

    for (size_t i = 0; i < f->parts.n; i++)
        if (!name ? !f->parts.v[i].name : f->parts.v[i].name && !strcmp(name, f->parts.v[i].name))
            return &f->parts.v[i];
    p = sl_vec_add(&f->parts);
    p->name = name ? sl_arena_copy(&m->arena, name, strlen(name)) : NULL;
    p->replaces = f->replaced;
    if (f->known && !f->replaces) { /* under the id that it had */
        q = sl_store_prepare(m->st, sql_part_of, err);
        if (q) {
            sqlite3_bind_int64(q, 1, f->known);
            sqlite3_bind_text(q, 2, f->found->recipe->name, -1, SQLITE_STATIC);
            sqlite3_bind_text(q, 3, name, -1, SQLITE_STATIC);
            if (sqlite3_step(q) == SQLITE_ROW)
                p->id = sqlite3_column_int64(q, 0);
        }
        sqlite3_finalize(q);
    }
    if (!p->id)
        p->id = sl_writer_source(m->w);
    p->row.id = p->id;
    p->row.since = f->since;
    p->row.context_hash = *f->context_hash && !p->name ? f->context_hash : NULL;
    return p;
}

static struct sl_import_recipe *tally(struct sl_importing *m, const char *recipe)
{
    for (size_t i = 0; i < m->out->recipe.n; i++)
        if (!strcmp(m->out->recipe.v[i].name, recipe))
            return &m->out->recipe.v[i];
    sl_vec_add(&m->out->recipe)->name = recipe;
    return &m->out->recipe.v[m->out->recipe.n - 1];
}

static int end_file(struct sl_importing *m, struct sl_import_file *f, struct sl_err *err)
{
    struct sl_import_recipe *t = tally(m, f->found->recipe->name);
    uint64_t records = 0;
    int rc = 0;

    t->files++;
    t->seconds += f->seconds;
    m->out->files++;
    m->out->bytes += f->bytes;
    if (f->adrift && !m->out->adrift++)
        m->out->first_adrift = f->found->name;
    if (f->unended && !m->out->unended++)
        m->out->first_unended = f->found->name;
    if (f->rc) {
        m->out->problems++;
        warn(m, "%s", f->err.text);
    } else if (f->err.code) { /* now it could be read, but others were to know before what it says of their run */
        return sl_err(err, f->err.code, "%s", f->err.text);
    }
    for (size_t i = 0; i < f->parts.n && !rc; i++) {
        struct sl_import_part *p = &f->parts.v[i];
        struct sl_source_row *r = &p->row;
        r->path = f->found->name;
        r->part = p->name;
        r->recipe = f->found->recipe->name;
        r->component = f->found->recipe->component;
        r->context = f->context;
        r->recipe_hash = f->found->recipe->hash;
        r->input = (int)(f->found->input - f->found->recipe->input);
        r->bytes = f->bytes;
        r->mtime_ns = f->rc || f->strange ? 0 : f->found->mtime_ns; /* not whole: look again next time */
        r->hash = f->rc || f->strange ? NULL : f->hash;
        r->head = f->head_hash;
        records += r->read;
        t->records += r->read;
        t->used += r->used;
        t->skipped += r->skipped;
        t->rejected += r->rejected;
        t->spans += r->spans;
        t->events += r->events;
        rc = sl_writer_source_end(m->w, r, p->replaces, err);
    }
    if (f->overruled)
        warn(m, "%s: its records have a field %s of their own, which counts; what was given is not used there",
             f->found->name, f->overruled);
    m->out->strange += f->strange != NULL;
    if (f->strange && !f->rc)
        warn(m, "%s: nothing in it is a record of %s; rejected %llu, the first: %s", f->found->name,
             f->found->recipe->name, (unsigned long long)records, f->strange);
    return rc;
}

static struct sl_batch *pop(struct sl_importing *m, struct sl_import_file *f)
{
    struct sl_batch *b;

    pthread_mutex_lock(&m->lock);
    while (!f->head && !f->done) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&m->pushed, &m->lock, &until);
        tell(m, false);
    }
    b = f->head;
    if (b) {
        f->head = b->next;
        if (!f->head)
            f->tail = &f->head;
        f->queued--;
        m->waiting--;
        pthread_cond_broadcast(&m->popped);
    }
    pthread_mutex_unlock(&m->lock);
    return b;
}

static int merge_batch(struct sl_importing *m, struct sl_import_file *f, struct sl_batch *b, struct sl_err *err)
{
    struct sl_import_part *p = part_of(m, f, b->part, err);
    int rc = sl_writer_batch(m->w, b, &p->row, err);

    sl_batch_free(b);
    tell(m, false);
    return rc;
}

static int merge_all(struct sl_importing *m, struct sl_err *err)
{
    pthread_t thread[64];
    int wanted = m->o->jobs > 64 ? 64 : m->o->jobs, started = 0, rc = 0;
    struct sl_err own;

    for (; wanted > 1 && started < wanted && (size_t)started < m->n; started++)
        if (pthread_create(&thread[started], NULL, reading_thread, m) != 0)
            break;
    if (!started)
        m->direct = err ? err : &own;
    for (size_t i = 0; i < m->n && !rc; i++) {
        struct sl_import_file *f = &m->file[i];
        struct sl_batch *b;
        if (f->skip)
            continue;
        if (m->direct) {
            m->merging = i;
            read_file(m, f);
            rc = m->direct_rc;
        } else {
            pthread_mutex_lock(&m->lock);
            m->merging = i;
            pthread_cond_broadcast(&m->popped);
            pthread_mutex_unlock(&m->lock);
            while (!rc && (b = pop(m, f)))
                rc = merge_batch(m, f, b, err);
        }
        if (!rc)
            rc = end_file(m, f, err);
    }
    if (rc)
        atomic_store(&m->cancel, true);
    pthread_mutex_lock(&m->lock);
    pthread_cond_broadcast(&m->popped);
    pthread_mutex_unlock(&m->lock);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    return rc;
}

/*
 * Which files are read on, and not again: those of whose last record the store knows all, and whose records mean what
 * they meant: nothing new is known of their run, and nothing is given.
 */
static void read_on(struct sl_importing *m, const struct sl_shares *shared)
{
    bool given = m->o->set && m->o->set[0], as_before = !given && m->o->zone_s == INT32_MIN && !m->moved.n;

    for (size_t i = 0; i < shared->v.n; i++)
        as_before &= shared->v.v[i].known;
    for (size_t i = 0; i < m->n; i++) {
        struct sl_import_file *f = &m->file[i];
        uint64_t hash = 0;
        if (f->skip || !f->found->input->reader->appends || given)
            continue;
        for (size_t k = 0; f->extra[k]; k++)
            hash = sl_hash_mix(hash, sl_hash(f->extra[k], strlen(f->extra[k])));
        snprintf(f->context_hash, sizeof f->context_hash, "%016llx", (unsigned long long)hash);
        if (!as_before || !f->since || strcmp(f->tail_hash, f->context_hash) != 0)
            f->since = 0;
    }
}

/* The old rows of what is read again go first. */
static int take_back(struct sl_importing *m, struct sl_err *err)
{
    int rc = 0;

    for (size_t i = 0; i < m->n && !rc; i++) {
        struct sl_import_file *f = &m->file[i];
        sqlite3_stmt *q;
        if (!f->known || f->skip)
            continue;
        q = sl_store_prepare(m->st, sql_take_back, err);
        if (!q)
            return SL_ESTORE;
        sqlite3_bind_int64(q, 1, f->known);
        sqlite3_bind_text(q, 2, f->found->recipe->name, -1, SQLITE_STATIC);
        while (!rc && (rc = sl_store_step(m->st, q, err)) > 0) {
            rc = 0;
            if (f->replaces)
                f->replaced = sqlite3_column_int64(q, 0);
            m->scope.retracted = true;
            if (f->since)
                rc = sl_writer_read_on(m->w, sqlite3_column_int64(q, 0), f->since, f->tail_spans, err);
            else
                rc = sl_writer_redo(m->w, sqlite3_column_int64(q, 0), f->replaces, err);
        }
        sqlite3_finalize(q);
    }
    return rc ? rc : sl_writer_start(m->w, err);
}

/* The sources of the files of this import, also of those that were known; of a copy, those of the original. */
static int sources_of(struct sl_importing *m, struct sl_sources *out, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(
        m->st, "SELECT id FROM sl_source WHERE path = ?1 AND recipe = ?2 AND replaced_by IS NULL", err);
    struct sl_buf path = {0};
    int rc = q ? 0 : SL_ESTORE;

    for (size_t i = 0; i < m->n && !rc; i++)
        for (size_t k = 0, any = 0; k <= m->moved.n && !any && !rc; k++) {
            const struct sl_moved *to = k ? &m->moved.v[k - 1] : NULL;
            size_t n = to ? strlen(to->from) : 0;
            if (to && strncmp(m->file[i].found->name, to->from, n) != 0)
                continue;
            sl_buf_clear(&path);
            sl_buf_addf(&path, "%s%s", to ? to->to : "", m->file[i].found->name + n);
            sqlite3_reset(q);
            sqlite3_bind_text(q, 1, path.s, -1, SQLITE_STATIC);
            sqlite3_bind_text(q, 2, m->file[i].found->recipe->name, -1, SQLITE_STATIC);
            for (; (rc = sl_store_step(m->st, q, err)) > 0; any++)
                *sl_vec_add(&out->v) = sqlite3_column_int64(q, 0);
        }
    sl_buf_free(&path);
    sqlite3_finalize(q);
    return rc;
}

/* What no single record says: tables, bindings, the campaign. */
static int bind(struct sl_importing *m, struct sl_err *err)
{
    struct sl_sources sources = {0};
    /* what is more than SQLite's cache is sorted by a second thread */
    int rc = m->o->jobs > 1 ? sl_store_exec(m->st, "PRAGMA threads = 1", err) : 0;

    if (!rc)
        rc = sl_store_index(m->st, err);
    if (!rc) /* so that SQLite knows which joins of tables of spans want an index of their own; milliseconds */
        rc = sl_store_exec(m->st, "PRAGMA analysis_limit = 400; ANALYZE sl_span", err);
    if (!rc && m->o->campaign) {
        rc = sources_of(m, &sources, err);
        if (!rc)
            rc = sl_bind_campaign(m->st, m->o->campaign, sources.v.v, sources.v.n, err);
        sl_vec_free(&sources.v);
    }
    if (!rc) /* before the tables, as those ask which types are tasks */
        rc = sl_states_write(m->st, "main", m->set, err);
    if (!rc)
        rc = sl_tables_make(m->st, m->set, err);
    return rc ? rc : sl_bind_apply(m->st, m->set, &m->scope, m->o->warn, m->o->to, err);
}

static void hint(void *to, const char *rule, const char *type, uint64_t n)
{
    struct sl_importing *m = to;

    warn(m,
         "%s: this rule has linked nothing: no record knows a %s that it names (%llu), though there are others beside "
         "it; see: spanloom links --unresolved -d %s",
         rule, type, (unsigned long long)n, m->st->path);
}

int sl_import(struct sl_import_result *out, struct sl_store *st, struct sl_recipes *set, const struct sl_found_list *l,
              const struct sl_import_options *o, struct sl_err *err)
{
    struct sl_importing m = {.st = st, .set = set, .o = o, .out = out, .started = sl_clock_mono_ns()};
    struct sl_shares shared = {0};
    int rc;

    *out = (struct sl_import_result){0};
    pthread_mutex_init(&m.lock, NULL);
    pthread_cond_init(&m.pushed, NULL);
    pthread_cond_init(&m.popped, NULL);
    m.file = sl_alloc((l->v.n + 1) * sizeof *m.file);
    for (size_t i = 0; i < l->v.n; i++)
        if (l->v.v[i].recipe) {
            m.file[m.n].found = &l->v.v[i];
            m.file[m.n].tail = &m.file[m.n].head;
            m.n++;
        }
    rc = sl_store_begin(st, err);
    if (!rc) {
        rc = sl_import_known(&m, err);
        for (size_t i = 0; i < m.n && !rc; i++)
            if (m.file[i].rc) {
                out->problems++;
                warn(&m, "%s", m.file[i].err.text);
            }
        if (!rc && o->project)
            rc = sl_project_store(st, o->project, &m.rebind, err);
        m.scope.all = m.rebind;
        m.rebind |= o->campaign != NULL;
        if (!rc && (m.left || m.rebind))
            rc = sl_bind_begin(st, set, &m.scope, err);
        if (!rc && !m.left && m.rebind)
            rc = bind(&m, err);
        if (rc || (!m.left && !m.renamed && !m.rebind && !st->fresh))
            sl_store_rollback(st);
        else if (!m.left)
            rc = sl_store_commit(st, err);
    }
    if (!rc && m.left) {
        rc = sl_import_gather_shared(&m, &shared, err);
        if (!rc)
            rc = sl_import_spread_shared(&m, &shared, err);
        if (!rc) {
            read_on(&m, &shared);
            m.w = sl_writer_new(st, set, o->zone_s, err);
            rc = m.w ? take_back(&m, err) : SL_ESTORE;
            for (size_t i = 0; i < m.moved.n && !rc; i++) /* files that come to the copy later need it, too */
                for (size_t k = 0; k < shared.v.n && !rc; k++)
                    if (!strcmp(shared.v.v[k].scope, m.moved.v[i].from))
                        rc = sl_writer_share(m.w, shared.v.v[k].field, shared.v.v[k].scope, shared.v.v[k].value, err);
        } else {
            sl_store_rollback(st);
        }
        if (!rc) {
            sl_import_rekey_roots(&m, &shared);
            rc = merge_all(&m, err);
        }
        if (!rc)
            rc = sl_writer_resolve(m.w, err);
        if (!rc && o->hints)
            sl_writer_unresolved(m.w, hint, &m);
        if (m.w && rc)
            sl_writer_abandon(m.w);
        else if (m.w) {
            const struct sl_writer_counts *c = sl_writer_counts(m.w);
            out->spans = c->spans;
            out->events = c->events;
            out->told_twice = c->told_twice;
            out->assumed_zones = c->assumed_zones;
            out->assumed_offset_s = c->assumed_offset_s;
            tell(&m, true);
            rc = sl_writer_finish(m.w, err);
            if (!rc && !(rc = bind(&m, err)))
                rc = sl_store_commit(st, err);
            else
                sl_store_rollback(st);
        }
    }
    for (size_t i = 0; i < m.n; i++) {
        struct sl_import_file *f = &m.file[i];
        while (f->head) {
            struct sl_batch *b = f->head;
            f->head = b->next;
            sl_batch_free(b);
        }
        free(f->context);
        free(f->extra);
        free(f->strange);
        sl_vec_free(&f->parts);
    }
    sl_vec_free(&shared.v);
    sl_vec_free(&m.moved);
    free(m.file);
    sl_arena_free(&m.arena);
    pthread_mutex_destroy(&m.lock);
    pthread_cond_destroy(&m.pushed);
    pthread_cond_destroy(&m.popped);
    out->seconds = (double)(sl_clock_mono_ns() - m.started) / 1e9;
    return rc;
}
