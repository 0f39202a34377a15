/* SPDX-License-Identifier: Apache-2.0 */
#include "export/timeline/layout.h"
#include "timeline_layout.sql.h"

#include <stdlib.h>

enum { NOT_PLACED = UINT32_MAX - 1, DEPTH = 1000 };

struct making {
    struct sl_layout *l;
    struct sl_spans *s;
};

static int add_type(void *of, sqlite3_stmt *row, struct sl_err *err)
{
    struct making *m = of;
    uint32_t i = sl_idmap_find(&m->s->words.names, sqlite3_column_int64(row, 0));

    (void)err;
    if (i != SL_NO_INDEX)
        m->l->is_work[i] = true;
    return 0;
}

static int add_event(void *of, sqlite3_stmt *row, struct sl_err *err)
{
    struct making *m = of;
    uint32_t i = sl_idmap_find(&m->s->outline.id, sqlite3_column_int64(row, 0));

    (void)err;
    if (i != SL_NO_INDEX) { /* they come in order of time */
        m->l->end_ns[i] = sqlite3_column_int64(row, 1);
        if (m->l->begin_ns[i] == SL_NO_TIME)
            m->l->begin_ns[i] = m->l->end_ns[i];
    }
    return 0;
}

/*
 * A span is work where its type is, or what it is named in; else a place, in the place that it is named in.  Of chains
 * that go in circles, as only a damaged store has them, one begins anywhere.
 */
static void put(struct sl_layout *l, const struct sl_outline *o, uint32_t i, int depth)
{
    uint32_t in = o->parent[i];

    if (l->place[i] != NOT_PLACED)
        return;
    l->place[i] = l->top[i] = SL_NO_INDEX;
    if (in != SL_NO_INDEX && depth < DEPTH)
        put(l, o, in, depth + 1);
    if (in != SL_NO_INDEX && l->top[in] != SL_NO_INDEX) {
        l->place[i] = l->place[in];
        l->top[i] = l->top[in];
        return;
    }
    l->place[i] = in;
    if (sl_layout_is_work(l, o, i))
        l->top[i] = o->type[i];
    else if (in != SL_NO_INDEX)
        l->holds[in] = true;
}

static int in_order(const void *a, const void *b, void *of)
{
    const struct sl_layout *l = of;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (l->place[x] != l->place[y])
        return l->place[x] < l->place[y] ? -1 : 1;
    if (l->top[x] != l->top[y])
        return l->top[x] < l->top[y] ? -1 : 1;
    if (l->begin_ns[x] != l->begin_ns[y])
        return l->begin_ns[x] < l->begin_ns[y] ? -1 : 1;
    if (l->end_ns[x] != l->end_ns[y])
        return l->end_ns[x] > l->end_ns[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

int sl_layout_make(struct sl_layout *l, struct sl_spans *s, struct sl_err *err)
{
    const struct sl_outline *o = &s->outline;
    struct making m = {l, s};
    size_t n = o->id.n;
    int rc;

    *l = (struct sl_layout){.begin_ns = sl_alloc((n + 1) * sizeof *l->begin_ns),
                            .end_ns = sl_alloc((n + 1) * sizeof *l->end_ns),
                            .place = sl_alloc((n + 1) * sizeof *l->place),
                            .top = sl_alloc((n + 1) * sizeof *l->top),
                            .work = sl_alloc((n + 1) * sizeof *l->work),
                            .holds = sl_alloc(n + 1),
                            .is_work = sl_alloc(s->words.names.n + 1)};
    for (size_t i = 0; i < n; i++) {
        l->begin_ns[i] = SL_NO_TIME;
        l->place[i] = NOT_PLACED;
    }
    rc = sl_store_each(s->st, sql_work_types, add_type, &m, err, "");
    if (!rc)
        rc = sl_store_each(s->st, s->part ? sql_times_of_part : sql_times, add_event, &m, err, "");
    for (uint32_t i = 0; !rc && i < n; i++) {
        put(l, o, i, 0);
        if (l->top[i] != SL_NO_INDEX && l->begin_ns[i] != SL_NO_TIME)
            l->work[l->works++] = i;
        l->untimed += sl_layout_is_work(l, o, i) && l->begin_ns[i] == SL_NO_TIME;
    }
    qsort_r(l->work, l->works, sizeof *l->work, in_order, l);
    return rc;
}

void sl_layout_free(struct sl_layout *l)
{
    free(l->begin_ns);
    free(l->end_ns);
    free(l->place);
    free(l->top);
    free(l->work);
    free(l->holds);
    free(l->is_work);
}

/* ---- work ---- */

static int by_begin(const void *a, const void *b, void *of)
{
    const struct sl_layout_kind *x = a, *y = b;
    const struct sl_layout *l = of;
    int64_t p = l->begin_ns[l->work[x->first]], q = l->begin_ns[l->work[y->first]];

    return p != q ? (p > q) - (p < q) : strcmp(x->name, y->name);
}

void sl_layout_find_kinds(const struct sl_layout *l, const struct sl_spans *s, uint32_t place, sl_layout_kinds *to)
{
    size_t low = 0, high = l->works;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (l->place[l->work[mid]] < place)
            low = mid + 1;
        else
            high = mid;
    }
    for (size_t i = low, k; i < l->works && l->place[l->work[i]] == place; i = k) {
        uint32_t top = l->top[l->work[i]];
        for (k = i; k < l->works && l->place[l->work[k]] == place && l->top[l->work[k]] == top;)
            k++;
        *sl_vec_add(to) = (struct sl_layout_kind){s->words.name[top], i, k - i};
    }
    if (to->n > 1)
        qsort_r(to->v, to->n, sizeof *to->v, by_begin, (void *)(uintptr_t)l);
}

/* ---- places ---- */

static int by_type(const void *a, const void *b)
{
    const struct sl_layout_place *x = a, *y = b;

    if (x->type_id != y->type_id)
        return x->type_id < y->type_id ? -1 : 1;
    return x->span < y->span ? -1 : x->span > y->span;
}

static int as_told(const void *a, const void *b)
{
    const struct sl_layout_place *x = a, *y = b;
    int by;

    if (x->type_begin_ns != y->type_begin_ns) /* none: last, and so it is INT64_MAX */
        return x->type_begin_ns < y->type_begin_ns ? -1 : 1;
    if (x->type_id != y->type_id)
        return x->type_id < y->type_id ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    by = strcmp(x->key, y->key);
    return by ? by : (x->span > y->span) - (x->span < y->span);
}

static int add_place(const struct sl_layout *l, struct sl_spans *s, uint32_t i, sl_layout_places *to,
                     struct sl_arena *keys, struct sl_err *err)
{
    struct sl_exported_span span;
    int rc = sl_spans_get(s, s->outline.id.v[i], &span, err);

    if (rc == 1)
        *sl_vec_add(to) = (struct sl_layout_place){
            .span = i,
            .type_id = s->outline.type[i],
            .type = span.type,
            .key = sl_arena_copy(keys, span.key, strlen(span.key)),
            .number = strtoll(span.key, NULL, 10),
            .begin_ns = l->begin_ns[i] == SL_NO_TIME ? INT64_MAX : l->begin_ns[i],
            .holds = l->holds[i],
        };
    return rc < 0 ? rc : 0;
}

int sl_layout_find_places(const struct sl_layout *l, struct sl_spans *s, uint32_t in, sl_layout_places *to,
                          struct sl_arena *keys, struct sl_err *err)
{
    const struct sl_outline *o = &s->outline;
    int rc = 0;

    if (in == SL_NO_INDEX) {
        for (uint32_t i = 0; !rc && i < o->id.n; i++)
            if (o->parent[i] == SL_NO_INDEX && l->top[i] == SL_NO_INDEX)
                rc = add_place(l, s, i, to, keys, err);
    } else {
        for (uint32_t c = o->effect.start[in]; !rc && l->holds[in] && c < o->effect.start[in + 1]; c++) {
            uint32_t i = o->effect.of[c].span;
            if (sl_cause_kind(o->effect.of[c]) == SL_IN && o->parent[i] == in && l->top[i] == SL_NO_INDEX)
                rc = add_place(l, s, i, to, keys, err);
        }
    }
    if (rc || !to->n)
        return rc;
    qsort(to->v, to->n, sizeof *to->v, by_type);
    for (size_t i = 0, k; i < to->n; i = k) { /* a link may say again that one lies here: it is next to itself */
        int64_t first_ns = INT64_MAX;
        for (k = i; k < to->n && to->v[k].type_id == to->v[i].type_id; k++)
            first_ns = to->v[k].begin_ns < first_ns ? to->v[k].begin_ns : first_ns;
        for (size_t each = i; each < k; each++)
            to->v[each].type_begin_ns = first_ns;
    }
    qsort(to->v, to->n, sizeof *to->v, as_told);
    {
        size_t n = 1;
        for (size_t i = 1; i < to->n; i++)
            if (to->v[i].span != to->v[n - 1].span)
                to->v[n++] = to->v[i];
        to->n = n;
    }
    return 0;
}
