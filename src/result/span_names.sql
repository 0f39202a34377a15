-- SPDX-License-Identifier: Apache-2.0
-- What span_names.c asks of the store.

-- name: span_name
SELECT n.name, s.key, s.parent
FROM sl_span s
JOIN sl_name n ON n.id = s.type
WHERE s.id = ?;
