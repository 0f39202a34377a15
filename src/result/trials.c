/* SPDX-License-Identifier: Apache-2.0 */
#include "result/trials.h"

#include <math.h>

static void put(struct sl_table *t, int column, double d)
{
    sl_table_put_real(t, column, isfinite(d) ? d : NAN);
}

void sl_result_comparison(struct sl_result *r, const struct sl_comparison_row *row)
{
    static const struct sl_column columns[] = {{"verdict", SL_COLUMN_TEXT, NULL, NULL, 0},
                                               {"base", SL_COLUMN_TEXT, NULL, NULL, 0},
                                               {"new", SL_COLUMN_TEXT, NULL, NULL, 0},
                                               {"change", SL_COLUMN_REAL, NULL, NULL, 0},
                                               {"lower", SL_COLUMN_REAL, NULL, NULL, 0},
                                               {"upper", SL_COLUMN_REAL, NULL, NULL, 0},
                                               {"pairs", SL_COLUMN_INTEGER, "pairs", NULL, 0},
                                               {"more_pairs", SL_COLUMN_REAL, "pairs", NULL, 0},
                                               {"base_score", SL_COLUMN_REAL, NULL, NULL, 0},
                                               {"new_score", SL_COLUMN_REAL, NULL, NULL, 0},
                                               {"unit", SL_COLUMN_TEXT, NULL, NULL, 0},
                                               {"base_failed", SL_COLUMN_INTEGER, "runs", NULL, 0},
                                               {"new_failed", SL_COLUMN_INTEGER, "runs", NULL, 0},
                                               {"fail_on", SL_COLUMN_REAL, NULL, NULL, 0},
                                               {"elapsed_s", SL_COLUMN_REAL, "s", NULL, 0}};
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

void sl_result_setting(struct sl_result *r, const struct sl_settings_row *row)
{
    static const struct sl_column columns[] = {
        {"setting", SL_COLUMN_TEXT, NULL, NULL, 0}, {"for", SL_COLUMN_TEXT, NULL, NULL, 0},
        {"score", SL_COLUMN_REAL, NULL, NULL, 0},   {"lower", SL_COLUMN_REAL, NULL, NULL, 0},
        {"upper", SL_COLUMN_REAL, NULL, NULL, 0},   {"runs", SL_COLUMN_INTEGER, "runs", NULL, 0},
        {"chance", SL_COLUMN_REAL, NULL, NULL, 0},  {"narrows", SL_COLUMN_TEXT, NULL, NULL, 0},
        {"before", SL_COLUMN_REAL, NULL, NULL, 0},  {"after", SL_COLUMN_REAL, NULL, NULL, 0},
        {"unit", SL_COLUMN_TEXT, NULL, NULL, 0}};
    struct sl_table *t = sl_result_find(r, "settings");

    t = t ? t : sl_result_table(r, "settings", columns, SL_COLUMNS(columns));
    sl_table_add(t);
    sl_table_put_text(t, SL_SETTINGS_SETTING, row->setting);
    sl_table_put_text(t, SL_SETTINGS_FOR, row->for_what);
    put(t, SL_SETTINGS_SCORE, row->score);
    put(t, SL_SETTINGS_LOWER, row->low);
    put(t, SL_SETTINGS_UPPER, row->high);
    sl_table_put_int(t, SL_SETTINGS_RUNS, (int64_t)row->runs);
    put(t, SL_SETTINGS_CHANCE, row->chance);
    sl_table_put_text(t, SL_SETTINGS_NARROWS, row->narrows);
    put(t, SL_SETTINGS_BEFORE, row->before);
    put(t, SL_SETTINGS_AFTER, row->after);
    sl_table_put_text(t, SL_SETTINGS_UNIT, row->unit);
}

void sl_result_tuned(struct sl_result *r, const struct sl_tuned_row *row)
{
    static const struct sl_column columns[] = {
        {"best", SL_COLUMN_TEXT, NULL, NULL, 0},        {"change", SL_COLUMN_REAL, NULL, NULL, 0},
        {"lower", SL_COLUMN_REAL, NULL, NULL, 0},       {"upper", SL_COLUMN_REAL, NULL, NULL, 0},
        {"pairs", SL_COLUMN_INTEGER, "pairs", NULL, 0}, {"searched", SL_COLUMN_INTEGER, "runs", NULL, 0},
        {"failed", SL_COLUMN_INTEGER, "runs", NULL, 0}, {"budget", SL_COLUMN_INTEGER, "runs", NULL, 0},
        {"is_base", SL_COLUMN_INTEGER, NULL, NULL, 0},  {"unit", SL_COLUMN_TEXT, NULL, NULL, 0}};
    struct sl_table *t = sl_result_table(r, "tuned", columns, SL_COLUMNS(columns));

    sl_table_add(t);
    sl_table_put_text(t, SL_TUNED_BEST, row->best);
    put(t, SL_TUNED_CHANGE, row->change);
    put(t, SL_TUNED_LOWER, row->low);
    put(t, SL_TUNED_UPPER, row->high);
    sl_table_put_int(t, SL_TUNED_PAIRS, (int64_t)row->pairs);
    sl_table_put_int(t, SL_TUNED_SEARCHED, (int64_t)row->searched);
    sl_table_put_int(t, SL_TUNED_FAILED, (int64_t)row->failed);
    sl_table_put_int(t, SL_TUNED_BUDGET, (int64_t)row->budget);
    sl_table_put_int(t, SL_TUNED_IS_BASE, row->is_base);
    sl_table_put_text(t, SL_TUNED_UNIT, row->unit);
}

void sl_result_history(struct sl_result *r, const struct sl_history_row *row)
{
    static const struct sl_column columns[] = {
        {"from", SL_COLUMN_TEXT, NULL, NULL, 0},    {"to", SL_COLUMN_TEXT, NULL, NULL, 0},
        {"subject", SL_COLUMN_TEXT, NULL, NULL, 0}, {"commits", SL_COLUMN_INTEGER, "commits", NULL, 0},
        {"verdict", SL_COLUMN_TEXT, NULL, NULL, 0}, {"change", SL_COLUMN_REAL, NULL, NULL, 0},
        {"lower", SL_COLUMN_REAL, NULL, NULL, 0},   {"upper", SL_COLUMN_REAL, NULL, NULL, 0},
        {"score", SL_COLUMN_REAL, NULL, NULL, 0},   {"rounds", SL_COLUMN_INTEGER, "rounds", NULL, 0},
        {"unit", SL_COLUMN_TEXT, NULL, NULL, 0}};
    struct sl_table *t = sl_result_find(r, "history");

    t = t ? t : sl_result_table(r, "history", columns, SL_COLUMNS(columns));
    sl_table_add(t);
    sl_table_put_text(t, SL_HISTORY_FROM, row->from);
    sl_table_put_text(t, SL_HISTORY_TO, row->to);
    sl_table_put_text(t, SL_HISTORY_SUBJECT, row->subject);
    sl_table_put_int(t, SL_HISTORY_COMMITS, (int64_t)row->commits);
    sl_table_put_text(t, SL_HISTORY_VERDICT, row->verdict);
    put(t, SL_HISTORY_CHANGE, row->change);
    put(t, SL_HISTORY_LOWER, row->low);
    put(t, SL_HISTORY_UPPER, row->high);
    put(t, SL_HISTORY_SCORE, row->score);
    sl_table_put_int(t, SL_HISTORY_ROUNDS, (int64_t)row->rounds);
    sl_table_put_text(t, SL_HISTORY_UNIT, row->unit);
}
