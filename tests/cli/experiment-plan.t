# SPDX-License-Identifier: Apache-2.0

What a new user meets: one base everywhere, what is wrong with a plan before anything runs, what was left behind.

The base is the first level of the plan, also where it is not the lowest; the score is a made function without noise.

  $ mkdir base && cd base && cat > experiment.yaml <<'END'
  > experiment: bases
  > command: 'echo score $((100 + P + Q + S))'
  > score: {regex: 'score (\d+)'}
  > factors:
  >   pages: {levels: [128, 64, 256], environment: {P: "{level}"}}
  >   on: {levels: [1, 0], environment: {Q: "{level}"}}
  >   policy: {levels: {slow: {environment: {S: 90}}, fast: {environment: {S: 10}}}}
  > repeats: 2
  > END
  $ spanloom experiment design full > said && spanloom experiment run
  bases: 24 runs made, 0 failed
  $ spanloom experiment means | sed -n '2,10p' | cut -c1-40
  base: pages=128, on=1, policy=slow
  what each treatment changes (less is bet
  
  all runs with - without         change  
  policy=fast                      -80.0  
  pages=64                         -64.0  
  on=0                             -1.00  
  pages=256                         +128  
  
  $ spanloom experiment model --no-time | sed -n '5,10p' | cut -c1-43
  term                             change  95
  (Intercept)                         319  +3
  pages64                           -64.0  -6
  pages256                           +128  +1
  on0                               -1.00  -1
  policyfast                        -80.0  -8
  $ spanloom experiment factors | tail -3
  pages                        categorical  128: 8, 64: 8, 256: 8
  on                           categorical  1: 12, 0: 12
  policy                       categorical  slow: 12, fast: 12
  $ spanloom experiment compare none policy=fast | head -1
  better by 25.1 % (25.1 to 25.1 %), sure

The plan that ran last says which it is; a factor that comes later was at its base before, whatever that is.

  $ sed -i 's/128, 64, 256/64, 128, 256/; s/^  on:/  late: {levels: [b, a], environment: {LATE: "{level}"}}\n  on:/' experiment.yaml
  $ spanloom experiment design list <(echo late; echo a) > said && spanloom experiment run
  bases: 2 runs made, 0 failed
  $ spanloom experiment means | sed -n '2,3p; /^pairs/,/^$/p' | cut -c1-42
  late joined later: the 42 runs before it c
  base: pages=64, on=1, policy=slow, late=b
  pairs alike in all else         change  95
  policy=fast                      -80.0  -8
  late=a                               0  * (glob)
  on=0                             -1.00  -1
  pages=128                        +64.0  +6
  pages=256                         +192  * (glob)
  

Where no plan says, it is the lowest, which is said.

  $ printf 'size,kind,x,seconds\n' > r.csv; for s in 10 2; do for k in b a; do for x in 0 1; do echo "$s,$k,$x,$((s + x))"; done; done; done >> r.csv
  $ spanloom experiment import -d r.db --score seconds r.csv > said && spanloom experiment means -d r.db | sed -n '2p'
  base (nothing states one: the lowest): size=2, kind=a

Where no run has the base that the plan says, that is said.

  $ spanloom experiment means --where "pages <> 64" | sed -n '3,4p'
  base: on=1, policy=slow
  base (no run has that of the plan: the lowest): pages=128
  $ cd ..

What a killed run left is undone at the next start, and said: its teardown, in its environment, then files.

  $ mkdir killed && cd killed && mkfifo hold && echo original > code.txt && cat > experiment.yaml <<'END'
  > experiment: killed
  > command: 'echo x >> began; read x < hold'
  > factors:
  >   a: {edit: {file: code.txt, replace: original, with: changed}, environment: {UP: "it's up"}, setup: 'touch "$UP"', teardown: ['false', 'rm "$UP"']}
  > END
  $ spanloom experiment design list <(echo a; echo 1)
  */killed.design.csv: 1 run (list), ids 1 to 1 (glob)
  score: time_s, less is better; the time of the command (no `score:` is given)
  $ (spanloom experiment run & p=$!; until [ -s began ]; do kill -0 $p || break; done; kill -9 $p; wait $p) 2>/dev/null; cat code.txt; ls it*
  changed
  it's up
  $ spanloom experiment status
  spanloom: a run was killed before it could clean up: its teardown was run, and failed (exit status 1); 1 file was put back
  killed: 1 run planned, 1 left to make; 0 made in all, 0 failed
  score: time_s, less is better; the time of the command (no `score:` is given)
  
  to start afresh, in the folder of the plan (or give the plan another name):
    rm -rf killed.{design.csv,traces,slurm}
  $ cat code.txt; ls -A
  original
  .killed.lock
  began
  code.txt
  experiment.yaml
  hold
  killed.design.csv
  killed.runs.jsonl

So is what a part left, by what makes runs of all parts.

  $ rm began; (spanloom experiment run --block 1 --part one & p=$!; until [ -s began ]; do kill -0 $p || break; done; kill -9 $p; wait $p) 2>/dev/null; cat code.txt; ls -d .k*
  changed
  .killed.lock
  .killed.one.lock
  .killed.one.undo
  $ spanloom experiment status 2>&1 | head -1
  spanloom: a run was killed before it could clean up: its teardown was run, and failed (exit status 1); 1 file was put back
  $ cat code.txt; ls -A | grep -e undo -e up
  original
  [1]
  $ cd ..

A command that is not there is told before anything runs, with its line.

  $ mkdir there && cd there && plan() { printf 'experiment: there\ncommand: %s\nfactors:\n  a: {%s}\n' "$1" "$2" > experiment.yaml; }
  $ plan '[pyton3, x.py]' 'placebo: yes' && spanloom experiment design full 2>&1 >said | sed 's/;.*//'
  spanloom: before they can run: experiment.yaml:2: command: PATH has no command pyton3
  $ spanloom experiment run
  spanloom: experiment.yaml:2: command: PATH has no command pyton3; is it installed, or is a module or an environment to be loaded?
  [1]
  $ plan ./bench 'placebo: yes' && spanloom experiment run
  spanloom: experiment.yaml:2: command: there is no file ./bench; paths are relative to the folder of the plan; is it built?
  [1]
  $ echo 'exit 0' > bench && spanloom experiment run
  spanloom: experiment.yaml:2: command: it is no program: ./bench; chmod +x it
  [1]
  $ plan bench 'placebo: yes' && spanloom experiment run
  spanloom: experiment.yaml:2: command: PATH has no command bench; it lies beside the plan: put ./ before it, and chmod +x it
  [1]
  $ plan 'true' 'wrapper: "no-such -c 0"' && spanloom experiment run
  spanloom: experiment.yaml:4: wrapper: PATH has no command no-such; * (glob)
  [1]
  $ plan 'true' 'setup: no-such' && spanloom experiment compare none a
  spanloom: experiment.yaml:4: setup: PATH has no command no-such; * (glob)
  [1]
  $ plan 'if true; then X=1 $NONE; fi' 'setup: "cd . && no-such || true", teardown: "X=1 no-such || :"' && spanloom experiment run
  there: 2 runs made, 0 failed
  $ for c in 'X=1 Y= no-such' 'cd . && no-such' 'cd bin && ./no-such' 'no-such || true' 'X=1'; do plan "'$c'" 'placebo: yes'; spanloom experiment design full --dry-run 2>&1 >said | sed 's/;.*//'; done
  spanloom: before they can run: experiment.yaml:2: command: PATH has no command no-such
  spanloom: before they can run: experiment.yaml:2: command: PATH has no command no-such
  spanloom: before they can run: experiment.yaml:2: command: there is no file bin/./no-such
  $ plan ./made 'setup: "printf \"#!/bin/sh\\n\" > made; chmod +x made"' && spanloom experiment run --again
  spanloom: no run has failed that was not made again already
  try: spanloom experiment run --help
  [2]
  $ plan tool "environment: {PATH: $PWD/bin:$PATH}" && mkdir bin && printf '#!/bin/sh\n' > bin/tool && chmod +x bin/tool && spanloom experiment run
  there: all planned runs have been made
  $ cd ..

Constraints that leave no setting are told once, with their lines, whatever the design; so is what --factors makes of them.

  $ mkdir none && cd none && cat > experiment.yaml <<'END'
  > experiment: none
  > command: 'true'
  > factors: {a: {placebo: yes}, b: {placebo: yes}, c: {levels: [x, y, z], placebo: yes}, d: {placebo: yes}}
  > constraints:
  >   - not: [a, d]
  >   - not: [c=z]
  >   - if: a=0
  >     then: c=z
  >   - {if: b, then: d}
  >   - {if: {b: 0}, then: d}
  > END
  $ for design in full 'random 3' 'balanced 4' 'optimal 4' one-at-a-time fraction; do spanloom experiment design $design 2>&1 | head -1; done | uniq
  spanloom: experiment.yaml:5: no setting is left by the constraints: never a and d (line 5), never c=z (line 6), never a=0 and c=x|y (line 7), never b and d=0 (line 9), never b=0 and d=0 (line 10); relax one of them
  $ sed -i '/{if: b,/d' experiment.yaml && spanloom experiment design full 2>&1 | sed -n '1s,.*/,,p'
  none.design.csv: 2 runs (full), ids 1 to 2
  $ spanloom experiment design full --factors c
  spanloom: experiment.yaml:9: with --factors, all others at their base, no setting is left by the constraints: never b=0 and d=0 (line 9)
  try: spanloom experiment design --help
  [2]
  $ cd ..

A level that is no more does not block what has run; what has not says what to do.

  $ mkdir level && cd level && plan() { printf "experiment: level\ncommand: 'true'\nbudget: $2\nfactors: {t: {levels: [$1], argument: '{level}'}}\n" > experiment.yaml; }
  $ plan '1, 2' '20 runs' && spanloom experiment design full > said && spanloom experiment run
  level: 2 runs made, 0 failed
  $ plan '1, 4' '{time: 2 hours, runs: 20}' && spanloom experiment design full | sed 's,.*/,,' && spanloom experiment run --runs 1
  level.design.csv: 2 runs (full), ids 3 to 4, beside 2 from before
  score: time_s, less is better; the time of the command (no `score:` is given)
  level: 1 run made, 0 failed; 1 left: go on with the same command
  $ grep -c ',2$' level.design.csv
  1
  $ plan '8, 16' 10min && spanloom experiment run 2>&1 | sed 's,/[^ ]*/,,'
  spanloom: level.design.csv:5: run 4 is planned with t=*, and experiment.yaml:4 has no such level any more: there are 8, 16; put it back, beside these, or remove the rows that have it (of runs that were not made: 1) and plan others with: spanloom experiment design; runs that were made stay in the log, as they were (glob)
  $ plan '8, 16' soon && spanloom experiment status
  spanloom: experiment.yaml:3: budget is a time (30s, 10min, 8h; a number alone is seconds), `200 runs`, or both: {time: 8h, runs: 200}; not 'soon'
  [1]

Ids of runs that were made are not given again, also where the plan of runs is gone.

  $ plan '1, 2' 30s && rm level.design.csv && spanloom experiment design full | sed -n '1s,.*/,,p'
  level.design.csv: 2 runs (full), ids 4 to 5
  $ spanloom experiment run --runs 1
  level: 1 run made, 0 failed; 1 left: go on with the same command
  $ spanloom experiment run --block 3 --part 'a b'
  spanloom: --part NAME names the log of this process, for one of several at once: letters, digits, _ and - (and not compare or tune, which have logs of their own), not 'a b'
  try: spanloom experiment run --help
  [2]

How far it is, of which runs, and how to start afresh.

  $ spanloom experiment compare none t=2 --pairs 2 > said; spanloom experiment status | sed 's/  [0-9.]* m*s$/  TIME/; s/budget.*/BUDGET/; s/some [0-9][^)]*/some TIME/'
  level: 2 runs planned, 1 left to make (some TIME); 8 made in all, 0 failed
  score: time_s, less is better; the time of the command (no `score:` is given)
  BUDGET
  
  made for (column design)             runs  failed  took
  compare                                 4       0  TIME
  full                                    4       0  TIME
  all of them are runs of one experiment, and in its answers; some of them alone:
    spanloom experiment means --where "design <> 'compare'"
  
  to start afresh, in the folder of the plan (or give the plan another name):
    for f in level.*runs.jsonl; do spanloom forget "$f"; rm "$f"; done
    rm -rf level.{design.csv,traces,slurm}
  $ spanloom experiment status --format json | sed -E 's/((left|spent|took)_s":)[0-9.e-]+/\1S/g'
  {
  "status": [
   {"experiment":"level", "planned":2, "left":1, "left_s":S, "made":8, "failed":0, "spent_s":S, "budget_s":30, "budget_runs":null, "running":0, "score":"time_s, less is better; the time of the command (no `score:` is given)"}
  ],
  "made": [
   {"design":"compare", "runs":4, "failed":0, "took_s":S},
   {"design":"full", "runs":4, "failed":0, "took_s":S}
  ]}
  $ spanloom experiment status --format csv | cut -d, -f1-3
  experiment,planned,left
  level,2,1
  $ eval "$(spanloom experiment status | tail -2)" > said 2>&1; ls
  experiment.yaml
  said
  spanloom.db
  $ printf 'experiment: tab\n\tcommand: x\n' > tab.yaml && spanloom experiment status --plan tab.yaml
  spanloom: tab.yaml:2: the line is indented by a tab; YAML takes blanks alone
  [1]
  $ cd ..

Traces call a run by the command of the plan, whatever wraps it, so that parts of the runs are comparable.

  $ mkdir wrapped && cd wrapped && cat > experiment.yaml <<'END'
  > experiment: wrapped
  > command: 'cat /dev/null'
  > trace: yes
  > factors: {nice: {wrapper: nice -n 1}, other: {command: [echo, "1"]}}
  > END
  $ spanloom experiment design full >said && spanloom experiment run
  wrapped: 4 runs made, 0 failed
  $ spanloom sql --format csv "SELECT a.value, count(*) FROM attributes a JOIN spans s ON s.id = a.span WHERE s.type = 'trace.call' AND a.name = 'name' GROUP BY 1"
  value,count(*)
  cat,4
  $ cd ..

Why there is no interval: runs that came on end, as hyperfine's do, are not few.

  $ cat > hf.json <<'END'
  > {"results":[{"command":"a","mean":0.1,"times":[0.1,0.11,0.12,0.1,0.1,0.11],"exit_codes":[0,0,0,0,0,0]},
  >  {"command":"b","mean":0.2,"times":[0.2,0.21,0.22,0.2,0.21,0.2],"exit_codes":[0,0,0,0,0,0]}]}
  > END
  $ spanloom experiment import -d hf.db hf.json >said && spanloom experiment means -d hf.db | tail -3
  No interval: runs of one side stand on end, so that what else
  changed meanwhile cannot be told from the treatment; runs in random order can.
  Nothing says when runs were: their order is that of the file.
  $ spanloom sql -d hf.db --format csv "SELECT lacks, difference_lacks FROM experiment_means()"
  lacks,difference_lacks
  on end,on end

What says no time has the order of its file, which need not be that of the runs.

  $ (echo a,s; for i in 1 2 3 4 5 6; do echo 0,1$i; done; for i in 1 2 3 4 5 6; do echo 1,2$i; done) > sorted.csv
  $ spanloom experiment import -d sorted.db --score s sorted.csv > said && spanloom experiment means -d sorted.db | tail -3
  No interval: runs of one side stand on end, so that what else
  changed meanwhile cannot be told from the treatment; runs in random order can.
  Nothing says when runs were: their order is that of the file.
  $ spanloom experiment means -d base/r.db | tail -1
  No interval: fewer than 5 runs are on one side, too few to say how sure it is.
