# SPDX-License-Identifier: Apache-2.0
What rules have linked, and where they are in doubt.

  $ spanloom import --quiet "$ROOT/tests/data/workqueue-gaps"
  $ spanloom links
  kind   left_type                                right_type                               rule             links  doubtful  confidence
  after  parsl.rundir.task                        parsl.rundir.task                        parsl.log:63        14         0         1.0
  in     parsl.executors.workqueue.executor_task  workqueue.task                           workqueue.order     25        23         0.9
  in     parsl.rundir.try                         parsl.executors.workqueue.executor_task  parsl.log:48        49         0         1.0
  $ spanloom links --rule workqueue.order | head -4
  kind  left                                                          right              rule             confidence  left_span  right_span
  in    parsl.executors.workqueue.executor_task WorkQueueExecutor/0   workqueue.task 1   workqueue.order         0.9         12         168
  in    parsl.executors.workqueue.executor_task WorkQueueExecutor/1   workqueue.task 2   workqueue.order         0.9         32         169
  in    parsl.executors.workqueue.executor_task WorkQueueExecutor/2   workqueue.task 3   workqueue.order         0.9         37         170
  $ spanloom links --doubtful | head -4
  kind  span               may belong to                                                 candidates  rule             span_id  candidate_id
  in    workqueue.task 7   parsl.executors.workqueue.executor_task WorkQueueExecutor/6            2  workqueue.order      174            62
  in    workqueue.task 7   parsl.executors.workqueue.executor_task WorkQueueExecutor/7            2  workqueue.order      174            64
  in    workqueue.task 8   parsl.executors.workqueue.executor_task WorkQueueExecutor/7            3  workqueue.order      175            64
  $ spanloom links --doubtful --rule workqueue.order --format csv | wc -l
  52
  $ spanloom links --rule workqueue.order --format csv | tail -1
  in,parsl.executors.workqueue.executor_task WorkQueueExecutor/53,workqueue.task 48,workqueue.order,0.9,163,215
  $ spanloom links --rule workqueue.order --format json | head -3
  [
   {"kind":"in", "left":"parsl.executors.workqueue.executor_task WorkQueueExecutor/0", "right":"workqueue.task 1", "rule":"workqueue.order", "confidence":0.90000000000000002, "left_span":12, "right_span":168},
   {"kind":"in", "left":"parsl.executors.workqueue.executor_task WorkQueueExecutor/1", "right":"workqueue.task 2", "rule":"workqueue.order", "confidence":0.90000000000000002, "left_span":32, "right_span":169},

You know better:

  $ spanloom links --doubtful --format csv | sed -n 2p
  in,workqueue.task 7,parsl.executors.workqueue.executor_task WorkQueueExecutor/6,2,workqueue.order,174,62
  $ spanloom bind --name mine 'workqueue.task in executor_task where a.key = 7 and b.key = 7'
  mine: 1 link
  $ spanloom links --rule mine --format csv
  kind,left,right,rule,confidence,left_span,right_span
  in,parsl.executors.workqueue.executor_task WorkQueueExecutor/7,workqueue.task 7,mine,1.0,64,174

  $ spanloom links now
  spanloom: links takes no argument; name a rule with --rule
  try: spanloom links --help
  [2]
  $ spanloom links -d no.db
  spanloom: no store no.db; make one with: spanloom import PATH... -d no.db
  [1]
