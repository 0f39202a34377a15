# SPDX-License-Identifier: Apache-2.0
What treatments do to a score.

  $ spanloom experiment import --score usec_per_task --time unix_time "$ROOT/examples/experiment/runs.csv"
  spanloom.db: experiment runs has 200 runs, of which 7 failed (201 new spans)
  $ spanloom experiment factors
  runs: 193 runs (7 more failed), 2026-11-20 08:11 to 08:44 UTC
  how many runs have which level of a factor; scores are in, us/task
  
  cfg_no_init_logging          boolean      0: 121, 1: 72
  cfg_worker_debug             boolean      0: 110, 1: 83
  cfg_prefetch_100             boolean      0: 119, 1: 74
  cfg_poll_100                 boolean      0: 108, 1: 85
  cfg_encrypted                boolean      0: 115, 1: 78
  cfg_rundir_ramfs             boolean      0: 108, 1: 85
  cfg_1_worker                 boolean      0: 106, 1: 87
  cfg_monitoring               boolean      0: 146, 1: 47
  cfg_strategy_none            boolean      0: 109, 1: 84
  src_biglogs_remove           boolean      0: 118, 1: 75
  sys_affinity_cpu0            boolean      0: 120, 1: 73
  sys_py_optimize              boolean      0: 110, 1: 83
  app_big                      boolean      0: 98, 1: 95
  placebo_env                  boolean      0: 118, 1: 75
  $ spanloom experiment means
  runs: 193 runs (7 more failed), 2026-11-20 08:11 to 08:44 UTC
  what each treatment changes (less is better), us/task
  
  all runs with - without         change  95 % interval           with : without
  cfg_prefetch_100                  -711  -1,790 to +469          74 : 119
  cfg_poll_100                      -310  -1,370 to +642          85 : 108
  cfg_no_init_logging              -65.6  -1,110 to +1,100        72 : 121
  cfg_rundir_ramfs                  +199  -951 to +1,430          85 : 108
  cfg_worker_debug                  +313  -665 to +1,280          83 : 110
  src_biglogs_remove                +339  -844 to +1,550          75 : 118
  sys_py_optimize                   +598  -338 to +1,500          83 : 110
  placebo_env                       +856  -263 to +2,040          75 : 118
  cfg_strategy_none                 +954  -29.0 to +1,840         84 : 109
  cfg_1_worker                    +1,060  +214 to +1,860       *  87 : 106
  cfg_encrypted                   +1,240  +224 to +2,230       *  78 : 115
  app_big                         +2,390  +1,400 to +3,390     ** 95 : 98
  sys_affinity_cpu0               +4,270  +3,300 to +5,290     ** 73 : 120
  cfg_monitoring                  +4,330  +3,110 to +5,740     ** 47 : 146
  
  pairs alike in all else         change  95 % interval           pairs
  cfg_prefetch_100                  -259                          9
  cfg_poll_100                      +209                          18
  cfg_no_init_logging               -391                          8
  cfg_rundir_ramfs                  +486                          2
  cfg_worker_debug                  +430                          9
  src_biglogs_remove                -365                          2
  sys_py_optimize                   -319                          15
  placebo_env                       -172                          3
  cfg_strategy_none                 +120                          7
  cfg_1_worker                      -113                          2
  cfg_encrypted                    +70.7                          9
  app_big                           +727                          11
  sys_affinity_cpu0               +1,900                          8
  cfg_monitoring                  +2,230                          8
  
  ** is sure, even though 14 were compared (Holm, 5 %)
  *  is likely: of all marked, up to 5 % may be chance (Benjamini & Hochberg)
  No interval of pairs: too few runs are in any.
  $ spanloom experiment means --rate --vs 'cfg_no_init_logging = 0 AND src_biglogs_remove = 0'
  runs: 193 runs (7 more failed), 2026-11-20 08:11 to 08:44 UTC
  changes in all runs, and there (more is better), tasks/s
  
  there: where cfg_no_init_logging = 0 AND src_biglogs_remove = 0
  
                                  with - without | pairs alike in all else
  treatment                         all    there |      all  pairs    there  pairs
  cfg_prefetch_100                 +292     +279 |     +470      9     +470      9
  cfg_no_init_logging             +87.3          |   +1,210      8               0
  sys_py_optimize                 -48.8     -213 |     +126     15     +107     12
  cfg_poll_100                    -96.2    -84.3 |     -303     18     -331     16
  cfg_rundir_ramfs                -98.5     -291 |     -557      2     -557      2
  cfg_1_worker                     -102     -304 |     +142      2     +142      2
  src_biglogs_remove               -158          |     +421      2               0
  cfg_worker_debug                 -168     -164 |     -575      9     -575      9
  placebo_env                      -198     -294 |     +167      3     +167      3
  cfg_encrypted                    -218     -393 |     -295      9     -295      9
  cfg_strategy_none                -348     -361 |     -255      7     -255      7
  sys_affinity_cpu0                -655     -705 |     -915      8     -915      8
  cfg_monitoring                   -666     -603 |     -923      8     -923      8
  app_big                          -750     -619 |     -764     11     -617     10
  $ spanloom experiment model
  runs: 193 runs (7 more failed), 2026-11-20 08:11 to 08:44 UTC
  what changes, all else being equal, by least squares (less is better), us/task
  
  term                             change  95 % interval                p
  (Intercept)                       -38.5  -951 to +873             0.934
  cfg_no_init_logging              -1,430  -2,100 to -760          <0.001 **
  cfg_worker_debug                   +148  -502 to +798             0.654
  cfg_prefetch_100                  +13.9  -656 to +684             0.967
  cfg_poll_100                       -500  -1,140 to +142           0.126
  cfg_encrypted                      +581  -78.1 to +1,240          0.084
  cfg_rundir_ramfs                   -133  -793 to +526             0.690
  cfg_1_worker                       +500  -140 to +1,140           0.125
  cfg_monitoring                   +4,090  +3,360 to +4,820        <0.001 **
  cfg_strategy_none                  -148  -808 to +511             0.658
  src_biglogs_remove                 -588  -1,270 to +95.4          0.091
  sys_affinity_cpu0                +4,070  +3,400 to +4,750        <0.001 **
  sys_py_optimize                    +387  -252 to +1,030           0.233
  app_big                          +1,900  +1,230 to +2,560        <0.001 **
  placebo_env                        +172  -506 to +851             0.617
  hours                            +1,110  -982 to +3,200           0.297
  
  ** is sure, even though 15 were compared (Holm, 5 %)
  67.7 % of the variance is explained (193 runs);
  what is left has a standard deviation of 2,160
  $ spanloom experiment model --beside means
  runs: 193 runs (7 more failed), 2026-11-20 08:11 to 08:44 UTC
  the model beside plain means (less is better), us/task
  
                           model                        |   with - | pairs alike
  treatment                  change 95 % interval       |  without |   change n
  cfg_prefetch_100            +13.9 -656 to +684        |     -711 |     -259 9
  cfg_poll_100                 -500 -1,140 to +142      |     -310 |     +209 18
  cfg_no_init_logging        -1,430 -2,100 to -760      |    -65.6 |     -391 8
  cfg_rundir_ramfs             -133 -793 to +526        |     +199 |     +486 2
  cfg_worker_debug             +148 -502 to +798        |     +313 |     +430 9
  src_biglogs_remove           -588 -1,270 to +95.4     |     +339 |     -365 2
  sys_py_optimize              +387 -252 to +1,030      |     +598 |     -319 15
  placebo_env                  +172 -506 to +851        |     +856 |     -172 3
  cfg_strategy_none            -148 -808 to +511        |     +954 |     +120 7
  cfg_1_worker                 +500 -140 to +1,140      |   +1,060 |     -113 2
  cfg_encrypted                +581 -78.1 to +1,240     |   +1,240 |    +70.7 9
  app_big                    +1,900 +1,230 to +2,560    |   +2,390 |     +727 11
  sys_affinity_cpu0          +4,070 +3,400 to +4,750    |   +4,270 |   +1,900 8
  cfg_monitoring             +4,090 +3,360 to +4,820    |   +4,330 |   +2,230 8
  $ spanloom experiment model --interactions --log | tail -4
  
  ** is sure, even though 106 were compared (Holm, 5 %)
  94.2 % of the variance is explained (193 runs);
  what is left has a standard deviation of 42.0 %
  $ spanloom experiment tiles | head -7
  runs: 193 runs (7 more failed), 2026-11-20 08:11 to 08:44 UTC
  what two treatments change beyond what each does alone, us/task
  
  treatment               and                       change  95 % interval
  cfg_monitoring          sys_affinity_cpu0         +5,270  +3,540 to +6,990 **
  cfg_monitoring          app_big                   -2,370  -4,080 to -663
  cfg_prefetch_100        sys_affinity_cpu0         -1,900  -3,300 to -500
  $ spanloom experiment fit --log | sed 's/span [0-9]*/span N/'
  runs: 193 runs (7 more failed), 2026-11-20 08:11 to 08:44 UTC
  what the model says of each run, and what was measured, us/task
  
  half of the runs are off by less than 392; the furthest off:
  
    measured     fitted     off by  run
      13,100      3,720     +9,390  spanloom show span N
      15,200      7,380     +7,790  spanloom show span N
      14,900      7,180     +7,670  spanloom show span N
      15,000      8,460     +6,540  spanloom show span N
       9,000      2,770     +6,230  spanloom show span N
       6,000     12,200     -6,200  spanloom show span N
      14,100     19,900     -5,780  spanloom show span N
      12,000     17,800     -5,780  spanloom show span N
      11,600      5,990     +5,580  spanloom show span N
      16,000     10,700     +5,280  spanloom show span N
  $ spanloom experiment deltas
  runs: 193 runs (7 more failed), 2026-11-20 08:11 to 08:44 UTC
  runs before and after a treatment, alike in all else, us/task
  
  treatment                     pairs better  worse     mean  times range
  cfg_no_init_logging               8      8      0     -391  0.516 0.300 to 0.662
  cfg_worker_debug                  9      1      8     +430  1.62  0.978 to 2.15
  cfg_prefetch_100                  9      9      0     -259  0.713 0.425 to 0.936
  cfg_poll_100                     18      3     15     +209  1.26  0.495 to 1.77
  cfg_encrypted                     9      2      7    +70.7  1.22  0.483 to 1.81
  cfg_rundir_ramfs                  2      1      1     +486  1.64  0.920 to 2.93
  cfg_1_worker                      2      2      0     -113  0.883 0.807 to 0.967
  cfg_monitoring                    8      1      7   +2,230  3.64  0.742 to 5.86
  cfg_strategy_none                 7      1      6     +120  1.19  0.697 to 1.53
  src_biglogs_remove                2      2      0     -365  0.686 0.487 to 0.966
  sys_affinity_cpu0                 8      0      8   +1,900  3.35  1.31 to 4.92
  sys_py_optimize                  15     11      4     -319  0.880 0.564 to 1.24
  app_big                          11      1     10     +727  2.02  0.991 to 4.09
  placebo_env                       3      2      1     -172  0.880 0.666 to 1.40
  
  times: after / before, the geometric mean; --all shows each pair
  $ spanloom experiment scatter cfg_poll_100 --colour cfg_1_worker
  runs: 193 runs (7 more failed), 2026-11-20 08:11 to 08:44 UTC
  runs before and after cfg_poll_100, alike in all else, us/task
  
  cfg_1_worker                  pairs better  worse     mean  times range
  0                                16      2     14     +228  1.32  0.784 to 1.77
  1                                 2      1      1    +56.9  0.890 0.495 to 1.60
  $ spanloom experiment deltas --format csv | head -3
  treatment,before,after,delta,log2,before_run,after_run
  cfg_no_init_logging,613.085,391.186,-221.89900000000006,-0.6482323683085103,2,25
  cfg_no_init_logging,591.19,391.186,-200.00400000000008,-0.5957671272765764,46,25
  $ spanloom experiment sequence --groups 'sys_*,src_*;cfg_p*'
  runs: 193 runs (7 more failed), 2026-11-20 08:11 to 08:44 UTC
  one after the other, by a model without pairs (less is better), us/task
  
  treatment                       change      then                measured (runs)
  (none)                                       749  ████████████  787 (7)
  src_biglogs_remove                -107       643  ██████████▎
  cfg_prefetch_100                 -69.8?      573  █████████▏
  cfg_poll_100                     -9.06?      564  █████████
  cfg_no_init_logging               -199       365  █████▉
  cfg_rundir_ramfs                 -5.84?      359  █████▊
  
  ? by itself it may be chance (p is not below 0.05)
  $ spanloom experiment shapley --rate
  runs: 193 runs (7 more failed), 2026-11-20 08:11 to 08:44 UTC
  what each adds, over all orders of applying them (more is better), tasks/s
  
  treatment                   average  95 % interval        in any order
  cfg_no_init_logging            +852  +565 to +1,230       +728 to +983
  src_biglogs_remove             +305  +80.0 to +579        +221 to +396
  cfg_prefetch_100               +229  -35.9 to +482        +163 to +303
  cfg_rundir_ramfs              +32.4  -224 to +296         +21.7 to +44.6
  cfg_poll_100                  +32.0  -135 to +196         +21.5 to +44.1
  $ spanloom experiment pca
  runs: 193 runs (7 more failed), 2026-11-20 08:11 to 08:44 UTC
  what 500 random orders of all treatments have in common, us/task
  
  component  variance  together
          1    43.5 %    43.5 %  █████████████
          2    30.6 %    74.0 %  █████████▏
          3    19.4 %    93.5 %  █████▉
          4     2.1 %    95.5 %  ▋
          5     1.9 %    97.4 %  ▌
          6     0.8 %    98.2 %  ▎
          7     0.7 %    99.0 %  ▎
          8     0.4 %    99.4 %  ▏
          9     0.3 %    99.6 %  ▏
         10     0.2 %    99.8 %  ▏
  
  component 1 is mostly:
    -0.68 cfg_monitoring
    +0.73 sys_affinity_cpu0
  
  component 2 is mostly:
    -0.46 cfg_monitoring
    -0.30 sys_affinity_cpu0
    +0.83 app_big
  $ spanloom experiment export runs | head -2
  cfg_no_init_logging;cfg_worker_debug;cfg_prefetch_100;cfg_poll_100;cfg_encrypted;cfg_rundir_ramfs;cfg_1_worker;cfg_monitoring;cfg_strategy_none;src_biglogs_remove;sys_affinity_cpu0;sys_py_optimize;app_big;placebo_env;unix_time;usec_per_task
  0;0;0;0;0;0;0;0;0;0;0;0;0;0;1795162288.469;613.085
  $ spanloom experiment export deltas | head -2
  factor;before;after;delta;cfg_no_init_logging;cfg_worker_debug;cfg_prefetch_100;cfg_poll_100;cfg_encrypted;cfg_rundir_ramfs;cfg_1_worker;cfg_monitoring;cfg_strategy_none;src_biglogs_remove;sys_affinity_cpu0;sys_py_optimize;app_big;placebo_env
  cfg_no_init_logging;613.085;391.186;-221.89900000000006;0;0;0;0;0;0;0;0;0;0;0;0;0;0
  $ spanloom experiment model --format json | head -2 | cut -c1-140
  [
   {"term":"(Intercept)", "estimate":-38.53327385461228, "std_error":462.14668000413513, "lower":-950.5599677014374, "upper":873.4934199922128

What is not right:

  $ spanloom experiment
  spanloom: what of the experiment? import, factors, means, model, ...
  try: spanloom experiment --help
  [2]
  $ spanloom experiment mean
  spanloom: experiment has no 'mean'; did you mean 'means'?
  try: spanloom experiment --help
  [2]
  $ spanloom experiment means --log
  spanloom: experiment means has no option --log
  try: spanloom experiment means --help
  [2]
  $ spanloom experiment factors -o x.json
  spanloom: experiment factors has no picture, so -o does nothing
  try: spanloom experiment factors --help
  [2]
  $ spanloom experiment scatter cfg_poll_100 --log
  spanloom: --log is of the picture of scatter: add -o FILE, or leave it
  try: spanloom experiment scatter --help
  [2]
  $ spanloom experiment scatter cfg_poll_100 --colour log2 --log -o poll.json
  $ spanloom experiment means x
  spanloom: experiment means takes no names, and 'x' is too many
  try: spanloom experiment means --help
  [2]
  $ spanloom experiment export
  spanloom: export what? runs, deltas or hyperfine
  try: spanloom experiment export --help
  [2]
  $ spanloom experiment scatter cfg_poll
  spanloom: there is no treatment 'cfg_poll'; there are: cfg_no_init_logging, cfg_worker_debug, cfg_prefetch_100, cfg_poll_100, cfg_encrypted, cfg_rundir_ramfs, cfg_1_worker, cfg_monitoring, cfg_strategy_none, src_biglogs_remove, sys_affinity_cpu0, sys_py_optimize, app_big, placebo_env
  try: spanloom experiment scatter --help
  [2]
  $ spanloom experiment sequence --groups a --order cfg_poll_100
  spanloom: --groups and --order exclude each other
  try: spanloom experiment sequence --help
  [2]
  $ spanloom experiment sequence --order cfg_poll_100,cfg_poll_100
  spanloom: the factor cfg_poll_100 is named twice in --order cfg_poll_100,cfg_poll_100
  try: spanloom experiment sequence --help
  [2]
  $ spanloom experiment model --where 'cfg_poll = 1'
  spanloom: which runs are meant is not clear: no such column: cfg_poll, in: cfg_poll = 1; it is a condition in SQL on the columns of: spanloom sql 'SELECT * FROM experiment_run'
  try: spanloom experiment model --help
  [2]
  $ cp "$ROOT/examples/experiment/runs.csv" . && spanloom experiment import --score usec runs.csv
  spanloom: runs.csv has no column 'usec' (--score); did you mean usec_per_task?
  try: spanloom experiment import --help
  [2]
  $ spanloom experiment import runs.csv 2>&1 | cut -c 1-119
  spanloom: which column is the score? Say --score COLUMN; there are: cfg_no_init_logging, cfg_worker_debug, cfg_prefetch
  try: spanloom experiment import --help
  $ spanloom experiment means -d none.db
  spanloom: no store none.db; make one with: spanloom import PATH... -d none.db
  [1]
  $ spanloom import --quiet -d logs.db "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom experiment means -d logs.db
  spanloom: the store holds no experiment; bring its runs in with: spanloom experiment import --score COLUMN --time COLUMN runs.csv
  [1]
