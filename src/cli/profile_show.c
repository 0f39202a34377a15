/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile_show.h"
#include "analyse/calls/profile.h"
#include "analyse/calls/unfinished.h"
#include "base/buf.h"
#include "collect/process.h"
#include "show/show.h"

#include <stdlib.h>
#include <string.h>

enum {
    NAME = 60,  /* columns of a name: what is longer is cut in the middle */
    CHAIN = 10, /* calls in a line, the innermost */
    OPEN = 5    /* lines of what was open */
};

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
        if (p->c->title[r->part]) {
            const char *title = sl_intern_text(&p->c->parts, p->c->title[r->part]);
            sl_buf_addc(&b, ' ');
            sl_show_clean(&b, title, strlen(title));
        }
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

static void put_sum(const struct page *p, const struct sl_profile_row *r, int64_t ns)
{
    char seconds[32], text[40];

    snprintf(text, sizeof text, "%s%s", r->unknown ? ">=" : "", sl_show_seconds((double)ns / 1e9, seconds));
    fprintf(p->out, " %12s", text);
}

static void put_row(const struct page *p, const struct sl_profile_row *r, const struct sl_profile *all, bool tree)
{
    uint64_t finished = r->calls - r->unfinished;
    char count[32];

    put_sum(p, r, tree ? r->inclusive_ns : r->exclusive_ns);
    if (!tree)
        fprintf(p->out, " %6.1f %%",
                all->exclusive_ns ? 100.0 * (double)r->exclusive_ns / (double)all->exclusive_ns : 0);
    put_sum(p, r, tree ? r->exclusive_ns : r->inclusive_ns);
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
        if (chosen[i] && all->v[i].parent != SL_NO_INDEX)
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
    fprintf(p->out, "%s call%s in %s process%s and %s thread%s", sl_show_count(c->n, a), c->n == 1 ? "" : "s",
            sl_show_count(c->processes, b), c->processes == 1 ? "" : "es", sl_show_count(c->threads, d),
            c->threads == 1 ? "" : "s");
    if (c->own)
        fprintf(p->out, " (%s process%s Spanloom's own)", sl_show_count(c->own, a), c->own == 1 ? " is" : "es are");
    fputc('\n', p->out);
    if (unfinished)
        fprintf(p->out, "  %9s did not end, and %s counted until %s caller or %s process ended\n",
                sl_show_count(unfinished, a), unfinished == 1 ? "is" : "are", unfinished == 1 ? "its" : "their",
                unfinished == 1 ? "its" : "their");
    if (c->odd)
        fprintf(p->out, "  %9s ended before %s began, and %s counted without length\n", sl_show_count(c->odd, a),
                c->odd == 1 ? "it" : "they", c->odd == 1 ? "is" : "are");
}

/* ---- what was open ---- */

static uint32_t thread_of(const struct sl_calls *c, uint32_t call)
{
    return c->g.parent[c->span[call]];
}

/* The caller, where it is on the same thread; SL_NO_INDEX. */
static uint32_t caller_on_thread(const struct sl_calls *c, uint32_t call)
{
    uint32_t by = c->caller[call];

    return by != SL_NO_INDEX && thread_of(c, by) == thread_of(c, call) ? by : SL_NO_INDEX;
}

/*
 * By call: 1: it was open when its process ended; 2: and so was none that it called on its thread.  What a longjmp left
 * in a call that ended was not.
 */
static unsigned char *find_open(const struct sl_calls *c)
{
    unsigned char *open = sl_alloc((size_t)c->n + 1);

    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t by = caller_on_thread(c, i);
        if ((c->flags[i] & (SL_CALL_UNFINISHED | SL_CALL_NO_BEGIN)) != SL_CALL_UNFINISHED ||
            (by != SL_NO_INDEX && !open[by]))
            continue;
        open[i] = 2;
        if (by != SL_NO_INDEX)
            open[by] = 1;
    }
    return open;
}

static void put_chain(const struct page *p, uint32_t call)
{
    const struct sl_calls *c = p->c;
    uint32_t above[CHAIN], n = 0;
    struct sl_buf b = {0};

    for (; call != SL_NO_INDEX && n < CHAIN; call = caller_on_thread(c, call))
        above[n++] = call;
    if (call != SL_NO_INDEX)
        sl_buf_adds(&b, "... > ");
    while (n--) {
        const char *name = sl_intern_text(&c->names, c->name[above[n]]);
        sl_show_clean(&b, name, strlen(name));
        sl_buf_adds(&b, n ? " > " : "");
    }
    fputs(b.s, p->out);
    sl_buf_free(&b);
}

/* "When node7:123 ended, it was in: main > solve (open for 2.8 s)" */
static void put_open(const struct page *p, uint32_t call)
{
    const struct sl_calls *c = p->c;
    uint32_t thread = thread_of(c, call), process = sl_unfinished_root(&c->g, c->span[call]);
    const char *key = c->g.key_text + c->g.key_at[process], *at = strrchr(key, '@'), *colon = strrchr(key, ':');
    const char *tid = thread == SL_NO_INDEX ? key : c->g.key_text + c->g.key_at[thread];
    bool lives = shell_process_lives(key);
    struct sl_buf b = {0};
    char text[32];

    sl_show_clean(&b, key, at ? (size_t)(at - key) : strlen(key));
    if (at && colon && (strncmp(colon + 1, tid, (size_t)(at - colon - 1)) || strlen(tid) != (size_t)(at - colon - 1))) {
        sl_buf_adds(&b, ", thread ");
        sl_show_clean(&b, tid, strlen(tid));
    }
    fprintf(p->out, lives ? "%s still runs; it was last seen in: " : "when %s ended, it was in: ", b.s);
    put_chain(p, call);
    fprintf(p->out, " (open for %s%s)\n", c->end_ns[call] == c->begin_ns[call] ? ">=" : "",
            sl_show_seconds((double)(c->end_ns[call] - c->begin_ns[call]) / 1e9, text));
    sl_buf_free(&b);
}

static void show_open(const struct page *p)
{
    unsigned char *open = find_open(p->c);
    uint32_t n = 0, most = p->view->top ? OPEN : UINT32_MAX;
    char count[32];

    for (uint32_t i = 0; i < p->c->n; i++) {
        if (open[i] != 2)
            continue;
        if (!n)
            fputc('\n', p->out);
        if (n++ < most)
            put_open(p, i);
    }
    if (n > most)
        fprintf(p->out, "and so were %s more thread%s: --top 0 shows all\n", sl_show_count(n - most, count),
                n - most == 1 ? "" : "s");
    free(open);
}

/* ---- what ran asynchronously ---- */

static char *ids_of(const struct sl_calls_want *want)
{
    struct sl_buf b = {0};

    for (size_t i = 0; i < want->nwithin; i++)
        sl_buf_addf(&b, "%c%lld", i ? ',' : '[', (long long)want->within[i]);
    if (b.n)
        sl_buf_addc(&b, ']');
    return b.s;
}

static void put_seconds(const struct page *p, sqlite3_stmt *q, int col)
{
    char text[32];
    bool known = sqlite3_column_type(q, col) != SQLITE_NULL;

    fprintf(p->out, " %12s", known ? sl_show_seconds(sqlite3_column_double(q, col), text) : "");
}

/* How many names there are, or negative. */
static int show_async(const struct page *p, struct sl_store *st, struct sl_err *err)
{
    enum { NAME_COLUMN, SPANS, TOTAL, RAN, WAITED, MEAN, MAX };
    sqlite3_stmt *q =
        sl_store_prepare(st, "SELECT name, spans, total_s, ran_s, waited_s, mean_s, max_s FROM async_profile(?)", err);
    char *within = ids_of(&p->view->want), count[32];
    size_t n = 0;
    int rc = q ? 0 : SL_ESTORE;

    if (q && within)
        sqlite3_bind_text(q, 1, within, -1, SQLITE_STATIC);
    while (!rc && (rc = sl_store_step(st, q, err)) > 0) {
        struct sl_buf b = {0};
        rc = 0;
        if (n++ >= p->view->top && p->view->top)
            continue;
        if (n == 1)
            fprintf(p->out, "%s%13s %12s %12s %11s %12s %12s  asynchronous span\n", p->c->n ? "\n" : "", "total", "ran",
                    "waited", "spans", "mean", "max");
        for (int col = TOTAL; col <= WAITED; col++)
            put_seconds(p, q, col);
        fprintf(p->out, " %11s", sl_show_count((uint64_t)sqlite3_column_int64(q, SPANS), count));
        put_seconds(p, q, MEAN);
        put_seconds(p, q, MAX);
        sl_buf_adds(&b, "");
        sl_show_clean(&b, sl_store_text(q, NAME_COLUMN), (size_t)sqlite3_column_bytes(q, NAME_COLUMN));
        fprintf(p->out, "  %s\n", b.s);
        sl_buf_free(&b);
    }
    if (!rc && p->view->top && n > p->view->top)
        put_rest(p, n - p->view->top, "name");
    sqlite3_finalize(q);
    free(within);
    return rc ? rc : (int)n;
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
    }
    if (!rc && view->flat)
        rc = show_async(&p, st, err);
    if (rc >= 0) {
        rc = c.n || rc;
        show_open(&p);
    }
    sl_calls_free(&c);
    return rc;
}
