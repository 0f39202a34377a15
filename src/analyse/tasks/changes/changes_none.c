/* SPDX-License-Identifier: Apache-2.0 */
/* What there is, for who asked for what there is not. */
#include "analyse/ext.h"
#include "analyse/tasks/changes/changes_internal.h"
#include "base/buf.h"
#include "base/near.h"

#include <stdlib.h>

const char *sl_changes_key(const struct sl_workflow *w, uint32_t task)
{
    sqlite3_bind_int64(w->key, 1, w->s.g.id.v[w->task[task].span]);
    return sqlite3_step(w->key) == SQLITE_ROW ? (const char *)sqlite3_column_text(w->key, 0) : NULL;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct names {
    SL_VEC(char *) v;
};

static void add_name(struct names *n, const char *fmt, const char *a, const char *b)
{
    struct sl_buf text = {0};

    for (; *fmt; fmt++)
        if (*fmt == '1' || *fmt == '2')
            sl_buf_adds(&text, *fmt == '1' ? a : b);
        else
            sl_buf_addc(&text, *fmt);
    *sl_vec_add(&n->v) = text.s;
}

/* Those from the from-th on, in order, a line each; into b. */
static void list_names(struct names *n, size_t from, const char *what, struct sl_buf *b)
{
    enum { LISTED = 10, ROOM = 600 };
    size_t listed = 0;

    if (n->v.n > from)
        qsort(n->v.v + from, n->v.n - from, sizeof *n->v.v, by_text);
    for (size_t i = from; i < n->v.n && listed < LISTED && b->n < ROOM; i++, listed++)
        sl_buf_addf(b, "\n  %-7s %.100s", listed ? "" : what, n->v.v[i]);
    if (n->v.n - from > listed)
        sl_buf_addf(b, "\n  %-7s and %zu more", "", n->v.n - from - listed);
}

static bool is_number(const char *s)
{
    size_t n = strlen(s);

    return n && n < 18 && strspn(s, "0123456789") == n;
}

/* "0 to 200", where they are numbers, else some of them. */
static void range_of_tasks(const struct sl_changes *c, struct sl_buf *b)
{
    enum { SOME = 5 };
    int64_t least = INT64_MAX, most = 0;
    struct sl_buf some = {0};
    bool numbers = c->w->n > 0;

    for (uint32_t i = 0; i < c->w->n && (numbers || i < SOME); i++) {
        const char *key = sl_changes_key(c->w, i);
        int64_t k = key && is_number(key) ? strtoll(key, NULL, 10) : -1;
        numbers = numbers && k >= 0;
        least = k < least ? k : least;
        most = k > most ? k : most;
        if (i < SOME && key)
            sl_buf_addf(&some, "%s%.100s", i ? ", " : "", key);
        sqlite3_reset(c->w->key);
    }
    if (numbers)
        sl_buf_addf(b, "%lld to %lld", (long long)least, (long long)most);
    else
        sl_buf_addf(b, "%s%s", some.n ? some.s : "none", c->w->n > SOME ? ", ..." : "");
    sl_buf_free(&some);
}

static int say_tasks(const struct sl_changes *c, const char *what, struct sl_err *err)
{
    struct sl_buf b = {0};
    int rc;

    range_of_tasks(c, &b);
    rc = sl_err(err, SL_ENOTFOUND, "no %.200s ran on a worker; there are: %s", what, b.s);
    sl_buf_free(&b);
    return rc;
}

int sl_changes_no_task(const struct sl_changes *c, const char *key, struct sl_err *err)
{
    struct sl_buf b = {0};
    int rc;

    range_of_tasks(c, &b);
    rc = sl_err(err, SL_ENOTFOUND, "there is no task %.200s; there are: %s", key, b.s);
    sl_buf_free(&b);
    return rc;
}

static void add_states(const struct sl_changes *c, struct names *n)
{
    unsigned char *seen = sl_alloc(c->w->states.n + 1);

    for (size_t i = 0; i < c->w->seg.n; i++) {
        const struct sl_phase_state *state = &c->w->states.v[c->w->seg.v[i].state];
        if (!seen[c->w->seg.v[i].state])
            add_name(n, "1, 2", state->component, state->state);
        seen[c->w->seg.v[i].state] = 1;
    }
    free(seen);
}

int sl_changes_none(struct sl_changes *c, const struct change *h, struct sl_err *err)
{
    static const char *const others[] = {"driver", "barriers", "workers", "failed tries", "task"};
    const char *what = !strncmp(h->what, "app ", 4) ? h->what + 4 : h->what, *meant = NULL;
    struct names n = {0};
    struct sl_buf b = {0};
    size_t best[SL_NEAR], listed;

    if (!strncmp(h->what, "task ", 5) || !strncmp(h->what, "tasks ", 6))
        return say_tasks(c, h->what, err);
    if (sl_apps_load(c->apps, c->w, err))
        return SL_ESTORE;
    for (uint32_t i = 0; i < c->apps->n; i++)
        add_name(&n, "1", sl_apps_name(c->apps, i), NULL);
    list_names(&n, 0, "apps:", &b);
    listed = n.v.n;
    add_states(c, &n);
    list_names(&n, listed, "states:", &b);
    sl_buf_adds(&b, "\n  tasks:  ");
    range_of_tasks(c, &b);
    sl_buf_adds(&b, "\n  also:   driver, barriers, workers, failed tries, on NAME");
    listed = n.v.n;
    for (size_t i = 0; i < listed; i++) /* a state alone is a name, too */
        if (strstr(n.v.v[i], ", "))
            add_name(&n, "1", strstr(n.v.v[i], ", ") + 2, NULL);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        add_name(&n, "1", others[i], NULL);
    if (sl_near((const char *const *)n.v.v, n.v.n, what, best))
        meant = n.v.v[best[0]];
    sl_err(err, SL_ENOTFOUND, "no task does anything that '%.200s' means%s%.100s%s%s", h->what,
           meant ? "; did you mean " : "; there are", meant ? meant : "", meant ? "? There are" : "", b.s);
    for (size_t i = 0; i < n.v.n; i++)
        free(n.v.v[i]);
    sl_vec_free(&n.v);
    sl_buf_free(&b);
    return SL_ENOTFOUND;
}

char *sl_changes_assumed(const struct sl_changes *c)
{
    const char *order = c->longest_first ? "the longest task first" : "tasks in its order";
    struct sl_buf b = {0};
    int64_t later_ns = 0;

    for (size_t i = 0; c->workers && i < c->p->pool.n; i++) {
        const struct sl_pool *pool = &c->p->pool.v[i];
        if (c->workers[i] == pool->n)
            continue;
        sl_buf_addf(&b, "%s%s%s: %u worker%s instead of %u", b.n ? "; " : "", pool->name,
                    *pool->name ? "" : "(no log names the workers)", c->workers[i], c->workers[i] == 1 ? "" : "s",
                    pool->n);
        later_ns = c->later_ns[i] > later_ns ? c->later_ns[i] : later_ns;
    }
    if (b.n && later_ns)
        sl_buf_addf(&b, "; further ones are there %.3g s after those of the run, and all take %s",
                    (double)later_ns / 1e9, order);
    else if (b.n)
        sl_buf_addf(&b, "; they are there when those of the run were, and take %s", order);
    return b.s;
}
