#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""peer_profile.py polars|duckdb FILE: calls, total and self time of each function of a trace of begins and ends on one
thread, one JSON object a line, as `spanloom profile` has them; but that recursion counts several times in the total, and that
times are floating-point numbers, which are good to a quarter of a microsecond."""
import sys
import warnings

# Between two events the call at the top of the stack has the time: of those begun at this level, the last.
SQL = """
WITH e AS (SELECT row_number() OVER () AS i, name, ph, CAST(round(ts * 1000) AS BIGINT) AS ns FROM read_json('{file}',
    format = 'newline_delimited', columns = {{name: 'VARCHAR', ph: 'VARCHAR', ts: 'DOUBLE'}})),
d AS (SELECT *, sum(CASE ph WHEN 'B' THEN 1 ELSE -1 END) OVER (ORDER BY i) AS level, lead(ns) OVER (ORDER BY i) - ns AS dt FROM e),
w AS (SELECT name, ph, dt, last_value(CASE ph WHEN 'B' THEN name END IGNORE NULLS) OVER (PARTITION BY level ORDER BY i) AS top,
    lead(ns) OVER (PARTITION BY level + CASE ph WHEN 'B' THEN 0 ELSE 1 END ORDER BY i) - ns AS total FROM d),
own AS (SELECT top AS name, sum(dt) AS own FROM w WHERE top IS NOT NULL GROUP BY top)
SELECT name, count(*), sum(total), any_value(own) AS own FROM w JOIN own USING (name) WHERE ph = 'B' GROUP BY name ORDER BY own DESC
"""


def by_duckdb(file):
    import duckdb
    return duckdb.execute(SQL.format(file=file)).fetchall()


def by_polars(file):
    import polars as pl
    warnings.simplefilter("ignore")  # that it cannot check an order
    begins = pl.col("ph") == "B"
    calls = (pl.scan_ndjson(file, schema={"name": pl.String, "ph": pl.String, "ts": pl.Float64}).with_row_index("i")
             .with_columns(ns=(pl.col("ts") * 1000).round().cast(pl.Int64), depth=pl.when(begins).then(1).otherwise(-1).cum_sum() + pl.when(begins).then(0).otherwise(1))
             .with_columns(total=pl.col("ns").shift(-1).over("depth") - pl.col("ns"))
             .filter(begins & pl.col("total").is_not_null()).select("i", "name", "depth", "total"))
    above = calls.select("i", pl.col("depth") + 1, parent="i")
    below = calls.join_asof(above, on="i", by="depth").group_by("parent").agg(below=pl.col("total").sum())
    return (calls.join(below, left_on="i", right_on="parent", how="left").with_columns(own=pl.col("total") - pl.col("below").fill_null(0))
            .group_by("name").agg(pl.len(), pl.col("total").sum(), pl.col("own").sum()).sort("own", descending=True).collect().rows())


for row in {"polars": by_polars, "duckdb": by_duckdb}[sys.argv[1]](sys.argv[2]):
    print(*row, sep="\t")
