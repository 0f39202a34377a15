/* SPDX-License-Identifier: Apache-2.0 */
#include "show/print_sequences.h"
#include "base/clock.h"
#include "base/mem.h"
#include "result/over_time/sequences_tables.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 43 }; /* columns of the numbers of a step */

/* before: what stands in the line already, a clean text. */
static void show_totals(FILE *out, const struct sl_table *t, const char *before, const char *type)
{
    char n[32], m[32];
    struct sl_buf b = {0};
    unsigned long long orderings = (unsigned long long)sl_table_int(t, SL_SEQUENCES_ORDERINGS);
    unsigned long long roots = (unsigned long long)sl_table_int(t, SL_SEQUENCES_ROOTS);

    sl_buf_addf(&b, "%s%sThere %s %s %s of events below %s span%s of type %s", before ? before : "", before ? ": " : "",
                orderings == 1 ? "is" : "are", sl_show_count(orderings, n),
                orderings == 1 ? "ordering" : "different orderings", sl_show_count(roots, m), roots == 1 ? "" : "s",
                type);
    sl_show_words(out, b.s, 0);
    sl_buf_free(&b);
}

static void show_heading(FILE *out, const struct sl_table *t, const char *which)
{
    char c[32];
    unsigned long long count = (unsigned long long)sl_table_int(t, SL_SEQUENCES_COUNT);

    fprintf(out, "%s: %s span%s", which, sl_show_count(count, c), count == 1 ? "" : "s");
    if (!sl_table_int(t, SL_SEQUENCES_POSITION))
        fprintf(out, ", without any event\n");
    else
        fprintf(out, "\n\n%11s  %s\n%11s %9s %9s %9s  %s\n", "", "since the previous event:", "since start", "mean",
                "minimum", "maximum", "span type/event type");
}

static void show_step(FILE *out, const struct sl_table *t)
{
    static const int columns[] = {SL_SEQUENCES_CUMULATIVE_S, SL_SEQUENCES_MEAN_S, SL_SEQUENCES_MIN_S,
                                  SL_SEQUENCES_MAX_S};
    struct sl_buf what = {0}, shown = {0};
    char took[SL_SECONDS_TEXT];

    if (!sl_table_int(t, SL_SEQUENCES_POSITION)) /* stands for no event */
        return;
    for (int i = 0; i < 4; i++)
        fprintf(out, i ? " %9s" : "%11s", sl_seconds_text(sl_table_real(t, columns[i]), took));
    sl_buf_addf(&what, "%s/%s", sl_table_text_or_empty(t, SL_SEQUENCES_SPAN_TYPE),
                sl_table_text_or_empty(t, SL_SEQUENCES_EVENT_TYPE));
    sl_show_end(&shown, what.s, sl_show_room() ? sl_show_room() - NUMBERS : 0);
    fprintf(out, "  %s\n", shown.s);
    sl_buf_free(&what);
    sl_buf_free(&shown);
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
        } else if (name && events && !all && sequence != last) {
            continue;
        }
        if (!last)
            show_totals(out, t, name, root_type);
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
