/* SPDX-License-Identifier: Apache-2.0 */
#include "show/print_skew.h"
#include "base/clock.h"

#include <math.h>

enum { SOURCE, PATH, REFERENCE, PAIRS, BACKWARDS, LOWER_S, UPPER_S, OFFSET_S, OFFSET_NS };

/* With its sign and unit; beside whole seconds what clocks differ by within them is told, too. */
static char *seconds(double s, char buf[32])
{
    char text[32];

    if (fabs(s) >= 1)
        snprintf(buf, 32, "%+.6f s", s);
    else
        snprintf(buf, 32, "%s%s", s > 0 ? "+" : "", sl_seconds_text(s, text));
    return buf;
}

static char *bound(const struct sl_table *t, int column, char buf[32])
{
    return sl_table_is_null(t, column) ? "any" : seconds(sl_table_real(t, column), buf);
}

static void add_row(struct sl_table *to, const struct sl_table *t)
{
    enum { CORRECTION, BOUNDS, HANDOVERS, NEGATIVE, PATH_OF };
    bool reference = sl_table_int(t, SOURCE) == sl_table_int(t, REFERENCE);
    char low[32], high[32], text[80];

    sl_table_add(to);
    sl_table_put_text(to, CORRECTION,
                      reference                    ? "reference"
                      : sl_table_int(t, OFFSET_NS) ? seconds(sl_table_real(t, OFFSET_S), low)
                                                   : "none");
    snprintf(text, sizeof text, "%s to %s", bound(t, LOWER_S, low), bound(t, UPPER_S, high));
    sl_table_put_text(to, BOUNDS, reference ? "" : text);
    sl_table_put_int(to, HANDOVERS, sl_table_int(t, PAIRS));
    sl_table_put_int(to, NEGATIVE, sl_table_int(t, BACKWARDS));
    sl_table_put_text(to, PATH_OF, sl_table_text(t, PATH, NULL));
}

int sl_show_skew(FILE *out, struct sl_result *r, struct sl_err *err)
{
    static const struct sl_column columns[] = {{"correction", SL_COLUMN_TEXT, NULL, NULL, 0},
                                               {"bounds", SL_COLUMN_TEXT, NULL, NULL, 0},
                                               {"handovers", SL_COLUMN_INTEGER, NULL, NULL, 0},
                                               {"backwards", SL_COLUMN_INTEGER, NULL, NULL, 0},
                                               {"source", SL_COLUMN_TEXT, NULL, NULL, 0}};
    struct sl_table *t = sl_result_find(r, "by_path"), *to;
    struct sl_result text = {0};
    int rc;

    to = sl_result_table(&text, "skew", columns, 5);
    while ((rc = sl_table_next(t, err)) > 0)
        add_row(to, t);
    if (!rc && sl_show_table(out, to, SL_FORMAT_TABLE, err) < 0)
        rc = SL_ESTORE;
    sl_result_free(&text);
    return rc;
}
