/* SPDX-License-Identifier: Apache-2.0 */
/* States over time (result/over_time/states_tables.h): a row of bars each. */
#include "base/clock.h"
#include "result/over_time/states_tables.h"
#include "show/show.h"

#include <math.h>
#include <string.h>

/* How many spans, whole or mean.  buf holds 32 bytes. */
static const char *spans_text(double n, char *buf)
{
    snprintf(buf, 32, n < 1000 ? "%.3g" : "%.0f", n);
    return buf;
}

static void put_heading(FILE *out, const struct states_about *about)
{
    char period[SL_SHOW_PERIOD], width[32], count[32];
    struct sl_buf line = {0};

    if (about->type)
        fprintf(out, "%s spans of type %s", sl_show_count((unsigned long long)about->spans, count), about->type);
    else
        fprintf(out, "%lld states", (long long)about->states);
    if (about->from_ns == SL_NULL_INTEGER) {
        fputs(about->type ? ", without events\n" : "\n", out);
        return;
    }
    sl_buf_addf(&line, "%s; ",
                sl_show_period(about->from_ns, about->to_ns, about->bin_s > 0 ? about->bin_s : 1, period));
    if (about->bin_s > 0)
        sl_buf_addf(&line, "a column is %s, ", sl_seconds_text(about->bin_s, width));
    sl_buf_addf(&line, "full at its row's most");
    fputc('\n', out);
    sl_show_words(out, line.s, 0);
    fputc('\n', out);
    sl_buf_free(&line);
}

/* The next n, up to the last in which there is something. */
static void put_bars(FILE *out, struct sl_table *columns, int64_t n, double most)
{
    const struct states_column *x;
    int blank = 2; /* behind what stands before them */

    for (int64_t i = 0; i < n && (x = sl_table_row(columns, NULL)); i++)
        if (x->spans > 0) {
            fprintf(out, "%*s%s", blank, "", sl_show_level(x->spans / most));
            blank = 0;
        } else {
            blank++;
        }
    fputc('\n', out);
}

static void put_state(FILE *out, const struct states_state *x, int width)
{
    struct sl_buf name = {0};
    char most[32], mean[32];

    sl_show_end(&name, x->state, width);
    fprintf(out, "%s%*s %8s", name.s, width - sl_show_width(name.s), "", spans_text(x->at_most, most));
    sl_buf_free(&name);
    if (!isnan(x->ended))
        fprintf(out, " %8.0f %9s", x->ended, sl_seconds_text(isnan(x->mean_s) ? 0 : x->mean_s, mean));
}

static void show_part(FILE *out, const struct states_about *about, struct sl_table *states, struct sl_table *columns)
{
    enum { LEAST = 16, BESIDE = 9 + 9 + 10 + 2 }; /* of names; what stands between them and the bars */
    int width = 10, room = sl_show_room() - BESIDE - (int)about->columns;

    if (about->name)
        fprintf(out, "%s: ", about->name);
    put_heading(out, about);
    for (const struct states_state *x; (x = sl_table_row(states, NULL));) {
        int n = sl_show_width(x->state);
        width = n > width ? n : width;
    }
    sl_table_rewind(states);
    room = room > LEAST ? room : LEAST;
    if (sl_show_room() && width > room)
        width = room;
    if (states->rows)
        fprintf(out, "%-*s %8s%s\n", width, "state", "at most", about->type ? " ended in mean time" : "");
    for (const struct states_state *x; (x = sl_table_row(states, NULL));) {
        put_state(out, x, width);
        put_bars(out, columns, about->columns, x->at_most);
    }
    if (about->others)
        fprintf(out, "and %lld more, in none of them more than %.2g at a time; --format csv has all\n",
                (long long)about->others, about->others_most);
}

void sl_show_states(FILE *out, const struct sl_result *r)
{
    for (size_t i = 0, parts = 0; i + 2 < r->table.n; i++)
        if (!strcmp(r->table.v[i]->name, "about")) {
            fputs(parts++ ? "\n" : "", out);
            show_part(out, sl_table_at(r->table.v[i], 0), r->table.v[i + 1], r->table.v[i + 2]);
        }
}
