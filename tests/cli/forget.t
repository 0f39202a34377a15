# SPDX-License-Identifier: Apache-2.0
Sources can be forgotten.

  $ cp -r "$ROOT/examples/parsl-htex/runinfo" . && chmod -R u+w runinfo
  $ spanloom import --quiet runinfo
  $ spanloom sql --format csv "select count(*) as n from event"
  n
  4262

A file was replaced by a shorter one.  The store shows the newer:

  $ log=runinfo/000/htex_Local/block-0/1954f1261cd1/worker_1.log
  $ head -20 $log > short && mv short $log
  $ spanloom import --quiet runinfo
  $ spanloom sql --format csv "select count(*) as n from event"
  n
  3977
  $ spanloom sql --format csv "select replace(path, rtrim(path, replace(path, '/', '')), '') as file, records, replaced_by is not null as old from sources where path like '%worker_1.log'"
  file,records,old
  worker_1.log,590,1
  worker_1.log,20,0
  $ spanloom forget --replaced
  1 source forgotten
  $ spanloom sql --format csv "select count(*) as versions from sources where path like '%worker_1.log'"
  versions
  1
  $ spanloom forget --replaced
  0 sources forgotten

What one file said, but not what others say:

  $ spanloom forget "$PWD/$log"
  1 source forgotten
  $ spanloom sql --format csv "select count(*) as n from event"
  n
  3967
  $ spanloom import --quiet runinfo
  $ spanloom sql --format csv "select count(*) as n from event"
  n
  3977
  $ spanloom forget runinfo/no/such.log
  spanloom: no source is called runinfo/no/such.log; see them with: spanloom sql -d spanloom.db 'select id, path from sources'
  [1]

A path is what import takes for one: with dots, twice a slash, through a link, from another folder, of what is gone:

  $ ln -s runinfo link
  $ for p in runinfo/000/parsl.log ./runinfo/000/parsl.log runinfo//000/./parsl.log/ runinfo/../runinfo/000/parsl.log link/000/parsl.log; do
  >   spanloom forget $p; spanloom import --quiet runinfo; done
  1 source forgotten
  1 source forgotten
  1 source forgotten
  1 source forgotten
  1 source forgotten
  $ (cd runinfo/000 && spanloom forget -d ../../spanloom.db ./parsl.log && spanloom forget -d ../../spanloom.db .)
  1 source forgotten
  7 sources forgotten
  $ mv runinfo moved && spanloom forget ./runinfo/monitoring.db && spanloom forget runinfo/
  7 sources forgotten
  spanloom: no source is called runinfo/; see them with: spanloom sql -d spanloom.db 'select id, path from sources'
  [1]

  $ mkdir jobs && ln -s "$ROOT/tests/data/slurm/jobs.sacct" jobs && spanloom import --quiet --zone Z jobs
  $ spanloom forget ./jobs/jobs.sacct
  1 source forgotten

The end of a path is enough where it is that of one; what is near is named:

  $ mv moved runinfo && cp -r runinfo other && sed -i s/3d9e0d70/4d9e0d70/ other/000/parsl.log && spanloom import --quiet runinfo other
  $ spanloom forget ./parsl.log 2>&1 | sed "s:$PWD:HERE:"
  spanloom: 2 sources end in parsl.log; say which, by more of its path or by its id:
    HERE/other/000/parsl.log
    HERE/runinfo/000/parsl.log
  $ spanloom forget other/000/parsl.log
  1 source forgotten
  $ spanloom forget ./parsl.log
  1 source forgotten
  $ spanloom forget other/interchang.log 2>&1 | sed "s:$PWD:HERE:g" | head -1
  spanloom: no source is called other/interchang.log; near it: HERE/other/000/htex_Local/interchange.log; see them with: spanloom sql -d spanloom.db 'select id, path from sources'
  $ spanloom forget ""
  spanloom: forget which source? a path, or its id
  try: spanloom forget --help
  [2]
