# SPDX-License-Identifier: Apache-2.0
A user's recipe for exports of CloudWatch: JSON documents, JSON inside of texts, records kept whole.

  $ cp -r "$ROOT/examples/cloudwatch" . && cd cloudwatch
  $ spanloom recipes --test cloudwatch.yaml | grep -v '^ok'
  # cloudwatch.yaml:29: no sample for match: ^REPORT RequestId: (?<request>\S+)\s+(?<pairs>.*)
  # cloudwatch.yaml:39: no sample for this rule
  1..2

Nobody claims such files by default:

  $ spanloom import --quiet . 2>&1 | sed 's|`.*||'
  spanloom: no recipe knows any file below .; see what there is with 
  $ spanloom import --recipe cloudwatch.yaml . | sed -E 's/ *(, )?[0-9.]+( s.*)?$//'
  recipe         files  records  used  skipped  rejects  new spans  events  seconds
  my.cloudwatch      2       11    10        1        0          6       9
  
  spanloom.db: 6 new spans, 9 events from 2 files

What the JSON inside of the messages says, also where it was escaped twice:

  $ spanloom sql "SELECT s.key, e.type, e.time FROM events e JOIN spans s ON s.id = e.span WHERE s.type = 'web.task' ORDER BY e.time"
  key   type           time
  t-17  task_received  2026-11-20T08:11:36.131000000Z
  t-18  task_received  2026-11-20T08:11:36.502000000Z
  t-17  task_done      2026-11-20T08:11:37.310000000Z
  t-19  task_received  2026-11-20T08:11:38.110000000Z
  t-18  task_done      2026-11-20T08:11:38.505000000Z
  $ spanloom sql "SELECT s.key, a.name, a.value FROM attributes a JOIN spans s ON s.id = a.span WHERE s.type = 'web.task' AND a.name = 'exit' ORDER BY 1"
  key   name  value
  t-17  exit      0
  t-18  exit      1
  $ spanloom sql "SELECT substr(s.key, 1, 8) AS request, a.name, a.value FROM attributes a JOIN spans s ON s.id = a.span WHERE s.type LIKE 'aws.%' ORDER BY 2"
  request   name                  value
  8f507cfc  Billed Duration (ms)  1204
  8f507cfc  Duration (ms)         1203.45
  8f507cfc  Max Memory Used (MB)  71
  8f507cfc  Memory Size (MB)      128

The records themselves, by SQLite's JSON functions; also those that no rule takes:

  $ spanloom sql "SELECT count(*) AS n, sum(json_valid(json)) AS valid FROM raw"
   n  valid
  10     10
  $ spanloom sql "SELECT json_extract(json, '$.message') AS message, json_extract(json, '$.ingestionTime') AS ingested FROM raw WHERE json ->> '$.message' LIKE 'connection%'"
  message                                 ingested
  connection pool: 3 of 10 in use\n  1795162301700
  $ spanloom sql "SELECT json_extract(json_extract(json, '$.message'), '$.level') AS level, count(*) AS n FROM raw WHERE json_valid(json ->> '$.message') GROUP BY 1"
  level  n
         1
  INFO   2
  $ spanloom sql "SELECT json_extract(json, '\$[2].value') AS stream, count(*) AS n FROM raw WHERE json_type(json) = 'array' GROUP BY 1"
  stream                      n
  2026/11/20/[$LATEST]5d2e1f  3

The same document grown is the same source, newer:

  $ python3 - <<END
  > import json
  > with open("web.events.json") as file:
  >     d = json.load(file)
  > d["events"].append({"timestamp": 1795162299000, "message": "END RequestId: r9"})
  > with open("web.events.json", "w") as file:
  >     json.dump(d, file)
  > END
  $ spanloom import --recipe cloudwatch.yaml . | sed -E 's/ *(, )?[0-9.]+( s.*)?$//'
  recipe         files  records  used  skipped  rejects  new spans  events  seconds
  my.cloudwatch      1        9     8        1        0          1       7
  
  spanloom.db: 1 new spans, 7 events from 1 file (1 known already)
  $ spanloom sql "SELECT count(*) AS n FROM raw r JOIN sources s ON s.id = r.source WHERE s.replaced_by IS NULL"
   n
  11
