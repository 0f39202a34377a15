/* SPDX-License-Identifier: Apache-2.0 */
/* Workers over time (result/over_time/utilisation_tables.h): a bar each bin. */
#include "base/clock.h"
#include "result/over_time/utilisation_tables.h"
#include "show/show.h"

enum { BAR = 30 };

/* Busy workers as full blocks, idle ones as light shade. */
static void put_bar(FILE *out, double workers, double busy, double most)
{
    char bar[4 * BAR + 4];
    int used = 0, there = most > 0 ? (int)(workers / most * BAR + 0.5) : 0;

    sl_show_bar(most > 0 ? busy / most : 0, BAR, bar);
    used = sl_show_width(bar);
    if (used || there)
        fprintf(out, "  %s", bar);
    for (; used < there; used++)
        fputs("░", out);
}

/* A number, or as many blanks. */
static void put_number(FILE *out, const struct sl_table *t, int column, int digits)
{
    if (sl_table_is_null(t, column))
        fprintf(out, "%8s", "");
    else
        fprintf(out, "%8.*f", digits, sl_table_real(t, column));
}

void sl_show_workers(FILE *out, const struct sl_result *r)
{
    struct sl_table *about = sl_result_find(r, "about"), *bins = sl_result_find(r, "bins");
    double bin_s, most = sl_show_most(bins, "workers");
    char time[SL_TIME_TEXT], date[SL_TIME_TEXT], width[32];
    bool one_day;

    sl_table_next(about, NULL);
    bin_s = sl_table_real(about, SL_WORKERS_BIN_S);
    fputs("workers", out);
    if (!sl_table_is_null(about, SL_WORKERS_TYPE))
        fprintf(out, " of type %s", sl_table_text(about, SL_WORKERS_TYPE, NULL));
    if (!sl_table_is_null(about, SL_WORKERS_BUSY))
        fprintf(out, ": busy for %.1f %% of their time", sl_table_real(about, SL_WORKERS_BUSY));
    if ((one_day = sl_show_one_day(bins, "time_ns", date)) || bin_s > 0)
        fprintf(out, "\n%s%s", date, one_day ? " UTC" : "");
    if (bin_s > 0)
        fprintf(out, "%sbins of %s", one_day ? "; " : "", sl_seconds_text(bin_s, width));
    if (sl_result_find(r, "groups")) {
        fputs("\n\n", out);
        sl_show_groups(out, sl_result_find(r, "groups"), NULL);
        return;
    }
    fprintf(out, "\n\n%-*s %8s %8s %8s %8s  busy █, idle ░\n", one_day ? 12 : 20, "time", "workers", "busy", "running",
            "busy %");
    while (sl_table_next(bins, NULL) > 0) {
        double workers = sl_table_real(bins, SL_WORKERS_BIN_WORKERS), busy = sl_table_real(bins, SL_WORKERS_BIN_BUSY);
        fprintf(out, "%-*s %8.2f %8.2f ", one_day ? 12 : 20,
                sl_show_moment(sl_table_int(bins, SL_WORKERS_BIN_TIME_NS), bin_s > 0 ? bin_s : 1, !one_day, time),
                workers, busy);
        put_number(out, bins, SL_WORKERS_BIN_RUNNING, 2);
        fputc(' ', out);
        put_number(out, bins, SL_WORKERS_BIN_PERCENT, 1);
        put_bar(out, workers, busy, most);
        fputc('\n', out);
    }
}
