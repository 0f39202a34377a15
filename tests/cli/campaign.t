# SPDX-License-Identifier: Apache-2.0
Runs as parts of a campaign.  More of it is in tests/faults/campaign.py.

  $ data="$ROOT/tests/data"
  $ spanloom import --quiet --campaign spring "$data/parsl-2026-threads"
  $ spanloom import --quiet "$data/parsl-2026-nomonitoring"
  $ spanloom links | grep campaign
  spanloom: this is of 2 runs together; of one alone with --run: parsl-2026-threads, parsl-2026-nomonitoring
  parsl.monitoring.workflow             in     campaign                              campaign                           1         0         1.0
  parsl.rundir.workflow                 in     campaign                              campaign                           1         0         1.0
  $ spanloom import --campaign spring "$data/parsl-2026-nomonitoring" | sed 's/, [0-9.]* s$//'
  spanloom.db: 0 new spans, 0 events from 0 files (8 known already)
  $ spanloom links | grep campaign
  spanloom: this is of 2 runs together; of one alone with --run: parsl-2026-threads, parsl-2026-nomonitoring
  parsl.monitoring.workflow             in     campaign                              campaign                           1         0         1.0
  parsl.rundir.workflow                 in     campaign                              campaign                           2         0         1.0
  $ spanloom sequences campaign | head -1
  spanloom: this is of 2 runs together; of one alone with --run: parsl-2026-threads, parsl-2026-nomonitoring
  There is 1 ordering of events below 1 span of type campaign
  $ spanloom show campaign spring | head -5
  campaign spring  (span 110)
  
  contexts (= is another view of the same thing):
    campaign spring
      parsl.monitoring.workflow 24792d53-056c-4365-9d65-d19c375da1bd
  $ spanloom unbind --campaign autumn
  spanloom: no campaign is called autumn; see them with: spanloom sql "select key from spans where type = 'campaign'"
  [1]
  $ spanloom unbind --campaign spring
  campaign spring: its runs are on their own again
  $ spanloom links | grep campaign
  spanloom: this is of 2 runs together; of one alone with --run: parsl-2026-threads, parsl-2026-nomonitoring
  [1]
  $ spanloom types | grep rundir.workflow
  spanloom: this is of 2 runs together; of one alone with --run: parsl-2026-threads, parsl-2026-nomonitoring
  parsl.rundir.workflow                     2
