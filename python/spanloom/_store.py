# SPDX-License-Identifier: Apache-2.0
"""open(): a store as a connection of sqlite3, with Spanloom's functions, data frames, and what the program shows."""
import contextlib
import csv
import ctypes
import errno
import html
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import threading
import urllib.request
import warnings

import _spanloom

SCHEMA = 7  # of the stores that this package is for
PACKAGE = os.path.dirname(os.path.abspath(__file__))
BESIDE = os.path.dirname(os.path.abspath(_spanloom.__file__))  # Python's place for packages, or where it was built


def open(path=None, mode="ro", **options):
    """A connection to the store at path (None: $SPANLOOM_DB, or spanloom.db), which must exist.

    mode     'ro': nothing but temporary tables can be written; 'rw'
    options  of sqlite3.connect(): timeout, check_same_thread, isolation_level, ...
    """
    if mode not in ("ro", "rw"):
        raise ValueError(f"mode is 'ro' or 'rw', not {mode!r}")
    path = os.path.abspath(os.fspath(path if path is not None else os.environ.get("SPANLOOM_DB") or "spanloom.db"))
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, "a directory is no store; make one of it with: spanloom import", path)
    if not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, "there is no such store; make it with: spanloom import PATH... -d", path)
    if not issubclass(options.setdefault("factory", Store), Store):
        raise TypeError("factory is a subclass of spanloom.Store")
    uri = f"file:{urllib.request.pathname2url(path)}?mode={mode}"
    connection, without = _connect(uri, options)
    try:
        _check(connection, path)
    except BaseException:
        connection.close()
        raise
    connection.path, connection.without = path, without
    return connection


# By table: columns, of integers, reals or texts, and what is asked for where that is not the column.
_VALUE = [("value", "t", "CAST(value AS TEXT)"), ("number", "r", "iif(typeof(value) IN ('integer', 'real'), CAST(value AS REAL), NULL)")]
_PLACE = [("source", "i", None), ("place", "i", None)]
_PARQUET = {
    "spans": [("id", "i", None), ("type", "t", None), ("key", "t", "CAST(key AS TEXT)"), ("parent", "i", None), ("source", "i", None)],
    "events": [("span", "i", None), ("time_ns", "i", None), ("type", "t", None), *_PLACE],
    "links": [("kind", "t", None), ("left_span", "i", None), ("right_span", "i", None), ("rule", "t", None), *_PLACE,
              ("confidence", "r", None)],
    "attributes": [("span", "i", None), ("name", "t", None), *_VALUE, *_PLACE],
    "samples": [("span", "i", None), ("time_ns", "i", None), ("metric", "t", None), *_VALUE, *_PLACE],
    "sources": [("id", "i", None), ("path", "t", None), ("part", "t", None), ("recipe", "t", None), ("component", "t", None),
                ("bytes", "i", None), ("mtime_ns", "i", None), ("hash", "t", None)],
}


class Store(sqlite3.Connection):
    """A connection to a Spanloom store; docs/sql.md says what can be asked of it."""

    path = without = None  # without: why there are none of Spanloom's functions, and what to do

    def cursor(self, *args, **more):
        if self.without and not args and not more:
            args = (_Cursor,)
        return super().cursor(*args, **more)

    def execute(self, *args):
        return self.cursor().execute(*args) if self.without else super().execute(*args)

    def df(self, sql, parameters=(), library=None):
        """The result of a query as a DataFrame of pandas, or of polars where only that is installed, or which library says.

        Columns *_ns are integers, those with NULLs, too (pandas: Int64). Where a column mixes texts and numbers, those are
        objects in pandas and texts in polars. Of several columns of one name, the second gets _2 behind it.
        """
        make = _library(library)
        cursor = self.cursor()
        cursor.row_factory = None
        cursor.execute(sql, parameters)
        if cursor.description is None:
            raise ValueError("df: this statement has no result; run it by execute()")
        rows = cursor.fetchall()
        columns = {}
        for i, (name, *_) in enumerate(cursor.description):
            n, unique = 1, name
            while unique in columns:
                n += 1
                unique = f"{name}_{n}"
            columns[unique] = [row[i] for row in rows]
        return make(columns)

    def to_parquet(self, folder):
        """Writes the views of docs/sql.md as Parquet: spans, events, links, attributes, samples and sources .parquet.

        Some rows at a time. Of attributes and samples, value is the text, and number what it is where it is a number.
        """
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError as e:
            raise ImportError("to_parquet: pyarrow cannot be imported; install it: pip install pyarrow") from e
        os.makedirs(folder, exist_ok=True)
        for table, columns in _PARQUET.items():
            self._write_parquet(pyarrow, parquet, os.path.join(folder, f"{table}.parquet"), table, columns)

    def _write_parquet(self, pyarrow, parquet, path, table, columns):
        types = {"i": pyarrow.int64(), "r": pyarrow.float64(), "t": pyarrow.string()}
        schema = pyarrow.schema([(name, types[kind]) for name, kind, _ in columns])
        cursor = self.cursor()
        cursor.row_factory = None
        cursor.execute(f"SELECT {', '.join(sql or name for name, _, sql in columns)} FROM {table}")
        temporary = f"{path}.{os.getpid()}.new"
        try:
            with parquet.ParquetWriter(temporary, schema) as writer:
                while rows := cursor.fetchmany(1 << 16):
                    arrays = [pyarrow.array(values, type=field.type) for values, field in zip(zip(*rows), schema)]
                    writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
            raise

    # Each is `spanloom NAME` as a DataFrame, with its options: all=True, run="001", ignore=["parsl.*", "*/pending"], ...
    # library: as for df().

    # So are the table functions of docs/sql.md: db.task_times(run="001"), db.two_events("invoked", "returned").

    def __getattr__(self, name):
        about = None if name.startswith("_") else _described(self, name)
        if about is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

        def function(*words, **options):
            return self._frame(name, words, options)

        function.__name__, function.__doc__ = name, about
        return function

    def __dir__(self):
        return sorted({*super().__dir__(), *(name for name, in sqlite3.Connection.execute(self, "SELECT DISTINCT function FROM functions()"))})

    def sequences(self, type=None, **options):
        """Where the time of a typical span of a type went, event by event."""
        return self._frame("sequences", [type], options)

    def durations(self, start, end, type=None, **options):
        """How long it took from one event to another, over all spans of a type."""
        return self._frame("durations", [start, end, type], options)

    def states(self, type=None, **options):
        """How many spans were in which state, over time: all changes, or in bins of bin=SECONDS."""
        return self._frame("states", [type], options)

    def rate(self, event, **options):
        """How often something happened, over time."""
        return self._frame("rate", [event], options)

    def utilisation(self, type=None, **options):
        """How many workers there were, and were busy."""
        return self._frame("utilisation", [type], options)

    def critical_path(self, *words, **options):
        """What made a workflow, or what words name, as long as it was; slack=True: how much later tasks could be done."""
        return self._frame("critical-path", words, options)

    def plan(self, **options):
        """Which changes make a workflow faster, in which order, a row a step: plan(), plan(target="50%"), plan(budget=12, keep="straggler")."""
        return self._frame("plan", (), options)

    def what_if(self, *changes, **options):
        """How long a workflow would have taken: what_if("workers x2"), what_if("align x0.5", "driver x0"); what_if() ranks what is worth asking."""
        return self._frame("what-if", changes, options)

    def why(self, *runs, **options):
        """Why a workflow took as long as it did: findings, by the seconds that each cost; why("a", "b"): what changed."""
        return self._frame("why", runs, options)

    def failures(self, *words, **options):
        """What failed, by exception, app and host, and what that cost."""
        return self._frame("failures", words, options)

    def runs(self, **options):
        """Which runs the store holds, and what run= calls them."""
        return self._frame("runs", [], options)

    def skew(self, **options):
        """How far the clocks of components are off."""
        return self._frame("skew", [], options)

    def diff(self, a, b, **options):
        """What changed from one run, or store, to another."""
        return self._frame("diff", [a, b], options)

    def experiment(self, question, *words, **options):
        """What treatments do to a score: experiment("model", log=True), ("means", where="a = 0"), ("scatter", "a")."""
        return self._frame("experiment", [question, *words], options)

    def profile(self, *words, **options):
        """Which functions of traced programs took the time; tree=True: by path of functions."""
        return self._frame("profile", words, options)

    def events(self, type=None, **options):
        """Every event of all spans of a type, and of what belongs to them; lines=True: also the lines of logs."""
        return self._frame("events", [type], options)

    def usage(self, **options):
        """Who used the CPUs, memory, disks and network of the nodes: by="app", "task" or a type of spans."""
        return self._frame("usage", [], options)

    def metrics(self, **options):
        """One value a node: how busy its CPUs were, memory, disk, network; by="task" or "app"."""
        return self._frame("metrics", [], options)

    def links(self, **options):
        """What rules have linked, and where they are in doubt."""
        return self._frame("links", [], options)

    def types(self, **options):
        """The types of spans; events=True: their events."""
        return self._frame("types", [], options)

    def plot(self, name=None, *args, **options):
        """`spanloom plot NAME`: a picture that notebooks show, with .save(path) and .spec; spanloom plot --list has the names.

        options as there: sql=QUERY, run="001", bin=60, title=TEXT, and spec=FILE instead of a name.
        """
        self.cursor().close()
        words = [] if name is None else [name, *args]
        return Plot([_program(), "plot", "-d", self.path, *_options(options)], ["--", *(str(w) for w in words if w is not None)])

    def report(self, path, *runs, **options):
        """`spanloom report`: the page of a run, or of two beside each other, in a file.  Returns its path."""
        return self._write("report", path, runs, options)

    def export(self, kind, path, **options):
        """`spanloom export`: perfetto, chrome, otlp, csv, ctf, in a file or folder; run="001": one run.  Returns its path."""
        return self._write("export", path, [kind], options)

    def _write(self, name, path, words, options):
        command, words = self._command(name, words, {**options, "output": os.path.abspath(os.fspath(path))})
        _output([*command, *words])
        return path

    def show(self, *words, **options):
        """What `spanloom show` shows: show("task", 42), or show("task 42"); options as there: run="001", lines=True, ..."""
        if len(words) == 1 and isinstance(words[0], str):
            words = words[0].split(None, 1)
        return self._answer("show", words, options)

    def _command(self, name, words, options):
        """(the command, its words)"""
        self.cursor().close()  # which says what is wrong, of connections that are closed, or another thread's
        return [_program(), name, "-d", self.path, *_options(options)], ["--", *(str(w) for w in words if w is not None)]

    def _answer(self, name, words, options):
        command, words = self._command(name, words, options)
        return Answer(_rows(command, words), lambda: _output([*command, "--format", "table", *words])[0])

    def _frame(self, name, words, options):
        make = _library(options.pop("library", None))
        command, words = self._command(name, words, options)
        rows = _rows(command, words)
        if rows:
            names = list(rows[0])
        else:  # JSON has no names without rows
            names = next(csv.reader(io.StringIO(_output([*command, "--format", "csv", *words])[0])), [])
        return make({n: [row[n] for row in rows] for n in names})


def _described(store, name):
    """What the table function of this name tells, its arguments and columns; None: there is none."""
    try:
        rows = sqlite3.Connection.execute(store, "SELECT about, kind, name, type, unit, meaning, needed FROM functions() WHERE function = ?", (name,)).fetchall()
    except sqlite3.Error:
        return None
    lines = [f"{row[2]}: {row[3]}{f' ({row[4]})' if row[4] else ''}{'' if row[5] is None else ', ' + row[5]}{'' if row[1] == 'column' else f' ({row[1]})'}" for row in rows]
    return "\n".join([rows[0][0], "", *lines]) if rows else None


class Answer(list):
    """Rows as dicts; it prints as `spanloom` does."""

    def __init__(self, rows, text):
        super().__init__(rows)
        self._text = text

    def __str__(self):
        if callable(self._text):
            self._text = self._text()
        return self._text.rstrip("\n")

    __repr__ = __str__

    def __reduce__(self):
        return Answer, (list(self), str(self))

    def _repr_html_(self):
        return f"<pre>{html.escape(str(self))}</pre>"


class Plot:
    """A picture: notebooks show it; .spec is its specification with its data, .save(path) draws it as path ends."""

    def __init__(self, command, words):
        self._command, self._words = command, words
        text, said = _output([*command, "-o", "-", "--format", "json", *words])
        if said:
            warnings.warn(said, stacklevel=3)
        self.spec = json.loads(text)

    def save(self, path):
        """Writes it to path: .html, .svg, .png, .pdf or .json. The query is run again."""
        _output([*self._command, "-o", os.path.abspath(os.fspath(path)), *self._words])

    def _repr_mimebundle_(self, include=None, exclude=None):
        kind, version = re.search(r"/(vega(?:-lite)?)/v(\d+)", self.spec["$schema"]).groups()
        shown = {f"application/vnd.{kind.replace('-', '')}.v{version}+json": self.spec, "text/plain": repr(self)}
        try:
            page = _output([*self._command, "-o", "-", "--format", "html", *self._words])[0]
        except sqlite3.OperationalError:  # this program was built without
            return shown
        height = self.spec.get("height")
        height = height + 160 if isinstance(height, (int, float)) else 640
        shown["text/html"] = (f'<iframe sandbox="allow-scripts allow-downloads" style="border: 0; width: 100%; height: {height}px" '
                              f'srcdoc="{html.escape(page)}"></iframe>')
        return shown

    def __repr__(self):
        title = self.spec.get("title")
        return f"<spanloom.Plot: {title.get('text') if isinstance(title, dict) else title}>"


# ---- the program


def _options(options):
    """run="001", all=True, ignore=[...], as the program takes them."""
    given = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        for v in value if isinstance(value, (list, tuple)) else [value]:
            if v is True:
                given.append(option)
            elif v is not None and v is not False:
                given.append(f"{option}={v}")
    return given


def _rows(command, words):
    """What a command prints, as dicts."""
    text, said = _output([*command, "--format", "json", *words])
    if said:
        warnings.warn(said, stacklevel=4)
    rows = json.loads(text)
    if isinstance(rows, dict):
        # of all that show knows, what happened; of several tables the first, which is what CSV has
        rows = rows["events"] if "events" in rows else next(iter(rows.values()))
    for row in rows:
        for name, value in row.items():  # JSON has no integers of that size, and no reals that are whole
            if isinstance(value, str) and name.endswith("_ns"):
                row[name] = int(value)
            elif isinstance(value, int) and name.endswith("_s"):
                row[name] = float(value)
    return rows


def _program():
    """`spanloom` of this package: in PREFIX/bin (pip, make install), bin (pip install --target), the build; or in PATH."""
    for place in "../../../bin/spanloom", "bin/spanloom", "../spanloom":
        path = os.path.join(BESIDE, place)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return os.path.normpath(path)
    found = shutil.which("spanloom")
    if not found:
        raise FileNotFoundError(errno.ENOENT, "the program is neither beside the package nor in PATH", "spanloom")
    return found


def _output(command):
    """(what it printed, what it said besides)."""
    r = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    said = re.sub(r"^spanloom: |\ntry: spanloom .*", "", r.stderr, flags=re.M).strip()
    if r.returncode:
        raise (ValueError if r.returncode == 2 else sqlite3.OperationalError)(said or f"spanloom: exit {r.returncode}")
    return r.stdout, said


# ---- the extension

_registering = threading.Lock()


def _extension():
    """Where spanloom.so is: in the package (a wheel), where it was built, or in Debian's sense of lib (make install)."""
    root = os.path.normpath(os.path.join(BESIDE, "../../.."))
    libs = [os.path.join(root, lib) for lib in ("lib", "lib64")]
    if os.path.isdir(libs[0]):
        libs += [e.path for e in os.scandir(libs[0]) if "-linux-" in e.name]
    for place in PACKAGE, os.path.dirname(BESIDE), *(os.path.join(lib, "spanloom") for lib in libs):
        path = os.path.join(place, "spanloom.so")
        if os.path.isfile(path):
            return path
    return None


def _connect(uri, options):
    """(connection, None), with the functions; or (connection, why it has none)."""
    extension = _extension()
    if not extension:
        why = f"the extension spanloom.so is not in {PACKAGE}"
    elif hasattr(sqlite3.Connection, "enable_load_extension"):
        connection = sqlite3.connect(uri, uri=True, **options)
        try:
            connection.enable_load_extension(True)
            connection.load_extension(extension)
            connection.enable_load_extension(False)
        except sqlite3.Error as e:
            why = str(e)
            connection.close()
        else:
            return connection, None
    else:
        try:
            connection = _connect_registered(extension, uri, options)
            return connection, None
        except (AttributeError, OSError, sqlite3.Error) as e:
            why = f"this Python's sqlite3 cannot load extensions, nor be made to ({e})"
    return sqlite3.connect(uri, uri=True, **options), (
        f"Spanloom's functions are not here: {why}. They are in: spanloom sql, and in Pythons whose "
        "sqlite3.Connection has enable_load_extension")


def _connect_registered(extension, uri, options):
    """Where sqlite3 was built without enable_load_extension: the library that it uses itself takes entry points, too."""
    library = _sqlite()
    if library.sqlite3_compileoption_used(b"OMIT_LOAD_EXTENSION"):  # it would hand us no routines
        raise OSError("its SQLite was built without extensions")
    entry = ctypes.cast(ctypes.CDLL(extension).sqlite3_spanloom_init, ctypes.c_void_p)
    with _registering:
        if library.sqlite3_auto_extension(entry):
            raise OSError("sqlite3_auto_extension failed")
        try:
            connection = sqlite3.connect(uri, uri=True, **options)
        finally:
            library.sqlite3_cancel_auto_extension(entry)
    try:
        connection.execute("SELECT spark('[]')")
    except sqlite3.Error:  # it was another copy of SQLite
        connection.close()
        raise
    return connection


def _sqlite():
    """The SQLite that sqlite3 uses: its module's own or the one which that is linked to; else Python's."""
    import _sqlite3

    return ctypes.CDLL(getattr(_sqlite3, "__file__", None))


class _Cursor(sqlite3.Cursor):
    """Of a connection without the functions: who calls one learns why it is not there."""

    def execute(self, *args):
        try:
            return super().execute(*args)
        except sqlite3.OperationalError as e:
            if not str(e).startswith(("no such function", "no such table")):
                raise
            raise sqlite3.OperationalError(f"{e}. {self.connection.without}") from None


def _check(connection, path):
    """Is it a store, of a schema that is known here?"""
    try:
        row = connection.execute("SELECT value FROM sl_meta WHERE name = 'schema'").fetchone()
    except sqlite3.DatabaseError as e:
        if "not a database" in str(e):
            raise sqlite3.DatabaseError(f"{path} is not a Spanloom store (not an SQLite file)") from None
        if "readonly" in str(e):
            raise sqlite3.OperationalError(f"{path} was being written, and that was cut off; take it back with: spanloom "
                                           f"info -d {path}") from None
        if "no such table" not in str(e):
            raise
        row = None
    schema = row[0] if row else 0
    if not schema:
        raise sqlite3.DatabaseError(f"{path} is an SQLite database, but not a Spanloom store; make one with: "
                                    "spanloom import PATH... -d FILE")
    if schema > SCHEMA:
        raise sqlite3.NotSupportedError(f"{path} was written by a newer Spanloom (schema {schema}, this package knows "
                                        f"{SCHEMA}); update the package")
    if schema < SCHEMA:
        raise sqlite3.NotSupportedError(f"{path} was written by an older Spanloom (schema {schema}, this package needs "
                                        f"{SCHEMA}); bring it up to date with: spanloom info -d {path}")


# ---- data frames


def _library(name):
    """The function that makes a frame of {name: values}."""
    if name == "pandas" or name is None:
        try:
            import pandas
        except ImportError as e:
            if name:
                raise ImportError("df: pandas cannot be imported; install it: pip install pandas") from e
        else:
            return lambda columns: _pandas(pandas, columns)
    if name == "polars" or name is None:
        try:
            import polars
        except ImportError as e:
            raise ImportError("df: polars cannot be imported; install it: pip install polars" if name else
                              "df: neither pandas nor polars can be imported; install one of them (pip install pandas), "
                              "or use execute(sql).fetchall()") from e
        return lambda columns: _polars(polars, columns)
    raise ValueError(f"df: library is 'pandas' or 'polars', not {name!r}")


def _kind(name, values):
    """What a column holds: int, float, str, bytes, None (only NULLs), or object (of several kinds)."""
    kinds = {type(v) for v in values} - {type(None)}
    if not kinds:  # what docs/sql.md says of names
        return int if name.endswith("_ns") else float if name.endswith("_s") else None
    if kinds == {int, float}:
        return float
    return kinds.pop() if len(kinds) == 1 else object


def _pandas(pandas, columns):
    def series(name, values):
        kind = _kind(name, values)
        if kind is int:
            return pandas.Series(values, dtype="Int64" if None in values else "int64")
        return pandas.Series(values, dtype={float: "float64", str: None if values else str}.get(kind, object))

    return pandas.DataFrame({name: series(name, values) for name, values in columns.items()})


def _polars(polars, columns):
    types = {int: polars.Int64, float: polars.Float64, str: polars.String, bytes: polars.Binary, None: polars.Null}

    def series(name, values):
        kind = _kind(name, values)
        if kind is object:
            values = [v if v is None else v.decode(errors="replace") if isinstance(v, bytes) else str(v) for v in values]
        return polars.Series(name, values, dtype=types.get(kind, polars.String), strict=False)

    return polars.DataFrame([series(name, values) for name, values in columns.items()])
