-- SPDX-License-Identifier: Apache-2.0
-- What campaign.c asks of the store.

-- name: find
SELECT s.id
FROM sl_span s
JOIN sl_name n ON n.id = s.type
WHERE n.name = 'campaign' AND s.key = %Q AND s.parent IS NULL;

-- name: bind_campaign
INSERT OR IGNORE INTO sl_source (id, path, recipe, component)
VALUES (0, '(SQL)', 'sql', 'sql');
INSERT INTO sl_span (id, type, key, source)
VALUES (
  1 + max(ifnull((SELECT max(id) FROM sl_span), 0), ifnull((SELECT max(id) FROM sl_ghost), 0)),
  % lld,
  % Q,
  0)

-- name: insert_link
INSERT OR IGNORE INTO sl_link (left_span, kind, right_span, rule)
SELECT ?1, SL_IN, r.root, ?3
FROM sl_root r
WHERE r.source = ?2
  AND r.weak IS NULL
  AND r.root <> ?1
  AND NOT EXISTS (
    SELECT 1
    FROM sl_link l JOIN sl_span s ON s.id = l.right_span AND s.parent IS NULL
    WHERE l.left_span = r.root AND l.kind = SL_IN AND l.confidence IS NULL);

-- name: bind_drop_campaign
DELETE FROM sl_link
WHERE left_span = %lld OR right_span = %lld;
DELETE FROM sl_span
WHERE id = %lld
