# SPDX-License-Identifier: Apache-2.0
What is ignored, renamed and merged: the options, and what is said when they are wrong.  Numbers are checked by tests/sql/lens.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ htex() { spanloom "$@" --merge 'parsl.task/launched=*.interchange.task/interchange_put,*.task/launched,*.try/launched' \
  >   --merge 'parsl.task/to_worker=*/interchange_to_manager,*/manager_got_task' \
  >   --merge 'parsl.task/ended=*/worker_all_finished_task,*/interchange_removing_task,*/returned,*/exec_done'; }
  $ htex sequences --all | grep -c ^Ordering
  9
  $ htex show task 42 | sed '1,/^time/d' | cut -c 32-
        0 s       0 s  parsl monitoring       parsl.monitoring.task 42/invoked  parsl-htex/runinfo/monitoring.db#task:43
      44 us     44 us  parsl                  parsl.rundir.task 42/submitted  runinfo/000/parsl.log:495
      68 us     24 us  parsl                  parsl.rundir.task 42/pending  runinfo/000/parsl.log:497
      78 us     10 us  parsl monitoring       parsl.monitoring.try 0/pending  parsl-htex/runinfo/monitoring.db#status:47
    52.8 ms   52.7 ms  htex interchange       parsl.task/launched (4 events)  000/htex_Local/interchange.log:105
                       ...... 9.23 s in parsl.task, after its launched
     9.28 s    9.23 s  htex interchange       parsl.task/to_worker (2 events)  000/htex_Local/interchange.log:1266
     9.41 s    124 ms  htex worker            parsl.executor.htex.worker.task 31/worker_received_task  block-0/1954f1261cd1/worker_0.log:9
     9.41 s    468 us  parsl monitoring       parsl.monitoring.try 0/running  parsl-htex/runinfo/monitoring.db#status:396
      9.5 s   91.1 ms  parsl monitoring       parsl.monitoring.try 0/running_ended  parsl-htex/runinfo/monitoring.db#status:410
      9.5 s   1.62 ms  htex worker            parsl.executor.htex.worker.task 31/worker_completed_task  block-0/1954f1261cd1/worker_0.log:13
      9.5 s   1.51 ms  htex interchange       parsl.task/ended (5 events)  000/htex_Local/interchange.log:1320
  $ htex events --format csv | wc -l
  2570

Within how many seconds: the next one behind, or the last.

  $ spanloom show task 42 --merge a/x=*/launched --merge b/x=*/pending --within 0.00002 | grep 'events)' | cut -c 32-
      68 us     24 us  parsl                  b/x (2 events)  runinfo/000/parsl.log:497
    52.8 ms     48 us  parsl                  a/x (2 events)  runinfo/000/parsl.log:1743
  $ spanloom show task 42 --merge a/x=*/launched --within 1 --merge b/x=*/pending --within 0.00002 | grep 'events)' | cut -c 32-
      68 us     24 us  parsl                  b/x (2 events)  runinfo/000/parsl.log:497
    52.8 ms     48 us  parsl                  a/x (3 events)  runinfo/000/parsl.log:1743
  $ spanloom show task 42 --merge a/x=*/launched --within soon
  spanloom: --within needs seconds, such as 0.1, not 'soon'
  try: spanloom show --help
  [2]
  $ spanloom show task 42 --merge a/x=*/launched --within -1
  spanloom: --within needs seconds, such as 0.1, not '-1'
  try: spanloom show --help
  [2]

Layers, and names.

  $ spanloom events worker.task --ignore worker.task | head -3 | sed "s/ of .*//"
  parsl.executor.htex.worker.task 1
  no events
  
  $ spanloom sequences --ignore 'parsl.executor.*' --ignore 'parsl.monitoring.*' --rename rundir.task=T --rename T/launched=go | cut -c 44-
  elow 198 spans of type parsl.monitoring.task
  
  
  
  span type/event type
  T/submitted
  T/pending
  T/go
  parsl.rundir.try/launched
  T/exec_done
  $ spanloom sequences task --ignore 'parsl.*' | head -2
  There is 1 ordering of events below 198 spans of type parsl.monitoring.task
  what several logs tell of one moment is one event (--lens none: as they are)

What the store itself looks through can be left out.

  $ spanloom sql --write "INSERT INTO sl_lens (kind, what) VALUES ('ignore', 'parsl.executor.*'), ('ignore', 'parsl.monitoring.*')"
  $ for o in "" --lens=none "--ignore=*/launched" "--lens=none --ignore=*/launched"; do spanloom show task 42 --format tsv $o | sed 1d | wc -l; done
  5
  19
  3
  16

Names that nothing has, and names that several have.

  $ spanloom sequences --ignore htex.manger --merge a/x=worker.task/received,*/exec_done | head -1
  spanloom: --ignore: nothing in spanloom.db is called htex.manger; near it: parsl.executor.htex.manager; see: spanloom types --events -d spanloom.db
  spanloom: --merge: nothing in spanloom.db is called parsl.executor.htex.worker.task/received; near it: parsl.executor.htex.worker.task/worker_received_task; see: spanloom types --events -d spanloom.db
  There are 8 different orderings of events below 198 spans of type parsl.monitoring.task
  $ spanloom sequences --ignore try
  spanloom: several types end in 'try'; say which, or '*.try' for all: parsl.monitoring.try parsl.rundir.try
  [1]
  $ spanloom sequences --rename nothing=x --ignore x --ignore parsl.submit_script | head -1
  spanloom: --rename: nothing in spanloom.db is called nothing; see: spanloom types --events -d spanloom.db
  spanloom: --ignore: nothing in spanloom.db is called x; see: spanloom types --events -d spanloom.db
  There are 8 different orderings of events below 198 spans of type parsl.monitoring.task
  $ spanloom sequences --rename task
  spanloom: --rename needs a value like WHAT=NEW, not 'task'
  try: spanloom sequences --help
  [2]
  $ spanloom sequences --rename 'task=a*b'
  spanloom: --rename: 'a*b' is no name for events; it is TYPE/EVENT, and without a *
  try: spanloom sequences --help
  [2]
  $ spanloom sequences --merge task=
  spanloom: --merge needs a value like NAME=WHAT,..., not 'task='
  try: spanloom sequences --help
  [2]
  $ spanloom sequences --ignore ''
  spanloom: --ignore needs a value: WHAT
  try: spanloom sequences --help
  [2]
