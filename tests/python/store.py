#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spanloom.open(): stores from Python, on every Python that is here, against what the program prints of them."""
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from pythons import *  # noqa

BEGIN = """
import json, sqlite3, sys, threading, warnings
import spanloom
from spanloom import _store

def raised(kind, f, *args, **more):
    try:
        f(*args, **more)
    except kind as e:
        return str(e)
    raise SystemExit(f"no {kind.__name__} of {f} {args}")
"""

# What there is of pandas here: a frame is its columns.
FRAMES = """
import types
pandas = sys.modules["pandas"] = types.ModuleType("pandas")
pandas.Series, pandas.DataFrame = lambda values, dtype: values, dict
"""


_once = {}


def once(what, do):
    """What do() gives, which is the same for each Python."""
    if what not in _once:
        _once[what] = do()
    return _once[what]


def example():
    def made():
        with open(imported(EXAMPLE).store, "rb") as f:
            return f.read()
    return write(path("spanloom.db"), once("example", made))


def answer(store, *words):
    """What the program prints of it as JSON."""
    named = (store, *words) if words[0] == "why" else words  # its commands name the store
    return once(named, lambda: json.loads(spanloom(*words, "-d", store, "--format", "json").out))


def said(source, *args, version=None, **more):
    """What it prints as JSON, line by line."""
    return [json.loads(line) for line in script(BEGIN + source, *args, version=version, **more).out.splitlines()]


def documented():
    """The queries of docs/sql.md that `spanloom sql` runs."""
    with open(f"{ROOT}/docs/sql.md", encoding="utf-8") as f:
        found = re.findall(r'^    \$ spanloom sql "((?:[^"\\]|\\.)*)"$', f.read(), re.M)
    return [re.sub(r"\\(.)", r"\1", re.sub(r"\n    > ?", "\n", text)) for text in found]


@cases(*VERSIONS)
def queries_of_the_documentation(version):
    queries, store = [q for q in documented() if not re.match(r"\s*(CREATE|DELETE|UPDATE|INSERT)", q)], example()
    check(len(queries) > 25, len(queries), "queries found")
    write(path("queries"), json.dumps(queries))
    got = said("""
db = spanloom.open("spanloom.db")
for q in json.load(open("queries")):
    cursor = db.execute(q)
    print(json.dumps([dict(zip([d[0] for d in cursor.description], row)) for row in cursor]))
""", version=version)
    for q, rows in zip(queries, got):
        want = [{k: int(v) if k.endswith("_ns") and v is not None else v for k, v in row.items()} for row in answer(store, "sql", q)]
        equal(rows, want, q)
    equal(len(got), len(queries))


@cases(*VERSIONS)
def as_the_program_shows(version):
    store = example()
    asked = {"show('task', 42)": ["show", "task", "42"], "show('task 42', lines=True)": ["show", "task", "42", "--lines"],
             "show('parsl.executor.htex.manager', '1954f1261cd1')": ["show", "parsl.executor.htex.manager", "1954f1261cd1"]}
    for call, words in asked.items():
        [rows, text, again, html] = said(f"""
import pickle
db = spanloom.open("spanloom.db")
answer = db.{call}
print(json.dumps(answer), json.dumps(str(answer)), json.dumps(repr(pickle.loads(pickle.dumps(answer)))), json.dumps(answer._repr_html_()), sep="\\n")
""", version=version)
        equal(text, spanloom(*words, "-d", store).out.rstrip("\n"), call)
        equal(again, text)
        check(html.startswith("<pre>") and "<" not in html[5:-6], html[:100])
        if "lines" not in call:
            want = answer(store, *words)["events"]
            equal(rows, [{k: int(v) if k.endswith("_ns") else v for k, v in row.items()} for row in want], call)
        check(rows and all(type(v) is (int if k.endswith("_ns") else float) for row in rows for k, v in row.items()
                           if k.endswith(("_ns", "_s")) and v is not None), "types", rows[:1])


# Each method, and the command that it is.
ANALYSES = {
    "sequences()": ["sequences"], "sequences(all=True)": ["sequences", "--all"],
    "sequences('parsl.monitoring.try')": ["sequences", "parsl.monitoring.try"],
    "sequences('parsl.rundir.task', run='000', ignore=['parsl.monitoring.*', '*/pending'])":
        ["sequences", "parsl.rundir.task", "--run", "000", "--ignore", "parsl.monitoring.*", "--ignore", "*/pending"],
    "durations('invoked', 'returned')": ["durations", "invoked", "returned"],
    "durations('submitted', 'exec_done', 'parsl.rundir.task', list=True)":
        ["durations", "submitted", "exec_done", "parsl.rundir.task", "--list"],
    "states(bin=5)": ["states", "--bin", "5"], "rate('returned')": ["rate", "returned"],
    "utilisation(bin=10)": ["utilisation", "--bin", "10"], "critical_path(run='000')": ["critical-path", "--run", "000"],
    "critical_path('parsl.rundir.workflow', '3d9e0d70-39a8-4383-9c87-0c3e06c8c255', slack=True)":
        ["critical-path", "parsl.rundir.workflow", "3d9e0d70-39a8-4383-9c87-0c3e06c8c255", "--slack"],
    "why()": ["why"], "why('spanloom.db', 'spanloom.db')": ["why", "spanloom.db", "spanloom.db"], "failures()": ["failures"],
    "runs()": ["runs"], "what_if('driver x0')": ["what-if", "driver x0"], "plan(target='60%')": ["plan", "--target", "60%"], "skew()": ["skew"],
    "diff('spanloom.db', 'spanloom.db')": ["diff", "spanloom.db", "spanloom.db"],
    "profile(tree=True)": ["profile", "--tree"],
    "experiment('means', where='app_big = 0')": ["experiment", "means", "--where", "app_big = 0"],
    "usage(by='task')": ["usage", "--by", "task"], "metrics()": ["metrics"],
    "events('parsl.rundir.try')": ["events", "parsl.rundir.try"], "links()": ["links"], "types(events=True)": ["types", "--events"],
}


@cases(*VERSIONS)
def analyses_as_frames(version):
    """The same rows as the command's JSON; columns without a row have their names still."""
    stores = {"profile": imported(f"{ROOT}/tests/data/parsl-2026-traced/runinfo", store="traced.db").store}
    stores["experiment"] = path("runs.db")
    stores["usage"] = stores["metrics"] = imported(EXAMPLE, f"{ROOT}/tests/data/nodes", store="nodes.db").store
    spanloom("experiment", "import", "-d", path("runs.db"), "--score", "usec_per_task", "--time", "unix_time", f"{ROOT}/examples/experiment/runs.csv")
    example()
    store = {call: stores.get(words[0], path("spanloom.db")) for call, words in ANALYSES.items()}
    found = said(FRAMES + "\n".join(f"print(json.dumps(spanloom.open({store[call]!r}).{call}))" for call in ANALYSES), version=version)
    for (call, words), got in zip(ANALYSES.items(), found, strict=True):
        want = answer(store[call], *words)
        want = next(iter(want.values())) if isinstance(want, dict) else want
        check(want, call)
        equal(list(got), list(want[0]), call)
        rows = [dict(zip(got, row)) for row in zip(*got.values())]
        equal(rows, [{k: int(v) if k.endswith("_ns") and v is not None else v for k, v in row.items()} for row in want], call)
        check(all(type(v) is (int if k.endswith("_ns") else float) for row in rows for k, v in row.items()
                  if k.endswith(("_ns", "_s")) and v is not None), "types", call)
    [empty] = said(FRAMES + """
warnings.simplefilter("ignore")  # without links it is of two runs
db = spanloom.open("spanloom.db", mode="rw")
db.execute("DELETE FROM sl_link")
db.commit()
print(json.dumps(db.links()))
""", version=version)
    check("rule" in empty and not any(empty.values()), empty)


@test
def every_analysis_has_a_method():
    """What there is in the help and prints tables, is there."""
    none = {"import", "info", "graph", "monitor", "plot", "show", "bind", "unbind", "sql", "rejects", "recipes", "forget", "run",
            "trace", "export", "report", "serve", "flags", "begin", "end", "event", "span"}
    commands = re.findall(r"(?m)^  ([a-z-]+)  +\S", spanloom("--help").out.split("commands:")[1].split("\n\n")[0])
    methods = {call.split("(")[0] for call in ANALYSES}
    equal(sorted(set(commands) - none), sorted(name.replace("_", "-") for name in methods))
    with open(f"{ROOT}/python/spanloom/__init__.pyi", encoding="utf-8") as file:
        stub = file.read()
    equal([name for name in methods if f"    def {name}(self" not in stub], [])


@cases(*VERSIONS)
def plots(version):
    store = example()
    want = json.loads(spanloom("plot", "durations", "invoked", "returned", "--title", "Mine", "-o", "-", "--format", "json", "-d", store).out)
    [spec, kinds, shown, text, saved, wrong, sql, none] = said("""
db = spanloom.open("spanloom.db")
plot = db.plot("durations", "invoked", "returned", None, title="Mine")
plot.save("saved.json")
bundle = plot._repr_mimebundle_()
print(*map(json.dumps, [plot.spec, sorted(bundle), bundle["application/vnd.vegalite.v6+json"], repr(plot), json.load(open("saved.json")),
    raised(ValueError, plot.save, "saved.gif"), db.plot("durations", sql="SELECT 2.5 AS duration_s").spec["datasets"]["lines"],
    [raised(sqlite3.OperationalError, db.plot, "none"), raised(ValueError, db.plot, "states", wrong=1), raised(ValueError, db.plot)]]),
    sep="\\n")
""", version=version)
    equal(spec, want)
    equal((shown, saved), (want, want))
    check({"application/vnd.vegalite.v6+json", "text/plain"} <= set(kinds), kinds)
    equal(text, "<spanloom.Plot: Mine>")
    check(".svg, .png, .pdf or .json" in wrong, wrong)
    equal({row["seconds"] for row in sql}, {2.5})
    check("no plot called 'none'" in none[0] and "unknown option --wrong" in none[1] and "which plot?" in none[2], none)


@cases(*VERSIONS)
def reports_and_exports(version):
    """In files, as the program writes them, wherever the script is by then."""
    store = example()
    spanloom("export", "otlp", "-d", store, "-o", "want.otlp")
    spanloom("report", "-d", store, "-o", "want.json")
    [[report, form, wrong, sizes]] = said("""
import os, pathlib
db = spanloom.open("spanloom.db")
os.mkdir("d")
os.chdir("d")
print(json.dumps([db.report("report.json"), str(db.export("otlp", pathlib.Path("store.otlp"))),
    [raised(ValueError, db.export, "x", "y"), raised(sqlite3.OperationalError, db.export, "csv", "no/such"), raised(sqlite3.OperationalError, db.report, "x.json", run="none")],
    sorted(os.listdir("."))]))
""", version=version)
    equal((report, form, sizes), ("report.json", "store.otlp", ["report.json", "store.otlp"]))
    with open(path("d/store.otlp"), "rb") as a, open(path("want.otlp"), "rb") as b:
        check(a.read() == b.read(), "another export")
    figures = []
    for file in "d/report.json", "want.json":
        with open(path(file), encoding="utf-8") as f:
            figures.append(json.load(f))
    equal(sorted(figures[0]), sorted(figures[1]))
    check("export as 'x'?" in wrong[0] and "no/such: cannot be made" in wrong[1] and "none" in wrong[2], wrong)


@cases(*VERSIONS)
def what_the_program_says_besides(version):
    example()
    got = said("""
db = spanloom.open("spanloom.db")
print(json.dumps([raised(sqlite3.OperationalError, db.show, "task", 99999), raised(ValueError, db.show, "task"),
    raised(ValueError, db.show, "task", 42, wrong=1), raised(sqlite3.OperationalError, db.show, "no.such.type", 1),
    raised(sqlite3.OperationalError, db.show, "task", "--all")]))
""", version=version)[0]
    check(got[0].startswith("no span is called task 99999") and got[1].startswith("which span?"), got)
    check(got[2] == "unknown option --wrong" and "no.such.type" in got[3] and "task --all" in got[4], got)


@test
def warnings_of_the_program():
    """Tasks that no monitoring database has."""
    imported(f"{EXAMPLE}/monitoring.db", f"{ROOT}/tests/data/parsl-2026-nomonitoring")
    want = spanloom("sequences", "-d", path("spanloom.db")).err
    check(re.match(r"spanloom: \d+ tasks? (is|are) known as parsl.rundir.task only", want), want)
    got = said(FRAMES + """
warnings.simplefilter("always")
with warnings.catch_warnings(record=True) as w:
    spanloom.open("spanloom.db").sequences()
print(json.dumps([str(x.message) for x in w] + [w[0].filename]))
""")[0]
    equal(got, [want.strip().removeprefix("spanloom: ").replace("\nspanloom: ", "\n"), path("prog.py")])


@cases(*VERSIONS)
def a_connection_of_sqlite3(version):
    example()
    script(BEGIN + """
db = spanloom.open("spanloom.db", isolation_level=None, timeout=1)
assert isinstance(db, sqlite3.Connection) and isinstance(db, _store.Store) and db.without is None, db.without
assert db.isolation_level is None
assert "readonly" in raised(sqlite3.OperationalError, db.execute, "CREATE TABLE mine (a)")
assert "readonly" in raised(sqlite3.OperationalError, db.execute, "DELETE FROM sl_event")
assert raised(sqlite3.OperationalError, db.execute, "SELECT * FROM typo") == "no such table: typo"

# the lens of one session
rules = "SELECT max(orderings) FROM event_sequences('parsl.rundir.task')"
before = db.execute(rules).fetchone()
db.execute("CREATE TEMP TABLE sl_lens (id INTEGER PRIMARY KEY, kind, what, becomes, within_ns)")
db.execute("INSERT INTO temp.sl_lens (kind, what) VALUES ('ignore', 'parsl.monitoring.*')")
assert db.execute(rules).fetchone() < before

# other connections of the process have nothing of it
assert "spark" in raised(sqlite3.OperationalError, sqlite3.connect(":memory:").execute, "SELECT spark('[1]')")

here = []
other = threading.Thread(target=lambda: here.append(raised(sqlite3.ProgrammingError, db.show, "task", 42)))
other.start(); other.join()
assert "thread" in here[0], here
with db:
    db.execute("SELECT 1")
db.close()
assert "closed" in raised(sqlite3.ProgrammingError, db.execute, "SELECT 1")
assert "closed" in raised(sqlite3.ProgrammingError, db.show, "task", 42)

# many at once
def one():
    d = spanloom.open("spanloom.db")
    n = d.execute("SELECT count(*) FROM spans s, descendants(s.id) WHERE s.type = 'parsl.rundir.task'").fetchone()[0]
    d.close()
    found.append(n)
found = []
threads = [threading.Thread(target=one) for _ in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
assert len(found) == 8 and len(set(found)) == 1 and found[0] > 200, found

with spanloom.open("spanloom.db", mode="rw") as d:
    d.execute("CREATE TABLE mine AS SELECT count(*) AS n FROM events")
assert spanloom.open("spanloom.db").execute("SELECT n > 0 FROM mine").fetchone() == (1,)
assert "'ro' or 'rw'" in raised(ValueError, spanloom.open, "spanloom.db", mode="w")

assert "spanloom.Store" in raised(TypeError, spanloom.open, "spanloom.db", factory=sqlite3.Connection)
class Mine(spanloom.Store):
    pass
assert type(spanloom.open("spanloom.db", factory=Mine)) is Mine
""", version=version)


@cases(*VERSIONS)
def names_of_files(version):
    store = example()
    os.makedirs(path("50% of?#&=x ü"))
    os.rename(store, path("50% of?#&=x ü", "a b.db"))
    script(BEGIN + """
import os, pathlib
n = "SELECT count(*) FROM spans"
there = pathlib.Path("50% of?#&=x \\u00fc/a b.db")
want = spanloom.open(there).execute(n).fetchone()
assert len(spanloom.open(str(there)).show("task", 42)) > 5
os.environ["SPANLOOM_DB"] = str(there)
assert spanloom.open().execute(n).fetchone() == want
os.chdir(there.parent)
os.rename("a b.db", "spanloom.db")
del os.environ["SPANLOOM_DB"]
db = spanloom.open()
os.chdir("/")  # which changes nothing for what is open
assert len(db.show("task", 42)) > 5
""", version=version, env={"SPANLOOM_DB": ""})


@cases(*VERSIONS)
def what_is_no_store(version):
    for schema in 1, 99:
        imported(f"{EXAMPLE}/monitoring.db", store=f"{schema}.db")
        db = sqlite3.connect(path(f"{schema}.db"))
        db.execute("UPDATE sl_meta SET value = ? WHERE name = 'schema'", (schema,))
        db.commit()
        db.close()
    db = sqlite3.connect(path("other.db"))
    db.execute("CREATE TABLE t (a)")
    db.close()
    write(path("text.db"), "this is no database, and long enough for SQLite to see that" * 20)
    write(path("empty.db"), "")
    os.mkdir(path("folder"))
    got = said("""
print(json.dumps([raised(kind, spanloom.open, name) for kind, name in (
    (FileNotFoundError, "missing.db"), (IsADirectoryError, "folder"), (sqlite3.DatabaseError, "text.db"),
    (sqlite3.DatabaseError, "empty.db"), (sqlite3.DatabaseError, "other.db"), (sqlite3.NotSupportedError, "1.db"),
    (sqlite3.NotSupportedError, "99.db"))]))
""", version=version)[0]
    for text, part in zip(got, ("spanloom import PATH... -d", "spanloom import", "not an SQLite file", "not a Spanloom store",
                                "not a Spanloom store", "bring it up to date with: spanloom info -d", "newer Spanloom (schema 99")):
        check(part in text, text)
    check(not os.path.exists(path("missing.db")), "a store was made")


@cases(*VERSIONS)
def an_import_was_killed(version):
    """A journal that must be rolled back before anyone reads."""
    store = example()
    want = query(store, "SELECT count(*) FROM sl_event")
    script("""
import os, sqlite3
db = sqlite3.connect("spanloom.db", isolation_level=None)
db.execute("PRAGMA cache_size = 1")
db.execute("BEGIN")
db.execute("DELETE FROM sl_event")
os.kill(os.getpid(), 9)
""", version=version, code=-signal.SIGKILL)
    check(os.path.exists(f"{store}-journal"), "nothing was cut off")
    got = said("print(json.dumps([raised(sqlite3.OperationalError, spanloom.open, 'spanloom.db')]))", version=version)[0][0]
    check(f"take it back with: spanloom info -d {store}" in got, got)
    spanloom("info", "-d", store)
    equal(said("print(json.dumps(spanloom.open('spanloom.db').execute('SELECT count(*) FROM sl_event').fetchone()))", version=version)[0], list(want[0]))


@test
def of_one_schema():
    [[known]] = said("print(json.dumps([_store.SCHEMA]))")
    equal(str(known), query(example(), "SELECT CAST(value AS TEXT) FROM sl_meta WHERE name = 'schema'")[0][0])
    with open(f"{ROOT}/include/spanloom/spanloom.h") as f:
        check(f"#define SPANLOOM_SCHEMA {known} " in f.read(), "spanloom.h says otherwise")


WITHOUT = """
db = spanloom.open("spanloom.db")
assert db.without, "there are functions"
assert db.execute("SELECT count(*) > 100 FROM events").fetchone() == (1,)
assert len(db.show("task", 42)) > 5
print(json.dumps([db.without, raised(sqlite3.OperationalError, db.execute, "SELECT spark('[1]')"),
    raised(sqlite3.OperationalError, db.cursor().execute, "SELECT * FROM descendants(1)"),
    raised(sqlite3.OperationalError, db.execute, "SELECT absent FROM events")]))
"""


def says_why(got, why):
    check(why in got[0] and "spanloom sql" in got[0], got)
    equal(got[1], f"no such function: spark. {got[0]}")
    equal(got[2], f"no such table: descendants. {got[0]}")
    equal(got[3], "no such column: absent")


@cases(*VERSIONS)
def without_the_extension(version):
    example()
    says_why(said("_store._extension = lambda: None" + WITHOUT, version=version)[0], "spanloom.so is not in")


@cases("none", "another")
def where_sqlite_cannot_be_reached(which):
    """As where it is linked into Python, its names hidden; and as where another copy of it is found."""
    bare = [v for v in VERSIONS if not said("print(json.dumps(hasattr(sqlite3.Connection, 'enable_load_extension')))", version=v)[0]]
    if not bare:
        return note("all Pythons have enable_load_extension here: nothing to see")
    example()
    copy = """
import ctypes, glob, shutil
with open("/proc/self/maps") as maps:
    used = next(line.split()[-1] for line in maps if "/libsqlite3.so" in line)
shutil.copy(used, "libother.so")
_store._sqlite = lambda: ctypes.CDLL("./libother.so")
"""
    hidden = "import ctypes\n_store._sqlite = lambda: ctypes.CDLL(_store._extension())\n"  # which has no such names
    for v in bare:
        says_why(said((hidden if which == "none" else copy) + WITHOUT, version=v)[0], "cannot load extensions")


@test
def an_sqlite_without_extensions():
    """It calls entry points without its routines: an error, no crash."""
    r = script("import ctypes\nfrom spanloom import _store\nprint(ctypes.CDLL(_store._extension()).sqlite3_spanloom_init(None, None, None))\n")
    equal(r.out, "1\n")


@cases(*VERSIONS)
def frames_without_libraries(version):
    example()
    got = said("""
sys.modules["pandas"] = sys.modules["polars"] = None
db = spanloom.open("spanloom.db")
print(json.dumps([raised(ImportError, db.df, "SELECT 1"), raised(ImportError, db.df, "SELECT 1", library="pandas"),
    raised(ImportError, db.df, "SELECT 1", library="polars"), raised(ValueError, db.df, "SELECT 1", library="numpy")]))
""", version=version)[0]
    check(all("install" in text for text in got[:3]) and "neither pandas nor polars" in got[0], got)
    check("'pandas' or 'polars'" in got[3], got[3])


@test
def traced_programs_do_not_pay():
    """What opens stores is loaded when it is asked for."""
    script("import sys, spanloom\nassert 'open' not in spanloom.__all__\n"
           "assert not {'sqlite3', 'ctypes', 'json', 'subprocess'} & set(sys.modules), sys.modules\n")


main()
