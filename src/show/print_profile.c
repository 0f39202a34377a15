/* SPDX-License-Identifier: Apache-2.0 */
#include "show/print_profile.h"
#include "base/clock.h"
#include "base/mem.h"
#include "result/profile_tables.h"

#include <stdlib.h>

enum {
    NAME = 60, /* columns of a name: what is longer is cut in the middle */
    OPEN = 5   /* lines of what was open */
};

/* On a terminal that is not wide, numbers have less room, and the least of calls is left out. */
static bool narrow(void)
{
    return sl_show_room() && sl_show_room() < 110;
}

static int wide(int columns)
{
    return narrow() ? columns - 3 : columns;
}

/* "  [HOST:PID/THREAD title]", "  [rank 3]" */
static void add_part(struct sl_buf *line, const struct sl_table *t)
{
    const char *part = sl_table_text(t, SL_PROFILE_PART, NULL), *title = sl_table_text(t, SL_PROFILE_TITLE, NULL), *at,
               *thread;
    struct sl_buf b = {0};

    if (!part)
        return;
    at = strchr(part, '@');
    thread = at ? strchr(at, '/') : NULL;
    sl_show_clean(&b, part, at ? (size_t)(at - part) : strlen(part));
    if (thread)
        sl_show_clean(&b, thread, strlen(thread));
    if (title) {
        sl_buf_addc(&b, ' ');
        sl_show_clean(&b, title, strlen(title));
    }
    sl_buf_addf(line, "  [%s%s]", strcmp(t->column[SL_PROFILE_PART].name, "rank") != 0 ? "" : "rank ",
                b.n && *b.s ? b.s : "none");
    sl_buf_free(&b);
}

static void put_name(FILE *out, const struct sl_table *t, bool tree, int used)
{
    struct sl_buf b = {0}, line = {0};
    const char *name = sl_table_text_or_empty(t, SL_PROFILE_FUNCTION);
    int64_t depth = tree ? sl_table_int(t, SL_PROFILE_DEPTH) : 0;

    sl_buf_adds(&b, "");
    sl_show_clean(&b, name, strlen(name));
    if (b.n > NAME && sl_utf8_valid(b.s, b.n) == b.n && !strpbrk(b.s, "\x80\xff")) {
        memmove(b.s + NAME / 2 + 3, b.s + b.n - NAME / 2, NAME / 2 + 1);
        memcpy(b.s + NAME / 2, "...", 3);
    }
    sl_buf_addf(&line, "  %*s%s", (int)(depth < 30 ? 2 * depth : 60), "", b.s);
    add_part(&line, t);
    sl_show_last(out, line.s, used);
    sl_buf_free(&line);
    sl_buf_free(&b);
}

static int put_time(FILE *out, const struct sl_table *t, int column)
{
    char text[32];

    return fprintf(out, " %*s", wide(12),
                   sl_table_is_null(t, column) ? "" : sl_seconds_text((double)sl_table_int(t, column) / 1e9, text));
}

static int put_sum(FILE *out, const struct sl_table *t, int column)
{
    char seconds[32], text[40];

    snprintf(text, sizeof text, "%s%s", sl_table_int(t, SL_PROFILE_UNKNOWN) ? ">=" : "",
             sl_seconds_text((double)sl_table_int(t, column) / 1e9, seconds));
    return fprintf(out, " %*s", wide(12), text);
}

static void put_row(FILE *out, const struct sl_table *t, bool tree)
{
    char count[32];
    int used = put_sum(out, t, tree ? SL_PROFILE_INCLUSIVE : SL_PROFILE_EXCLUSIVE);

    if (!tree)
        used += fprintf(out, " %6.1f %%", sl_table_real(t, SL_PROFILE_PERCENT));
    used += put_sum(out, t, tree ? SL_PROFILE_EXCLUSIVE : SL_PROFILE_INCLUSIVE);
    used += fprintf(out, " %*s", wide(11), sl_show_count((uint64_t)sl_table_int(t, SL_PROFILE_CALLS), count));
    used += narrow() ? 0 : put_time(out, t, SL_PROFILE_MIN);
    used += put_time(out, t, SL_PROFILE_MEAN);
    used += put_time(out, t, SL_PROFILE_MAX);
    put_name(out, t, tree, used);
}

static void put_rest(FILE *out, size_t left, const char *what)
{
    char count[32];

    if (left)
        fprintf(out, "  %s more %s%s: --top 0 shows all\n", sl_show_count(left, count), what, left == 1 ? "" : "s");
}

static void put_extremes(FILE *out, const char *of)
{
    if (!narrow())
        fprintf(out, "%12s ", "min");
    fprintf(out, "%*s %*s  %s\n", wide(12), "mean", wide(12), "max", of);
}

static void show_flat(FILE *out, struct sl_table *t, size_t top)
{
    size_t n = top && t->rows > top ? top : t->rows;

    fprintf(out, "\n%*s %8s %*s %*s ", wide(13), "exclusive", "share", wide(12), "inclusive", wide(11), "calls");
    put_extremes(out, "function");
    for (size_t i = 0; i < n && sl_table_next(t, NULL) > 0; i++)
        put_row(out, t, false);
    put_rest(out, t->rows - n, "function");
}

static int descending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x < y) - (x > y);
}

/* The rows of most inclusive time, with all that is above them. */
static unsigned char *choose(struct sl_table *t, size_t top)
{
    unsigned char *chosen = sl_alloc(t->rows + 1);
    int64_t *times = sl_alloc((t->rows + 1) * sizeof *times), *sorted = sl_alloc((t->rows + 1) * sizeof *sorted);
    int64_t *parent = sl_alloc((t->rows + 1) * sizeof *parent), least;
    size_t taken = 0;

    for (size_t i = 0; sl_table_next(t, NULL) > 0; i++) {
        times[i] = sorted[i] = sl_table_int(t, SL_PROFILE_INCLUSIVE);
        parent[i] = sl_table_is_null(t, SL_PROFILE_PARENT) ? -1 : sl_table_int(t, SL_PROFILE_PARENT);
    }
    sl_table_rewind(t);
    qsort(sorted, t->rows, sizeof *sorted, descending);
    least = top && t->rows > top ? sorted[top - 1] : INT64_MIN;
    for (int more = 1; more >= 0; more--) /* equal times only as far as there is room */
        for (size_t i = 0; i < t->rows; i++)
            if (times[i] >= least + more && !chosen[i] && (more || !top || taken < top)) {
                chosen[i] = 1;
                taken++;
            }
    for (size_t i = t->rows; i-- > 0;)
        if (chosen[i] && parent[i] >= 0)
            chosen[parent[i]] = 1;
    free(times);
    free(sorted);
    free(parent);
    return chosen;
}

static void show_tree(FILE *out, struct sl_table *t, size_t top)
{
    unsigned char *chosen = choose(t, top);
    size_t left = 0;

    fprintf(out, "\n%*s %*s %*s ", wide(13), "inclusive", wide(12), "exclusive", wide(11), "calls");
    put_extremes(out, "call tree");
    for (size_t i = 0; sl_table_next(t, NULL) > 0; i++) {
        if (chosen[i])
            put_row(out, t, true);
        left += !chosen[i];
    }
    put_rest(out, left, "path");
    free(chosen);
}

static void show_summary(FILE *out, const struct sl_table *t)
{
    enum { CALLS_OF, PROCESSES, THREADS, OWN, NO_END, ODD };
    uint64_t n[ODD + 1];
    char a[32], b[32], d[32];

    for (int i = 0; i <= ODD; i++)
        n[i] = (uint64_t)sl_table_int(t, i);
    fprintf(out, "%s call%s in %s process%s and %s thread%s", sl_show_count(n[CALLS_OF], a),
            n[CALLS_OF] == 1 ? "" : "s", sl_show_count(n[PROCESSES], b), n[PROCESSES] == 1 ? "" : "es",
            sl_show_count(n[THREADS], d), n[THREADS] == 1 ? "" : "s");
    if (n[OWN])
        fprintf(out, " (%s process%s Spanloom's own)", sl_show_count(n[OWN], a), n[OWN] == 1 ? " is" : "es are");
    fputc('\n', out);
    if (n[NO_END])
        fprintf(out, "  %9s did not end, and %s counted until %s caller or %s process ended\n",
                sl_show_count(n[NO_END], a), n[NO_END] == 1 ? "is" : "are", n[NO_END] == 1 ? "its" : "their",
                n[NO_END] == 1 ? "its" : "their");
    if (n[ODD])
        fprintf(out, "  %9s ended before %s began, and %s counted without length\n", sl_show_count(n[ODD], a),
                n[ODD] == 1 ? "it" : "they", n[ODD] == 1 ? "is" : "are");
}

/* "when node7:123 ended, it was in: main > solve (open for 2.8 s)" */
static void put_open(FILE *out, const struct sl_table *t, bool (*lives)(const char *process))
{
    enum { PROCESS, THREAD, STACK, TIME, AT_LEAST };
    const char *key = sl_table_text_or_empty(t, PROCESS), *at = strrchr(key, '@'), *colon = strrchr(key, ':');
    const char *tid = sl_table_is_null(t, THREAD) ? key : sl_table_text(t, THREAD, NULL);
    struct sl_buf b = {0}, stack = {0};
    char text[32];

    sl_show_clean(&b, key, at ? (size_t)(at - key) : strlen(key));
    if (at && colon && (strncmp(colon + 1, tid, (size_t)(at - colon - 1)) || strlen(tid) != (size_t)(at - colon - 1))) {
        sl_buf_adds(&b, ", thread ");
        sl_show_clean(&b, tid, strlen(tid));
    }
    sl_buf_adds(&stack, "");
    sl_show_clean(&stack, sl_table_text_or_empty(t, STACK), strlen(sl_table_text_or_empty(t, STACK)));
    fprintf(out, lives(key) ? "%s still runs; it was last seen in: " : "when %s ended, it was in: ", b.s);
    fprintf(out, "%s (open for %s%s)\n", stack.s, sl_table_int(t, AT_LEAST) ? ">=" : "",
            sl_seconds_text((double)sl_table_int(t, TIME) / 1e9, text));
    sl_buf_free(&stack);
    sl_buf_free(&b);
}

static void show_open(FILE *out, struct sl_table *t, size_t top, bool (*lives)(const char *process))
{
    size_t n = top && t->rows > OPEN ? OPEN : t->rows;
    char count[32];

    if (n)
        fputc('\n', out);
    for (size_t i = 0; i < n && sl_table_next(t, NULL) > 0; i++)
        put_open(out, t, lives);
    if (n < t->rows)
        fprintf(out, "and so were %s more thread%s: --top 0 shows all\n", sl_show_count(t->rows - n, count),
                t->rows - n == 1 ? "" : "s");
}

static int put_seconds(FILE *out, const struct sl_table *t, int column)
{
    char text[32];

    return fprintf(out, " %*s", wide(12),
                   sl_table_is_null(t, column) ? "" : sl_seconds_text(sl_table_real(t, column), text));
}

/* What min-duration has left out of all above. */
static int show_short(FILE *out, struct sl_table *t, size_t top, struct sl_err *err)
{
    enum { NAME_OF, CALLS, EXCLUSIVE };
    char count[32];
    size_t n = 0, bytes;
    int rc, used;

    while ((rc = sl_table_next(t, err)) > 0) {
        struct sl_buf b = {0};
        const char *name = sl_table_text(t, NAME_OF, &bytes);
        if (n++ >= top && top)
            continue;
        if (n == 1)
            fprintf(out, "\n%*s %*s  shorter than min-duration, and only counted\n", wide(13), "exclusive", wide(11),
                    "calls");
        used = put_seconds(out, t, EXCLUSIVE);
        sl_buf_adds(&b, "");
        sl_show_clean(&b, name, bytes);
        used += fprintf(out, " %*s  ", wide(11), sl_show_count((uint64_t)sl_table_int(t, CALLS), count));
        sl_show_last(out, b.s, used);
        sl_buf_free(&b);
    }
    if (!rc && top && n > top)
        put_rest(out, n - top, "name");
    return rc;
}

/* How many names there are, or negative. */
static int show_async(FILE *out, struct sl_table *t, size_t top, bool calls, struct sl_err *err)
{
    enum { NAME_OF, SPANS, TOTAL, RAN, WAITED, MEAN_S, MAX_S };
    char count[32];
    const char *name;
    size_t n = 0, bytes;
    int rc, used;

    while ((rc = sl_table_next(t, err)) > 0) {
        struct sl_buf b = {0};
        if (n++ >= top && top)
            continue;
        if (n == 1)
            fprintf(out, "%s%*s %*s %*s %*s %*s %*s  asynchronous span\n", calls ? "\n" : "", wide(13), "total",
                    wide(12), "ran", wide(12), "waited", wide(11), "spans", wide(12), "mean", wide(12), "max");
        used = 0;
        for (int col = TOTAL; col <= WAITED; col++)
            used += put_seconds(out, t, col);
        used += fprintf(out, " %*s", wide(11), sl_show_count((uint64_t)sl_table_int(t, SPANS), count));
        used += put_seconds(out, t, MEAN_S);
        used += put_seconds(out, t, MAX_S);
        sl_buf_adds(&b, "");
        name = sl_table_text(t, NAME_OF, &bytes);
        sl_show_clean(&b, name, bytes);
        fputs("  ", out);
        sl_show_last(out, b.s, used + 2);
        sl_buf_free(&b);
    }
    if (!rc && top && n > top)
        put_rest(out, n - top, "name");
    return rc ? rc : (int)n;
}

int sl_show_profile(FILE *out, struct sl_result *r, size_t top, bool (*lives)(const char *process), struct sl_err *err)
{
    struct sl_table *summary = sl_result_find(r, "summary"), *flat = sl_result_find(r, "flat"),
                    *tree = sl_result_find(r, "tree"), *async = sl_result_find(r, "async"),
                    *below = sl_result_find(r, "short");
    bool calls = sl_table_next(summary, err) > 0 && sl_table_int(summary, 0);
    int rc = 0;

    if (calls) {
        show_summary(out, summary);
        if (flat)
            show_flat(out, flat, top);
        if (tree)
            show_tree(out, tree, top);
        if (below && (rc = show_short(out, below, top, err)))
            return rc;
    }
    if (async && (rc = show_async(out, async, top, calls, err)) < 0)
        return rc;
    show_open(out, sl_result_find(r, "open"), top, lives);
    return calls || rc;
}
