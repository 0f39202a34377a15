# SPDX-License-Identifier: Apache-2.0
Pictures, in the form that every build has: the specification with its data.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom plot --list | grep -E '^(plot|durations|states) ' | tr -s ' '
  plot arguments answers from
  durations START END [TYPE] how long it took from one event to another: a histogram spanloom
  states [TYPE] how many spans were in which state, over time spanloom
  $ spanloom plot --list durations
  durations: how long it took from one event to another: a histogram
  
  what      name        type   unit  needed  about
  argument  start       event        yes     from which event
  argument  end         event        yes     to which event
  argument  type        type         no      below which spans; the tasks if not given
  column    duration_s  real   s     yes     how long it took
  $ spanloom plot --list states --format csv
  what,name,type,unit,needed,about
  argument,type,type,,no,of which spans; the tasks if not given
  column,time_ns,integer,ns,yes,"when the bin begins, since 1970, UTC"
  column,state,text,,yes,what the spans were doing
  column,spans,real,spans,yes,"how many were in it, the mean over the bin"
  column,ended,real,spans,no,how many of these had no further event
  $ show() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(*(d["title"][k] for k in ("text", "subtitle")), *d["datasets"]["lines"], sep="\n")' "$1"; }
  $ spanloom plot durations invoked returned -o times.json
  $ show times.json
  How long it took from invoked to returned
  198 durations
  {'what': 'mean', 'duration_s': 12.6889075959596}
  {'what': 'median', 'duration_s': 13.2500625}
  {'what': '95 %', 'duration_s': 20.911008999999996}
  {'what': 'maximum', 'duration_s': 21.816472}
  $ spanloom durations --sql "SELECT seconds AS duration_s FROM parsl_try" -o tries.json
  $ show tries.json
  How long it took
  229 durations
  {'what': 'mean', 'duration_s': 10.970879956331883}
  {'what': 'median', 'duration_s': 11.604118}
  {'what': '95 %', 'duration_s': 20.6441132}
  {'what': 'maximum', 'duration_s': 21.816446}
  $ spanloom plot durations invoked returned --title 'Of my study' -o - --format json | head -c 80
  {"$schema":"https://vega.github.io/schema/vega-lite/v6.json","usermeta":{"spanlo (no-eol)
  $ echo '{"$schema": "https://vega.github.io/schema/vega-lite/v6.json", "data": {"url": "cars.csv"}, "mark": "bar"}' >mine.json
  $ spanloom plot --spec mine.json --sql "SELECT type, count(*) AS n FROM spans GROUP BY 1 LIMIT 2" -o mine_too.json
  $ python3 -c 'import json; d = json.load(open("mine_too.json")); print(d["data"], d["datasets"])'
  {'name': 'rows'} {'rows': [{'type': 'parsl.executor.htex.interchange.task', 'n': 220}, {'type': 'parsl.executor.htex.manager', 'n': 1}]}

Mistakes:

  $ spanloom plot
  spanloom: which plot? `spanloom plot --list` shows them; --spec FILE is one of your own
  try: spanloom plot --help
  [2]
  $ spanloom plot nothing -o x.svg
  spanloom: there is no plot called 'nothing'; see: spanloom plot --list
  [1]
  $ spanloom plot state -o x.svg
  spanloom: there is no plot called 'state'; near it: states; all: spanloom plot --list
  [1]
  $ spanloom plot states
  spanloom: where to? -o FILE.html (or .svg, .png, .pdf, .json); or --open shows it in the browser
  try: spanloom plot --help
  [2]
  $ spanloom plot states -o states.gif
  spanloom: -o states.gif: the name must end in .html, .svg, .png, .pdf or .json
  try: spanloom plot --help
  [2]
  $ spanloom plot states -o states
  spanloom: -o states: the name must end in .html, .svg, .png, .pdf or .json
  try: spanloom plot --help
  [2]
  $ spanloom plot states -o -
  spanloom: -o - has no ending that says the form; add --format html, svg, png, pdf or json
  try: spanloom plot --help
  [2]
  $ spanloom plot states -o x.json --open
  spanloom: -o writes a file, --open shows one: which of them?
  try: spanloom plot --help
  [2]
  $ spanloom plot states -o - --format gif
  spanloom: --format gif: known are html, svg, png, pdf and json
  try: spanloom plot --help
  [2]
  $ spanloom plot durations invoked -o x.json
  spanloom: the plot durations takes START END [TYPE]; end is missing: to which event
  try: spanloom plot --help
  [2]
  $ spanloom plot states task more -o x.json
  spanloom: the plot states takes [TYPE]; 'more' is one too many
  try: spanloom plot --help
  [2]
  $ spanloom plot durations invoked returned --sql 'SELECT 1 AS duration_s' -o x.json
  spanloom: the plot durations takes arguments or --sql, not both
  try: spanloom plot --help
  [2]
  $ spanloom plot durations --sql 'SELECT 1 AS seconds, 2 AS more' -o x.json
  spanloom: --sql: the query has no column duration_s; the plot durations needs: duration_s; the query has: seconds, more
  try: spanloom plot --help
  [2]
  $ spanloom plot durations --sql 'SELECT 1 AS duration_s WHERE 0' -o x.json
  spanloom: --sql: the query has no rows that could be shown
  [1]
  $ spanloom plot durations invoked none -o x.json
  spanloom: plots/durations.json: durations: two_events: no event is called none; see what there is with: spanloom types --events
  [1]
  $ spanloom plot durations invoked returned --bin 5 -o x.json
  spanloom: --bin does nothing here: the plot durations has no bins
  try: spanloom plot --help
  [2]
  $ spanloom plot --spec mine.json -o x.json
  spanloom: mine.json: $.data.url: a picture has no data but those of the store: take 'url' (cars.csv) away, and name a data set: "data": {"name": "rows"}
  [1]
  $ spanloom plot --spec none.json -o x.json
  spanloom: cannot read none.json: No such file or directory
  [1]
  $ spanloom durations invoked returned --list -o x.json
  spanloom: --list does nothing to a picture: leave it or -o away
  try: spanloom durations --help
  [2]
  $ spanloom states -o -
  spanloom: -o - has no ending that says the form; say: spanloom plot states -o - --format svg
  try: spanloom states --help
  [2]
  $ spanloom states --format csv -o x.json
  spanloom: -o writes a picture, --format is of tables: which of them?
  try: spanloom states --help
  [2]
  $ ls
  mine.json
  mine_too.json
  spanloom.db
  times.json
  tries.json
