# SPDX-License-Identifier: Apache-2.0
Pictures, in the form that every build has: the specification with its data.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom plot --list | grep -E '^(plot|durations|states) ' | tr -s ' '
  plot answers
  durations how long it took, and how that is spread
  states how many spans were in which state, over time
  $ spanloom plot --list --format csv | grep ^durations,
  durations,"how long it took, and how that is spread",spanloom,[START] [END] [TYPE],duration_s noun
  $ spanloom plot --list durations
  durations: how long it took, and how that is spread
  
  what      name        type   unit  needed  about
  argument  start       event        no      from which event; without it, from the first of a span to its last
  argument  end         event        no      to which event
  argument  type        type         no      of which spans; the tasks if not given
  column    duration_s  real   s     yes     how long it took; NULL where an end is missing
  column    noun        text         no      what took that long, for the title: tasks
  $ spanloom plot --list states --format csv
  what,name,type,unit,needed,about
  argument,type,type,,no,of which spans; the tasks if not given
  column,time_ns,integer,ns,yes,since when; where a bin begins
  column,state,text,,yes,the state
  column,spans,real,,yes,how many spans are in it
  column,width_s,real,s,no,of the bins
  column,roots,integer,,no,"how many spans there are in all, for the title"
  column,noun,text,,no,"what they are, for the title: tasks"
  column,workflows,integer,,no,"of how many workflows all is, for the title"
  $ show() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(*(d["title"][k] for k in ("text", "subtitle")), *d["datasets"]["lines"], sep="\n")' "$1"; }
  $ spanloom plot durations invoked returned -o times.json
  $ show times.json
  198 tasks took 7.77 ms to 21.8 s, median 13.3 s
  from invoked to returned; half are above the median, one in twenty above 95 %
  {'label': 'median 13.3 s', 'place': 1, 'seconds': 13.2500625, 'at': 13.2500625}
  {'label': 'mean 12.7 s', 'place': 2, 'seconds': 12.6889075959596, 'at': 12.6889075959596}
  {'label': '95 % below 20.9 s', 'place': 3, 'seconds': 20.911008999999996, 'at': 20.911008999999996}
  {'label': 'maximum 21.8 s', 'place': 4, 'seconds': 21.816472, 'at': 21.816472}
  $ spanloom durations --sql "SELECT seconds AS duration_s FROM parsl_try" -o tries.json
  $ show tries.json
  229 durations took 7.68 ms to 21.8 s, median 11.6 s
  half are above the median, one in twenty above 95 %
  {'label': 'median 11.6 s', 'place': 1, 'seconds': 11.604118, 'at': 11.604118}
  {'label': 'mean 11 s', 'place': 2, 'seconds': 10.970879956331883, 'at': 10.970879956331883}
  {'label': '95 % below 20.6 s', 'place': 3, 'seconds': 20.6441132, 'at': 20.6441132}
  {'label': 'maximum 21.8 s', 'place': 4, 'seconds': 21.816446, 'at': 21.816446}
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
  spanloom: there is no plot called 'state'; did you mean 'states' or 'rate'? All: spanloom plot --list
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
  spanloom: from invoked to which event? Say both; what there is: spanloom types --events
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
  $ spanloom plot durations --sql 'SELECT 1 AS seconds, 2 AS more, 3 AS most' -o x.json
  spanloom: --sql: durations needs a column duration_s; start and end, in seconds; start_ns and end_ns; or two columns of any name, a time and how long it took, or two times
  try: spanloom plot --help
  [2]
  $ spanloom plot durations --sql 'SELECT 1 AS duration_s WHERE 0' -o x.json
  spanloom: --sql: the query has no rows that could be shown
  [1]
  $ spanloom plot durations invoked none -o x.json
  spanloom: the plot durations: no event is called none; did you mean 'exec_done' or 'memo_done'? see what there is with: spanloom types --events
  [1]
  $ spanloom plot durations invoked returned --bin 5 -o x.json
  spanloom: --bin does nothing here: the plot durations has no bins
  try: spanloom plot --help
  [2]
  $ spanloom plot --spec mine.json -o x.json
  spanloom: mine.json: $.data.url: a picture has no data but those of the store: take 'url' (cars.csv) away, and name a data set: "data": {"name": "rows"}
  [1]
  $ spanloom plot --spec mine.json --sql "SELECT 1 AS x" -o ./mine.json
  spanloom: -o ./mine.json is the specification itself, which would be gone
  try: spanloom plot --help
  [2]
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
