/* SPDX-License-Identifier: Apache-2.0 */
/* What one wants to know of many durations (result/over_time/durations.h). */
#include "base/clock.h"
#include "result/over_time/durations.h"
#include "show/show.h"

enum { BAR = 40 };

static const char *count_text(const struct sl_table *t, int column, char *buf)
{
    return sl_show_count((unsigned long long)sl_table_int(t, column), buf);
}

static void put_problem(FILE *out, const struct sl_table *about, int column, const char *what)
{
    char count[32];

    if (sl_table_int(about, column))
        fprintf(out, "  %9s %s\n", count_text(about, column, count), what);
}

static void put_about(FILE *out, struct sl_table *about)
{
    bool user;
    char n[32], of[32];

    sl_table_next(about, NULL);
    user = sl_table_is_null(about, SL_DURATIONS_TYPE);
    count_text(about, SL_DURATIONS_DURATIONS, n);
    if (user)
        fprintf(out, "%s duration%s\n", n, sl_table_int(about, SL_DURATIONS_DURATIONS) == 1 ? "" : "s");
    else
        fprintf(out, "from %s to %s: %s of %s spans of type %s\n", sl_table_text(about, SL_DURATIONS_START_EVENT, NULL),
                sl_table_text(about, SL_DURATIONS_END_EVENT, NULL), n, count_text(about, SL_DURATIONS_SPANS, of),
                sl_table_text(about, SL_DURATIONS_TYPE, NULL));
    put_problem(out, about, SL_DURATIONS_NO_START,
                user ? sl_table_int(about, SL_DURATIONS_NO_START) == 1 ? "row without a start" : "rows without a start"
                     : "without a start");
    put_problem(out, about, SL_DURATIONS_NO_END,
                user ? sl_table_int(about, SL_DURATIONS_NO_END) == 1 ? "row without an end" : "rows without an end"
                     : "without an end");
    put_problem(out, about, SL_DURATIONS_SEVERAL_STARTS, "with several starts, of which the first counts");
    put_problem(out, about, SL_DURATIONS_SEVERAL_ENDS, "with several ends, of which the first counts");
    put_problem(out, about, SL_DURATIONS_NEGATIVE, "negative: the end is before the start");
}

static void put_numbers(FILE *out, struct sl_table *numbers)
{
    static const char *const heading[SL_DURATIONS_NUMBERS] = {"mean",   "stddev", "minimum", "25 %",
                                                              "median", "75 %",   "95 %",    "maximum"};
    char text[32];

    while (sl_table_next(numbers, NULL) > 0) {
        for (int i = 0; i < SL_DURATIONS_NUMBERS; i++)
            fprintf(out, "%s%9s", i ? " " : "\n", heading[i]);
        for (int i = 0; i < SL_DURATIONS_NUMBERS; i++)
            fprintf(out, "%s%9s", i ? " " : "\n",
                    sl_table_is_null(numbers, i) ? "" : sl_seconds_text(sl_table_real(numbers, i), text));
        fputc('\n', out);
    }
}

static void put_histogram(FILE *out, struct sl_table *bins)
{
    double most = sl_show_most(bins, "durations");
    char from[32], to[32], n[32], bar[4 * BAR + 4];

    if (bins->rows)
        fputc('\n', out);
    while (sl_table_next(bins, NULL) > 0) {
        sl_show_bar(sl_table_real(bins, SL_DURATIONS_BIN_DURATIONS) / most, BAR, bar);
        fprintf(out, "%12s to %-12s %9s%s%s\n", sl_seconds_text(sl_table_real(bins, SL_DURATIONS_BIN_FROM_S), from),
                sl_seconds_text(sl_table_real(bins, SL_DURATIONS_BIN_TO_S), to),
                count_text(bins, SL_DURATIONS_BIN_DURATIONS, n), *bar ? "  " : "", bar);
    }
}

/* One of the longest; on a terminal too narrow for it, the command in a line of its own. */
static void put_long(FILE *out, const struct sl_table *t, const char *store)
{
    const char *told = sl_table_text_or_empty(t, SL_DURATIONS_LONGEST_NAME);
    struct sl_buf show = {0}, name = {0};
    char text[SL_SECONDS_TEXT];

    sl_show_clean(&name, told, strlen(told));
    sl_buf_add(&name, "", 0);
    sl_buf_addf(&show, "spanloom show span %lld -d %s", (long long)sl_table_int(t, SL_DURATIONS_LONGEST_SPAN), store);
    fprintf(out, "%12s  %s:", sl_seconds_text(sl_table_real(t, SL_DURATIONS_LONGEST_S), text), name.s);
    if (sl_show_room() && 12 + 2 + sl_show_width(name.s) + 2 + sl_show_width(show.s) > sl_show_room())
        fprintf(out, "\n%*s", 13, "");
    fprintf(out, " %s\n", show.s);
    sl_buf_free(&show);
    sl_buf_free(&name);
}

static void put_longest(FILE *out, struct sl_table *longest, const struct sl_table *about)
{
    const char *store = sl_table_text(about, SL_DURATIONS_STORE, NULL);
    int64_t more = sl_table_int(about, SL_DURATIONS_DURATIONS) - (longest ? (int64_t)longest->rows : 0);
    char text[32];

    if (longest && longest->rows)
        fputs("\nthe longest:\n", out);
    while (longest && sl_table_next(longest, NULL) > 0)
        put_long(out, longest, store);
    if (longest && longest->rows && more > 0)
        fprintf(out, "%12s  %s more%s\n", "", sl_show_count((unsigned long long)more, text),
                sl_table_is_null(about, SL_DURATIONS_TYPE) ? "" : " with --list");
}

void sl_show_durations(FILE *out, const struct sl_result *r)
{
    struct sl_table *about = sl_result_find(r, "about");

    put_about(out, about);
    put_numbers(out, sl_result_find(r, "numbers"));
    if (sl_result_find(r, "groups")) {
        fputc('\n', out);
        sl_show_groups(out, sl_result_find(r, "groups"), NULL);
        return;
    }
    put_histogram(out, sl_result_find(r, "histogram"));
    put_longest(out, sl_result_find(r, "longest"), about);
}

void sl_show_task_durations(FILE *out, const struct sl_result *r)
{
    fputs("medians of tasks: waiting for others or the launch, in queues, on workers,\nbetween components\n\n", out);
    sl_show_groups(out, sl_result_find(r, "tasks"), NULL);
    fputs("\nbetween two events: spanloom durations START END, such as: invoked returned\n", out);
}
