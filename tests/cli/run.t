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
  $ cc -o x x.c $(spanloom flags c)
  $ spanloom run ./x 2>report
  $ head -1 report; grep -c function report
  $ tree() { sed -n '/call tree/,$p' "$@" | sed -E 's/ +[0-9.]+ ([mun]s|s)/ T/g'; } # without the times
  $ tree report
  $ ls
  $ spanloom profile --format tsv | cut -f2-4 | sort
  $ spanloom run --report report --dir traces -- sh -c './x; ./x abort' 2>err
  $ grep -c Aborted err; ls traces | wc -l
  $ sed -n 2p report; tree report

Options of the command are its own, and so are those of tracing that we do not need:

  $ SPANLOOM_OPTIONS=name=mine:log-dir=/nowhere:log-event=Compact spanloom run --quiet -d y.db sh -c 'echo $1 ${SPANLOOM_OPTIONS%%log-dir*}' -- --dir
  $ SPANLOOM_OPTIONS=log-enable=False spanloom run -d z.db ./x

A program that records nothing:

  $ spanloom run -d y.db true 2>report; tree report
  $ ls *run* 2>/dev/null

Mistakes:

  $ spanloom run
  $ spanloom run --dir nowhere/y/z true
  $ spanloom run ./no-such-program
  $ spanloom run --colour true
  $ cat >spanloom.yaml <<'END'
  > nonsense: 1
  > END
  $ spanloom run --quiet --dir kept sh -c 'exit 4' 2>err; echo $?; sed "s:$PWD:PWD:" err
