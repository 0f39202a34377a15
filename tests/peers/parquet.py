#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""to_parquet(): what pyarrow reads of it is what the views say."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import EXAMPLE, check, equal, imported, main, path, test  # noqa: E402
import peers  # noqa: E402
from pythons import PACKAGES  # noqa: E402

READ = r"""
import sys, spanloom
from pyarrow import parquet
db = spanloom.open(sys.argv[1])
db.to_parquet(sys.argv[2])
db.to_parquet(sys.argv[2]) # again
for table in ("spans", "events", "links", "attributes", "samples", "sources"):
    read = parquet.read_table(f"{sys.argv[2]}/{table}.parquet")
    names = [n for n in read.column_names if n != "number"]
    got = list(zip(*(read.column(n).to_pylist() for n in names)))
    want = db.execute(f"SELECT {', '.join(names)} FROM {table}").fetchall()
    at = names.index("value") if "value" in names else -1
    if at >= 0:
        numbers = read.column("number").to_pylist()
        assert [n for n, row in zip(numbers, want) if not isinstance(row[at], str)] == [row[at] for row in want if not isinstance(row[at], str)]
        assert all(n is None for n, row in zip(numbers, want) if isinstance(row[at], str))
        text = lambda v: v if isinstance(v, str) else db.execute("SELECT CAST(? AS TEXT)", (v,)).fetchone()[0]
        want = [(*row[:at], text(row[at]), *row[at + 1:]) for row in want]
    assert got == want, (table, got[:2], want[:2])
    print(table, len(got))
"""


@test
def the_example():
    store = imported(EXAMPLE).store
    r = subprocess.run([peers.python(), "-c", READ, store, path("tables")], capture_output=True, text=True,
                       env={**os.environ, "PYTHONPATH": PACKAGES})
    check(r.returncode == 0, r.stderr[-2000:])
    equal(sorted(os.listdir(path("tables"))), sorted(f"{t}.parquet" for t in ("spans", "events", "links", "attributes", "samples", "sources")))
    check("spans 1527\n" in r.stdout and "samples 3130\n" in r.stdout, r.stdout)


peers.needs("pyarrow")
main()
