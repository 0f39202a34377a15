# SPDX-License-Identifier: Apache-2.0
How long a run would have taken.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom what-if '* x1'
  change  makespan_s  new_makespan_s  change_s  percent
  * x1     31.406198       31.406198       0.0      0.0
  $ spanloom what-if 'parsl.executor.htex.* x1'
  change                    makespan_s  new_makespan_s  change_s  percent
  parsl.executor.htex.* x1   31.406198       31.406198       0.0      0.0
  $ spanloom what-if 'parsl.executor.htex.* x0.5' --format csv | awk -F, 'NR == 2 {print $1, $2, ($3 < $2 && $4 < 0 && $5 < 0) ? "shorter" : $0}'
  parsl.executor.htex.* x0.5 31.406198 shorter
  $ spanloom what-if 'running on a worker x0.5' 'driver x0' --format csv | head -1
  change,makespan_s,new_makespan_s,change_s,percent
  $ spanloom what-if 'app=sleeper x2' --format csv | awk -F, 'NR == 2 {print $1, $2, ($3 > $2 && $4 > 0) ? "longer" : $0}'
  app=sleeper x2 31.406198 longer
  $ spanloom what-if 'app=sleeper x2' --format csv --tasks | head -2
  task,first_s,done_s,new_first_s,new_done_s,span
  0,0.0,9.426165,0.0,13.476578,4
  $ spanloom what-if '* x1' --format csv --tasks | awk -F, 'NR > 1 && ($2 != $4 || $3 != $5)'
  $ spanloom what-if '* x0' --format csv | tail -1
  * x0,31.406198,0.0,-31.406198,-100.0
  $ spanloom what-if
  spanloom: what if what? for example: spanloom what-if 'running on a worker x0.5'
  try: spanloom what-if --help
  [2]
  $ spanloom what-if x
  spanloom: 'x' is no change; say what is to be how much slower or faster, such as: 'parsl.executor.htex.* x0.5'
  try: spanloom what-if --help
  [2]
  $ spanloom what-if 'running on a worker x-1'
  spanloom: 'running on a worker x-1' is no change; say what is to be how much slower or faster, such as: 'parsl.executor.htex.* x0.5'
  try: spanloom what-if --help
  [2]
  $ spanloom what-if 'running on a worker xnan'
  spanloom: 'running on a worker xnan' is no change; say what is to be how much slower or faster, such as: 'parsl.executor.htex.* x0.5'
  try: spanloom what-if --help
  [2]
  $ spanloom what-if 'no such state x2'
  spanloom: spanloom.db: what_if: no task does anything that 'no such state' means; what there is: spanloom critical-path, and spanloom types
  [1]
  $ spanloom what-if '* x1' --run zzz
  spanloom: no run is called zzz; see them with: spanloom info --runs -d spanloom.db
  [1]
  $ spanloom what-if '* x1' -d none.db
  spanloom: no store none.db; make one with: spanloom import PATH... -d none.db
  [1]
  $ spanloom import --quiet -d two.db "$ROOT/tests/data/workqueue-two"
  $ spanloom what-if -d two.db '* x1' 2>&1 | head -1
  change  makespan_s  new_makespan_s  change_s  percent
  $ spanloom what-if -d two.db '* x1' --run 000 --format csv
  change,makespan_s,new_makespan_s,change_s,percent
  * x1,34.426099,34.426099,0.0,0.0
