# SPDX-License-Identifier: Apache-2.0
How many workers there were, and were busy.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom utilisation
  workers of type parsl.executor.htex.worker: busy for 91.1 % of the time that they were there; bins of 1 s
  
  time                  workers     busy  running   busy %  busy █, idle ░
  2026-11-20T08:11:36Z     0.68     0.66     0.66     96.4  █████████▉
  2026-11-20T08:11:37Z     2.00     1.99     1.99     99.5  █████████████████████████████▉
  2026-11-20T08:11:38Z     2.00     2.00     2.00     99.8  ██████████████████████████████
  2026-11-20T08:11:39Z     2.00     1.99     1.99     99.4  █████████████████████████████▉
  2026-11-20T08:11:40Z     2.00     1.99     1.99     99.5  █████████████████████████████▉
  2026-11-20T08:11:41Z     2.00     1.97     1.97     98.3  █████████████████████████████▌
  2026-11-20T08:11:42Z     2.00     1.98     1.98     99.1  █████████████████████████████▊
  2026-11-20T08:11:43Z     2.00     1.98     1.98     99.1  █████████████████████████████▊
  2026-11-20T08:11:44Z     2.00     1.98     1.98     99.1  █████████████████████████████▊
  2026-11-20T08:11:45Z     2.00     1.99     1.99     99.5  █████████████████████████████▉
  2026-11-20T08:11:46Z     2.00     1.96     1.96     98.1  █████████████████████████████▌
  2026-11-20T08:11:47Z     2.00     1.95     1.95     97.5  █████████████████████████████▎
  2026-11-20T08:11:48Z     2.00     1.98     1.98     98.9  █████████████████████████████▋
  2026-11-20T08:11:49Z     2.00     1.29     1.29     64.5  ███████████████████▍░░░░░░░░░░
  2026-11-20T08:11:50Z     2.00     1.94     1.94     97.2  █████████████████████████████▏
  2026-11-20T08:11:51Z     2.00     1.97     1.97     98.6  █████████████████████████████▋
  2026-11-20T08:11:52Z     2.00     1.95     1.95     97.4  █████████████████████████████▎
  2026-11-20T08:11:53Z     2.00     1.08     1.08     53.8  ████████████████▏░░░░░░░░░░░░░
  2026-11-20T08:11:54Z     2.00     1.00     1.00     50.0  ███████████████░░░░░░░░░░░░░░░
  2026-11-20T08:11:55Z     1.58     1.00     1.00     63.1  ██████████████▉░░░░░░░░░
  2026-11-20T08:11:56Z     1.00     1.00     1.00    100.0  ███████████████
  2026-11-20T08:11:57Z     1.00     1.00     1.00    100.0  ███████████████
  2026-11-20T08:11:58Z     0.64     0.64     0.64    100.0  █████████▋
  $ spanloom utilisation --bin 10 --format csv
  time_ns,workers,busy,running,utilisation
  1795162290000000000,0.6682395,0.6632175,0.6632175,0.9924847303998042
  1795162300000000000,2.0,1.9071076,1.9071076,0.9535538
  1795162310000000000,1.4220747,1.157772,1.157772,0.8141428857429219
  $ spanloom utilisation --run 000 --bin 10 htex.worker
  workers of type parsl.executor.htex.worker: busy for 91.1 % of the time that they were there; bins of 10 s
  
  time                  workers     busy  running   busy %  busy █, idle ░
  2026-11-20T08:11:30Z     0.67     0.66     0.66     99.2  ██████████
  2026-11-20T08:11:40Z     2.00     1.91     1.91     95.4  ████████████████████████████▋░
  2026-11-20T08:11:50Z     1.42     1.16     1.16     81.4  █████████████████▍░░░
  $ spanloom utilisation --sql "SELECT time_ns, workers, busy FROM utilisation('parsl.executor.htex.worker', 10)"
  workers: busy for 91.1 % of the time that they were there
  
  time                  workers     busy  running   busy %  busy █, idle ░
  2026-11-20T08:11:30Z     0.67     0.66              99.2  ██████████
  2026-11-20T08:11:40Z     2.00     1.91              95.4  ████████████████████████████▋░
  2026-11-20T08:11:50Z     1.42     1.16              81.4  █████████████████▍░░░

Work Queue's workers run several tasks at once; a worker was killed, and its tasks run again elsewhere:

  $ spanloom import --quiet -d wq.db "$ROOT/tests/data/parsl-2026-workqueue/runinfo"
  $ spanloom utilisation -d wq.db --bin 5
  workers of type workqueue.worker: busy for 93.7 % of the time that they were there; bins of 5 s
  
  time                  workers     busy  running   busy %  busy █, idle ░
  2026-11-20T13:27:50Z     0.71     0.71     1.42    100.0  ██████████▋
  2026-11-20T13:27:55Z     1.98     1.98     2.98    100.0  █████████████████████████████▊
  2026-11-20T13:28:00Z     2.00     2.00     3.00    100.0  ██████████████████████████████
  2026-11-20T13:28:05Z     2.00     1.39     2.39     69.6  ████████████████████▉░░░░░░░░░
  2026-11-20T13:28:10Z     1.15     1.00     2.00     87.3  ███████████████░░
  2026-11-20T13:28:15Z     1.00     1.00     2.00    100.0  ███████████████
  2026-11-20T13:28:20Z     1.00     1.00     1.17    100.0  ███████████████
  2026-11-20T13:28:25Z     1.00     1.00     1.00    100.0  ███████████████
  2026-11-20T13:28:30Z     1.00     1.00     1.00    100.0  ███████████████
  2026-11-20T13:28:35Z     0.13     0.13     0.13    100.0  █▉

Threads are workers, as far as their log tells which of them ran what:

  $ spanloom import --quiet -d threads.db "$ROOT/tests/data/parsl-2026-threads"
  $ spanloom utilisation -d threads.db --bin 0.5
  workers of type parsl.executors.threads.thread: busy for 99.6 % of the time that they were there; bins of 500 ms
  
  time                  workers     busy  running   busy %  busy █, idle ░
  2026-11-20T10:38:44.5Z     0.57     0.55     0.55     95.9  █████▌
  2026-11-20T10:38:45.0Z     3.00     3.00     3.00     99.9  ██████████████████████████████
  2026-11-20T10:38:45.5Z     1.26     1.26     1.26    100.0  ████████████▌
  2026-11-20T10:38:46.0Z     1.00     1.00     1.00    100.0  ██████████
  2026-11-20T10:38:46.5Z     0.83     0.83     0.83    100.0  ████████▍

Mistakes:

  $ spanloom utilisation no.such.type
  spanloom: no span has the type no.such.type; see what there is with: spanloom types -d spanloom.db
  [1]
  $ spanloom utilisation --sql "SELECT 1 AS time_ns, 2 AS workers"
  spanloom: --sql: the query has no column busy; it needs: time_ns, workers, busy
  try: spanloom utilisation --help
  [2]
  $ spanloom import --quiet -d both.db "$ROOT/examples/parsl-htex/runinfo" "$ROOT/tests/data/parsl-2026-workqueue/runinfo"
  $ spanloom utilisation -d both.db
  spanloom: there are several types of workers; say which: parsl.executor.htex.worker workqueue.worker
  try: spanloom utilisation --help
  [2]
  $ spanloom import --quiet -d none.db "$ROOT/tests/data/workqueue-gaps"
  $ spanloom utilisation -d none.db
  spanloom: none.db knows of no workers; name a type of spans, see: spanloom types -d none.db
  [1]
