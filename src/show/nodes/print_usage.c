/* SPDX-License-Identifier: Apache-2.0 */
/* Who used the nodes (result/usage_tables.h), within 80 columns. */
#include "show/nodes/print_usage.h"
#include "base/clock.h"

#include <math.h>
#include <string.h>

enum { WHAT = 18 };
static const struct {
    int column, width;
    const char *head;
} shown[] = {
    {SL_USAGE_RUNS, 6, "runs"},           {SL_USAGE_CPU, 8, "CPU s"},
    {SL_USAGE_CPU_SHARE, 6, "CPU %"},     {SL_USAGE_REQUESTED_CPU, 8, "asked s"},
    {SL_USAGE_OF_REQUESTED, 7, "used %"}, {SL_USAGE_MEM_MB, 8, "mem MB"},
    {SL_USAGE_DISK, 8, "disk MB"},        {SL_USAGE_NET, 8, "net MB"},
};
enum { SHOWN = sizeof shown / sizeof *shown };

struct line {
    char what[4 * WHAT + 1];
    double v[SHOWN];
};

static void put_line(FILE *out, const struct line *l)
{
    char buf[32];
    int wide = sl_show_width(l->what);

    fprintf(out, "%s%*s", l->what, wide < WHAT ? WHAT - wide : 0, "");
    for (int i = 0; i < SHOWN; i++) {
        if (shown[i].column == SL_USAGE_RUNS)
            snprintf(buf, sizeof buf, "%.0f", l->v[i]);
        else
            sl_show_digits(l->v[i], buf);
        fprintf(out, " %*s", shown[i].width - 1, isnan(l->v[i]) ? "" : buf);
    }
    fputc('\n', out);
}

/* Some rest of a subtraction is none. */
static double settle(double v)
{
    return fabs(v) < 1e-9 ? 0 : v;
}

/* Of a long name its end: types begin alike. */
static void shorten(const char *s, char to[4 * WHAT + 1])
{
    int wide = sl_show_width(s), skip;

    skip = wide > WHAT ? wide - WHAT + 1 : 0;
    for (int i = 0; i < skip; i++)
        for (s++; (*s & 0xC0) == 0x80; s++)
            ;
    snprintf(to, 4 * WHAT + 1, "%s%s", skip ? "…" : "", s);
}

static struct line read_line(const struct sl_table *t)
{
    struct sl_buf clean = {0};
    const char *s = sl_table_text_or_empty(t, SL_USAGE_WHAT);
    struct line l;

    sl_show_clean(&clean, s, strlen(s));
    shorten(clean.s ? clean.s : "", l.what);
    for (int i = 0; i < SHOWN; i++)
        l.v[i] = settle(sl_table_real_or_nan(t, shown[i].column));
    sl_buf_free(&clean);
    return l;
}

static void add(struct line *sum, const struct line *l)
{
    for (int i = 0; i < SHOWN; i++)
        if (!isnan(l->v[i]) && shown[i].column != SL_USAGE_OF_REQUESTED)
            sum->v[i] = isnan(sum->v[i]) ? l->v[i] : sum->v[i] + l->v[i];
}

static int put_heading(FILE *out, struct sl_table *n, struct sl_err *err)
{
    char a[32], b[32], c[32];
    int rc = sl_table_next(n, err);
    int64_t nodes = rc > 0 ? sl_table_int(n, SL_USAGE_NODES) : 0;

    if (rc < 0)
        return rc;
    if (!nodes)
        return sl_err(err, SL_ENOTFOUND,
                      "no node was monitored; import the spanloom-monitor.*.jsonl of `spanloom monitor`");
    fprintf(out, "%lld node%s sampled for %s in all: %s of %s CPU seconds were used\n\n", (long long)nodes,
            nodes == 1 ? "" : "s", sl_seconds_text(sl_table_real(n, SL_USAGE_NODES_SAMPLED_S), a),
            sl_show_digits(sl_table_real(n, SL_USAGE_NODES_CPU_S), b),
            sl_show_digits(sl_table_real(n, SL_USAGE_NODES_CAPACITY_S), c));
    return 0;
}

int sl_show_usage(FILE *out, struct sl_result *r, int most, struct sl_err *err)
{
    struct sl_table *t = sl_result_find(r, "usage");
    struct line others, all;
    int rc = put_heading(out, sl_result_find(r, "nodes"), err), rows = 0, rest = 0;
    double runs = 0, measured = 0;

    if (rc)
        return rc;
    for (int i = 0; i < SHOWN; i++)
        others.v[i] = all.v[i] = NAN;
    fprintf(out, "%-*s", WHAT, "");
    for (int i = 0; i < SHOWN; i++)
        fprintf(out, " %*s", shown[i].width - 1, shown[i].head);
    fputc('\n', out);
    while ((rc = sl_table_next(t, err)) > 0) {
        bool nobody = !strcmp(sl_table_text_or_empty(t, SL_USAGE_WHAT), "unattributed");
        struct line l = read_line(t);
        add(&all, &l);
        runs += nobody ? 0 : sl_table_real(t, SL_USAGE_RUNS);
        measured += nobody ? 0 : sl_table_real(t, SL_USAGE_MEASURED);
        if (nobody && rest) {
            snprintf(others.what, sizeof others.what, "%d more", rest);
            put_line(out, &others);
        }
        if (nobody || most < 0 || rows++ < most)
            put_line(out, &l);
        else
            rest++, add(&others, &l);
    }
    strcpy(all.what, "all");
    put_line(out, &all);
    if (runs > 0)
        fprintf(out, "\n%.0f of %.0f runs have resource rows of their own; the others share the rest\n", measured,
                runs);
    else
        fputs("\nnothing is known to have run on these nodes then: import the run's logs and its monitoring.db\n", out);
    return rc;
}
