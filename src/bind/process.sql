-- SPDX-License-Identifier: Apache-2.0
-- What process.c asks of the store.

-- name: bind_processes
SELECT EXISTS (SELECT 1 FROM sl_span s WHERE s.type = (SELECT id FROM sl_name WHERE name = 'trace.process'));
