-- SPDX-License-Identifier: Apache-2.0
-- What file.c asks of the store.

-- name: are_facets
SELECT EXISTS (
    SELECT 1
    FROM sl_link
    WHERE kind = SL_FACET AND left_span IN (%lld, %lld) AND right_span IN (%lld, %lld));

-- name: place_all
SELECT w.span, s.path
FROM sl_written w JOIN sl_source s ON s.id = w.source
WHERE s.replaced_by IS NULL
ORDER BY s.path, w.span;

-- name: bind_files
CREATE TEMP TABLE sl_writer AS
SELECT replace(path, rtrim(path, replace(path, '/', '')), '') AS name, path, span, of_type
FROM sl_wrote;
CREATE INDEX temp.sl_writer_name ON sl_writer (name)
-- name: insert_doubt
INSERT OR IGNORE INTO sl_doubt (left_span, kind, right_span, rule)
VALUES (?2, SL_IN, ?1, %lld);

-- name: bind_files_2
SELECT w.path, w.span, ifnull(w.of_type, 0)
FROM temp.sl_writer w JOIN sl_span s ON s.id = w.span JOIN sl_name n ON n.id = s.type
WHERE w.name = ?1
ORDER BY n.name, w.span;

-- name: bind_files_3
SELECT s.id, min(e.time_ns) / 1e9, max(e.time_ns) / 1e9
FROM sl_span s LEFT JOIN sl_event e ON e.span = s.id
WHERE s.parent = ?1 AND s.type = ?2
GROUP BY s.id
ORDER BY 2, CAST(s.key AS INTEGER), s.key;

-- name: bind_files_4
SELECT min(t) / 1e9, max(t) / 1e9
FROM (
    SELECT time_ns AS t
    FROM sl_event
    WHERE span = ?1
    UNION ALL
    SELECT time_ns
    FROM sl_sample
    WHERE span = ?1
    UNION ALL
    SELECT e.time_ns
    FROM sl_span s JOIN sl_event e ON e.span = s.id
    WHERE s.parent = ?1
    UNION ALL
    SELECT e.time_ns
    FROM sl_span s JOIN sl_sample e ON e.span = s.id
    WHERE s.parent = ?1);
