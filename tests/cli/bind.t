# SPDX-License-Identifier: Apache-2.0
Bindings: made, applied, set aside, and brought back.  Which links are right is checked by tests/faults/bind.py, jobs.py, order.py and writer.py.

  $ spanloom import --quiet "$ROOT/tests/data/slurm"
  $ spanloom bind | cut -c 1-50
  name             bound  links  doubts  origin    r
  file.writer      yes        0       0  built in  (
  node.job         yes        0       0  built in  g
  node.run         yes        0       0  built in  g
  parsl.script     yes        0       0  built in  g
  slurm.block      yes        4       0  built in  g
  trace.flux       yes        0       0  built in  (
  trace.instance   yes        0       0  built in  (
  trace.job        yes        0       0  built in  (
  trace.parent     yes        0       0  built in  (
  trace.ppid       yes        0       0  built in  (
  trace.sandbox    yes        0       0  built in  (
  trace.worker     yes        0       0  built in  (
  workqueue.block  yes        0       0  built in  g
  workqueue.order  yes        0       0  built in  g
  $ spanloom bind --dry-run 'htex_worker in slurm.job where a.first between b.start and b.end'
  htex_worker in slurm.job: would make 20 links
  $ spanloom links | grep -c htex.worker' *slurm'
  0
  [1]
  $ spanloom bind 'htex_worker in slurm.job where a.first between b.start and b.end and b.JobName like "parsl.%"'
  htex_worker in slurm.job: 16 links
  $ spanloom bind --name nodes 'slurm.job after slurm.node where a.key = 81'
  nodes: 2 links
  $ spanloom links --rule nodes --format csv
  left,kind,right,rule,confidence,left_span,right_span
  slurm.job 81,after,slurm.node node01,nodes,1.0,55,40
  slurm.job 81,after,slurm.node node02,nodes,1.0,55,54
  $ spanloom bind --format csv | grep nodes
  nodes,yes,2,0,by hand,slurm.job after slurm.node where a.key = 81

A guess with several candidates makes no link:

  $ spanloom bind --name g 'guess slurm.job flow slurm.node where a.key = 82'
  g: 0 links, and 2 doubtful, see: spanloom links --doubtful --rule 'g'
  $ spanloom links --doubtful --format csv
  left,kind,candidate,candidates,rule,span_id,candidate_id
  slurm.job 82,flow,slurm.node node01,2,g,57,40
  slurm.job 82,flow,slurm.node node02,2,g,57,54
  $ spanloom unbind g
  g: 0 links taken away

A name is given once:

  $ spanloom bind --name nodes 'slurm.job after slurm.node'
  spanloom: there is a binding 'nodes' already; unbind it, or give this one another --name
  try: spanloom bind --help
  [2]
  $ spanloom bind --name slurm.block 'slurm.job after slurm.node'
  spanloom: there is a binding 'slurm.block' already; unbind it, or give this one another --name
  try: spanloom bind --help
  [2]

They hold for what comes later, and for what is imported again:

  $ spanloom import --quiet "$ROOT/tests/data/parsl-2026-lost"
  $ spanloom bind --format csv | grep nodes
  nodes,yes,2,0,by hand,slurm.job after slurm.node where a.key = 81
  $ spanloom unbind nodes
  nodes: 2 links taken away
  $ spanloom bind --format csv | grep nodes
  [1]

Rules of recipes, and those that are built in, are set aside until they are bound again:

  $ spanloom unbind slurm.block
  slurm.block: 4 links taken away
  $ spanloom unbind slurm.block
  spanloom: slurm.block is not bound; bind it again with: spanloom bind 'slurm.block'
  [1]
  $ spanloom import --quiet "$ROOT/tests/data/slurm"
  $ spanloom bind --format csv | cut -d, -f 1-5
  name,bound,links,doubts,origin
  file.writer,yes,0,0,built in
  htex_worker in slurm.job,yes,16,0,by hand
  node.job,yes,0,0,built in
  node.run,yes,0,0,built in
  parsl.script,yes,0,0,built in
  slurm.block,no,0,0,built in
  trace.flux,yes,0,0,built in
  trace.instance,yes,0,0,built in
  trace.job,yes,0,0,built in
  trace.parent,yes,0,0,built in
  trace.ppid,yes,0,0,built in
  trace.sandbox,yes,0,0,built in
  trace.worker,yes,0,0,built in
  workqueue.block,yes,0,0,built in
  workqueue.order,yes,0,0,built in
  $ spanloom bind slurm.block
  slurm.block: 4 links
  $ spanloom unbind 'merge mon_task = task'
  merge mon_task = task: 20 links taken away
  $ spanloom bind 'merge mon_task = task'
  merge mon_task = task: 20 links

What is wrong in a rule:

  $ spanloom bind 'slurm.job near slurm.node'
  spanloom: a rule is: [guess] TYPE in|facet|after|flow TYPE [where EXPRESSION]; this is: slurm.job near slurm.node
  [1]
  $ spanloom bind 'slurm.job in slurm.node where'
  spanloom: nothing stands behind 'where': slurm.job in slurm.node where
  [1]
  $ spanloom bind 'slurm.job in slurm.node and 1'
  spanloom: 'where' is missing before 'and' in: slurm.job in slurm.node and 1
  [1]
  $ spanloom bind 'slurm.job in slurm.node where a.nosuch = 1'
  spanloom: slurm.job has no column nosuch; see them with: spanloom sql "select name from pragma_table_info('slurm_job')"
  [1]
  $ spanloom bind 'slurm.job in slurm.node where a.key ='
  spanloom: the expression of a binding is not SQL: near ")": syntax error; it is: a.key =
  [1]
  $ spanloom bind 'slurm.job in slurm.node where 1); DROP TABLE sl_span; --'
  spanloom: quotes or parentheses do not match in: 1); DROP TABLE sl_span; --
  [1]
  $ spanloom bind --name none 'nosuch in slurm.node'
  spanloom: no type of span is called nosuch; see them with: spanloom types -d spanloom.db
  [1]
  $ spanloom unbind none
  spanloom: no rule is called none; see them with: spanloom links, and spanloom bind
  [1]
  $ spanloom unbind nosuch
  spanloom: no rule is called nosuch; see them with: spanloom links, and spanloom bind
  [1]
  $ spanloom unbind
  spanloom: unbind which rule? see them with: spanloom links, and spanloom bind
  try: spanloom unbind --help
  [2]
  $ spanloom bind a b c
  spanloom: one rule, in quotes: 'TYPE in TYPE where a.COLUMN = b.COLUMN'
  try: spanloom bind --help
  [2]
  $ spanloom bind -d no.db
  spanloom: no store no.db; make one with: spanloom import PATH... -d no.db
  [1]
