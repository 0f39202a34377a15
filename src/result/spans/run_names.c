/* SPDX-License-Identifier: Apache-2.0 */
#include "result/spans/run_names.h"
#include "analyse/tasks/workflows.h"
#include "result/spans/span_names.h"
#include "spans_run_names.sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parts of a path, without the slashes. */
struct parts {
    const char *at[64];
    size_t length[64], n;
};

static void split(struct parts *p, const char *path)
{
    p->n = 0;
    while (*path && p->n < 64) {
        path += strspn(path, "/");
        p->at[p->n] = path;
        p->length[p->n] = strcspn(path, "/");
        path += p->length[p->n];
        p->n += p->length[p->n] > 0;
    }
}

static bool equal_part(const struct parts *a, size_t i, const struct parts *b, size_t k)
{
    return a->length[i] == b->length[k] && !memcmp(a->at[i], b->at[k], a->length[i]);
}

/* Is it a name that every run has, or a number? */
static bool says_nothing(const struct parts *p, size_t i)
{
    return strspn(p->at[i], "0123456789") >= p->length[i] || (p->length[i] == 7 && !memcmp(p->at[i], "runinfo", 7)) ||
           (p->length[i] == 9 && !memcmp(p->at[i], "vine-logs", 9));
}

/* How many parts all directories begin (or, from the end, end) with. */
static size_t common(const struct sl_run_names *names, bool end)
{
    struct parts first, p;
    size_t n = SIZE_MAX;

    for (size_t i = 0, seen = 0; i < names->v.n; i++) {
        size_t k = 0;
        if (!*names->v.v[i].directory)
            continue;
        if (!seen++) {
            split(&first, names->v.v[i].directory);
            n = first.n;
            continue;
        }
        split(&p, names->v.v[i].directory);
        while (k < n && k < p.n && equal_part(&first, end ? first.n - 1 - k : k, &p, end ? p.n - 1 - k : k))
            k++;
        n = k;
    }
    return n;
}

/* The parts from..to of a path as one text. */
static const char *joined(struct sl_arena *arena, const struct parts *p, size_t from, size_t to)
{
    return sl_arena_copy(arena, p->at[from], (size_t)(p->at[to - 1] + p->length[to - 1] - p->at[from]));
}

static bool unique(const struct sl_run_names *names, size_t i)
{
    for (size_t k = 0; k < names->v.n; k++)
        if (k != i && names->v.v[k].name && !strcmp(names->v.v[k].name, names->v.v[i].name))
            return false;
    return true;
}

/* Do the n parts of a that end before a_to end those of some other run, before as many parts from its end, too? */
static bool ambiguous(const struct sl_run_names *names, size_t run, const struct parts *a, size_t a_to, size_t n)
{
    struct parts b;

    for (size_t i = 0; i < names->v.n; i++) {
        size_t k = 0;
        if (i == run)
            continue;
        split(&b, names->v.v[i].directory);
        if (b.n < a->n - a_to + n)
            continue;
        while (k < n && equal_part(a, a_to - 1 - k, &b, b.n - (a->n - a_to) - 1 - k))
            k++;
        if (k == n)
            return true;
    }
    return false;
}

static void give_names(struct sl_run_names *names)
{
    size_t begin = common(names, false), end = common(names, true), directories = 0;
    struct parts p;

    for (size_t i = 0; i < names->v.n; i++)
        directories += *names->v.v[i].directory != 0;
    for (size_t i = 0; i < names->v.n; i++) {
        struct sl_run_name *r = &names->v.v[i];
        size_t from, to;
        split(&p, r->directory);
        if (!p.n) {
            r->name = r->key;
            continue;
        }
        from = begin, to = p.n > end ? p.n - end : 0;
        if (directories == 1 || from >= to) { /* alone, or two runs of one directory */
            for (to = p.n; to > 1 && says_nothing(&p, to - 1); to--)
                ;
            from = to - 1;
        } else {
            size_t n = 1;
            while (n < to - from && ambiguous(names, i, &p, to, n))
                n++;
            from = to - n;
        }
        r->name = joined(&names->arena, &p, from, to);
    }
    for (size_t i = 0; i < names->v.n; i++)
        if (!unique(names, i))
            names->v.v[i].name = names->v.v[i].key;
}

int sl_run_names_load(struct sl_run_names *out, struct sl_store *st, struct sl_err *err)
{
    sl_workflow_views views = {0};
    int rc = sl_workflow_views_load(&views, st->db, err);
    sqlite3_stmt *q = rc ? NULL : sl_store_prepare(st, sql_run, err);

    if (!rc && !q)
        rc = SL_ESTORE;
    for (size_t i = 0; i < views.n && !rc; i++) {
        if (views.v[i].workflow != views.v[i].span)
            continue;
        sqlite3_bind_int64(q, 1, views.v[i].span);
        if ((rc = sl_store_step(st, q, err)) > 0) {
            const char *key = sl_store_text(q, 0), *directory = sl_store_text(q, 1);
            struct sl_run_name *r = sl_vec_add(&out->v);
            r->workflow = views.v[i].span;
            r->key = sl_arena_copy(&out->arena, key, strlen(key));
            r->directory = sl_arena_copy(&out->arena, directory, strlen(directory));
            rc = 0;
        }
        sqlite3_reset(q);
    }
    sqlite3_finalize(q);
    sl_vec_free(&views);
    if (!rc)
        give_names(out);
    return rc;
}

void sl_run_names_free(struct sl_run_names *names)
{
    sl_vec_free(&names->v);
    sl_arena_free(&names->arena);
    *names = (struct sl_run_names){0};
}

size_t sl_run_names_find(const struct sl_run_names *names, const char *name, int64_t *workflow, bool *exactly)
{
    size_t n = 0;

    for (int beginning = 0; beginning < 2 && !n && *name; beginning++) {
        *exactly = !beginning;
        for (size_t i = 0; i < names->v.n; i++)
            if (beginning ? !strncmp(names->v.v[i].name, name, strlen(name)) : !strcmp(names->v.v[i].name, name))
                *workflow = n++ ? *workflow : names->v.v[i].workflow;
    }
    return n;
}

char *sl_run_name(struct sl_store *st, int64_t workflow, char *buf, size_t n)
{
    struct sl_run_names names = {0};

    *buf = 0;
    if (!sl_run_names_load(&names, st, NULL))
        for (size_t i = 0; i < names.v.n; i++)
            if (names.v.v[i].workflow == workflow)
                snprintf(buf, n, "%s", names.v.v[i].name);
    sl_run_names_free(&names);
    return *buf ? buf : sl_span_name(st, workflow, buf, n);
}
