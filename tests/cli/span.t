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
  $ show $(cat pid)
  $ python3 -m json.tool perfflow*.pfw >/dev/null

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
  $ cut -d- -f2 outer inner script.id | uniq | wc -l
  $ spanloom import --quiet perfflow*.pfw && spanloom profile --tree --format tsv | cut -f4,7

In a subshell:

  $ sh -c '(spanloom begin --pid $$ sub; true); (spanloom end --pid $$ sub; true)'

Where to:

  $ SPANLOOM_OPTIONS=log-dir=traces/here:name=step:log-filename-include=name,pid sh -c 'spanloom event now; true'
  $ ls traces/here | sed 's/[0-9][0-9]*/PID/'
  $ SPANLOOM_OPTIONS=log-enable=False sh -c 'spanloom begin a; spanloom span b -- echo done; spanloom end; spanloom end; true'

Mistakes:

  $ sh -c 'spanloom end; true' 2>&1 | sed 's/process [0-9]*/process N/'
  $ sh -c 'spanloom begin a; spanloom end b; exit $?' 2>&1 | sed 's/process [0-9]*/process N/'
  $ spanloom begin
  $ spanloom begin a b
  $ spanloom begin a span_id=1
  $ spanloom begin a --pid x
  $ spanloom end a b
  $ spanloom span a
  $ spanloom span a b -- true
  $ spanloom span a --
  $ spanloom span a -- no-such-program

Nowhere to write, and the script goes on:

  $ touch file; SPANLOOM_OPTIONS=log-dir=file sh -ec 'spanloom begin a; spanloom span b -- echo works; spanloom end; echo on' 2>&1 | sed "s:$PWD:PWD:; s:array.*shell:array.HOST.PID.shell:"
