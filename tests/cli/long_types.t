# SPDX-License-Identifier: Apache-2.0
Types of 300 bytes, and fields too: nothing cuts them.

  $ T=$(printf '%0300d' 0 | tr 0 t)
  $ cat > long.yaml <<END
  > recipe: long
  > spans:
  >   a: {type: $T.a, key: "{n}"}
  >   b: {type: $T.b, key: "{n}"}
  > inputs: [{files: "{_}.jsonl", reader: jsonl, times: {at: unix}}]
  > records:
  >   - {when: {is: a}, span: a, event: {went: at}, attrs: [n, $T]}
  >   - {when: {is: b}, span: b, event: {came: at}}
  > END
  $ cat > x.jsonl <<END
  > {"at": 1700000000, "is": "a", "n": "one", "$T": 7}
  > {"at": 1700000001, "is": "b", "n": "one"}
  > END
  $ spanloom import --quiet --recipe long.yaml x.jsonl
  $ short() { sed "s/$T/T/g; s/t\{170,299\}/CUT/g; s/   *\| --*/ /g"; }
  $ spanloom types | short
  type spans
  T.a 1
  T.b 1
  $ spanloom bind --recipe long.yaml --name k "$T.a in $T.b where a.key = b.key" 2>&1 | short
  k: 1 link
  $ spanloom show $T.a one 2>&1 | short | head -4
  T.a one (span 1)
  
  contained in:
   T.b one (bound: k)
  $ spanloom events --format csv $T.a 2>&1 | cut -d , -f 5-8 | short
  component,span_type,span_key,event
  long,T.a,one,went
  $ spanloom sequences $T.b 2>&1 | short
  There is 1 ordering of events below 1 span of type T.b
  Most common: 1 span
  
   since the previous event:
  since start mean minimum maximum span type/event type
   0 s 0 s 0 s 0 s T.a/went
   1 s 1 s 1 s 1 s T.b/came
  $ spanloom sql "select [$T] x from ${T}_a" 2>&1 | short
  x
  7
  $ U=$T$T$T$T
  $ spanloom bind "$U in $U" 2>&1 | cut -c 1-60
  spanloom: a type of more than 1022 bytes in: ttttttttttttttt
  $ spanloom events $U 2>&1 | cut -c 1-60
  spanloom: a type of more than 1023 bytes: tttttttttttttttttt
  try: spanloom events --help
