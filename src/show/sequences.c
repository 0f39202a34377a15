/* SPDX-License-Identifier: Apache-2.0 */
#include "show/sequences.h"

#include <stdint.h>

/* The columns of orderings. */
enum { SEQUENCE, COUNT, POSITION, SPAN_TYPE, EVENT_TYPE, MEAN_S, MIN_S, MAX_S, CUMULATIVE_S, ORDERINGS, ROOTS };

static void show_totals(FILE *out, const struct sl_table *t, const char *type)
{
    char n[32], m[32];
    unsigned long long orderings = (unsigned long long)sl_table_int(t, ORDERINGS);
    unsigned long long roots = (unsigned long long)sl_table_int(t, ROOTS);

    fprintf(out, "There %s %s %s of events below %s span%s of type %s\n", orderings == 1 ? "is" : "are",
            sl_show_count(orderings, n), orderings == 1 ? "ordering" : "different orderings", sl_show_count(roots, m),
            roots == 1 ? "" : "s", type);
}

static void show_heading(FILE *out, const struct sl_table *t, const char *which)
{
    char c[32];
    unsigned long long count = (unsigned long long)sl_table_int(t, COUNT);

    fprintf(out, "%s: %s span%s", which, sl_show_count(count, c), count == 1 ? "" : "s");
    if (!sl_table_int(t, POSITION))
        fprintf(out, ", without any event\n");
    else
        fprintf(out, "\n\n%16s %16s %16s %16s  %s\n", "cumulative mean", "mean", "minimum", "maximum",
                "span type/event type (seconds since the previous event)");
}

static void show_step(FILE *out, const struct sl_table *t)
{
    if (sl_table_int(t, POSITION)) /* position 0 stands for no event */
        fprintf(out, "%16.9f %16.9f %16.9f %16.9f  %s/%s\n", sl_table_real(t, CUMULATIVE_S), sl_table_real(t, MEAN_S),
                sl_table_real(t, MIN_S), sl_table_real(t, MAX_S), sl_table_text_or_empty(t, SPAN_TYPE),
                sl_table_text_or_empty(t, EVENT_TYPE));
}

int sl_show_sequences(FILE *out, struct sl_result *r, const char *root_type, bool all, struct sl_err *err)
{
    struct sl_table *t = sl_result_find(r, "orderings");
    int64_t last = 0;
    bool events = false;
    char which[64];
    int rc;

    while ((rc = sl_table_next(t, err)) > 0) {
        int64_t sequence = sl_table_int(t, SEQUENCE);
        if (!last)
            show_totals(out, t, root_type);
        if (sequence != last) {
            if (events && !all)
                return 0;
            if (all)
                snprintf(which, sizeof which, "\nOrdering %lld", (long long)sequence);
            show_heading(out, t, all ? which : last ? "Most common with events" : "Most common");
        }
        last = sequence;
        events |= sl_table_int(t, POSITION) != 0;
        show_step(out, t);
    }
    return rc;
}
