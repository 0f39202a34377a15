# SPDX-License-Identifier: Apache-2.0
What compilers need, from the build tree and installed.

  $ spanloom flags c | sed "s:$BUILD:BUILD:g; s:$ROOT:ROOT:g"
  $ spanloom flags c++ --cflags | sed "s:$ROOT:ROOT:g"
  $ spanloom flags c --libs | sed "s:$BUILD:BUILD:g"
  $ spanloom flags c --static --libs | sed "s:$BUILD:BUILD:g"
  $ cat >x.c <<'END'
  > #include <spanloom/trace.h>
  > int main(void) { SPANLOOM_SPAN("main"); return 0; }
  > END
  $ cc -o x x.c $(spanloom flags c) && ./x && ls *.pfw | wc -l
  $ rm *.pfw; cc -o x x.c $(spanloom flags c --static) && ./x && ls *.pfw | wc -l
  $ cc -c x.c $(spanloom flags c --cflags) && cc -o x x.o $(spanloom flags c --libs)

Installed, and moved since; a path with blanks is quoted:

  $ mkdir -p "my prefix/bin" "my prefix/lib/x86_64-linux-gnu" "my prefix/include"
  $ cp "$(command -v spanloom)" "my prefix/bin" && cp -r "$ROOT/include/spanloom" "my prefix/include" && cp "$BUILD/libspanloom-trace.a" "my prefix/lib/x86_64-linux-gnu"
  $ "my prefix/bin/spanloom" flags c | sed "s:$PWD:PWD:g"
  $ eval "cc -o x x.c $("my prefix/bin/spanloom" flags c --static)" && ./x
  $ rm -r "my prefix/lib"; "my prefix/bin/spanloom" flags c 2>&1 | sed "s:$PWD:PWD:g"

Mistakes:

  $ spanloom flags
  $ spanloom flags cobol
  $ spanloom flags python
