/* SPDX-License-Identifier: Apache-2.0 */
/* How much is explained, how sure that is, and what lies beside the model. */
#include "show/experiment_internal.h"

static const char *of_what(const struct sl_experiment_look *look)
{
    return look->log ? "the logarithm of scores" : "scores";
}

void sl_show_variance(FILE *out, const struct sl_result *r, const struct sl_experiment_look *look)
{
    enum { WIDE = 12 };
    struct sl_table *t = sl_result_find(r, "variance");
    double most = sl_show_most(t, SL_VARIANCE_SHARE);
    char what[200], a[2 * NUMBER], bar[4 * WIDE + 4];
    struct marks marks = {0};

    snprintf(what, sizeof what, "how much of the variance of %s each factor explains", of_what(look));
    put_head_in(out, r, what, "percent");
    fprintf(out, "%-*s %6s  %-12s  %6s %6s %7s\n", NAME, "factor", "share", "95 % interval", "alone", "last", "p");
    while (sl_table_next(t, NULL) > 0) {
        snprintf(a, sizeof a, "%.1f to %.1f", 100 * real(t, SL_VARIANCE_LOWER), 100 * real(t, SL_VARIANCE_UPPER));
        fprintf(out, "%-*s %6.1f  %-12s  ", NAME, sl_table_text_or_empty(t, SL_VARIANCE_FACTOR),
                100 * real(t, SL_VARIANCE_SHARE), a);
        fprintf(out, "%6.1f %6.1f %7s%-3s %s\n", 100 * real(t, SL_VARIANCE_ALONE), 100 * real(t, SL_VARIANCE_LAST),
                p_text(real(t, SL_VARIANCE_P), a),
                count_mark(&marks, real(t, SL_VARIANCE_P_HOLM), real(t, SL_VARIANCE_P_BH)),
                sl_show_bar(real(t, SL_VARIANCE_SHARE) / most, WIDE, bar));
    }
    sl_table_rewind(t);
    sl_table_next(t, NULL);
    fprintf(out, "%-*s %6.1f\n\n", NAME, "together", 100 * real(t, SL_VARIANCE_R_SQUARED));
    put_marks(out, &marks);
    fprintf(out,
            "share: what it adds to R2, on average over %s orders of factors (LMG);\n"
            "alone: as the only one; last: beside all others, which is what p is about.\n"
            "What does nothing gets %.1f by chance.\n",
            sl_table_int(t, SL_VARIANCE_EXACT) ? "all" : "2,000 random", 100 * real(t, SL_VARIANCE_BY_CHANCE));
}
