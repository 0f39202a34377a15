# SPDX-License-Identifier: Apache-2.0
Spans of shell scripts.

  $ show() { # events, without what differs
  >   sed -n 's/", "cat": "shell", "pid": [0-9]*, "tid": [0-9]*, "ts": [0-9.]*/"/; s/"span_id": "[0-9a-f]*"/ID/; s/"span_pid": [0-9]*/PID/; /"ph": "[BEi]"/p' perfflow.array.*.$1.shell.pfw
  > }
  $ cat >script <<'END'
  > spanloom begin build target=all jobs=4 note='a "b"' n=007
  > spanloom event cached hits=12
  > cd /
  > spanloom span compile -- sh -c 'exit 3' || echo "status $?"
  > cd - >/dev/null
  > spanloom begin test
  > spanloom end test
  > spanloom end
  > echo $$ >pid
  > END
  $ sh script
  status 3
  $ show $(cat pid)
  {"ph": "B", "name": "build", "args": {ID, "target": "all", "jobs": 4, "note": "a \"b\"", "n": "007"}},
  {"ph": "i", "name": "cached", "s": "t", "args": {"hits": 12}},
  {"ph": "B", "name": "compile", "args": {ID, PID, "command": "sh -c exit 3"}},
  {"ph": "E", "name": "compile", "args": {ID, "exit_code": 3}},
  {"ph": "B", "name": "test", "args": {ID}},
  {"ph": "E", "name": "test", "args": {ID}},
  {"ph": "E", "name": "build", "args": {ID}}
  $ python3 -m json.tool perfflow*.pfw >/dev/null

A script of one event, which a program that is no shell starts, runs in the place of its shell: the event is its own, not that program's.
But what was begun from that program goes on there.

  $ mkdir alone && cd alone && cat >program.py <<'END'
  > import glob, os, subprocess
  > for script in "event alone", "begin outer", "event within", "end":
  >     subprocess.run(["bash", "-c", f"spanloom {script}"])
  > for file in glob.glob("*.pfw"):
  >     lines = open(file).read().split("\n")
  >     own = f".{os.getpid()}.shell.pfw" in file
  >     print("the program's" if own else "its own", [l.split('"name": "')[1].split('"')[0] for l in lines if '"ph": "M"' not in l and "name" in l])
  > END
  $ python3 program.py | sort; cd ..
  its own ['alone']
  the program's ['outer', 'within', 'outer']

What is started knows where it belongs:

  $ cat >script <<'END'
  > eval "$(spanloom begin --export outer)"
  > echo "$TRACEPARENT" >outer
  > spanloom span inner -- sh -c 'echo "$TRACEPARENT" >inner'
  > eval "$(spanloom end --export)"
  > echo "$TRACEPARENT" >script.id
  > echo $$ >pid
  > END
  $ rm *.pfw; sh script
  $ for f in outer inner script.id; do id=$(cut -d- -f3 $f); grep -c "\"span_id\": \"$id\"" perfflow*.pfw; done
  2
  2
  1
  $ cut -d- -f2 outer inner script.id | uniq | wc -l
  1
  $ spanloom import --quiet perfflow*.pfw && spanloom profile --tree --format tsv | cut -f4,7
  path\tcalls (esc)
  outer\t1 (esc)
  outer;inner\t1 (esc)

In a subshell:

  $ sh -c '(spanloom begin --pid $$ sub; true); (spanloom end --pid $$ sub; true)'

A shell runs the last command of a subshell in its own place: it is the subshell that ends its span, not the script.

  $ cat >script <<'END'
  > spanloom begin outer
  > sleep 0.1 # the time when a process began is known to 10 ms
  > ( spanloom begin sub; sleep 0.1; spanloom end )
  > ( spanloom begin sub2; spanloom span inner -- sleep 0.1; spanloom event now; spanloom end sub2 )
  > sleep 0.2
  > ( spanloom event then )
  > ( spanloom begin sub3; spanloom span last -- true )
  > spanloom end outer
  > END
  $ for shell in dash bash; do mkdir sub.$shell; (cd sub.$shell; $shell ../script; spanloom import --quiet .; spanloom profile --tree --format tsv | cut -f4,8 | sort; spanloom sql "SELECT count(*) FROM sl_name n JOIN sl_event e ON e.type = n.id WHERE n.name IN ('now', 'then')"); done
  outer\t0 (esc)
  outer;sub\t0 (esc)
  outer;sub2\t0 (esc)
  outer;sub2;inner\t0 (esc)
  outer;sub3\t1 (esc)
  outer;sub3;last\t0 (esc)
  path\tunfinished (esc)
  count(*)
         2
  outer\t0 (esc)
  outer;sub\t0 (esc)
  outer;sub2\t0 (esc)
  outer;sub2;inner\t0 (esc)
  outer;sub3\t1 (esc)
  outer;sub3;last\t0 (esc)
  path\tunfinished (esc)
  count(*)
         2

Where to:

  $ SPANLOOM_OPTIONS=log-dir=traces/here:name=step:log-filename-include=name,pid sh -c 'spanloom event now; true'
  $ ls traces/here | sed 's/[0-9][0-9]*/PID/'
  perfflow.array.step.PID.shell.pfw
  $ SPANLOOM_OPTIONS=log-enable=False sh -c 'spanloom begin a; spanloom span b -- echo done; spanloom end; spanloom end; true'
  done

Options that are wrong are said once a command:

  $ PERFFLOW_OPTIONS=buffer-size=1M:log-fromat=Object:log-format=binary sh -c 'spanloom event now; true'
  spanloom: PERFFLOW_OPTIONS: ill-formed option: buffer-size=1M: belongs in SPANLOOM_OPTIONS (ignored)
  spanloom: PERFFLOW_OPTIONS: ill-formed option: log-fromat=Object: there is no such option; there are: name, log-filename-include, log-dir, log-enable, cpu-mem-usage, log-event, log-format, caliper-enable (ignored)
  spanloom: PERFFLOW_OPTIONS: ill-formed option: log-format=binary: belongs in SPANLOOM_OPTIONS; say Array or Object here (ignored)
  $ SPANLOOM_OPTIONS=clok=tsc sh -c 'spanloom event now; true'
  spanloom: SPANLOOM_OPTIONS: ill-formed option: clok=tsc: there is no such option; there are: name, log-filename-include, log-dir, log-enable, cpu-mem-usage, log-event, log-format, caliper-enable, log-close, buffer-size, clock, min-duration, only, skip (ignored)

Mistakes:

  $ sh -c 'spanloom end; true' 2>&1 | sed 's/process [0-9]*/process N/'
  spanloom: nothing is open in process N that could end; say `spanloom begin` first, and --pid $$ for both in subshells
  $ sh -c 'spanloom begin a; spanloom end b; exit $?' 2>&1 | sed 's/process [0-9]*/process N/'
  spanloom: "a" is open in process N, which must end before b
  $ spanloom begin
  spanloom: begin what? give it a name
  try: spanloom begin --help
  [2]
  $ spanloom begin a b
  spanloom: 'b' is no KEY=VALUE
  try: spanloom begin --help
  [2]
  $ spanloom begin a span_id=1
  spanloom: 'span_id=1' is no KEY=VALUE that is free to be used
  try: spanloom begin --help
  [2]
  $ spanloom begin a --pid x
  spanloom: --pid needs the number of a process, such as $$
  try: spanloom begin --help
  [2]
  $ spanloom end a b
  spanloom: end takes one name; KEY=VALUE stands behind begin
  try: spanloom end --help
  [2]
  $ spanloom span a
  spanloom: span needs a name and a command: spanloom span NAME -- COMMAND
  try: spanloom span --help
  [2]
  $ spanloom span a b -- true
  spanloom: 'b' is no KEY=VALUE; the command stands behind --
  try: spanloom span --help
  [2]
  $ spanloom span a --
  spanloom: span needs a name and a command: spanloom span NAME -- COMMAND
  try: spanloom span --help
  [2]
  $ spanloom span a -- no-such-program
  spanloom: cannot run no-such-program: No such file or directory
  [127]

Nowhere to write, and the script goes on:

  $ touch file; SPANLOOM_OPTIONS=log-dir=file sh -ec 'spanloom begin a; spanloom span b -- echo works; spanloom end; echo on' 2>&1 | sed "s:$PWD:PWD:; s:array.*shell:array.HOST.PID.shell:"
  spanloom: nothing is recorded: PWD/file/perfflow.array.HOST.PID.shell.pfw: Not a directory; name another place: SPANLOOM_OPTIONS=log-dir=DIR
  spanloom: nothing is recorded: PWD/file/perfflow.array.HOST.PID.shell.pfw: Not a directory; name another place: SPANLOOM_OPTIONS=log-dir=DIR
  works
  on

The wrapper of a container in examples/shell, with something that sleeps in its place:

  $ mkdir wrapper && cd wrapper && PATH=$(dirname "$(command -v spanloom)"):/usr/bin:/bin "$ROOT/examples/shell/wrapper.sh" image.sif sh -c 'exit 3'
  [3]
  $ spanloom import --quiet . && spanloom profile --tree --format csv | cut -d, -f4,7 | sort
  path,calls
  wrapper,1
  wrapper;container,1
  wrapper;container;payload,1
  wrapper;pull,1
