/* SPDX-License-Identifier: Apache-2.0 */
#include "show/sequences.h"
#include "base/mem.h"
#include "result/sequences.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void show_totals(FILE *out, const struct sl_table *t, const char *type)
{
    char n[32], m[32];
    unsigned long long orderings = (unsigned long long)sl_table_int(t, SL_SEQUENCES_ORDERINGS);
    unsigned long long roots = (unsigned long long)sl_table_int(t, SL_SEQUENCES_ROOTS);

    fprintf(out, "There %s %s %s of events below %s span%s of type %s\n", orderings == 1 ? "is" : "are",
            sl_show_count(orderings, n), orderings == 1 ? "ordering" : "different orderings", sl_show_count(roots, m),
            roots == 1 ? "" : "s", type);
}

static void show_heading(FILE *out, const struct sl_table *t, const char *which)
{
    char c[32];
    unsigned long long count = (unsigned long long)sl_table_int(t, SL_SEQUENCES_COUNT);

    fprintf(out, "%s: %s span%s", which, sl_show_count(count, c), count == 1 ? "" : "s");
    if (!sl_table_int(t, SL_SEQUENCES_POSITION))
        fprintf(out, ", without any event\n");
    else
        fprintf(out, "\n\n%16s %16s %16s %16s  %s\n", "cumulative mean", "mean", "minimum", "maximum",
                "span type/event type (seconds since the previous event)");
}

static void show_step(FILE *out, const struct sl_table *t)
{
    if (sl_table_int(t, SL_SEQUENCES_POSITION)) /* position 0 stands for no event */
        fprintf(out, "%16.9f %16.9f %16.9f %16.9f  %s/%s\n", sl_table_real(t, SL_SEQUENCES_CUMULATIVE_S),
                sl_table_real(t, SL_SEQUENCES_MEAN_S), sl_table_real(t, SL_SEQUENCES_MIN_S),
                sl_table_real(t, SL_SEQUENCES_MAX_S), sl_table_text_or_empty(t, SL_SEQUENCES_SPAN_TYPE),
                sl_table_text_or_empty(t, SL_SEQUENCES_EVENT_TYPE));
}

int sl_show_sequences(FILE *out, struct sl_result *r, const char *root_type, const char *note, bool all,
                      struct sl_err *err)
{
    struct sl_table *t = sl_result_find(r, "orderings");
    int64_t last = 0;
    bool events = false, begun = false;
    char which[64], *group = NULL;
    int rc;

    while ((rc = sl_table_next(t, err)) > 0) {
        int64_t sequence = sl_table_int(t, SL_SEQUENCES_SEQUENCE);
        const char *name = sl_table_text(t, SL_SEQUENCES_NAME, NULL);
        if (name && (!begun || strcmp(name, group) != 0)) {
            if (!begun && note)
                fprintf(out, "%s\n", note);
            if (begun || note)
                fputc('\n', out);
            free(group);
            group = sl_strdup(name);
            last = 0;
            events = false;
            fprintf(out, "%s: ", name);
        } else if (name && events && !all && sequence != last) {
            continue;
        }
        if (!last)
            show_totals(out, t, root_type);
        if (!begun && !name && note)
            fprintf(out, "%s\n", note);
        begun = true;
        if (sequence != last) {
            if (events && !all)
                break;
            if (all)
                snprintf(which, sizeof which, "\nOrdering %lld", (long long)sequence);
            show_heading(out, t, all ? which : last ? "Most common with events" : "Most common");
        }
        last = sequence;
        events |= sl_table_int(t, SL_SEQUENCES_POSITION) != 0;
        show_step(out, t);
    }
    free(group);
    return rc < 0 ? rc : 0;
}
