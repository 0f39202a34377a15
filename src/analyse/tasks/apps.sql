-- SPDX-License-Identifier: Apache-2.0
-- What apps.c asks of the store; %s: names, quoted, with commas between.

-- name: values
SELECT sl_query_each(?1, span, value)
FROM attributes
WHERE name IN (%s);

-- name: these_values
SELECT sl_query_each(?1, span, value)
FROM attributes
WHERE span IN (SELECT value FROM json_each(?2)) AND name IN (%s);
