# SPDX-License-Identifier: Apache-2.0
What changed from one run to another.

  $ R="$ROOT/examples/parsl-htex/runinfo"
  $ mkdir late && cp -r "$R/." late && chmod -R u+w late
  $ for log in late/000/htex_Local/block-0/*/worker_?.log; do
  >   awk '/All processing finished/ {sub(/^[0-9.]+/, sprintf("%.6f", $1 + 0.02))} 1' $log >new && mv new $log
  > done
  $ spanloom import --quiet -d a.db "$R"
  $ spanloom import --quiet -d b.db late
  $ spanloom diff a.db b.db --type worker.task
  B takes as long as A: 31.4 s
  The median span is 25 % longer: 81.2 ms -> 101 ms
  A  a.db: 220 spans of type parsl.executor.htex.worker.task, 2 orderings of events
  B  b.db: 220 spans of type parsl.executor.htex.worker.task, 2 orderings of events
  
                                     A           B      change           95 % interval
  makespan                      31.4 s      31.4 s           0           -
  whole span, median           81.2 ms      101 ms      +20 ms    +25 %  +8.8 ms to +31.4 ms *
               95 %             451 ms      471 ms      +20 ms   +4.4 %  -196 ms to +242 ms
               99 %             3.06 s      3.08 s      +20 ms  +0.65 %  -
  
  On the critical path
            A           B      change  component, state
       17.9 s      17.9 s           0  htex interchange, in the interchange's queue
       9.29 s      9.29 s           0  htex worker, running on a worker
       2.11 s      2.11 s           0  driver, before the first task
       1.88 s      1.88 s           0  driver, after the last task
       152 ms      152 ms           0  parsl, waiting for dependencies or its launch
      52.2 ms     52.2 ms           0  driver, between submissions
      25.2 ms     25.2 ms           0  htex manager, in the manager's queue
      9.43 ms     9.43 ms           0  htex worker, starting the task
                                    0  6 more; --all shows them
  
  From one event to the next: both have 2 transitions; the medians of 1 did not change, --all shows them
   n in A    in B   median A          B     change           95 % interval          p95 change  from -> to
  surely changed (the interval is without 0), what matters most first
      219     219     827 us    20.8 ms     +20 ms  +2418 %  +19.6 ms to +20.5 ms *     +20 ms  parsl.executor.htex.worker.task/worker_completed_task -> parsl.executor.htex.worker.task/worker_all_finished_task
  
  Both have the same orderings of events
  $ spanloom diff a.db b.db --all | tail -20 | cut -c1-100
        1       1      31 us      31 us          0           -                               -  parsl.
        4       4      22 us      22 us          0           -                               -  parsl.
        1       1      14 us      14 us          0           -                               -  parsl.
        1       1      29 us      29 us          0           -                               -  parsl.
      229     229      10 us      10 us          0           -1 us to +1 us                  0  parsl.
      198     198      19 us      19 us          0           -1 us to +1 us                  0  parsl.
       31      31      29 us      29 us          0           -2 us to +2 us                  0  parsl.
       12      12     300 us     300 us          0           -68 us to +80 us                -  parsl.
        4       4      26 us      26 us          0           -                               -  parsl.
        4       4       8 us       8 us          0           -                               -  parsl.
        1       1       8 us       8 us          0           -                               -  parsl.
        1       1      19 us      19 us          0           -                               -  parsl.
        4       4    10.1 ms    10.1 ms          0           -                               -  parsl.
      220     220     7.55 s     7.55 s          0           -2.28 s to +2.17 s              0  parsl.
        4       4      80 us      80 us          0           -                               -  parsl.
      220     220    54.5 ms    54.5 ms          0           -12.4 ms to +12.1 ms            0  parsl.
  
  Both have the same orderings of events
  
  what several logs tell of one moment is one event (--lens none: as they are)
  $ spanloom diff a.db b.db | sed -n '1,4p; /^From/,$p' | cut -c1-150
  B takes as long as A: 31.4 s
  A  a.db: 198 spans of type parsl.monitoring.task, 9 orderings of events
  B  b.db: 198 spans of type parsl.monitoring.task, 9 orderings of events
  
  From one event to the next: both have 34 transitions; the medians of 32 did not change, --all shows them
   n in A    in B   median A          B     change           95 % interval          p95 change  from -> to
  surely changed (the interval is without 0), what matters most first
      219     219    1.49 ms    1.81 ms    +317 us    +21 %  +142 us to +425 us *      +885 us  parsl.task/ran -> parsl.task/ended
  not surely: the interval has 0, or one side has it more often, since who logs first differs
       43      43    1.03 ms     767 us    -265 us    -26 %  -475 us to +11 us         -954 us  parsl.task/ended -> parsl.rundir.try/try_failed
  
  Both have the same orderings of events
  
  what several logs tell of one moment is one event (--lens none: as they are)

The gate says on stderr what it saw, and exits with 3:

  $ spanloom diff a.db b.db --type worker.task --fail-on 5% >/dev/null
  spanloom: --fail-on 5%: the median of the whole span went from 81.2 ms to 101 ms, +25 %
  spanloom: --fail-on 5%: the median of parsl.executor.htex.worker.task/worker_completed_task -> parsl.executor.htex.worker.task/worker_all_finished_task went from 827 us to 20.8 ms, +2418 %
  [3]
  $ spanloom diff a.db b.db --type worker.task --fail-on 0.1s >/dev/null
  $ spanloom diff a.db b.db --type worker.task --fail-on 5% 2>/dev/null | true; echo ${PIPESTATUS[0]}
  3
  $ spanloom diff b.db a.db --type worker.task --fail-on=0% | head -1
  B takes as long as A: 31.4 s
  $ spanloom diff a.db a.db --fail-on 0%
  B takes as long as A: 31.4 s
  A  a.db: 198 spans of type parsl.monitoring.task, 9 orderings of events
  B  a.db: 198 spans of type parsl.monitoring.task, 9 orderings of events
  
                                     A           B      change           95 % interval
  makespan                      31.4 s      31.4 s           0           -
  whole span, median            13.2 s      13.2 s           0           -1.91 s to +1.8 s
               95 %             20.9 s      20.9 s           0           -805 ms to +785 ms
               99 %             21.7 s      21.7 s           0           -
  
  On the critical path
            A           B      change  component, state
       17.9 s      17.9 s           0  htex interchange, in the interchange's queue
       9.29 s      9.29 s           0  htex worker, running on a worker
       2.11 s      2.11 s           0  driver, before the first task
       1.88 s      1.88 s           0  driver, after the last task
       152 ms      152 ms           0  parsl, waiting for dependencies or its launch
      52.2 ms     52.2 ms           0  driver, between submissions
      25.2 ms     25.2 ms           0  htex manager, in the manager's queue
      9.43 ms     9.43 ms           0  htex worker, starting the task
                                    0  6 more; --all shows them
  
  From one event to the next: both have 34 transitions, and no median changed
  
  Both have the same orderings of events
  
  what several logs tell of one moment is one event (--lens none: as they are)
  $ spanloom diff a.db b.db --fail-on 5
  spanloom: --fail-on takes percent or seconds, such as 5% or 0.2s, not '5'
  try: spanloom diff --help
  [2]
  $ spanloom diff a.db b.db --fail-on -5% 2>&1 | head -1
  spanloom: --fail-on takes percent or seconds, such as 5% or 0.2s, not '-5%'
  $ spanloom diff a.db b.db --fail-on 1e3s 2>&1 | head -1
  spanloom: --fail-on takes percent or seconds, such as 5% or 0.2s, not '1e3s'
  $ spanloom diff a.db b.db --fail-on % 2>&1 | head -1
  spanloom: --fail-on takes percent or seconds, such as 5% or 0.2s, not '%'

For programs:

  $ spanloom diff a.db b.db --type worker.task --format csv | cut -d, -f1-14 | head -4
  what,from_type,from_event,to_type,to_event,component,state,events,n_a,n_b,median_a_s,median_b_s,change_s,low_s
  makespan,,,,,,,,1,1,31.406198,31.406198,0.0,
  story,,,,,,,,220,220,0.0812485,0.10124849999999999,0.01999999999999999,0.00880465
  transition,parsl.executor.htex.worker.task,worker_completed_task,parsl.executor.htex.worker.task,worker_all_finished_task,,,,219,219,0.000827,0.020827,0.019999999999999997,0.019552825
  $ spanloom diff a.db b.db --format csv | cut -d, -f1 | sort | uniq -c | sort -n
        1 makespan
        1 story
        1 what
        5 task
       14 critical_path
       34 transition

Through a lens:

  $ spanloom diff a.db b.db --ignore 'parsl.monitoring.*' --ignore 'parsl.rundir.*' --ignore '*.interchange.*' --ignore '*.manager.*' | sed -n '/^From/,$p'
  From one event to the next: both have 4 transitions; the medians of 1 did not change, --all shows them
   n in A    in B   median A          B     change           95 % interval          p95 change  from -> to
  surely changed (the interval is without 0), what matters most first
      219     218     827 us    20.8 ms     +20 ms  +2419 %  +19.6 ms to +20.5 ms *     +20 ms  parsl.task/ran -> parsl.task/ended
  not surely: the interval has 0, or one side has it more often, since who logs first differs
       30      29     3.75 s     3.74 s   -16.7 ms  -0.44 %  -2.3 s to +2.28 s        +87.9 ms  parsl.task/ended -> parsl.executor.htex.worker.task/worker_received_task
      219     218      80 ms    79.5 ms    -463 us  -0.58 %  -10.6 ms to +10.8 ms     -11.8 ms  parsl.executor.htex.worker.task/worker_received_task -> parsl.task/ran
  
  3 transitions that only B has
        n     median
        1     3.05 s  parsl.task/ended -> parsl.task/ran
        1    15.8 ms  parsl.executor.htex.worker.task/worker_received_task -> parsl.task/ended
        1    4.47 ms  parsl.task/ran -> parsl.executor.htex.worker.task/worker_received_task
  
  1 new ordering of events that only B has, of 1 span
  orderings     spans  compared with the most common of A
          1         1  with parsl.executor.htex.worker.task/worker_received_task (2 times), parsl.task/ended (2 times), parsl.task/ran (2 times)
  
  what several logs tell of one moment is one event (--lens none: as they are)

Other runs:

  $ for r in parsl-2026-threads parsl-2026-nomonitoring workqueue-bare workqueue-two; do
  >   spanloom import --quiet -d $r.db "$ROOT/tests/data/$r"
  > done
  $ spanloom diff parsl-2026-threads.db parsl-2026-nomonitoring.db
  B is 108 % slower: 2.85 s -> 5.94 s; most of it in: htex interchange, in the interchange's queue, +3.85 s
  The median span is 793 % longer: 398 ms -> 3.56 s
  A  parsl-2026-threads.db: 20 spans of type parsl.rundir.task, 6 orderings of events
  B  parsl-2026-nomonitoring.db: 20 spans of type parsl.rundir.task, 4 orderings of events
  
                                     A           B      change           95 % interval
  makespan                      2.85 s      5.94 s     +3.09 s   +108 %  -
  whole span, median            398 ms      3.56 s     +3.16 s   +793 %  +2.81 s to +3.55 s *
               95 %             741 ms      3.88 s     +3.13 s   +423 %  -
               99 %             1.35 s         4 s     +2.65 s   +196 %  -
  
  On the critical path
            A           B      change  component, state
            0      3.85 s     +3.85 s  htex interchange, in the interchange's queue
            0       1.5 s      +1.5 s  htex worker, running on a worker
        1.5 s           0      -1.5 s  thread, running on a worker
       814 ms     29.5 ms     -784 ms  driver, after the last task
      13.9 ms      539 ms     +525 ms  driver, before the first task
       484 ms           0     -484 ms  executor, in the executor's queue
      36.4 ms     7.93 ms    -28.5 ms  driver, between submissions
       4.4 ms     10.6 ms    +6.19 ms  parsl, waiting for dependencies or its launch
                             +3.47 ms  7 more; --all shows them
  
  The tasks that moved most, by their time on workers
            A           B      change
       109 ms      100 ms    -9.05 ms  task 1 (sleeper)
      1.53 ms      332 us     -1.2 ms  task 8 (sleeper)
       302 ms      300 ms    -1.09 ms  task 7 (sleeper)
       201 ms      201 ms     -927 us  task 6 (sleeper)
      1.19 ms      272 us     -917 us  task 12 (add)
                                       13 more; --all shows them
  
  From one event to the next: both have 2 transitions
   n in A    in B   median A          B     change           95 % interval          p95 change  from -> to
  surely changed (the interval is without 0), what matters most first
       20      20      90 us      68 us     -22 us    -25 %  -30 us to -3 us *         -419 us  parsl.rundir.task/submitted -> parsl.rundir.task/pending
  not surely: the interval has 0, or one side has it more often, since who logs first differs
       17      19     332 us     407 us     +75 us    +23 %  -16 us to +224 us               -  parsl.task/ran -> parsl.task/ended
  
  27 transitions that only A has, those with most of the time first; --all shows all
        n     median
       18     182 ms  parsl.task/launched -> parsl.executors.threads.task/thread_started_task
        4     150 ms  parsl.executors.threads.task/thread_started_task -> parsl.task/ran
        1     490 ms  parsl.monitoring.try/pending -> parsl.rundir.try/try_failed
       16    10.2 ms  parsl.monitoring.try/pending -> parsl.task/launched
        3    4.21 ms  parsl.monitoring.try/pending -> parsl.monitoring.try/running
  
  12 transitions that only B has, those with most of the time first; --all shows all
        n     median
       19     3.13 s  parsl.task/launched -> parsl.task/to_worker
        1     3.87 s  parsl.rundir.task/pending -> parsl.rundir.try/try_failed
       19     100 ms  parsl.executor.htex.worker.task/worker_received_task -> parsl.task/ran
       19    78.9 ms  parsl.task/to_worker -> parsl.executor.htex.worker.task/worker_received_task
       19    7.18 ms  parsl.rundir.task/pending -> parsl.task/launched
  
  Events that only A has: parsl.executors.threads.task/thread_completed_task, parsl.executors.threads.task/thread_started_task, parsl.monitoring.task/invoked, parsl.monitoring.try/dep_fail, parsl.monitoring.try/fail_retryable, parsl.monitoring.try/failed, parsl.monitoring.try/memo_done, parsl.monitoring.try/pending, parsl.monitoring.try/running
  
  Events that only B has: parsl.executor.htex.worker.task/worker_received_task, parsl.task/to_worker
  
  6 vanished orderings of events that only A has, of 20 spans
  orderings     spans  compared with the most common of B
          3        17  but for events that one side never has, the same
          1         1  with parsl.rundir.task/dep_fail, parsl.rundir.try/try_failed without parsl.task/launched, parsl.task/ran
          1         1  with parsl.rundir.task/fail_retryable, parsl.rundir.task/failed, parsl.rundir.task/pending and 3 more
          1         1  with parsl.rundir.task/memo_done, parsl.rundir.task/memo_found without parsl.task/launched, parsl.task/ran
  
  4 new orderings of events that only B has, of 20 spans
  orderings     spans  compared with the most common of A
          1        17  but for events that one side never has, the same
          1         1  with parsl.rundir.task/dep_fail, parsl.rundir.try/try_failed without parsl.task/ended, parsl.task/launched, parsl.task/ran
          1         1  with parsl.rundir.task/fail_retryable, parsl.rundir.task/failed, parsl.rundir.task/pending and 4 more
          1         1  with parsl.rundir.task/memo_done, parsl.rundir.task/memo_found without parsl.task/ended, parsl.task/launched, parsl.task/ran
  
  what several logs tell of one moment is one event (--lens none: as they are)
  $ spanloom diff workqueue-bare.db workqueue-two.db --type workqueue.task | head -15
  The median span in B is 120 % slower: 3.61 s -> 7.93 s
  A  workqueue-bare.db: 50 spans of type workqueue.task, 12 orderings of events
  B  workqueue-two.db: 46 spans of type workqueue.task, 1 ordering of events
  
                                     A           B      change           95 % interval
  makespan                           -           -           -           -
  whole span, median            3.61 s      7.93 s     +4.33 s   +120 %  +1.09 s to +10.3 s *
               95 %             20.5 s      26.1 s     +5.59 s    +27 %  -
               99 %             48.5 s        28 s     -20.5 s    -42 %  -
  
  On the critical path
  not compared: A (workqueue-bare.db) holds 2 workflows; name one of them, see: spanloom runs -d workqueue-bare.db
  
  From one event to the next: both have 1 transition
   n in A    in B   median A          B     change           95 % interval          p95 change  from -> to
  $ spanloom diff workqueue-bare.db workqueue-two.db --type workqueue.task --fail-on 1000s >/dev/null
  spanloom: --fail-on 1000s does not see the makespan: A (workqueue-bare.db) holds 2 workflows; name one of them, see: spanloom runs -d workqueue-bare.db
  $ spanloom diff workqueue-bare.db workqueue-two.db --type workqueue.task --format tsv 2>&1 | head -3 | cut -f1,9-12
  spanloom: the critical path is not compared: A (workqueue-bare.db) holds 2 workflows; name one of them, see: spanloom runs -d workqueue-bare.db
  what\tn_a\tn_b\tmedian_a_s\tmedian_b_s (esc)
  makespan\t0\t0\t\t (esc)

A and B may be runs of one store:

  $ mkdir two && cp -r "$ROOT/tests/data/parsl-2024-lost" two/x && cp -r "$ROOT/tests/data/parsl-2025-lost" two/y
  $ spanloom import --quiet -d two.db two
  $ spanloom runs -d two.db --format tsv | cut -f1-2
  run\tscript (esc)
  x\t (esc)
  y\t (esc)
  $ spanloom diff -d two.db 9eda 01c7 | sed '/^From/,$d'
  B is 6.7 % slower: 14.9 s -> 15.9 s; most of it in: driver, before the first task, +2.43 s
  A  run 9eda in two.db: 5 spans of type parsl.monitoring.task, 4 orderings of events
  B  run 01c7 in two.db: 5 spans of type parsl.monitoring.task, 4 orderings of events
  
                                     A           B      change           95 % interval
  makespan                      14.9 s      15.9 s     +993 ms   +6.7 %  -
  whole span, median            10.5 s       8.8 s     -1.69 s    -16 %  -
               95 %             11.5 s      9.79 s     -1.67 s    -15 %  -
               99 %             11.5 s      9.81 s      -1.7 s    -15 %  -
  
  On the critical path
            A           B      change  component, state
      48.8 ms      2.48 s     +2.43 s  driver, before the first task
       4.42 s      2.63 s     -1.79 s  executor, in the executor's queue
       3.29 s      3.57 s     +286 ms  driver, after the last task
       6.05 s      6.13 s    +80.5 ms  htex manager, in the manager's queue
        10 ms     27.6 ms    +17.6 ms  parsl, waiting for dependencies or its launch
       1.03 s      1.02 s    -13.4 ms  htex worker, running on a worker
        11 ms        1 ms      -10 ms  htex manager, result on its way back
       9.4 ms     4.43 ms    -4.97 ms  driver, between submissions
                             -2.89 ms  6 more; --all shows them
  
  The tasks that moved most, by their time on workers
            A           B      change
        5.2 s      4.51 s     -689 ms  task 1 (kill_manager_once)
       2.05 s      2.07 s      +24 ms  task 0 (sleeper)
       1.03 s      1.02 s      -15 ms  task 2 (sleeper)
       242 ms      244 ms       +2 ms  task 3 (sleeper)
       238 ms      236 ms       -2 ms  task 4 (sleeper)
  
  $ spanloom diff two.db:9eda two.db:01c7fa11 2>&1
  spanloom: no run is called 01c7fa11; see them with: spanloom runs -d two.db
  [1]
  $ spanloom diff two.db:9eda two.db:01c755ee --type parsl.rundir.task --format csv | cut -d, -f1,9-13 | head -3
  what,n_a,n_b,median_a_s,median_b_s,change_s
  makespan,1,1,14.876995,15.86982,0.9928249999999998
  story,5,5,10.487047,8.795126,-1.6919210000000007
  $ spanloom diff -d two.db 000 9eda 2>&1 | sed 's/ (.*//'
  spanloom: 000 is no file; as a run in two.db: 2 spans answer to that; name one by more of its run id, or its name:
    span 1        parsl.rundir.workflow 9eda2f8b-ba80-4517-a9c8-148976679df7 
    span 20       parsl.rundir.workflow 01c755ee-67b2-4d7a-ade7-1428301cbe70 
  $ spanloom diff two.db a.db --fail-on 1000s | sed '2,3d; /^From/,$d'
  spanloom: --fail-on 1000s does not see the makespan: A (two.db) holds 2 workflows; name one of them, see: spanloom runs -d two.db
  The median span in B is 32 % slower: 10 s -> 13.2 s
  
                                     A           B      change           95 % interval
  makespan                           -           -           -           -
  whole span, median              10 s      13.2 s     +3.24 s    +32 %  +1.71 s to +6.02 s *
               95 %             11.4 s      20.9 s     +9.52 s    +84 %  -
               99 %             11.5 s      21.7 s     +10.2 s    +89 %  -
  
  On the critical path
  not compared: A (two.db) holds 2 workflows; name one of them, see: spanloom runs -d two.db
  

What cannot be compared:

  $ spanloom diff a.db
  spanloom: two runs are compared, such as: spanloom diff 000 001, or: before.db after.db
  try: spanloom diff --help
  [2]
  $ spanloom diff a.db nothing.db
  spanloom: nothing.db is no file, and there is no store spanloom.db in which a run could have that name
  [1]
  $ spanloom diff -d a.db 000 001
  spanloom: 001 is no file; as a run in a.db: no run is called 001; see them with: spanloom runs -d a.db
  [1]
  $ spanloom diff a.db late
  spanloom: late is a folder, not a store, and there is no store spanloom.db in which a run could have that name
  [1]
  $ spanloom diff a.db: b.db
  spanloom: a.db:: the name of a run is missing behind the colon
  try: spanloom diff --help
  [2]
  $ spanloom diff a.db:001 b.db
  spanloom: no run is called 001; see them with: spanloom runs -d a.db
  [1]
  $ spanloom diff a.db late/000/parsl.log
  spanloom: late/000/parsl.log is not a Spanloom store (not an SQLite file); name the store with -d FILE
  [1]
  $ spanloom diff a.db workqueue-bare.db
  spanloom: the tasks of a.db and of workqueue-bare.db are of different types, as of a database and a log; import the rest of the other, or name a type that both have with --type
  [1]
  $ spanloom diff a.db workqueue-bare.db --type rundir.try
  spanloom: B (workqueue-bare.db) holds no spans of type parsl.rundir.try; name a type that both have with --type, see: spanloom types -d workqueue-bare.db
  [1]
  $ spanloom diff a.db b.db --type nothing
  spanloom: A (a.db): no span has the type nothing; see what there is with: spanloom types -d a.db
  [1]
  $ spanloom diff a.db:monitoring.db b.db
  spanloom: no run is called monitoring.db; see them with: spanloom runs -d a.db
  [1]
  $ touch zero.db
  $ spanloom diff a.db zero.db
  spanloom: zero.db is empty; fill it with: spanloom import PATH... -d zero.db
  [1]
  $ spanloom import --quiet -d empty.db "$ROOT/tests/data/slurm/jobs.sacct"
  $ spanloom forget -d empty.db "$ROOT/tests/data/slurm/jobs.sacct" >/dev/null
  $ spanloom diff a.db empty.db
  spanloom: B (empty.db) holds no tasks; name a type that both have with --type, see: spanloom types -d empty.db
  [1]
