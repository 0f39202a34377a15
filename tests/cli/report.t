# SPDX-License-Identifier: Apache-2.0
All of a run as JSON, which is what the page holds.  tests/peers/report.py looks at the page.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  /bin/bash: line 2: spanloom: command not found
  [127]
  $ show() { python3 -c "import json, sys; d = json.load(sys.stdin); $1"; }
  $ spanloom report --json | show '
  > for s in d["runs"][0]["sections"]:
  >     print(s["name"], ", ".join("%s %d" % (f["name"], f["rows"]) for f in s["figures"]))'
  /bin/bash: line 6: spanloom: command not found
  Traceback (most recent call last):
    File "<string>", line 1, in <module>
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/__init__.py", line 293, in load
      return loads(fp.read(),
             ^^^^^^^^^^^^^^^^
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/__init__.py", line 346, in loads
      return _default_decoder.decode(s)
             ^^^^^^^^^^^^^^^^^^^^^^^^^^
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/decoder.py", line 337, in decode
      obj, end = self.raw_decode(s, idx=_w(s, 0).end())
                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/decoder.py", line 355, in raw_decode
      raise JSONDecodeError("Expecting value", s, err.value) from None
  json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)
  [1]

They are the figures of the commands.

  $ figure() { spanloom report --json | show "
  > for s in d['runs'][0]['sections']:
  >     for f in s['figures']:
  >         if (s['name'], f['name']) == ('$1', '$2'):
  >             print(*['%.4g' % x if isinstance(x, float) else x for x in f['data']['$3']])"; }
  $ spanloom why --format json > why.json
  /bin/bash: line 16: spanloom: command not found
  [127]
  $ spanloom report --json | show '
  > why = json.load(open("why.json"))
  > for f in d["runs"][0]["sections"][0]["figures"]:
  >     print(f["name"], [list(r.values()) for r in why[f["name"]]] == [[*r] for r in zip(*(f["data"][c] for c in f["columns"]))])'
  /bin/bash: line 18: spanloom: command not found
  Traceback (most recent call last):
    File "<string>", line 1, in <module>
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/__init__.py", line 293, in load
      return loads(fp.read(),
             ^^^^^^^^^^^^^^^^
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/__init__.py", line 346, in loads
      return _default_decoder.decode(s)
             ^^^^^^^^^^^^^^^^^^^^^^^^^^
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/decoder.py", line 337, in decode
      obj, end = self.raw_decode(s, idx=_w(s, 0).end())
                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/decoder.py", line 355, in raw_decode
      raise JSONDecodeError("Expecting value", s, err.value) from None
  json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)
  [1]
  $ figure makespan parts seconds
  main: line 10: spanloom: command not found
  Traceback (most recent call last):
    File "<string>", line 1, in <module>
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/__init__.py", line 293, in load
      return loads(fp.read(),
             ^^^^^^^^^^^^^^^^
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/__init__.py", line 346, in loads
      return _default_decoder.decode(s)
             ^^^^^^^^^^^^^^^^^^^^^^^^^^
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/decoder.py", line 337, in decode
      obj, end = self.raw_decode(s, idx=_w(s, 0).end())
                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/decoder.py", line 355, in raw_decode
      raise JSONDecodeError("Expecting value", s, err.value) from None
  json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)
  [1]
  $ spanloom sql --run parsl-htex "SELECT round(sum(seconds), 6) AS sum, makespan_s FROM path, run"
  /bin/bash: line 25: spanloom: command not found
  [127]

The tables of a run and its argument are there for other queries, too.

  $ spanloom sql --run parsl-htex "SELECT type, key = (SELECT key FROM spans WHERE id = (SELECT workflow FROM run)) AS same, (:start_ns - start_ns) AS zero FROM spans, run WHERE id = :run"
  /bin/bash: line 27: spanloom: command not found
  [127]
  $ spanloom sql "SELECT * FROM run"
  /bin/bash: line 29: spanloom: command not found
  [127]

A file is whole, or what there was stays.

  $ spanloom report -o x.json && spanloom report --json | cmp - x.json
  /bin/bash: line 31: spanloom: command not found
  [127]
  $ spanloom report -o nowhere/x.json
  /bin/bash: line 33: spanloom: command not found
  [127]
  $ spanloom report -o x.pdf
  /bin/bash: line 35: spanloom: command not found
  [127]
  $ spanloom report
  /bin/bash: line 37: spanloom: command not found
  [127]
  $ spanloom report --json -o x.html
  /bin/bash: line 39: spanloom: command not found
  [127]
  $ spanloom report a b c --json
  /bin/bash: line 41: spanloom: command not found
  [127]
  $ spanloom report a --run b --json
  /bin/bash: line 43: spanloom: command not found
  [127]
  $ spanloom report nothing --json
  /bin/bash: line 45: spanloom: command not found
  [127]

A store without a run has other figures; one of two runs says which.

  $ spanloom import --quiet -d nodes.db "$ROOT/tests/data/nodes"
  /bin/bash: line 47: spanloom: command not found
  [127]
  $ spanloom report -d nodes.db --json | show '
  > print(d["runs"][0]["run"], [(f["name"], f["rows"]) for s in d["runs"][0]["sections"] for f in s["figures"] if f["rows"]])'
  /bin/bash: line 49: spanloom: command not found
  Traceback (most recent call last):
    File "<string>", line 1, in <module>
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/__init__.py", line 293, in load
      return loads(fp.read(),
             ^^^^^^^^^^^^^^^^
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/__init__.py", line 346, in loads
      return _default_decoder.decode(s)
             ^^^^^^^^^^^^^^^^^^^^^^^^^^
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/decoder.py", line 337, in decode
      obj, end = self.raw_decode(s, idx=_w(s, 0).end())
                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/decoder.py", line 355, in raw_decode
      raise JSONDecodeError("Expecting value", s, err.value) from None
  json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)
  [1]
  $ spanloom import --quiet "$ROOT/tests/data/workqueue-two"
  /bin/bash: line 52: spanloom: command not found
  [127]
  $ spanloom report --json
  /bin/bash: line 54: spanloom: command not found
  [127]
  $ spanloom report spanloom.db:parsl-htex spanloom.db:workqueue-two --json | show '
  > print([r["run"] for r in d["runs"]], list(d["compared"]), d["compared"]["changes"]["data"]["what"][0])'
  /bin/bash: line 56: spanloom: command not found
  Traceback (most recent call last):
    File "<string>", line 1, in <module>
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/__init__.py", line 293, in load
      return loads(fp.read(),
             ^^^^^^^^^^^^^^^^
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/__init__.py", line 346, in loads
      return _default_decoder.decode(s)
             ^^^^^^^^^^^^^^^^^^^^^^^^^^
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/decoder.py", line 337, in decode
      obj, end = self.raw_decode(s, idx=_w(s, 0).end())
                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/decoder.py", line 355, in raw_decode
      raise JSONDecodeError("Expecting value", s, err.value) from None
  json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)
  [1]
  $ spanloom report spanloom.db:parsl-htex nodes.db --json
  /bin/bash: line 59: spanloom: command not found
  [127]

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
  /bin/bash: line 76: spanloom: command not found
  [127]
  $ show '
  > for f in d["runs"][0]["sections"][-1]["figures"]:
  >     print(f["name"], f["data"], f.get("problem"), f.get("note"))' < report.json
  Traceback (most recent call last):
    File "<string>", line 1, in <module>
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/__init__.py", line 293, in load
      return loads(fp.read(),
             ^^^^^^^^^^^^^^^^
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/__init__.py", line 346, in loads
      return _default_decoder.decode(s)
             ^^^^^^^^^^^^^^^^^^^^^^^^^^
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/decoder.py", line 337, in decode
      obj, end = self.raw_decode(s, idx=_w(s, 0).end())
                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    File "/root/.pyenv/versions/3.11.7/lib/python3.11/json/decoder.py", line 355, in raw_decode
      raise JSONDecodeError("Expecting value", s, err.value) from None
  json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)
  [1]
  $ printf 'title: x\nabout: y\nfigure: {}\n' > config/spanloom/report/mine.yaml
  $ spanloom report -d nodes.db -o x.json
  /bin/bash: line 84: spanloom: command not found
  [127]
  $ printf 'title: x\nabout: y\nof: all\nfigures: {}\n' > config/spanloom/report/mine.yaml
  $ spanloom report -d nodes.db -o x.json
  /bin/bash: line 88: spanloom: command not found
  [127]
  $ printf 'title: x\nabout: y\nplace: first\nfigures: {a: {about: b}}\n' > config/spanloom/report/mine.yaml
  $ spanloom report -d nodes.db -o x.json
  /bin/bash: line 92: spanloom: command not found
  [127]
