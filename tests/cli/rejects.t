# SPDX-License-Identifier: Apache-2.0
Records that could not be used are not lost: each is counted, with file, line and reason.

  $ here() { sed "s|$PWD/||"; }
  $ mkdir -p run/htex/block-0/ab12cd34ef56
  $ cat > run/htex/block-0/ab12cd34ef56/worker_0.log <<END
  > a line of something else
  > 1795162296.600298 2026-11-20 08:11:36 HTEX-Worker-0-2670 MainThread-1400 parsl.pool:665 worker INFO: Worker 0 started
  > 1795162296.601362 2026-11-20 08:11:36 HTEX-Worker-0-2670 MainThread-1400 parsl.pool:778 worker INFO: Received executor task 1
  > 1795162296.601362 2026-11-20 08:11:36 HTEX-Worker-0-2670 MainThread-1400 parsl.pool:778 worker INFO: Received executor task 99999999999999999999
  > 1795162300.607000 2026-11-20 08:11:40 HTEX-Worker-0-2670 MainThread-1400 parsl.pool:1 worker DEBUG: of no interest
  > END
  $ printf '1795162300.652188 2026-11-20 08:11:40 HTEX-Worker-0-2670 MainThr' >> run/htex/block-0/ab12cd34ef56/worker_0.log
  $ spanloom import --quiet run
  $ spanloom rejects --summary --format csv | here
  records,reason,path
  1,no record begins here,run/htex/block-0/ab12cd34ef56/worker_0.log
  1,the last line is cut off,run/htex/block-0/ab12cd34ef56/worker_0.log
  1,xid='99999999999999999999' is not an integer,run/htex/block-0/ab12cd34ef56/worker_0.log
  $ spanloom rejects --format csv | here
  place,reason,text
  run/htex/block-0/ab12cd34ef56/worker_0.log:1,no record begins here,a line of something else
  run/htex/block-0/ab12cd34ef56/worker_0.log:4,xid='99999999999999999999' is not an integer,1795162296.601362 2026-11-20 08:11:36 HTEX-Worker-0-2670 MainThread-1400 parsl.pool:778 worker INFO: Received executor task 99999999999999999999
  run/htex/block-0/ab12cd34ef56/worker_0.log:6,the last line is cut off,1795162300.652188 2026-11-20 08:11:40 HTEX-Worker-0-2670 MainThr
  $ spanloom sql "select records, used, skipped, rejected from sources"
  records  used  skipped  rejected
        6     2        1         3
  $ spanloom rejects nosuch
  spanloom: no source has 'nosuch' in its path; see them with: spanloom sql -d spanloom.db 'select path from sources'
  [1]
  $ spanloom forget worker_0.log && spanloom import --quiet "$ROOT/tests/data/slurm/jobs.sacct" --zone Z && spanloom rejects jobs
  1 source forgotten
  place  reason  text
  (no rejected records)
