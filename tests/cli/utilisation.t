# SPDX-License-Identifier: Apache-2.0
How many workers there were, and were busy.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom utilisation
  workers of type parsl.executor.htex.worker: busy for 84.8 % of their time
  2026-11-20 UTC; bins of 1 s
  
  time          workers     busy  running   busy %  busy █, idle ░
  08:11:36         0.68     0.66     0.66     96.4  █████████▉
  08:11:37         2.00     1.99     1.99     99.5  █████████████████████████████▉
  08:11:38         2.00     2.00     2.00     99.8  ██████████████████████████████
  08:11:39         2.00     1.99     1.99     99.4  █████████████████████████████▉
  08:11:40         2.00     1.99     1.99     99.5  █████████████████████████████▉
  08:11:41         2.00     1.97     1.97     98.3  █████████████████████████████▌
  08:11:42         2.00     1.98     1.98     99.1  █████████████████████████████▊
  08:11:43         2.00     1.98     1.98     99.1  █████████████████████████████▊
  08:11:44         2.00     1.98     1.98     99.1  █████████████████████████████▊
  08:11:45         2.00     1.99     1.99     99.5  █████████████████████████████▉
  08:11:46         2.00     1.96     1.96     98.1  █████████████████████████████▌
  08:11:47         2.00     1.95     1.95     97.5  █████████████████████████████▎
  08:11:48         2.00     1.98     1.98     98.9  █████████████████████████████▋
  08:11:49         2.00     1.29     1.29     64.5  ███████████████████▍░░░░░░░░░░
  08:11:50         2.00     1.94     1.94     97.2  █████████████████████████████▏
  08:11:51         2.00     1.97     1.97     98.6  █████████████████████████████▋
  08:11:52         2.00     1.95     1.95     97.4  █████████████████████████████▎
  08:11:53         2.00     1.08     1.08     53.8  ████████████████▏░░░░░░░░░░░░░
  08:11:54         2.00     1.00     1.00     50.0  ███████████████░░░░░░░░░░░░░░░
  08:11:55         2.00     1.00     1.00     49.8  ██████████████▉░░░░░░░░░░░░░░░
  08:11:56         2.00     1.00     1.00     50.0  ███████████████░░░░░░░░░░░░░░░
  08:11:57         2.00     1.00     1.00     50.0  ███████████████░░░░░░░░░░░░░░░
  08:11:58         1.29     0.64     0.64     49.7  █████████▋░░░░░░░░░
  $ spanloom utilisation --bin 10 --format csv
  time_ns,workers,busy,running,utilisation
  1795162290000000000,0.6682395,0.6632175,0.6632175,0.9924847303998042
  1795162300000000000,2.0,1.9071076,1.9071076,0.9535538
  1795162310000000000,1.7294644,1.157772,1.157772,0.6694396253545317
  $ spanloom utilisation --run 000 --bin 10 htex.worker
  workers of type parsl.executor.htex.worker: busy for 84.8 % of their time
  2026-11-20 UTC; bins of 10 s
  
  time          workers     busy  running   busy %  busy █, idle ░
  08:11:30         0.67     0.66     0.66     99.2  ██████████
  08:11:40         2.00     1.91     1.91     95.4  ████████████████████████████▋░
  08:11:50         1.73     1.16     1.16     66.9  █████████████████▍░░░░░░░░
  $ spanloom utilisation --sql "SELECT time_ns, workers, busy FROM utilisation('parsl.executor.htex.worker', 10)"
  workers: busy for 84.8 % of their time
  2026-11-20 UTC
  
  time          workers     busy  running   busy %  busy █, idle ░
  08:11:30         0.67     0.66              99.2  ██████████
  08:11:40         2.00     1.91              95.4  ████████████████████████████▋░
  08:11:50         1.73     1.16              66.9  █████████████████▍░░░░░░░░

Work Queue's workers run several tasks at once; a worker was killed, and its tasks run again elsewhere:

  $ spanloom import --quiet -d wq.db "$ROOT/tests/data/parsl-2026-workqueue/runinfo"
  $ spanloom utilisation -d wq.db --bin 5
  workers of type workqueue.worker: busy for 93.7 % of their time
  2026-11-20 UTC; bins of 5 s
  
  time          workers     busy  running   busy %  busy █, idle ░
  13:27:50         0.71     0.71     1.42    100.0  ██████████▋
  13:27:55         1.98     1.98     2.98    100.0  █████████████████████████████▊
  13:28:00         2.00     2.00     3.00    100.0  ██████████████████████████████
  13:28:05         2.00     1.39     2.39     69.6  ████████████████████▉░░░░░░░░░
  13:28:10         1.15     1.00     2.00     87.3  ███████████████░░
  13:28:15         1.00     1.00     2.00    100.0  ███████████████
  13:28:20         1.00     1.00     1.17    100.0  ███████████████
  13:28:25         1.00     1.00     1.00    100.0  ███████████████
  13:28:30         1.00     1.00     1.00    100.0  ███████████████
  13:28:35         0.13     0.13     0.13    100.0  █▉

Threads are workers, as far as their log tells which of them ran what:

  $ spanloom import --quiet -d threads.db "$ROOT/tests/data/parsl-2026-threads"
  $ spanloom utilisation -d threads.db --bin 0.5
  workers of type parsl.executors.threads.thread: busy for 54.9 % of their time
  2026-11-20 UTC; bins of 500 ms
  
  time          workers     busy  running   busy %  busy █, idle ░
  10:38:44.5       0.57     0.55     0.55     95.9  █████▌
  10:38:45.0       3.00     3.00     3.00     99.9  ██████████████████████████████
  10:38:45.5       3.00     1.26     1.26     41.9  ████████████▌░░░░░░░░░░░░░░░░░
  10:38:46.0       3.00     1.00     1.00     33.3  ██████████░░░░░░░░░░░░░░░░░░░░
  10:38:46.5       2.50     0.83     0.83     33.2  ████████▍░░░░░░░░░░░░░░░░

Mistakes:

  $ spanloom utilisation no.such.type
  spanloom: no span has the type no.such.type; see what there is with: spanloom types -d spanloom.db
  [1]
  $ spanloom utilisation --sql "SELECT 1 AS time_ns, 2 AS workers"
  spanloom: --sql: the query has no column busy; it needs: time_ns, workers, busy
  try: spanloom utilisation --help
  [2]
  $ spanloom import --quiet -d both.db "$ROOT/examples/parsl-htex/runinfo" "$ROOT/tests/data/parsl-2026-workqueue/runinfo"
  $ spanloom utilisation -d both.db 2>&1 | grep ^workers
  workers of type parsl.executor.htex.worker: busy for 84.8 % of their time
  workers of type workqueue.worker: busy for 93.7 % of their time
  $ spanloom utilisation -d both.db --format csv
  spanloom: there are several types of workers; say which: parsl.executor.htex.worker workqueue.worker
  try: spanloom utilisation --help
  [2]
  $ spanloom import --quiet -d none.db "$ROOT/tests/data/workqueue-gaps"
  $ spanloom utilisation -d none.db
  spanloom: none.db knows of no workers; name a type of spans, see: spanloom types -d none.db
  [1]
