# SPDX-License-Identifier: Apache-2.0
A Python script, whose functions are traced as they are, and where its time went.

  $ cat >prog.py <<'END'
  > import sys
  > import helper
  > class Solver:
  >     def solve(self, n):
  >         return n and 1 + self.solve(n - 1)
  > if __name__ == "__main__":
  >     print(Solver().solve(2), helper.read(), sys.argv)
  >     sys.exit(3)
  > END
  $ cat >helper.py <<'END'
  > import json, sys
  > def read():
  >     return json.loads(sys.stdin.read())
  > END
  $ echo '[1, 2]' | spanloom trace prog.py --quiet -m x 2>report
  2 [1, 2] ['prog.py', '--quiet', '-m', 'x']
  [3]
  $ head -1 report; sed -n '/call tree/,$p' report | sed -E 's/ +[0-9.]+ ([mun]s|s)/ T/g' | sort
  8 calls in 2 processes and 2 threads (1 process is Spanloom's own)
      inclusive    exclusive       calls          min         mean          max  call tree
   T T           1 T T T          Solver.solve
   T T           1 T T T        Solver.solve
   T T           1 T T T      <module>
   T T           1 T T T      Solver
   T T           1 T T T      Solver.solve
   T T           1 T T T      read
   T T           1 T T T    <module>
   T T           1 T T T  prog.py
  $ ls -d *[^_]
  helper.py
  prog.py
  report
  spanloom.db

Modules instead of the script's own, and the program as a module:

  $ echo '[3]' | spanloom trace -d m.db --quiet --modules 'help*,json' -m prog
  2 [3] ['*/prog.py'] (glob)
  [3]
  $ spanloom profile -d m.db --flat --format tsv | cut -f2,3 | sort
  <module>\t2 (esc)
  loads\t1 (esc)
  name\tcalls (esc)
  prog\t1 (esc)
  read\t1 (esc)

What is wrong:

  $ spanloom trace
  spanloom: trace what? such as: spanloom trace script.py input.txt, or -m MODULE
  try: spanloom trace --help
  [2]
  $ spanloom trace --quiet -m
  spanloom: trace what? such as: spanloom trace script.py input.txt, or -m MODULE
  try: spanloom trace --help
  [2]
  $ spanloom trace --quiet --python ./none prog.py
  spanloom: cannot run ./none: No such file or directory
  [127]
  $ spanloom trace --quiet none.py
  *: can't open file '*none.py': [Errno 2] No such file or directory (glob)
  [2]
  $ printf '#!/bin/sh\necho "no Python: $*"\n' >python-not; chmod +x python-not
  $ spanloom trace --quiet --python ./python-not prog.py x
  no Python: prog.py x
  $ spanloom trace --python ./python-not prog.py x 2>&1 >/dev/null | grep only
  spanloom: only the command itself is known: no function of its own ran, or its Python is none that is traced (CPython 3.9 or later, without -I, -E or -S)

Installed without the package:

  $ mkdir -p else/bin && cp "$(command -v spanloom)" else/bin
  $ else/bin/spanloom trace prog.py 2>&1 | sed "s:$PWD:PWD:g"
  spanloom: the Python package spanloom is not there: neither beside PWD/else/bin/spanloom nor below PWD/else/lib
  $ else/bin/spanloom trace prog.py 2>/dev/null
  [125]
