/* SPDX-License-Identifier: Apache-2.0 */
/* How often something happened (result/over_time/rate.h): a bar each bin. */
#include "base/clock.h"
#include "result/over_time/rate.h"
#include "show/show.h"

enum { BAR = 40, KINDS = 2 };

/* Where several are counted together: "A/x, B/x". */
static void add_kinds(struct sl_buf *b, struct sl_table *kinds, const char *store)
{
    const struct rate_kind *kind;

    if (!kinds || kinds->rows < 2)
        return;
    for (int i = 0; i < KINDS && (kind = sl_table_row(kinds, NULL)); i++)
        sl_buf_addf(b, "%s%s/%s", i ? ", " : ": ", kind->span_type, kind->event_type);
    if (kinds->rows > KINDS)
        sl_buf_addf(b, " and %zu more; all: spanloom types --events -d %s", kinds->rows - KINDS, store);
}

void sl_show_rate(FILE *out, const struct sl_result *r)
{
    struct sl_table *bins = sl_result_find(r, "bins");
    const struct rate_about *about = sl_table_row(sl_result_find(r, "about"), NULL);
    double most = sl_show_most(bins, "events");
    bool wide = about->bin_s > 0; /* bins of a width that is known */
    char time[SL_TIME_TEXT], date[SL_TIME_TEXT], width[32], bar[4 * BAR + 4], count[32];
    struct sl_buf head = {0};
    bool one_day;

    sl_buf_addf(&head, "%s event%s", sl_show_count((unsigned long long)about->events, count),
                about->events == 1 ? "" : "s");
    if (about->event)
        sl_buf_addf(&head, " called %s", about->event);
    add_kinds(&head, sl_result_find(r, "kinds"), about->store);
    sl_show_words(out, head.s, 0);
    sl_buf_free(&head);
    if ((one_day = sl_show_one_day(bins, "time_ns", date)) || wide)
        fprintf(out, "%s%s", date, one_day ? " UTC" : "");
    if (wide)
        fprintf(out, "%sbins of %s", one_day ? "; " : "", sl_seconds_text(about->bin_s, width));
    if (sl_result_find(r, "groups")) {
        fputs(one_day || wide ? "\n\n" : "\n", out);
        sl_show_groups(out, sl_result_find(r, "groups"), NULL);
        return;
    }
    fprintf(out, "%s%-*s %9s%s\n", one_day || wide ? "\n\n" : "\n", one_day ? 12 : 20, "time", "events",
            wide ? "     per s" : "");
    for (const struct rate_bin *b; (b = sl_table_row(bins, NULL));) {
        fprintf(out, "%-*s %9.0f", one_day ? 12 : 20,
                sl_show_moment(b->time_ns, wide ? about->bin_s : 1, !one_day, time), b->events);
        if (wide)
            fprintf(out, " %9.4g", b->per_s);
        sl_show_bar(most > 0 ? b->events / most : 0, BAR, bar);
        fprintf(out, "%s%s\n", *bar ? "  " : "", bar);
    }
}
