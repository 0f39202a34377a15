# SPDX-License-Identifier: Apache-2.0
Where the time of a typical task went.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom sequences
  There are 9 different orderings of events below 198 spans of type parsl.monitoring.task
  what several logs tell of one moment is one event (--lens none: as they are)
  Most common: 172 spans
  
               since the previous event:
  since start      mean   minimum   maximum  span type/event type
          0 s       0 s       0 s       0 s  parsl.monitoring.task/invoked
       194 us    194 us     37 us   5.21 ms  parsl.rundir.task/submitted
       275 us     81 us     16 us   4.39 ms  parsl.rundir.task/pending
       308 us     33 us      8 us   1.35 ms  parsl.monitoring.try/pending
       3.76 s    3.76 s   5.54 ms    21.8 s  parsl.task/launched
       12.1 s     8.3 s     52 us    15.4 s  parsl.task/to_worker
       12.2 s    108 ms    405 us    1.55 s  parsl.executor.htex.worker.task/worker_received_task
       12.2 s    602 us    323 us   3.37 ms  parsl.monitoring.try/running
       12.3 s    135 ms   33.1 ms    4.05 s  parsl.task/ran
       12.3 s   1.94 ms    698 us   20.9 ms  parsl.task/ended
  $ spanloom sequences parsl.executor.htex.worker.task
  There are 2 different orderings of events below 220 spans of type parsl.executor.htex.worker.task
  Most common: 219 spans
  
               since the previous event:
  since start      mean   minimum   maximum  span type/event type
          0 s       0 s       0 s       0 s  parsl.executor.htex.worker.task/worker_received_task
       167 ms    167 ms   34.2 ms    4.05 s  parsl.executor.htex.worker.task/worker_completed_task
       168 ms   1.26 ms    113 us   20.2 ms  parsl.executor.htex.worker.task/worker_all_finished_task
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
  starts at 2026-11-20 08:11:36.601362 UTC
  time                         since start      step  component              what, and where it stands
  2026-11-20T08:11:36.601362Z          0 s       0 s  htex worker            parsl.executor.htex.worker.task 1/worker_received_task  block-0/1954f1261cd1/worker_0.log:3
                                                      ...... 4.05 s in parsl.executor.htex.worker.task, after its worker_received_task
  2026-11-20T08:11:40.651775Z       4.05 s    4.05 s  htex worker            parsl.executor.htex.worker.task 1/worker_completed_task  block-0/1954f1261cd1/worker_0.log:7
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
