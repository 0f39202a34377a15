# SPDX-License-Identifier: Apache-2.0
What to type, and what happens if it is something else.

  $ spanloom --version
  spanloom 0.1.0
  $ spanloom --help
  Spanloom: where the time of a workflow went, across every component at once.
  
  usage: spanloom COMMAND [options] [arguments]
  
  commands:
   to begin with:
    import         read logs and databases into the store
    why            why a workflow took so long, and what each cause cost
    plan           which changes make a run faster, in which order
    report         all of a run, or of two, as a page that needs nothing else
    serve          the report of all runs in a browser, live, with a box for SQL
    failures       what failed, by exception, app and host, and what that cost
    runs           which runs the store holds, and what --run calls them
   where the time went:
    critical-path  what made a workflow as long as it was, every second of it
    what-if        how long it would have taken, with more workers or faster parts
    sequences      where the time of a typical span of a type went, event by event
    durations      how long from one event to another, over all spans of a type
    states         how many spans were in which state, over time
    rate           how often something happened, over time
    utilisation    how many workers there were, and were busy
    skew           how far clocks of components are off, by their messages
    diff           what changed from one run to another, and where
   spans and events:
    info           what the store holds
    types          the types of spans, one a line
    show           the whole path of one span through every component
    events         every event and log line of all spans of a type
    links          what rules have linked, and where they are in doubt
    graph          which types of spans belong to which, as a picture
    sql            ask your own question (without a query: a shell)
    plot           a picture: interactive (html), svg, pdf, png, or its data
    export         stores and traces for Perfetto, Chrome, OTLP, MLflow ...
   programs and nodes:
    run            run a command, trace it and show where its time went
    trace          run a Python script and show where its functions took time
    profile        which functions of traced programs took the time
    flags          what to add when compiling a program that is to be traced
    monitor        watch a node: CPU, memory, disk, network, GPUs, and a command
    metrics        one value a node: how busy its CPUs were, memory, disk, network
    usage          who used the CPUs, memory, disks and network of the nodes
   spans of shell scripts:
    span           a command as a span of this shell script
    begin          a span of this shell script begins
    end            the innermost span of this shell script ends
    event          something happened in this shell script
   many runs, on purpose:
    experiment     what treatments do to a score, from many runs
   what was read, and how:
    recipes        what formats are known; test your own
    rejects        records that a recipe claimed but could not use
    bind           link spans by a rule, without reading logs again
    unbind         take away the links of a rule
    forget         drop what a source asserted
  
  options of all commands:
    -d, --database FILE      the store (default: $SPANLOOM_DB, or spanloom.db)
    --format FORMAT          table, tsv, csv or json
    --wide                   cut nothing at the width of the terminal
    --color WHEN             auto (on a terminal), always or never
    --help                   this text
    --version                the version of this program
  
  first steps:
    spanloom why runinfo/          read a run, and why it took as long as it did
    spanloom import runinfo/       read everything below a Parsl run directory
    spanloom sequences             where the time of a typical task went
    spanloom show task 42          one task through every component
    spanloom critical-path         what made the run as long as it was
    spanloom run ./program         a program with spans in it, and its profile
    spanloom trace script.py       the same for the functions of a Python script
  
  more: spanloom COMMAND --help, and all of it: spanloom help COMMAND
  Functions of SQL are commands, too: spanloom functions lists them.
All of it fits a terminal:

  $ for c in '' $(spanloom --help | awk '/^commands:/{f=1;next}/^$/{f=0}f{print $1}'); do spanloom $c --help; done | awk 'length($0) > 80'
  spanloom: there is no command 'to'
  try: spanloom --help
  spanloom: there is no command 'where'
  try: spanloom --help
  spanloom: there is no command 'spans'; did you mean 'span'?
  try: spanloom --help
  spanloom: there is no command 'programs'
  try: spanloom --help
  spanloom: there is no command 'spans'; did you mean 'span'?
  try: spanloom --help
  spanloom: there is no command 'many'
  try: spanloom --help
  spanloom: there is no command 'what'; did you mean 'what-if' or 'why'?
  try: spanloom --help
  $ spanloom import --help
  usage: spanloom import [options] [PATH...]
  
  read logs and databases into the store
  
  options:
    --recipe FILE            also use this recipe (may be given more than once)
    --zone +HH:MM            what local times mean where no record tells (default:
                             this machine's zone)
    --campaign NAME          a name of what these runs are part of
    --jobs N                 reading threads (default: the processors)
    --set FIELD=VALUE        a field for all files, such as rundir=PATH
    --dry-run                only say which recipe would read what, and what
                             nothing claims
    --quiet                  no progress and no summary
    -d, --database FILE      the store (default: $SPANLOOM_DB, or spanloom.db)
    --format FORMAT          table, tsv, csv or json
    --wide                   cut nothing at the width of the terminal
    --color WHEN             auto (on a terminal), always or never
    --help                   this text
  
  more: spanloom help import

Each question of experiment has a help of its own, with an example and options that it takes.

  $ spanloom experiment scatter --help
  usage: spanloom experiment scatter [options] TREATMENT
  
  how often, and how far, one treatment helps, by another factor
  
  such as:
    spanloom experiment scatter cfg_poll_100 --colour cfg_1_worker
  
  options:
    --name NAME              the experiment, where the store has several
    --where CONDITION        only runs where this SQL holds: 'cfg_encrypted = 0'
    --split OLD=NEW,NEW      a factor that became several: old runs had all of
                             these, or none
    --rate                   scores as rates, such as tasks/s
    --log                    of -o: logarithmic axes
    --colour FACTOR|log2     split by this factor's level, or by after / before
    -o, --output FILE        instead, a picture: FILE.html, .svg, .png, .pdf or
                             .json (spanloom plot)
    -d, --database FILE      the store (default: $SPANLOOM_DB, or spanloom.db)
    --format FORMAT          table, tsv, csv or json
    --wide                   cut nothing at the width of the terminal
    --color WHEN             auto (on a terminal), always or never
    --help                   this text
  
  more: spanloom help experiment
  $ spanloom experiment --help scatter | head -1
  usage: spanloom experiment scatter [options] TREATMENT
  $ for q in $(spanloom experiment --help | sed -n '/^QUESTION is/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  >   spanloom experiment $q --help > help; awk 'length($0) > 80' help; grep "^usage: spanloom experiment $q " help | sed 's/.*/a usage/'
  >   sed -n '/^such as:/,/^$/p' help > example; grep -q "^  spanloom experiment $q" example || echo "$q: no example"
  >   for o in $(sed "s/'.*'//" example | grep -o -- ' -[a-z-]*'); do grep -q -- "^  \(-., \)\?$o[ ,]" help || echo "$q: $o"; done
  >   for o in $(sed -n '/^options:/,/--database/s/^  \(-o, \)\?\(--[a-z-]*\).*/\2/p' help); do spanloom experiment $q $o x -d none 2>&1 | grep 'has no option'; done
  > done | sort | uniq -c
       26 a usage
  $ spanloom experiment scatter --lambda 1
  spanloom: experiment scatter has no option --lambda
  try: spanloom experiment scatter --help
  [2]
  $ spanloom help types | head -3
  NAME
       spanloom-types - the types of spans, one a line
  

Exit status 2 for what was typed wrong:

  $ spanloom frobnicate
  spanloom: there is no command 'frobnicate'
  try: spanloom --help
  [2]
  $ spanloom import
  spanloom: import what? name a run directory, or files; or describe a project in spanloom.yaml
  try: spanloom import --help
  [2]
  $ spanloom import --zone Mars runinfo
  spanloom: --zone needs an offset such as +05:30, -06:00 or Z
  try: spanloom import --help
  [2]
  $ spanloom import --jobs none runinfo
  spanloom: --jobs needs a number from 1 up
  try: spanloom import --help
  [2]
  $ spanloom info --format xml
  spanloom: unknown format 'xml'; known: table, tsv, csv, json
  try: spanloom info --help
  [2]
  $ spanloom info --colour
  spanloom: unknown option --colour; did you mean '--color'?
  try: spanloom info --help
  [2]
  $ spanloom --vresion
  spanloom: unknown option --vresion; did you mean '--version'?
  try: spanloom --help
  [2]
  $ spanloom --format json
  spanloom: a command is missing behind --format
  try: spanloom --help
  [2]
  $ spanloom -d store.db
  spanloom: a command is missing behind -d
  try: spanloom --help
  [2]
  $ spanloom why --rnu 003
  spanloom: unknown option --rnu; did you mean '--run'?
  try: spanloom why --help
  [2]
  $ spanloom info more
  spanloom: info takes no arguments, but was given more
  try: spanloom info --help
  [2]

A closed pipe is no error:

  $ spanloom import --quiet "$ROOT/examples/parsl-htex/runinfo"
  $ spanloom sql "select * from events" | head -1 | cut -c1-4
  span
  $ (spanloom sql "select * from events"; echo "exit $?" >&2) | true
  exit 0
