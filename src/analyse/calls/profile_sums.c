/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/calls/profile_sums.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/map.h"

#include <stdlib.h>

/* ---- exclusive time ---- */

static int by_begin(const void *x, const void *y)
{
    const struct sl_call_interval *a = x, *b = y;

    return (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns);
}

static int64_t length(const struct sl_calls *c, uint32_t i)
{
    return sl_time_sub(c->end_ns[i], c->begin_ns[i]);
}

/* What calls right below one cover of it, once, where some of them are of processes whose calls were added up. */
static int64_t covered(const struct sl_calls *c, uint32_t caller)
{
    SL_VEC(struct sl_call_interval) v = {0};
    int64_t reached = c->begin_ns[caller], all = 0;

    for (uint32_t i = caller + 1; i < c->n && c->caller[i] != SL_NO_INDEX && c->caller[i] >= caller; i++)
        if (c->caller[i] == caller)
            *sl_vec_add(&v) = (struct sl_call_interval){c->begin_ns[i], c->end_ns[i]};
    for (size_t i = 0; i < c->sums->threads.n; i++)
        for (size_t k = 0; c->added[i].caller == caller && k < c->sums->threads.v[i].outermost.n; k++)
            *sl_vec_add(&v) = c->sums->threads.v[i].outermost.v[k];
    qsort(v.v, v.n, sizeof *v.v, by_begin);
    for (size_t i = 0; i < v.n; i++) {
        int64_t from = v.v[i].begin_ns > reached ? v.v[i].begin_ns : reached;
        int64_t to = v.v[i].end_ns < c->end_ns[caller] ? v.v[i].end_ns : c->end_ns[caller];
        if (to > from) {
            all = sl_time_add(all, sl_time_sub(to, from));
            reached = to;
        }
    }
    sl_vec_free(&v);
    return all;
}

/* Calls of one caller come in order of time, so that the union of them is one pass: how far it reaches so far. */
static int64_t *exclusive_times(const struct sl_calls *c)
{
    int64_t *own = sl_alloc(((size_t)c->n + 1) * sizeof *own),
            *reached = sl_alloc(((size_t)c->n + 1) * sizeof *reached);

    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t by = c->caller[i];
        own[i] = length(c, i);
        reached[i] = c->begin_ns[i];
        if (by != SL_NO_INDEX) {
            int64_t from = c->begin_ns[i] > reached[by] ? c->begin_ns[i] : reached[by];
            int64_t to = c->end_ns[i] < c->end_ns[by] ? c->end_ns[i] : c->end_ns[by];
            if (to > from) {
                own[by] = sl_time_sub(own[by], sl_time_sub(to, from));
                reached[by] = to;
            }
        }
    }
    for (size_t i = 0; c->sums && i < c->sums->threads.n; i++) {
        uint32_t by = c->added[i].caller;
        if (by != SL_NO_INDEX && reached[by] != INT64_MIN && c->sums->threads.v[i].outermost.n) {
            own[by] = sl_time_sub(length(c, by), covered(c, by));
            reached[by] = INT64_MIN; /* done */
        }
    }
    free(reached);
    return own;
}

/* ---- rows ---- */

struct rows { /* by (parent, name, part) */
    struct sl_profile *p;
    struct sl_map map;
};

static uint32_t row_of(struct rows *t, uint32_t parent, uint32_t name, uint32_t part)
{
    uint64_t hash = sl_hash_mix((uint64_t)parent << 32 | name, part);
    size_t at = hash;
    uint32_t depth;

    for (uint32_t i; sl_map_next(&t->map, hash, &at, &i);) {
        const struct sl_profile_row *r = &t->p->v[i];
        if (r->parent == parent && r->name == name && r->part == part)
            return i;
    }
    sl_map_add(&t->map, hash, (uint32_t)t->p->n);
    depth = parent == SL_NO_INDEX ? 0 : t->p->v[parent].depth + 1;
    *sl_vec_add(t->p) = (struct sl_profile_row){
        .parent = parent, .depth = depth, .name = name, .part = part, .min_ns = INT64_MAX, .max_ns = INT64_MIN};
    return (uint32_t)t->p->n - 1;
}

static void add(struct sl_profile_row *r, const struct sl_calls *c, uint32_t i, int64_t exclusive, bool inclusive)
{
    int64_t ns = length(c, i);

    r->calls++;
    r->exclusive_ns = sl_time_add(r->exclusive_ns, exclusive);
    if (inclusive)
        r->inclusive_ns = sl_time_add(r->inclusive_ns, ns);
    if (c->flags[i] & SL_CALL_UNFINISHED) {
        r->unfinished++;
        r->unknown += !ns;
        return;
    }
    r->sum_ns = sl_time_add(r->sum_ns, ns);
    if (ns < r->min_ns)
        r->min_ns = ns;
    if (ns > r->max_ns)
        r->max_ns = ns;
}

/* ---- calls that were added up ---- */

/* Is a call of this name around the path, on its thread or above? */
static bool is_recursive(const struct sl_calls *c, const struct sl_call_thread *t, const struct sl_call_path *p,
                         uint32_t caller)
{
    for (uint32_t i = p->above; i != UINT32_MAX; i = t->paths.v[i].above)
        if (t->paths.v[i].name == p->name)
            return true;
    for (; caller != SL_NO_INDEX; caller = c->caller[caller])
        if (c->name[caller] == c->added_name[p->name - 1])
            return true;
    return false;
}

static void add_path(struct sl_profile_row *r, const struct sl_call_path *p, bool inclusive)
{
    r->calls += p->calls;
    r->exclusive_ns = sl_time_add(r->exclusive_ns, p->exclusive_ns);
    if (inclusive)
        r->inclusive_ns = sl_time_add(r->inclusive_ns, p->inclusive_ns);
    r->sum_ns = sl_time_add(r->sum_ns, p->inclusive_ns);
    r->min_ns = p->min_ns < r->min_ns ? p->min_ns : r->min_ns;
    r->max_ns = p->max_ns > r->max_ns ? p->max_ns : r->max_ns;
}

/* row: by call, of a tree; NULL: flat. */
static void add_sums(struct rows *rows, const struct sl_calls *c, const uint32_t *row)
{
    for (size_t i = 0; c->sums && i < c->sums->threads.n; i++) {
        const struct sl_call_thread *t = &c->sums->threads.v[i];
        uint32_t caller = c->added[i].caller, part = c->added[i].part,
                 top = row && caller != SL_NO_INDEX ? row[caller] : SL_NO_INDEX;
        uint32_t *of = sl_alloc((t->paths.n + 1) * sizeof *of);
        for (size_t k = 0; k < t->paths.n; k++) {
            const struct sl_call_path *p = &t->paths.v[k];
            uint32_t above = !row ? SL_NO_INDEX : p->above == UINT32_MAX ? top : of[p->above];
            of[k] = row_of(rows, above, c->added_name[p->name - 1], part);
            add_path(&rows->p->v[of[k]], p, row || !is_recursive(c, t, p, caller));
            rows->p->exclusive_ns = sl_time_add(rows->p->exclusive_ns, p->exclusive_ns);
        }
        free(of);
    }
}

/* ---- the order of rows ---- */

struct whole { /* of a function below one caller, over all its parts */
    int64_t time, other;
};

struct sorting {
    const struct sl_calls *c;
    const struct sl_profile_row *v;
    const struct whole *whole; /* by row */
};

static int together(const void *x, const void *y, void *of)
{
    const struct sorting *s = of;
    const struct sl_profile_row *a = &s->v[*(const uint32_t *)x], *b = &s->v[*(const uint32_t *)y];

    if (a->parent != b->parent) /* roots by SL_NO_INDEX come first: rows of one parent stand together */
        return a->parent + 1 < b->parent + 1 ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

/* The function of the most time first, and its parts as people count them: so it is seen where these differ. */
static int in_order(const void *x, const void *y, void *of)
{
    const struct sorting *s = of;
    uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
    const struct sl_profile_row *a = &s->v[i], *b = &s->v[k];

    if (a->parent != b->parent)
        return together(x, y, of);
    if (a->name == b->name)
        return strverscmp(sl_intern_text(&s->c->parts, a->part), sl_intern_text(&s->c->parts, b->part));
    if (s->whole[i].time != s->whole[k].time)
        return s->whole[i].time < s->whole[k].time ? 1 : -1;
    if (s->whole[i].other != s->whole[k].other)
        return s->whole[i].other < s->whole[k].other ? 1 : -1;
    return strcmp(sl_intern_text(&s->c->names, a->name), sl_intern_text(&s->c->names, b->name));
}

static uint32_t *sort_rows(const struct sl_profile *p, const struct sl_calls *c, bool inclusive)
{
    uint32_t n = (uint32_t)p->n, *sorted = sl_alloc(((size_t)n + 1) * sizeof *sorted);
    struct whole *whole = sl_alloc(((size_t)n + 1) * sizeof *whole);
    struct sorting s = {c, p->v, whole};

    for (uint32_t i = 0; i < n; i++)
        sorted[i] = i;
    qsort_r(sorted, n, sizeof *sorted, together, &s);
    for (uint32_t from = 0, to; from < n; from = to) {
        struct whole sum = {0};
        for (to = from; to < n && !together(&sorted[from], &sorted[to], &s); to++) {
            const struct sl_profile_row *r = &p->v[sorted[to]];
            sum.time = sl_time_add(sum.time, inclusive ? r->inclusive_ns : r->exclusive_ns);
            sum.other = sl_time_add(sum.other, r->inclusive_ns);
        }
        for (uint32_t k = from; k < to; k++)
            whole[sorted[k]] = sum;
    }
    qsort_r(sorted, n, sizeof *sorted, in_order, &s);
    free(whole);
    return sorted;
}

/* ---- flat ---- */

static void reorder(struct sl_profile *p, const struct sl_calls *c)
{
    uint32_t *sorted = sort_rows(p, c, false);
    struct sl_profile_row *v = sl_alloc((p->n + 1) * sizeof *v);

    for (size_t i = 0; i < p->n; i++)
        v[i] = p->v[sorted[i]];
    free(p->v);
    p->v = v;
    p->cap = p->n + 1;
    free(sorted);
}

void sl_profile_flat(struct sl_profile *p, const struct sl_calls *c)
{
    int64_t *own = exclusive_times(c);
    struct rows t = {.p = p};

    *p = (struct sl_profile){0};
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t row = row_of(&t, SL_NO_INDEX, c->name[i], c->part[i]);
        add(&p->v[row], c, i, own[i], c->flags[i] & SL_CALL_OUTERMOST);
        p->exclusive_ns = sl_time_add(p->exclusive_ns, own[i]);
    }
    add_sums(&t, c, NULL);
    if (p->n)
        reorder(p, c);
    sl_map_free(&t.map);
    free(own);
}

/* ---- tree ---- */

/* From the order in which paths were met to the order of the tree. */
static void arrange(struct sl_profile *p, const struct sl_calls *c)
{
    uint32_t n = (uint32_t)p->n, top = 0, done = 0, *sorted = sort_rows(p, c, true);
    uint32_t *first = sl_alloc(((size_t)n + 3) * sizeof *first), *stack = sl_alloc(((size_t)n + 1) * sizeof *stack);
    uint32_t *place = sl_alloc(((size_t)n + 1) * sizeof *place);
    struct sl_profile_row *v = sl_alloc(((size_t)n + 1) * sizeof *v);

    for (uint32_t i = 0; i < n; i++)
        first[p->v[i].parent + 2]++; /* SL_NO_INDEX + 2 is 1 */
    for (uint32_t i = 1; i < n + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t k = first[1]; k-- > 0;)
        stack[top++] = sorted[k];
    while (top) {
        uint32_t i = stack[--top];
        place[i] = done;
        v[done] = p->v[i];
        if (v[done].parent != SL_NO_INDEX)
            v[done].parent = place[v[done].parent];
        done++;
        for (uint32_t k = first[i + 2]; k-- > first[i + 1];)
            stack[top++] = sorted[k];
    }
    free(p->v);
    p->v = v;
    p->cap = (size_t)n + 1;
    free(sorted);
    free(first);
    free(stack);
    free(place);
}

void sl_profile_tree(struct sl_profile *p, const struct sl_calls *c)
{
    uint32_t *row = sl_alloc(((size_t)c->n + 1) * sizeof *row);
    int64_t *own = exclusive_times(c);
    struct rows t = {.p = p};

    *p = (struct sl_profile){0};
    for (uint32_t i = 0; i < c->n; i++) {
        row[i] = row_of(&t, c->caller[i] == SL_NO_INDEX ? SL_NO_INDEX : row[c->caller[i]], c->name[i], c->part[i]);
        add(&p->v[row[i]], c, i, own[i], true);
        p->exclusive_ns = sl_time_add(p->exclusive_ns, own[i]);
    }
    add_sums(&t, c, row);
    if (p->n)
        arrange(p, c);
    sl_map_free(&t.map);
    free(own);
    free(row);
}

void sl_profile_free(struct sl_profile *p)
{
    free(p->v);
    *p = (struct sl_profile){0};
}
