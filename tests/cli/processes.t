# SPDX-License-Identifier: Apache-2.0
What a recipe of one's own says of traced processes: the spans that their environment names.

  $ cat > farm.yaml <<'END'
  > recipe: farm
  > component: farm
  > inputs:
  >   - files: "{farm}.farmlog"
  >     reader: lines
  >     head: '^(?<time>\d+) '
  >     times: {time: unix}
  > spans:
  >   farm: {type: farm, key: "{farm}"}
  >   job:  {type: farm.job, key: "{job}", in: farm}
  > records:
  >   - {match: '^job (?<job>\w+) (?<what>\w+)', span: job, event: "{what}"}
  > processes:
  >   - bind: farm.job
  >     says: a process lies in the job that its environment names
  >     variables: [FLUX_JOB_ID]
  >     spans: >-
  >       SELECT id, (SELECT min(time_ns) FROM events WHERE span = s.id AND type = 'starts'),
  >         (SELECT max(time_ns) FROM events WHERE span = s.id AND type = 'ends') FROM spans s WHERE type = 'farm.job' AND key = ?1
  > samples: []
  > END
  $ cat > day.farmlog <<'END'
  > 100 job a starts
  > 200 job a ends
  > 300 job b starts
  > 400 job b ends
  > END
  $ traced() {
  > cat > $1.pfw <<END
  > [{"name": "spanloom", "ph": "M", "pid": $1, "tid": $1, "args": {"version": 1, "hostname": "n1", "pid": $1,
  >   "start_ns": "${3}000000000", "end_ns": "${3}500000000", "ended": true, "lost": 0, "env.FLUX_JOB_ID": "$2"}}]
  > END
  > }
  $ traced 1 a 150; traced 2 b 150; traced 3 b 350
  $ spanloom import --quiet --recipe farm.yaml .
  $ spanloom sql "SELECT c.key, o.key, rule, confidence FROM links l JOIN spans o ON o.id = l.left_span JOIN spans c ON c.id = l.right_span WHERE rule <> 'name' ORDER BY 1"
  key                key  rule      confidence
  n1:1@150000000000  a    farm.job         0.9
  n1:3@350000000000  b    farm.job         0.9
  $ spanloom bind --recipe farm.yaml | grep farm
  farm.job         yes        2       0  built in  (a process lies in the job that its environment names)
  $ spanloom unbind --recipe farm.yaml farm.job
  farm.job: 2 links taken away
  $ sed 's/SELECT id,/SELECT it,/' farm.yaml > bad.yaml
  $ spanloom bind --recipe bad.yaml farm.job
  spanloom: binding farm.job: spanloom.db: cannot query: no such column: it
  [1]
  $ sed 's/variables: .*/variables: []/' farm.yaml > bad.yaml
  $ spanloom import --recipe bad.yaml .
  spanloom: bad.yaml:16: variables of processes is a list of one to four names
  [1]
