/* SPDX-License-Identifier: Apache-2.0 */
/* What the targets share: input as a file, recipes, and what must hold of every batch that a reader makes. */
#ifndef SL_FUZZ_H
#define SL_FUZZ_H

#include "base/buf.h"
#include "base/mem.h"
#include "engine/apply.h"
#include "recipe/reader.h"
#include "recipe/recipe.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(x)                                                                                                        \
    do {                                                                                                               \
        if (!(x)) {                                                                                                    \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #x);                                     \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* A file in memory with this content; its path can be opened until the next call. */
static inline const char *fuzz_file(const void *data, size_t size)
{
    static char path[64];
    static int fd = -1;

    if (fd < 0)
        fd = memfd_create("fuzz", 0);
    MUST(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
}

static inline struct sl_recipes *fuzz_recipes(const char *more)
{
    struct sl_recipes *set = sl_recipes_new();
    struct sl_err err = {0};

    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    if (sl_recipes_add_default(set, &err) || (more && sl_recipes_add(set, "fuzz.yaml", more, strlen(more), &err)) ||
        sl_recipes_compile(set, &err)) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    return set;
}

struct fuzz_totals {
    struct sl_recipes *set;
    uint64_t read, used, skipped, rejected, batches, spans, strong, events, links, attrs, samples, zones, shares, raws;
};

/* The number of values of a JSON array, -1: it is none. */
static inline int64_t fuzz_array(const char *json, size_t n)
{
    static sqlite3 *db;
    static sqlite3_stmt *q;
    int64_t count = -1;

    if (!db)
        MUST(sqlite3_open(":memory:", &db) == SQLITE_OK &&
             sqlite3_prepare_v2(db,
                                "SELECT CASE WHEN json_valid(?1) AND json_type(?1) = 'array' "
                                "THEN json_array_length(?1) ELSE -1 END",
                                -1, &q, NULL) == SQLITE_OK);
    sqlite3_bind_text(q, 1, json, (int)n, SQLITE_STATIC);
    if (sqlite3_step(q) == SQLITE_ROW)
        count = sqlite3_column_int64(q, 0);
    sqlite3_reset(q);
    return count;
}

static inline void fuzz_values(struct sl_recipes *set, const struct sl_batch *b, const struct sl_batch_values *v)
{
    const char *shape = sl_intern_text(&set->shapes, v->shape), *end = shape + sl_intern_len(&set->shapes, v->shape);
    int64_t names = 0;

    MUST(v->span < b->spans.n && b->spans.v[v->span].strong);
    MUST(strlen(v->json) == v->n && sl_utf8_valid(v->json, v->n) == v->n);
    for (; shape < end; shape += strlen(shape) + 1, names++)
        MUST(sl_utf8_valid(shape, strlen(shape)) == strlen(shape));
    MUST(fuzz_array(v->json, v->n) <= names); /* NULLs at the end may be left out */
}

/* For emit: what must hold of every batch. */
static inline void fuzz_batch(void *to, struct sl_batch *b)
{
    struct fuzz_totals *t = to;

    MUST(b->read == b->used + b->skipped + b->rejected);
    MUST(b->rejects.n == b->rejected);
    for (size_t i = 0; i < b->spans.n; i++) {
        const struct sl_batch_span *s = &b->spans.v[i];
        MUST(s->parent < (int32_t)i && s->parent >= -1);
        MUST(!s->strong || s->parent < 0 || b->spans.v[s->parent].strong);
        MUST(s->type && s->type <= t->set->names.of.n);
        MUST(sl_batch_span(b, s->parent, s->type, s->key) == i); /* each identity once */
        if (s->key.n != SL_KEY_INT)
            MUST(sl_utf8_valid(s->key.s, s->key.n) == s->key.n && sl_key_of(s->key.s, s->key.n).n != SL_KEY_INT);
        t->strong += s->strong;
    }
    for (size_t i = 0; i < b->events.n; i++) {
        const struct sl_batch_event *e = &b->events.v[i];
        MUST(e->span < b->spans.n && b->spans.v[e->span].strong && e->type && e->type <= t->set->names.of.n);
    }
    for (size_t i = 0; i < b->links.n; i++) {
        const struct sl_batch_link *l = &b->links.v[i];
        MUST(l->left < b->spans.n && l->right < b->spans.n && l->left != l->right);
        MUST(l->kind >= SL_IN && l->kind <= SL_FLOW && l->rule);
        MUST((l->weak & 1 || b->spans.v[l->left].strong) && (l->weak & 2 || b->spans.v[l->right].strong));
    }
    for (size_t i = 0; i < b->attrs.n; i++)
        fuzz_values(t->set, b, &b->attrs.v[i]);
    for (size_t i = 0; i < b->samples.n; i++)
        fuzz_values(t->set, b, &b->samples.v[i]);
    for (size_t i = 0; i < b->rejects.n; i++) {
        const char *s = b->rejects.v[i].text;
        MUST(s && sl_utf8_valid(s, strlen(s)) == strlen(s) && !strchr(s, '\n') && *b->rejects.v[i].reason);
    }
    for (size_t i = 0; i < b->zones.n; i++) {
        const struct sl_batch_zone *z = &b->zones.v[i];
        MUST(z->root < b->spans.n && b->spans.v[z->root].parent < 0);
        MUST(z->offset_s % 900 == 0 && z->offset_s >= -15 * 3600 && z->offset_s <= 15 * 3600);
    }
    t->read += b->read;
    t->used += b->used;
    t->skipped += b->skipped;
    t->rejected += b->rejected;
    t->spans += b->spans.n;
    t->events += b->events.n;
    t->links += b->links.n;
    t->attrs += b->attrs.n;
    t->samples += b->samples.n;
    t->zones += b->zones.n;
    t->shares += b->shares.n;
    t->raws += b->raws.n;
    t->batches++;
    sl_batch_free(b);
}

/* Reads path as if it were called `as`. */
static inline struct fuzz_totals fuzz_read(struct sl_recipes *set, const struct sl_recipe *r, const char *as,
                                           const char *path, enum sl_parse_mode mode)
{
    struct fuzz_totals t = {.set = set};
    struct sl_parse p = {.recipe = r, .set = set, .mode = mode, .emit = fuzz_batch, .to = &t};
    const struct sl_pattern *files = NULL;
    struct sl_err err = {0};

    p.input = sl_recipe_input(r, as, &files);
    if (!p.input)
        p.input = &r->input[0];
    if (sl_parse_start(&p, files, as, NULL)) {
        int rc = p.input->reader->run(&p, path, &err);
        MUST(rc <= 0 && (rc == 0) == (err.code == 0) && (!rc || *err.text));
        MUST(mode != SL_PARSE_IMPORT || rc || strlen(p.hash) == 32);
    } else {
        MUST(*p.reason);
    }
    sl_parse_finish(&p);
    return t;
}

/* A reader with three inputs, of which the first byte chooses one: twice the same, and once in another mode. */
static inline int fuzz_inputs(const char *recipe, const char *const as[3], enum sl_parse_mode other,
                              const uint8_t *data, size_t size)
{
    static struct sl_recipes *set;
    static unsigned runs;
    const struct sl_recipe *r;
    struct fuzz_totals a, b;
    const char *path, *name = as[size ? *data % 3 : 0];

    if (set && ++runs % 4096 == 0) { /* names gather */
        sl_recipes_free(set);
        set = NULL;
    }
    if (!set)
        set = fuzz_recipes(recipe);
    r = sl_recipes_find(set, "fuzz");
    path = fuzz_file(size ? data + 1 : data, size ? size - 1 : 0);
    a = fuzz_read(set, r, name, path, SL_PARSE_IMPORT);
    MUST(a.read == a.used + a.skipped + a.rejected && a.read <= size);
    b = fuzz_read(set, r, name, path, SL_PARSE_IMPORT);
    MUST(!memcmp(&a, &b, sizeof a));
    fuzz_read(set, r, name, path, other);
    return 0;
}

#endif
