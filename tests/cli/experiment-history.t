# SPDX-License-Identifier: Apache-2.0
Since which commit is it slower?  24 commits; the tenth makes it slower by 12 %, the eighteenth faster again; one cannot
be built, and one does not run.

  $ export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=n@e GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=n@e HOME=$PWD
  $ export GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'
  $ git init -q -b main repository && cd repository && mkdir sub && cd sub
  $ for i in $(seq 1 24); do
  >   echo "echo took $((i < 10 ? 100 : i < 18 ? 112 : 101))" > bench.in
  >   echo 'cp bench.in bench' > build.sh
  >   [ $i = 14 ] && echo 'echo no compiler; exit 1' > build.sh
  >   [ $i = 4 ] && echo 'exit 3' > bench.in
  >   git add -A && git commit -q --allow-empty -m "change $i"
  > done
  $ spanloom experiment history HEAD~23..HEAD 'sh bench' --build 'sh build.sh' --score 'took (.*)' >out 2>err
  $ head -2 out | sed 's/since [0-9a-f]*/since COMMIT/'
  worse by 12.0 % (12.0 to 12.0 %) since COMMIT change 10
  better by 9.82 % (9.82 to 9.82 %) since COMMIT change 18
  $ sed 's/^spanloom: [0-9a-f]*/spanloom: COMMIT/' err | sort
  spanloom: COMMIT is passed over: build: exit status 1: no compiler
  spanloom: COMMIT is passed over: exit status 3
  $ git log -1 --format=%s $(sed -n '1s/.*since \([0-9a-f]*\).*/\1/p' out)
  change 10

Few of the commits were needed, and nothing is left of the folders in which they were built.

  $ [ $(tail -n +5 out | wc -l) -le 15 ]
  $ git worktree list | wc -l
  1
  $ git status --short
  ?? err
  ?? history.runs.jsonl
  ?? out

The same command has nothing left to do; a run that was killed goes on.

  $ wc -l < history.runs.jsonl > before
  $ spanloom experiment history HEAD~23..HEAD 'sh bench' --build 'sh build.sh' --score 'took (.*)' | cmp - out
  $ [ $(wc -l < history.runs.jsonl) = $(($(cat before) + 1)) ]
  $ sed -n '1,20p' history.runs.jsonl > half && printf '{"record": "run", "exp' >> half && mv half history.runs.jsonl
  $ spanloom experiment history HEAD~23..HEAD 'sh bench' --build 'sh build.sh' --score 'took (.*)' 2>/dev/null | head -2 | sed 's/since [0-9a-f]*/since COMMIT/'
  worse by 12.0 % (12.0 to 12.0 %) since COMMIT change 10
  better by 9.82 % (9.82 to 9.82 %) since COMMIT change 18
  $ spanloom experiment history HEAD~23..HEAD 'sh bench' --build 'sh build.sh' --score 'took (.*)' --format csv 2>/dev/null | cut -d, -f 3-6 | grep changed
  change 10,1,changed,0.1* (glob)
  change 18,1,changed,-0.098214* (glob)

Of another command it is another history.

  $ spanloom experiment history HEAD~23..HEAD 'sh other' --build 'sh build.sh' 2>&1 | sed 's,has.*/sub/,has /,; s,^spanloom: .*/history,spanloom: history,'
  spanloom: history.runs.jsonl has runs of another command, build or score: remove it, or call this history otherwise (--name)
  try: spanloom experiment history --help
  $ spanloom experiment history HEAD~23..HEAD true --name time --rounds 1 | tail -1
  7 steps are not settled: go on with the same command
  $ spanloom experiment history HEAD 'sh bench'
  spanloom: 'HEAD' is no range of commits such as v1.0..HEAD
  try: spanloom experiment history --help
  [2]
  $ spanloom experiment history nothing..HEAD 'sh bench' --name other
  spanloom: git log: fatal: bad revision 'nothing^{commit}'
  try: spanloom experiment history --help
  [2]
  $ spanloom experiment history HEAD..HEAD 'sh bench' --name other
  spanloom: HEAD..HEAD has no commit
  try: spanloom experiment history --help
  [2]
  $ spanloom experiment history main
  spanloom: history of what? RANGE COMMAND, such as v1.0..HEAD ./benchmark
  try: spanloom experiment history --help
  [2]

Killed, it leaves worktrees, which the next start removes, and says so; interrupted, twice, too, it leaves none.

  $ export TMPDIR=$PWD/temp && mkdir temp && mkfifo hold
  $ begin() { rm -f began; spanloom experiment history HEAD~2..HEAD "echo x >> $PWD/began; read x < $PWD/hold" --name $1 >said 2>&1 & p=$!; until [ -s began ]; do kill -0 $p || break; done; }
  $ begin killed; { kill -9 $p; wait $p; } 2>/dev/null || true
  $ git worktree list | wc -l; ls temp | wc -l
  2
  1
  $ begin interrupted; grep removed said
  spanloom: 1 worktree was removed, which a history had left that was killed
  $ git worktree list | wc -l; ls temp | wc -l
  2
  1
  $ spanloom experiment history HEAD~2..HEAD true --name other --rounds 1 | tail -1
  * (glob)
  $ git worktree list | wc -l
  2
  $ kill -INT $p; kill -INT $p; wait $p; echo $?
  130
  $ git worktree list | wc -l; ls temp
  1

What a comparison of commands left that was killed is removed, too, unless it is young, since it may just have begun.

  $ rm -f began; spanloom experiment compare "echo x >> $PWD/began; read x < $PWD/hold" true >said 2>&1 & p=$!; until [ -s began ]; do kill -0 $p || break; done; { kill -9 $p; wait $p; } 2>/dev/null || true
  $ mkdir temp/spanloom-runs-young temp/others && touch -d '1 hour ago' $(ls -d temp/* | grep -v young); ls temp | wc -l
  3
  $ spanloom experiment compare true true --pairs 1 >said; ls temp
  others
  spanloom-runs-young
