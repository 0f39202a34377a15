-- SPDX-License-Identifier: Apache-2.0
-- What kept.c asks of the store. The table is made by the first prediction that is checked.

-- name: make
CREATE TABLE IF NOT EXISTS sl_prediction (
  script TEXT,
  run TEXT NOT NULL,
  later TEXT NOT NULL,
  changes TEXT NOT NULL,
  said_ns INTEGER NOT NULL,
  came_ns INTEGER NOT NULL,
  PRIMARY KEY (run, later)
) STRICT;

-- name: keep
INSERT OR REPLACE INTO sl_prediction
VALUES (
  (
    SELECT value
    FROM attributes
    WHERE span = ?1 AND name = 'workflow_name'),
  ?2, ?3, ?4, ?5, ?6);

-- name: kept
-- How far off predictions of the script were, the least first.
SELECT abs(1.0 * said_ns / came_ns - 1)
FROM sl_prediction
WHERE script IS (
    SELECT value
    FROM attributes
    WHERE span = (SELECT workflow FROM temp.run) AND name = 'workflow_name')
ORDER BY 1;
