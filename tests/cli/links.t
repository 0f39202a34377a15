# SPDX-License-Identifier: Apache-2.0
What rules have linked, and where they are in doubt.

The end of parsl.log is lost:

  $ cp -r "$ROOT/tests/data/workqueue-gaps/runinfo" . && chmod -R u+w runinfo
  $ head -c 35000 "$ROOT/tests/data/workqueue-gaps/runinfo/000/parsl.log" > runinfo/000/parsl.log
  $ spanloom import --quiet runinfo
  $ spanloom links
  left_type                                kind   right_type                               rule                       links  doubtful  confidence
  parsl.rundir.task                        after  parsl.rundir.task                        parsl.log:135                 14         0         1.0
  parsl.executors.workqueue.executor_task  in     parsl.rundir.try                         parsl.log:113                 36         0         1.0
  parsl.rundir.try                         in     parsl.rundir.executor                    parsl.log:113                 36         0         1.0
  workqueue.manager                        in     parsl.rundir.executor                    workqueue.transactions:90      1         0         1.0
  workqueue.task                           in     parsl.executors.workqueue.executor_task  workqueue.order               35         4         0.9
  $ spanloom links --rule workqueue.order | head -4
  left               kind  right                                                         rule             confidence  left_span  right_span
  workqueue.task 1   in    parsl.executors.workqueue.executor_task WorkQueueExecutor/0   workqueue.order         0.9        137          12
  workqueue.task 2   in    parsl.executors.workqueue.executor_task WorkQueueExecutor/1   workqueue.order         0.9        138          32
  workqueue.task 3   in    parsl.executors.workqueue.executor_task WorkQueueExecutor/2   workqueue.order         0.9        139          37
  $ spanloom links --doubtful | head -4
  left               kind  candidate                                                     candidates  rule             span_id  candidate_id
  workqueue.task 36  in    parsl.executors.workqueue.executor_task WorkQueueExecutor/41           1  workqueue.order      172           134
  workqueue.task 37  in    parsl.executors.workqueue.executor_task WorkQueueExecutor/41           1  workqueue.order      173           134
  workqueue.task 38  in    parsl.executors.workqueue.executor_task WorkQueueExecutor/41           1  workqueue.order      174           134
  $ spanloom links --doubtful --rule workqueue.order --format csv | wc -l
  5
  $ spanloom links --rule workqueue.order --format csv | tail -1
  workqueue.task 35,in,parsl.executors.workqueue.executor_task WorkQueueExecutor/40,workqueue.order,0.9,171,132
  $ spanloom links --rule workqueue.order --format json | head -3
  [
   {"left":"workqueue.task 1", "kind":"in", "right":"parsl.executors.workqueue.executor_task WorkQueueExecutor/0", "rule":"workqueue.order", "confidence":0.9, "left_span":137, "right_span":12},
   {"left":"workqueue.task 2", "kind":"in", "right":"parsl.executors.workqueue.executor_task WorkQueueExecutor/1", "rule":"workqueue.order", "confidence":0.9, "left_span":138, "right_span":32},

You know better:

  $ spanloom links --doubtful --format csv | sed -n 2p
  workqueue.task 36,in,parsl.executors.workqueue.executor_task WorkQueueExecutor/41,1,workqueue.order,172,134
  $ spanloom bind --name mine 'workqueue.task in executor_task where a.key = 36 and b.key = 41'
  mine: 1 link
  $ spanloom links --rule mine --format csv
  left,kind,right,rule,confidence,left_span,right_span
  workqueue.task 36,in,parsl.executors.workqueue.executor_task WorkQueueExecutor/41,mine,1.0,172,134

  $ spanloom links now
  spanloom: links takes no argument; name a rule with --rule
  try: spanloom links --help
  [2]
  $ spanloom links -d no.db
  spanloom: no store no.db; make one with: spanloom import PATH... -d no.db
  [1]
