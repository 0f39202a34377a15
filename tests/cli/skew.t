# SPDX-License-Identifier: Apache-2.0
How far clocks are off.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom skew | sed 's# /.*/000/# #'
  correction  bounds               handovers  backwards  source
  reference                              807          0  parsl.log
  none        -5.73 ms to +620 us        660          0  htex_Local/block-0/1954f1261cd1/manager.log
  none        -7.48 ms to +456 us        345          0  htex_Local/block-0/1954f1261cd1/worker_0.log
  none        -5.88 ms to +474 us        277          0  htex_Local/block-0/1954f1261cd1/worker_1.log
  none        -5.6 ms to +196 us         843          0  htex_Local/interchange.log
  $ spanloom skew --format csv | sed 's#,/[^,]*/000/#,#'
  source,path,reference,pairs,backwards,lower_s,upper_s,offset_s,offset_ns,relaxed_s
  1,parsl.log,1,807,0,0.0,0.0,0.0,0,0.0
  2,htex_Local/block-0/1954f1261cd1/manager.log,1,660,0,-0.005733,0.00062,0.0,0,0.0
  3,htex_Local/block-0/1954f1261cd1/worker_0.log,1,345,0,-0.007477,0.000456,0.0,0,0.0
  4,htex_Local/block-0/1954f1261cd1/worker_1.log,1,277,0,-0.005879,0.000474,0.0,0,0.0
  5,htex_Local/interchange.log,1,843,0,-0.005597,0.000196,0.0,0,0.0

The interchange's clock 1000 s ahead, and the times as they are and as they are corrected:

  $ cat > shift.sql <<'END'
  > CREATE TEMP TABLE m AS SELECT e.* FROM sl_event e JOIN sl_source s ON s.id = e.source WHERE s.path LIKE '%interchange.log';
  > DELETE FROM sl_event WHERE source IN (SELECT source FROM m);
  > INSERT INTO sl_event SELECT span, time_ns + 1000000000000, type, source, place, zone FROM m;
  > END
  $ sqlite3 spanloom.db < shift.sql
  $ spanloom skew | grep interchange | sed 's# /.*/000/# #'
  -999.999804 s  -1000.005597 s to -999.999804 s        843        404  htex_Local/interchange.log
  $ spanloom critical-path --format csv | awk -F, '{n += $3} END {printf "%.0f\n", n}'
  1030
  $ spanloom critical-path --correct-skew --format csv | awk -F, '{n += $3} END {printf "%.0f\n", n}'
  spanloom: the clocks of 1 of 5 sources were corrected; see: spanloom skew
  31
  $ spanloom critical-path --format csv | awk -F, '{n += $3} END {printf "%.0f\n", n}'
  1030
  $ spanloom what-if --correct-skew '* x1' --format csv | awk -F, 'NR == 2 {printf "%.0f %.0f\n", $2, $3}'
  spanloom: the clocks of 1 of 5 sources were corrected; see: spanloom skew
  31 31
  $ spanloom sql --correct-skew "SELECT count(*) FROM sl_skew WHERE offset_ns <> 0"
  spanloom: the clocks of 1 of 5 sources were corrected; see: spanloom skew
  count(*)
         1
  $ spanloom sql "SELECT count(*) FROM sqlite_master WHERE name = 'sl_skew'"
  count(*)
         0
  $ spanloom skew extra
  spanloom: skew takes no arguments, but was given extra
  try: spanloom skew --help
  [2]
  $ spanloom skew --nonsense
  spanloom: unknown option --nonsense
  try: spanloom skew --help
  [2]
  $ spanloom skew -d none.db
  spanloom: no store none.db; make one with: spanloom import PATH... -d none.db
  [1]
