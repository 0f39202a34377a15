-- SPDX-License-Identifier: Apache-2.0
-- What outline.c asks of the store.

-- name: outlines
SELECT s.id, s.parent, s.type, s.alike
FROM sl_exported x
CROSS JOIN sl_span s ON s.id = x.id
ORDER BY x.id;

-- Facets are no cause.  All are read, or those of a part looked up.

-- name: causes
SELECT kind, left_span, right_span
FROM sl_link
WHERE kind <> SL_FACET;

-- name: causes_of_part
SELECT l.kind, l.left_span, l.right_span
FROM sl_exported x
CROSS JOIN sl_link l ON l.left_span = x.id
WHERE l.kind <> SL_FACET;

-- What spans are called by.

-- name: called
SELECT span, shape, vals
FROM sl_attr
ORDER BY span, shape, source, place;

-- name: called_of_part
SELECT a.span, a.shape, a.vals
FROM sl_exported x
CROSS JOIN sl_attr a ON a.span = x.id
ORDER BY x.id, a.shape, a.source, a.place;

-- name: called_alike
SELECT id, shape, vals
FROM sl_alike
ORDER BY id;

-- name: keys
SELECT s.id, s.type, s.key
FROM sl_exported x
CROSS JOIN sl_span s ON s.id = x.id
ORDER BY x.id;
