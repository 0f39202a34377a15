/* SPDX-License-Identifier: Apache-2.0 */
#include "result/trials.h"

#include <math.h>

static void put(struct sl_table *t, int column, double d)
{
    sl_table_put_real(t, column, isfinite(d) ? d : NAN);
}

void sl_result_comparison(struct sl_result *r, const struct sl_comparison_row *row)
{
    static const struct sl_column columns[] = {{"verdict", SL_COLUMN_TEXT, NULL},
                                               {"base", SL_COLUMN_TEXT, NULL},
                                               {"new", SL_COLUMN_TEXT, NULL},
                                               {"change", SL_COLUMN_REAL, NULL},
                                               {"lower", SL_COLUMN_REAL, NULL},
                                               {"upper", SL_COLUMN_REAL, NULL},
                                               {"pairs", SL_COLUMN_INTEGER, "pairs"},
                                               {"more_pairs", SL_COLUMN_REAL, "pairs"},
                                               {"base_score", SL_COLUMN_REAL, NULL},
                                               {"new_score", SL_COLUMN_REAL, NULL},
                                               {"unit", SL_COLUMN_TEXT, NULL},
                                               {"base_failed", SL_COLUMN_INTEGER, "runs"},
                                               {"new_failed", SL_COLUMN_INTEGER, "runs"},
                                               {"fail_on", SL_COLUMN_REAL, NULL},
                                               {"elapsed_s", SL_COLUMN_REAL, "s"}};
    struct sl_table *t = sl_result_table(r, "comparison", columns, SL_COLUMNS(columns));
    const struct sl_compared *is = row->is;

    sl_table_add(t);
    sl_table_put_text(t, SL_COMPARISON_VERDICT, sl_compare_verdicts[is->verdict]);
    sl_table_put_text(t, SL_COMPARISON_BASE, row->base);
    sl_table_put_text(t, SL_COMPARISON_NEW, row->new);
    put(t, SL_COMPARISON_CHANGE, is->worse);
    put(t, SL_COMPARISON_LOWER, is->low);
    put(t, SL_COMPARISON_UPPER, is->high);
    sl_table_put_int(t, SL_COMPARISON_N, (int64_t)is->pairs);
    if (is->verdict == SL_COMPARE_UNKNOWN)
        put(t, SL_COMPARISON_MORE, is->more);
    put(t, SL_COMPARISON_BASE_SCORE, is->base);
    put(t, SL_COMPARISON_NEW_SCORE, is->new);
    sl_table_put_text(t, SL_COMPARISON_UNIT, row->unit);
    sl_table_put_int(t, SL_COMPARISON_BASE_FAILED, (int64_t)row->base_failed);
    sl_table_put_int(t, SL_COMPARISON_NEW_FAILED, (int64_t)row->new_failed);
    put(t, SL_COMPARISON_FAIL_ON, row->fail_on);
    put(t, SL_COMPARISON_ELAPSED, row->elapsed_s);
}
