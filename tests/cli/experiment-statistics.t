# SPDX-License-Identifier: Apache-2.0
How much is explained, how sure that is, and what lies beside the model of an experiment.

  $ spanloom experiment import --score usec_per_task --time unix_time "$ROOT/examples/experiment/runs.csv"
  spanloom.db: experiment runs has 200 runs, of which 7 failed (201 new spans)
  $ spanloom experiment variance
  runs: 193 runs (7 more failed), 2026-11-20 08:11 to 08:44 UTC
  what each factor explains of the variance of scores, percent
  
  factor                        share  95 % interval  alone  last      p
  sys_affinity_cpu0              28.4  22.7 to 33.2   32.4  25.8 <0.001 ** ███████
  cfg_monitoring                 23.6  16.8 to 33.2   26.1  22.3 <0.001 ** █████▉
  app_big                         7.7  4.0 to 13.2    10.8   5.8 <0.001 ** █▉
  cfg_no_init_logging             1.5  0.4 to 3.4      0.0   3.2 <0.001 ** ▍
  cfg_encrypted                   1.4  0.1 to 4.5      2.8   0.6  0.084    ▍
  cfg_1_worker                    1.1  0.2 to 3.4      2.1   0.4  0.125    ▎
  (time)                          1.1  0.2 to 5.1      2.2   0.2  0.297    ▎
  placebo_env                     0.5  0.0 to 2.7      1.3   0.0  0.617    ▏
  cfg_strategy_none               0.5  0.0 to 2.1      1.7   0.0  0.658    ▏
  cfg_poll_100                    0.4  0.1 to 2.1      0.2   0.4  0.126    ▏
  cfg_prefetch_100                0.4  0.0 to 2.4      0.9   0.0  0.967    ▏
  sys_py_optimize                 0.4  0.0 to 2.4      0.7   0.3  0.233    ▏
  src_biglogs_remove              0.3  0.0 to 1.4      0.2   0.5  0.091    ▏
  cfg_worker_debug                0.2  0.0 to 1.1      0.2   0.0  0.654    ▏
  cfg_rundir_ramfs                0.1  0.0 to 1.3      0.1   0.0  0.690    ▏
  together                       67.7
  
  ** is sure, even though 15 were compared (Holm, 5 %)
  share: what it adds to R2, on average over all orders of factors (LMG);
  alone: as the only one; last: beside all others, which is what p is about.
  What does nothing gets 0.2 by chance.
  $ spanloom experiment model --log --elastic-net
  runs: 193 runs (7 more failed), 2026-11-20 08:11 to 08:44 UTC
  what changes, all else being equal, by an elastic net (less is better), percent
  
  term                                         change    kept
  cfg_monitoring                               +188 %   100 %
  sys_affinity_cpu0                            +180 %   100 %
  app_big                                      +122 %   100 %
  cfg_no_init_logging                         -30.8 %   100 %
  cfg_encrypted                               +11.3 %    97 %
  src_biglogs_remove                          -9.81 %    96 %
  cfg_prefetch_100                            -7.99 %    89 %
  cfg_strategy_none                           +7.52 %    84 %
  cfg_worker_debug                            +6.07 %    87 %
  cfg_1_worker                                +3.83 %    68 %
  sys_py_optimize                             +3.15 %    76 %
  placebo_env                                 +2.95 %    68 %
  hours                                       +1.57 %    65 %
  and 2 that are 0
  
  All terms are shrunk towards 0 (elastic net).
  There are no intervals; kept: by so many of 100 drawings of the runs.
  alpha 0.5, lambda 0.0332 (cross-validation); simpler, and hardly worse: 0.134
  82.8 % of the variance is explained; of runs left out, 78.1 % (193 runs)
  $ spanloom experiment model --elastic-net --alpha 1 --lambda 1e3
  runs: 193 runs (7 more failed), 2026-11-20 08:11 to 08:44 UTC
  what changes, all else being equal, by an elastic net (less is better), us/task
  
  term                                         change    kept
  sys_affinity_cpu0                            +2,150   100 %
  cfg_monitoring                               +1,920   100 %
  app_big                                       +6.58    60 %
  and 12 that are 0
  
  All terms are shrunk towards 0 (elastic net).
  There are no intervals; kept: by so many of 100 drawings of the runs.
  alpha 1, lambda 1,000
  42.1 % of the variance is explained (193 runs)
  $ spanloom experiment tiles --where 'unix_time < 1795162800' | tail -n +3
  
  treatment               and                       change
  cfg_monitoring          sys_affinity_cpu0         +6,840
  cfg_monitoring          cfg_strategy_none         +2,450
  sys_affinity_cpu0       app_big                   +1,340
  cfg_1_worker            sys_affinity_cpu0           +944
  cfg_prefetch_100        cfg_monitoring              +929
  cfg_monitoring          sys_py_optimize             +875
  cfg_worker_debug        sys_affinity_cpu0           +562
  src_biglogs_remove      sys_affinity_cpu0           -430
  sys_affinity_cpu0       sys_py_optimize             +419
  cfg_strategy_none       sys_affinity_cpu0           +402
  cfg_1_worker            cfg_monitoring              +327
  cfg_strategy_none       app_big                     +216
  cfg_worker_debug        app_big                     +175
  cfg_worker_debug        cfg_monitoring              +156
  cfg_worker_debug        cfg_rundir_ramfs            +130
  cfg_encrypted           sys_affinity_cpu0          +68.6
  cfg_1_worker            cfg_strategy_none          +58.7
  cfg_poll_100            src_biglogs_remove         -11.9
  
  It shrinks all towards 0, and leaves out what is 0; there are no intervals. How
  much is explained: spanloom experiment model --interactions
  $ spanloom experiment sequence --where 'unix_time < 1795162400'
  runs: 16 runs, 2026-11-20 08:11 to 08:13 UTC
  one after the other, by an elastic net without pairs (less is better), us/task
  
  treatment                       change      then                measured (runs)
  (none)                                       658  ████████████  613 (1)
  cfg_no_init_logging               -250       408  ███████▍
  cfg_prefetch_100                 -15.5       392  ███████▏
  src_biglogs_remove               -13.1       379  ██████▉
  $ spanloom experiment failures
  runs: 193 runs (7 more failed), 2026-11-20 08:11 to 08:44 UTC
  which treatments make runs fail, and who wins if failed is the worst, percent
  
                           failed   failed   more                   better
  treatment                  with  without   with  95 % interval    with, 95 %
  cfg_poll_100            2 of 87 5 of 113   -2.1  -7.9 to +4.1      49  42 to 56
  cfg_rundir_ramfs        2 of 87 5 of 113   -2.1  -7.9 to +4.1      45  37 to 55
  sys_py_optimize         2 of 85 5 of 115   -2.0  -7.7 to +4.3      47  39 to 55
  cfg_encrypted           2 of 80 5 of 120   -1.7  -7.2 to +4.9      41  34 to 48
  cfg_no_init_logging     2 of 74 5 of 126   -1.3  -6.6 to +5.7      49  40 to 57
  app_big                 3 of 98 4 of 102   -0.9  -6.9 to +5.2      22  15 to 29
  cfg_strategy_none       3 of 87 4 of 113   -0.1  -5.8 to +6.5      38  31 to 46
  placebo_env             3 of 78 4 of 122   +0.6  -4.9 to +7.7      40  32 to 48
  cfg_prefetch_100        3 of 77 4 of 123   +0.6  -4.8 to +7.9      58  49 to 66
  cfg_1_worker            4 of 91 3 of 109   +1.6  -4.1 to +8.3      41  35 to 48
  src_biglogs_remove      4 of 79 3 of 121   +2.6  -2.9 to +10.0     44  35 to 53
  cfg_worker_debug        5 of 88 2 of 112   +3.9  -1.6 to +11.0     43  36 to 51
  cfg_monitoring          5 of 52 2 of 148   +8.3  +1.8 to +19.3     14  10 to 18
  sys_affinity_cpu0       7 of 80 0 of 120   +8.8  +3.3 to +17.0  ** 15   9 to 21
  
  ** is sure, even though 14 were compared (Holm, 5 %)
  better: the chance that a run with it beats one without; 50 is no difference
  $ spanloom experiment model --limit 30000 | tail -n 7
  app_big                          +1,590  +271 to +2,920           0.018
  placebo_env                        +362  -993 to +1,720           0.601
  hours                            +6,170  +1,990 to +10,400        0.004 **
  
  ** is sure, even though 15 were compared (Holm, 5 %)
  7 failed runs count as 30,000 us/task or worse (200 runs);
  what is left has a standard deviation of 4,430
  $ spanloom experiment model --rate --limit worst | tail -n 1
  what is left has a standard deviation of 443
  $ spanloom experiment drift --rate
  runs: 193 runs (7 more failed), 2026-11-20 08:11 to 08:44 UTC
  how scores change with time, less what treatments do (more is better), percent
  
  No change from one run to the next is sure.
  
  trend: -0.163 % a minute, 95 % interval -1.16 % to +0.846 % (p 0.751)
  noise: 51.4 % from run to run, of which the next run has 36 % again
  $ awk -F';' -v OFS=';' 'NR > 120 && $NF {$NF *= 3} 1' "$ROOT/examples/experiment/runs.csv" > changed.csv
  $ spanloom experiment import -d changed.db --score usec_per_task --time unix_time changed.csv
  changed.db: experiment changed has 200 runs, of which 7 failed (201 new spans)
  $ spanloom experiment drift -d changed.db
  changed: 193 runs (7 more failed), 2026-11-20 08:11 to 08:44 UTC
  how scores change with time, less what treatments do (less is better), percent
  
  from                to (UTC)           runs     level  95 % interval
  2026-11-20 08:11 to 08:28               119   -32.5 %  -38.9 % to -25.3 %
  2026-11-20 08:28 to 08:44                74   +88.0 %  +65.4 % to +114 %
  
  noise: 53.9 % from run to run, of which the next run has 19 % again
  $ spanloom experiment enough
  runs: 193 runs (7 more failed), 2026-11-20 08:11 to 08:44 UTC
  how many runs were enough to be sure (less is better), us/task
  
                                          +- by all    by 100  95 % interval
  treatment                       change       runs      more  without 0
  cfg_no_init_logging             -1,430        672       544  since run 129
  cfg_worker_debug                  +148        650       526  by some 3,730 runs
  cfg_prefetch_100                 +13.9        670       542  by very many runs
  cfg_poll_100                      -500        642       520  by some 318 runs
  cfg_encrypted                     +581        660       534  by some 248 runs
  cfg_rundir_ramfs                  -133        660       534  by some 4,710 runs
  cfg_1_worker                      +500        640       518  by some 316 runs
  cfg_monitoring                  +4,090        730       591  since run 25
  cfg_strategy_none                 -148        659       534  by some 3,810 runs
  src_biglogs_remove                -588        684       553  by some 261 runs
  sys_affinity_cpu0               +4,070        676       548  since run 22
  sys_py_optimize                   +387        639       518  by some 526 runs
  app_big                         +1,900        663       537  since run 29
  placebo_env                       +172        678       549  by some 2,990 runs
  
  since: by so many runs, and ever after, each by itself. by some: if it is as it
  seems now.

Factors that were not always there:

  $ awk 'BEGIN {print "log;python;py313;nogil;late;unix_time;y"; for (i = 0; i < 40; i++) {
  >   p = i % 4 < 2; q = i % 8 < 4; old = i < 24
  >   printf "%d;%s;%s;%s;%s;%d;%d\n", i % 2, old ? p : "", old ? "" : p, old ? "" : q, i < 10 ? "" : i % 3 == 0, 1795162288 + 60 * i, 500 + i * i % 17 - 100 * p - 30 * (old ? p : q)}}' > grown.csv
  $ spanloom experiment import -d grown.db --score y --time unix_time grown.csv
  grown.db: experiment grown has 40 runs, of which 0 failed (41 new spans)
  $ spanloom experiment model -d grown.db
  grown: 40 runs, 2026-11-20 08:11 to 08:50 UTC
  of 16 runs the level of python is not known; models leave them out
  late joined later: the 10 runs before it count as without
  py313 joined later: the 24 runs before it count as without
  nogil joined later: the 24 runs before it count as without
  was python split? Then say --split 'python=py313,nogil'
  what changes, all else being equal, by least squares (less is better), y
  
  term                             change  95 % interval                p
  (Intercept)                         506  +500 to +513            <0.001
  log                              +0.343  -4.98 to +5.67           0.894
  python                             -128  -133 to -122            <0.001 **
  late                            -0.0400  -7.58 to +7.50           0.991
  py313                        cannot be told: it is 0
  nogil                        cannot be told: it is 0
  hours                            -0.600  -25.3 to +24.1           0.960
  
  ** is sure, even though 4 were compared (Holm, 5 %)
  99.3 % of the variance is explained (24 runs);
  what is left has a standard deviation of 6.22
  $ spanloom experiment model -d grown.db --split 'python=py313,nogil' | head -10
  grown: 40 runs, 2026-11-20 08:11 to 08:50 UTC
  late joined later: the 10 runs before it count as without
  what changes, all else being equal, by least squares (less is better), y
  
  term                             change  95 % interval                p
  (Intercept)                         507  +502 to +512            <0.001
  log                             -0.0893  -4.00 to +3.82           0.963
  late                              +1.49  -3.25 to +6.22           0.528
  py313                              -100  -105 to -95.6           <0.001 **
  nogil                             -29.0  -33.9 to -24.1          <0.001 **
  $ spanloom experiment factors -d grown.db | tail -6
  
  log                          boolean      0: 20, 1: 20
  python                       boolean      0: 12, 1: 12
  late                         boolean      0: 30, 1: 10
  py313                        boolean      0: 32, 1: 8
  nogil                        boolean      0: 32, 1: 8

What is not right:

  $ spanloom experiment model --lambda 5
  spanloom: --alpha and --lambda are of --elastic-net
  try: spanloom experiment model --help
  [2]
  $ spanloom experiment model --elastic-net --alpha 1.5
  spanloom: alpha is a number from 0 (ridge) to 1 (lasso)
  try: spanloom experiment model --help
  [2]
  $ spanloom experiment model --elastic-net --lambda none
  spanloom: lambda is a number above 0, in the unit of the score
  try: spanloom experiment model --help
  [2]
  $ spanloom experiment model --where 'unix_time < 1795162350'
  spanloom: 8 runs cannot tell 16 terms apart: there must be more runs than terms, or 10 for an elastic net; --no-time has fewer
  try: spanloom experiment model --help
  [2]
  $ spanloom experiment variance --where 'unix_time < 1795162400'
  spanloom: 16 runs cannot tell 16 terms apart, so the variance is no sum of shares: there must be more runs than terms
  try: spanloom experiment variance --help
  [2]
  $ spanloom experiment means --elastic-net
  spanloom: experiment means has no option --elastic-net
  try: spanloom experiment means --help
  [2]
  $ spanloom experiment model --limit 0
  spanloom: the limit is a number above 0, in the unit of the score, or worst
  try: spanloom experiment model --help
  [2]
  $ spanloom experiment model --limit 5 --elastic-net
  spanloom: an elastic net cannot take failed runs as so bad or worse; leave out one of both
  try: spanloom experiment model --help
  [2]
  $ spanloom experiment model --limit 5 --where 'cfg_1_worker = 1 AND cfg_poll_100 = 1 AND app_big = 1'
  spanloom: no run failed, so there is nothing to take as 5 or worse
  try: spanloom experiment model --help
  [2]
  $ spanloom experiment drift --where 'unix_time < 1795162350'
  spanloom: 8 runs cannot tell 15 terms apart: there must be more runs than terms, or 10 for an elastic net
  try: spanloom experiment drift --help
  [2]
  $ spanloom experiment drift --log
  spanloom: experiment drift has no option --log
  try: spanloom experiment drift --help
  [2]
  $ spanloom experiment enough --where 'unix_time < 1795162400'
  spanloom: 16 runs cannot tell 16 terms apart, so nothing is sure yet: there must be more runs than terms
  try: spanloom experiment enough --help
  [2]
  $ spanloom experiment model --split 'cfg_poll=a,b'
  spanloom: there is no factor 'cfg_poll' to split
  try: spanloom experiment model --help
  [2]
