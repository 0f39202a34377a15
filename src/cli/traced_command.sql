-- SPDX-License-Identifier: Apache-2.0
-- What traced_command.c asks of the store.

-- name: processes
SELECT s.id
FROM sl_name t
JOIN sl_span s ON s.type = t.id
JOIN sl_source f ON f.id = s.source
WHERE t.name = 'trace.process' AND substr(f.path, 1, length(?1) + 1) = ?1 || '/';
