# SPDX-License-Identifier: Apache-2.0
What a recipe of one's own says of time: roles, phases, handovers.

  $ cat > farm.yaml <<'END'
  > recipe: farm
  > component: farm
  > inputs:
  >   - files: "{farm}.farmlog"
  >     reader: lines
  >     head: '^(?<time>\d+) (?<who>\w+) '
  >     times: {time: unix}
  > spans:
  >   farm:  {type: farm, key: "{farm}"}
  >   job:   {type: farm.job, key: "{job}", in: farm}
  >   other: {type: farm.job, key: "{other}", in: farm}
  >   host:  {type: farm.host, key: "{host}", in: farm}
  > records:
  >   - {match: '^job (?<job>\w+) starts on (?<host>\w+)', span: job, event: starts, in: {job: host}}
  >   - match: '^job (?<job>\w+) held for (?<other>\w+)'
  >     span: job
  >     event: held
  >     after: {job: other}
  >   - {match: '^job (?<job>\w+) (?<what>\w+)', span: job, event: "{what}"}
  >   - {match: '^host (?<host>\w+) (?<what>\w+)', span: host, event: "{what}"}
  > roles: {workflow: [farm], task: [job], worker: [host]}
  > phases:
  >   - {state: held, component: farm, kind: depend, after: [job/queued, job/held]}
  >   - {state: released, component: farm, kind: wait, after: [job/released]}
  >   - {state: running, component: host, kind: run, after: [job/starts]}
  >   - {state: done, kind: done, after: [job/ends]}
  > handovers:
  >   - [job/released, job/starts]
  > samples: []
  > END
  $ cat > night.farmlog <<'END'
  > 100 farm job a queued
  > 100 farm job a released
  > 101 farm job b queued
  > 101 farm job b held for a
  > 102 farm host n1 up
  > 103 farm job a starts on n1
  > 110 farm job a ends
  > 111 farm job b released
  > 113 farm job b starts on n1
  > 120 farm job b ends
  > 125 farm host n1 down
  > END
  $ spanloom import --quiet --recipe farm.yaml night.farmlog
  $ spanloom critical-path --format csv | cut -d, -f1-6
  start,end,seconds,task,component,state
  1970-01-01T00:01:40.000000000Z,1970-01-01T00:01:43.000000000Z,3.0,a,farm,released
  1970-01-01T00:01:43.000000000Z,1970-01-01T00:01:50.000000000Z,7.0,a,host,running
  1970-01-01T00:01:50.000000000Z,1970-01-01T00:01:51.000000000Z,1.0,b,farm,held
  1970-01-01T00:01:51.000000000Z,1970-01-01T00:01:53.000000000Z,2.0,b,farm,released
  1970-01-01T00:01:53.000000000Z,1970-01-01T00:02:00.000000000Z,7.0,b,host,running
  1970-01-01T00:02:00.000000000Z,1970-01-01T00:02:05.000000000Z,5.0,,driver,after the last task
  $ spanloom critical-path --slack --format csv | cut -d, -f1-3
  task,slack_s,path_s
  a,0.0,10.0
  b,0.0,10.0
  $ spanloom what-if 'running x0.5'
  change              was  would be difference
  running x0.5     25.0 s    18.0 s    -7.00 s  -28.0 %
  $ spanloom what-if --tasks 'running x0.5'
  task  app  first_s  done_s  new_first_s  new_done_s  span
  a              0.0    10.0          0.0         6.5     2
  b              1.0    20.0          1.0        13.0     3
  $ spanloom utilisation farm.host --bin 5 --format csv | cut -d, -f2-4
  workers,busy,running
  0.6,0.4,0.4
  1.0,1.0,1.0
  1.0,0.4,0.4
  1.0,1.0,1.0
  1.0,0.0,0.0
  0.0,0.0,0.0
  $ spanloom skew --format csv
  source,path,reference,pairs,backwards,lower_s,upper_s,offset_s,offset_ns,relaxed_s

A run of a type that says when it ended, and did not, was cut short; of other types nothing tells:

  $ sed -e '/kind: done/a\  - {state: ended, kind: end, after: [farm/closed]}' \
  >   -e '/^records:/a\  - {match: "^farm (?<what>closed)", span: farm, event: "{what}"}' farm.yaml > ends.yaml
  $ head -6 night.farmlog > cut.farmlog; (cat cut.farmlog; echo '120 farm farm closed') > closed.farmlog
  $ state() {
  >   spanloom import --quiet -d $1.db --recipe $1.yaml $2.farmlog
  >   spanloom why -d $1.db --format json 2> /dev/null | grep -o -m 1 '"state":[^,]*'
  >   rm $1.db
  > }
  $ state farm cut; state farm closed; state ends cut; state ends closed
  "state":null
  "state":null
  "state":"cut short"
  "state":"ended"

Mistakes are named by file and line:

  $ try() { sed "$1" farm.yaml > bad.yaml; spanloom recipes --test bad.yaml 2>&1 | head -1; }
  $ try 's/worker: .host./boss: [host]/'
  spanloom: bad.yaml:21: roles is a map {workflow|task|attempt|worker|executor|manager|block|script|batch|job: [span, ...]}
  $ try 's/task: .job./task: [jobs]/'
  spanloom: bad.yaml:21: the role task names a span that is not declared: jobs
  $ try 's/kind: run/kind: running/'
  spanloom: bad.yaml:25: kind of a phase is depend, wait, run, work, done or end
  $ try 's/kind: done, //'
  spanloom: bad.yaml:26: a phase needs kind
  $ try 's,job/released\],job],'
  spanloom: bad.yaml:24: after is a list of SPAN/EVENT
  $ try 's,after: .job/starts.,after: [jobb/starts],'
  spanloom: bad.yaml:25: after is a list of SPAN/EVENT; this span is not declared: jobb
  $ try 's/state: running/status: running/'
  spanloom: bad.yaml:25: a phase has no key 'status'; did you mean 'state'? Known: state, component, kind, again, after
  $ try 's,- .job/released.*,- [job/released],'
  spanloom: bad.yaml:28: a handover is [SPAN/EVENT, SPAN/EVENT]
  $ try 's/^phases:/phases: {}\nraws:/'
  spanloom: bad.yaml:22: phases is a list of {state, component, kind, after}
