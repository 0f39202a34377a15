# SPDX-License-Identifier: Apache-2.0
How often something happened.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom rate worker_received_task
  220 events called worker_received_task in bins of 1 s
  
  time                    events     per s
  2026-11-20T08:11:36Z         4         4  █████▉
  2026-11-20T08:11:37Z         9         9  █████████████▍
  2026-11-20T08:11:38Z         5         5  ███████▍
  2026-11-20T08:11:39Z         8         8  ███████████▉
  2026-11-20T08:11:40Z         8         8  ███████████▉
  2026-11-20T08:11:41Z         9         9  █████████████▍
  2026-11-20T08:11:42Z        14        14  ████████████████████▊
  2026-11-20T08:11:43Z        11        11  ████████████████▎
  2026-11-20T08:11:44Z        11        11  ████████████████▎
  2026-11-20T08:11:45Z        18        18  ██████████████████████████▋
  2026-11-20T08:11:46Z        26        26  ██████████████████████████████████████▌
  2026-11-20T08:11:47Z        27        27  ████████████████████████████████████████
  2026-11-20T08:11:48Z        12        12  █████████████████▊
  2026-11-20T08:11:49Z         0         0
  2026-11-20T08:11:50Z        15        15  ██████████████████████▎
  2026-11-20T08:11:51Z        21        21  ███████████████████████████████▏
  2026-11-20T08:11:52Z        19        19  ████████████████████████████▏
  2026-11-20T08:11:53Z         2         2  ███
  2026-11-20T08:11:54Z         0         0
  2026-11-20T08:11:55Z         1         1  █▌
  $ spanloom rate --bin 10 '*.worker.task/*'
  658 events called *.worker.task/* in bins of 10 s: parsl.executor.htex.worker.task/worker_all_finished_task, parsl.executor.htex.worker.task/worker_completed_task and 1 more; all: spanloom types --events -d spanloom.db
  
  time                    events     per s
  2026-11-20T08:11:30Z        74       7.4  ███████▎
  2026-11-20T08:11:40Z       408      40.8  ████████████████████████████████████████
  2026-11-20T08:11:50Z       176      17.6  █████████████████▎
  $ spanloom rate --bin 10 '*.worker.task/*' --format csv
  time_ns,events,per_s
  1795162290000000000,74,7.4
  1795162300000000000,408,40.8
  1795162310000000000,176,17.6
  $ spanloom rate --bin 0.25 manager_lost_worker
  1 event called manager_lost_worker in bins of 250 ms
  
  time                    events     per s
  2026-11-20T08:11:49.25Z         1         4  ████████████████████████████████████████
  $ spanloom rate --bin 10 --sql "SELECT time_ns FROM events WHERE type = 'worker_received_task'"
  220 events in bins of 10 s
  
  time                    events     per s
  2026-11-20T08:11:30Z        26       2.6  ███████▋
  2026-11-20T08:11:40Z       136      13.6  ████████████████████████████████████████
  2026-11-20T08:11:50Z        58       5.8  █████████████████
  $ spanloom rate --sql "SELECT time_ns, events FROM event_rate('worker_received_task', 10)"
  220 events
  
  time                    events
  2026-11-20T08:11:30Z        26  ███████▋
  2026-11-20T08:11:40Z       136  ████████████████████████████████████████
  2026-11-20T08:11:50Z        58  █████████████████

Mistakes:

  $ spanloom rate
  spanloom: which event? such as: returned, or '*.worker.task/worker_*'
  try: spanloom rate --help
  [2]
  $ spanloom rate no_such_event
  spanloom: spanloom.db: query failed: event_rate: no event is called no_such_event; see what there is with: spanloom types --events
  [1]
  $ spanloom rate --bin x returned
  spanloom: --bin needs seconds, such as 60 or 0.5, not 'x'
  try: spanloom rate --help
  [2]
  $ spanloom rate --bin 1e-9 returned
  spanloom: spanloom.db: query failed: event_rate: 21779385001 bins of 1e-09 s are more than 10000000; make them wider, or choose some: WHERE time_ns BETWEEN ...
  [1]
  $ spanloom rate --sql "SELECT 1 AS time"
  spanloom: --sql: the query has no column time_ns; it needs: time_ns
  try: spanloom rate --help
  [2]
