/* SPDX-License-Identifier: Apache-2.0 */
/* How often something happened (result/rate.h): a bar each bin. */
#include "result/rate.h"
#include "base/clock.h"
#include "show/show.h"

enum { BAR = 40, KINDS = 2 };

/* Where several are counted together: "A/x, B/x". */
static void add_kinds(struct sl_buf *b, struct sl_table *kinds, const char *store)
{
    if (!kinds || kinds->rows < 2)
        return;
    for (int i = 0; i < KINDS && sl_table_next(kinds, NULL) > 0; i++)
        sl_buf_addf(b, "%s%s/%s", i ? ", " : ": ", sl_table_text(kinds, SL_RATE_KIND_SPAN, NULL),
                    sl_table_text(kinds, SL_RATE_KIND_EVENT, NULL));
    if (kinds->rows > KINDS)
        sl_buf_addf(b, " and %zu more; all: spanloom types --events -d %s", kinds->rows - KINDS, store);
}

void sl_show_rate(FILE *out, const struct sl_result *r)
{
    struct sl_table *about = sl_result_find(r, "about"), *bins = sl_result_find(r, "bins");
    double all, bin_s, most = sl_show_most(bins, SL_RATE_BIN_EVENTS);
    char time[SL_TIME_TEXT], date[SL_TIME_TEXT], width[32], bar[4 * BAR + 4], count[32];
    struct sl_buf head = {0};
    bool one_day;

    sl_table_next(about, NULL);
    all = sl_table_real(about, SL_RATE_EVENTS);
    bin_s = sl_table_real(about, SL_RATE_BIN_S);
    sl_buf_addf(&head, "%s event%s", sl_show_count((unsigned long long)all, count), all == 1 ? "" : "s");
    if (!sl_table_is_null(about, SL_RATE_EVENT))
        sl_buf_addf(&head, " called %s", sl_table_text(about, SL_RATE_EVENT, NULL));
    add_kinds(&head, sl_result_find(r, "kinds"), sl_table_text(about, SL_RATE_STORE, NULL));
    sl_show_words(out, head.s, 0);
    sl_buf_free(&head);
    if ((one_day = sl_show_one_day(bins, SL_RATE_BIN_TIME_NS, date)) || bin_s > 0)
        fprintf(out, "%s%s", date, one_day ? " UTC" : "");
    if (bin_s > 0)
        fprintf(out, "%sbins of %s", one_day ? "; " : "", sl_seconds_text(bin_s, width));
    if (sl_result_find(r, "groups")) {
        fputs(one_day || bin_s > 0 ? "\n\n" : "\n", out);
        sl_show_groups(out, sl_result_find(r, "groups"), NULL);
        return;
    }
    fprintf(out, "%s%-*s %9s%s\n", one_day || bin_s > 0 ? "\n\n" : "\n", one_day ? 12 : 20, "time", "events",
            bin_s > 0 ? "     per s" : "");
    while (sl_table_next(bins, NULL) > 0) {
        double events = sl_table_real(bins, SL_RATE_BIN_EVENTS);
        fprintf(out, "%-*s %9.0f", one_day ? 12 : 20,
                sl_show_moment(sl_table_int(bins, SL_RATE_BIN_TIME_NS), bin_s > 0 ? bin_s : 1, !one_day, time), events);
        if (bin_s > 0)
            fprintf(out, " %9.4g", sl_table_real(bins, SL_RATE_BIN_PER_S));
        sl_show_bar(most > 0 ? events / most : 0, BAR, bar);
        fprintf(out, "%s%s\n", *bar ? "  " : "", bar);
    }
}
