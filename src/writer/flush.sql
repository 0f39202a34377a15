-- SPDX-License-Identifier: Apache-2.0
-- What flush.c asks of the store.

-- name: flush_links
-- What a record says takes the place of what a binding made of it.
INSERT INTO sl_link (left_span, kind, right_span, rule, source, place, weak)
SELECT c0, c1, c2, c3, c4, c5, c6
FROM sl_rows
WHERE 1 ON CONFLICT DO UPDATE
SET rule = excluded.rule, source = excluded.source, place = excluded.place, weak = excluded.weak,
  confidence = NULL
WHERE confidence IS NOT NULL;

-- name: insert_link_also
INSERT OR IGNORE INTO sl_link_also (left_span, kind, right_span, source, rule, place, weak)
SELECT c0, c1, c2, c4, c3, c5, c6
FROM sl_rows CROSS JOIN sl_link l ON l.left_span = c0 AND l.kind = c1 AND l.right_span = c2
WHERE l.source <> c4;

-- name: flush_handles
-- The names are those of names_spans() in flush.c.
INSERT OR REPLACE INTO sl_handle (span, name, source, place, value)
SELECT c0, h.name, c2, c3, json_extract(c4, h.path)
FROM sl_rows
  CROSS JOIN sl_shape h
    ON h.id = c1
      AND h.name IN ('span_id', 'child_pid', 'flow_in', 'flow_out', 'parent_id', 'pid', 'ppid',
        'instance_path')
WHERE json_extract(c4, h.path) IS NOT NULL;

-- name: flush_values
INSERT OR IGNORE INTO sl_sample (span, shape, source, place, vals, time_ns, zone)
SELECT c0, c1, c2, c3, c4, c5, c6
FROM sl_rows;
