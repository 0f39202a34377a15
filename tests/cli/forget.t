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
  spanloom: no source is called runinfo/no/such.log; see them with: spanloom sql 'select id, path from sources'
  [1]
