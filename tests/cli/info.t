# SPDX-License-Identifier: Apache-2.0
What a store holds.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom info | sed '/^$/,$d' | grep -v bytes
  what                          value
  sources                       15
  records                       21597
  rejected records              0
  spans                         1527
  span types                    18
  events                        4262
  spans in another              1524
  further containments          1110
  facets                        431
  after and flow links          212
  records with attributes       1287
  records with samples          313
  first event                   2026-11-20T08:11:29.117Z
  last event                    2026-11-20T08:12:00.523Z
  local times                   UTC+00:00 as the logs say
  links to spans not known yet  0
  schema                        7
  $ spanloom info --format csv | head -5
  what,value
  sources,15
  records,21597
  rejected records,0
  spans,1527
  $ spanloom info --format json | head -3
  [
   {"what":"sources", "value":15},
   {"what":"records", "value":21597},

Without a store, the message says how one is made:

  $ spanloom info -d none.db
  spanloom: no store none.db; make one with: spanloom import PATH... -d none.db
  [1]

The store can be named by the environment:

  $ mv spanloom.db there.db
  $ SPANLOOM_DB=there.db spanloom info | head -1
  what                          value

What is no store is said to be none, by every command:

  $ mkdir folder && mkfifo pipe && : > empty.db && echo hello > text
  $ for s in folder pipe empty.db text no/such.db text/x.db; do for c in info bind "sql --write 'select 1'" "import --quiet $ROOT/tests/data/slurm"; do
  >   eval timeout 600 spanloom $c -d $s; done; rm -f empty.db; : > empty.db; done 2>&1 | uniq
  spanloom: folder is a directory; name the file of the store with -d FILE
  spanloom: pipe is a pipe, socket or device; name the file of the store with -d FILE
  spanloom: empty.db is empty; fill it with: spanloom import PATH... -d empty.db
  spanloom: text is not a Spanloom store (not an SQLite file); name the store with -d FILE
  spanloom: no store no/such.db; make one with: spanloom import PATH... -d no/such.db
  spanloom: cannot open the store no/such.db: No such file or directory; choose another place with -d FILE
  spanloom: cannot open the store text/x.db: Not a directory; choose another place with -d FILE
