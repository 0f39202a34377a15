-- SPDX-License-Identifier: Apache-2.0
-- What near.c asks of the store.

-- name: events
SELECT DISTINCT name
FROM sl_seen
JOIN sl_name ON id = what
WHERE kind = 1
ORDER BY 1;

-- name: events_of_types
SELECT n.name || '/' || m.name
FROM sl_seen s
JOIN sl_name n ON n.id = s.type
JOIN sl_name m ON m.id = s.what
WHERE kind = 1
ORDER BY 1;
