-- SPDX-License-Identifier: Apache-2.0
-- What diff_rows.c asks of the store.

-- name: table
CREATE TABLE t (what TEXT, from_type TEXT, from_event TEXT, to_type TEXT, to_event TEXT, component TEXT, state
    TEXT, events TEXT, n_a INTEGER, n_b INTEGER, median_a_s REAL, median_b_s REAL, change_s REAL, low_s REAL,
    high_s REAL, p95_a_s REAL, p95_b_s REAL, p95_change_s REAL, p95_low_s REAL, p95_high_s REAL, p99_a_s REAL,
    p99_b_s REAL, p99_change_s REAL, p99_low_s REAL, p99_high_s REAL);

-- name: diff_rows
INSERT INTO t
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
