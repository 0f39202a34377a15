# SPDX-License-Identifier: Apache-2.0
Which functions took the time.

  $ header() { # PID START END MORE
  >   echo "{\"name\":\"spanloom\",\"ph\":\"M\",\"pid\":$1,\"tid\":$1,\"args\":{\"version\":1,\"hostname\":\"node1\",\"pid\":$1,\"ppid\":1,\"start_ns\":\"${2}000\",\"end_ns\":\"${3}000\",\"ended\":true,\"lost\":0,\"trace_id\":\"0af7651916cd43dd8448eb211c80319c\",$4}}"
  > }
  $ event() { # PHASE NAME TS PID TID ARGS
  >   echo ",{\"name\":\"$2\",\"cat\":\"a.c\",\"ph\":\"$1\",\"ts\":$3,\"pid\":$4,\"tid\":$5,\"args\":{$6}}"
  > }
  $ { echo [; header 7 1795162300000000 1795162309000000 '"span_id":"00f067aa0ba902b7"'
  >   event B main 1795162300000000 7 7; event B fib 1795162301000000 7 7; event B fib 1795162302000000 7 7; event E fib 1795162303000000 7 7
  >   event E fib 1795162304000000 7 7; event B launch 1795162305000000 7 7 '"span_id":"b7ad6b7169203331"'; event E launch 1795162308000000 7 7
  >   event B write 1795162302000000 7 8; event E write 1795162302000500 7 8
  >   event E main 1795162309000000 7 7; echo ]; } >perfflow.array.node1.7.pfw
  $ { echo [; header 9 1795162305500000 1795162307500000 '"span_id":"00f067aa0ba902b8","parent_id":"b7ad6b7169203331","rank":"0"'
  >   event B solve 1795162306000000 9 9; event E solve 1795162307000000 9 9; echo ]; } >perfflow.array.node1.9.pfw
  $ { echo [; header 10 1795162305500000 1795162307500000 '"span_id":"00f067aa0ba902b9","parent_id":"b7ad6b7169203331","rank":"1"'
  >   event B solve 1795162305500000 10 10; event B step 1795162305700000 10 10; echo ]; } >perfflow.array.node1.10.pfw
  $ spanloom import --quiet *.pfw
  $ spanloom profile
  $ spanloom profile --flat --by rank
  $ spanloom profile --tree --by thread --top 3
  $ spanloom profile --by process --format csv | cut -d, -f1-6
  $ spanloom profile --tree --format csv
  $ spanloom profile --format json --top 1 | head -3
  $ spanloom profile process node1:9@1795162305500000000

Mistakes:

  $ spanloom profile --by core
  $ spanloom profile --top -1
  $ spanloom profile process node2
  $ spanloom profile -d other.db
  $ spanloom import --quiet -d parsl.db "$ROOT/examples/parsl-htex/runinfo/monitoring.db"
  $ spanloom profile -d parsl.db
