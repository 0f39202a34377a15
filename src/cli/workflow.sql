-- SPDX-License-Identifier: Apache-2.0
-- What workflow.c asks of the store, and temporary tables of what recipes say today.

-- name: is_of_today
-- Does the store have the newest of the roles that our recipes declare?
SELECT EXISTS (SELECT 1 FROM sl_state) AND EXISTS (SELECT 1 FROM sl_role WHERE role = 'manager');

-- name: tables
CREATE TEMP TABLE sl_role AS SELECT *
FROM main.sl_role;
CREATE TEMP TABLE sl_state AS SELECT *
FROM main.sl_state;
CREATE TEMP TABLE sl_handover AS SELECT *
FROM main.sl_handover;

-- name: of_others
-- What other recipes declared, which were given when the store was made.
INSERT INTO temp.sl_role
SELECT * FROM main.sl_role
WHERE type NOT IN (SELECT type FROM temp.sl_role);
INSERT INTO temp.sl_state
SELECT * FROM main.sl_state
WHERE span_type NOT IN (SELECT span_type FROM temp.sl_state);
INSERT INTO temp.sl_handover
SELECT * FROM main.sl_handover
EXCEPT SELECT * FROM temp.sl_handover;
