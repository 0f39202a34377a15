/* SPDX-License-Identifier: Apache-2.0 */
/* Sites: their numbers, their definitions in the file, and those that are known by their texts only. */
#include "runtime/runtime.h"

#include <fnmatch.h>
#include <string.h>
#include <sys/mman.h>

enum { DEFS = 65536, ARENA = 65536, SLOTS = 1024, RETRY = 4096 };

/* ---- definitions ---- */

static struct sl_tf_chunk *defs_with(size_t words)
{
    struct sl_tf_chunk *c = sl_rt.defs ? sl_rt.defs->chunk : NULL;
    size_t size = sizeof *c + (words + 1) * 8;
    struct sl_defs *d;

    if (c && sizeof *c + (c->state + words + 1) * 8 <= c->size)
        return c;
    size = size > DEFS ? (size + SL_TF_PAGE - 1) / SL_TF_PAGE * SL_TF_PAGE : DEFS;
    c = sl_file_chunk(size);
    d = c ? mmap(NULL, sizeof *d, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (d == MAP_FAILED)
        return NULL;
    madvise(c, size, MADV_DOFORK); /* a child takes its definitions from here */
    c->kind = SL_TF_DEFS;
    c->magic = SL_TF_CHUNK_MAGIC;
    *d = (struct sl_defs){c, sl_rt.defs};
    sl_rt.defs = d;
    return c;
}

static bool add_def(const struct sl_tf_def *head, const char *name, const char *category, const char *file)
{
    size_t texts = ((size_t)head->name + head->category + head->file + 7) / 8, words = sizeof *head / 8 + texts;
    struct sl_tf_chunk *c = defs_with(words);
    uint64_t *to = c ? (uint64_t *)(c + 1) + c->state : NULL;
    struct sl_tf_def *def = (struct sl_tf_def *)to;
    char *text = (char *)(def + 1);

    if (!c)
        return false;
    *def = *head;
    def->words = (uint32_t)words;
    memcpy(text, name, head->name);
    memcpy(text + head->name, category, head->category);
    memcpy(text + head->name + head->category, file, head->file);
    __atomic_store_n(&c->state, c->state + words, __ATOMIC_RELEASE);
    return true;
}

static uint32_t length(const char *s)
{
    return s ? (uint32_t)strnlen(s, SL_TF_NAME_MAX) : 0;
}

/* Whether one of "GLOB,GLOB,..." matches. */
static bool matches(const char *globs, const char *name)
{
    char glob[sizeof sl_rt.options.only];

    for (const char *p = globs; *p; p += strcspn(p, ","), p += *p == ',') {
        size_t n = strcspn(p, ",");
        memcpy(glob, p, n);
        glob[n] = 0;
        if (n && !fnmatch(glob, name, 0))
            return true;
    }
    return false;
}

bool sl_site_switch_off(struct sl_site *site)
{
    const struct sl_options *o = &sl_rt.options;

    if (LIKELY((!*o->only && !*o->skip) || !(site->line & SL_SITE_WOVEN) || site->code > SL_SITE_OFF))
        return false;
    if ((!*o->only || matches(o->only, site->name)) && !matches(o->skip, site->name))
        return false;
    __atomic_store_n(&site->code, SL_SITE_OFF, __ATOMIC_RELEASE);
    return true;
}

bool sl_site_define(struct sl_site *site, uint32_t flags)
{
    struct sl_tf_def head = {
        .site = sl_rt.sites,
        .line = site->line & ~SL_SITE_WOVEN,
        .flags = flags,
        .name = length(site->name),
        .category = length(site->category),
        .file = length(site->file),
    };

    if (site->code)
        return true;
    if (sl_rt.sites > SL_TF_LAST_SITE || !add_def(&head, site->name ? site->name : "",
                                                  site->category ? site->category : "", site->file ? site->file : ""))
        return false;
    sl_rt.define_retry = 0;
    sl_file_moment();
    __atomic_store_n(&site->code, sl_rt.sites++ << 1, __ATOMIC_RELEASE);
    return true;
}

/* The definitions of the parent, up to the fork: what it defined later has numbers that are ours to give. */
bool sl_sites_inherit(struct sl_defs *from)
{
    bool ok = true;

    sl_rt.defs = NULL;
    while (from) {
        struct sl_defs *older = from->older;
        const struct sl_tf_chunk *c = from->chunk;
        const uint64_t *words = (const uint64_t *)(c + 1);
        for (uint64_t i = 0, n = c->state; ok && i < n;) {
            const struct sl_tf_def *def = (const struct sl_tf_def *)(words + i);
            const char *text = (const char *)(def + 1);
            if (!def->words)
                break;
            if (def->site < sl_rt.sites)
                ok = add_def(def, text, text + def->name, text + def->name + def->category);
            i += def->words;
        }
        munmap(from->chunk, from->chunk->size);
        munmap(from, sizeof *from);
        from = older;
    }
    return ok;
}

/* ---- sites by their texts ---- */

struct named {
    struct sl_site site;
    uint32_t hash, flags;
};

struct names {
    uint32_t slots, used;
    struct named *slot[];
};

static struct names *table; /* read without the lock: it grows by a new one, and the old ones stay */
static char *arena, *arena_end;

static uint32_t hash_of(const char *a, const char *b, uint32_t h)
{
    for (; *a; a++)
        h = (h ^ (uint8_t)*a) * 16777619u; /* FNV-1a */
    for (h = (h ^ 0xff) * 16777619u; b && *b; b++)
        h = (h ^ (uint8_t)*b) * 16777619u;
    return h ^ h >> 15;
}

static void *take(size_t n)
{
    n = (n + 7) & ~(size_t)7;
    if ((size_t)(arena_end - arena) < n || !arena) {
        size_t size = n > ARENA ? n : ARENA;
        char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED)
            return NULL;
        arena = p;
        arena_end = p + size;
    }
    arena += n;
    return arena - n;
}

static char *copy(const char *s)
{
    size_t n = strlen(s) + 1;
    char *to = take(n);

    return to ? memcpy(to, s, n) : NULL;
}

static bool same(const struct named *x, const char *name, const char *category, uint32_t flags)
{
    return x->flags == flags && !strcmp(x->site.name, name) && (x->site.category == NULL) == (category == NULL) &&
           (!category || !strcmp(x->site.category, category));
}

static struct named *look_up(const struct names *t, uint32_t hash, const char *name, const char *category,
                             uint32_t flags)
{
    for (uint32_t i = hash;; i++) {
        struct named *x = t ? __atomic_load_n(&t->slot[i & (t->slots - 1)], __ATOMIC_ACQUIRE) : NULL;
        if (!x)
            return NULL;
        if (x->hash == hash && same(x, name, category, flags))
            return x;
    }
}

static bool enlarge(void)
{
    uint32_t slots = table ? table->slots * 2 : SLOTS;
    struct names *t;

    if (table && table->used < table->slots / 2)
        return true;
    t = mmap(NULL, sizeof *t + slots * sizeof *t->slot, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (t == MAP_FAILED)
        return false;
    t->slots = slots;
    for (uint32_t i = 0; table && i < table->slots; i++)
        if (table->slot[i]) {
            uint32_t at = table->slot[i]->hash;
            while (t->slot[at & (slots - 1)])
                at++;
            t->slot[at & (slots - 1)] = table->slot[i];
            t->used++;
        }
    __atomic_store_n(&table, t, __ATOMIC_RELEASE);
    return true;
}

static struct named *add(uint32_t hash, const char *name, const char *category, uint32_t flags)
{
    struct named *x = enlarge() ? take(sizeof *x) : NULL;

    if (!x)
        return NULL;
    *x = (struct named){.hash = hash, .flags = flags};
    x->site.name = copy(name);
    x->site.category = category ? copy(category) : NULL;
    if (!x->site.name || (category && !x->site.category))
        return NULL;
    if (sl_open())
        sl_site_define(&x->site, flags); /* where there is no room, it is tried again */
    while (table->slot[hash & (table->slots - 1)])
        hash++;
    __atomic_store_n(&table->slot[hash & (table->slots - 1)], x, __ATOMIC_RELEASE);
    table->used++;
    return x;
}

/* Texts mostly are literals: where they lie tells where to look first, and comparing them is cheaper than hashing. */
static struct named **recently(const char *name, const char *category)
{
    static struct named *recent[256];
    uint64_t at = ((uintptr_t)name + ((uint64_t)(uintptr_t)category << 20)) * UINT64_C(0x9e3779b97f4a7c15);

    return &recent[at >> 56];
}

struct sl_site *sl_site_find(const char *name, const char *category, uint32_t flags)
{
    struct named **recent = recently(name, category), *x = __atomic_load_n(recent, __ATOMIC_ACQUIRE);
    struct sl_guard g;
    uint32_t hash;

    if (LIKELY(x && same(x, name, category, flags)))
        return &x->site;
    hash = hash_of(name, category, 2166136261u + flags);
    x = look_up(__atomic_load_n(&table, __ATOMIC_ACQUIRE), hash, name, category, flags);
    if (LIKELY(x)) {
        __atomic_store_n(recent, x, __ATOMIC_RELEASE);
        return &x->site;
    }
    sl_guard_enter(&g);
    sl_lane_notice_fork();
    pthread_mutex_lock(&sl_rt.lock);
    x = look_up(table, hash, name, category, flags);
    if (!x)
        x = add(hash, name, category, flags);
    pthread_mutex_unlock(&sl_rt.lock);
    sl_guard_leave(&g);
    return x ? &x->site : NULL;
}

static struct sl_site *site_of(const char *name, const char *category, uint32_t flags)
{
    static struct sl_site none = SL_SITE("(no memory)", "spanloom");
    struct sl_site *site = sl_site_find(name ? name : "", category, flags);

    return site ? site : &none;
}

struct sl_site *sl_site_of(const char *name, const char *category)
{
    return site_of(name, category, 0);
}

struct sl_site *sl_loose_site_of(const char *name, const char *category)
{
    return site_of(name, category, SL_TF_LOOSE);
}
