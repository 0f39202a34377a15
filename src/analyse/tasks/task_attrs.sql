-- SPDX-License-Identifier: Apache-2.0
-- What task_attrs.c asks of the store; of a part of it, ?2 is the list of its spans.

-- name: keys
-- Of spans of some types, a JSON list; an index has all of it.
SELECT sl_query_each(?1, s.id, s.key)
FROM sl_name n CROSS JOIN sl_span s ON s.type = n.id
WHERE n.name IN (SELECT value FROM json_each(?2));

-- name: these_keys
SELECT sl_query_each(?1, id, key)
FROM sl_span
WHERE id IN (SELECT value FROM json_each(?2));

-- name: numbers
-- An index has all of it.
SELECT sl_query_each(?1, s.id, CAST(s.key AS INTEGER))
FROM sl_role r CROSS JOIN sl_name n ON n.name = r.type CROSS JOIN sl_span s ON s.type = n.id
WHERE r.role = 'attempt';

-- name: these_numbers
SELECT sl_query_each(?1, s.id, CAST(s.key AS INTEGER))
FROM json_each(?2) j CROSS JOIN sl_span s ON s.id = j.value
WHERE s.type IN (
  SELECT n.id
  FROM sl_role r JOIN sl_name n ON n.name = r.type
  WHERE r.role = 'attempt');

-- name: shapes
SELECT sl_query_each(?1, id, pos, name) FROM sl_shape;

-- name: said
SELECT sl_query_each(?1, span, shape, vals)
FROM sl_attr NOT INDEXED;

-- name: these_said
SELECT sl_query_each(?1, a.span, a.shape, a.vals)
FROM json_each(?2) j CROSS JOIN sl_attr a ON a.span = j.value;

-- name: alike
SELECT sl_query_each(?1, s.id, a.shape, a.vals)
FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM sl_alike))
  CROSS JOIN sl_span s NOT INDEXED
  CROSS JOIN sl_alike a ON a.id = s.alike;

-- name: these_alike
SELECT sl_query_each(?1, s.id, a.shape, a.vals)
FROM json_each(?2) j CROSS JOIN sl_span s ON s.id = j.value CROSS JOIN sl_alike a ON a.id = s.alike;

-- name: extract
SELECT json_extract(?1, '$[' || ?2 || ']');
