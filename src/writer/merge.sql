-- SPDX-License-Identifier: Apache-2.0
-- What merge.c asks of the store.

-- name: writer_redo
UPDATE sl_source SET replaced_by = id WHERE id = ?1;

-- name: writer_source_end
INSERT OR REPLACE INTO sl_source (id, path, part, recipe, component, bytes, mtime_ns, hash,
  context, imported_ns, records, used, skipped, rejected, recipe_hash, head, input)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
