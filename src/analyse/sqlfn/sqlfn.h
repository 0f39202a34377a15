/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The SQL functions, each in the file of its name.  A table function is a struct sl_table_fn (table.h), sl_fn_NAME;
 * others are registered by a function of that name, which gives an SQLite result code.
 */
#ifndef SL_ANALYSE_SQLFN_SQLFN_H
#define SL_ANALYSE_SQLFN_SQLFN_H

#include "analyse/sqlfn/table_function.h"

#include <sqlite3.h>

/* clang-format off */
#define SL_TABLE_FNS(FN) \
    FN(async_profile) \
    FN(call_profile) \
    FN(call_times) \
    FN(call_tree) \
    FN(clock_skew) \
    FN(critical_path) \
    FN(descendants) \
    FN(event_rate) \
    FN(event_sequences) \
    FN(functions) \
    FN(lens_events) \
    FN(node_metrics) \
    FN(node_samples) \
    FN(node_usage) \
    FN(occupancy) \
    FN(slack) \
    FN(span_groups) \
    FN(task_flow) \
    FN(task_graph) \
    FN(task_metrics) \
    FN(task_states) \
    FN(task_times) \
    FN(task_tries) \
    FN(transitions) \
    FN(two_events) \
    FN(utilisation) \
    FN(what_helps) \
    FN(what_if) \
    FN(worker_runs)
/* clang-format on */
#define SL_TABLE_FN(name) extern const struct sl_table_fn sl_fn_##name;
SL_TABLE_FNS(SL_TABLE_FN)
#undef SL_TABLE_FN

/* The i-th of them; NULL: there are no more. */
const struct sl_table_fn *sl_table_fn_at(size_t i);

int sl_fn_experiment(sqlite3 *db); /* all of experiment_*(): experiment/sqlfn.c, which is above, defines it */
int sl_fn_kde2d(sqlite3 *db);
int sl_fn_ols(sqlite3 *db);
int sl_fn_seconds_text(sqlite3 *db);
int sl_fn_spark(sqlite3 *db);
int sl_fn_stats(sqlite3 *db);

#endif
