# SPDX-License-Identifier: Apache-2.0
What made a run as long as it was.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom critical-path --by component | sed -n '2,9p'
  its critical path goes through 2 of 198 tasks
  
       time   share           parts  component
     17.9 s  56.9 %  \xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x8c        9  htex interchange (esc)
     9.31 s  29.6 %  \xe2\x96\x88\xe2\x96\x88\xe2\x96\x8d          6  htex worker (esc)
     4.04 s  12.9 %  \xe2\x96\x88            4  driver (esc)
     154 ms   0.5 %  \xe2\x96\x8f            9  parsl (esc)
    28.7 ms   0.1 %  \xe2\x96\x8f            8  htex manager (esc)
  $ spanloom critical-path --by task | sed -n '4,7p'
       time   share           parts  task
     15.6 s  49.8 %  \xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88        10  task 166 (memo) (esc)
     11.7 s  37.3 %  \xe2\x96\x88\xe2\x96\x88\xe2\x96\x88         22  task 170 (slow_with_walltime) (esc)
     4.04 s  12.9 %  \xe2\x96\x88            4  driver (esc)
  $ spanloom critical-path | grep queues:
  (17.9 s of it in queues: spanloom why tells what workers did meanwhile)
  $ spanloom critical-path --by state | sed -n '5p'
     15.4 s  49.0 %  \xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x89         1  htex interchange, in the interchange's queue (esc)

For programs, one row for each part, each from where the last one ended:

  $ spanloom critical-path --format csv > path.csv
  $ head -3 path.csv
  start,end,seconds,task,component,state,span,app,lost
  2026-11-20T08:11:29.116514000Z,2026-11-20T08:11:31.227329000Z,2.110815,,driver,before the first task,1,,0
  2026-11-20T08:11:31.227329000Z,2026-11-20T08:11:31.277061000Z,0.049732,,driver,between submissions,1,,0
  $ tail -1 path.csv
  2026-11-20T08:11:58.645071000Z,2026-11-20T08:12:00.522712000Z,1.877641,,driver,after the last task,1,,0
  $ awk -F, 'NR > 2 && $1 != end {print "a gap before", $0} {end = $2; if (NR > 1) n += $3} END {printf "%.6f\n", n}' path.csv
  31.406198
  $ spanloom sql --format tsv "SELECT (max(time_ns) - min(time_ns)) / 1e9 AS s FROM spans w JOIN descendants(w.id) d JOIN events e ON e.span = d.span WHERE w.type = 'parsl.rundir.workflow'"
  s
  31.406198
  $ spanloom critical-path --format tsv | head -2 | tr '\t' '|'
  start|end|seconds|task|component|state|span|app|lost
  2026-11-20T08:11:29.116514000Z|2026-11-20T08:11:31.227329000Z|2.110815||driver|before the first task|1||0
  $ spanloom critical-path --format json | python3 -c 'import json, sys; print(*json.load(sys.stdin)[0])'
  start end seconds task component state span app lost

Slack:

  $ spanloom critical-path --slack --format csv | head -3
  task,slack_s,path_s,first,done,span,app
  166,0.0,15.640505,2026-11-20T08:11:31.277061000Z,2026-11-20T08:11:46.917566000Z,184,memo
  170,0.0,11.725022,2026-11-20T08:11:46.920049000Z,2026-11-20T08:11:58.645071000Z,333,slow_with_walltime
  $ spanloom critical-path --slack --format csv | wc -l
  199

Which one:

  $ spanloom critical-path --run 3d9e | head -1
  parsl-htex (wf_mixed) took 31.4 s, 2026-11-20 08:11:29 to 08:12:00 UTC
  $ spanloom critical-path --run 000 | head -1 | cut -d' ' -f 1-5
  parsl-htex (wf_mixed) took 31.4 s,
  $ spanloom critical-path task 42 | head -2
  parsl.monitoring.task 42 (sleeper) of parsl.monitoring.workflow 3d9e0d70-39a8-4383-9c87-0c3e06c8c255 took 9.5 s, 2026-11-20 08:11:31 to 08:11:40 UTC
  its critical path goes through 1 of 1 task
  $ spanloom critical-path --format csv task 42 | head -3 | cut -d, -f 3-6
  seconds,task,component,state
  6.8e-05,42,parsl,being submitted
  0.052723,42,parsl,waiting for dependencies or its launch
  $ spanloom critical-path --correct-skew --format csv | cmp - path.csv
  spanloom: the clocks of 0 of 5 sources were corrected; see: spanloom skew
  $ spanloom critical-path task 999
  spanloom: no span is called task 999; there are 0 to 197; see what there is with: spanloom types -d spanloom.db
  [1]
  $ spanloom critical-path task
  spanloom: no run is called task; see them with: spanloom runs -d spanloom.db; another span has a type and a key, such as: task 42
  [1]
  $ spanloom critical-path --run zzz
  spanloom: no run is called zzz; see them with: spanloom runs -d spanloom.db
  [1]
  $ spanloom critical-path --by bad
  spanloom: --by is state, component, task, app, executor, node, worker or type, not 'bad'
  try: spanloom critical-path --help
  [2]
  $ spanloom critical-path --nonsense
  spanloom: unknown option --nonsense
  try: spanloom critical-path --help
  [2]
  $ spanloom critical-path -d none.db
  spanloom: no store none.db; make one with: spanloom import PATH... -d none.db
  [1]

Several workflows in a store, or none:

  $ spanloom import --quiet -d two.db "$ROOT/tests/data/workqueue-two"
  $ spanloom critical-path -d two.db
  workqueue-two took 34.4 s, 2026-11-20 13:08:28 to 13:09:02 UTC
  its critical path goes through 2 of 60 tasks
  
       time   share           parts  component, state
     27.3 s  79.2 %  \xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x8d      2  workqueue, in the queue of Work Queue (esc)
     2.95 s   8.6 %  \xe2\x96\x8b            2  workqueue worker, running on a worker (esc)
     1.82 s   5.3 %  \xe2\x96\x8d            2  workqueue executor, in the executor's queue (esc)
     1.36 s   3.9 %  \xe2\x96\x8d            1  driver, before the first task (esc)
        1 s   2.9 %  \xe2\x96\x8e            1  driver, after the last task (esc)
      25 ms   0.1 %  \xe2\x96\x8f            2  parsl, being submitted (esc)
     3.2 ms   0.0 %  \xe2\x96\x8f            1  driver, between submissions (esc)
  
  since start      time  task       component, state
          0 s    1.36 s             driver, before the first task
       1.36 s    3.2 ms             driver, between submissions
       1.36 s   24.6 ms  10 (tiny)  parsl, being submitted
       1.39 s       1 s  10 (tiny)  workqueue executor, in the executor's queue
       2.39 s    24.9 s  10 (tiny)  workqueue, in the queue of Work Queue
       27.3 s    2.14 s  10 (tiny)  workqueue worker, running on a worker
       29.4 s    362 us  11 (add)   parsl, being submitted
       29.4 s    822 ms  11 (add)   workqueue executor, in the executor's queue
       30.2 s    2.39 s  11 (add)   workqueue, in the queue of Work Queue
       32.6 s    812 ms  11 (add)   workqueue worker, running on a worker
       33.4 s       1 s             driver, after the last task
  $ spanloom import --quiet -d many.db "$ROOT/tests/data/parsl-2026-threads" "$ROOT/tests/data/parsl-2026-lost"
  $ spanloom critical-path -d many.db
  spanloom: there are 2 runs; say which with --run:
    parsl-2026-lost
    parsl-2026-threads
  [1]
  $ spanloom critical-path -d two.db --run 000 | head -1 | cut -d' ' -f 1-5
  workqueue-two took 34.4 s, 2026-11-20
  $ spanloom critical-path -d two.db --run 5fab53c6-a8bc-4fc3-b1d5-6669d002ad50 2>&1 | head -1 | cut -d' ' -f 1-5
  workqueue-two took 34.4 s, 2026-11-20
  $ spanloom critical-path -d two.db span 190 | head -1 | cut -d' ' -f 1-5
  workqueue.manager 5fab53c6-a8bc-4fc3-b1d5-6669d002ad50/wq_b took 33.1 s,
  $ spanloom sql --write -d two.db "DELETE FROM sl_span WHERE type IN (SELECT id FROM sl_name WHERE name IN ('parsl.rundir.workflow', 'workqueue.manager'))"
  $ spanloom critical-path -d two.db
  spanloom: two.db holds no workflow; say what to look at, such as: spanloom critical-path span 1, or another span, see: spanloom types -d two.db
  [1]
  $ spanloom plot tasks -d two.db -o x.json
  spanloom: two.db holds no workflow; say what to look at, such as: spanloom plot tasks span 1, or another span, see: spanloom types -d two.db
  [1]
  $ spanloom what-if 'running x0.5' -d two.db
  spanloom: two.db holds no workflow; see what it holds with: spanloom types -d two.db
  [1]

One argument too many is not taken for a condition:

  $ spanloom sql "SELECT count(*) FROM critical_path(1, 2)"
  spanloom: critical_path takes at most 1 argument, such as critical_path(1), with the id of a workflow's span (and hidden columns of its result are not compared by =)
  [1]

Inside of a task, traced functions have their part, by name:

  $ spanloom import --quiet -d traced.db "$ROOT/tests/data/parsl-2026-traced"
  $ spanloom critical-path -d traced.db --format tsv | cut -f 3- | grep program
  5.37e-05\t6\tprogram\tin app_3\t50\tinside\t0 (esc)
  0.020111\t6\tprogram\tin work\t51\tinside\t0 (esc)
  0.000104\t6\tprogram\tin app_3\t50\tinside\t0 (esc)
