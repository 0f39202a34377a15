/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store keeps places, not texts: the log is the text.  A file is read again by its recipe, with the rules that only
 * name spans added, and what each record names is looked up by the hash of its path of (type, key) pairs.  Where some
 * spans are asked for, these alone are loaded, and most records are passed over (engine/record_filter.h).
 */
#include "ingest/log_lines.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/map.h"
#include "engine/record_filter.h"
#include "ingest/find.h"
#include "ingest_log_lines.sql.h"
#include "recipe/reader.h"

#include <stdio.h>
#include <stdlib.h>

enum { SOME = 1000 }; /* of more spans than that all are loaded: each is a look-up */

struct lines {
    struct sl_store *st;
    struct sl_recipes *set;
    const struct sl_project *project;
    void (*line)(void *to, const struct sl_line *l);
    void (*problem)(void *to, const char *text);
    void *to;
    uint64_t *hash;        /* by span id: hash of the path to it */
    struct sl_map by_hash; /* ids */
    uint32_t n;
    SL_VEC(struct {
        uint32_t root;
        int64_t since_ns, offset_s;
    })
    zones;
    uint32_t *root; /* by span id */
    int64_t source;
    SL_VEC(uint32_t) spans;
    SL_VEC(uint64_t) path; /* by span of the batch at hand: the hash of its path, or 0 */
    SL_VEC(struct sl_named_span) wanted;
    sqlite3_stmt *child; /* the span of a type and key in another */
    struct sl_arena arena;
    bool some; /* of all spans */
};

static uint64_t step(uint64_t parent, const char *type, size_t ntype, const char *key, size_t nkey)
{
    return sl_hash_mix(sl_hash_mix(parent, sl_hash(type, ntype)), sl_hash(key, nkey));
}

static void add(struct lines *l, uint32_t id, const sqlite3_stmt *row, uint32_t parent)
{
    sqlite3_stmt *q = (sqlite3_stmt *)row;

    l->hash[id] = step(parent ? l->hash[parent] : 0, sl_store_text(q, 1), (size_t)sqlite3_column_bytes(q, 1),
                       sl_store_text(q, 2), (size_t)sqlite3_column_bytes(q, 2));
    l->root[id] = parent ? l->root[parent] : id;
    sl_map_add(&l->by_hash, l->hash[id], id);
}

static int load_all(struct lines *l, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(l->st, sql_load, err);
    int rc = q ? 0 : SL_ESTORE;

    while (!rc && (rc = sl_store_step(l->st, q, err)) > 0) {
        int64_t id = sqlite3_column_int64(q, 0), parent = sqlite3_column_int64(q, 3);
        rc = 0;
        if (id >= 0 && id < l->n && parent >= 0 && parent < l->n)
            add(l, (uint32_t)id, q, (uint32_t)parent);
    }
    sqlite3_finalize(q);
    return rc;
}

/* A span with what it lies in by name. */
static int load_one(struct lines *l, int64_t id, struct sl_err *err)
{
    sqlite3_stmt *q = sl_store_prepare(l->st, sql_path, err);
    SL_VEC(struct sl_named_level) level = {0};
    int64_t parent = 0;
    int rc = q ? 0 : SL_ESTORE;

    if (q)
        sqlite3_bind_int64(q, 1, id);
    while (!rc && (rc = sl_store_step(l->st, q, err)) > 0) { /* from the root down */
        int64_t at = sqlite3_column_int64(q, 0);
        size_t ntype = (size_t)sqlite3_column_bytes(q, 1), nkey = (size_t)sqlite3_column_bytes(q, 2);
        rc = 0;
        if (at <= 0 || at >= l->n)
            break;
        if (!l->hash[at])
            add(l, (uint32_t)at, q, (uint32_t)parent);
        *sl_vec_add(&level) = (struct sl_named_level){sl_intern_find(&l->set->names, sl_store_text(q, 1), ntype),
                                                      sl_arena_copy(&l->arena, sl_store_text(q, 2), nkey), nkey};
        parent = at;
    }
    sqlite3_finalize(q);
    if (!rc && parent == id) {
        struct sl_named_level *v = sl_arena_alloc(&l->arena, level.n * sizeof *v);
        for (size_t i = 0; i < level.n; i++)
            v[i] = level.v[level.n - 1 - i];
        *sl_vec_add(&l->wanted) = (struct sl_named_span){v, (int)level.n};
    }
    sl_vec_free(&level);
    return rc;
}

static int load(struct lines *l, const struct sl_set *wanted, struct sl_err *err)
{
    sqlite3_stmt *q;
    int rc = 0;

    /* ids far above are a dnpcsql user's own: no record names them */
    l->n = (uint32_t)sl_store_int(l->st,
                                  "SELECT max(id) FROM sl_span WHERE id BETWEEN 0 AND min(4000000000, 100000000 + 16 * "
                                  "(SELECT count(*) FROM sl_span))",
                                  0) +
           1;
    l->hash = sl_alloc(l->n * sizeof *l->hash);
    l->root = sl_alloc(l->n * sizeof *l->root);
    l->some = wanted != NULL;
    if (!wanted)
        rc = load_all(l, err);
    for (size_t i = 0; wanted && i < wanted->v.n && !rc; i++)
        rc = load_one(l, (int64_t)wanted->v.v[i], err);
    if (rc || (l->some && !(l->child = sl_store_prepare(l->st, sql_child, err))) ||
        !(q = sl_store_prepare(l->st, "SELECT root, ifnull(since_ns, 0), offset_s FROM sl_zone ORDER BY root, since_ns",
                               err)))
        return rc ? rc : SL_ESTORE;
    while ((rc = sl_store_step(l->st, q, err)) > 0)
        *sl_vec_add(&l->zones) = (typeof(*l->zones.v)){(uint32_t)sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1),
                                                       sqlite3_column_int64(q, 2)};
    sqlite3_finalize(q);
    return rc;
}

static uint32_t find(const struct lines *l, uint64_t h)
{
    size_t at = h;

    for (uint32_t id; sl_map_next(&l->by_hash, h, &at, &id);)
        if (l->hash[id] == h)
            return id;
    return 0;
}

static const char *key_of(const struct sl_batch_span *s, char *digits, size_t *n)
{
    if (s->key.n == SL_KEY_INT) {
        *n = sl_int_text(s->key.i, digits);
        return digits;
    }
    *n = s->key.n;
    return s->key.s;
}

static uint64_t hash_of(struct lines *l, const struct sl_batch *b, uint32_t i)
{
    const struct sl_batch_span *s = &b->spans.v[i];
    uint64_t parent;
    char digits[24];
    const char *key;
    size_t n;

    while (l->path.n <= i)
        *sl_vec_add(&l->path) = 0;
    if (l->path.v[i])
        return l->path.v[i];
    parent = s->parent < 0 ? 0 : hash_of(l, b, (uint32_t)s->parent);
    key = key_of(s, digits, &n);
    return l->path.v[i] =
               step(parent, sl_intern_text(&l->set->names, s->type), sl_intern_len(&l->set->names, s->type), key, n);
}

/* The id of a span of the batch; 0: the store has none. */
static int64_t stored(struct lines *l, const struct sl_batch *b, uint32_t i)
{
    const struct sl_batch_span *s = &b->spans.v[i];
    int64_t parent = s->parent < 0 ? 0 : stored(l, b, (uint32_t)s->parent), id = 0;
    char digits[24];
    const char *key;
    size_t n;

    if (s->parent >= 0 && !parent)
        return 0;
    key = key_of(s, digits, &n);
    sqlite3_bind_text(l->child, 1, sl_intern_text(&l->set->names, s->type), -1, SQLITE_STATIC);
    sqlite3_bind_text(l->child, 2, key, (int)n, SQLITE_STATIC);
    if (parent)
        sqlite3_bind_int64(l->child, 3, parent);
    else
        sqlite3_bind_null(l->child, 3);
    if (sqlite3_step(l->child) == SQLITE_ROW)
        id = sqlite3_column_int64(l->child, 0);
    sqlite3_reset(l->child);
    return id;
}

/* The root whose zone counts: that of the first span which the record names. */
static uint32_t root_of(struct lines *l, const struct sl_parse *p)
{
    if (!l->some || l->zones.n < 2)
        return l->root[l->spans.v[0]];
    for (size_t i = 0; i < p->touched.n; i++)
        if (stored(l, p->batch, p->touched.v[i])) {
            uint32_t at = p->touched.v[i];
            while (p->batch->spans.v[at].parent >= 0)
                at = (uint32_t)p->batch->spans.v[at].parent;
            return (uint32_t)stored(l, p->batch, at);
        }
    return l->root[l->spans.v[0]];
}

static int64_t to_utc(const struct lines *l, uint32_t root, int64_t local_ns)
{
    int64_t offset = 0;
    bool found = false;

    for (size_t i = 0; i < l->zones.n; i++) {
        int64_t o = l->zones.v[i].offset_s * 1000000000;
        if (!found && l->zones.v[i].root != root && l->zones.n > 1)
            continue;
        if (!found || (l->zones.v[i].root == root && sl_time_sub(local_ns, o) >= l->zones.v[i].since_ns))
            offset = o;
        found = true;
    }
    return sl_time_sub(local_ns, offset);
}

static void watch(void *to, struct sl_parse *p, const struct sl_outcome *o)
{
    struct lines *l = to;
    struct sl_line line = {.source = l->source, .place = o->place, .text = o->text, .n = o->n};
    bool naive = false;

    sl_vec_clear(&l->spans);
    for (size_t i = 0; i < p->touched.n; i++) {
        uint32_t id = find(l, hash_of(l, p->batch, p->touched.v[i]));
        size_t k = 0;
        while (k < l->spans.n && l->spans.v[k] != id)
            k++;
        if (id && k == l->spans.n)
            *sl_vec_add(&l->spans) = id;
    }
    if (!l->spans.n)
        return;
    line.timed = sl_parse_time(p, &line.time_ns, &naive);
    if (line.timed && naive)
        line.time_ns = to_utc(l, root_of(l, p), line.time_ns);
    line.span = l->spans.v;
    line.nspans = l->spans.n;
    l->line(l->to, &line);
}

static void drop(void *to, struct sl_batch *b)
{
    sl_vec_clear(&((struct lines *)to)->path);
    sl_batch_free(b);
}

/* The fields that other files share with this one, and those of the project; pairs, NULL-ended, all in arena. */
static const char **extra_fields(struct lines *l, const char *path, struct sl_arena *arena)
{
    SL_VEC(const char *) v = {0};
    sqlite3_stmt *q = sl_store_prepare(
        l->st, "SELECT field, value FROM sl_shared WHERE substr(?1, 1, length(scope) + 1) = scope || '/'", NULL);
    const char **out;

    if (q)
        sqlite3_bind_text(q, 1, path, -1, SQLITE_STATIC);
    while (q && sqlite3_step(q) == SQLITE_ROW)
        for (int c = 0; c < 2; c++)
            *sl_vec_add(&v) = sl_arena_copy(arena, sqlite3_column_text(q, c), (size_t)sqlite3_column_bytes(q, c));
    sqlite3_finalize(q);
    for (size_t i = 0; l->project && i < l->project->set.n; i++)
        *sl_vec_add(&v) = l->project->set.v[i];
    sl_vec_add(&v);
    out = sl_arena_alloc(arena, v.n * sizeof *out);
    memcpy(out, v.v, v.n * sizeof *out);
    sl_vec_free(&v);
    return out;
}

struct sources {
    SL_VEC(struct {
        int64_t id;
        const char *path, *recipe;
    })
    v;
    SL_VEC(char *) paths; /* each once, where sources of a file lie side by side */
};

static void read_source(struct lines *l, const struct sl_found *f)
{
    struct sl_arena arena = {0};
    struct sl_err err = {0};
    struct sl_parse p = {.recipe = f->recipe,
                         .input = f->input,
                         .set = l->set,
                         .mode = SL_PARSE_NAMING,
                         .region = f->region,
                         .wal = f->wal,
                         .emit = drop,
                         .watch = watch,
                         .to = l};

    if (sl_parse_start(&p, f->files, f->log, extra_fields(l, f->path, &arena))) {
        struct sl_record_filter *filter = l->some ? sl_record_filter_new(&p, l->wanted.v, l->wanted.n) : NULL;
        p.filter = filter;
        if (f->input->reader->run(&p, f->path, &err))
            l->problem(l->to, err.text);
        sl_record_filter_free(filter);
    }
    sl_parse_finish(&p);
    sl_arena_free(&arena);
}

/* All files are looked for at once: each member of an archive by itself would be as often unpacked. */
static void read_sources(struct lines *l, const struct sources *s)
{
    struct sl_found_list found = {0};
    struct sl_map by_path = {0};
    struct sl_err err = {0};

    sl_find(&found, l->set, s->paths.v, s->paths.n, false);
    for (size_t i = 0; i < found.v.n; i++)
        sl_map_add(&by_path, sl_hash(found.v.v[i].path, strlen(found.v.v[i].path)), (uint32_t)i);
    for (size_t i = 0; i < found.problems.n; i++)
        l->problem(l->to, found.problems.v[i]);
    for (size_t i = 0; i < s->v.n; i++) {
        const char *path = s->v.v[i].path, *recipe = s->v.v[i].recipe;
        char *real = realpath(path, NULL);
        uint64_t h;
        size_t at;
        if (!sl_recipes_find(l->set, recipe)) {
            sl_err(&err, SL_ENOTFOUND,
                   "%s was read by the recipe %s, which is not known here; name its file with --recipe", path, recipe);
            l->problem(l->to, err.text);
        }
        path = real ? real : path; /* in an archive it is none */
        h = sl_hash(path, strlen(path));
        at = h;
        l->source = s->v.v[i].id;
        for (uint32_t k; sl_map_next(&by_path, h, &at, &k);)
            if (!strcmp(found.v.v[k].path, path) && !strcmp(found.v.v[k].recipe->name, recipe))
                read_source(l, &found.v.v[k]);
        free(real);
    }
    sl_map_free(&by_path);
    sl_found_free(&found);
}

int sl_lines(struct sl_store *st, struct sl_recipes *set, const struct sl_project *project, const char *which,
             const struct sl_set *wanted, void (*line)(void *to, const struct sl_line *l),
             void (*problem)(void *to, const char *text), void *to, struct sl_err *err)
{
    struct lines l = {.st = st, .set = set, .project = project, .line = line, .problem = problem, .to = to};
    struct sources sources = {0};
    struct sl_buf sql = {0};
    sqlite3_stmt *q;
    int rc = load(&l, wanted && wanted->v.n <= SOME ? wanted : NULL, err);

    if (!rc) {
        sl_buf_addf(&sql, sql_lines, which);
        q = sl_store_prepare(st, sql.s, err);
        rc = q ? 0 : SL_ESTORE;
        while (!rc && (rc = sl_store_step(st, q, err)) > 0) {
            const char *path = sl_store_text(q, 1), *recipe = sl_store_text(q, 2);
            char *copy = sl_arena_copy(&l.arena, path, strlen(path));
            *sl_vec_add(&sources.v) = (typeof(*sources.v.v)){sqlite3_column_int64(q, 0), copy,
                                                             sl_arena_copy(&l.arena, recipe, strlen(recipe))};
            if (!sources.paths.n || strcmp(sources.paths.v[sources.paths.n - 1], copy) != 0)
                *sl_vec_add(&sources.paths) = copy;
            rc = 0;
        }
        sqlite3_finalize(q);
        if (!rc)
            read_sources(&l, &sources);
        sl_vec_free(&sources.v);
        sl_vec_free(&sources.paths);
    }
    sl_buf_free(&sql);
    free(l.hash);
    sl_map_free(&l.by_hash);
    free(l.root);
    sl_vec_free(&l.zones);
    sl_vec_free(&l.spans);
    sl_vec_free(&l.path);
    sl_vec_free(&l.wanted);
    sqlite3_finalize(l.child);
    sl_arena_free(&l.arena);
    return rc;
}
