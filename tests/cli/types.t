# SPDX-License-Identifier: Apache-2.0
The types of spans, one a line, so that other tools can use them.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom types
  type                                  spans
  parsl.executor.htex.interchange.task    220
  parsl.executor.htex.manager               1
  parsl.executor.htex.manager.task        220
  parsl.executor.htex.worker                2
  parsl.executor.htex.worker.task         220
  parsl.monitoring.block                    1
  parsl.monitoring.database                 1
  parsl.monitoring.executor                 2
  parsl.monitoring.node                     1
  parsl.monitoring.task                   198
  parsl.monitoring.try                    229
  parsl.monitoring.workflow                 1
  parsl.rundir.block                        1
  parsl.rundir.executor                     2
  parsl.rundir.task                       198
  parsl.rundir.try                        228
  parsl.rundir.workflow                     1
  parsl.submit_script                       1
  $ spanloom types | grep -c executor
  7
  $ spanloom types --events | grep worker
  parsl.executor.htex.manager.task      manager_lost_worker             1      1
  parsl.executor.htex.worker            died                            1      1
  parsl.executor.htex.worker            restarted                       1      1
  parsl.executor.htex.worker            started                         3      2
  parsl.executor.htex.worker.task       worker_all_finished_task      219    219
  parsl.executor.htex.worker.task       worker_completed_task         219    219
  parsl.executor.htex.worker.task       worker_received_task          220    220
  $ spanloom types --format csv | head -3
  type,spans
  parsl.executor.htex.interchange.task,220
  parsl.executor.htex.manager,1
