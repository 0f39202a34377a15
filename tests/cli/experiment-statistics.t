# SPDX-License-Identifier: Apache-2.0
How much is explained, how sure that is, and what lies beside the model of an experiment.

  $ spanloom experiment import --score usec_per_task --time unix_time "$ROOT/examples/experiment/runs.csv"
  spanloom.db: experiment runs has 200 runs, of which 7 failed (201 new spans)
  $ spanloom experiment variance
  runs: 193 runs (7 more failed), 2026-11-20 08:11 to 08:44 UTC
  how much of the variance of scores each factor explains, percent
  
  factor                        share  95 % interval   alone   last       p
  sys_affinity_cpu0              28.4  22.0 to 32.5    32.4   25.8  <0.001 ** ████████████
  cfg_monitoring                 23.6  16.0 to 32.4    26.1   22.3  <0.001 ** ██████████
  app_big                         7.7  4.4 to 13.5     10.8    5.8  <0.001 ** ███▎
  cfg_no_init_logging             1.5  0.6 to 3.6       0.0    3.2  <0.001 ** ▋
  cfg_encrypted                   1.4  0.2 to 4.6       2.8    0.6   0.084    ▋
  cfg_1_worker                    1.1  0.1 to 3.4       2.1    0.4   0.125    ▌
  (time)                          1.1  0.1 to 5.0       2.2    0.2   0.297    ▌
  placebo_env                     0.5  0.1 to 2.7       1.3    0.0   0.617    ▎
  cfg_strategy_none               0.5  0.1 to 2.2       1.7    0.0   0.658    ▎
  cfg_poll_100                    0.4  0.1 to 2.1       0.2    0.4   0.126    ▎
  cfg_prefetch_100                0.4  0.1 to 2.4       0.9    0.0   0.967    ▏
  sys_py_optimize                 0.4  0.1 to 2.4       0.7    0.3   0.233    ▏
  src_biglogs_remove              0.3  0.2 to 1.7       0.2    0.5   0.091    ▏
  cfg_worker_debug                0.2  0.1 to 1.2       0.2    0.0   0.654    ▏
  cfg_rundir_ramfs                0.1  0.1 to 1.5       0.1    0.0   0.690    ▏
  together                       67.7
  
  ** is sure, even though 15 were compared (Holm, 5 %)
  share: what it adds to R2, on average over all orders of factors (LMG);
  alone: as the only one; last: beside all others, which is what p is about.
  What does nothing gets 0.2 by chance.
