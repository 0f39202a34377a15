# SPDX-License-Identifier: Apache-2.0
Importing a run: what is read, what comes of it.

  $ cp -r "$ROOT/examples/parsl-htex/runinfo" . && chmod -R u+w runinfo
  $ here() { sed "s|$PWD/||g"; }
  $ without_seconds() { sed -E 's/ *(, )?[0-9.]+( s.*)?$//'; }

First look at what would be read, and by which recipe:

  $ spanloom import --dry-run runinfo | grep -v nothing | here
  recipe                    bytes  path
  parsl.log                946956  runinfo/000/parsl.log
  parsl.htex.manager      1282253  runinfo/000/htex_Local/block-0/1954f1261cd1/manager.log
  parsl.htex.worker        134135  runinfo/000/htex_Local/block-0/1954f1261cd1/worker_0.log
  parsl.htex.worker        107898  runinfo/000/htex_Local/block-0/1954f1261cd1/worker_1.log
  parsl.htex.interchange  2059085  runinfo/000/htex_Local/interchange.log
  parsl.submit               1012  runinfo/000/submit_scripts/parsl.htex_Local.block-0.1795162294.2687755.sh
  parsl.submit                  2  runinfo/000/submit_scripts/parsl.htex_Local.block-0.1795162294.2687755.sh.ec
  parsl.submit                 36  runinfo/000/submit_scripts/parsl.htex_Local.block-0.1795162294.2687755.sh.out
  parsl.monitoring         499712  runinfo/monitoring.db

A recipe that nobody has to name reads each file:

  $ spanloom import runinfo | without_seconds
  recipe                  files  records  used  skipped  rejects  new spans  events  seconds
  parsl.log                   1     5059  1500     3559        0        430    1176
  parsl.htex.manager          1     6066   225     5841        0        442     225
  parsl.htex.worker           2     1323   661      662        0        221     661
  parsl.htex.interchange      1     6798   661     6137        0          0     663
  parsl.submit                3       34     3       31        0          1       1
  parsl.monitoring            1     2317  1879      438        0        433    1536
  
  spanloom.db: 1,527 new spans, 4,262 events from 9 files

Again: nothing new, and that is said.

  $ spanloom import runinfo | without_seconds
  spanloom.db: 0 new spans, 0 events from 0 files (9 known already)

Only the database, into another store, for a program:

  $ spanloom import -d other.db --format csv runinfo/monitoring.db | without_seconds
  recipe,files,records,used,skipped,rejects,spans,events,seconds
  parsl.monitoring,1,2317,1879,438,0,433,1536,

A log grew by one record, and one that was cut off:

  $ log=runinfo/000/htex_Local/block-0/1954f1261cd1/worker_0.log
  $ tail -1 $log | sed 's/task 210/task 9001/' >> $log
  $ printf '1795162315.577806 2026-11-20 08:11:55 HTEX-Wor' >> $log
  $ spanloom import runinfo | without_seconds
  recipe             files  records  used  skipped  rejects  new spans  events  seconds
  parsl.htex.worker      1      735   367      367        1          1     367
  
  spanloom.db: 1 new spans, 2 events from 1 file (8 known already)

The cut line was counted, and can be seen:

  $ spanloom rejects --format csv | here
  place,reason,text
  runinfo/000/htex_Local/block-0/1954f1261cd1/worker_0.log:735,the last line is cut off,1795162315.577806 2026-11-20 08:11:55 HTEX-Wor

Files that are not there, and files that nobody knows:

  $ spanloom import nowhere
  spanloom: nowhere: No such file or directory
  [1]
  $ touch notes.txt
  $ spanloom import -d new.db notes.txt
  spanloom: no recipe knows any file below notes.txt; see what there is with `spanloom import --dry-run`, and `spanloom recipes` for what is known
  [1]
  $ spanloom import -d known.db notes.txt runinfo 2>&1 | grep -v 'parsl\|known.db\|^recipe\|^$'
  spanloom: notes.txt: no recipe knows this file
  $ touch other.txt; spanloom import --quiet -d known.db notes.txt other.txt runinfo; rm known.db
  spanloom: notes.txt and 1 more: no recipe knows these files
  $ ls *.db
  other.db
  spanloom.db

No words at all:

  $ spanloom import -d quiet.db --quiet runinfo

Work Queue's log under another name is known by how it begins.

  $ mkdir wq && cp "$ROOT/tests/data/workqueue-bare/my.tr.log" wq/run7.log && echo "begins otherwise" > wq/other.log
  $ spanloom import -d wq.db --dry-run wq | sed "s#$PWD/##"
  recipe                  bytes  path
  workqueue.transactions  22862  wq/run7.log
  (nothing)                  17  wq/other.log

A trace may be called anything where it is named itself; below a folder, its name must be one of a trace:

  $ mkdir odd && cp "$ROOT/tests/data/traces/verbose.pfw" odd/app
  $ spanloom import --quiet -d odd.db odd/app
  $ spanloom sql -d odd.db --format tsv "SELECT count(*) > 0 FROM spans WHERE type = 'trace.call'" | tail -1
  1
  $ spanloom import --quiet -d none.db odd
  spanloom: no recipe knows any file below odd; see what there is with `spanloom import --dry-run`, and `spanloom recipes` for what is known
  [1]

Traces whose clock counts from the start of the machine, and do not say when that was:

  $ spanloom import -d traces.db "$ROOT/tests/data/traces/node_trace.1.log" 2>&1 >/dev/null | sed "s#$ROOT/##"
  spanloom: times in tests/data/traces/node_trace.1.log count from an unknown moment, such as the start of the machine, and appear near 1970
  $ spanloom import -d traces.db "$ROOT/tests/data/traces" 2>&1 >/dev/null | sed "s#$ROOT/##"
  spanloom: times in tests/data/traces/chromium.json and 1 more file count from an unknown moment, such as the start of the machine, and appear near 1970
  $ spanloom import --quiet -d quiet.db "$ROOT/tests/data/traces"
  $ spanloom import -d other.db "$ROOT/tests/data/traces/clang.json" 2>&1 >/dev/null

A field that no recipe asks for, or none of those that read the files:

  $ spanloom import -d set.db --set rundri=/x "$ROOT/tests/data/slurm"
  spanloom: no recipe asks for a field 'rundri'; did you mean rundir?
  try: spanloom import --help
  [2]
  $ spanloom import -d set.db --quiet --zone Z --set worker=1 "$ROOT/tests/data/slurm/jobs.sacct"
  spanloom: the field 'worker' (--set) is of no use: no recipe of the files found asks for it

What records have themselves goes before --set, and that is told:

  $ spanloom import --quiet -d given.db --set task=4 "$ROOT/tests/data/parsl-2026-threads/runinfo" 2>&1 | sed "s|$ROOT|ROOT|"
  spanloom: ROOT/tests/data/parsl-2026-threads/runinfo/monitoring.db: its records have a field task of their own, which counts; what was given is not used there
  $ spanloom import --quiet -d plain.db "$ROOT/tests/data/parsl-2026-threads/runinfo"
  $ for s in given plain; do spanloom sql -d $s.db --format tsv "SELECT count(*) FROM spans WHERE type = 'parsl.monitoring.task'" | tail -1; done
  20
  20
