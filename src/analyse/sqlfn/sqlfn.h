/* SPDX-License-Identifier: Apache-2.0 */
/* The SQL functions, each registered by one function of the file of its name.  All give an SQLite result code. */
#ifndef SL_ANALYSE_SQLFN_SQLFN_H
#define SL_ANALYSE_SQLFN_SQLFN_H

#include <sqlite3.h>

int sl_fn_call_profile(sqlite3 *db);
int sl_fn_async_profile(sqlite3 *db);
int sl_fn_call_times(sqlite3 *db);
int sl_fn_call_tree(sqlite3 *db);
int sl_fn_clock_skew(sqlite3 *db);
int sl_fn_critical_path(sqlite3 *db);
int sl_fn_descendants(sqlite3 *db);
int sl_fn_event_rate(sqlite3 *db);
int sl_fn_event_sequences(sqlite3 *db);
int sl_fn_experiment(sqlite3 *db); /* all of experiment_*(): experiment/sqlfn.c, which is above, defines it */
int sl_fn_kde2d(sqlite3 *db);
int sl_fn_lens_events(sqlite3 *db);
int sl_fn_metrics(sqlite3 *db);
int sl_fn_node_usage(sqlite3 *db);
int sl_fn_occupancy(sqlite3 *db);
int sl_fn_ols(sqlite3 *db);
int sl_fn_seconds_text(sqlite3 *db);
int sl_fn_slack(sqlite3 *db);
int sl_fn_task_times(sqlite3 *db);
int sl_fn_task_flow(sqlite3 *db);
int sl_fn_task_states(sqlite3 *db);
int sl_fn_task_tries(sqlite3 *db);
int sl_fn_span_groups(sqlite3 *db);
int sl_fn_spark(sqlite3 *db);
int sl_fn_stats(sqlite3 *db);
int sl_fn_task_graph(sqlite3 *db);
int sl_fn_transitions(sqlite3 *db);
int sl_fn_two_events(sqlite3 *db);
int sl_fn_utilisation(sqlite3 *db);
int sl_fn_what_helps(sqlite3 *db);
int sl_fn_what_if(sqlite3 *db);
int sl_fn_worker_runs(sqlite3 *db);

#endif
