-- SPDX-License-Identifier: Apache-2.0
-- What resolve.c asks of the store.

-- name: correct_assumed
SELECT id, root, offset_s, how = 'assumed', (SELECT min(time_ns) FROM sl_event WHERE span = root)
FROM sl_zone
WHERE how IN ('assumed', 'given');

-- name: learned_offsets
SELECT (SELECT min(offset_s) FROM sl_zone WHERE how NOT IN ('assumed', 'given')),
  (SELECT max(offset_s) FROM sl_zone WHERE how NOT IN ('assumed', 'given'));

-- name: delete_event
DELETE FROM sl_event WHERE zone = %u;
DELETE FROM sl_sample WHERE zone = %u;
DELETE FROM sl_zone WHERE id = %u
