-- SPDX-License-Identifier: Apache-2.0
-- What words.c asks of the store.

-- name: all_names
SELECT id, name
FROM sl_name
ORDER BY id;

-- name: components
SELECT id, component
FROM sl_source
ORDER BY id;

-- name: shapes
SELECT id, pos, name
FROM sl_shape
ORDER BY id, pos;

-- name: extract
SELECT json_extract(?1, '$[' || ?2 || ']');
