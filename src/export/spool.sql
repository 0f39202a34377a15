-- SPDX-License-Identifier: Apache-2.0
-- What spool.c keeps, and asks of it.

-- name: schema
CREATE TABLE IF NOT EXISTS export (id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL UNIQUE,
  -- of where it goes and what it is
  uri TEXT NOT NULL,
  run_id TEXT,
  -- NULL: the run is still to be made
  ours INTEGER NOT NULL DEFAULT 0,
  experiment TEXT, experiment_id TEXT, name TEXT, artifact TEXT, content TEXT,
  tried INTEGER NOT NULL DEFAULT 0,
  -- a request may have arrived that we know nothing of
  artifact_sent INTEGER NOT NULL DEFAULT 0,
  done TEXT,
  -- when it was sent
  why TEXT
  -- or why the server would not have it
  );
CREATE TABLE IF NOT EXISTS metric (export INTEGER NOT NULL, key TEXT NOT NULL,
  step INTEGER NOT NULL, timestamp_ms INTEGER NOT NULL, value REAL NOT NULL,
  sent INTEGER NOT NULL DEFAULT 0,
  -- 1: yes, 2: in the batch at hand
  PRIMARY KEY (export, key, step, timestamp_ms)) WITHOUT ROWID;

-- name: put
INSERT INTO export (hash, uri, run_id, experiment, experiment_id, name, artifact, content)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);

-- name: put_metric
INSERT OR REPLACE INTO metric (export, key, step, timestamp_ms, value)
VALUES ((SELECT id FROM export WHERE hash = ?1), ?2, ?3, ?4, ?5);

-- name: next
SELECT id, hash, uri, run_id, experiment, experiment_id, name, artifact, ours, tried, artifact_sent
FROM export
WHERE done ISNULL AND why ISNULL AND id > ?1
ORDER BY id
LIMIT 1;

-- name: run
UPDATE export SET run_id = ?2, ours = ?3 WHERE id = ?1;

-- name: tried
UPDATE export SET tried = 1 WHERE id = ?1;

-- name: take_batch
UPDATE metric SET sent = 2
WHERE export = ?1
  AND (key, step, timestamp_ms) IN (
    SELECT key, step, timestamp_ms
    FROM metric
    WHERE export = ?1 AND sent <> 1
    LIMIT ?2);

-- name: batch
SELECT key, value, timestamp_ms, step
FROM metric
WHERE export = ?1 AND sent = 2;

-- name: batch_sent
UPDATE metric SET sent = 1 WHERE export = ?1 AND sent = 2;

-- name: there
UPDATE metric SET sent = 1
WHERE export = ?1
  AND key = ?2
  AND (step, timestamp_ms) IN (
    SELECT CAST(ifnull(json_extract(value, '$.step'), 0) AS INTEGER),
      CAST(json_extract(value, '$.timestamp') AS INTEGER)
    FROM json_each(?3, '$.metrics'));

-- name: key
SELECT min(key)
FROM metric
WHERE export = ?1 AND sent <> 1 AND key > ?2;

-- name: content
SELECT content FROM export WHERE id = ?1;

-- name: artifact_sent
UPDATE export SET artifact_sent = 1, content = NULL
WHERE id = ?1;

-- name: done
UPDATE export SET done = iif(?2 ISNULL, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), NULL),
  why = ?2, content = NULL
WHERE id = ?1;

-- name: forget_metrics
DELETE FROM metric WHERE export = ?1;

-- name: sent_before
SELECT 1 FROM export WHERE hash = ?1 AND done NOTNULL;

-- name: waits
SELECT 1 FROM export WHERE hash = ?1 AND why ISNULL;

-- name: refused_before
DELETE FROM export WHERE hash = ?1 AND why NOTNULL;
