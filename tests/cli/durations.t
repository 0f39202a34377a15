# SPDX-License-Identifier: Apache-2.0
How long it took from one event to another.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom durations
  medians of tasks: waiting for others or the launch, in queues, on workers,
  between components
  
  app                 tasks  waiting   queue      run  longest run  between
  sleeper                57  66.3 ms  10.8 s   135 ms       4.05 s  2.07 ms
  slow_with_walltime      1  16.5 ms   2.5 s    9.2 s        9.2 s  7.94 ms
  add                    67   11.4 s  3.86 s  61.8 ms       157 ms   2.2 ms
  cpu                    39   107 ms  14.4 s    67 ms       196 ms  1.38 ms
  shell                  14  69.1 ms  12.4 s   164 ms       395 ms  2.11 ms
  always_fails            6   136 ms  20.4 s   238 ms       311 ms  8.51 ms
  kill_worker_once        1  18.8 ms  4.59 s   892 ms       892 ms  6.71 ms
  flaky                   4   139 ms  18.6 s   179 ms       360 ms  6.22 ms
  memo                    3  9.51 ms  1.41 s  85.1 ms       106 ms   853 us
  writefile               1  11.5 ms  1.49 s    42 ms        42 ms  2.15 ms
  fan_join                3   5.59 s     0 s  12.9 ms      16.8 ms    57 us
  readfile                1   1.55 s  3.84 s  38.3 ms      38.3 ms  1.15 ms
  failing_join            1   5.82 s     0 s  2.58 ms      2.58 ms    61 us
  
  between two events: spanloom durations START END, such as: invoked returned
  $ spanloom durations invoked worker_received_task
  from invoked to worker_received_task: 189 of 198 spans of type parsl.monitoring.task
            9 without an end
           17 with several ends, of which the first counts
  
       mean    stddev   minimum      25 %    median      75 %      95 %   maximum
     12.1 s    5.11 s    1.42 s    8.04 s    12.9 s    15.4 s    20.5 s    21.8 s
  
           0 s to 5 s                 20  ███████████▋
           5 s to 10 s                41  ███████████████████████▊
          10 s to 15 s                69  ████████████████████████████████████████
          15 s to 20 s                40  ███████████████████████▎
          20 s to 25 s                19  ███████████
  
  the longest:
        21.8 s  parsl.monitoring.task 128 (add): spanloom show span 1225 -d spanloom.db
        21.7 s  parsl.monitoring.task 127 (add): spanloom show span 1224 -d spanloom.db
        21.7 s  parsl.monitoring.task 126 (add): spanloom show span 1223 -d spanloom.db
                186 more with --list
  $ spanloom durations running running_ended parsl.monitoring.try
  from running to running_ended: 223 of 229 spans of type parsl.monitoring.try
            5 without a start
            6 without an end
  
       mean    stddev   minimum      25 %    median      75 %      95 %   maximum
     162 ms    440 ms   2.49 ms     51 ms     77 ms    130 ms    446 ms    4.05 s
  
           0 s to 500 ms             219  ████████████████████████████████████████
        500 ms to 1 s                  0
           1 s to 1.5 s                0
         1.5 s to 2 s                  0
           2 s to 2.5 s                0
         2.5 s to 3 s                  0
           3 s to 3.5 s                3  ▌
         3.5 s to 4 s                  0
           4 s to 4.5 s                1  ▏
  
  the longest:
        4.05 s  parsl.monitoring.try 0: spanloom show span 1295 -d spanloom.db
        3.08 s  parsl.monitoring.try 0: spanloom show span 1479 -d spanloom.db
        3.06 s  parsl.monitoring.try 2: spanloom show span 1523 -d spanloom.db
                220 more with --list
  $ spanloom durations invoked worker_received_task --missing
  span  key  start                           end  duration_s  starts  ends
  1256  159  2026-11-20T08:11:31.274832000Z                        1     0
  1257  160  2026-11-20T08:11:31.274931000Z                        1     0
  1258  161  2026-11-20T08:11:31.276282000Z                        1     0
  1264  167  2026-11-20T08:11:46.918685000Z                        1     0
  1271  174  2026-11-20T08:11:46.922092000Z                        1     0
  1272  175  2026-11-20T08:11:46.922184000Z                        1     0
  1273  176  2026-11-20T08:11:46.922270000Z                        1     0
  1274  177  2026-11-20T08:11:46.922357000Z                        1     0
  1275  178  2026-11-20T08:11:46.922445000Z                        1     0
  $ spanloom durations invoked worker_received_task --list | head -3
  span  key  start                           end                             duration_s  starts  ends
  1225  128  2026-11-20T08:11:31.269030000Z  2026-11-20T08:11:53.044741000Z   21.775711       1     1
  1224  127  2026-11-20T08:11:31.268928000Z  2026-11-20T08:11:53.003745000Z   21.734817       1     1
  $ spanloom durations invoked returned --format csv | head -3
  span,start_ns,end_ns,duration_s,starts,ends
  1097,1795162291227329000,1795162300653494000,9.426165,1,1
  1098,1795162291231306000,1795162296865686000,5.63438,1,1
  $ spanloom durations invoked returned --missing --format tsv
  span\tkey\tstart\tend\tduration_s\tstarts\tends (esc)

An end before its start is kept, and said:

  $ spanloom durations returned invoked | head -2
  from returned to invoked: 198 of 198 spans of type parsl.monitoring.task
          198 negative: the end is before the start

Any query:

  $ spanloom durations --sql 'SELECT running_ended - running AS duration_s FROM parsl_try;' | head -4
  223 durations
            6 rows without an end
  
       mean    stddev   minimum      25 %    median      75 %      95 %   maximum
  $ spanloom durations --sql "SELECT start_ns, end_ns, span FROM two_events('invoked', 'returned')" | tail -3
        21.8 s  parsl.monitoring.task 127 (add): spanloom show span 1224 -d spanloom.db
        21.7 s  parsl.monitoring.task 126 (add): spanloom show span 1223 -d spanloom.db
                195 more
  $ spanloom durations --sql "SELECT NULL AS duration_s"
  0 durations
            1 row without an end
  $ spanloom durations --sql "SELECT 1.5 AS duration_s"
  1 duration
  
       mean    stddev   minimum      25 %    median      75 %      95 %   maximum
      1.5 s               1.5 s     1.5 s     1.5 s     1.5 s     1.5 s     1.5 s
  $ spanloom durations --sql "SELECT 1.5 AS duration_s" --format json
  [
   {"duration_s":1.5}
  ]

As dnpcsql's twoevents.plot() takes it, a time and how long it took, in columns of any name; two times; the names start and end; NULL where there is none:

  $ spanloom durations --sql "SELECT a.time, b.time - a.time FROM event a, event b WHERE a.span_uuid = b.span_uuid AND a.type = 'running' AND b.type = 'running_ended'" > pair
  $ spanloom durations --sql "SELECT a.time, b.time FROM event a, event b WHERE a.span_uuid = b.span_uuid AND a.type = 'running' AND b.type = 'running_ended'" > times
  $ spanloom durations --sql "SELECT a.span, a.time AS start, b.time AS \"end\" FROM (SELECT span_uuid AS span, * FROM event) a, event b WHERE a.span_uuid = b.span_uuid AND a.type = 'running' AND b.type = 'running_ended'" | head -14 > named
  $ spanloom durations --sql "SELECT a.time_ns AS begun_ns, b.time_ns AS over_ns FROM events a, events b WHERE a.span = b.span AND a.type = 'running' AND b.type = 'running_ended'" > ns
  $ cat pair && cmp pair times && cmp pair ns && cmp pair named
  223 durations
  
       mean    stddev   minimum      25 %    median      75 %      95 %   maximum
     162 ms    440 ms   2.49 ms     51 ms     77 ms    130 ms    446 ms    4.05 s
  
           0 s to 500 ms             219  ████████████████████████████████████████
        500 ms to 1 s                  0
           1 s to 1.5 s                0
         1.5 s to 2 s                  0
           2 s to 2.5 s                0
         2.5 s to 3 s                  0
           3 s to 3.5 s                3  ▌
         3.5 s to 4 s                  0
           4 s to 4.5 s                1  ▏

So does a picture:

  $ spanloom durations -o named.json --sql "SELECT b.time - a.time AS duration_s FROM event a, event b WHERE a.span_uuid = b.span_uuid AND a.type = 'running' AND b.type = 'running_ended'"
  $ spanloom durations -o start.json --sql "SELECT a.time AS start, b.time AS \"end\" FROM event a, event b WHERE a.span_uuid = b.span_uuid AND a.type = 'running' AND b.type = 'running_ended'"
  $ spanloom durations -o pair.json --sql "SELECT a.time, b.time - a.time FROM event a, event b WHERE a.span_uuid = b.span_uuid AND a.type = 'running' AND b.type = 'running_ended'"
  $ spanloom plot durations -o times.json --sql "SELECT a.time, b.time FROM event a, event b WHERE a.span_uuid = b.span_uuid AND a.type = 'running' AND b.type = 'running_ended'"
  $ spanloom durations -o both.json --sql "SELECT a.time AS start_ns, b.time AS end_ns FROM (SELECT time_ns AS time, * FROM events) a, (SELECT time_ns AS time, * FROM events) b WHERE a.span = b.span AND a.type = 'running' AND b.type = 'running_ended'"
  $ for f in named start pair times both; do grep -o '"durations":[0-9]\+' $f.json | cut -d: -f2 | awk '{ n += $1 } END { print n, NR }'; done | uniq -c
        5 223 20
  $ spanloom durations -o none.json --sql 'SELECT 1 AS seconds'
  spanloom: --sql: durations needs a column duration_s; start and end, in seconds; start_ns and end_ns; or two columns of any name, a time and how long it took, or two times
  try: spanloom durations --help
  [2]
  $ spanloom durations --sql "VALUES (1795162300.5, 1795162302.5), (1795162300.5, NULL), (NULL, 1795162302.5)" | head -5
  1 duration
            1 row without a start
            1 row without an end
  
       mean    stddev   minimum      25 %    median      75 %      95 %   maximum
  $ spanloom durations --sql "VALUES (0, 1.5), (10, 2.5)" | tail -1
         2.5 s to 2.6 s                1  ████████████████████████████████████████
  $ spanloom durations --sql "SELECT 1795162300 AS t_ns, 2500000000 AS took_ns" | tail -1
      2.5 s               2.5 s     2.5 s     2.5 s     2.5 s     2.5 s     2.5 s

Of one run:

  $ spanloom durations invoked returned --run 000 | head -1
  from invoked to returned: 198 of 198 spans of type parsl.monitoring.task
  $ spanloom durations invoked returned --run 3d9e0d70 | head -1
  from invoked to returned: 198 of 198 spans of type parsl.monitoring.task

Mistakes:

  $ spanloom durations invoked returned --run 111
  spanloom: no run is called 111; see them with: spanloom runs -d spanloom.db
  [1]
  $ spanloom durations invoked
  spanloom: from which event to which? such as: invoked returned
  try: spanloom durations --help
  [2]
  $ spanloom durations invoked retruned
  spanloom: spanloom.db: no event is called retruned; did you mean 'returned'? see what there is with: spanloom types --events
  [1]
  $ spanloom durations invoked returned no.such.type
  spanloom: no span has the type no.such.type; see what there is with: spanloom types -d spanloom.db
  [1]
  $ spanloom durations --sql 'SELECT 1 AS seconds'
  spanloom: --sql: durations needs a column duration_s; start and end, in seconds; start_ns and end_ns; or two columns of any name, a time and how long it took, or two times
  try: spanloom durations --help
  [2]
  $ spanloom durations --sql 'SELECT 1 AS start_ns'
  spanloom: --sql: durations needs a column duration_s; start and end, in seconds; start_ns and end_ns; or two columns of any name, a time and how long it took, or two times
  try: spanloom durations --help
  [2]
  $ spanloom durations --sql 'SELECT 1 AS span, 2, 3'
  spanloom: --sql: durations needs a column duration_s; start and end, in seconds; start_ns and end_ns; or two columns of any name, a time and how long it took, or two times
  try: spanloom durations --help
  [2]
  $ spanloom durations --sql "SELECT 1795162300.5, 'soon'"
  spanloom: spanloom.db: query failed: the column 2 has 'soon', which is no number
  [1]
  $ spanloom durations --sql "SELECT '2026-11-20' AS start, 2 AS end"
  spanloom: spanloom.db: query failed: the column start has '2026-11-20', which is no number
  [1]
  $ spanloom durations --sql "VALUES (1795162300, 1795162301), (1795162300, 5)"
  spanloom: --sql: is the second column an end, or how long it took? 1 of 2 rows look like an end; name the two columns start and end, or the second duration_s
  [1]
  $ spanloom durations --sql 'SELEC'
  spanloom: --sql: spanloom.db: cannot query: no such table: SELEC
  [1]
  $ spanloom durations --sql 'SELECT 1 AS duration_s' invoked returned
  spanloom: durations takes events or --sql, not both
  try: spanloom durations --help
  [2]

A text is no number:

  $ spanloom durations --sql "SELECT 'soon' AS duration_s"
  spanloom: spanloom.db: query failed: the column duration_s has 'soon', which is no number
  [1]

Nanoseconds that are called start and end are no seconds:

  $ spanloom durations --sql "SELECT time_ns AS start, time_ns + 1000000000 AS end FROM events"
  spanloom: --sql: start and end are seconds since 1970, and these would be of the year 30000 or later; nanoseconds are named start_ns and end_ns
  [1]
  $ spanloom durations --list
  spanloom: from which event to which? such as: invoked returned
  try: spanloom durations --help
  [2]
