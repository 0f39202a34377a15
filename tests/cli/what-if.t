# SPDX-License-Identifier: Apache-2.0
How long a run would have taken.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom what-if '* x1'
  change        was  would be difference
  * x1       31.4 s    31.4 s        0 s   +0.0 %
  $ spanloom what-if 'parsl.executor.htex.* x1'
  change                          was  would be difference
  parsl.executor.htex.* x1     31.4 s    31.4 s        0 s   +0.0 %
  $ spanloom what-if 'parsl.executor.htex.* x0.5' --format csv | awk -F, 'NR == 2 {print $1, $2, ($3 < $2 && $4 < 0 && $5 < 0) ? "shorter" : $0}'
  parsl.executor.htex.* x0.5 31.406198 shorter
  $ spanloom what-if 'running on a worker x0.5' 'driver x0' --format csv | head -1
  change,makespan_s,new_makespan_s,change_s,percent,assumed,bias
  $ spanloom what-if 'app=sleeper x2' --format csv | awk -F, 'NR == 2 {print $1, $2, ($3 > $2 && $4 > 0) ? "longer" : $0}'
  app=sleeper x2 31.406198 longer
  $ spanloom what-if 'app=sleeper x2' --format csv --tasks | head -2
  task,app,first_s,done_s,new_first_s,new_done_s,span
  0,sleeper,0.0,9.426165,0.0,13.476578,4
  $ spanloom what-if '* x1' --format csv --tasks | awk -F, 'NR > 1 && ($3 != $5 || $4 != $6)'
  $ spanloom what-if '* x0' --format csv | tail -1
  * x0,31.406198,0.0,-31.406198,-100.0,,-0.015042150552768292
  $ spanloom what-if --tasks
  spanloom: --tasks of what? for example: spanloom what-if --tasks 'workers x2'
  try: spanloom what-if --help
  [2]
  $ spanloom what-if x
  spanloom: 'x' is no change; say what is to be how much slower or faster, such as: 'running on a worker x0.5', or how many workers there are to be: 'workers x2'
  try: spanloom what-if --help
  [2]
  $ spanloom what-if 'running on a worker x-1'
  spanloom: 'running on a worker x-1' is no change; say what is to be how much slower or faster, such as: 'running on a worker x0.5', or how many workers there are to be: 'workers x2'
  try: spanloom what-if --help
  [2]
  $ spanloom what-if 'running on a worker xnan'
  spanloom: 'running on a worker xnan' is no change; say what is to be how much slower or faster, such as: 'running on a worker x0.5', or how many workers there are to be: 'workers x2'
  try: spanloom what-if --help
  [2]

Without arguments: what is worth asking, what saves most first.

  $ spanloom what-if
  it took 31.4 s; one thing changed, and all of it replayed:
  
  change                                           would be difference
  workers x8                                         19.9 s    -11.5 s  -36.6 %
  workers x4                                         21.4 s    -10.0 s  -31.9 %
  failed tries x0                                    22.1 s    -9.28 s  -29.5 %
  workers x2                                         24.5 s    -6.94 s  -22.1 %
  workers, start-up x0                               26.0 s    -5.41 s  -17.2 %
  app sleeper x0.5                                   27.8 s    -3.62 s  -11.5 %
  task 0 (sleeper) x0.0332                           29.4 s    -1.96 s   -6.2 %
  driver, after the last task x0                     29.5 s    -1.88 s   -6.0 %
  app add x0.5                                       30.5 s   -0.943 s   -3.0 %
  app cpu x0.5                                       30.6 s   -0.775 s   -2.5 %
  app shell x0.5                                     30.7 s   -0.667 s   -2.1 %
  htex interchange, in the interchange's queue x0    30.9 s   -0.489 s   -1.6 %
  14 others would save less than 1.5 %
  $ spanloom what-if --format csv | head -3
  change,makespan_s,new_makespan_s,change_s,percent,assumed,bias
  workers x8,31.406198,19.924614,-11.481584,-36.55833794335756,"htex_Local: 16 workers instead of 2; they are there when those of the run were, and take tasks in its order",-0.015042150552768292
  workers x4,31.406198,21.40046,-10.005738,-31.859119018481643,"htex_Local: 8 workers instead of 2; they are there when those of the run were, and take tasks in its order",-0.015042150552768292

What it prints can be asked again; so can what critical-path prints.

  $ spanloom what-if --format tsv | tail -n +2 | while IFS="$(printf '\t')" read -r change was now rest; do
  >   spanloom what-if --format tsv "$change" | awk -F '\t' -v now="$now" 'NR == 2 && $3 != now'
  > done
  $ spanloom critical-path --all | sed -n 's/^.* % .* [0-9]*  \([a-z].*, .*\)$/\1/p' | sort -u | while read -r label; do
  >   echo "$label"
  >   spanloom what-if "$label x1" --format tsv | awk -F '\t' 'NR == 2 && $2 != $3'
  > done
  driver, after the last task
  driver, before the first task
  driver, between submissions
  htex interchange, in the interchange's queue
  htex interchange, lost to a failed try
  htex interchange, on its way to a manager
  htex interchange, result on its way back
  htex manager, in the manager's queue
  htex manager, lost to a failed try
  htex manager, result on its way back
  htex worker, lost to a failed try
  htex worker, result on its way back
  htex worker, running on a worker
  htex worker, starting the task
  parsl, being submitted
  parsl, between two tries
  parsl, waiting for dependencies or its launch

Workers, apps, tasks, tries.

  $ spanloom what-if 'workers x2'
  htex_Local: 4 workers instead of 2
  they are there when those of the run were, and take tasks in its order
  change            was  would be difference
  workers x2     31.4 s    24.5 s    -6.94 s  -22.1 %
  $ spanloom what-if 'workers = 1' --format json
  [
   {"change":"workers = 1", "makespan_s":31.406198, "new_makespan_s":47.755134, "change_s":16.348936, "percent":52.05639982273562, "assumed":"htex_Local: 1 worker instead of 2; they are there when those of the run were, and take tasks in its order", "bias":-0.015042150552768292}
  ]
  $ spanloom what-if 'workers x1' 'sleeper x0.5'
  change                          was  would be difference
  workers x1, sleeper x0.5     31.4 s    27.8 s    -3.62 s  -11.5 %
  $ spanloom what-if 'app sleeper x0.5'
  change                  was  would be difference
  app sleeper x0.5     31.4 s    27.8 s    -3.62 s  -11.5 %
  $ spanloom what-if 'task 0 x0.1'
  change             was  would be difference
  task 0 x0.1     31.4 s    29.6 s    -1.82 s   -5.8 %
  $ spanloom what-if 'tasks 0 1 2* x0.1' --tasks | head -3
  task  app                   first_s     done_s  new_first_s  new_done_s  span
  0     sleeper                   0.0   9.426165          0.0   5.7807933     4
  1     sleeper              0.003977   5.638357     0.003977   5.5191781     5
  $ spanloom what-if 'failed tries x0'
  change                 was  would be difference
  failed tries x0     31.4 s    22.1 s    -9.28 s  -29.5 %

What there is, where nothing is meant.

  $ spanloom what-if 'no such state x2'
  spanloom: spanloom.db: what_if: no task does anything that 'no such state' means; there are
    apps:   add
            always_fails
            cpu
            failing_join
            fan_join
            flaky
            kill_worker_once
            memo
            readfile
            shell
            and 3 more
    states: executor, in the executor's queue
            htex interchange, in the interchange's queue
            htex interchange, on its way to a manager
            htex interchange, result on its way back
            htex manager, in the manager's queue
            htex manager, result on its way back
            htex manager, worker was lost
            htex worker, result on its way back
            htex worker, running on a worker
            and 7 more
    tasks:  0 to 197
    also:   driver, barriers, workers, failed tries, on NAME
  [1]
  $ spanloom what-if 'runing on a worker x2' 2>&1 | head -1
  spanloom: spanloom.db: what_if: no task does anything that 'runing on a worker' means; did you mean running on a worker? There are
  $ spanloom what-if 'sleepr x2' 2>&1 | head -1
  spanloom: spanloom.db: what_if: no task does anything that 'sleepr' means; did you mean sleeper? There are
  $ spanloom what-if 'task 4711 x2'
  spanloom: spanloom.db: what_if: there is no task 4711; there are: 0 to 197
  [1]
  $ spanloom what-if 'workers = 0'
  spanloom: 'workers = 0': at least one worker is needed, and a thousand million at most
  try: spanloom what-if --help
  [2]
  $ spanloom what-if 'workers x0'
  spanloom: 'workers x0': at least one worker is needed, and a thousand million at most
  try: spanloom what-if --help
  [2]
  $ spanloom what-if 'workers x-1' 2>&1 | head -1
  spanloom: 'workers x-1' is no change; say what is to be how much slower or faster, such as: 'running on a worker x0.5', or how many workers there are to be: 'workers x2'
  $ spanloom what-if 'workers = 1000000001'
  spanloom: 'workers = 1000000001': at least one worker is needed, and a thousand million at most
  try: spanloom what-if --help
  [2]
  $ spanloom what-if 'workers = 1000000000' --format csv | tail -1
  workers = 1000000000,31.406198,18.708104,-12.698094,-40.43180903336342,"htex_Local: 1000000000 workers instead of 2; they are there when those of the run were, and take tasks in its order",-0.015042150552768292
  $ spanloom what-if 'workers.other x2'
  spanloom: spanloom.db: what_if: there are no workers.other; there are: workers.htex_Local (2)
  [1]
  $ spanloom what-if 'workers x1000000001' 2>&1 | head -1
  spanloom: 'workers x1000000001': a factor is a million at most
  $ spanloom what-if 'worker x2' 2>&1 | head -1
  spanloom: 'worker x2': did you mean workers, how many there are? What a component of that name does is 'worker/*'
  $ spanloom what-if 'failed tries' 2>&1 | head -1
  spanloom: 'failed tries' lacks how much of them; without any it is: 'failed tries x0'
  $ spanloom what-if '* x1' --run zzz
  spanloom: no run is called zzz; see them with: spanloom runs -d spanloom.db
  [1]
  $ spanloom what-if '* x1' -d none.db
  spanloom: no store none.db; make one with: spanloom import PATH... -d none.db
  [1]
  $ spanloom import --quiet -d two.db "$ROOT/tests/data/workqueue-two"
  $ spanloom what-if -d two.db '* x1' 2>&1 | head -1
  in doubt: without any change it comes to 28.1 s, not 34.4 s,
  $ spanloom what-if -d two.db | sed -n '2,3p;$p'
  in doubt: without any change it comes to 28.1 s, not 34.4 s,
  as tasks waited while workers were free (at another manager, or to be sent)
  * which is how far off the replay may be (glob)
  $ spanloom what-if -d two.db '* x1' --run 000 --format csv
  change,makespan_s,new_makespan_s,change_s,percent,assumed,bias
  * x1,34.426099,34.426099,0.0,0.0,,-0.18508208058451123
