-- SPDX-License-Identifier: Apache-2.0
-- What changes.c asks of the store.

-- name: attribute
-- Of a span or of a facet of it.
SELECT value
FROM attributes
WHERE span IN (SELECT ?1 UNION ALL SELECT left_span FROM sl_link WHERE kind = SL_FACET AND right_span = ?1 UNION ALL
    SELECT right_span FROM sl_link WHERE kind = SL_FACET AND left_span = ?1) AND name = ?2;
