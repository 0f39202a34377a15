# SPDX-License-Identifier: Apache-2.0
Two commands in turns.  What they print is the score here, so that every run of this test sees the same.

  $ compare() { spanloom experiment compare "$@"; }
  $ compare 'echo took 2.00 s' 'echo took 2.20 s' --score 'took (.*) s' --fail-on 5% --seed 1 | sed 's/ in [0-9.]* .*s;/ in TIME;/'
  worse by 10.0 % (10.0 to 10.0 %), sure; that is more than 5 %
  
  base  echo took 2.00 s      2.00
  new   echo took 2.20 s      2.20
  9 pairs, each in random order, in TIME; the interval is wrong in at most 5 %
  of comparisons, though one looks after each pair
  $ compare 'echo 2.00' 'echo 2.20' --score '([0-9.]+)' --fail-on 5% >/dev/null; echo $?
  3
  $ compare 'echo 2.00' 'echo 2.04' --score '([0-9.]+)' --fail-on 5% | head -1
  worse by 2.00 % (2.00 to 2.00 %), less than 5 %
  $ compare 'echo 2.00' 'echo 2.00' --score '([0-9.]+)' --fail-on 5% | head -1
  no change larger than 5 %: 0 % (0 to 0 %)
  $ compare 'echo 2.00' 'echo 2.20' --score '([0-9.]+)' --rate --fail-on 5% | head -1
  better by 10.0 % (10.0 to 10.0 %), sure
  $ compare 'echo 2.00' 'echo 1.80' --score '([0-9.]+)' --rate --fail-on 5% | head -1
  worse by 10.0 % (10.0 to 10.0 %), sure; that is more than 5 %

The budget ends before it is known.

  $ compare 'echo 2.00' 'echo 2.20' --score '([0-9.]+)' --fail-on 5% --pairs 5 | head -2
  not known: +10.0 %, of too few pairs for an interval;
  some 4 more pairs would tell
  $ compare 'echo 2.00' 'echo 2.20' --score '([0-9.]+)' --fail-on 5% --pairs 5 >/dev/null; echo $?
  4
  $ compare 'echo 2.00' 'echo 2.20' --score '([0-9.]+)' --pairs 5 >/dev/null; echo $?
  0
  $ compare 'echo 2.00' 'echo 2.20' --score '([0-9.]+)' --pairs 9 --format csv | sed 's/,[^,]*$/,S/'
  verdict,base,new,change,lower,upper,pairs,more_pairs,base_score,new_score,unit,base_failed,new_failed,fail_on,S
  worse,echo 2.00,echo 2.20,0.10000000000000014,0.10000000000000013,0.10000000000000016,9,,2.0,2.2,,0,0,,S

Nothing is left in the folder.

  $ ls -A

What is wrong is said.

  $ compare 'true' 'echo oops; false'
  spanloom: the new one fails: warm-up: exit status 1: oops
  [1]
  $ compare 'true' 'echo 5' --score 'took (.*)' 2>&1 | tail -1
  spanloom: the base fails: * (glob)
  $ compare 'echo 0' 'echo 5' --score '([0-9.]+)'
  spanloom: a score of 0 cannot be compared by ratio: scores must be above 0
  try: spanloom experiment compare --help
  [2]
  $ compare true
  spanloom: compare what? BASE and NEW: settings of experiment.yaml, such as none and a,b=2, or, where there is none, two commands
  try: spanloom experiment compare --help
  [2]
  $ compare true true --fail-on 2s
  spanloom: --fail-on takes percent, such as 5%, not '2s'
  try: spanloom experiment compare --help
  [2]
  $ compare true true --budget soon
  spanloom: --budget takes a time, such as 30s, 10min or 2h (a number alone is seconds), not 'soon'
  try: spanloom experiment compare --help
  [2]
  $ compare true true --where 'a = 1'
  spanloom: experiment compare has no option --where
  try: spanloom experiment compare --help
  [2]
  $ compare true true --rate
  spanloom: --rate is of --score REGEX; the time of a command is no rate
  try: spanloom experiment compare --help
  [2]

Settings of a plan.  Runs are kept, with what they say of themselves.

  $ cat > experiment.yaml <<EOF
  > experiment: demo
  > command: echo took \$((100 + \${A:-0} + \${B:-0})) us
  > score: {name: took, unit: us/task, regex: "took (.*) us"}
  > factors:
  >   a: {environment: {A: "10"}}
  >   b: {levels: [0, 20, 30], environment: {B: "{level}"}}
  >   c: {placebo: yes}
  > constraints:
  >   - not: [a, c]
  > EOF
  $ compare none a,b=30 --fail-on 5% | sed 's/ in [0-9.]* .*s;/ in TIME;/'
  slower by 40.0 % (40.0 to 40.0 %), sure; that is more than 5 %
  
  base  base         100 us/task
  new   a b=30       140 us/task
  9 pairs, each in random order, in TIME; the interval is wrong in at most 5 %
  of comparisons, though one looks after each pair
  $ compare none c --fail-on 5% | head -1
  no change larger than 5 %: 0 % (0 to 0 %)
  $ grep -c '"record": "run"' demo.compare.runs.jsonl
  36
  $ spanloom import demo.compare.runs.jsonl >/dev/null && spanloom experiment factors | head -1
  demo: 36 runs, * (glob)
  $ compare none a,c
  spanloom: 'a,c' is not allowed: never a and c (experiment.yaml:9)
  try: spanloom experiment compare --help
  [2]
  $ compare none b
  spanloom: which level of b? Say b=20, or another one
  try: spanloom experiment compare --help
  [2]
  $ compare a 'a a'
  spanloom: 'a' is there twice
  try: spanloom experiment compare --help
  [2]
  $ compare base none
  spanloom: 'base' and 'none' are the same setting
  try: spanloom experiment compare --help
  [2]
  $ compare none b=31
  spanloom: b has no level '31'; there are: 0, 20, 30
  try: spanloom experiment compare --help
  [2]
  $ compare none a --score '([0-9.]+)'
  spanloom: experiment.yaml says what the score and the timeout are
  try: spanloom experiment compare --help
  [2]
