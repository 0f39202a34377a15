-- SPDX-License-Identifier: Apache-2.0
-- What analyses of time take spans and events for, as recipes/states.yaml and recipes of users say it.  Written anew at the
-- end of every import.

-- What spans of a type are: workflow, task, attempt, worker.
CREATE TABLE sl_role (
    type TEXT PRIMARY KEY,
    role TEXT NOT NULL
) WITHOUT ROWID;

-- What a task is doing after an event below it, until another event says otherwise.
CREATE TABLE sl_state (
    span_type TEXT NOT NULL,
    event_type TEXT NOT NULL,
    component TEXT,                 -- who has it then; NULL: who had it before
    state TEXT NOT NULL,
    kind TEXT NOT NULL,             -- depend (it waits for other tasks), wait (for a worker), run (on a worker), work, done
    rank INTEGER NOT NULL,          -- an attempt goes through states in this order; an earlier one that is told late is none
    again INTEGER NOT NULL DEFAULT 0, -- 1: told a second time of a span, it begins the order anew
    PRIMARY KEY (span_type, event_type)
) WITHOUT ROWID;

-- Handovers: a task's event here always follows that one there, whatever the logs' times say.  Clocks are judged by it.
CREATE TABLE sl_handover (
    from_type TEXT NOT NULL,
    from_event TEXT NOT NULL,       -- * is any
    to_type TEXT NOT NULL,
    to_event TEXT NOT NULL,
    PRIMARY KEY (from_type, from_event, to_type, to_event)
) WITHOUT ROWID;
