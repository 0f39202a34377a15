# SPDX-License-Identifier: Apache-2.0
What compilers need, from the build tree and installed.

  $ spanloom flags c | sed "s:'::g; s:$BUILD:BUILD:g; s:$ROOT:ROOT:g"
  -IROOT/include -fexceptions -Wl,--push-state,--no-as-needed -LBUILD -Wl,-rpath,BUILD -lspanloom-trace -Wl,--pop-state
  $ spanloom flags c++ --cflags | sed "s:'::g; s:$ROOT:ROOT:g"
  -IROOT/include
  $ spanloom flags c --libs | sed "s:'::g; s:$BUILD:BUILD:g"
  -Wl,--push-state,--no-as-needed -LBUILD -Wl,-rpath,BUILD -lspanloom-trace -Wl,--pop-state
  $ spanloom flags c --static --libs | sed "s:'::g; s:$BUILD:BUILD:g"
  BUILD/libspanloom-trace.a -pthread -ldl
  $ cat >x.c <<'END'
  > #include <spanloom/trace.h>
  > int main(void) { SPANLOOM_SPAN("main"); return 0; }
  > END
  $ eval "cc -o x x.c $(spanloom flags c)" && ./x && ls *.pfw | wc -l
  1
  $ rm *.pfw; eval "cc -o x x.c $(spanloom flags c --static)" && ./x && ls *.pfw | wc -l
  1
  $ eval "cc -c x.c $(spanloom flags c --cflags)" && eval "cc -o x x.o $(spanloom flags c --libs)"
  $ spanloom flags fortran | sed "s:'::g; s:$BUILD:BUILD:g; s:$ROOT:ROOT:g"
  ROOT/include/spanloom/spanloom_trace.f90 -Wl,--push-state,--no-as-needed -LBUILD -Wl,-rpath,BUILD -lspanloom-trace -Wl,--pop-state

Wherever it stands, also where the linker drops libraries that nothing before them needs:

  $ rm *.pfw; eval "cc -Wl,--as-needed $(spanloom flags c) -o x x.c" && ./x && ls *.pfw | wc -l
  1
  $ ldd x | grep -c libspanloom-trace
  1
  $ spanloom flags --help | grep '^  [cg].*flags'
    cc -O2 -o prog prog.c $(spanloom flags c)
    c++ -O2 -o prog prog.cc $(spanloom flags c++)
    gfortran -O2 -o prog $(spanloom flags fortran) prog.f90   (module first)
    clang -O2 -o prog prog.c $(spanloom flags clang)      (annotated functions)
    gcc -O2 -o prog prog.c $(spanloom flags gcc)          (the same)
  $ grep -h ^Libs: "$BUILD"/meson-private/spanloom-trace.pc
  Libs: -L${libdir} -Wl,-rpath,${libdir} -lspanloom-trace

Installed, and moved since; a path with blanks is quoted:

  $ mkdir -p "my prefix/bin" "my prefix/lib/x86_64-linux-gnu" "my prefix/include"
  $ cp "$(command -v spanloom)" "my prefix/bin" && cp -r "$ROOT/include/spanloom" "my prefix/include" && cp "$BUILD/libspanloom-trace.a" "my prefix/lib/x86_64-linux-gnu"
  $ "my prefix/bin/spanloom" flags c | sed "s:$PWD:PWD:g"
  -I'PWD/my prefix/include' -fexceptions -Wl,--push-state,--no-as-needed -L'PWD/my prefix/lib/x86_64-linux-gnu' -Wl,-rpath,'PWD/my prefix/lib/x86_64-linux-gnu' -lspanloom-trace -Wl,--pop-state
  $ eval "cc -o x x.c $("my prefix/bin/spanloom" flags c --static)" && ./x
  $ rm -r "my prefix/lib"; "my prefix/bin/spanloom" flags c 2>&1 | sed "s:$PWD:PWD:g"
  spanloom: libspanloom-trace is not there: neither beside PWD/my prefix/bin/spanloom nor below PWD/my prefix/lib

Mistakes:

  $ spanloom flags
  spanloom: flags for what? c, c++ or fortran; or to weave annotated functions: clang, gcc
  try: spanloom flags --help
  [2]
  $ spanloom flags cobol
  spanloom: there are no flags for 'cobol'; known: c, c++, fortran; clang, clang++, gcc, g++, gfortran
  try: spanloom flags --help
  [2]
  $ spanloom flags python
  spanloom: Python programs are not compiled; run them with: spanloom run python3 PROGRAM
  try: spanloom flags --help
  [2]

Compilers that weave:

  $ spanloom flags gcc --cflags | sed "s:'::g; s:$BUILD:BUILD:g; s:$ROOT:ROOT:g"
  -IROOT/include -fexceptions -fplugin=BUILD/src/weave/spanloom_gcc_12.so
  $ spanloom flags clang++-14 --cflags | sed "s:'::g; s:$BUILD:BUILD:g; s:$ROOT:ROOT:g"
  -IROOT/include -fpass-plugin=BUILD/src/weave/spanloom_llvm_14.so
  $ spanloom flags clang --cflags | sed "s:'::g; s:$BUILD:BUILD:g; s:$ROOT:ROOT:g"
  -IROOT/include -fexceptions -fpass-plugin=BUILD/src/weave/libWeavePass.so
  $ echo include >rules
  $ spanloom flags gfortran --cflags --pointcuts rules | sed "s:'::g; s:$BUILD:BUILD:g; s:$ROOT:ROOT:g; s:$PWD:PWD:g"
  -IROOT/include -fplugin=BUILD/src/weave/spanloom_gcc_12.so -fplugin-arg-spanloom_gcc_12-pointcuts=PWD/rules
  $ spanloom flags clang++ --cflags --pointcuts rules | sed "s:'::g; s:$BUILD:BUILD:g; s:$ROOT:ROOT:g; s:$PWD:PWD:g"
  -IROOT/include -fpass-plugin=BUILD/src/weave/libWeavePass.so -fplugin=BUILD/src/weave/libWeavePass.so -mllvm -spanloom-pointcuts=PWD/rules
  $ spanloom flags gcc-9
  spanloom: there is no plugin for gcc 9; there are: 12
  [1]
  $ spanloom flags clang-x 2>&1 | head -1
  spanloom: there are no flags for 'clang-x'; known: c, c++, fortran; clang, clang++, gcc, g++, gfortran
  $ spanloom flags gcc --pointcuts none
  spanloom: none: No such file or directory
  [1]
  $ spanloom flags c --pointcuts rules 2>&1 | head -1
  spanloom: pointcuts are for compilers that weave: clang, gcc and so on
  $ echo 'include fun=f' >rules; spanloom flags gcc --pointcuts rules
  spanloom: rules:1: there is no key 'fun' of include; there are module, function, class, pointcut, scope
  [1]
