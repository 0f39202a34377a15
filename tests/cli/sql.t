# SPDX-License-Identifier: Apache-2.0
Questions of one's own.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"

dnpcsql's tables, and its habit of quoting texts with double quotes:

  $ spanloom sql 'SELECT type, count(*) AS n FROM span GROUP BY type HAVING n > 200'
  type                                    n
  parsl.executor.htex.interchange.task  220
  parsl.executor.htex.manager.task      220
  parsl.executor.htex.worker.task       220
  parsl.monitoring.try                  229
  parsl.rundir.try                      228
  $ spanloom sql 'SELECT count(*) AS tasks FROM span WHERE type = "parsl.monitoring.task"'
  tasks
    198

The same for programs:

  $ spanloom sql --format csv "select key, 'a \"quoted\", text' as remark from spans where type = 'parsl.executor.htex.worker' order by key"
  key,remark
  0,"a ""quoted"", text"
  1,"a ""quoted"", text"
  $ spanloom sql --format tsv "select key, null as none, char(9) as tab from spans where type = 'parsl.executor.htex.worker' order by key"
  key\tnone\ttab (esc)
  0\t\t\\t (esc)
  1\t\t\\t (esc)
  $ spanloom sql --format json "select time_ns, time, type, 0.5 as half, null as none from events order by time_ns limit 2"
  [
   {"time_ns":"1795162289116514000", "time":"2026-11-20T08:11:29.116514000Z", "type":"dfk_starting", "half":0.5, "none":null},
   {"time_ns":"1795162289156202000", "time":"2026-11-20T08:11:29.156202000Z", "type":"began", "half":0.5, "none":null}
  ]

From a number back to the log line:

  $ spanloom sql --format csv "
  >   select e.time, s.path, e.place from events e join sources s on s.id = e.source
  >   join spans w on w.id = e.span where w.type = 'parsl.executor.htex.worker.task' and w.key = '1' and e.type = 'worker_received_task'" |
  >   sed "s|$ROOT/||"
  time,path,place
  2026-11-20T08:11:36.601362000Z,examples/parsl-htex/runinfo/000/htex_Local/block-0/1954f1261cd1/worker_0.log,3
  $ sed -n 3p "$ROOT/examples/parsl-htex/runinfo/000/htex_Local/block-0/1954f1261cd1/worker_0.log"
  1795162296.601362 2026-11-20 08:11:36 HTEX-Worker-0-2670 MainThread-140055241691200 parsl.executors.high_throughput.process_worker_pool:778 worker INFO: Received executor task 1

Reading only, unless told otherwise:

  $ spanloom sql "delete from sl_event"
  spanloom: attempt to write a readonly database; to change the store or write files, add --write
  [1]
  $ spanloom sql --write "insert into span (uuid, type) values ('5ba4f2c6-56b5-4c0a-9d3c-0e4bb2e0c7a1', 'my.span')"
  $ spanloom sql "select type, note from span where type = 'my.span'"
  type     note
  my.span      

Without a query it reads queries:

  $ echo "select 6 * 7 as answer;" | spanloom sql
  answer
      42

Mistakes are named:

  $ spanloom sql "select nonsense from span"
  spanloom: no such column: nonsense
  [1]

What can be queried, and its columns; a name that is none gets those near it, which are ours:

  $ spanloom import --quiet -d asked.db "$ROOT/examples/parsl-htex/runinfo/monitoring.db"
  $ spanloom sql -d asked.db .tables | sed '/^functions/,$d'
  views:
    attributes doubts event events facet htex_manager htex_task htex_worker links
    parsl_block parsl_executor parsl_node parsl_task parsl_try parsl_workflow raw
    rejects samples sources span spans subspan workqueue_task workqueue_worker
    zones
  spans of one type, with their events and attributes:
    parsl_monitoring_block parsl_monitoring_database parsl_monitoring_executor
    parsl_monitoring_node parsl_monitoring_task parsl_monitoring_try
    parsl_monitoring_workflow
  $ spanloom sql -d asked.db .tables | sed -n '/^functions/,$p' | grep -ow 'functions that.*\|event_rate\|what_if\|json_each\|fts.*'
  functions that yield tables:
  event_rate
  what_if
  $ spanloom sql -d asked.db --run 3d9 .tables | sed -n '/^of --run/,/^f/p' | grep -ow 'path\|run\|task' | sort -u
  path
  run
  task
  $ spanloom sql -d asked.db .schema | grep -A1 '^  \(spans\|event_rate\|parsl_monitoring_node\):'
    spans: id, type, key, parent, source, note
    subspan: superspan_uuid, subspan_uuid, key, note
  --
    parsl_monitoring_node: id, key, run_id, manager, first, last, seconds,
      active, inactive, hostname, cpu_count, total_memory, worker_count, python_v,
  --
    event_rate: time_ns, events, per_s
    event_sequences: sequence, count, position, span_type, event_type, mean_s,
  $ spanloom sql -d asked.db .schema --format csv | grep ',spans,'
  view,spans,id
  view,spans,type
  view,spans,key
  view,spans,parent
  view,spans,source
  view,spans,note
  $ spanloom sql -d asked.db .tables --format csv | grep ',e' | head -5
  view,event
  view,events
  function,event_rate
  function,event_sequences
  function,experiment_about
  $ spanloom sql -d asked.db '.schema evnts'
  spanloom: no such table: evnts; did you mean 'events', 'two_events' or 'lens_events'?
  [1]
  $ spanloom sql -d asked.db 'select * from tsk'
  spanloom: no such table: tsk; did you mean 'htex_task', 'parsl_task' or 'workqueue_task'?
  [1]
  $ spanloom sql -d asked.db 'select exec_done from parsl_task'
  spanloom: no such column: exec_done; it is a column of parsl_try, parsl_monitoring_try
  [1]
  $ spanloom sql -d asked.db 'select * from fts'
  spanloom: no such table: fts
  [1]
