#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""df(): what sqlite3 gives, as frames of pandas and polars, with types that people expect."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from pythons import *  # noqa: E402
import peers  # noqa: E402

for _name in "pandas", "polars":
    peers.needs(_name)

BEGIN = """
import sqlite3
import spanloom
db = spanloom.open("spanloom.db")

def same(sql, *parameters):
    cursor = db.execute(sql, *parameters)
    names, rows = [d[0] for d in cursor.description], cursor.fetchall()
    frame = db.df(sql, *parameters, library=LIBRARY)
    assert type(frame).__module__.split(".")[0] == LIBRARY, type(frame)
    assert list(frame.columns) == names, frame.columns
    got = as_rows(frame)
    assert len(got) == len(rows), (sql, len(got), len(rows))
    for a, b in zip(got, rows):
        assert a == b and [type(x) for x in a] == [type(x) for x in b] or is_float(a, b), (sql, a, b)
    return {n: str(t) for n, t in zip(names, frame.dtypes)}

def is_float(a, b):
    return all(x == y and {type(x), type(y)} == {int, float} or x == y and type(x) is type(y) for x, y in zip(a, b))
"""
ROWS = {
    "pandas": """
LIBRARY = "pandas"
def as_rows(frame):
    import pandas
    return [tuple(None if x is None or x is pandas.NA or x != x else x.item() if hasattr(x, "item") else x for x in row)
            for row in frame.itertuples(index=False, name=None)]
""",
    "polars": """
LIBRARY = "polars"
def as_rows(frame):
    return frame.rows()
"""}


def with_frames(source, library=None, **more):
    """By the Python that has both."""
    write(path("prog.py"), BEGIN + ROWS.get(library, "") + source)
    return run(peers.python(), "prog.py", env={"PYTHONPATH": PACKAGES, "PYTHONDONTWRITEBYTECODE": "1"}, **more)


@cases("pandas", "polars")
def columns_have_types(library):
    imported(EXAMPLE)
    with_frames("""
text = {"pandas": ("object", "str", "string"), "polars": ("String",)}[LIBRARY]
integer, nullable, real = ("int64", "Int64", "float64") if LIBRARY == "pandas" else ("Int64", "Int64", "Float64")

t = same("SELECT * FROM events LIMIT 5000")
assert t["time_ns"] == t["span"] == integer and t["type"] in text, t
t = same("SELECT id, type, key, parent, note FROM spans ORDER BY id")  # roots have no parent
assert (t["id"], t["parent"]) == (integer, nullable) and t["key"] in text, t
t = same("SELECT * FROM two_events('submitted', 'exec_done', 'parsl.rundir.task')")
assert t["duration_s"] == real, t
t = same("SELECT 1795162291245856001 AS time_ns UNION ALL SELECT NULL")  # a float would not do
assert t["time_ns"] == nullable, t
t = same("SELECT 1 AS a, 2.5 AS b, x'00ff' AS c, 'ü' AS d, NULL AS e UNION ALL SELECT 2.5, NULL, NULL, NULL, NULL")
assert t["a"] == t["b"] == real, t
assert same("SELECT :x AS x, :y AS y", {"x": 2 ** 63 - 1, "y": -2 ** 63}) == {"x": integer, "y": integer}
assert same("SELECT ? AS x", (1e300,)) == {"x": real}

empty = same("SELECT time_ns, type, span, 1.0 AS took_s, time_ns AS since_ns FROM events WHERE 0")
assert (empty["time_ns"], empty["since_ns"], empty["took_s"]) == (integer, integer, real), empty
""", library)


@cases("pandas", "polars")
def texts_and_numbers_in_one_column(library):
    imported(EXAMPLE)
    with_frames("""
sql = "SELECT 1 AS value UNION ALL SELECT 'x' UNION ALL SELECT 2.5 UNION ALL SELECT NULL UNION ALL SELECT x'41'"
got = list(db.df(sql, library=LIBRARY)["value"])
want = [1, "x", 2.5, None, b"A"] if LIBRARY == "pandas" else ["1", "x", "2.5", None, "A"]
assert got == want, got
frame = db.df("SELECT name, value FROM attributes", library=LIBRARY)
assert len(frame) > 1000, frame
""", library)


@cases("pandas", "polars")
def names_that_come_twice(library):
    imported(EXAMPLE)
    with_frames("""
frame = db.df("SELECT 1 AS a, 2 AS a, 3 AS a_2, 4 AS a", library=LIBRARY)
assert list(frame.columns) == ["a", "a_2", "a_2_2", "a_3"], frame.columns
assert as_rows(frame) == [(1, 2, 3, 4)]
db.row_factory = sqlite3.Row
assert as_rows(db.df("SELECT 1 AS a", library=LIBRARY)) == [(1,)]
try:
    spanloom.open("spanloom.db", mode="rw").df("CREATE TABLE mine (a)", library=LIBRARY)
except ValueError as e:
    assert "no result" in str(e), e
else:
    raise SystemExit("no error")
""", library)


@test
def the_library_that_is_there():
    imported(EXAMPLE)
    for hidden, want in ("", "pandas"), ("pandas", "polars"), ("polars", "pandas"):
        r = with_frames(f"""
import sys
sys.modules.update(dict.fromkeys({hidden.split()!r}))
print(type(db.df("SELECT 1 AS a")).__module__.split(".")[0])
""")
        equal(r.out.strip(), want)


@cases("pandas", "polars")
def answers_become_frames(library):
    imported(EXAMPLE)
    with_frames("""
import importlib
frame = importlib.import_module(LIBRARY).DataFrame(db.show("task", 42))
assert len(frame) > 10 and str(frame["time_ns"].dtype) in ("int64", "Int64"), frame.dtypes
frame = db.sequences(library=LIBRARY)
assert type(frame).__module__.split(".")[0] == LIBRARY, type(frame)
assert str(frame["mean_s"].dtype) in ("float64", "Float64"), frame.dtypes
""", library)


main()
