-- SPDX-License-Identifier: Apache-2.0
-- What profile.c asks of the store.

-- name: tops
WITH p AS (SELECT s.id, s.key, CAST(substr(s.key, instr(s.key, '@') + 1) AS INTEGER) AS began FROM sl_name n JOIN
    sl_span s ON s.type = n.id WHERE n.name = 'trace.process' AND NOT EXISTS (SELECT 1 FROM sl_link l WHERE l.kind
    = SL_IN AND l.right_span = s.id))
SELECT count(*), (SELECT CASE WHEN (SELECT count(*) FROM p o WHERE substr(o.key, 1, instr(l.key, '@')) =
    substr(l.key, 1, instr(l.key, '@'))) = 1 THEN substr(l.key, 1, instr(l.key, '@')) ELSE l.key END FROM (SELECT key
    FROM p ORDER BY began DESC, id DESC LIMIT 1) l)
FROM p;

-- name: async
SELECT name, spans, total_s, ran_s, waited_s, mean_s, max_s
FROM async_profile(?1);
