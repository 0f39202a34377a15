# SPDX-License-Identifier: Apache-2.0
All of a run as JSON, which is what the page holds.  tests/peers/report.py looks at the page.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ show() { python3 -c "import json, sys; d = json.load(sys.stdin); $1"; }
  $ spanloom report --json | show '
  > for s in d["runs"][0]["sections"]:
  >     print(s["name"], ", ".join("%s %d" % (f["name"], f["rows"]) for f in s["figures"]))'
  findings run 1, findings \d, ended 3, terms 1 (re)
  plan steps \d, same \d, options \d (re)
  makespan path 45, parts 17
  states states 721, apps 1718, executors 725
  sequence reached 15, each 198
  apps apps 13, executors 2
  failures failures 6, dependents 2, tries 44, never 4
  workers utilisation 221, workers 2, lanes 220
  timeline spans 1524, groups 2, links 1752, types 9, path 45, events 4262, attributes 2348, sources 15
  tasks slowest 89, cells 198
  nodes nodes 0
  profile functions 0, tree 0
  data sources 6, rejects 0, doubts 0, zones 2, clocks 0

They are the figures of the commands.

  $ figure() { spanloom report --json | show "
  > for s in d['runs'][0]['sections']:
  >     for f in s['figures']:
  >         if (s['name'], f['name']) == ('$1', '$2'):
  >             print(*['%.4g' % x if isinstance(x, float) else x for x in f['data']['$3']])"; }
  $ spanloom why --format json > why.json
  $ spanloom report --json | show '
  > why = json.load(open("why.json"))
  > for f in d["runs"][0]["sections"][0]["figures"]:
  >     print(f["name"], [list(r.values()) for r in why[f["name"]]] == [[*r] for r in zip(*(f["data"][c] for c in f["columns"]))])'
  run True
  findings True
  ended True
  terms True
  $ figure makespan parts seconds
  15.39 9.205 2.478 2.111 1.878 0.1524 0.1038 0.05221 0.01832 0.006882 0.003464 0.002952 0.001583 0.001236 0.000635 0.00049 0.000126
  $ spanloom sql --run parsl-htex "SELECT round(sum(seconds), 6) AS sum, makespan_s FROM path, run"
        sum          makespan_s
  31.406198  31.406198000000014

The tables of a run and its argument are there for other queries, too.

  $ spanloom sql --run parsl-htex "SELECT type, key = (SELECT key FROM spans WHERE id = (SELECT workflow FROM run)) AS same, (:start_ns - start_ns) AS zero FROM spans, run WHERE id = :run"
  type                   same  zero
  parsl.rundir.workflow     1     0
  $ spanloom sql "SELECT * FROM run"
  spanloom: no such table: run* (glob)
  [1]

A file is whole, or what there was stays.

  $ spanloom report -o x.json && spanloom report --json | cmp - x.json
  $ spanloom report -o nowhere/x.json
  spanloom: nowhere/x.json: cannot be written: No such file or directory
  [1]
  $ spanloom report -o x.pdf
  spanloom: -o x.pdf: a report is a page, FILE.html, or its figures, FILE.json
  try: spanloom report --help
  [2]
  $ spanloom report
  spanloom: where to? -o FILE.html, or --json
  try: spanloom report --help
  [2]
  $ spanloom report --json -o x.html
  spanloom: --json and -o x.html say two things: a page, or the figures alone
  try: spanloom report --help
  [2]
  $ spanloom report a b c --json
  spanloom: one run, or two beside each other: c is too much
  try: spanloom report --help
  [2]
  $ spanloom report a --run b --json
  spanloom: --run and a both say which run; one is enough
  try: spanloom report --help
  [2]
  $ spanloom report nothing --json
  spanloom: nothing is no file; as a run in spanloom.db: no run is called nothing; see them with: spanloom runs -d spanloom.db
  [1]

A store without a run has other figures; one of two runs says which.

  $ spanloom import --quiet -d nodes.db "$ROOT/tests/data/nodes"
  $ spanloom report -d nodes.db --json | show '
  > print(d["runs"][0]["run"], [(f["name"], f["rows"]) for s in d["runs"][0]["sections"] for f in s["figures"] if f["rows"]])'
  None [('spans', 3), ('events', 6), ('attributes', 51), ('sources', 3), ('nodes', 93), ('sources', 1)]
  $ spanloom import --quiet "$ROOT/tests/data/workqueue-two"
  $ spanloom report --json
  spanloom: there are 2 runs; say which with --run:
    parsl-htex
    workqueue-two
  [1]
  $ spanloom report spanloom.db:parsl-htex spanloom.db:workqueue-two --json | show '
  > print([r["run"] for r in d["runs"]], list(d["compared"]), d["compared"]["changes"]["data"]["what"][0])'
  ['parsl-htex', 'workqueue-two'] ['changes', 'runs', 'terms'] finding
  $ spanloom report spanloom.db:parsl-htex nodes.db --json
  spanloom: nodes.db holds no workflow; see what it holds with: spanloom types -d nodes.db
  [1]

Sections of one's own: what is wrong with one is told, and all else is there.

  $ mkdir -p config/spanloom/report; export XDG_CONFIG_HOME=$PWD/config
  $ cat > config/spanloom/report/mine.yaml <<'END'
  > title: Mine
  > about: two numbers
  > of: store
  > figures:
  >   two: {about: two, sql: "SELECT 1 AS a, 2.5 AS b, x'00' AS c, 1e999 AS d, 9007199254740993 AS e"}
  >   wrong: {about: wrong, sql: "SELECT * FROM no_table"}
  >   writes: {about: writes, sql: "DELETE FROM sl_span"}
  >   two_of_them: {about: two statements, sql: "SELECT 1; SELECT 2"}
  >   argument: {about: an argument, sql: "SELECT :other"}
  >   reduced: {about: with a note, sql: "SELECT 1 AS a", note: "SELECT 'one of many'"}
  > END
  $ spanloom report -d nodes.db --json > report.json
  spanloom: */config/spanloom/report/mine.yaml: wrong: no such table: no_table (glob)
  spanloom: */report/mine.yaml: writes: it may only read (glob)
  spanloom: */report/mine.yaml: two_of_them: one statement is wanted (glob)
  spanloom: */report/mine.yaml: argument: there is no argument :other, only :run and :start_ns (glob)
  [1]
  $ show '
  > for f in d["runs"][0]["sections"][-1]["figures"]:
  >     print(f["name"], f["data"], f.get("problem"), f.get("note"))' < report.json
  two {'a': [1], 'b': [2.5], 'c': [None], 'd': [None], 'e': ['9007199254740993']} None None
  wrong {} no such table: no_table None
  writes {} it may only read None
  two_of_them {} one statement is wanted None
  argument {} there is no argument :other, only :run and :start_ns None
  reduced {'a': [1]} None one of many
  $ printf 'title: x\nabout: y\nfigure: {}\n' > config/spanloom/report/mine.yaml
  $ spanloom report -d nodes.db -o x.json
  spanloom: */config/spanloom/report/mine.yaml:3: a section has no key 'figure'; did you mean 'figures'? Known: title, about, needs, place, of, figures (glob)
  [1]
  $ printf 'title: x\nabout: y\nof: all\nfigures: {}\n' > config/spanloom/report/mine.yaml
  $ spanloom report -d nodes.db -o x.json
  spanloom: */config/spanloom/report/mine.yaml:3: 'of' is run or store (glob)
  [1]
  $ printf 'title: x\nabout: y\nplace: first\nfigures: {a: {about: b}}\n' > config/spanloom/report/mine.yaml
  $ spanloom report -d nodes.db -o x.json
  spanloom: */config/spanloom/report/mine.yaml:3: 'place' is a number (glob)
  [1]
