# SPDX-License-Identifier: Apache-2.0

What a new user meets: one base everywhere, what is wrong with a plan before anything runs, what was left behind.

The base is the first level of the plan, also where it is not the lowest; the score is a made function without noise.

  $ mkdir base && cd base && cat > experiment.yaml <<'END'
  > experiment: bases
  > command: 'echo score $((100 + P + Q + S))'
  > score: {regex: 'score (\d+)'}
  > factors:
  >   pages: {levels: [128, 64, 256], environment: {P: "{level}"}}
  >   on: {levels: [1, 0], environment: {Q: "{level}"}}
  >   policy: {levels: {slow: {environment: {S: 90}}, fast: {environment: {S: 10}}}}
  > repeats: 2
  > END
  $ spanloom experiment design full > said && spanloom experiment run
  bases: 24 runs made, 0 failed
  $ spanloom experiment means | sed -n '2,10p' | cut -c1-40
  base: pages=128, on=1, policy=slow
  what each treatment changes (less is bet
  
  all runs with - without         change  
  policy=fast                      -80.0  
  pages=64                         -64.0  
  on=0                             -1.00  
  pages=256                         +128  
  
  $ spanloom experiment model --no-time | sed -n '5,10p' | cut -c1-43
  term                             change  95
  (Intercept)                         319  +3
  pages64                           -64.0  -6
  pages256                           +128  +1
  on0                               -1.00  -1
  policyfast                        -80.0  -8
  $ spanloom experiment factors | tail -3
  pages                        categorical  128: 8, 64: 8, 256: 8
  on                           categorical  1: 12, 0: 12
  policy                       categorical  slow: 12, fast: 12
  $ spanloom experiment compare none policy=fast | head -1
  better by 25.1 % (25.1 to 25.1 %), sure

The plan that ran last says which it is; a factor that comes later was at its base before, whatever that is.

  $ sed -i 's/128, 64, 256/64, 128, 256/; s/^  on:/  late: {levels: [b, a], environment: {LATE: "{level}"}}\n  on:/' experiment.yaml
  $ spanloom experiment design list <(echo late; echo a) > said && spanloom experiment run
  bases: 2 runs made, 0 failed
  $ spanloom experiment means | sed -n '2,3p; /^pairs/,/^$/p' | cut -c1-42
  late joined later: the 42 runs before it c
  base: pages=64, on=1, policy=slow, late=b
  pairs alike in all else         change  95
  policy=fast                      -80.0  -8
  late=a                               0  * (glob)
  on=0                             -1.00  -1
  pages=128                        +64.0  +6
  pages=256                         +192  * (glob)
  

Where no plan says, it is the lowest, which is said.

  $ printf 'size,kind,x,seconds\n' > r.csv; for s in 10 2; do for k in b a; do for x in 0 1; do echo "$s,$k,$x,$((s + x))"; done; done; done >> r.csv
  $ spanloom experiment import -d r.db --score seconds r.csv > said && spanloom experiment means -d r.db | sed -n '2p'
  base (nothing states one: the lowest): size=2, kind=a
  $ cd ..
