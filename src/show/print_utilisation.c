/* SPDX-License-Identifier: Apache-2.0 */
/* Workers over time (result/over_time/utilisation_tables.h): a bar each bin. */
#include "base/clock.h"
#include "result/over_time/utilisation_tables.h"
#include "show/show.h"

#include <math.h>

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
static void put_number(FILE *out, double v, int digits)
{
    if (isnan(v))
        fprintf(out, "%8s", "");
    else
        fprintf(out, "%8.*f", digits, v);
}

void sl_show_workers(FILE *out, const struct sl_result *r)
{
    const struct workers_about *about = sl_table_at(sl_result_find(r, "about"), 0);
    struct sl_table *bins = sl_result_find(r, "bins");
    double bin_s = about->bin_s, most = sl_show_most(bins, "workers");
    char time[SL_TIME_TEXT], date[SL_TIME_TEXT], width[32];
    bool one_day;

    fputs("workers", out);
    if (about->type)
        fprintf(out, " of type %s", about->type);
    if (!isnan(about->busy))
        fprintf(out, ": busy for %.1f %% of their time", about->busy);
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
    for (const struct workers_bin *x; (x = sl_table_row(bins, NULL));) {
        fprintf(out, "%-*s %8.2f %8.2f ", one_day ? 12 : 20,
                sl_show_moment(x->time_ns, bin_s > 0 ? bin_s : 1, !one_day, time), x->workers, x->busy);
        put_number(out, x->running, 2);
        fputc(' ', out);
        put_number(out, x->busy_percent, 1);
        put_bar(out, x->workers, x->busy, most);
        fputc('\n', out);
    }
}
