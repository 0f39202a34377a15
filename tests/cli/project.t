# SPDX-License-Identifier: Apache-2.0
A study in a file.  More of it is in tests/faults/project.py.

  $ cp -r "$ROOT/tests/data/parsl-2026-threads/runinfo" "$ROOT/tests/data/slurm/jobs.sacct" . && chmod -R u+w .
  $ cat > spanloom.yaml <<END
  > store: spring.db
  > sources: [runinfo, "*.sacct"]
  > campaign: spring 2026
  > zone: "-05:00"
  > bind:
  >   next: parsl.rundir.task after parsl.rundir.task where b.task = a.task - 1
  > ignore: ["*/pending"]
  > END
  $ spanloom import | sed 's/, [0-9.]* s,.*//; s/, [0-9.]* s$//' | tail -1
  spring.db: 133 new spans, 356 events from 3 files
  $ ls *.db
  spring.db
  $ spanloom import | sed 's/, [0-9.]* s.*//'
  spring.db: 0 new spans, 0 events from 0 files (3 known already)
  $ spanloom links --rule next --format csv | wc -l
  19
  $ spanloom bind --format csv | grep next | sed "s:$PWD:HERE:"
  next,yes,18,0,HERE/spanloom.yaml,parsl.rundir.task after parsl.rundir.task where b.task = a.task - 1
  $ spanloom sql "select key from spans where type = 'campaign'"
  key
  spring 2026
  $ spanloom sequences parsl.rundir.task | grep -c pending
  0
  [1]
  $ spanloom sequences parsl.rundir.task --lens none | grep -c pending
  2

What is taken out goes:

  $ sed -i '/bind:/,$d' spanloom.yaml
  $ spanloom import --quiet
  $ spanloom links --rule next --format csv | wc -l
  1
  $ spanloom sequences parsl.rundir.task | grep -c pending
  2

What is wrong in it:

  $ echo 'sorces: [x]' >> spanloom.yaml
  $ spanloom import
  spanloom: spanloom.yaml:5: a project file has no key 'sorces'; did you mean 'sources'? Known: store, sources, recipes, zone, campaign, set, bind, ignore, rename, merge, experiment
  [1]
  $ sed -i '$d' spanloom.yaml
  $ printf 'bind:\n  bad: parsl_task near parsl_try\n' >> spanloom.yaml
  $ spanloom import
  spanloom: spanloom.yaml:6: a rule is: [guess] TYPE in|facet|after|flow TYPE [where EXPRESSION]; this is: parsl_task near parsl_try
  [1]
  $ printf 'sources: [nowhere]\n' > spanloom.yaml
  $ spanloom import
  spanloom: nowhere: No such file or directory
  [1]
  $ printf 'store: other.db\n' > spanloom.yaml
  $ spanloom import
  spanloom: import what? name a run directory, or files, or sources in spanloom.yaml
  try: spanloom import --help
  [2]

Lines are read by the recipes of the project, and with the fields that it sets:

  $ mkdir job && cat > job/progress.yaml <<END
  > recipe: progress
  > about: Steps of a solver.
  > spans:
  >   job: {type: my.job, key: "{site}"}
  >   step: {type: my.step, key: "{step}", in: job}
  > inputs:
  >   - files: "*/progress.txt"
  >     reader: lines
  >     head: '^(?<t>\d+\.\d+) '
  >     times: {t: unix}
  > contexts: [job]
  > records:
  >   - match: '^step (?<step>\d+) (?<what>\w+)'
  >     span: step
  >     event: "{what}"
  > samples:
  >   - file: /x/progress.txt
  >     lines: |
  >       1795162300.5 step 3 began
  >     gives: []
  > END
  $ printf '1795162300.5 step 3 began\n1795162301.5 step 3 ended\n' > job/progress.txt
  $ printf 'store: job.db\nrecipes: [job/progress.yaml]\nsources: [job]\nset: {site: here}\n' > spanloom.yaml
  $ spanloom import --quiet
  $ spanloom show --lines my.step 3 | grep '|'
          | 1795162300.5 step 3 began
          | 1795162301.5 step 3 ended

A field that nothing asks for, a binding that links nothing, and links that are never found:

  $ sed -i 's/site: here/sitte: here/' spanloom.yaml && spanloom import --quiet 2>&1 | sed "s:$PWD:HERE:"
  spanloom: HERE/spanloom.yaml: set: no recipe asks for a field 'sitte'
  $ printf 'store: job.db\nrecipes: [job/progress.yaml]\nsources: [job]\nset: {site: here, worker: 1}\nbind: {next: my.step after my.step where b.step = 7}\n' > spanloom.yaml
  $ spanloom import 2>&1 >/dev/null | sed "s:$PWD:HERE:"
  spanloom: the field 'worker' (spanloom.yaml) is of no use: no recipe of the files found asks for it
  spanloom: HERE/spanloom.yaml: the binding 'next' links nothing
  $ cat > job/stages.yaml <<END
  > recipe: stages
  > about: Stages of a solver, whose key is a name; the link to them takes the number of a step for it.
  > spans:
  >   site: {type: my.site, key: "{site}"}
  >   stage: {type: my.stage, key: "{stage}", in: site}
  >   wrong: {type: my.stage, key: "{number}", in: site}
  >   try: {type: my.try, key: "{number}", in: site}
  > inputs:
  >   - files: "*/stages.txt"
  >     reader: lines
  >     head: '^(?<t>\d+\.\d+) '
  >     times: {t: unix}
  > records:
  >   - match: '^try (?<number>\d+)'
  >     span: try
  >     in: {try: ~wrong}
  >   - match: '^stage (?<stage>\w+)'
  >     span: stage
  >     event: begun
  > samples:
  >   - file: /x/stages.txt
  >     lines: |
  >       1795162300.5 stage one
  >     gives: []
  > END
  $ printf '1795162300.5 try 3\n' > job/stages.txt && sed -i '/^bind/d; s/recipes: .*/recipes: [job\/progress.yaml, job\/stages.yaml]/; s/, worker.*/}/' spanloom.yaml
  $ spanloom import 2>&1 >/dev/null
  $ printf '1795162300.0 stage one\n' >> job/stages.txt
  $ spanloom import 2>&1 >/dev/null
  spanloom: stages:14: this rule has linked nothing: no record knows a my.stage that it names (1), though there are others beside it; see: spanloom links --unresolved -d job.db
  $ spanloom links --unresolved
  left_type  kind  right_type  rule       unresolved  links  unknown_type  spans_of_it
  my.try     in    my.stage    stages:14           1      0  my.stage                1

What the study would look through and nothing is called:

  $ cat > spanloom.yaml <<END
  > store: job.db
  > recipes: [job/progress.yaml]
  > sources: [job]
  > set: {site: here}
  > ignore: [my.stp, my.step/ended, "*/resumed"]
  > rename: {my.step/ended: my.step/over, my.step/began: my.step/begun}
  > merge: {my.step/all: {of: [my.step/begun, my.step/begn]}}
  > END
  $ spanloom import 2>&1 >/dev/null | sed "s:$PWD:HERE:"
  spanloom: HERE/spanloom.yaml: ignore: nothing in job.db is called my.stp; near it: my.step, my.site; see: spanloom types --events -d job.db
  spanloom: HERE/spanloom.yaml: ignore: nothing in job.db is called */resumed; see: spanloom types --events -d job.db
  spanloom: HERE/spanloom.yaml: rename: a rule before it leaves nothing that is called my.step/ended
  spanloom: HERE/spanloom.yaml: merge: nothing in job.db is called my.step/begn; near it: my.step/began; see: spanloom types --events -d job.db
  $ spanloom import --quiet
  $ sed -i '/^ignore/d; /^rename/d; s/my.step.begn/job.over/' spanloom.yaml
  $ spanloom import 2>&1 >/dev/null | sed "s:$PWD:HERE:"
  spanloom: HERE/spanloom.yaml: merge: nothing in job.db is called my.step/begun; near it: my.step/began; see: spanloom types --events -d job.db
  spanloom: HERE/spanloom.yaml: merge: nothing in job.db is called job.over; see: spanloom types --events -d job.db
