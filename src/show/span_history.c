/* SPDX-License-Identifier: Apache-2.0 */
#include "show/span_history.h"
#include "base/clock.h"
#include "result/span_history.h"
#include "show/show.h"

#include <string.h>

/* ---- what it is linked with ---- */

/* "  (inferred: RULE, 0.9)" where no record says that these belong together. */
static void put_rule(FILE *out, const struct sl_table *t, int column, bool bound)
{
    double confidence = sl_table_real(t, column + 1);

    if (!sl_table_is_null(t, column + 1) && confidence < 1)
        fprintf(out, "  (inferred: %s, %g)", sl_table_text_or_empty(t, column), confidence);
    else if (bound && confidence == 1)
        fprintf(out, "  (bound: %s)", sl_table_text_or_empty(t, column));
}

/* The first spans of a list; all: how the others are seen. */
static int put_linked(FILE *out, const struct sl_result *r, const char *name, const char *title, bool rules,
                      const char *store, const char *all, struct sl_err *err)
{
    struct sl_table *t = sl_result_find(r, name), *span = sl_result_find(r, "span");
    long long n = 0;
    int rc;

    while ((rc = sl_table_next(t, err)) > 0) {
        if (!n)
            fprintf(out, "\n%s:\n", title);
        if (n++ >= SL_HISTORY_SPANS)
            continue;
        fprintf(out, "  %s", sl_table_text_or_empty(t, 3));
        if (rules)
            put_rule(out, t, 4, true);
        fputc('\n', out);
    }
    if (!rc && n > SL_HISTORY_SPANS)
        fprintf(out, "  and %lld more: spanloom sql -d %s \"%s%lld\"\n", n - SL_HISTORY_SPANS, store, all,
                (long long)sl_table_int(span, 0));
    return rc;
}

/* Where the first n characters of UTF-8 end; *characters: how many there are in all. */
static size_t characters_end(const char *s, size_t n, size_t *characters)
{
    size_t end = 0, count = 0;

    for (size_t i = 0; s[i]; i++) {
        count += (s[i] & 0xc0) != 0x80;
        if (count <= n)
            end = i + 1;
    }
    *characters = count;
    return end;
}

static void put_attribute(FILE *out, const char *name, const char *value)
{
    enum { LONGEST = 200, CUT = 150, COLUMN = 28 };
    struct sl_buf b = {0};
    size_t characters, end = characters_end(value, CUT, &characters);

    sl_show_clean(&b, name, strlen(name));
    for (int pad = (int)b.n; pad < COLUMN; pad++)
        sl_buf_addc(&b, ' ');
    sl_buf_addc(&b, ' ');
    sl_show_clean(&b, value, characters < LONGEST ? strlen(value) : end);
    if (characters >= LONGEST)
        sl_buf_addf(&b, "... (%zu characters)", characters);
    fprintf(out, "  %s\n", b.s);
    sl_buf_free(&b);
}

/* What tries failed with. */
static int put_exceptions(FILE *out, struct sl_table *t, struct sl_err *err)
{
    long long n = 0;
    char name[40];
    int rc;

    while ((rc = sl_table_next(t, err)) > 0) {
        if (!n++)
            fputs("\nwhat its tries failed with:\n", out);
        snprintf(name, sizeof name, "try %.30s", sl_table_text_or_empty(t, 0));
        put_attribute(out, name, sl_table_text_or_empty(t, 1));
    }
    return rc;
}

static int put_attributes(FILE *out, struct sl_table *t, struct sl_err *err)
{
    bool any = false;
    int rc;

    while ((rc = sl_table_next(t, err)) > 0) {
        if (!any)
            fputs("\nattributes:\n", out);
        any = true;
        put_attribute(out, sl_table_text_or_empty(t, 0), sl_table_text_or_empty(t, 1));
    }
    return rc;
}

/* ---- contexts ---- */

static int put_contexts(FILE *out, struct sl_table *t, const struct sl_table *span, const char *store,
                        struct sl_err *err)
{
    int64_t n = 0, all = sl_table_int(span, 4);
    struct sl_buf left = {0};
    int rc;

    fputs("\ncontexts (= is another view of the same thing):\n", out);
    while ((rc = sl_table_next(t, err)) > 0) {
        sl_buf_clear(&left);
        sl_buf_addf(&left, "%*s%s%s %s", (int)sl_table_int(t, 0) * 2 + 2, "",
                    !strcmp(sl_table_text_or_empty(t, 1), "facet") ? "= " : "", sl_table_text_or_empty(t, 3),
                    sl_table_text_or_empty(t, 4));
        if (sl_table_is_null(t, 5))
            fputs(left.s, out);
        else
            fprintf(out, "%-64s in %s", left.s, sl_table_text_or_empty(t, 5));
        put_rule(out, t, 6, false);
        fputc('\n', out);
        n++;
    }
    if (!rc && all > n)
        fprintf(out, "  and %lld more: spanloom sql -d %s 'select * from descendants(%lld)'\n", (long long)(all - n),
                store, (long long)sl_table_int(span, 0));
    sl_buf_free(&left);
    return rc;
}

/* What might be here, too. */
static int put_doubts(FILE *out, struct sl_table *t, struct sl_err *err)
{
    int rc;

    while ((rc = sl_table_next(t, err)) > 0)
        fprintf(out, "  a %s may belong here, or may not; see: spanloom links --doubtful --rule %s\n",
                sl_table_text_or_empty(t, 0), sl_table_text_or_empty(t, 1));
    return rc;
}

/* ---- events ---- */

/* The part of a path that tells files apart: the last three names. */
static const char *tail(const char *path)
{
    const char *s = path + strlen(path);

    for (int slashes = 0; s > path; s--)
        if (s[-1] == '/' && ++slashes == 3)
            break;
    return s;
}

static void put_wait(FILE *out, const struct sl_wait *w)
{
    char took[32];

    sl_seconds_text((double)sl_time_sub(w->until.time_ns, w->from.time_ns) / 1e9, took);
    fprintf(out, "%-30s %14s %14s  ...... ", "", "", "");
    switch (w->kind) {
    case SL_WAIT_PENDING: fprintf(out, "%s pending: it waited for other tasks (see above)\n", took); break;
    case SL_WAIT_STATE: fprintf(out, "%s in %s, after its %s\n", took, w->until.type, w->state_event); break;
    case SL_WAIT_GAP:
        fprintf(out, "gap of %s: no component says what happened between %s/%s and %s/%s\n", took, w->from.type,
                w->from.event, w->until.type, w->until.event);
        break;
    }
}

static void put_line(FILE *out, const char *text)
{
    struct sl_buf b = {0};

    for (const char *s = text; *s;) {
        size_t n = strcspn(s, "\n");
        sl_buf_clear(&b);
        sl_show_clean(&b, s, n);
        fprintf(out, "        | %s\n", b.s ? b.s : "");
        s += n + (s[n] == '\n');
    }
    sl_buf_free(&b);
}

static void put_event(FILE *out, const struct sl_table *t, int64_t first_ns, int64_t previous_ns)
{
    const char *key = sl_table_text(t, SL_HISTORY_SPAN_KEY, NULL), *part = sl_table_text(t, SL_HISTORY_PART, NULL);
    int64_t merged = sl_table_int(t, SL_HISTORY_MERGED), time_ns = sl_table_int(t, SL_HISTORY_TIME_NS);
    char text[SL_TIME_TEXT];

    fprintf(out, "%-30s %14.6f %14.6f  %-22s %s%s%s/%s  %s%s%s:%lld", sl_time_text(time_ns, text),
            (double)sl_time_sub(time_ns, first_ns) / 1e9, (double)sl_time_sub(time_ns, previous_ns) / 1e9,
            sl_table_text_or_empty(t, SL_HISTORY_COMPONENT), sl_table_text_or_empty(t, SL_HISTORY_SPAN_TYPE),
            key ? " " : "", key ? key : "", sl_table_text_or_empty(t, SL_HISTORY_EVENT),
            tail(sl_table_text_or_empty(t, SL_HISTORY_FILE)), part ? "#" : "", part ? part : "",
            (long long)sl_table_int(t, SL_HISTORY_PLACE));
    if (merged > 1)
        fprintf(out, "  (%lld events)", (long long)merged);
    fputc('\n', out);
}

int sl_show_span_events(FILE *out, struct sl_table *t, struct sl_err *err)
{
    struct sl_wait_finder f = {0};
    struct sl_wait wait;
    int64_t previous_ns;
    int rc;

    fprintf(out, "%-30s %14s %14s  %-22s %s\n", "time", "since start", "since previous", "component",
            "what, and where it stands");
    while ((rc = sl_table_next(t, err)) > 0) {
        if (sl_table_is_null(t, SL_HISTORY_EVENT)) {
            put_line(out, sl_table_text_or_empty(t, SL_HISTORY_LINE));
            continue;
        }
        previous_ns = f.any ? f.was.time_ns : sl_table_int(t, SL_HISTORY_TIME_NS);
        if (sl_wait_find(&f, t, &wait))
            put_wait(out, &wait);
        put_event(out, t, f.first_ns, previous_ns);
    }
    if (!f.any && !rc)
        fputs("no events\n", out);
    sl_wait_finder_free(&f);
    return rc;
}

/* ---- all of it ---- */

int sl_show_span_history(FILE *out, const struct sl_result *r, const char *store, struct sl_err *err)
{
    struct sl_table *span = sl_result_find(r, "span"), *reach = sl_result_find(r, "reach");
    int rc = sl_table_next(span, err);

    if (rc <= 0)
        return rc;
    fprintf(out, "%s  (span %lld)\n", sl_table_text_or_empty(span, 3), (long long)sl_table_int(span, 0));
    rc = put_linked(out, r, "contained_in", "contained in", true, store,
                    "select left_span from links where kind = 'in' and right_span = ", err);
    rc = rc ? rc : put_attributes(out, sl_result_find(r, "attributes"), err);
    rc = rc ? rc : put_exceptions(out, sl_result_find(r, "exceptions"), err);
    rc = rc ? rc
            : put_linked(out, r, "waited_for", "waited for", false, store,
                         "select right_span from links where kind = 'after' and left_span = ", err);
    rc = rc ? rc : put_contexts(out, sl_result_find(r, "contexts"), span, store, err);
    rc = rc ? rc : put_doubts(out, sl_result_find(r, "doubts"), err);
    if (rc)
        return rc;
    fputc('\n', out);
    rc = sl_show_span_events(out, sl_result_find(r, "events"), err);
    if (!rc && (rc = sl_table_next(reach, err)) > 0) {
        fprintf(out, "\nno worker names it: it came as far as %s; the last that is known is %s\n",
                sl_table_text_or_empty(reach, 0),
                sl_table_is_null(reach, 1) ? "nothing" : sl_table_text_or_empty(reach, 1));
        rc = 0;
    }
    return rc;
}
