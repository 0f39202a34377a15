-- SPDX-License-Identifier: Apache-2.0
-- What cmd_sql.c asks of the store.

-- name: dot
SELECT type, name
FROM sqlite_schema
WHERE type IN ('table', 'view')
ORDER BY type DESC, name;
