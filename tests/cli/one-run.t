# SPDX-License-Identifier: Apache-2.0
A store may hold several runs. --run is in every command that tells of spans, and what is of all of them together says so.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo" "$ROOT/tests/data/parsl-2026-threads/runinfo"
  $ spanloom runs --format csv | cut -d, -f1,5
  run,tasks
  parsl-htex,198
  parsl-2026-threads,20
  $ for c in types "types --events" "links" "events parsl.rundir.task" "rate returned" "states" "sequences" "durations invoked returned" "utilisation"; do
  >   spanloom $c 2>&1 >/dev/null | sed "s/^/$c: /"
  >   spanloom $c --run parsl-h 2>&1 >/dev/null
  > done
  types: spanloom: this is of 2 runs together; of one alone with --run: parsl-htex, parsl-2026-threads
  types --events: spanloom: this is of 2 runs together; of one alone with --run: parsl-htex, parsl-2026-threads
  links: spanloom: this is of 2 runs together; of one alone with --run: parsl-htex, parsl-2026-threads
  events parsl.rundir.task: spanloom: this is of 2 runs together; of one alone with --run: parsl-htex, parsl-2026-threads
  rate returned: spanloom: this is of 2 runs together; of one alone with --run: parsl-htex, parsl-2026-threads
  states: spanloom: this is of 2 runs together; of one alone with --run: parsl-htex, parsl-2026-threads
  sequences: spanloom: this is of 2 runs together; of one alone with --run: parsl-htex, parsl-2026-threads
  durations invoked returned: spanloom: this is of 2 runs together; of one alone with --run: parsl-htex, parsl-2026-threads
  utilisation: spanloom: this is of 2 runs together; of one alone with --run: parsl-htex, parsl-2026-threads

What a run has alone is what a store of it has, but for the database in which its tables lie beside those of others:

  $ spanloom import --quiet -d parsl-htex.db "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom import --quiet -d parsl-2026-threads.db "$ROOT/tests/data/parsl-2026-threads/runinfo"
  $ same() { # COMMAND...
  >   for run in parsl-htex parsl-2026-threads; do
  >     spanloom "$@" --format csv --run $run 2>&1 | grep -v database >one.csv
  >     spanloom "$@" --format csv -d $run.db 2>&1 | grep -v database >alone.csv
  >     cmp one.csv alone.csv && echo "$*: $(wc -l <one.csv)"
  >   done
  > }
  $ same types
  types: 18
  types: 11
  $ same types --events
  types --events: 66
  types --events: 34
  $ same links
  links: 19
  links: 10
  $ same rate returned --bin 1
  rate returned --bin 1: 24
  rate returned --bin 1: 4
  $ same rate returned --bin 1 --by app
  rate returned --bin 1 --by app: 50
  rate returned --bin 1 --by app: 7
  $ same states
  states: 8091
  states: 495
  $ same sequences
  sequences: 11
  sequences: 11
  $ same sequences --lens none
  sequences --lens none: 20
  sequences --lens none: 15
  $ same utilisation
  utilisation: 24
  utilisation: 23
  $ for run in parsl-htex parsl-2026-threads; do
  >   spanloom info --run $run --format csv | grep -v '^sources\|^span\|containments' >one.csv
  >   spanloom info -d $run.db --format csv | grep -f <(cut -d, -f1 one.csv | sed 's/.*/^&,/') | diff one.csv - && wc -l <one.csv
  > done
  9
  9
  $ spanloom events parsl.rundir.task --run parsl-htex | sed 's/(span [0-9]*)//' >one
  $ spanloom events parsl.rundir.task -d parsl-htex.db | sed 's/(span [0-9]*)//' | cmp one - && wc -l <one
  5299
  $ spanloom skew --run parsl-htex --format csv | cut -d, -f2,4- >one.csv
  $ spanloom skew -d parsl-htex.db --format csv | cut -d, -f2,4- | cmp one.csv - && wc -l <one.csv
  6

What is rejected in a file that tells of the run, or lies in its directory, is the run's:

  $ mkdir -p damaged/runinfo && cp -r "$ROOT/tests/data/parsl-2026-threads/runinfo/000" damaged/runinfo/
  $ chmod -R u+w damaged && printf '{"created": 1, "cut o' >>damaged/runinfo/000/parsl.log
  $ spanloom import --quiet -d two.db "$ROOT/examples/parsl-htex/runinfo" damaged/runinfo
  $ spanloom rejects -d two.db --run parsl-htex
  place  reason  text
  (no rejected records)
  $ spanloom rejects -d two.db --run damaged --format csv | sed 's/^.*runinfo/.../'
  place,reason,text
  .../000/parsl.log:528,the last line is cut off,"{""created"": 1, ""cut o"

  $ for run in damaged parsl-htex; do echo "$run:"; spanloom why -d two.db --all --run $run | grep -A1 'could not be used'; done
  damaged:
   4. 1 record could not be used
      spanloom rejects -d two.db --run damaged
  parsl-htex:
  [1]

Names that begin alike are all named, one that is nearly right is offered:

  $ spanloom states --run parsl
  spanloom: the names of 2 runs begin with parsl; say more of it:
    parsl-htex
    parsl-2026-threads
  [1]
  $ spanloom show task 0 --run parsl
  spanloom: the names of 2 runs begin with parsl; say more of it:
    parsl-htex
    parsl-2026-threads
  [1]
  $ spanloom states --run parsl-htx
  spanloom: no run is called parsl-htx; did you mean 'parsl-htex'? see them with: spanloom runs -d spanloom.db
  [1]
