/* SPDX-License-Identifier: Apache-2.0 */
#include "read/trace/known.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/map.h"

#include <stdlib.h>

enum { DEPTH = 64 };
enum field { KIND, PATH, OTHER, RELATION, EVENT, TIME, BEGIN, END, FIELDS };
static const char *const field_name[FIELDS] = {"_kind",  "_path", "_other", "_relation",
                                               "_event", "_time", "_begin", "_end"};

struct sl_known {
    struct sl_parse *p;
    struct sl_map by_number;
    SL_VEC(struct known_span {
        uint64_t number;
        uint32_t type, parent; /* parent: index + 1; 0: a root */
        const char *key;
        size_t n;
    })
    span;
    SL_VEC(struct known_link {
        uint64_t number, other;
        int64_t place;
        uint32_t kind;
    })
    link;
    struct sl_intern texts; /* types and kinds */
    struct sl_arena keys;
    struct sl_buf path, other;
    int slot[FIELDS];
};

struct sl_known *sl_known_new(struct sl_parse *p)
{
    struct sl_known *k = sl_alloc(sizeof *k);

    k->p = p;
    for (int f = 0; f < FIELDS; f++)
        k->slot[f] = sl_parse_slot(p, field_name[f], strlen(field_name[f]));
    return k;
}

void sl_known_free(struct sl_known *k)
{
    sl_map_free(&k->by_number);
    sl_vec_free(&k->span);
    sl_vec_free(&k->link);
    sl_intern_free(&k->texts);
    sl_arena_free(&k->keys);
    sl_buf_free(&k->path);
    sl_buf_free(&k->other);
    free(k);
}

struct sl_parse *sl_known_parse(const struct sl_known *k)
{
    return k->p;
}

static const struct known_span *find(const struct sl_known *k, uint64_t number)
{
    uint64_t hash = sl_hash_mix(number, 1);
    size_t at = hash;

    for (uint32_t i; sl_map_next(&k->by_number, hash, &at, &i);)
        if (k->span.v[i].number == number)
            return &k->span.v[i];
    return NULL;
}

bool sl_known_has(const struct sl_known *k, uint64_t number)
{
    return find(k, number) != NULL;
}

bool sl_known_add(struct sl_known *k, uint64_t number, uint64_t parent, const char *type, size_t ntype, const char *key,
                  size_t nkey)
{
    const struct known_span *in = parent ? find(k, parent) : NULL, *there = find(k, number);
    struct known_span s = {.number = number, .n = nkey};

    if ((parent && !in) || !ntype)
        return false;
    s.type = sl_intern(&k->texts, type, ntype);
    s.parent = in ? (uint32_t)(in - k->span.v) + 1 : 0;
    if (there)
        return there->type == s.type && there->parent == s.parent && there->n == nkey && !memcmp(there->key, key, nkey);
    s.key = sl_arena_copy(&k->keys, key, nkey);
    sl_map_add(&k->by_number, sl_hash_mix(number, 1), (uint32_t)k->span.n);
    *sl_vec_add(&k->span) = s;
    return true;
}

static bool put_path(const struct sl_known *k, uint64_t number, struct sl_buf *to)
{
    const struct known_span *up[DEPTH], *s = find(k, number);
    int n = 0;

    for (; s && n < DEPTH; s = s->parent ? &k->span.v[s->parent - 1] : NULL)
        up[n++] = s;
    if (!n || s)
        return false;
    sl_buf_clear(to);
    for (int i = n; i--;) {
        sl_buf_addc(to, i == n - 1 ? '[' : ',');
        sl_buf_add_json(to, sl_intern_text(&k->texts, up[i]->type), sl_intern_len(&k->texts, up[i]->type));
        sl_buf_addc(to, ',');
        sl_buf_add_json(to, up[i]->key, up[i]->n);
    }
    sl_buf_addc(to, ']');
    return true;
}

static void set(struct sl_known *k, enum field f, struct sl_value v)
{
    if (k->slot[f] >= 0)
        sl_parse_set(k->p, k->slot[f], field_name[f], strlen(field_name[f]), v);
}

static void set_text(struct sl_known *k, enum field f, const char *s, size_t n)
{
    set(k, f, (struct sl_value){.kind = SL_TEXT, .s = s, .n = (uint32_t)n});
}

bool sl_known_begin(struct sl_known *k, uint64_t number, const char *kind, int64_t place)
{
    if (!put_path(k, number, &k->path)) {
        sl_parse_reject(k->p, place, "of a span that nothing before says which it is", "", 0);
        return false;
    }
    sl_parse_begin(k->p, place);
    set_text(k, KIND, kind, strlen(kind));
    set_text(k, PATH, k->path.s, k->path.n);
    return true;
}

/* An attribute that was called as what says which span it is (sl_spans_reserved() in export/spans.h): without its args.
 */
static bool reserved(const char *name, size_t n)
{
    bool any = false;

    for (; n > 5 && !memcmp(name, "args.", 5); name += 5, n -= 5)
        any = true;
    return any && n >= 8 && !memcmp(name, "spanloom", 8) && (n == 8 || name[8] == '.');
}

void sl_known_value(struct sl_known *k, const char *name, size_t n, struct sl_value v)
{
    int slot;

    if (v.kind == SL_NONE || !n || memchr(name, 0, n))
        return;
    if (reserved(name, n))
        name += 5, n -= 5;
    slot = *name == '_' ? -1 : sl_parse_slot(k->p, name, n);
    if (slot == k->p->recipe->field_text || slot == k->p->recipe->field_table)
        slot = -1;
    sl_parse_set(k->p, slot, name, n, v);
}

void sl_known_time(struct sl_known *k, const char *which, int64_t ns)
{
    set(k, *which == 'b' ? BEGIN : *which == 'e' ? END : TIME, (struct sl_value){.kind = SL_INT, .i = ns});
}

void sl_known_end(struct sl_known *k)
{
    sl_parse_end(k->p);
}

void sl_known_event(struct sl_known *k, uint64_t number, const char *name, size_t n, int64_t ns, int64_t place)
{
    if (!sl_known_begin(k, number, "span event", place))
        return;
    set_text(k, EVENT, name, n);
    set(k, TIME, (struct sl_value){.kind = SL_INT, .i = ns});
    sl_parse_end(k->p);
}

bool sl_known_follows(const char *rule, size_t n)
{
    static const char file[] = "file.writer";

    return n != sizeof file - 1 || memcmp(rule, file, n) != 0;
}

void sl_known_link(struct sl_known *k, uint64_t number, const char *kind, size_t n, uint64_t other, bool inferred,
                   int64_t place)
{
    if (inferred)
        kind = "inferred", n = 8;
    *sl_vec_add(&k->link) = (struct known_link){number, other, place, sl_intern(&k->texts, kind, n)};
}

void sl_known_finish(struct sl_known *k)
{
    for (size_t i = 0; i < k->link.n && !sl_parse_stopped(k->p); i++) {
        const struct known_link *l = &k->link.v[i];
        if (!put_path(k, l->other, &k->other)) {
            sl_parse_reject(k->p, l->place, "a link to a span that is not in the file", "", 0);
            continue;
        }
        if (!sl_known_begin(k, l->number, "span link", l->place))
            continue;
        set_text(k, OTHER, k->other.s, k->other.n);
        set_text(k, RELATION, sl_intern_text(&k->texts, l->kind), sl_intern_len(&k->texts, l->kind));
        sl_parse_end(k->p);
    }
    sl_vec_clear(&k->link);
}
