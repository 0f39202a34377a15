# SPDX-License-Identifier: Apache-2.0
Where the time of a typical task went.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom sequences
  There are 9 different orderings of events below 198 spans of type parsl.monitoring.task
  what several logs tell of one moment is one event (--lens none: as they are)
  Most common: 172 spans
  
   cumulative mean             mean          minimum          maximum  span type/event type (seconds since the previous event)
       0.000000000      0.000000000      0.000000000      0.000000000  parsl.monitoring.task/invoked
       0.000193651      0.000193651      0.000037000      0.005208000  parsl.rundir.task/submitted
       0.000274773      0.000081122      0.000016000      0.004387000  parsl.rundir.task/pending
       0.000307640      0.000032866      0.000008000      0.001351000  parsl.monitoring.try/pending
       3.760887099      3.760579459      0.005542000     21.774946000  parsl.task/launched
      12.061765029      8.300877930      0.000052000     15.390366000  parsl.task/to_worker
      12.169670326      0.107905297      0.000405000      1.554255000  parsl.executor.htex.worker.task/worker_received_task
      12.170272424      0.000602099      0.000323000      0.003371000  parsl.monitoring.try/running
      12.305632564      0.135360140      0.033126000      4.048718000  parsl.monitoring.try/running_ended
      12.306939756      0.001307192      0.000535000      0.008323000  parsl.executor.htex.worker.task/worker_completed_task
      12.307567669      0.000627913      0.000113000      0.020127000  parsl.task/ended
  $ spanloom sequences parsl.executor.htex.worker.task
  There are 2 different orderings of events below 220 spans of type parsl.executor.htex.worker.task
  Most common: 219 spans
  
   cumulative mean             mean          minimum          maximum  span type/event type (seconds since the previous event)
       0.000000000      0.000000000      0.000000000      0.000000000  parsl.executor.htex.worker.task/worker_received_task
       0.166501283      0.166501283      0.034158000      4.050413000  parsl.executor.htex.worker.task/worker_completed_task
       0.167764429      0.001263146      0.000113000      0.020175000  parsl.executor.htex.worker.task/worker_all_finished_task
  $ spanloom sequences --all --format csv parsl.monitoring.try | cut -d, -f1,2 | sort -un | head -5
  sequence,count
  1,48
  2,46
  3,15
  4,11
  $ spanloom sequences --run 000 | head -2
  There are 9 different orderings of events below 198 spans of type parsl.monitoring.task
  what several logs tell of one moment is one event (--lens none: as they are)
  $ spanloom sequences --run 001
  spanloom: no run is called 001; see them with: spanloom runs -d spanloom.db
  [1]
  $ spanloom sequences no.such.type
  spanloom: no span has the type no.such.type; see what there is with: spanloom types -d spanloom.db
  [1]

And of every task, one after another:

  $ spanloom events parsl.executor.htex.worker.task | head -6 | sed "s/ of .*//"
  parsl.executor.htex.worker.task 1
  time                              since start since previous  component              what, and where it stands
  2026-11-20T08:11:36.601362000Z       0.000000       0.000000  htex worker            parsl.executor.htex.worker.task 1/worker_received_task  block-0/1954f1261cd1/worker_0.log:3
                                                                ...... 4.05 s in parsl.executor.htex.worker.task, after its worker_received_task
  2026-11-20T08:11:40.651775000Z       4.050413       4.050413  htex worker            parsl.executor.htex.worker.task 1/worker_completed_task  block-0/1954f1261cd1/worker_0.log:7
  2026-11-20T08:11:40.652188000Z       4.050826       0.000413  htex worker            parsl.executor.htex.worker.task 1/worker_all_finished_task  block-0/1954f1261cd1/worker_0.log:8
  $ spanloom events --format csv | wc -l
  4226

Traced programs make each task's order its own; the lens looks through them:

  $ spanloom import --quiet -d traced.db "$ROOT/tests/data/parsl-2026-traced/runinfo"
  $ spanloom sequences -d traced.db | head -1
  There are 2 different orderings of events below 7 spans of type parsl.rundir.task
  $ spanloom sequences -d traced.db --ignore 'trace.*' | head -1
  There is 1 ordering of events below 7 spans of type parsl.rundir.task
  $ spanloom sequences -d traced.db --ignore 'trace.*' --all --format csv | grep -c trace
  0
  [1]
