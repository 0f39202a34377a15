/* SPDX-License-Identifier: Apache-2.0 */
#include "show/print_diff.h"
#include "base/clock.h"
#include "result/diff_tables.h"

#include <math.h>
#include <string.h>

/* Below so many columns a terminal gets what fits; --wide has all. */
enum { ROOMY = 130 };
enum { TRANSITIONS = 20, SURE = 15, LONE = 5, PATH = 8, EVENTS = 10, TAIL = 20, TASKS = 5, NAME = 24 };

char *sl_show_change(double before, double now, char *buf)
{
    double p = (now - before) / before * 100, a = fabs(p);

    *buf = 0;
    if (before > 0 && a >= 0.005 && a < 1e9)
        snprintf(buf, 32, "%+.*f %%", a >= 9.95 ? 0 : a >= 0.995 ? 1 : 2, p);
    return buf;
}

static const char *plural(long long n)
{
    return n == 1 ? "" : "s";
}

static const char *seconds(double s, char *buf)
{
    return isnan(s) ? "-" : s == 0 ? "0" : sl_seconds_text(s, buf);
}

/* The same with its sign. */
static const char *signed_seconds(double s, char *buf)
{
    if (isnan(s) || s <= 0)
        return seconds(s, buf);
    *buf = '+';
    sl_seconds_text(s, buf + 1);
    return buf;
}

static const char *text(const char *s)
{
    return s ? s : "";
}

static bool is_sure(const struct sl_shift *s)
{
    return s->low > 0 || s->high < 0;
}

/* "+19 ms to +21 ms"; "*": all of it on one side of 0. */
static const char *interval(const struct sl_shift *s, char *buf, size_t n)
{
    char low[40], high[40];

    if (isnan(s->low))
        return "-";
    snprintf(buf, n, "%s to %s%s", signed_seconds(s->low, low), signed_seconds(s->high, high), is_sure(s) ? " *" : "");
    return buf;
}

/* ---- columns ---- */

static bool narrow(void)
{
    return sl_show_room() && sl_show_room() < ROOMY;
}

/* ---- tables ---- */

/* The next row of the table diff about this; NULL: there is none. */
static const struct diff_row *next_about(struct sl_table *diff, const char *what)
{
    const struct diff_row *x;

    while ((x = sl_table_row(diff, NULL)) && strcmp(x->what, what) != 0)
        ;
    return x;
}

/* The first of them. */
static const struct diff_row *find_about(struct sl_table *diff, const char *what)
{
    sl_table_rewind(diff);
    return next_about(diff, what);
}

static struct sl_table *table_of(const struct sl_result *r, const char *name)
{
    struct sl_table *t = sl_result_find(r, name);

    sl_table_rewind(t);
    return t;
}

/* ---- the verdict ---- */

/* What changed most on the path, in the direction of the whole. */
static void say_where(struct sl_buf *b, struct sl_table *diff, double change)
{
    const struct diff_row *most = NULL;
    char s[40];

    sl_table_rewind(diff);
    for (const struct diff_row *x; (x = next_about(diff, "critical_path"));)
        if (x->change_s * (change > 0 ? 1 : -1) > (most ? fabs(most->change_s) : 0))
            most = x;
    if (!most)
        return;
    sl_buf_addf(b, "; %s: %s, %s, %s",
                fabs(most->change_s) > fabs(change) / 2 ? "most of it in" : "the largest part in",
                text(most->component), text(most->state), signed_seconds(most->change_s, s));
}

static void show_verdict(FILE *out, struct sl_table *diff)
{
    const struct diff_row *x = find_about(diff, "makespan"), *story = find_about(diff, "story");
    struct sl_shift makespan = DIFF_SHIFT_OF(x, median, ), history = DIFF_SHIFT_OF(story, median, ), *s = &makespan;
    const char *who = "B";
    char from[40], to[40], percent[32];
    struct sl_buf b = {0};
    bool whole, alike;

    whole = !isnan(makespan.a) && !isnan(makespan.b);
    if (!whole) {
        s = &history;
        who = "The median span in B";
    }
    alike = fabs(s->b - s->a) <= 0.001 * s->a;
    if (isnan(s->a) || isnan(s->b))
        sl_buf_addf(&b, "There is nothing to compare: %s has no events", isnan(s->a) ? "A" : "B");
    else if (alike)
        sl_buf_addf(&b, "%s takes as long as %s: %s", who, whole ? "A" : "in A", seconds(s->b, to));
    else if (*sl_show_change(s->a, s->b, percent))
        sl_buf_addf(&b, "%s is %s %s: %s -> %s", who, percent + 1, s->b > s->a ? "slower" : "faster",
                    seconds(s->a, from), seconds(s->b, to));
    else
        sl_buf_addf(&b, "%s is slower: %s -> %s", who, seconds(s->a, from), seconds(s->b, to));
    if (whole && !alike)
        say_where(&b, diff, s->b - s->a);
    sl_show_words(out, b.s, 0);
    if (whole && is_sure(&history) && *sl_show_change(history.a, history.b, percent))
        fprintf(out, "The median span is %s %s: %s -> %s\n", percent + 1, history.change > 0 ? "longer" : "shorter",
                seconds(history.a, from), seconds(history.b, to));
    sl_buf_free(&b);
}

static void show_sides(FILE *out, struct sl_table *sides, const char *type)
{
    char roots[32], orders[32];
    struct sl_buf b = {0};

    for (const struct diff_side *x; (x = sl_table_row(sides, NULL));) {
        sl_buf_clear(&b);
        sl_buf_addf(&b, "%s  %s%s%s%s: %s span%s of type %s, %s ordering%s of events", x->side, x->run ? "run " : "",
                    text(x->run), x->run ? " in " : "", text(x->store),
                    sl_show_count((unsigned long long)x->spans, roots), plural(x->spans), type,
                    sl_show_count((unsigned long long)x->orderings, orders), plural(x->orderings));
        if (x->without_events)
            sl_buf_addf(&b, "; %s without any", sl_show_count((unsigned long long)x->without_events, roots));
        sl_show_words(out, b.s, 3);
    }
    sl_buf_free(&b);
}

/* ---- sections ---- */

static void show_shift(FILE *out, const char *name, struct sl_shift s)
{
    char a[40], b[40], change[40], percent[32], range[90];

    const char *of = interval(&s, range, sizeof range);
    int used = fprintf(out, narrow() ? "%-19s %9s %9s %9s %7s  " : "%-24s %11s %11s %11s %8s  ", name, seconds(s.a, a),
                       seconds(s.b, b), signed_seconds(s.change, change),
                       isnan(s.change) ? "" : sl_show_change(s.a, s.b, percent));

    if (narrow() && used + sl_show_width(of) > sl_show_room())
        of = is_sure(&s) ? "*" : "";
    fprintf(out, "%s\n", of);
}

static void show_whole(FILE *out, struct sl_table *diff)
{
    const struct diff_row *x = find_about(diff, "makespan"), *story = find_about(diff, "story");

    fprintf(out, narrow() ? "\n%-19s %9s %9s %9s %7s  %s\n" : "\n%-24s %11s %11s %11s %8s  %s\n", "", "A", "B",
            "change", "", "95 % interval");
    show_shift(out, "makespan", DIFF_SHIFT_OF(x, median, ));
    show_shift(out, "whole span, median", DIFF_SHIFT_OF(story, median, ));
    show_shift(out, "             95 %", DIFF_SHIFT_OF(story, p95, p95_));
    show_shift(out, "             99 %", DIFF_SHIFT_OF(story, p99, p99_));
}

static void put_state(FILE *out, const struct diff_row *x, int used)
{
    struct sl_buf b = {0};

    sl_buf_addf(&b, "%s, %s", text(x->component), text(x->state));
    sl_show_last(out, b.s, used);
    sl_buf_free(&b);
}

static void show_path(FILE *out, struct sl_table *diff, const char *no_path, bool all)
{
    char a[40], b[40], change[40];
    double rest = 0;
    size_t n = 0;

    fputs("\nOn the critical path\n", out);
    sl_table_rewind(diff);
    for (const struct diff_row *x; (x = next_about(diff, "critical_path"));) {
        if (!n)
            fprintf(out, narrow() ? "%10s %10s %10s  %s\n" : "%11s %11s %11s  %s\n", "A", "B", "change",
                    "component, state");
        if (n++ < PATH || all)
            put_state(out, x,
                      fprintf(out, narrow() ? "%10s %10s %10s  " : "%11s %11s %11s  ", seconds(x->median_a_s, a),
                              seconds(x->median_b_s, b), signed_seconds(x->change_s, change)));
        else
            rest += x->change_s;
    }
    if (!n)
        fprintf(out, "not compared: %s\n", no_path);
    else if (n > PATH && !all)
        fprintf(out,
                narrow() ? "%10s %10s %10s  %zu more; --all shows them\n"
                         : "%11s %11s %11s  %zu more; --all shows them\n",
                "", "", signed_seconds(rest, change), n - PATH);
}

/* The whole spans of each group. */
static void show_groups(FILE *out, struct sl_table *diff, const char *by)
{
    if (!by)
        return;
    fprintf(out, "\nThe whole span, median, by %s\n", by);
    sl_table_rewind(diff);
    for (const struct diff_row *x; (x = next_about(diff, by));) {
        char name[2 * NAME];
        snprintf(name, sizeof name, "%s", text(x->name));
        show_shift(out, name, DIFF_SHIFT_OF(x, median, ));
    }
}

/* "task 17 (prep)", "task 17 (prep), 19 in B", "all of prep: 30 in A, 32 in B". */
static void put_task(FILE *out, const struct diff_row *x)
{
    const char *a = x->task_a, *b = x->task_b, *app = text(x->name);

    if (!a || !b)
        fprintf(out, "all of %s: %lld in A, %lld in B\n", app, (long long)x->n_a, (long long)x->n_b);
    else if (strcmp(a, b) != 0)
        fprintf(out, "task %s (%s), %s in B\n", a, app, b);
    else
        fprintf(out, "task %s (%s)\n", a, app);
}

/* Those that took longer or shorter on workers. */
static void show_tasks(FILE *out, struct sl_table *diff, bool all)
{
    char a[40], b[40], change[40];
    size_t n = 0;

    sl_table_rewind(diff);
    for (const struct diff_row *x; (x = next_about(diff, "task"));) {
        if (!(fabs(x->change_s) > 0) || (n++ >= TASKS && !all))
            continue;
        if (n == 1)
            fprintf(out, "\nThe tasks that moved most, by their time on workers\n%11s %11s %11s\n", "A", "B", "change");
        fprintf(out, "%11s %11s %11s  ", seconds(x->median_a_s, a), seconds(x->median_b_s, b),
                signed_seconds(x->change_s, change));
        put_task(out, x);
    }
    if (n > TASKS && !all)
        fprintf(out, "%35s  %zu more; --all shows them\n", "", n - TASKS);
}

/* "TYPE/EVENT -> TYPE/EVENT" behind `used` columns: on a terminal the ends of both. */
static void put_ends(FILE *out, const struct diff_row *x, int used)
{
    const char *type[] = {x->from_type, x->to_type}, *event[] = {x->from_event, x->to_event};
    int room = sl_show_room() - used - 6, each = room > 32 ? room / 2 : 16;
    struct sl_buf line = {0}, name = {0};

    for (int i = 0; i < 2; i++) {
        sl_buf_clear(&name);
        sl_buf_addf(&name, "%s/%s", text(type[i]), text(event[i]));
        sl_buf_adds(&line, i ? " -> " : "  ");
        sl_show_end(&line, name.s, sl_show_room() ? each : 0);
        each = i ? each : room - (sl_show_width(line.s) - 2); /* what the first leaves is for the second */
        each = each > 16 ? each : 16;
    }
    fprintf(out, "%s\n", line.s);
    sl_buf_free(&name);
    sl_buf_free(&line);
}

static void put_transition(FILE *out, const struct diff_row *x)
{
    struct sl_shift median = DIFF_SHIFT_OF(x, median, );
    char a[40], b[40], change[40], percent[32], tail[40], range[90];
    int used;

    if (narrow())
        used = fprintf(out, "%10s %10s %10s %8s", seconds(median.a, a), seconds(median.b, b),
                       signed_seconds(median.change, change), sl_show_change(median.a, median.b, percent));
    else
        used = fprintf(out, "%7lld %7lld %10s %10s %10s %8s  %-22s %10s", (long long)x->n_a, (long long)x->n_b,
                       seconds(median.a, a), seconds(median.b, b), signed_seconds(median.change, change),
                       sl_show_change(median.a, median.b, percent), interval(&median, range, sizeof range),
                       x->n_a < TAIL || x->n_b < TAIL ? "-" : signed_seconds(x->p95_change_s, tail));
    put_ends(out, x, used);
}

/* The next n rows, at most so many of them. */
static void put_part(FILE *out, struct sl_table *t, const char *title, size_t n, size_t most)
{
    struct sl_buf b = {0};

    if (!n)
        return;
    sl_buf_adds(&b, title);
    if (n > most)
        sl_buf_addf(&b, "; %zu more with --all", n - most);
    sl_show_words(out, b.s, 0);
    sl_buf_free(&b);
    for (size_t i = 0; i < n; i++) {
        const struct diff_row *x = sl_table_row(t, NULL);
        if (i < most)
            put_transition(out, x);
    }
}

/* Those whose median did not move are listed with --all only. */
static void show_both(FILE *out, struct sl_table *t, bool all)
{
    size_t both = 0, sure = 0, moved = 0, most;
    struct sl_buf b = {0};

    for (const struct diff_row *x; (x = sl_table_row(t, NULL)) && x->n_a && x->n_b; both++) {
        sure += x->sure != 0;
        moved += x->change_s < 0 || x->change_s > 0;
    }
    sl_table_rewind(t);
    sl_buf_addf(&b, "From one event to the next: both have %zu transition%s%s", both, plural((long long)both),
                both && !moved ? ", and no median changed" : "");
    if (moved && moved < both && !all)
        sl_buf_addf(&b, "; the medians of %zu did not change, --all shows them", both - moved);
    if (narrow() && (moved || all))
        sl_buf_adds(&b, "; --wide has how many, intervals and tails");
    fputc('\n', out);
    sl_show_words(out, b.s, 0);
    sl_buf_free(&b);
    if (!moved && !all)
        return;
    if (narrow())
        fprintf(out, "%10s %10s %10s %8s  %s\n", "median A", "B", "change", "", "from -> to");
    else
        fprintf(out, "%7s %7s %10s %10s %10s %8s  %-22s %10s  %s\n", "n in A", "in B", "median A", "B", "change", "",
                "95 % interval", "p95 change", "from -> to");
    most = sure < SURE ? sure : SURE;
    put_part(out, t, "surely changed (the interval is without 0), what matters most first", sure, all ? both : most);
    put_part(out, t, "not surely: the interval has 0, or one side has it more often, since who logs first differs",
             (all ? both : moved) - sure, all ? both : TRANSITIONS - most);
}

static const struct diff_row *next_lone(struct sl_table *t, int side)
{
    const struct diff_row *x;

    while ((x = sl_table_row(t, NULL)) && (side ? x->n_a : x->n_b))
        ;
    return x;
}

/* Those that only one side has stand behind the others, by weight. */
static void show_one(FILE *out, struct sl_table *t, int side, bool all)
{
    struct sl_buf b = {0};
    size_t n = 0, shown = 0;
    char s[40];

    while (next_lone(t, side))
        n++;
    sl_table_rewind(t);
    if (!n)
        return;
    sl_buf_addf(&b, "%zu transition%s that only %c has%s", n, plural((long long)n), "AB"[side],
                n > LONE && !all ? ", those with most of the time first; --all shows all" : "");
    fputc('\n', out);
    sl_show_words(out, b.s, 0);
    sl_buf_free(&b);
    fprintf(out, "%7s %10s\n", "n", "median");
    for (const struct diff_row *x; (all || shown < LONE) && (x = next_lone(t, side)); shown++)
        put_ends(out, x,
                 fprintf(out, "%7lld %10s", (long long)(side ? x->n_b : x->n_a),
                         seconds(side ? x->median_b_s : x->median_a_s, s)));
    sl_table_rewind(t);
}

static void show_lone(FILE *out, struct sl_table *t, int side, bool all)
{
    long long n = 0, orderings = 0, spans = 0, shown = 0;
    char count[32];

    for (const struct diff_orderings *x; (x = sl_table_row(t, NULL));)
        if (*x->side == "AB"[side])
            n++, orderings += x->orderings, spans += x->spans;
    sl_table_rewind(t);
    if (!n)
        return;
    fprintf(out, "\n%lld %s ordering%s of events that only %c has, of %s span%s\n", orderings,
            side ? "new" : "vanished", plural(orderings), "AB"[side], sl_show_count((unsigned long long)spans, count),
            plural(spans));
    fprintf(out, "%9s %9s  compared with the most common of %c", "orderings", "spans", "BA"[side]);
    if (n > LONE && !all)
        fprintf(out, "; %lld more with --all", n - LONE);
    fputc('\n', out);
    for (const struct diff_orderings *x; (all || shown < LONE) && (x = sl_table_row(t, NULL));)
        if (*x->side == "AB"[side]) {
            int used = fprintf(out, "%9lld %9lld  ", (long long)x->orderings, (long long)x->spans);
            sl_show_words(out, text(x->differs), used);
            shown++;
        }
    sl_table_rewind(t);
}

static void show_events(FILE *out, struct sl_table *t, int side, bool all)
{
    struct sl_buf b = {0};
    size_t n = 0;

    for (const struct diff_event *x; (x = sl_table_row(t, NULL));)
        if (*x->side == "AB"[side] && (n++ < EVENTS || all))
            sl_buf_addf(&b, "%s %s/%s", n == 1 ? side ? "Events that only B has:" : "Events that only A has:" : ",",
                        text(x->span_type), text(x->event_type));
    if (n > EVENTS && !all)
        sl_buf_addf(&b, " and %zu more with --all", n - EVENTS);
    if (n) {
        fputc('\n', out);
        sl_show_words(out, b.s, 2);
    }
    sl_buf_free(&b);
    sl_table_rewind(t);
}

void sl_show_diff(FILE *out, const struct sl_result *r, const char *by, bool all)
{
    struct sl_table *diff = table_of(r, "diff"), *about = table_of(r, "about"), *sides = table_of(r, "sides"),
                    *transitions = table_of(r, "transitions"), *events = table_of(r, "events"),
                    *orderings = table_of(r, "orderings");

    const struct diff_about *x = sl_table_row(about, NULL);

    show_verdict(out, diff);
    show_sides(out, sides, text(x->type));
    show_whole(out, diff);
    show_path(out, diff, text(x->no_path), all);
    show_groups(out, diff, by);
    show_tasks(out, diff, all);
    show_both(out, transitions, all);
    sl_table_rewind(transitions);
    for (int side = 0; side < 2; side++)
        show_one(out, transitions, side, all);
    for (int side = 0; side < 2; side++)
        show_events(out, events, side, all);
    for (int side = 0; side < 2; side++)
        show_lone(out, orderings, side, all);
    if (!orderings->rows)
        fputs("\nBoth have the same orderings of events\n", out);
}
