/* SPDX-License-Identifier: Apache-2.0 */
/* States over time (result/over_time/states_tables.h): a row of bars each. */
#include "base/clock.h"
#include "result/over_time/states_tables.h"
#include "show/show.h"

#include <string.h>

/* How many spans, whole or mean.  buf holds 32 bytes. */
static const char *spans_text(double n, char *buf)
{
    snprintf(buf, 32, n < 1000 ? "%.3g" : "%.0f", n);
    return buf;
}

static void put_heading(FILE *out, const struct sl_table *about)
{
    double bin_s = sl_table_real(about, SL_STATES_BIN_S);
    char period[SL_SHOW_PERIOD], width[32], count[32];
    const char *type = sl_table_text(about, SL_STATES_TYPE, NULL);
    struct sl_buf line = {0};

    if (type)
        fprintf(out, "%s spans of type %s",
                sl_show_count((unsigned long long)sl_table_real(about, SL_STATES_SPANS), count), type);
    else
        fprintf(out, "%lld states", (long long)sl_table_int(about, SL_STATES_STATES));
    if (sl_table_is_null(about, SL_STATES_FROM_NS)) {
        fputs(type ? ", without events\n" : "\n", out);
        return;
    }
    sl_buf_addf(&line, "%s; ",
                sl_show_period(sl_table_int(about, SL_STATES_FROM_NS), sl_table_int(about, SL_STATES_TO_NS),
                               bin_s > 0 ? bin_s : 1, period));
    if (bin_s > 0)
        sl_buf_addf(&line, "a column is %s, ", sl_seconds_text(bin_s, width));
    sl_buf_addf(&line, "full at its row's most");
    fputc('\n', out);
    sl_show_words(out, line.s, 0);
    fputc('\n', out);
    sl_buf_free(&line);
}

/* The next n, up to the last in which there is something. */
static void put_bars(FILE *out, struct sl_table *columns, int64_t n, double most)
{
    int blank = 2; /* behind what stands before them */

    for (int64_t i = 0; i < n && sl_table_next(columns, NULL) > 0; i++) {
        double spans = sl_table_real(columns, SL_STATE_COLUMN_SPANS);
        if (spans > 0) {
            fprintf(out, "%*s%s", blank, "", sl_show_level(spans / most));
            blank = 0;
        } else {
            blank++;
        }
    }
    fputc('\n', out);
}

static void put_state(FILE *out, const struct sl_table *states, int width)
{
    struct sl_buf name = {0};
    char most[32], mean[32];

    sl_show_end(&name, sl_table_text_or_empty(states, SL_STATE_NAME), width);
    fprintf(out, "%s%*s %8s", name.s, width - sl_show_width(name.s), "",
            spans_text(sl_table_real(states, SL_STATE_AT_MOST), most));
    sl_buf_free(&name);
    if (!sl_table_is_null(states, SL_STATE_ENDED))
        fprintf(out, " %8.0f %9s", sl_table_real(states, SL_STATE_ENDED),
                sl_seconds_text(sl_table_real(states, SL_STATE_MEAN_S), mean));
}

static void show_part(FILE *out, struct sl_table *about, struct sl_table *states, struct sl_table *columns)
{
    enum { LEAST = 16, BESIDE = 9 + 9 + 10 + 2 }; /* of names; what stands between them and the bars */
    const char *name;
    int width = 10, room = sl_show_room();

    sl_table_next(about, NULL);
    name = sl_table_text(about, SL_STATES_NAME, NULL);
    if (name)
        fprintf(out, "%s: ", name);
    put_heading(out, about);
    while (sl_table_next(states, NULL) > 0) {
        int n = sl_show_width(sl_table_text_or_empty(states, SL_STATE_NAME));
        width = n > width ? n : width;
    }
    sl_table_rewind(states);
    room -= BESIDE + (int)sl_table_int(about, SL_STATES_COLUMNS);
    room = room > LEAST ? room : LEAST;
    if (sl_show_room() && width > room)
        width = room;
    if (states->rows)
        fprintf(out, "%-*s %8s%s\n", width, "state", "at most",
                sl_table_is_null(about, SL_STATES_TYPE) ? "" : " ended in mean time");
    while (sl_table_next(states, NULL) > 0) {
        put_state(out, states, width);
        put_bars(out, columns, sl_table_int(about, SL_STATES_COLUMNS), sl_table_real(states, SL_STATE_AT_MOST));
    }
    if (sl_table_int(about, SL_STATES_OTHERS))
        fprintf(out, "and %lld more, in none of them more than %.2g at a time; --format csv has all\n",
                (long long)sl_table_int(about, SL_STATES_OTHERS), sl_table_real(about, SL_STATES_OTHERS_MOST));
}

void sl_show_states(FILE *out, const struct sl_result *r)
{
    for (size_t i = 0, parts = 0; i + 2 < r->table.n; i++)
        if (!strcmp(r->table.v[i]->name, "about")) {
            fputs(parts++ ? "\n" : "", out);
            show_part(out, r->table.v[i], r->table.v[i + 1], r->table.v[i + 2]);
        }
}
