/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile_show.h"
#include "analyse/profile.h"
#include "base/buf.h"
#include "show/show.h"

#include <stdlib.h>
#include <string.h>

enum { NAME = 60 }; /* columns of a name: what is longer is cut in the middle */

struct page {
    FILE *out;
    const struct sl_calls *c;
    const struct profile_view *view;
};

static void put_name(const struct page *p, const struct sl_profile_row *r, bool tree)
{
    struct sl_buf b = {0};
    const char *name = sl_intern_text(&p->c->names, r->name);
    size_t indent = tree ? (r->depth < 30 ? 2 * r->depth : 60) : 0;

    sl_buf_adds(&b, "");
    sl_show_clean(&b, name, strlen(name));
    if (b.n > NAME && sl_utf8_valid(b.s, b.n) == b.n && !strpbrk(b.s, "\x80\xff")) {
        memmove(b.s + NAME / 2 + 3, b.s + b.n - NAME / 2, NAME / 2 + 1);
        memcpy(b.s + NAME / 2, "...", 3);
    }
    fprintf(p->out, "  %*s%s", (int)indent, "", b.s);
    if (r->part) {
        const char *part = sl_intern_text(&p->c->parts, r->part), *at = strchr(part, '@'),
                   *thread = at ? strchr(at, '/') : NULL;
        sl_buf_clear(&b);
        sl_show_clean(&b, part, at ? (size_t)(at - part) : strlen(part));
        if (thread)
            sl_show_clean(&b, thread, strlen(thread));
        fprintf(p->out, "  [%s%s]", p->view->want.by == SL_BY_RANK ? "rank " : "", b.n && *b.s ? b.s : "none");
    }
    fputc('\n', p->out);
    sl_buf_free(&b);
}

static void put_time(const struct page *p, int64_t ns, bool known)
{
    char text[32];

    fprintf(p->out, " %12s", known ? sl_show_seconds((double)ns / 1e9, text) : "");
}

static void put_row(const struct page *p, const struct sl_profile_row *r, const struct sl_profile *all, bool tree)
{
    uint64_t finished = r->calls - r->unfinished;
    char count[32];

    put_time(p, tree ? r->inclusive_ns : r->exclusive_ns, true);
    if (!tree)
        fprintf(p->out, " %6.1f %%",
                all->exclusive_ns ? 100.0 * (double)r->exclusive_ns / (double)all->exclusive_ns : 0);
    put_time(p, tree ? r->exclusive_ns : r->inclusive_ns, true);
    fprintf(p->out, " %11s", sl_show_count(r->calls, count));
    put_time(p, r->min_ns, finished);
    put_time(p, finished ? (int64_t)((double)r->sum_ns / (double)finished + 0.5) : 0, finished);
    put_time(p, r->max_ns, finished);
    put_name(p, r, tree);
}

static void put_rest(const struct page *p, size_t left, const char *what)
{
    char count[32];

    if (left)
        fprintf(p->out, "  %s more %s%s: --top 0 shows all\n", sl_show_count(left, count), what, left == 1 ? "" : "s");
}

static void show_flat(const struct page *p)
{
    struct sl_profile all;
    size_t n;

    sl_profile_flat(&all, p->c);
    n = p->view->top && all.n > p->view->top ? p->view->top : all.n;
    fprintf(p->out, "%13s %8s %12s %11s %12s %12s %12s  function\n", "exclusive", "share", "inclusive", "calls", "min",
            "mean", "max");
    for (size_t i = 0; i < n; i++)
        put_row(p, &all.v[i], &all, false);
    put_rest(p, all.n - n, "function");
    sl_profile_free(&all);
}

static int descending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x < y) - (x > y);
}

/* The rows of most inclusive time, with all that is above them. */
static unsigned char *choose(const struct sl_profile *all, size_t top)
{
    unsigned char *chosen = sl_alloc(all->n + 1);
    int64_t *times = sl_alloc((all->n + 1) * sizeof *times), least;
    size_t taken = 0;

    for (size_t i = 0; i < all->n; i++)
        times[i] = all->v[i].inclusive_ns;
    qsort(times, all->n, sizeof *times, descending);
    least = top && all->n > top ? times[top - 1] : INT64_MIN;
    for (int more = 1; more >= 0; more--) /* equal times only as far as there is room */
        for (size_t i = 0; i < all->n; i++)
            if (all->v[i].inclusive_ns >= least + more && !chosen[i] && (more || !top || taken < top)) {
                chosen[i] = 1;
                taken++;
            }
    for (size_t i = all->n; i-- > 0;)
        if (chosen[i] && all->v[i].parent != SL_NONE)
            chosen[all->v[i].parent] = 1;
    free(times);
    return chosen;
}

static void show_tree(const struct page *p)
{
    struct sl_profile all;
    unsigned char *chosen;
    size_t left = 0;

    sl_profile_tree(&all, p->c);
    chosen = choose(&all, p->view->top);
    fprintf(p->out, "%13s %12s %11s %12s %12s %12s  call tree\n", "inclusive", "exclusive", "calls", "min", "mean",
            "max");
    for (size_t i = 0; i < all.n; i++) {
        if (chosen[i])
            put_row(p, &all.v[i], &all, true);
        left += !chosen[i];
    }
    put_rest(p, left, "path");
    free(chosen);
    sl_profile_free(&all);
}

static void put_head(const struct page *p)
{
    const struct sl_calls *c = p->c;
    char a[32], b[32], d[32];
    uint32_t unfinished = 0;

    for (uint32_t i = 0; i < c->n; i++)
        unfinished += (c->flags[i] & SL_CALL_UNFINISHED) != 0;
    fprintf(p->out, "%s call%s in %s process%s and %s thread%s\n", sl_show_count(c->n, a), c->n == 1 ? "" : "s",
            sl_show_count(c->processes, b), c->processes == 1 ? "" : "es", sl_show_count(c->threads, d),
            c->threads == 1 ? "" : "s");
    if (unfinished)
        fprintf(p->out, "  %9s did not end, and are counted until their caller or their process ended\n",
                sl_show_count(unfinished, a));
    if (c->odd)
        fprintf(p->out, "  %9s ended before they began, and are counted without length\n", sl_show_count(c->odd, a));
}

int profile_show(FILE *out, struct sl_store *st, const struct profile_view *view, struct sl_err *err)
{
    struct sl_calls c;
    struct page p = {out, &c, view};
    int rc = sl_calls_load(&c, st->db, &view->want, err);

    if (!rc && c.n) {
        put_head(&p);
        if (view->flat) {
            fputc('\n', out);
            show_flat(&p);
        }
        if (view->tree) {
            fputc('\n', out);
            show_tree(&p);
        }
        rc = 1;
    }
    sl_calls_free(&c);
    return rc;
}
