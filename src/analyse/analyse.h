/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The analysis library: SQL functions and table functions over a store, the same inside the program and as the loadable
 * extension spanloom.so.  To add a table function: sqlfn/NAME.c, its line in sqlfn/sqlfn.h and ext.c, and in
 * meson.build.
 *
 *   call_profile()              part, name, calls, inclusive_s, exclusive_s, ...         sqlfn/call_profile.c
 *   call_tree()                 node, parent, depth, path, and the same                  sqlfn/call_tree.c
 *   descendants(root)           span, depth                                              sqlfn/descendants.c
 *   event_sequences(root_type)  sequence, count, position, span_type, event_type, ...    sqlfn/event_sequences.c
 *   lens_events(root)           time_ns, span, span_type, event_type, source, ...        sqlfn/lens_events.c
 *   transitions(root_type)      span, position, from_type, from_event, to_type, ...      sqlfn/transitions.c
 *   two_events(start, end)      span, start_ns, end_ns, duration_s, starts, ends         sqlfn/two_events.c
 *   occupancy(root_type)        time_ns, span_type, event_type, spans, ended             sqlfn/occupancy.c
 *   event_rate(event, bin_s)    time_ns, events, per_s                                   sqlfn/event_rate.c
 *   utilisation(type, bin_s)    time_ns, workers, busy, running, utilisation             sqlfn/utilisation.c
 */
#ifndef SL_ANALYSE_ANALYSE_H
#define SL_ANALYSE_ANALYSE_H

#include <sqlite3.h>

/* Makes all of it known to db, which need not be a store yet.  An SQLite result code. */
int sl_analyse_register(sqlite3 *db);

#endif
