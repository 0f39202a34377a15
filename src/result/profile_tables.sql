-- SPDX-License-Identifier: Apache-2.0
-- What profile.c asks of the store.

-- name: tops
WITH
  p AS (
    SELECT s.id, s.key, CAST(substr(s.key, instr(s.key, '@') + 1) AS INTEGER) AS began
    FROM sl_name n JOIN sl_span s ON s.type = n.id
    WHERE n.name = 'trace.process'
      AND NOT EXISTS (SELECT 1 FROM sl_link l WHERE l.kind = SL_IN AND l.right_span = s.id))
SELECT count(*),
  (
    SELECT CASE
        WHEN (
            SELECT count(*)
            FROM p o
            WHERE substr(o.key, 1, instr(l.key, '@')) = substr(l.key, 1, instr(l.key, '@'))) = 1
          THEN substr(l.key, 1, instr(l.key, '@'))
        ELSE l.key
      END
    FROM (SELECT key FROM p ORDER BY began DESC, id DESC LIMIT 1) l)
FROM p;

-- name: async
SELECT name, spans, total_s, ran_s, waited_s, mean_s, max_s
FROM async_profile(?1);

-- name: short
SELECT json_extract(r.json, '$.name'),
  sum(json_extract(r.json, '$.short_calls')),
  sum(json_extract(r.json, '$.short_ns')) / 1e9
FROM sl_raw r
WHERE EXISTS (
  SELECT 1
  FROM sl_name n JOIN sl_span s ON s.type = n.id JOIN attributes a ON a.span = s.id
  WHERE n.name = 'trace.process' AND a.name = 'min_duration_ns')
  AND (?1 IS NULL OR r.span IN (SELECT d.span FROM json_each(?1) w, descendants(w.value) d))
  AND json_extract(r.json, '$.short_calls') > 0
GROUP BY 1
ORDER BY 3 DESC, 1;
