#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spanloom plot: what reaches a picture is what SQL says, whatever that is; and a file is written whole, or not at all."""
import contextlib
import os
import pty
import resource
import stat
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

LITE = "https://vega.github.io/schema/vega-lite/v6.json"
VEGA = "https://vega.github.io/schema/vega/v6.json"


def example():
    return imported(EXAMPLE).store


def plot(*args, **more):
    """The specification that comes of it, strictly parsed; and what was said."""
    def wrong(text):
        raise AssertionError(f"{text} is no JSON")
    r = spanloom("plot", *args, "-o", path("out.json"), **more)
    with open(path("out.json"), "rb") as f:
        return json.loads(f.read().decode("utf-8", "strict"), parse_constant=wrong), r.err


def rows_of(sql, *args, **more):
    """What a specification that takes everything is given."""
    write("any.json", json.dumps({"$schema": LITE, "data": {"name": "rows"}, "mark": "bar"}))
    return plot("--spec", path("any.json"), "--sql", sql, *args, **more)[0]["datasets"]["rows"]


def write(name, text):
    with open(path(name), "w", encoding="utf-8") as f:
        f.write(text)
    return path(name)


# ---- commands (figures: plot_figures.py)

@test
def commands_give_their_plots():
    """-o of a command is `plot` with its name, and refuses what it would not heed."""
    example()
    for words in (["states"], ["states", "parsl.rundir.task", "--bin", "2", "--run", "000", "--ignore", "parsl.monitoring.*"],
                  ["durations", "invoked", "returned"], ["durations", "--sql", "SELECT 1.5 AS duration_s"]):
        spanloom(*words, "-o", path("a.json"))
        spanloom("plot", *words, "-o", path("b.json"))
        with open(path("a.json"), "rb") as a, open(path("b.json"), "rb") as b:
            equal(a.read(), b.read(), words)
    for words in ["durations", "invoked", "returned", "--list"], ["states", "--format", "csv"], ["states", "-o", "-"]:
        r = spanloom(*words, *(["-o", "x.json"] if "-o" not in words else []), code=2)
        check(words[-2] in r.err or words[-1] in r.err, r)
    check(not os.path.exists(path("x.json")), "it was written")


# ---- data

HOSTILE = [
    ("'<script>alert(1)</script>'", "<script>alert(1)</script>"),
    ("'a' || char(0) || 'b'", "a\\x00b"),
    ("char(1, 7, 27, 31, 127)", "\\x01\\x07\\x1b\\x1f\x7f"),
    ("char(9, 10, 13)", "\t\n\\x0d"),
    ("CAST(x'61ff62' AS TEXT)", "a\\xffb"),
    ("CAST(x'eda080' AS TEXT)", "\\xed\\xa0\\x80"),  # half of a pair
    ("char(0x1F600, 0x5D0, 0x202E, 0xFEFF)", "\U0001F600\u05d0\u202e\ufeff"),
    ("char(0xFFFE, 0xFFFF, 0xFFFD)", "\\ufffe\\uffff\ufffd"),
    ("'\"\\/' || char(0x2028)", '"\\/\u2028'),
    ("''", ""), ("'__proto__'", "__proto__"), ("x'00ff'", "(2 bytes)"), ("zeroblob(0)", "(0 bytes)"),
    ("NULL", None), ("9e999", None), ("-9e999", None), ("1e308", 1e308), ("5e-324", 5e-324), ("-0.0", 0.0), ("0.1", 0.1),
    ("9007199254740992", 2 ** 53), ("9007199254740993", "9007199254740993"), ("-9223372036854775808", str(-2 ** 63)),
    ("true", 1), ("3.0", 3),
]


@test
def hostile_values():
    example()
    [row] = rows_of("SELECT " + ", ".join(f"{sql} AS c{i}" for i, (sql, _) in enumerate(HOSTILE)))
    for i, (sql, want) in enumerate(HOSTILE):
        equal(row[f"c{i}"], want, sql)
    with open(path("out.json"), "rb") as f:
        check(not re.search(rb"[\0-\x09\x0b-\x1f]", f.read()), "control characters")


@test
def hostile_names_of_columns():
    example()
    names = ["a b", "<b>", "'", "ü", "x.y[0]", "__proto__", "select", "A", "a"]
    [row] = rows_of("SELECT " + ", ".join(f'{i} AS "{n}"' for i, n in enumerate(names)) + ', 9 AS "q""q", 10 AS "q""q"')
    check({"a b", "<b>", "'", "ü", "x.y[0]", "__proto__", "select", 'q"q'} <= set(row), row)
    equal(row["a b"], 0)


@test
def long_texts_end():
    example()
    for text, n in (("x", 100000), ("ä", 60000), ("\U0001F600", 30000), ("y", 1000), ("z", 1001)):
        [row] = rows_of(f"SELECT printf('%.*c', {n}, '{text}') AS t" if len(text.encode()) == 1 else
                        f"SELECT replace(printf('%.*c', {n}, '-'), '-', '{text}') AS t")
        short = text * (1000 // len(text.encode()))
        equal(row["t"], text * n if n * len(text.encode()) <= 1000 else short + "…", text)


@test
def a_million_rows():
    """What is reduced in SQL stays small; what is not is drawn still, and it is said."""
    example()
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) "
    spec, said = plot("durations", "--sql", numbers.format(10 ** 6) + "SELECT i / 1000.0 AS duration_s FROM n")
    check(os.path.getsize(path("out.json")) < 20000 and not said, os.path.getsize(path("out.json")), said)
    equal([round(r["seconds"], 9) for r in spec["datasets"]["lines"]], [500.0005, 500.0005, 950.00005, 1000])
    rows = rows_of(numbers.format(100000) + "SELECT i FROM n")
    equal(len(rows), 100000)
    write("any.json", json.dumps({"$schema": LITE, "data": {"name": "rows"}, "mark": "bar"}))
    r = spanloom("plot", "--spec", path("any.json"), "--sql", numbers.format(100001) + "SELECT i FROM n", "-o", path("x.json"))
    check("100,001 rows" in r.err and "reduce" in r.err, r)


@test
def little():
    """One point, many of one value, values that are missing."""
    example()
    for values, n in (("(1.5)", 1), ("(2), (2), (2)", 3), ("(NULL), (0), (-1.5)", 2), ("('2'), ('3.5')", 2)):
        spec, _ = plot("durations", "--sql", f"SELECT column1 AS duration_s FROM (VALUES {values})")
        equal(sum(b["durations"] for b in spec["datasets"]["bins"]), n, values)
    spec, _ = plot("states", "--sql", "SELECT 0 AS time_ns, 'x' AS state, 1 AS spans")
    equal([(r["time_ms"], r["spans"]) for r in spec["datasets"]["states"]], [(0, 1)])


@test
def nothing():
    example()
    write("out.json", "before")
    for args in (["--sql", "SELECT 1 AS duration_s WHERE 0"], ["--sql", "SELECT NULL AS duration_s"],
                 ["invoked", "returned", "parsl.executor.htex.worker"]):
        r = spanloom("plot", "durations", *args, "-o", path("out.json"), code=1)
        check("no rows" in r.err, r)
        with open(path("out.json")) as f:
            equal(f.read(), "before")


@test
def nothing_of_what_it_needs():
    """Of a store with other things: what has to be there."""
    example()
    for name, needs in (("flame", "calls of traced programs (spanloom run"), ("icicle", "calls of traced programs"), ("nodes", "readings of nodes (spanloom monitor)")):
        r = spanloom("plot", name, "-o", path("out.json"), code=1)
        check(f"the plot {name} has no rows: it needs {needs}" in r.err, r)


@test
def terminals():
    """They show texts, but no bytes of a PNG or PDF."""
    example()
    for form, code in ("png", 2), ("pdf", 2), ("json", 0):
        ours, theirs = pty.openpty()
        done = subprocess.Popen([PROGRAM, "plot", "states", "-d", path("spanloom.db"), "-o", "-", "--format", form], stdout=theirs, stderr=subprocess.PIPE, text=True)
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # EIO is the end
            while more := os.read(ours, 65536):
                shown += more
        os.close(ours)
        said = done.communicate()[1]
        equal((done.returncode, shown == b"", "is a terminal" in said), (code, code != 0, code != 0), said)


@test
def vega():
    """Values come into the entry of that name; others stay."""
    example()
    write("v.json", json.dumps({"$schema": VEGA, "data": [
        {"name": "fixed", "values": [1, 2]}, {"name": "calls", "url": "x.csv", "format": {"type": "csv"}, "transform": []},
        {"name": "tree", "source": "calls"}], "marks": []}))
    spec, _ = plot("--spec", path("v.json"), "--sql", "SELECT 1 AS a UNION ALL SELECT 2")
    equal(spec["data"], [{"name": "fixed", "values": [1, 2]}, {"name": "calls", "transform": [], "values": [{"a": 1}, {"a": 2}]},
                         {"name": "tree", "source": "calls"}])


@cases((LITE, {"mark": "bar"}), (LITE, {"layer": [{"mark": "bar"}]}), (LITE, {"hconcat": [{"mark": "bar"}]}), (LITE, {"facet": {"row": {"field": "a"}}, "spec": {"mark": "bar"}}),
       (VEGA, {"marks": []}), (VEGA, {"signals": []}), (VEGA, {"marks": [], "layout": {}, "axes": []}))
def without_schema_its_keys_say_what_it_is(schema, keys):
    """And what is written says it."""
    example()
    spec = {"data": {"name": "rows"} if schema == LITE else [{"name": "rows"}], **keys}
    write("bare.json", json.dumps(spec))
    write("null.json", json.dumps({"$schema": None, **spec}))
    write("whole.json", json.dumps({"$schema": schema, **spec}))
    bare, null, whole = (plot("--spec", path(f"{name}.json"), "--sql", "SELECT 1 AS a")[0] for name in ("bare", "null", "whole"))
    equal((bare, bare["$schema"], null), (whole, schema, whole))


# ---- specifications

def spec_of(meta, **more):
    return json.dumps({"$schema": LITE, "usermeta": {"spanloom": meta}, "data": {"name": "rows"}, "mark": "bar", **more})


ROWS = {"rows": {"sql": "SELECT 1 AS a"}}
MISTAKES = [
    ("", ":1: the JSON is cut off"), ("[]", ": a plot is a JSON object"), ("{", ":1: the JSON is cut off"),
    ('{\n "a": 1,\n "b" 2}', ":3: no JSON from here on: 2}"), ('{"a": 1}\nx', ":2: no JSON from here on: x"),
    ('{\n"a": "\x01"}', ":2: no JSON from here on"), ("{}", "nothing says what it is: Vega-Lite has"),
    (json.dumps({"$schema": "https://json-schema.org/draft-07/schema", "mark": "bar"}), "nothing says what it is"),
    (json.dumps({"$schema": None, "mark": "bar"}), "usermeta.spanloom.data is missing"), (json.dumps({"data": {"name": "rows"}}), "nothing says what it is"),
    (json.dumps({"$schema": LITE, "mark": "bar"}), "usermeta.spanloom.data is missing"),
    (json.dumps({"$schema": LITE, "usermeta": {"spanloom": 3}}), "usermeta.spanloom must be an object"),
    (spec_of({"data": ROWS, "colour": "red"}), "unknown key 'colour'; known: answers, arguments, data, title, result, needs"),
    (spec_of({"data": ROWS, "needs": []}), "needs must be a text"),
    (spec_of({"data": ROWS, "answers": 3}), "answers must be a text"), (spec_of({"data": []}), "data must be an object"),
    (spec_of({"data": ROWS, "arguments": {}}), "arguments must be a list"),
    (spec_of({"data": ROWS, "arguments": ["x"]}), "argument 1 must be an object"),
    (spec_of({"data": ROWS, "arguments": [{"name": "a b", "kind": "text"}]}), "argument 1 must be an object with a name of letters"),
    (spec_of({"data": ROWS, "arguments": [{"name": "a"}]}), "argument a is of the kind ''; known: type, worker type, event"),
    (spec_of({"data": ROWS, "arguments": [{"name": "a", "kind": "date"}]}), "argument a is of the kind 'date'"),
    (spec_of({"data": ROWS, "arguments": [{"name": "run", "kind": "text"}]}), "every SQL has :run already"),
    (spec_of({"data": ROWS, "arguments": [{"name": "a", "kind": "text"}] * 2}), "two arguments called a"),
    (spec_of({"data": ROWS, "arguments": [{"name": "a", "kind": "text", "default": 1}]}), "argument a has an unknown key 'default'"),
    (spec_of({"data": ROWS, "arguments": [{"name": "a", "kind": "span"}, {"name": "b", "kind": "text"}]}), "so it must be the last"),
    (spec_of({"data": ROWS, "arguments": [{"name": "a", "kind": "text", "optional": True}, {"name": "b", "kind": "text"}]}),
     "argument b cannot be left out, but a before it can"),
    (spec_of({"data": ROWS, "arguments": [{"name": "a", "kind": "text", "optional": "no"}]}), "optional must be true or false"),
    (spec_of({"data": {"rows": "SELECT 1"}}), "data set rows has no sql"), (spec_of({"data": {"rows": {}}}), "data set rows has no sql"),
    (spec_of({"data": {"rows": {"sql": ["SELECT", 1]}}}), "sql of data set rows must be a text or a list of lines"),
    (spec_of({"data": ROWS, "title": {"a": 1}}), "title must be a text or a list of lines"),
    (spec_of({"data": {"rows": {"sql": "SELECT 1 AS a", "input": 1}}}), "data.rows.input must be true or false"),
    (spec_of({"data": {"rows": {"sql": "SELECT 1 AS a", "cols": {}}}}), "data set rows has an unknown key 'cols'"),
    (spec_of({"data": {"rows": {"sql": "SELECT 1 AS a", "columns": ["a"]}}}), "columns must be an object"),
    (spec_of({"data": {"rows": {"sql": "SELECT 1 AS a", "columns": {"a": "real"}}}}), "column a of data set rows must be an object"),
    (spec_of({"data": {"rows": {"sql": "SELECT 1 AS a", "columns": {"a": {"type": "date"}}}}}), "of the type 'date'; known: text"),
    (spec_of({"data": {"rows": {"sql": "SELECT 1 AS a", "columns": {"a": {"units": "s"}}}}}), "has an unknown key 'units'"),
    (spec_of({"data": {"sl_lens": {"sql": "SELECT 1"}}}), "a data set cannot be called 'sl_lens'"),
    (spec_of({"data": {'x"; DROP': {"sql": "SELECT 1"}}}), "a data set cannot be called"),
    (spec_of({"data": {"rows": {"sql": "SELECT 1"}, "Rows": {"sql": "SELECT 1"}}}), "two data sets called"),
    (spec_of({"data": ROWS}, data={"name": "row"}), "the picture names the data set 'row', and usermeta.spanloom.data has none"),
    (spec_of({"data": {**ROWS, "more": {"sql": "SELECT 1 AS a"}}}), "does not name the data set more"),
    (spec_of({"data": {"rows": {"sql": "SELECT 1 AS a", "input": True}}}), "which is only an input"),
    (spec_of({"data": ROWS}, layer=[{"data": {"url": "http://x.org/a.csv"}}]), "$.layer[0].data.url: a picture has no data but"),
    (spec_of({"data": ROWS, "result": "what-if"}), 'result is "diff", "calls" or nothing'),
    (spec_of({"data": {"rows": {"sql": "SELECT absent"}}}), "rows: no such column: absent"),
    (spec_of({"data": {"rows": {"sql": "SELECT 1 AS a; SELECT 2"}}}), "rows: it must be one query"),
    (spec_of({"data": {"rows": {"sql": "SELECT 1 AS a) UNION SELECT (2"}}}), "rows: near"),
    (spec_of({"data": {"rows": {"sql": "CREATE TEMP TABLE x (a)"}}}), "rows: it must be one query"),
    (spec_of({"data": {"rows": {"sql": "SELECT :what AS a"}}}), "there is no argument :what"),
    (spec_of({"data": {"rows": {"sql": "SELECT ? AS a"}}}), "there is no argument ?"),
    (spec_of({"data": {"rows": {"sql": "SELECT 1 AS a", "columns": {"b": {}}}}}), "rows: its sql has no column b, which columns describes"),
    (spec_of({"data": {"rows": {"sql": "SELECT 'x' AS a", "columns": {"a": {"type": "real"}}}}}), "the column a has 'x', which is no number"),
    (spec_of({"data": ROWS, "title": "SELECT absent"}), "title: no such column: absent"),
    (spec_of({"data": ROWS, "title": "SELECT 'a' AS text, 'b' AS \"encoding.x.axis\""}), 'title: its column "encoding.x.axis" is none of'),
]


@test
def mistakes_in_specifications():
    example()
    for text, want in MISTAKES:
        r = spanloom("plot", "--spec", write("mine.json", text), "-o", path("x.json"), code=1)
        check(r.err.startswith(f"spanloom: {path('mine.json')}:") and want in r.err, text, want, r)
    with open(path("mine.json"), "wb") as f:
        f.write(b'{\n"a": "\xff"}')
    r = spanloom("plot", "--spec", path("mine.json"), "-o", path("x.json"), code=1)
    check("mine.json:2: a byte that is no UTF-8" in r.err, r)
    check(not os.path.exists(path("x.json")), "it was written")


@test
def a_title_says_more():
    """What else it yields are values of places in the specification, but for NULL."""
    example()
    more = {"encoding": {"x": {"field": "a", "axis": {"title": "mine", "labels": True}}}, "layer": [{"mark": "bar", "height": 1}]}
    title = """SELECT 'T' AS text, 'seconds <&' AS "encoding.x.axis.title", NULL AS "encoding.x.axis.labels", 2.5 AS "layer[0].height" """
    write("mine.json", spec_of({"data": ROWS, "title": title}, **more))
    got, _ = plot("--spec", path("mine.json"))
    equal(got["title"]["text"], "T")
    equal(got["encoding"]["x"]["axis"], {"title": "seconds <&", "labels": True})
    equal(got["layer"][0]["height"], 2.5)


@test
def arguments_of_all_kinds():
    example()
    kinds = ["event", "text", "number", "type"]
    meta = {"arguments": [{"name": k, "kind": k} for k in kinds] + [{"name": "flow", "kind": "workflow", "optional": True}],
            "data": {"rows": {"sql": "SELECT :event, :text, :number, :type, :flow, :run, :bin, :store"}}}
    write("mine.json", spec_of(meta))
    words = ["--spec", path("mine.json"), "returned", "a'b", "2.5e3", "worker.task"]
    [row] = plot(*words)[0]["datasets"]["rows"]
    [[flow]] = query(path("spanloom.db"), "SELECT id FROM spans WHERE type = 'parsl.rundir.workflow'")
    values = ["returned", "a'b", 2500, "parsl.executor.htex.worker.task", flow, None, None, "spanloom.db"]
    equal(list(row.values()), values)
    [row] = plot(*words, "task", "42", "--bin", "0.5", "--run", "000")[0]["datasets"]["rows"]
    equal(query(path("spanloom.db"), f"SELECT key FROM spans WHERE id = {row[':flow']}"), [("42",)])
    equal((row[":run"], row[":bin"]), (flow, 0.5))
    for wrong, said in (["returned", "x", "many", "task"], "number must be a number, not 'many'"), (["returned"], "text is missing"):
        check(said in spanloom("plot", "--spec", path("mine.json"), *wrong, "-o", path("x.json"), code=2).err, said)


@test
def plots_of_the_user():
    example()
    folder = path("config", "spanloom", "plots")
    os.makedirs(folder)
    env = {"XDG_CONFIG_HOME": path("config")}
    for name, text in (("states", spec_of({"answers": "mine", "data": ROWS})), ("own", spec_of({"answers": "too", "data": ROWS})),
                       ("broken", "{"), (".hidden", "{")):
        write(f"config/spanloom/plots/{name}.json", text)
    r = spanloom("plot", "--list", env=env, code=1)
    check("broken.json:1: the JSON is cut off" in r.err and "hidden" not in r.err, r)
    lines = dict(line.split(None, 1) for line in r.out.split("\n\n")[0].splitlines())
    check("states.json (instead of ours)" in lines["states"] and lines["own"].startswith("too"), r)
    check("durations" in lines and folder not in lines["durations"], r)
    equal(plot("states", env=env)[0]["datasets"]["rows"], [{"a": 1}])
    del env["XDG_CONFIG_HOME"]
    env["HOME"] = path("home")
    os.makedirs(path("home/.config"))
    os.rename(path("config/spanloom"), path("home/.config/spanloom"))
    equal(plot("own", env={**env, "XDG_CONFIG_HOME": ""})[0]["datasets"]["rows"], [{"a": 1}])
    for name in "../states", "", ".hidden", "look":
        spanloom("plot", name, "-o", path("x.json"), env=env, code=1)


# ---- files

@test
def a_file_is_written_whole_or_not_at_all():
    example()
    os.mkdir(path("d"))
    out = write("d/out.json", "before")
    os.chmod(out, 0o640)
    args = ("plot", "states", "-o", out)
    for wrong in (["plot", "states", "no.such.type", "-o", out], ["plot", "durations", "--sql", "SELECT 'x' AS duration_s", "-o", out]):
        spanloom(*wrong, code=1)
    spanloom(*args, code=1, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    equal((os.listdir(path("d")), open(out).read()), (["out.json"], "before"))
    spanloom(*args)
    equal((os.listdir(path("d")), stat.S_IMODE(os.stat(out).st_mode)), (["out.json"], 0o640))
    whole = open(out).read()
    check(json.loads(whole)["datasets"]["states"], "no rows")

    os.symlink("d/out.json", path("link.json"))
    spanloom("plot", "durations", "invoked", "returned", "-o", path("link.json"))
    check(os.path.islink(path("link.json")) and open(out).read() != whole, "the link's file is not written")
    equal(spanloom("plot", "states", "-o", "-", "--format", "json").out, whole)
    spanloom("plot", "states", "-o", "/dev/null", "--format", "json")
    check(not stat.S_ISREG(os.stat("/dev/null").st_mode), "/dev/null is a file now")

    os.chmod(path("d"), 0o500)
    r = spanloom(*args, code=1, before=without_rights)
    check(f"{out}: cannot be written" in r.err, r)
    os.chmod(path("d"), 0o700)
    check("cannot be written" in spanloom("plot", "states", "-o", path("none", "x.json"), code=1).err, "no folder")


@test
def a_browser_is_shown_the_page():
    """--open, or why not; the picture stays where the browser may still read it."""
    example()
    os.mkdir(path("tmp"))
    write("browser", "#!/bin/sh\ncp \"$1\" shown.html\n")
    os.chmod(path("browser"), 0o755)
    env = {"TMPDIR": path("tmp"), "BROWSER": path("browser")}
    r = spanloom("plot", "states", "--open", env=env, code=(0, 1))
    if r.code:  # without `make plots`
        check("`make plots`" in r.err and not os.listdir(path("tmp")), r, os.listdir(path("tmp")))
        return
    check("<html" in open(path("shown.html")).read()[:200], "no page")
    [name] = os.listdir(path("tmp"))
    check(re.fullmatch(r"spanloom-states-\w{6}\.html", name), name)
    r = spanloom("plot", "states", "--open", env={**env, "BROWSER": "/no/such"}, code=1)
    check("/no/such" in r.err and ".html in a browser" in r.err, r)


main()
