# SPDX-License-Identifier: Apache-2.0

Experiments that are planned and run: examples/experiment/cache, and what can be wrong.

  $ cp -r "$ROOT/examples/experiment/cache" . && cd cache
  $ spanloom experiment design
  spanloom: which design? full, fraction, one-at-a-time, random N, balanced N, optimal N or list FILE
  try: spanloom experiment design --help
  [2]
  $ spanloom experiment run
  spanloom: no run is planned (*/cache/cache.design.csv); plan some, such as with: spanloom experiment design full (glob)
  [1]
  $ spanloom experiment design full --resolution V
  spanloom: design full has no option --resolution
  try: spanloom experiment design --help
  [2]

The same seed, the same runs; another one, another order of the same settings:

  $ for seed in 1 1 2; do spanloom experiment design full --seed $seed > said && mv cache.design.csv $seed.csv; sum < $seed.csv; done | uniq | wc -l
  2
  $ cut -d, -f4- 1.csv | sort | cksum > a; cut -d, -f4- 2.csv | sort | cksum | cmp - a

Blocks: each setting once in each.

  $ spanloom experiment design one-at-a-time up --repeats 3
  */cache.design.csv: 18 runs (one at a time up), ids 1 to 18: 3 blocks of 6 (glob)
  $ tail -n +2 cache.design.csv | cut -d, -f2,4- | sort | uniq -c | wc -l
  18

It runs, some now and the others later; a run that fails is kept, with why.

  $ spanloom experiment run --runs 5
  cache: 5 runs made, 0 failed; 13 left: go on with the same command
  $ sed -i 's/60 s/1 ms/' experiment.yaml && spanloom experiment run --runs 1
  spanloom: run 6 (*): timed out after 0.001 s (glob)
  cache: 1 run made, 1 failed; 12 left: go on with the same command
  [1]
  $ sed -i 's/1 ms/60 s/' experiment.yaml && spanloom experiment run
  cache: 12 runs made, 0 failed
  $ spanloom experiment run
  cache: all planned runs have been made
  $ spanloom experiment failures | sed -n 1p
  cache: 17 runs (1 more failed), * UTC (glob)
  $ spanloom experiment run --again
  cache: 1 run made, 0 failed
  $ spanloom sql --format csv "SELECT count(*), count(misses_per_1000), sum(outcome = 'timed out') FROM experiment_run"
  count(*),count(misses_per_1000),sum(outcome = 'timed out')
  19,18,1

Its scores are those of the program alone:

  $ CACHE_POLICY=random python3 cache.py --pages 64
  * misses per 1000 accesses (glob)
  $ spanloom sql --format csv "SELECT DISTINCT misses_per_1000 || ' misses per 1000 accesses' FROM experiment_run WHERE policy = 'random' AND misses_per_1000 IS NOT NULL" | tail -1 > one; CACHE_POLICY=random python3 cache.py --pages 64 --workload skewed | cmp - one

A factor that comes later: runs from before are at its base.

  $ sed -i 's/^factors:.*/factors:\n  late: {environment: {LATE: 1}}/' experiment.yaml
  $ spanloom experiment design random 4 --factors late,pages=128
  */cache.design.csv: 4 runs (random 4), ids 20 to 23, beside 19 from before (glob)
  $ spanloom experiment run
  cache: 4 runs made, 0 failed
  $ spanloom experiment factors | grep late
  late joined later: the 18 runs before it count as without
  late                         boolean      0: 20, 1: 2

By hand, in the order of the list:

  $ printf 'pages,prefetch\n128,1\n64,1\n' > mine.csv && spanloom experiment design list mine.csv
  */cache.design.csv: 2 runs (list), ids 24 to 25, beside 23 from before (glob)
  $ tail -2 cache.design.csv | cut -d, -f1,4-6
  24,0,1,128
  25,0,1,64
  $ printf 'pages,policy,prefetch\n128,random,1\n' > mine.csv && spanloom experiment design list mine.csv
  spanloom: mine.csv:2: experiment.yaml:25 forbids this run: never policy=random and prefetch
  [1]
  $ printf 'pages\n256\n' > mine.csv && spanloom experiment design list mine.csv
  spanloom: mine.csv:2: factor pages has no level '256' in experiment.yaml
  [1]
  $ sed -i 's/^  nothing:.*//' experiment.yaml && spanloom experiment run
  spanloom: */cache.design.csv:1: column 'nothing' is no factor of experiment.yaml; add it there, or remove the column (glob)
  [1]

More is better: a rate, which analyses see as what it costs.

  $ mkdir rate && cd rate && cat > experiment.yaml <<'END'
  > experiment: rate
  > command: 'echo $SPEED'
  > score: {name: speed, unit: tasks/s, regex: '(\d+)', better: more}
  > factors:
  >   fast: {levels: {0: {environment: {SPEED: 100}}, 1: {environment: {SPEED: 200}}}}
  >   idle: {placebo: yes}
  > repeats: 4
  > END
  $ spanloom experiment design full > said && spanloom experiment run
  rate: 16 runs made, 0 failed
  $ spanloom experiment model --no-time | sed -n 2,6p
  what changes, all else being equal, by least squares (less is better), ms/task
  
  term                             change  95 % interval                p
  (Intercept)                        10.0  +10.0 to +10.0          <0.001
  fast                              -5.00  -5.00 to -5.00          <0.001 **
  $ spanloom experiment model --no-time --rate | sed -n '2p;6p'
  what changes, all else being equal, by least squares (more is better), tasks/s
  fast                               +100  +100 to +100            <0.001 **
  $ cd ..

Who was there before is left alone, also where a shell gives its place away:

  $ mkdir other && cd other && printf 'experiment: other\ncommand: "sleep 60 &"\nfactors: {a: {placebo: yes}}\n' > experiment.yaml
  $ spanloom experiment design full > said
  $ bash -c 'sleep 50 & echo $! > pid; exec spanloom experiment run' && kill -0 $(cat pid) && kill $(cat pid)
  other: 2 runs made, 0 failed
  $ grep -c '"left": 1' other.runs.jsonl
  2
  $ cd ..

The score by SQL over the traces of each run; these lie below the run:

  $ mkdir traced && cd traced && cat > experiment.yaml <<'END'
  > experiment: traced
  > command: 'spanloom span "work $N" -- true'
  > trace: yes
  > score: {name: spans, sql: "SELECT count(*) FROM spans WHERE type = 'trace.region'"}
  > factors: {n: {levels: [1, 2], environment: {N: "{level}"}}}
  > END
  $ spanloom experiment design full > said && spanloom experiment run
  traced: 2 runs made, 0 failed
  $ spanloom experiment logs | sed 's,/.*/traced,.../traced,' | sed -n '/traces/p'
  * .../traced.traces/1 (glob)
  * .../traced.traces/2 (glob)
  $ spanloom sql --format csv "SELECT r.n, s.key FROM experiment_run r JOIN descendants(r.id) d JOIN spans s ON s.id = d.span WHERE s.key LIKE 'work%' ORDER BY r.n"
  n,key
  1,work 1
  2,work 2
