# SPDX-License-Identifier: Apache-2.0
Which run next, and the best of all.  The score is a made function without noise: a and d together are worse than d alone.

  $ cat > experiment.yaml <<'EOF'
  > experiment: demo
  > command: echo took $(( 1000 - 200 * ${A:-0} - 5 * ${B:-0} + 500 * ${A:-0} * ${D:-0} - 250 * ${D:-0} + 90 * ${W:-0} )) us
  > score: {name: took, unit: us/task, regex: "took (.*) us"}
  > factors:
  >   a: {environment: {A: "1"}}
  >   b: {levels: [0, 20, 30], environment: {B: "{level}"}}
  >   c: {placebo: yes}
  >   d: {environment: {D: "1"}}
  >   workload: {levels: [0, 1], environment: {W: "{level}"}}
  > groups:
  >   mine: [a, b, c, d]
  > constraints:
  >   - not: [b=30, c]
  > EOF
  $ spanloom experiment suggest
  spanloom: no run of demo has a score yet; begin with: spanloom experiment design full (or another), run
  [1]

The best is d with b=30, 600 us (a and b=30 come to 650).  The workload is not to be chosen.

  $ spanloom experiment tune --factors mine --runs 32 | head -1
  best: b=30 d, faster by 40.0 % (40.0 to 40.0 %), sure
  $ grep -c '"record": "run"' demo.tune.runs.jsonl
  32
  $ grep -c '"workload": "1"' demo.tune.runs.jsonl
  0
  [1]

Its runs are data, and the same command has nothing left to do.

  $ spanloom experiment factors | head -1
  demo: 32 runs, * (glob)
  $ spanloom experiment tune --factors mine --runs 32 --format json | head -4 | sed 's/-0.[34][0-9]*/-0.4/g' | cut -c1-44
  {
  "tuned": [
   {"best":"b=30 d", "change":-0.4, "lower":-0
  ],
  $ grep -c '"record": "run"' demo.tune.runs.jsonl
  32

Killed at any run, it goes on with what would have been next: the same runs come of it.

  $ mkdir once cut && cp experiment.yaml once && cp experiment.yaml cut
  $ (cd once && spanloom experiment tune --factors mine --runs 20 --no-import >/dev/null; ls)
  demo.tune.runs.jsonl
  experiment.yaml
  $ cd cut
  $ for i in 1 2 3 4 5 6; do (spanloom experiment tune --factors mine --runs 20 --no-import >/dev/null & p=$!; until [ $(grep -c '"run":' demo.tune.runs.jsonl 2>/dev/null || echo 0) -ge $((3 * i)) ]; do kill -0 $p 2>/dev/null || break; done; kill -9 $p; wait $p) 2>/dev/null; done; true
  $ spanloom experiment tune --factors mine --runs 20 --no-import 2>/dev/null | head -1
  best: * (glob)
  $ runs() { grep '"record": "run"' $1/demo.tune.runs.jsonl | sed 's/.*\("run": [^,]*\).*\("took": [^,]*\).*\("a": .*"workload": [^,]*\).*/\1 \2 \3/'; }
  $ cd .. && diff <(runs once) <(runs cut)

Suggestions.  What they name is planned with --add, and runs with the rest.

  $ spanloom experiment suggest --factors mine --runs 2 --add > said
  spanloom: 2 runs are planned: spanloom experiment run
  $ sed 's/next: .*/next: SETTING/; s/then: .*/then: SETTING/; s/narrows most the effect of .*/narrows most/; s/expected: .* us.task (.*)/expected/' said
  next: SETTING
        narrows most
        expected; * it (glob)
  then: SETTING
        narrows most
        expected; * it (glob)
  or, to find the best: b=30 d
        the best of all with a chance of * % (glob)
        expected; * have it (glob)
  $ spanloom experiment run
  demo: 2 runs made, 0 failed

  $ spanloom experiment tune --runs 10
  spanloom: --runs takes a whole number from 20 up, not '10'
  try: spanloom experiment tune --help
  [2]
  $ spanloom experiment tune d
  spanloom: experiment tune takes no 'd': what can run stands in experiment.yaml
  try: spanloom experiment tune --help
  [2]
  $ spanloom experiment suggest --factors x
  spanloom: experiment.yaml has no factor and no group 'x' (--factors)
  try: spanloom experiment suggest --help
  [2]
