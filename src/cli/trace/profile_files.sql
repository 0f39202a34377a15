-- SPDX-License-Identifier: Apache-2.0
-- What profile_files.c asks of the scratch store.

-- name: relations
-- A process, the one that it lies in, and when it began (of a shell the kernel says it in
-- hundredths of a second).
SELECT p.key,
  (
    SELECT coalesce(process.key, thread.key, s.key)
    FROM sl_link l
      JOIN sl_span s ON s.id = l.left_span
      LEFT JOIN sl_span thread ON thread.id = s.parent
      LEFT JOIN sl_span process ON process.id = thread.parent
    WHERE l.kind = SL_IN AND l.right_span = p.id
    LIMIT 1),
  p.start,
  p.start
    + iif(EXISTS (
        SELECT 1
        FROM attributes a
        WHERE a.span = p.id AND a.name = 'start_ticks'),
      10000000,
      0),
  p.end
FROM (
    SELECT s.id, s.key,
      coalesce((
          SELECT min(e.time_ns)
          FROM events e
          WHERE e.span = s.id AND e.type = 'begin'),
        CAST(substr(s.key, instr(s.key, '@') + 1) AS INTEGER)) AS start,
      (
        SELECT max(e.time_ns)
        FROM events e
        WHERE e.span = s.id AND e.type = 'end') AS end
    FROM sl_name n JOIN sl_span s ON s.type = n.id
    WHERE n.name = 'trace.process') p;
