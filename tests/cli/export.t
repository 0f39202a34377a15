# SPDX-License-Identifier: Apache-2.0
A store, for other programs. What they make of it is in tests/peers/exports.py and opentelemetry.py, what import does in
tests/sql/exports.py.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom export perfetto
  spanloom.pftrace: 1,524 slices and 4,575 events on 625 tracks, 1,290 arrows; not in it: 1 span of which nothing says when
  open it at https://ui.perfetto.dev
  $ spanloom export chrome
  spanloom.trace.json: 1,524 slices and 4,575 events on 625 tracks, 930 arrows; not in it: 1 span of which nothing says when
  open it at https://ui.perfetto.dev
  $ spanloom export otlp --run 000
  spanloom.otlp.jsonl: 1,526 spans, 4,262 events, 1,752 links, 3,130 samples
  $ spanloom export csv
  spanloom.csv: 1,527 spans, 4,262 events, 3,277 links, 3,130 samples
  $ spanloom export ctf -o trace
  trace: 1,527 spans, 4,262 events, 1,753 links, 3,130 samples; nothing says when 3 of the spans were
  $ ls spanloom.csv trace
  spanloom.csv:
  attributes.csv
  events.csv
  links.csv
  samples.csv
  sources.csv
  spans.csv
  
  trace:
  metadata
  stream
  $ head -2 spanloom.csv/spans.csv | tr -d '\r'
  id,type,key,parent,begin_ns,end_ns,source
  1,parsl.rundir.workflow,3d9e0d70-39a8-4383-9c87-0c3e06c8c255,,1795162289116514000,1795162320522712000,1

To a pipe, which may close:

  $ spanloom export otlp -o - | wc -l | tr -d ' '
  222
  $ spanloom export chrome -o - | head -1
  {"displayTimeUnit":"ns","otherData":{"spanloom":"spans 1"},"traceEvents":[
  $ spanloom export perfetto -o /dev/null
  /dev/null: 1,524 slices and 4,575 events on 625 tracks, 1,290 arrows; not in it: 1 span of which nothing says when
  open it at https://ui.perfetto.dev

What is wrong:

  $ spanloom export
  spanloom: export what? one of perfetto, chrome, otlp, csv, ctf, mlflow
  try: spanloom export --help
  [2]
  $ spanloom export parquet
  spanloom: export as 'parquet'? one of perfetto, chrome, otlp, csv, ctf, mlflow
  try: spanloom export --help
  [2]
  $ spanloom export perfetto other.db
  spanloom: export perfetto takes a store: spanloom export perfetto -d other.db
  try: spanloom export --help
  [2]
  $ spanloom export chrome spanloom.db
  spanloom: spanloom.db: it is no trace file of Spanloom; give a .slt that a traced process left, or a store: -d spanloom.db
  [1]
  $ spanloom export otlp --event compact
  spanloom: --format and --event are for export chrome FILE.slt
  try: spanloom export --help
  [2]
  $ spanloom export csv -o -
  spanloom: csv is a folder of files: give its name with --output
  try: spanloom export --help
  [2]
  $ spanloom export csv -o spanloom.db
  spanloom: spanloom.db: cannot be made: Not a directory
  [1]
  $ spanloom export otlp -o nowhere/out.jsonl
  spanloom: nowhere/out.jsonl: cannot be written: No such file or directory
  [1]
  $ spanloom export otlp --run 9
  spanloom: no run is called 9; see them with: spanloom runs -d spanloom.db
  [1]
