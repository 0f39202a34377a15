-- SPDX-License-Identifier: Apache-2.0
-- What runs.c asks of the store.

-- name: experiments
SELECT s.id, s.key
FROM sl_span s
WHERE s.type = (SELECT id FROM sl_name WHERE name = 'experiment')
ORDER BY s.key;

-- name: about
-- What is said of experiment ?1, as it was written.
SELECT f.name, json_extract(a.vals, f.path)
FROM sl_attr a JOIN sl_shape f ON f.id = a.shape
WHERE a.span = ?1
ORDER BY (
    SELECT json_extract(a.vals, w.path)
    FROM sl_shape w
    WHERE w.id = a.shape AND w.name = 'written'),
  a.source, a.place, f.pos;

-- name: shapes
-- The columns of its runs, in the order of the files.
SELECT f.id, f.pos, f.name
FROM sl_shape f
WHERE f.id IN (
  SELECT a.shape
  FROM sl_span s JOIN sl_attr a ON a.span = s.id
  WHERE s.parent = ?1)
ORDER BY f.id, f.pos;

-- name: runs
-- %lld: the experiment; %s: which of them.
SELECT sl_query_each(?1, id, time_ns, shape, vals, key)
FROM (
    SELECT s.id AS id,
      (SELECT min(time_ns) FROM sl_event e WHERE e.span = s.id) AS time_ns,
      a.shape AS shape, a.vals AS vals, s.key AS key
    FROM sl_span s JOIN sl_attr a ON a.span = s.id
    WHERE s.parent = %lld AND s.type = (SELECT id FROM sl_name WHERE name = 'experiment.run')%s
    ORDER BY s.id);
