-- SPDX-License-Identifier: Apache-2.0
-- What workflow.c asks of the store.

-- name: tables
CREATE TEMP TABLE sl_role AS SELECT *
FROM main.sl_role;
CREATE TEMP TABLE sl_state AS SELECT *
FROM main.sl_state;
CREATE TEMP TABLE sl_handover AS SELECT *
FROM main.sl_handover
