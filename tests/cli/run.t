# SPDX-License-Identifier: Apache-2.0
A command, traced, and where its time went.

  $ cat >x.c <<'END'
  > #include <spanloom/trace.h>
  > #include <stdio.h>
  > #include <stdlib.h>
  > #include <unistd.h>
  > static void work(int n) { SPANLOOM_SPAN("work"); usleep(1000); if (n) work(n - 1); }
  > int main(int argc, char **argv)
  > {
  >     SPANLOOM_SPAN("main");
  >     work(2);
  >     puts("out");
  >     if (argc > 1) abort();
  >     return 3;
  > }
  > END
  $ eval "cc -o x x.c $(spanloom flags c)"
  $ spanloom run ./x 2>report
  out
  [3]
  $ head -1 report; grep -c function report
  5 calls in 2 processes and 2 threads (1 process is Spanloom's own)
  1
  $ tree() { sed -n '/call tree/,$p' "$@" | sed -E 's/ +[0-9.]+ ([mun]s|s)/ T/g; s/[^ ]+:[0-9]+ ended/IT ended/'; } # without the times
  $ tree report
      inclusive    exclusive       calls          min         mean          max  call tree
   T T           1 T T T  x
   T T           1 T T T    main
   T T           1 T T T      work
   T T           1 T T T        work
   T T           1 T T T          work
  $ ls
  report
  spanloom.db
  x
  x.c
  $ spanloom profile --format tsv | cut -f2-4 | sort
  main\t1\t0 (esc)
  name\tcalls\tunfinished (esc)
  work\t3\t0 (esc)
  x\t1\t0 (esc)
  $ spanloom run --report report --dir traces -- sh -c './x; ./x abort' 2>err
  out
  [134]
  $ grep -c Aborted err; ls traces | wc -l
  1
  3
  $ sed -n 2p report; tree report
            1 did not end, and is counted until its caller or its process ended
      inclusive    exclusive       calls          min         mean          max  call tree
   T T           1 T T T  sh
   T T           2 T T T    main
   T T           2 T T T      work
   T T           2 T T T        work
   T T           2 T T T          work
  
  when IT ended, it was in: main (open for T)

What hangs when it is killed has the time until then, and so has what is around it in a script that is killed, too:

  $ cat >hangs.c <<'END'
  > #include <spanloom/trace.h>
  > #include <fcntl.h>
  > #include <unistd.h>
  > static void reads(void) { SPANLOOM_SPAN("reads"); usleep(100000); }
  > static void hangs(void) { SPANLOOM_SPAN("hangs"); close(creat("hung", 0666)); for (;;) pause(); }
  > int main(void) { SPANLOOM_SPAN("main"); reads(); hangs(); }
  > END
  $ eval "cc -o hangs hangs.c $(spanloom flags c)"
  $ spanloom run -d hangs.db sh -c './hangs & for i in $(seq 6000); do test -e hung && break; sleep 0.01; done; sleep 1; kill -KILL $!; wait; true' 2>report; tree report | tail -1
  when IT ended, it was in: main > hangs (open for T)
  $ seconds() { spanloom profile -d $1 --flat --format tsv | awk -F'\t' "{print \$2, \$4, (\$5 >= $2)}" | grep -v -e name -e sh | sort; } # is it at least?
  $ seconds hangs.db 0.9
  hangs 1 1
  main 1 1
  reads 0 0
  $ cat >script <<'END'
  > spanloom begin outer
  > spanloom span slow -- sleep 0.5
  > spanloom begin stuck
  > kill -KILL $$
  > END
  $ spanloom run -d killed.db sh -c 'sh script; sleep 0.3' 2>report; seconds killed.db 0.29; seconds killed.db 0.79 | grep outer
  outer 1 1
  slow 0 1
  stuck 1 1
  outer 1 1
  $ tree report | tail -1
  when IT ended, it was in: outer > stuck (open for T)

What outlives the command keeps its trace:

  $ cat >stays.c <<'END'
  > #include <spanloom/trace.h>
  > #include <fcntl.h>
  > #include <unistd.h>
  > int main(void) { SPANLOOM_SPAN("main"); close(creat("started", 0666)); while (access("go", F_OK)) usleep(1000); }
  > END
  $ eval "cc -o stays stays.c $(spanloom flags c)"
  $ mkdir later && spanloom run -d later/l.db sh -c './stays & for i in $(seq 6000); do test -e started && break; sleep 0.01; done' 2>report
  $ tail -2 report | sed -E 's/^[^ ]+:[0-9]+/IT/; s/[0-9.]+ [mun]?s\)/T)/; s:[^ ]*/later:LATER:g; s/run[.][A-Za-z0-9]*/run.X/g'
  IT still runs; it was last seen in: main (open for T)
  spanloom: 1 process still runs; its trace is in LATER/spanloom-run.X; import it when it has ended: spanloom import LATER/spanloom-run.X
  $ touch go; until spanloom import --quiet -d later/l.db later/spanloom-run.* && spanloom profile -d later/l.db --format tsv | grep -q 'main.1.0'; do sleep 0.05; done
  $ spanloom run --keep -d later/l.db true 2>&1 | tail -1 | sed -E 's:[^ ]*/later:LATER:g; s/run[.][A-Za-z0-9]*/run.X/g'
  spanloom: the traces are in LATER/spanloom-run.X
  $ ls -d later/spanloom-run.* | wc -l
  2
  $ spanloom profile -d later/l.db | tail -2 | sed -E 's/--run .*@/--run IT/'
  2 runs (top processes) are in this store; the last:
      spanloom profile --run IT -d later/l.db
  $ eval "$(spanloom profile -d later/l.db | tail -1) --format tsv" | cut -f2
  name
  true

Options of the command are its own, and so are those of tracing that we do not need:

  $ SPANLOOM_OPTIONS=name=mine:log-dir=/nowhere:log-event=Compact spanloom run --quiet -d y.db sh -c 'echo $1 ${SPANLOOM_OPTIONS%%log-dir*}' -- --dir
  --dir name=mine:log-event=Compact:
  $ SPANLOOM_OPTIONS=log-enable=False spanloom run -d z.db ./x
  out
  spanloom: nothing was recorded; do PERFFLOW_OPTIONS or SPANLOOM_OPTIONS say log-enable=False?
  [3]
  $ PERFFLOW_OPTIONS=log-dri=mine spanloom run --quiet -d z.db ./x
  spanloom: PERFFLOW_OPTIONS: ill-formed option: log-dri=mine: there is no such option; there are: name, log-filename-include, log-dir, log-enable, cpu-mem-usage, log-event, log-format, caliper-enable (ignored)
  out
  [3]

A program that records nothing:

  $ spanloom run -d y.db true 2>report; tree report
      inclusive    exclusive       calls          min         mean          max  call tree
   T T           1 T T T  true
  spanloom: only the command itself is known: no program that it ran records anything; build it with: cc PROGRAM.c $(spanloom flags c), or trace a Python script: spanloom trace SCRIPT
  $ ls *run* 2>/dev/null
  [2]

Mistakes:

  $ spanloom run
  spanloom: run what? such as: spanloom run ./program input.txt
  try: spanloom run --help
  [2]
  $ spanloom run --dir nowhere/y/z true
  spanloom: cannot make a folder for the traces: nowhere/y/z: No such file or directory
  [125]
  $ spanloom run ./no-such-program
  spanloom: cannot run ./no-such-program: No such file or directory
  [127]
  $ spanloom run --colour true
  spanloom: unknown option --colour; did you mean '--color'?
  try: spanloom run --help
  [2]
  $ cat >spanloom.yaml <<'END'
  > nonsense: 1
  > END
  $ spanloom run --quiet --dir kept sh -c 'exit 4' 2>err; echo $?; sed "s:$PWD:PWD:" err
  4
  spanloom: spanloom.yaml:1: a project file has no key 'nonsense'; known: store, sources, recipes, zone, campaign, set, bind, ignore, rename, merge, experiment; the traces are kept: spanloom import PWD/kept

A store that cannot be one is told before the command runs:

  $ mkdir folder
  $ spanloom run -d folder touch ran
  spanloom: folder is a directory, not a store; name a file with -d, such as -d folder/spanloom.db
  [125]
  $ test ! -e ran
