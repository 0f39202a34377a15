# SPDX-License-Identifier: Apache-2.0
Where the time of a typical task went.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom sequences
  There are 43 different orderings of events below 198 spans of type parsl.monitoring.task
  Most common: 45 spans
  
   cumulative mean             mean          minimum          maximum  span type/event type (seconds since the previous event)
       0.000000000      0.000000000      0.000000000      0.000000000  parsl.monitoring.task/invoked
       0.000230222      0.000230222      0.000038000      0.002171000  parsl.rundir.task/submitted
       0.000359022      0.000128800      0.000017000      0.004387000  parsl.rundir.task/pending
       0.000382200      0.000023178      0.000008000      0.000317000  parsl.monitoring.try/pending
       2.255790511      2.255408311      0.005542000     16.729900000  parsl.executor.htex.interchange.task/interchange_put
       2.256078822      0.000288311      0.000017000      0.003311000  parsl.rundir.task/launched
       2.256099711      0.000020889      0.000011000      0.000132000  parsl.monitoring.try/launched
       2.256157844      0.000058133      0.000009000      0.001659000  parsl.rundir.try/launched
      11.302128356      9.045970511      1.416774000     15.390292000  parsl.executor.htex.interchange.task/interchange_to_manager
      11.302831578      0.000703222      0.000117000      0.003782000  parsl.executor.htex.manager.task/manager_got_task
      11.477930111      0.175098533      0.003776000      1.550473000  parsl.executor.htex.worker.task/worker_received_task
      11.478459667      0.000529556      0.000346000      0.002270000  parsl.monitoring.try/running
      11.573603578      0.095143911      0.034441000      0.248880000  parsl.monitoring.try/running_ended
      11.575179267      0.001575689      0.000535000      0.005190000  parsl.executor.htex.worker.task/worker_completed_task
      11.575740133      0.000560867      0.000272000      0.002392000  parsl.executor.htex.interchange.task/interchange_removing_task
      11.576426956      0.000686822      0.000266000      0.003705000  parsl.monitoring.task/returned
      11.576446222      0.000019267      0.000012000      0.000053000  parsl.rundir.task/exec_done
      11.576471933      0.000025711      0.000020000      0.000046000  parsl.monitoring.try/exec_done
      11.577234733      0.000762800      0.000040000      0.004826000  parsl.executor.htex.worker.task/worker_all_finished_task
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
  There are 43 different orderings of events below 198 spans of type parsl.monitoring.task
  Most common: 45 spans
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
  There are 4 different orderings of events below 7 spans of type parsl.rundir.task
  $ spanloom sequences -d traced.db --ignore 'trace.*' | head -1
  There are 3 different orderings of events below 7 spans of type parsl.rundir.task
  $ spanloom sequences -d traced.db --ignore 'trace.*' --all --format csv | grep -c trace
  0
  [1]
