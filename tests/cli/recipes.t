# SPDX-License-Identifier: Apache-2.0
What formats are known, and testing one's own.

  $ spanloom recipes --format csv | cut -d, -f1 | sort -u | grep parsl
  parsl.database_manager
  parsl.htex.interchange
  parsl.htex.manager
  parsl.htex.worker
  parsl.log
  parsl.monitoring
  parsl.submit
  parsl.tracing
  $ spanloom recipes parsl.htex.worker | head -4
  # SPDX-License-Identifier: Apache-2.0
  recipe: parsl.htex.worker
  about: Log of one worker process of Parsl's HighThroughputExecutor. A restarted worker appends, but in JSON, where it begins anew.
  component: htex worker

All recipes of the house keep what their samples promise:

  $ spanloom recipes --test | grep '^not ok'
  [1]

A log of a made-up MPI code, and ten lines that say what it means:

  $ mkdir job
  $ cat > job/ranks.out <<END
  > 1795162300.500 rank 0 began
  > 1795162300.750 rank 1 began
  > 1795162303.000 rank 0 says hello
  > 1795162309.500 rank 0 ended
  > END
  $ cat > mpi.yaml <<'END'
  > recipe: my.mpi
  > about: Log of a made-up MPI code.
  > spans:
  >   my_job: {type: my.job, key: "{dir}"}
  >   my_rank: {type: my.rank, key: "{rank}", in: my_job}
  > inputs:
  >   - files: "{dir}/ranks.out"
  >     reader: lines
  >     head: '^(?<t>\d+\.\d+) '
  >     times: {t: unix}
  > records:
  >   - match: '^rank (?<rank>\d+) (?<what>began|ended)'
  >     span: my_rank
  >     event: "{what}"
  > samples:
  >   - file: /j/ranks.out
  >     lines: |
  >       1795162300.5 rank 3 began
  >     gives:
  >       - my.rank 3 began 1795162300.5
  > END
  $ spanloom recipes --test mpi.yaml
  ok 1 - my.mpi: sample in line 16
  1..1
  $ spanloom recipes --test mpi.yaml job/ranks.out | sed "s|$PWD/||"
  1: 1795162300.500 rank 0 began
      by the rule in line 12
      my.rank 0 began 1795162300.5
      my.rank 0 in my.job job
  2: 1795162300.750 rank 1 began
      by the rule in line 12
      my.rank 1 began 1795162300.75
      my.rank 1 in my.job job
  3: 1795162303.000 rank 0 says hello
  4: 1795162309.500 rank 0 ended
      by the rule in line 12
      my.rank 0 ended 1795162309.5
  4 records: 3 used, 1 unknown to all rules, 0 rejected
  $ spanloom import --recipe mpi.yaml job | sed -E 's/ *(, )?[0-9.]+( s.*)?$//'
  recipe  files  records  used  skipped  rejects  new spans  events  seconds
  my.mpi      1        4     3        1        0          3       3
  
  spanloom.db: 3 new spans, 3 events from 1 file
  $ spanloom sql "select s.type, s.key, e.type as event, e.time from events e join spans s on s.id = e.span order by e.time"
  type     key  event  time
  my.rank  0    began  2026-11-20T08:11:40.500000000Z
  my.rank  1    began  2026-11-20T08:11:40.750000000Z
  my.rank  0    ended  2026-11-20T08:11:49.500000000Z

A sample that does not hold:

  $ sed -i 's/my.rank 3 began/my.rank 4 began/' mpi.yaml
  $ spanloom recipes --test mpi.yaml
  not ok 1 - my.mpi: sample in line 16
  # misses: my.rank 4 began 1795162300.5
  # got:    my.rank 3 began 1795162300.5
  # got:    my.rank 3 in my.job /j
  1..1
  [1]

What no sample has is told; a list of patterns needs a line for each, and so do heads, inputs and rules that only name:

  $ sed -i "s/my.rank 4 began/my.rank 3 began/; s/^  - match: \(.*\)/  - match: [\1, '^RANK (?<rank>[0-9]+)']/" mpi.yaml
  $ sed -i '/^samples:/i naming:\n  - {match: "of rank (?<rank>[0-9]+)", mention: ~my_rank}' mpi.yaml
  $ spanloom recipes --test mpi.yaml
  ok 1 - my.mpi: sample in line 18
  # mpi.yaml:12: no sample for match: ^RANK (?<rank>[0-9]+)
  # mpi.yaml:16: no sample for match: of rank (?<rank>[0-9]+)
  1..1

Mistakes are named by file and line:

  $ sed -i 's/^about:/abuot:/' mpi.yaml
  $ spanloom recipes --test mpi.yaml
  spanloom: mpi.yaml:2: a recipe has no key 'abuot'; did you mean 'about'? Known: recipe, about, component, spans, rules, fields, facets, shared, tables, binds, processes, roles, phases, handovers, lens, inputs, contexts, in_writer, records, naming, samples, else
  [1]
  $ printf 'recipe: x\n\tabout: y\n' > tab.yaml
  $ spanloom import --recipe tab.yaml job
  spanloom: tab.yaml:2: the line is indented by a tab; YAML takes blanks alone
  [1]
  $ spanloom recipes no.such.recipe
  spanloom: no recipe is called no.such.recipe; see them with: spanloom recipes
  [1]
