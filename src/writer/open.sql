-- SPDX-License-Identifier: Apache-2.0
-- What open.c asks of the store.

-- name: load_spans
SELECT id, type, key, parent, 1, source
FROM sl_span
UNION ALL
SELECT id, type, key, parent, 0, NULL
FROM sl_ghost
ORDER BY id;

-- name: load_zones
SELECT id, root, ifnull(since_ns, 0), offset_s, how, ifnull(until_ns, 0)
FROM sl_zone
ORDER BY root, since_ns;

-- name: load_weak
SELECT w.left_span, w.kind, w.right_span, n.name, w.source, w.place, w.weak
FROM sl_weak w
JOIN sl_name n ON n.id = w.rule;

-- name: load_facets
SELECT left_span, right_span
FROM sl_link
WHERE kind = SL_FACET;
