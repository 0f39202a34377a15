# SPDX-License-Identifier: Apache-2.0
Types of spans and how they are related.

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom graph
  digraph spanloom {
      graph [rankdir=LR nodesep=0.3 ranksep=0.6 fontname="Helvetica"]
      node [shape=box style="rounded,filled" fillcolor="#f4f6fa" color="#8090a8" fontname="Helvetica" fontsize=11]
      edge [fontname="Helvetica" fontsize=9 arrowsize=0.7]
      "parsl.executor.htex.interchange.task" [label="parsl.executor.htex.\ninterchange.task\n220 spans"];
      "parsl.executor.htex.manager" [label="parsl.executor.\nhtex.manager\n1 span"];
      "parsl.executor.htex.manager.task" [label="parsl.executor.\nhtex.manager.task\n220 spans"];
      "parsl.executor.htex.worker" [label="parsl.executor.\nhtex.worker\n2 spans"];
      "parsl.executor.htex.worker.task" [label="parsl.executor.\nhtex.worker.task\n220 spans"];
      "parsl.monitoring.block" [label="parsl.monitoring.block\n1 span"];
      "parsl.monitoring.database" [label="parsl.monitoring.\ndatabase\n1 span"];
      "parsl.monitoring.executor" [label="parsl.monitoring.\nexecutor\n2 spans"];
      "parsl.monitoring.node" [label="parsl.monitoring.node\n1 span"];
      "parsl.monitoring.task" [label="parsl.monitoring.task\n198 spans"];
      "parsl.monitoring.try" [label="parsl.monitoring.try\n229 spans"];
      "parsl.monitoring.workflow" [label="parsl.monitoring.\nworkflow\n1 span"];
      "parsl.rundir.block" [label="parsl.rundir.block\n1 span"];
      "parsl.rundir.executor" [label="parsl.rundir.executor\n2 spans"];
      "parsl.rundir.task" [label="parsl.rundir.task\n198 spans"];
      "parsl.rundir.try" [label="parsl.rundir.try\n228 spans"];
      "parsl.rundir.workflow" [label="parsl.rundir.workflow\n1 span"];
      "parsl.submit_script" [label="parsl.submit_script\n1 span"];
      "parsl.executor.htex.interchange.task" -> "parsl.executor.htex.manager.task" [label="220" color="#404040" fontcolor="#404040"];
      "parsl.executor.htex.manager" -> "parsl.executor.htex.manager.task" [label="220" color="#404040" fontcolor="#404040"];
      "parsl.executor.htex.manager" -> "parsl.executor.htex.worker" [label="2" color="#404040" fontcolor="#404040"];
      "parsl.executor.htex.manager.task" -> "parsl.executor.htex.worker.task" [label="220" color="#404040" fontcolor="#404040"];
      "parsl.executor.htex.worker" -> "parsl.executor.htex.worker.task" [label="220" color="#404040" fontcolor="#404040"];
      "parsl.monitoring.block" -> "parsl.monitoring.try" [label="220" color="#404040" fontcolor="#404040"];
      "parsl.monitoring.database" -> "parsl.monitoring.workflow" [label="1" color="#404040" fontcolor="#404040"];
      "parsl.monitoring.executor" -> "parsl.monitoring.block" [label="1" color="#404040" fontcolor="#404040"];
      "parsl.monitoring.executor" -> "parsl.monitoring.try" [label="4" color="#404040" fontcolor="#404040"];
      "parsl.monitoring.task" -> "parsl.monitoring.try" [label="229" color="#404040" fontcolor="#404040"];
      "parsl.monitoring.workflow" -> "parsl.monitoring.executor" [label="2" color="#404040" fontcolor="#404040"];
      "parsl.monitoring.workflow" -> "parsl.monitoring.node" [label="1" color="#404040" fontcolor="#404040"];
      "parsl.monitoring.workflow" -> "parsl.monitoring.task" [label="198" color="#404040" fontcolor="#404040"];
      "parsl.rundir.block" -> "parsl.executor.htex.manager" [label="1" color="#404040" fontcolor="#404040"];
      "parsl.rundir.block" -> "parsl.submit_script" [label="1" color="#404040" fontcolor="#404040"];
      "parsl.rundir.executor" -> "parsl.executor.htex.interchange.task" [label="220" color="#404040" fontcolor="#404040"];
      "parsl.rundir.executor" -> "parsl.rundir.block" [label="1" color="#404040" fontcolor="#404040"];
      "parsl.rundir.executor" -> "parsl.rundir.try" [label="224" color="#404040" fontcolor="#404040"];
      "parsl.rundir.task" -> "parsl.rundir.try" [label="228" color="#404040" fontcolor="#404040"];
      "parsl.rundir.try" -> "parsl.executor.htex.interchange.task" [label="220" color="#404040" fontcolor="#404040"];
      "parsl.rundir.workflow" -> "parsl.rundir.executor" [label="2" color="#404040" fontcolor="#404040"];
      "parsl.rundir.workflow" -> "parsl.rundir.task" [label="198" color="#404040" fontcolor="#404040"];
      "parsl.rundir.workflow" -> "parsl.submit_script" [label="1" color="#404040" fontcolor="#404040"];
      "parsl.executor.htex.manager" -> "parsl.monitoring.node" [label="1" color="#2060c0" fontcolor="#2060c0" style=dashed dir=none constraint=false];
      "parsl.monitoring.block" -> "parsl.rundir.block" [label="1" color="#2060c0" fontcolor="#2060c0" style=dashed dir=none constraint=false];
      "parsl.monitoring.executor" -> "parsl.rundir.executor" [label="2" color="#2060c0" fontcolor="#2060c0" style=dashed dir=none constraint=false];
      "parsl.monitoring.task" -> "parsl.rundir.task" [label="198" color="#2060c0" fontcolor="#2060c0" style=dashed dir=none constraint=false];
      "parsl.monitoring.try" -> "parsl.rundir.try" [label="228" color="#2060c0" fontcolor="#2060c0" style=dashed dir=none constraint=false];
      "parsl.monitoring.workflow" -> "parsl.rundir.workflow" [label="1" color="#2060c0" fontcolor="#2060c0" style=dashed dir=none constraint=false];
      "parsl.monitoring.task" -> "parsl.monitoring.task" [label="106" color="#c04020" fontcolor="#c04020" style=dotted penwidth=1.6 constraint=false];
      "parsl.rundir.task" -> "parsl.rundir.task" [label="106" color="#c04020" fontcolor="#c04020" style=dotted penwidth=1.6 constraint=false];
      legend [shape=none style="" fontsize=10 label=<<table border="1" color="#c0c0c0" cellborder="0" cellspacing="1">
          <tr><td><font color="#404040">&#9472;&#9472;&#9472;&#9654;</font></td><td align="left">contains</td></tr>
          <tr><td><font color="#2060c0">&#8211; &#8211; &#8211; &#8211;</font></td><td align="left">is another view of</td></tr>
          <tr><td><font color="#c04020">&#183; &#183; &#183; &#183;&#9654;</font></td><td align="left">waited for</td></tr>
          <tr><td colspan="2">numbers: pairs of spans</td></tr></table>>];
  }
  $ spanloom graph worker | grep -v '^ *\(graph\|node\|edge\) '
  digraph spanloom {
      "parsl.executor.htex.worker" [label="parsl.executor.\nhtex.worker\n2 spans"];
      "parsl.executor.htex.worker.task" [label="parsl.executor.\nhtex.worker.task\n220 spans"];
      "parsl.executor.htex.worker" -> "parsl.executor.htex.worker.task" [label="220" color="#404040" fontcolor="#404040"];
      legend [shape=none style="" fontsize=10 label=<<table border="1" color="#c0c0c0" cellborder="0" cellspacing="1">
          <tr><td><font color="#404040">&#9472;&#9472;&#9472;&#9654;</font></td><td align="left">contains</td></tr>
          <tr><td colspan="2">numbers: pairs of spans</td></tr></table>>];
  }
  $ spanloom graph --run 000 | grep -c -- '->'
  30
  $ spanloom graph -o x.dot && spanloom graph --format dot | cmp - x.dot

Graphviz draws it:

  $ spanloom graph -o x.svg && grep -c '</svg>' x.svg
  1
  $ spanloom graph --format svg worker | grep -o '<svg '
  <svg 
  $ spanloom graph --output x.png && head -c 4 x.png | tail -c 3
  PNG (no-eol)
  $ mkdir bin && ln -s "$(command -v spanloom)" bin/ && PATH=$PWD/bin spanloom graph -o y.svg
  spanloom: graphviz is needed to draw it (FILE.dot needs none): cannot run dot: No such file or directory
  [1]

Mistakes:

  $ spanloom graph -o x.jpeg
  spanloom: -o x.jpeg: known are dot, svg, png and pdf
  try: spanloom graph --help
  [2]
  $ spanloom graph --format csv
  spanloom: --format csv: known are dot, svg, png and pdf
  try: spanloom graph --help
  [2]
  $ spanloom graph -o no/such/folder/x.dot
  spanloom: no/such/folder/x.dot: cannot be written: No such file or directory
  [1]
  $ spanloom graph no.such.type
  spanloom: no span has the type no.such.type; see what there is with: spanloom types -d spanloom.db
  [1]
  $ spanloom graph --run 111
  spanloom: no run is called 111; see them with: spanloom runs -d spanloom.db
  [1]
