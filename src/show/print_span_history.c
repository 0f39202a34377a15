/* SPDX-License-Identifier: Apache-2.0 */
#include "show/print_span_history.h"
#include "base/clock.h"
#include "result/spans/span_history.h"
#include "show/show.h"

#include <string.h>

enum { TIME = 28, NUMBERS = 23, COMPONENT = 22, PLACE = 22 };

/* ---- what it is linked with ---- */

/* "  (inferred: RULE, 0.9)" where no record says that these belong together. */
static void add_rule(struct sl_buf *b, const struct sl_table *t, int column, bool bound)
{
    double confidence = sl_table_real(t, column + 1);

    if (!sl_table_is_null(t, column + 1) && confidence < 1)
        sl_buf_addf(b, "  (inferred: %s, %g)", sl_table_text_or_empty(t, column), confidence);
    else if (bound && confidence == 1)
        sl_buf_addf(b, "  (bound: %s)", sl_table_text_or_empty(t, column));
}

/* The first spans of a list; all: how the others are seen. */
static int put_linked(FILE *out, const struct sl_result *r, const char *name, const char *title, bool rules,
                      const char *store, const char *all, struct sl_err *err)
{
    struct sl_table *t = sl_result_find(r, name), *span = sl_result_find(r, "span");
    struct sl_buf b = {0};
    long long n = 0;
    int rc;

    while ((rc = sl_table_next(t, err)) > 0) {
        if (!n)
            fprintf(out, "\n%s:\n", title);
        if (n++ >= SL_HISTORY_SPANS)
            continue;
        sl_buf_clear(&b);
        sl_buf_adds(&b, sl_table_text_or_empty(t, 3));
        if (rules)
            add_rule(&b, t, 4, true);
        fputs("  ", out);
        sl_show_words(out, b.s, 2);
    }
    sl_buf_free(&b);
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
    fputs("  ", out);
    if (sl_show_room()) {
        int width = sl_show_width(b.s);
        size_t head = sl_show_fitting(b.s, COLUMN);
        fprintf(out, "%.*s ", (int)head, b.s);
        sl_show_wrapped(out, b.s + head + (width > COLUMN), COLUMN + 3, sl_show_room());
    } else {
        fprintf(out, "%s\n", b.s);
    }
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
    size_t head;
    int rc, indent;

    fputs("\ncontexts (= is another view of the same thing):\n", out);
    while ((rc = sl_table_next(t, err)) > 0) {
        sl_buf_clear(&left);
        sl_buf_addf(&left, "%*s%s%s %s", (int)sl_table_int(t, 0) * 2 + 2, "",
                    !strcmp(sl_table_text_or_empty(t, 1), "facet") ? "= " : "", sl_table_text_or_empty(t, 3),
                    sl_table_text_or_empty(t, 4));
        indent = (int)sl_table_int(t, 0) * 2 + 4;
        if (!sl_table_is_null(t, 5)) {
            for (int pad = sl_show_width(left.s); pad < 64 && !sl_show_room(); pad++)
                sl_buf_addc(&left, ' ');
            sl_buf_addf(&left, " in %s", sl_table_text_or_empty(t, 5));
        }
        add_rule(&left, t, 6, false);
        head = strspn(left.s, " ");
        fprintf(out, "%*s", (int)head, "");
        sl_show_words(out, left.s + head, indent);
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
    struct sl_buf b = {0};
    char took[32];
    int indent;

    sl_seconds_text((double)sl_time_sub(w->until.time_ns, w->from.time_ns) / 1e9, took);
    switch (w->kind) {
    case SL_WAIT_PENDING: sl_buf_addf(&b, "%s pending: it waited for other tasks (see above)", took); break;
    case SL_WAIT_STATE: sl_buf_addf(&b, "%s in %s, after its %s", took, w->until.type, w->state_event); break;
    case SL_WAIT_GAP:
        sl_buf_addf(&b, "gap of %s: no component says what happened between %s/%s and %s/%s", took, w->from.type,
                    w->from.event, w->until.type, w->until.event);
        break;
    }
    indent = NUMBERS + (sl_show_room() ? 0 : TIME + 1);
    fprintf(out, "%*s...... ", indent, "");
    sl_show_words(out, b.s, indent + 7);
    sl_buf_free(&b);
}

static void put_line(FILE *out, const char *text)
{
    struct sl_buf b = {0};

    for (const char *s = text; *s;) {
        size_t n = strcspn(s, "\n");
        sl_buf_clear(&b);
        sl_show_clean(&b, s, n);
        fputs("        | ", out);
        if (sl_show_room())
            sl_show_wrapped(out, b.s ? b.s : "", 10, sl_show_room());
        else
            fprintf(out, "%s\n", b.s ? b.s : "");
        s += n + (s[n] == '\n');
    }
    sl_buf_free(&b);
}

static void put_event(FILE *out, const struct sl_table *t, int64_t first_ns, int64_t previous_ns)
{
    const char *key = sl_table_text(t, SL_HISTORY_SPAN_KEY, NULL), *part = sl_table_text(t, SL_HISTORY_PART, NULL);
    int64_t merged = sl_table_int(t, SL_HISTORY_MERGED), time_ns = sl_table_int(t, SL_HISTORY_TIME_NS);
    char text[SL_TIME_TEXT], since[SL_SECONDS_TEXT], step[SL_SECONDS_TEXT];
    struct sl_buf what = {0}, place = {0}, shown = {0};
    int width = sl_show_room() ? sl_show_room() - NUMBERS - 2 - PLACE : 0;

    sl_buf_addf(&what, "%s%s%s/%s", sl_table_text_or_empty(t, SL_HISTORY_SPAN_TYPE), key ? " " : "", key ? key : "",
                sl_table_text_or_empty(t, SL_HISTORY_EVENT));
    if (merged > 1)
        sl_buf_addf(&what, " (%lld events)", (long long)merged);
    sl_buf_addf(&place, "%s%s%s:%lld", tail(sl_table_text_or_empty(t, SL_HISTORY_FILE)), part ? "#" : "",
                part ? part : "", (long long)sl_table_int(t, SL_HISTORY_PLACE));
    if (!width)
        fprintf(out, "%-*s ", TIME, sl_show_time(time_ns, 1e-6, text));
    fprintf(out, "%11s %9s  ", sl_seconds_text((double)sl_time_sub(time_ns, first_ns) / 1e9, since),
            sl_seconds_text((double)sl_time_sub(time_ns, previous_ns) / 1e9, step));
    if (!width)
        fprintf(out, "%-*s ", COMPONENT, sl_table_text_or_empty(t, SL_HISTORY_COMPONENT));
    sl_show_end(&shown, what.s, width);
    fprintf(out, "%s%*s", shown.s, width > sl_show_width(shown.s) ? width - sl_show_width(shown.s) : 0, "");
    sl_buf_clear(&shown);
    sl_show_end(&shown, place.s, width ? PLACE : 0);
    fprintf(out, "  %s\n", shown.s);
    sl_buf_free(&what);
    sl_buf_free(&place);
    sl_buf_free(&shown);
}

/* Times are told since the first event; on a terminal its date and clock stand here alone. */
static void put_heading(FILE *out, const struct sl_table *t)
{
    int width = sl_show_room() ? sl_show_room() - NUMBERS - 2 - PLACE : 0;
    char text[SL_TIME_TEXT];

    if (!sl_table_is_null(t, SL_HISTORY_TIME_NS)) {
        sl_show_time(sl_table_int(t, SL_HISTORY_TIME_NS), 1e-6, text);
        text[strcspn(text, "T")] = ' ';
        text[strcspn(text, "Z")] = 0;
        fprintf(out, "starts at %s UTC\n", text);
    }
    if (!width)
        fprintf(out, "%-*s ", TIME, "time");
    fprintf(out, "%11s %9s  ", "since start", "step");
    if (width)
        fprintf(out, "%-*s  %s\n", width, "what", "where it stands");
    else
        fprintf(out, "%-*s %s\n", COMPONENT, "component", "what, and where it stands");
}

int sl_show_span_events(FILE *out, struct sl_table *t, struct sl_err *err)
{
    struct sl_wait_finder f = {0};
    struct sl_wait wait;
    int64_t previous_ns;
    long rows = 0;
    int rc;

    while ((rc = sl_table_next(t, err)) > 0) {
        if (!rows++)
            put_heading(out, t);
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
    struct sl_buf name = {0};
    int rc = sl_table_next(span, err);

    if (rc <= 0)
        return rc;
    sl_buf_addf(&name, "%s  (span %lld)", sl_table_text_or_empty(span, 3), (long long)sl_table_int(span, 0));
    sl_show_words(out, name.s, 0);
    sl_buf_free(&name);
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
        sl_buf_addf(&name, "no worker names it: it came as far as %s; the last that is known is %s",
                    sl_table_text_or_empty(reach, 0),
                    sl_table_is_null(reach, 1) ? "nothing" : sl_table_text_or_empty(reach, 1));
        fputc('\n', out);
        sl_show_words(out, name.s, 0);
        sl_buf_free(&name);
        rc = 0;
    }
    return rc;
}
