# SPDX-License-Identifier: Apache-2.0
How many spans were in which state.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom states
  198 spans of type parsl.monitoring.task
  2026-11-20 08:11:31 to 08:11:59 UTC; a column is 1 s, full at its row's most
  
  state                                                 at most ended in mean time
  parsl.rundir.try/launched                                 113        0    7.86 s  ▆███████▇▇▇▆▅▅▄▃▃▃▃▂▂▁▁ ▁
  parsl.monitoring.try/pending                               47        0    3.62 s  █████████▇▇▆▆▅▅▅▅▃▃▃▃▂▁ ▁
  parsl.executor.htex.interchange.task/interchange_put     16.3        0    804 ms  ▃▄▄▄▄▄▄▃▃▃▃▃▃▄▅▅█▆▆▅▂▁▁ ▁
  parsl.executor.htex.manager.task/manager_got_task        2.25        0   83.9 ms      ██▂▂▁▃▄▄▄▄▃▃▃▄▇▃▃▂▁ ▁
  parsl.monitoring.try/running                             1.98        0    186 ms       ▃████████████▆███▅▅▅▅▅▃
  parsl.monitoring.try/joining                                4        0    113 ms                 ▁█████▅
  parsl.monitoring.try/exec_done                            180      180       0 s       ▁▁▁▁▂▂▂▃▃▄▅▆▆▆▇▇███████
  parsl.monitoring.try/memo_done                              1        1       0 s                 ▁████████████
  parsl.monitoring.try/failed                              12.4       13       0 s                      ▂▇██████
  parsl.monitoring.try/dep_fail                               4        4       0 s                      ▁▇██████
  and 23 more, in none of them more than 0.75 at a time; --format csv has all
  $ spanloom states --bin 5 parsl.executor.htex.worker.task
  220 spans of type parsl.executor.htex.worker.task
  2026-11-20 08:11:35 to 08:12:00 UTC; a column is 5 s, full at its row's most
  
  state                                                     at most ended in mean time
  parsl.executor.htex.worker.task/worker_received_task         2.59        1    166 ms  ▅▇▇█▆
  parsl.executor.htex.worker.task/worker_all_finished_task      218      219       0 s  ▁▂▅██
  and 1 more, in none of them more than 0.018 at a time; --format csv has all
  $ spanloom states --run 000 --ignore 'parsl.monitoring.*' --ignore '*.rundir.*' --bin 2
  189 spans of type parsl.monitoring.task
  2026-11-20 08:11:30 to 08:12:00 UTC; a column is 2 s, full at its row's most
  
  state                                                           at most ended in mean time
  parsl.executor.htex.interchange.task/interchange_put                120        0    9.07 s  ▃████▇▆▅▃▃▂▁▁
  parsl.executor.htex.interchange.task/interchange_to_manager       0.725        0   21.6 ms    ▁▄█▃▁▃▃▁▃▁▁
  parsl.executor.htex.manager.task/manager_got_task                  1.39        0   88.3 ms    ▆█▂▅▆▅▅█▅▂▁
  parsl.executor.htex.worker.task/worker_received_task               1.99        0    197 ms     ▆█████▇█▇▅▅▂
  parsl.executor.htex.worker.task/worker_all_finished_task             90       90   1.02 ms     ▁▁▂▃▄▅▆▇████
  parsl.executor.htex.interchange.task/interchange_removing_task     98.7       99   1.25 ms     ▁▁▂▃▃▅▆▇████
  and 2 more, in none of them more than 0.016 at a time; --format csv has all
  $ spanloom states --format csv | head -4
  time_ns,span_type,event_type,spans,ended
  1795162291227329000,parsl.monitoring.task,invoked,1,0
  1795162291227451000,parsl.monitoring.task,invoked,0,0
  1795162291227451000,parsl.rundir.task,submitted,1,0
  $ spanloom states --bin 10 --format tsv worker.task
  time_ns\tspan_type\tevent_type\tspans\tended (esc)
  1795162290000000000\tparsl.executor.htex.worker.task\tworker_all_finished_task\t4.1576563\t4.1576563 (esc)
  1795162290000000000\tparsl.executor.htex.worker.task\tworker_completed_task\t0.0021579\t0.0 (esc)
  1795162290000000000\tparsl.executor.htex.worker.task\tworker_received_task\t0.6632175\t0.0 (esc)
  1795162300000000000\tparsl.executor.htex.worker.task\tworker_all_finished_task\t88.765989\t88.765989 (esc)
  1795162300000000000\tparsl.executor.htex.worker.task\tworker_completed_task\t0.017096\t0.0 (esc)
  1795162300000000000\tparsl.executor.htex.worker.task\tworker_received_task\t1.978157\t0.1527684 (esc)
  1795162310000000000\tparsl.executor.htex.worker.task\tworker_all_finished_task\t207.8248198\t207.8248198 (esc)
  1795162310000000000\tparsl.executor.htex.worker.task\tworker_completed_task\t0.008409\t0.0 (esc)
  1795162310000000000\tparsl.executor.htex.worker.task\tworker_received_task\t2.157772\t1.0 (esc)

Any query:

  $ spanloom states --sql "SELECT time_ns, event_type AS state, spans FROM occupancy('parsl.executor.htex.worker.task', 2)"
  3 states
  2026-11-20 08:11:36 to 08:11:58 UTC; full at its row's most
  
  state                     at most
  worker_received_task         2.96  ▄▆▆▆▆▆▆█▇▆▆▄
  worker_all_finished_task      219  ▁▁▂▂▃▅▆▇████
  and 1 more, in none of them more than 0.031 at a time; --format csv has all

Mistakes:

  $ spanloom states --bin 0
  spanloom: --bin needs seconds, such as 60 or 0.5, not '0'
  try: spanloom states --help
  [2]
  $ spanloom states --bin 0.001
  spanloom: there are more than 120 different times, too many for a table; use longer bins, or --format csv
  try: spanloom states --help
  [2]
  $ spanloom states --sql "SELECT 1 AS time_ns, 'a' AS state"
  spanloom: --sql: the query has no column spans; it needs: time_ns, state, spans
  try: spanloom states --help
  [2]
  $ spanloom states no.such.type
  spanloom: no span has the type no.such.type; see what there is with: spanloom types -d spanloom.db
  [1]
  $ spanloom states a b
  spanloom: states takes one type of spans, or --sql; 'b' is one too many
  try: spanloom states --help
  [2]
