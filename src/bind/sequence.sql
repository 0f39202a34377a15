-- SPDX-License-Identifier: Apache-2.0
-- What sequence.c asks of the store.

-- name: bind_sequence
INSERT OR IGNORE INTO sl_doubt (left_span, kind, right_span, rule)
VALUES (?%d, %d, ?%d, %lld);
