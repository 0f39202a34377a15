# SPDX-License-Identifier: Apache-2.0
One task through every component.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ without_ids() { sed -E "s/  \(span [0-9]+\)//"; }
  $ spanloom show task 42 | without_ids
  parsl.monitoring.task 42 (sleeper) of parsl.monitoring.workflow 3d9e0d70-39a8-4383-9c87-0c3e06c8c255
  
  attributes:
    app                          sleeper
    task_fail_cost               0
    task_fail_count              0
    task_func_name               sleeper
    task_memoize                 0
  
  contexts (= is another view of the same thing):
    parsl.monitoring.task 42
    = parsl.rundir.task 42
      parsl.rundir.try 0
      = parsl.monitoring.try 0
        parsl.executor.htex.interchange.task 31                    in parsl.rundir.executor htex_Local
          parsl.executor.htex.manager.task 31                      in parsl.executor.htex.manager 1954f1261cd1
            parsl.executor.htex.worker.task 31                     in parsl.executor.htex.worker 0
  
  starts at 2026-11-20 08:11:31.245856 UTC
  time                         since start      step  component              what, and where it stands
  2026-11-20T08:11:31.245856Z          0 s       0 s  parsl monitoring       parsl.monitoring.task 42/invoked  parsl-htex/runinfo/monitoring.db#task:43
  2026-11-20T08:11:31.245900Z        44 us     44 us  parsl                  parsl.rundir.task 42/submitted  runinfo/000/parsl.log:495
  2026-11-20T08:11:31.245924Z        68 us     24 us  parsl                  parsl.rundir.task 42/pending  runinfo/000/parsl.log:497
  2026-11-20T08:11:31.245934Z        78 us     10 us  parsl monitoring       parsl.monitoring.try 0/pending  parsl-htex/runinfo/monitoring.db#status:47
  2026-11-20T08:11:31.298647Z      52.8 ms   52.7 ms  htex interchange       parsl.executor.htex.interchange.task 31/interchange_put  000/htex_Local/interchange.log:105
  2026-11-20T08:11:31.298695Z      52.8 ms     48 us  parsl                  parsl.rundir.task 42/launched  runinfo/000/parsl.log:1743
  2026-11-20T08:11:31.298709Z      52.9 ms     14 us  parsl monitoring       parsl.monitoring.try 0/launched  parsl-htex/runinfo/monitoring.db#status:198
  2026-11-20T08:11:31.298726Z      52.9 ms     17 us  parsl                  parsl.rundir.try 0/launched  runinfo/000/parsl.log:1744
                                                      ...... 9.23 s in parsl.executor.htex.interchange.task, after its interchange_put
  2026-11-20T08:11:40.528364Z       9.28 s    9.23 s  htex interchange       parsl.executor.htex.interchange.task 31/interchange_to_manager  000/htex_Local/interchange.log:1266
  2026-11-20T08:11:40.528718Z       9.28 s    354 us  htex manager           parsl.executor.htex.manager.task 31/manager_got_task  block-0/1954f1261cd1/manager.log:877
  2026-11-20T08:11:40.652329Z       9.41 s    124 ms  htex worker            parsl.executor.htex.worker.task 31/worker_received_task  block-0/1954f1261cd1/worker_0.log:9
  2026-11-20T08:11:40.652797Z       9.41 s    468 us  parsl monitoring       parsl.monitoring.try 0/running  parsl-htex/runinfo/monitoring.db#status:396
  2026-11-20T08:11:40.743913Z        9.5 s   91.1 ms  parsl monitoring       parsl.monitoring.try 0/running_ended  parsl-htex/runinfo/monitoring.db#status:410
  2026-11-20T08:11:40.745529Z        9.5 s   1.62 ms  htex worker            parsl.executor.htex.worker.task 31/worker_completed_task  block-0/1954f1261cd1/worker_0.log:13
  2026-11-20T08:11:40.747034Z        9.5 s   1.51 ms  htex interchange       parsl.executor.htex.interchange.task 31/interchange_removing_task  000/htex_Local/interchange.log:1320
  2026-11-20T08:11:40.747377Z        9.5 s    343 us  parsl monitoring       parsl.monitoring.task 42/returned  parsl-htex/runinfo/monitoring.db#task:43
  2026-11-20T08:11:40.747395Z        9.5 s     18 us  parsl                  parsl.rundir.task 42/exec_done  runinfo/000/parsl.log:2864
  2026-11-20T08:11:40.747421Z        9.5 s     26 us  parsl monitoring       parsl.monitoring.try 0/exec_done  parsl-htex/runinfo/monitoring.db#status:387
  2026-11-20T08:11:40.748331Z        9.5 s    910 us  htex worker            parsl.executor.htex.worker.task 31/worker_all_finished_task  block-0/1954f1261cd1/worker_0.log:14

One that never reached a worker says how far it came (its dependency failed):

  $ task=$(spanloom sql --format csv "select t.key from spans t join spans y on y.parent = t.id join events e on e.span = y.id
  >   where t.type = 'parsl.monitoring.task' and e.type = 'dep_fail' order by t.id limit 1" | tail -1)
  $ spanloom show task $task | without_ids
  parsl.monitoring.task 159 (add) of parsl.monitoring.workflow 3d9e0d70-39a8-4383-9c87-0c3e06c8c255
  
  attributes:
    app                          add
    task_fail_cost               1
    task_fail_count              1
    task_func_name               add
    task_memoize                 0
  
  what its tries failed with:
    try 0                        DependencyError([(ValueError('deliberate failure 0'), 'task 154')], 159)
  
  waited for:
    parsl.monitoring.task 154 (always_fails) of parsl.monitoring.workflow 3d9e0d70-39a8-4383-9c87-0c3e06c8c255
  
  contexts (= is another view of the same thing):
    parsl.monitoring.task 159
    = parsl.rundir.task 159
      parsl.rundir.try 0
      = parsl.monitoring.try 0
  
  starts at 2026-11-20 08:11:31.274832 UTC
  time                         since start      step  component              what, and where it stands
  2026-11-20T08:11:31.274832Z          0 s       0 s  parsl monitoring       parsl.monitoring.task 159/invoked  parsl-htex/runinfo/monitoring.db#task:160
  2026-11-20T08:11:31.274876Z        44 us     44 us  parsl                  parsl.rundir.task 159/submitted  runinfo/000/parsl.log:1517
  2026-11-20T08:11:31.274895Z        63 us     19 us  parsl                  parsl.rundir.task 159/pending  runinfo/000/parsl.log:1519
  2026-11-20T08:11:31.274905Z        73 us     10 us  parsl monitoring       parsl.monitoring.try 0/pending  parsl-htex/runinfo/monitoring.db#status:173
                                                      ...... 20.7 s pending: it waited for other tasks (see above)
  2026-11-20T08:11:51.963478Z       20.7 s    20.7 s  parsl                  parsl.rundir.try 0/try_failed  runinfo/000/parsl.log:4895
  2026-11-20T08:11:51.963505Z       20.7 s     27 us  parsl monitoring       parsl.monitoring.task 159/returned  parsl-htex/runinfo/monitoring.db#task:160
  2026-11-20T08:11:51.963516Z       20.7 s     11 us  parsl                  parsl.rundir.task 159/dep_fail  runinfo/000/parsl.log:4897
  2026-11-20T08:11:51.963534Z       20.7 s     18 us  parsl monitoring       parsl.monitoring.try 0/dep_fail  parsl-htex/runinfo/monitoring.db#status:974
  
  no worker names it: it came as far as parsl.rundir.try 0; the last that is known is parsl.monitoring.try/dep_fail

On threads there is no process of a worker; those that had started came to one, the two others did not:

  $ spanloom import --quiet -d threads.db "$ROOT/tests/data/parsl-2026-threads"
  $ for i in 0 14 15 17; do echo $i $(spanloom show -d threads.db task $i | grep -o 'no worker names it'); done
  0
  14
  15 no worker names it
  17 no worker names it

One whose worker was lost, and its second try:

  $ task=$(spanloom sql --format csv "select t.key from links l join spans y on y.id = l.left_span join spans t on t.id = y.parent join spans w on w.id = l.right_span
  >   where w.type = 'parsl.executor.htex.interchange.task' and y.type = 'parsl.rundir.try' and w.key in (select key from spans s where s.type = 'parsl.executor.htex.worker.task'
  >   and not exists (select 1 from events e where e.span = s.id and e.type = 'worker_completed_task'))" | tail -1)
  $ spanloom show task $task | grep -c worker_received_task
  2

Other things by the end of their type:

  $ spanloom show worker.task 17 | head -1 | without_ids
  parsl.executor.htex.worker.task 17 of parsl.executor.htex.worker 1 of parsl.executor.htex.manager 1954f1261cd1 of parsl.rundir.block 0 of parsl.rundir.executor htex_Local of parsl.rundir.workflow 3d9e0d70-39a8-4383-9c87-0c3e06c8c255
  $ spanloom show parsl.executor.htex.worker.task 17 | tail -3
                                                      ...... 256 ms in parsl.executor.htex.worker.task, after its worker_received_task
  2026-11-20T08:11:38.958853Z       256 ms    256 ms  htex worker            parsl.executor.htex.worker.task 17/worker_completed_task  block-0/1954f1261cd1/worker_1.log:97
  2026-11-20T08:11:38.959608Z       256 ms    755 us  htex worker            parsl.executor.htex.worker.task 17/worker_all_finished_task  block-0/1954f1261cd1/worker_1.log:98
  $ spanloom show --format csv task 42 | cut -d, -f2,5-9 | head -3 | sed "s|$ROOT/||"
  time_ns,component,span_type,span_key,event,path
  1795162291245856000,parsl monitoring,parsl.monitoring.task,42,invoked,examples/parsl-htex/runinfo/monitoring.db#task
  1795162291245900000,parsl,parsl.rundir.task,42,submitted,examples/parsl-htex/runinfo/000/parsl.log

With the lines of the logs themselves:

  $ spanloom show --lines --format csv worker.task 17 | cut -d, -f3,4,8,10,12 | cut -c1-90
  since_start_s,since_previous_s,event,place,line
  0.0,0.0,worker_received_task,93,1795162298.703192 2026-11-20 08:11:38 HTEX-Worker-1-2671 M
  0.255661,0.255661,worker_completed_task,97,1795162298.958853 2026-11-20 08:11:38 HTEX-Work
  0.256416,0.000755,worker_all_finished_task,98,1795162298.959608 2026-11-20 08:11:38 HTEX-W
  $ cat > lines.py <<'END'
  > import csv, json, subprocess, sys
  > run = lambda *args: subprocess.run(("spanloom",) + args, check=True, stdout=subprocess.PIPE, text=True).stdout
  > text = [x.split("| ", 1)[1] for x in run("show", "task", "42", "--lines").split("\n") if x.startswith("        | ")]
  > rows = list(csv.DictReader(run("show", "task", "42", "--lines", "--format", "csv").splitlines()))
  > tsv = run("show", "task", "42", "--lines", "--format", "tsv").splitlines()
  > plain = list(csv.DictReader(run("show", "task", "42", "--format", "csv").splitlines()))
  > print(sorted(r["line"] for r in rows if r["line"]) == sorted(text), len(text), len(tsv) - 1 == len(rows))
  > print([{k: v for k, v in r.items() if k != "line"} for r in rows if r["event"]] == plain)
  > root = rows[0]["root"]
  > for more in (), ("--ignore", "parsl.rundir.*"):
  >     one = json.loads(run("show", "task", "42", "--lines", "--format", "json", *more))["events"]
  >     print([r for r in json.loads(run("events", "--lines", "--format", "json", *more)) if str(r["root"]) == root] == one, len(one))
  > END
  $ python3 lines.py
  True 23 True
  True
  True 30
  True 30
  $ spanloom show --lines worker.task 17 | grep -A1 worker_received
  2026-11-20T08:11:38.703192Z          0 s       0 s  htex worker            parsl.executor.htex.worker.task 17/worker_received_task  block-0/1954f1261cd1/worker_1.log:93
          | 1795162298.703192 2026-11-20 08:11:38 HTEX-Worker-1-2671 MainThread-140719268118592 parsl.executors.high_throughput.process_worker_pool:778 worker INFO: Received executor task 17
                                                      ...... 256 ms in parsl.executor.htex.worker.task, after its worker_received_task
  2026-11-20T08:11:38.958853Z       256 ms    256 ms  htex worker            parsl.executor.htex.worker.task 17/worker_completed_task  block-0/1954f1261cd1/worker_1.log:97

As json it is whole, and says what the text says:

  $ cat > whole.py <<'END'
  > import json, subprocess, sys
  > run = lambda *args: subprocess.run(("spanloom",) + args, check=True, stdout=subprocess.PIPE, text=True).stdout
  > whole = json.loads(run("show", "task", sys.argv[1], "--format", "json"))
  > text = run("show", "task", sys.argv[1])
  > print({name: len(rows) for name, rows in whole.items()})
  > print(all(f"{a['name']:28} {a['value']}\n" in text for a in whole["attributes"]), all(s["name"] in text for s in whole["waited_for"]))
  > for c in whole["contexts"]:
  >     print("  " * c["depth"] + c["type"], c["key"], c["relation"], c["in"], c["rule"])
  > for w in whole["waits"]:
  >     print(w["kind"], w["seconds"], int(w["until_ns"]) - int(w["from_ns"]), w["after_type"], w["after_event"], w["before_type"], w["before_event"])
  > print(whole["reach"], whole["span"][0]["name"] == text.split("  (span")[0], whole["span"][0]["contexts"])
  > END
  $ python3 whole.py 42
  {'events': 19, 'span': 1, 'contained_in': 0, 'attributes': 5, 'exceptions': 0, 'waited_for': 0, 'contexts': 7, 'doubts': 0, 'waits': 1, 'reach': 0}
  True True
  parsl.monitoring.task 42 None None None
  parsl.rundir.task 42 facet None None
    parsl.rundir.try 0 in None None
    parsl.monitoring.try 0 facet None None
      parsl.executor.htex.interchange.task 31 in parsl.rundir.executor htex_Local None
        parsl.executor.htex.manager.task 31 in parsl.executor.htex.manager 1954f1261cd1 None
          parsl.executor.htex.worker.task 31 in parsl.executor.htex.worker 0 None
  state 9.229638 9229638000 parsl.executor.htex.interchange.task interchange_put parsl.executor.htex.interchange.task interchange_to_manager
  [] True 7
  $ python3 whole.py 159
  {'events': 8, 'span': 1, 'contained_in': 0, 'attributes': 5, 'exceptions': 1, 'waited_for': 1, 'contexts': 4, 'doubts': 0, 'waits': 1, 'reach': 1}
  True True
  parsl.monitoring.task 159 None None None
  parsl.rundir.task 159 facet None None
    parsl.rundir.try 0 in None None
    parsl.monitoring.try 0 facet None None
  pending 20.688573 20688573000 parsl.monitoring.try pending parsl.rundir.try try_failed
  [{'span': 'parsl.rundir.try 0', 'last_event': 'parsl.monitoring.try/dep_fail'}] True 4
  $ spanloom show executor htex_Local --format json | python3 -c "import json, sys; w = json.load(sys.stdin); print(len(w['contexts']), len({c['id'] for c in w['contexts']}))"
  1109 1109

What is not there:

  $ spanloom show task 4242
  spanloom: no span is called task 4242; there are 0 to 197; see what there is with: spanloom types -d spanloom.db
  [1]
  $ spanloom show nonsense 1
  spanloom: no span is called nonsense 1; see what there is with: spanloom types -d spanloom.db
  [1]

A list that is cut says how much of it is left, and how that is seen:

  $ spanloom sql --write "insert into sl_link (left_span, kind, right_span) select 300, 3, id from sl_span where id between 1 and 100"
  $ spanloom show span 300 | sed -n '/^waited for/,/^$/p' | wc -l
  23
  $ spanloom show span 300 | grep ' more: ' | head -1
    and 80 more: spanloom sql -d spanloom.db "select right_span from links where kind = 'after' and left_span = 300"
  $ spanloom sql "select right_span from links where kind = 'after' and left_span = 300" | wc -l
  101
  $ spanloom show executor htex_Local | sed -n '/^contexts/,/^$/p' | tail -3 | sed 's/descendants.[0-9]*/descendants(N/'
      parsl.executor.htex.interchange.task 20
    and 1049 more: spanloom sql -d spanloom.db 'select * from descendants(N)'
  
  $ spanloom sql "select count(*) as all_of_it from spans s, descendants(s.id) where s.type = 'parsl.rundir.executor' and s.key = 'htex_Local'"
  all_of_it
       1109
  $ spanloom sql --write "with recursive n(i) as (select 1 union all select i + 1 from n where i < 30) insert into span select 'x' || i, 'many', '' from n union all select 'xx', 'another', ''"
  $ spanloom show many x 2>&1 | tail -1
    and 18 more; all: spanloom sql -d spanloom.db "select id, type, key from spans where type in ('many') and key like 'x%'"
  $ eval "$(spanloom show many x 2>&1 | sed -n 's/.*all: //p')" --format csv | sed 1d | wc -l
  30

Options that would do nothing:

  $ spanloom show many x1 --within 5
  spanloom: --within is for --merge; that of what the store merges is its own
  try: spanloom show --help
  [2]
  $ spanloom show many x1 --recipe mine.yaml
  spanloom: --recipe is for --lines
  try: spanloom show --help
  [2]

A run by the name that `runs` gives it, where there are several:

  $ spanloom import --quiet -d both.db "$ROOT/examples/parsl-htex/runinfo" "$ROOT/tests/data/parsl-2026-threads"
  $ spanloom runs -d both.db --format csv | cut -d, -f1
  run
  parsl-htex
  parsl-2026-threads
  $ spanloom show task 1 -d both.db --run parsl-htex | head -1
  parsl.monitoring.task 1 (sleeper) of parsl.monitoring.workflow 3d9e0d70-39a8-4383-9c87-0c3e06c8c255  (span 1163)
  $ spanloom show task 1 -d both.db --run parsl-2026-threads | head -1
  parsl.monitoring.task 1 (sleeper) of parsl.monitoring.workflow 24792d53-056c-4365-9d65-d19c375da1bd  (span 1596)
  $ spanloom show task 1 -d both.db --run parsl-2026-thread | head -1
  parsl.monitoring.task 1 (sleeper) of parsl.monitoring.workflow 24792d53-056c-4365-9d65-d19c375da1bd  (span 1596)
  $ spanloom show task 1 -d both.db --run parsl-thread
  spanloom: no run is called parsl-thread; did you mean 'parsl-htex'? see them with: spanloom runs -d both.db
  [1]
