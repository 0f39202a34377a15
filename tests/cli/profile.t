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
  8 calls in 3 processes and 4 threads
            2 did not end, and are counted until their caller or their process ended
  
      exclusive    share    inclusive       calls          min         mean          max  function
            3 s   30.0 %          9 s           1          9 s          9 s          9 s  main
            3 s   30.0 %          3 s           2          1 s          2 s          3 s  fib
          1.8 s   18.0 %        1.8 s           1                                         step
          1.2 s   12.0 %          3 s           2          1 s          1 s          1 s  solve
            1 s   10.0 %          3 s           1          3 s          3 s          3 s  launch
         500 us    0.0 %       500 us           1       500 us       500 us       500 us  write
  
      inclusive    exclusive       calls          min         mean          max  call tree
            9 s          3 s           1          9 s          9 s          9 s  main
            3 s          2 s           1          3 s          3 s          3 s    fib
            1 s          1 s           1          1 s          1 s          1 s      fib
            3 s          1 s           1          3 s          3 s          3 s    launch
            3 s        1.2 s           2          1 s          1 s          1 s      solve
          1.8 s        1.8 s           1                                               step
         500 us       500 us           1       500 us       500 us       500 us  write
  
  when node1:10 ended, it was in: solve > step (open for 1.8 s)
  $ spanloom profile --flat --by rank
  8 calls in 3 processes and 4 threads
            2 did not end, and are counted until their caller or their process ended
  
      exclusive    share    inclusive       calls          min         mean          max  function
            3 s   30.0 %          9 s           1          9 s          9 s          9 s  main  [rank none]
            3 s   30.0 %          3 s           2          1 s          2 s          3 s  fib  [rank none]
          1.8 s   18.0 %        1.8 s           1                                         step  [rank 1]
            1 s   10.0 %          1 s           1          1 s          1 s          1 s  solve  [rank 0]
         200 ms    2.0 %          2 s           1                                         solve  [rank 1]
            1 s   10.0 %          3 s           1          3 s          3 s          3 s  launch  [rank none]
         500 us    0.0 %       500 us           1       500 us       500 us       500 us  write  [rank none]
  
  when node1:10 ended, it was in: solve > step (open for 1.8 s)
  $ spanloom profile --tree --by thread --top 3
  8 calls in 3 processes and 4 threads
            2 did not end, and are counted until their caller or their process ended
  
      inclusive    exclusive       calls          min         mean          max  call tree
            9 s          3 s           1          9 s          9 s          9 s  main  [node1:7/7]
            3 s          2 s           1          3 s          3 s          3 s    fib  [node1:7/7]
            3 s          1 s           1          3 s          3 s          3 s    launch  [node1:7/7]
    5 more paths: --top 0 shows all
  
  when node1:10 ended, it was in: solve > step (open for 1.8 s)
  $ spanloom profile --by process --format csv | cut -d, -f1-6
  part,name,calls,unfinished,inclusive_s,exclusive_s
  node1:7@1795162300000000000,main,1,0,9.0,3.0
  node1:7@1795162300000000000,fib,2,0,3.0,3.0
  node1:10@1795162305500000000,step,1,1,1.8,1.8
  node1:9@1795162305500000000,solve,1,0,1.0,1.0
  node1:10@1795162305500000000,solve,1,1,2.0,0.2
  node1:7@1795162300000000000,launch,1,0,3.0,1.0
  node1:7@1795162300000000000,write,1,0,0.0005,0.0005
  $ spanloom profile --tree --format csv
  node,parent,depth,path,part,name,calls,unfinished,inclusive_s,exclusive_s,share,min_s,mean_s,max_s
  1,,0,main,,main,1,0,9.0,3.0,0.2999850007499625,9.0,9.0,9.0
  2,1,1,main;fib,,fib,1,0,3.0,2.0,0.199990000499975,3.0,3.0,3.0
  3,2,2,main;fib;fib,,fib,1,0,1.0,1.0,0.0999950002499875,1.0,1.0,1.0
  4,1,1,main;launch,,launch,1,0,3.0,1.0,0.0999950002499875,3.0,3.0,3.0
  5,4,2,main;launch;solve,,solve,2,1,3.0,1.2,0.119994000299985,1.0,1.0,1.0
  6,5,3,main;launch;solve;step,,step,1,1,1.8,1.8,0.1799910004499775,,,
  7,,0,write,,write,1,0,0.0005,0.0005,4.999750012499375e-05,0.0005,0.0005,0.0005
  $ spanloom profile --format json --top 1 | head -3
  [
   {"part":null, "name":"main", "calls":1, "unfinished":0, "inclusive_s":9, "exclusive_s":3, "share":0.2999850007499625, "min_s":9, "mean_s":9, "max_s":9},
   {"part":null, "name":"fib", "calls":2, "unfinished":0, "inclusive_s":3, "exclusive_s":3, "share":0.2999850007499625, "min_s":1, "mean_s":2, "max_s":3},
  $ spanloom profile process node1:9@1795162305500000000
  1 call in 1 process and 1 thread
  
      exclusive    share    inclusive       calls          min         mean          max  function
            1 s  100.0 %          1 s           1          1 s          1 s          1 s  solve
  
      inclusive    exclusive       calls          min         mean          max  call tree
            1 s          1 s           1          1 s          1 s          1 s  solve

A process by its number, or by as much of its key as tells it from others:

  $ spanloom profile process 9 | head -1
  1 call in 1 process and 1 thread
  $ spanloom profile process node1:10 | head -1
  2 calls in 1 process and 1 thread
  $ spanloom profile process node1:1 | head -1
  spanloom: no span is called process node1:1; there is node1:10@1795162305500000000; see what there is with: spanloom types -d spanloom.db
  $ spanloom profile process node1 2>&1 | cut -d@ -f1
  spanloom: 3 spans answer to that; name one by its id, or more of its key:
    span 1        trace.process node1:10
    span 5        trace.process node1:7
    span 13       trace.process node1:9

Several runs in one store:

  $ sed -e 's/:7,/:70,/g; s/00f067aa0ba902b7/00f067aa0ba90299/; s/b7ad6b7169203331/b7ad6b7169203399/' perfflow.array.node1.7.pfw >second.pfw
  $ spanloom import --quiet -d two.db *.pfw; spanloom profile -d two.db --flat | tail -3
  
  2 runs (top processes) are in this store; the last:
      spanloom profile --run node1:70@ -d two.db
  $ spanloom profile -d two.db --flat --run node1:70@ | head -1
  5 calls in 1 process and 2 threads

These are no workflows:

  $ spanloom runs -d two.db
  spanloom: two.db holds traces of programs and no workflow; of these tell: spanloom why -d two.db, and spanloom profile -d two.db

Threads have names, and what has the form that `export chrome` makes says so:

  $ sed -e '2a ,{"name":"thread_name","ph":"M","pid":7,"tid":8,"args":{"name":"io worker"}}' perfflow.array.node1.7.pfw >named.pfw
  $ spanloom import --quiet -d named.db named.pfw; spanloom profile -d named.db --flat --by thread | grep write
         500 us    0.0 %       500 us           1       500 us       500 us       500 us  write  [node1:7/8 io worker]
  $ spanloom profile -d named.db --flat --by thread --format tsv | grep write | cut -f1,2
  node1:7@1795162300000000000/8\twrite (esc)
  $ spanloom export chrome named.pfw
  spanloom: named.pfw: it is Chrome Trace Format already
  [1]

Mistakes:

  $ spanloom profile --by core
  spanloom: --by takes thread, process or rank, not 'core'
  try: spanloom profile --help
  [2]
  $ spanloom profile --top -1
  spanloom: --top needs a number from 0 up
  try: spanloom profile --help
  [2]
  $ spanloom profile process node2
  spanloom: no span is called process node2; see what there is with: spanloom types -d spanloom.db
  [1]
  $ spanloom profile -d other.db
  spanloom: no store other.db; make one with: spanloom import PATH... -d other.db
  [1]
  $ spanloom import --quiet -d parsl.db "$ROOT/examples/parsl-htex/runinfo/monitoring.db"
  $ spanloom profile -d parsl.db
  spanloom: parsl.db holds no calls of traced programs; trace one with: spanloom run PROGRAM, built with $(spanloom flags c), or spanloom trace SCRIPT
  [1]

Asynchronous spans alone:

  $ cat >asyncs.json <<'END'
  > {"traceEvents":[{"name":"req","cat":"net","ph":"b","id":1,"ts":1795162300000000,"pid":1,"tid":1},{"name":"req","cat":"net","ph":"b","id":2,"ts":1795162300000000,"pid":1,"tid":1},
  > {"name":"dns","cat":"net","ph":"b","id":3,"ts":1795162300000000,"pid":1,"tid":1},{"name":"req","cat":"net","ph":"e","id":1,"ts":1795162301000000,"pid":1,"tid":1},
  > {"name":"req","cat":"net","ph":"e","id":2,"ts":1795162303000000,"pid":1,"tid":1},{"name":"dns","cat":"net","ph":"e","id":3,"ts":1795162300500000,"pid":1,"tid":1}]}
  > END
  $ spanloom import --quiet -d asyncs.db asyncs.json
  $ spanloom profile -d asyncs.db
          total          ran       waited       spans         mean          max  asynchronous span
            4 s                                     2          2 s          3 s  req
         500 ms                                     1       500 ms       500 ms  dns
  $ spanloom profile -d asyncs.db --top 1
          total          ran       waited       spans         mean          max  asynchronous span
            4 s                                     2          2 s          3 s  req
    1 more name: --top 0 shows all

Traces without a store: the same, also of a folder.

  $ mkdir -p alone/traces && mv perfflow.array.node1.*.pfw alone/traces && cd alone
  $ spanloom import --quiet -d store.db traces
  $ spanloom profile traces >files && spanloom profile -d store.db | diff - files
  $ spanloom profile traces/perfflow.array.node1.9.pfw --flat --format tsv | cut -f2,3
  name	calls (esc)
  solve	1 (esc)
  $ spanloom profile missing.slt
  spanloom: missing.slt: No such file or directory
  spanloom: no trace file below missing.slt; what there is, spanloom import --dry-run says
  [1]
  $ spanloom profile files
  spanloom: no trace file below files* (glob)
  [1]
  $ spanloom profile --run x traces
  spanloom: --run is of a store, not of files
  try: spanloom profile --help
  [2]
  $ ls
  files
  store.db
  traces
