# SPDX-License-Identifier: Apache-2.0
What rules have linked, and where they are in doubt.

The end of parsl.log is lost:

  $ cp -r "$ROOT/tests/data/workqueue-gaps/runinfo" . && chmod -R u+w runinfo
  $ head -c 35000 "$ROOT/tests/data/workqueue-gaps/runinfo/000/parsl.log" > runinfo/000/parsl.log
  $ spanloom import --quiet runinfo
  $ spanloom links
  kind   left_type                                right_type                               rule             links  doubtful  confidence
  after  parsl.rundir.task                        parsl.rundir.task                        parsl.log:63        14         0         1.0
  in     parsl.executors.workqueue.executor_task  workqueue.task                           workqueue.order     35        13         0.9
  in     parsl.rundir.try                         parsl.executors.workqueue.executor_task  parsl.log:48        36         0         1.0
  $ spanloom links --rule workqueue.order | head -4
  kind  left                                                          right              rule             confidence  left_span  right_span
  in    parsl.executors.workqueue.executor_task WorkQueueExecutor/0   workqueue.task 1   workqueue.order         0.9         12         137
  in    parsl.executors.workqueue.executor_task WorkQueueExecutor/1   workqueue.task 2   workqueue.order         0.9         32         138
  in    parsl.executors.workqueue.executor_task WorkQueueExecutor/2   workqueue.task 3   workqueue.order         0.9         37         139
  $ spanloom links --doubtful | head -4
  kind  span               may belong to                                                 candidates  rule             span_id  candidate_id
  in    workqueue.task 36  parsl.executors.workqueue.executor_task WorkQueueExecutor/41           1  workqueue.order      172           134
  in    workqueue.task 37  parsl.executors.workqueue.executor_task WorkQueueExecutor/41           1  workqueue.order      173           134
  in    workqueue.task 38  parsl.executors.workqueue.executor_task WorkQueueExecutor/41           1  workqueue.order      174           134
  $ spanloom links --doubtful --rule workqueue.order --format csv | wc -l
  14
  $ spanloom links --rule workqueue.order --format csv | tail -1
  in,parsl.executors.workqueue.executor_task WorkQueueExecutor/40,workqueue.task 35,workqueue.order,0.9,132,171
  $ spanloom links --rule workqueue.order --format json | head -3
  [
   {"kind":"in", "left":"parsl.executors.workqueue.executor_task WorkQueueExecutor/0", "right":"workqueue.task 1", "rule":"workqueue.order", "confidence":0.90000000000000002, "left_span":12, "right_span":137},
   {"kind":"in", "left":"parsl.executors.workqueue.executor_task WorkQueueExecutor/1", "right":"workqueue.task 2", "rule":"workqueue.order", "confidence":0.90000000000000002, "left_span":32, "right_span":138},

You know better:

  $ spanloom links --doubtful --format csv | sed -n 2p
  in,workqueue.task 36,parsl.executors.workqueue.executor_task WorkQueueExecutor/41,1,workqueue.order,172,134
  $ spanloom bind --name mine 'workqueue.task in executor_task where a.key = 36 and b.key = 41'
  mine: 1 link
  $ spanloom links --rule mine --format csv
  kind,left,right,rule,confidence,left_span,right_span
  in,parsl.executors.workqueue.executor_task WorkQueueExecutor/41,workqueue.task 36,mine,1.0,134,172

  $ spanloom links now
  spanloom: links takes no argument; name a rule with --rule
  try: spanloom links --help
  [2]
  $ spanloom links -d no.db
  spanloom: no store no.db; make one with: spanloom import PATH... -d no.db
  [1]
