-- SPDX-License-Identifier: Apache-2.0
-- What otlp.c asks of the store.

-- name: sampled
SELECT DISTINCT m.span
FROM sl_sample m
WHERE EXISTS (SELECT 1 FROM sl_exported WHERE id = m.span);

-- A metric after the other.

-- name: samples
SELECT DISTINCT time_ns, metric, value
FROM samples
WHERE span = ?1
ORDER BY metric, time_ns;
