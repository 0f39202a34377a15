/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One scan of what attributes say, and arrays by span of whose it is: SQL would look up the attributes of each task,
 * and take each value out of its list by itself.
 */
#include "analyse/tasks/task_attrs.h"
#include "analyse/ext.h"
#include "analyse/load/fast_rows.h"
#include "analyse/tasks/closure.h"
#include "base/buf.h"
#include "base/json.h"
#include "tasks_task_attrs.sql.h"

#include <stdlib.h>

enum what { EXECUTOR, HOST, HISTORY, EXCEPTION, FUNC, APP, CATEGORY, WHATS }; /* of tries, both, and tasks */

static const char *const names[WHATS] = {"executor",       "hostname", "task_fail_history", "exception",
                                         "task_func_name", "app",      "category"};

struct one { /* a span of a try */
    uint32_t span, task;
    int64_t number;
};

struct shape {
    int64_t id;
    uint32_t pos;
    enum what what;
};

struct load {
    const struct sl_workflow *w;
    struct sl_task_attrs *t;
    uint32_t *task_of, *try_of; /* by span: of which task it is a view, of which try; SL_NO_INDEX */
    SL_VEC(struct one) one;
    SL_VEC(struct shape) shape;                   /* those that are wanted */
    uint32_t (*of_task)[WHATS], (*of_try)[WHATS]; /* values */
    sqlite3_stmt *extract;
    struct sl_buf text;
};

static void free_said(struct sl_task_attrs *t)
{
    free(t->app);
    free(t->exception);
    free(t->last);
    sl_vec_free(&t->tries);
    sl_intern_free(&t->value);
    t->app = t->exception = t->last = NULL;
    t->loaded = false;
}

/* ---- values ---- */

/* As SQL orders them: numbers before texts. */
static bool is_more(const struct sl_task_attrs *t, uint32_t a, uint32_t b)
{
    const char *x = sl_intern_text(&t->value, a), *y = sl_intern_text(&t->value, b);
    size_t n = sl_intern_len(&t->value, a), m = sl_intern_len(&t->value, b);
    int order;

    if ((*x == 't') != (*y == 't'))
        return *x == 't';
    if (*x != 't')
        return strtod(x + 1, NULL) > strtod(y + 1, NULL);
    order = memcmp(x, y, n < m ? n : m);
    return order ? order > 0 : n > m;
}

struct sl_cell sl_task_attrs_cell(const struct sl_task_attrs *t, uint32_t value)
{
    const char *s = value ? sl_intern_text(&t->value, value) : NULL;

    if (!s)
        return (struct sl_cell){0};
    if (*s == 't')
        return (struct sl_cell){SQLITE_TEXT, (uint32_t)sl_intern_len(&t->value, value) - 1, {.s = s + 1}};
    return *s == 'i' ? (struct sl_cell){SQLITE_INTEGER, 0, {.i = strtoll(s + 1, NULL, 10)}}
                     : (struct sl_cell){SQLITE_FLOAT, 0, {.d = strtod(s + 1, NULL)}};
}

static uint32_t intern(struct load *l, char type, const char *s, size_t n)
{
    sl_buf_clear(&l->text);
    sl_buf_addc(&l->text, type);
    sl_buf_add(&l->text, s, n);
    return sl_intern(&l->t->value, l->text.s, l->text.n);
}

/* Of what is no plain text. */
static uint32_t extracted(struct load *l, sqlite3_value *vals, uint32_t pos)
{
    uint32_t id = 0;
    int type;

    sqlite3_bind_value(l->extract, 1, vals);
    sqlite3_bind_int64(l->extract, 2, pos);
    if (sqlite3_step(l->extract) == SQLITE_ROW && (type = sqlite3_column_type(l->extract, 0)) != SQLITE_NULL)
        id = intern(l,
                    type == SQLITE_INTEGER ? 'i'
                    : type == SQLITE_FLOAT ? 'r'
                                           : 't',
                    (const char *)sqlite3_column_text(l->extract, 0), (size_t)sqlite3_column_bytes(l->extract, 0));
    sqlite3_reset(l->extract);
    return id;
}

/* The value at a position of a list; 0: null, or none. */
static uint32_t value_at(struct load *l, sqlite3_value *vals, uint32_t pos)
{
    const char *s = (const char *)sqlite3_value_text(vals);
    size_t n = (size_t)sqlite3_value_bytes(vals);
    struct sl_json c = {.at = s + 1, .end = s + n, .strict = true};
    struct sl_json_text v = {0};

    if (!s || n < 2 || *s != '[')
        return extracted(l, vals, pos);
    for (uint32_t i = 0; i <= pos; i++)
        if (sl_json_next(&c, ']', !i) != SL_JSON_OK || sl_json_value(&c, &v, 1) != SL_JSON_OK)
            return 0;
    if (v.kind == 'n')
        return 0;
    return v.kind == '"' && !v.escaped ? intern(l, 't', v.s, v.n) : extracted(l, vals, pos);
}

/* ---- whose spans are ---- */

static void mark(uint32_t **array, size_t n)
{
    *array = sl_alloc(n * sizeof **array);
    memset(*array, 0xFF, n * sizeof **array); /* SL_NO_INDEX */
}

/* The span of each task, and its facets. */
static void mark_views(struct load *l)
{
    const struct sl_graph *g = &l->w->s.g;

    for (uint32_t i = 0; i < l->w->n; i++) {
        uint32_t span = l->w->task[i].span;
        l->task_of[span] = i;
        for (uint32_t f = g->facet.start[span]; f < g->facet.start[span + 1]; f++)
            l->task_of[g->facet.to[f]] = i;
    }
}

static int number_row(void *to, sqlite3_value **v)
{
    struct load *l = to;
    const struct sl_graph *g = &l->w->s.g;
    uint32_t span = sl_graph_find(g, sqlite3_value_int64(v[0]));
    uint32_t parent = span == SL_NO_INDEX ? SL_NO_INDEX : g->parent[span];

    if (parent != SL_NO_INDEX && l->task_of[parent] != SL_NO_INDEX)
        *sl_vec_add(&l->one) = (struct one){span, l->task_of[parent], sqlite3_value_int64(v[1])};
    return 0;
}

static bool is_before(const struct one *a, const struct one *b)
{
    return a->number != b->number ? a->number < b->number : a->span < b->span;
}

/* Side by side for each task: by counting; and those of a task, a few, by number. */
static struct one *sort_spans(struct load *l, size_t *start)
{
    struct one *v = sl_alloc((l->one.n + 1) * sizeof *v);

    for (size_t i = 0; i < l->one.n; i++)
        start[l->one.v[i].task + 2]++;
    for (size_t i = 2; i < (size_t)l->w->n + 2; i++)
        start[i] += start[i - 1];
    for (size_t i = 0; i < l->one.n; i++)
        v[start[l->one.v[i].task + 1]++] = l->one.v[i];
    sl_vec_free(&l->one);
    for (uint32_t task = 0; task < l->w->n; task++)
        for (size_t i = start[task] + 1; i < start[task + 1]; i++) {
            struct one x = v[i];
            size_t k = i;
            for (; k > start[task] && is_before(&x, &v[k - 1]); k--)
                v[k] = v[k - 1];
            v[k] = x;
        }
    return v;
}

static void add_events(struct load *l, struct sl_try *y, uint32_t span, const unsigned char *is_bad)
{
    const struct sl_events *e = &l->w->s.e;
    uint32_t from = e->start[span], to = e->start[span + 1];

    if (from == to)
        return;
    if (y->span == SL_NO_INDEX) {
        y->span = span;
        y->from_ns = e->time_ns[from];
        y->to_ns = e->time_ns[to - 1];
    }
    y->from_ns = e->time_ns[from] < y->from_ns ? e->time_ns[from] : y->from_ns;
    y->to_ns = e->time_ns[to - 1] > y->to_ns ? e->time_ns[to - 1] : y->to_ns;
    for (; from < to; from++)
        y->failed |= is_bad[sl_number_at(&e->type, from)];
}

/* Those of one number are one; without events they are none. */
static void add_tries(struct load *l, const struct one *v, const size_t *start, uint32_t task,
                      const unsigned char *is_bad)
{
    for (size_t i = start[task], next; i < start[task + 1]; i = next) {
        struct sl_try y = {.task = task, .span = SL_NO_INDEX, .number = v[i].number};
        for (next = i; next < start[task + 1] && v[next].number == v[i].number; next++)
            add_events(l, &y, v[next].span, is_bad);
        if (y.span == SL_NO_INDEX)
            continue;
        for (size_t k = i; k < next; k++)
            l->try_of[v[k].span] = (uint32_t)l->t->tries.n;
        l->t->last[task] = (uint32_t)l->t->tries.n;
        *sl_vec_add(&l->t->tries) = y;
    }
}

static void find_tries(struct load *l)
{
    static const char *const bad[] = {"try_failed", "fail_retryable", "failed", "dep_fail"};
    const struct sl_workflow *w = l->w;
    unsigned char *is_bad = sl_alloc((size_t)w->s.g.names.n + 1);
    size_t *start = sl_alloc(((size_t)w->n + 2) * sizeof *start);
    struct one *v = sort_spans(l, start);

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint32_t rank = sl_names_find(&w->s.g.names, bad[i]);
        if (rank != SL_NO_INDEX)
            is_bad[rank] = 1;
    }
    for (uint32_t span = 0; span < w->s.g.n; span++) {
        uint32_t task = l->task_of[span];
        if (task != SL_NO_INDEX && w->task[task].span == span)
            add_tries(l, v, start, task, is_bad);
    }
    free(is_bad);
    free(start);
    free(v);
}

/* ---- what is said ---- */

static int shape_row(void *to, sqlite3_value **v)
{
    struct load *l = to;
    const char *name = (const char *)sqlite3_value_text(v[2]);

    for (int i = 0; i < WHATS; i++)
        if (name && !strcmp(name, names[i]))
            *sl_vec_add(&l->shape) =
                (struct shape){sqlite3_value_int64(v[0]), (uint32_t)sqlite3_value_int(v[1]), (enum what)i};
    return 0;
}

static void say(struct load *l, uint32_t *value, enum what what, sqlite3_value *vals, uint32_t pos)
{
    uint32_t x = value_at(l, vals, pos);

    if (x && (!value[what] || (x != value[what] && is_more(l->t, x, value[what]))))
        value[what] = x;
}

static int said_row(void *to, sqlite3_value **v)
{
    struct load *l = to;
    uint32_t span = sl_graph_find(&l->w->s.g, sqlite3_value_int64(v[0]));
    uint32_t task = span == SL_NO_INDEX ? SL_NO_INDEX : l->task_of[span];
    uint32_t try = span == SL_NO_INDEX ? SL_NO_INDEX : l->try_of[span];
    int64_t shape;

    if (task == SL_NO_INDEX && try == SL_NO_INDEX)
        return 0;
    shape = sqlite3_value_int64(v[1]);
    for (size_t i = 0; i < l->shape.n; i++) {
        const struct shape *s = &l->shape.v[i];
        if (s->id != shape)
            continue;
        if (task != SL_NO_INDEX && s->what >= EXCEPTION)
            say(l, l->of_task[task], s->what, v[2], s->pos);
        if (try != SL_NO_INDEX && s->what <= EXCEPTION)
            say(l, l->of_try[try], s->what, v[2], s->pos);
    }
    return 0;
}

static void settle(struct load *l)
{
    struct sl_task_attrs *t = l->t;

    for (uint32_t i = 0; i < l->w->n; i++) {
        const uint32_t *x = l->of_task[i];
        t->app[i] = x[FUNC] ? x[FUNC] : x[APP] ? x[APP] : x[CATEGORY];
        t->exception[i] = x[EXCEPTION];
    }
    for (size_t i = 0; i < t->tries.n; i++) {
        const uint32_t *x = l->of_try[i];
        t->tries.v[i].executor = x[EXECUTOR];
        t->tries.v[i].host = x[HOST];
        t->tries.v[i].exception = x[HISTORY] ? x[HISTORY] : x[EXCEPTION];
    }
}

static int load_said(struct load *l, struct sl_err *err)
{
    const char *part = l->w->s.g.part;
    sqlite3 *db = l->w->s.db;
    int rc;

    if (sqlite3_prepare_v2(db, sql_extract, -1, &l->extract, NULL) != SQLITE_OK)
        return sl_query_err(db, err);
    l->of_task = sl_alloc(((size_t)l->w->n + 1) * sizeof *l->of_task);
    l->of_try = sl_alloc((l->t->tries.n + 1) * sizeof *l->of_try);
    rc = sl_query_each(db, sql_shapes, shape_row, l, err);
    if (!rc)
        rc = sl_query_each_of(db, part ? sql_these_said : sql_said, part, said_row, l, err);
    if (!rc)
        rc = sl_query_each_of(db, part ? sql_these_alike : sql_alike, part, said_row, l, err);
    if (!rc)
        settle(l);
    return rc;
}

/* ---- keys ---- */

struct keys {
    const struct sl_workflow *w;
    uint32_t *task_of; /* by span; SL_NO_INDEX */
};

static int key_row(void *to, sqlite3_value **v)
{
    const struct keys *k = to;
    struct sl_task_attrs *t = k->w->told;
    uint32_t span = sl_graph_find(&k->w->s.g, sqlite3_value_int64(v[0]));
    const char *key = (const char *)sqlite3_value_text(v[1]);

    if (span == SL_NO_INDEX || k->task_of[span] == SL_NO_INDEX)
        return 0;
    t->key_at[k->task_of[span]] = t->key_text.n;
    if (!sl_workflow_array(k->w, span, &t->key_text))
        sl_buf_add(&t->key_text, key ? key : "", key ? (size_t)sqlite3_value_bytes(v[1]) : 0);
    sl_buf_addc(&t->key_text, 0);
    return 0;
}

/* The types of these spans; free() it. */
static char *types_of(const struct sl_workflow *w)
{
    const struct sl_graph *g = &w->s.g;
    bool *seen = sl_alloc((size_t)g->names.n + 1);
    struct sl_buf b = {0};

    sl_buf_addc(&b, '[');
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t type = g->type[w->task[i].span];
        if (type == SL_NO_INDEX || seen[type])
            continue;
        seen[type] = true;
        sl_buf_adds(&b, b.n > 1 ? "," : "");
        sl_buf_add_json(&b, g->names.text[type], strlen(g->names.text[type]));
    }
    sl_buf_adds(&b, "]");
    free(seen);
    return b.s;
}

int sl_task_attrs_keys(const struct sl_task_attrs **out, const struct sl_workflow *w, struct sl_err *err)
{
    struct sl_task_attrs *t = w->told;
    struct keys k = {.w = w};
    char *types;
    int rc;

    *out = t;
    if (!w->n || t->key_at)
        return 0;
    t->key_at = sl_alloc(w->n * sizeof *t->key_at); /* of what has none it is the first, "" */
    sl_buf_addc(&t->key_text, 0);
    mark(&k.task_of, w->s.g.n);
    for (uint32_t i = 0; i < w->n; i++)
        k.task_of[w->task[i].span] = i;
    types = types_of(w);
    rc = sl_query_each_of(w->s.db, w->s.g.part ? sql_these_keys : sql_keys, w->s.g.part ? w->s.g.part : types, key_row,
                          &k, err);
    free(types);
    free(k.task_of);
    if (rc)
        sl_task_attrs_free(t);
    return rc;
}

/* ---- all of it ---- */

int sl_task_attrs_load(const struct sl_task_attrs **out, const struct sl_workflow *w, struct sl_err *err)
{
    const char *part = w->s.g.part;
    struct load l = {.w = w, .t = w->told};
    int rc = 0;

    *out = w->told;
    if (!w->n || w->told->loaded)
        return 0;
    free_said(w->told); /* of a load that failed */
    l.t->app = sl_alloc(w->n * sizeof *l.t->app);
    l.t->exception = sl_alloc(w->n * sizeof *l.t->exception);
    mark(&l.t->last, w->n);
    mark(&l.task_of, w->s.g.n);
    mark(&l.try_of, w->s.g.n);
    mark_views(&l);
    if (sqlite3_table_column_metadata(w->s.db, NULL, "sl_role", "role", NULL, NULL, NULL, NULL, NULL) == SQLITE_OK)
        rc = sl_query_each_of(w->s.db, part ? sql_these_numbers : sql_numbers, part, number_row, &l, err);
    if (!rc) {
        find_tries(&l);
        rc = load_said(&l, err);
    }
    sl_vec_free(&l.one);
    sl_vec_free(&l.shape);
    sqlite3_finalize(l.extract);
    sl_buf_free(&l.text);
    free(l.task_of);
    free(l.try_of);
    free(l.of_task);
    free(l.of_try);
    l.t->loaded = !rc;
    return rc;
}

void sl_task_attrs_free(struct sl_task_attrs *t)
{
    free_said(t);
    sl_buf_free(&t->key_text);
    free(t->key_at);
    *t = (struct sl_task_attrs){0};
}
