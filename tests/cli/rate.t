# SPDX-License-Identifier: Apache-2.0
How often something happened.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom rate worker_received_task
  220 events called worker_received_task
  2026-11-20 UTC; bins of 1 s
  
  time            events     per s
  08:11:36             4         4  █████▉
  08:11:37             9         9  █████████████▍
  08:11:38             5         5  ███████▍
  08:11:39             8         8  ███████████▉
  08:11:40             8         8  ███████████▉
  08:11:41             9         9  █████████████▍
  08:11:42            14        14  ████████████████████▊
  08:11:43            11        11  ████████████████▎
  08:11:44            11        11  ████████████████▎
  08:11:45            18        18  ██████████████████████████▋
  08:11:46            26        26  ██████████████████████████████████████▌
  08:11:47            27        27  ████████████████████████████████████████
  08:11:48            12        12  █████████████████▊
  08:11:49             0         0
  08:11:50            15        15  ██████████████████████▎
  08:11:51            21        21  ███████████████████████████████▏
  08:11:52            19        19  ████████████████████████████▏
  08:11:53             2         2  ███
  08:11:54             0         0
  08:11:55             1         1  █▌
  $ spanloom rate --bin 10 '*.worker.task/*'
  658 events called *.worker.task/*: parsl.executor.htex.worker.task/worker_all_finished_task, parsl.executor.htex.worker.task/worker_completed_task and 1 more; all: spanloom types --events -d spanloom.db
  2026-11-20 UTC; bins of 10 s
  
  time            events     per s
  08:11:30            74       7.4  ███████▎
  08:11:40           408      40.8  ████████████████████████████████████████
  08:11:50           176      17.6  █████████████████▎
  $ spanloom rate --bin 10 '*.worker.task/*' --format csv
  time_ns,events,per_s
  1795162290000000000,74,7.4
  1795162300000000000,408,40.8
  1795162310000000000,176,17.6
  $ spanloom rate --bin 0.25 manager_lost_worker
  1 event called manager_lost_worker
  2026-11-20 UTC; bins of 250 ms
  
  time            events     per s
  08:11:49.25          1         4  ████████████████████████████████████████
  $ spanloom rate --bin 10 --sql "SELECT time_ns FROM events WHERE type = 'worker_received_task'"
  220 events
  2026-11-20 UTC; bins of 10 s
  
  time            events     per s
  08:11:30            26       2.6  ███████▋
  08:11:40           136      13.6  ████████████████████████████████████████
  08:11:50            58       5.8  █████████████████
  $ spanloom rate --sql "SELECT time_ns, events FROM event_rate('worker_received_task', 10)"
  220 events
  2026-11-20 UTC
  
  time            events
  08:11:30            26  ███████▋
  08:11:40           136  ████████████████████████████████████████
  08:11:50            58  █████████████████

Mistakes:

  $ spanloom rate
  spanloom: which event? such as: returned, or '*.worker.task/worker_*'
  try: spanloom rate --help
  [2]
  $ spanloom rate no_such_event
  spanloom: spanloom.db: no event is called no_such_event; see what there is with: spanloom types --events
  [1]
  $ spanloom rate --bin x returned
  spanloom: --bin needs seconds, such as 60 or 0.5, not 'x'
  try: spanloom rate --help
  [2]
  $ spanloom rate --bin 1e-9 returned
  spanloom: spanloom.db: 21779385001 bins of 1e-09 s are more than 10000000; make them wider, or choose some: WHERE time_ns BETWEEN ...
  [1]
  $ spanloom rate --sql "SELECT 1 AS time"
  spanloom: --sql: the query has no column time_ns; it needs: time_ns
  try: spanloom rate --help
  [2]
