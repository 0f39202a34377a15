# SPDX-License-Identifier: Apache-2.0
"""Specifications for tests of pictures, and each of our plots of a real run."""
import tarfile

from harness import EXAMPLE, ROOT, imported, path, spanloom

LITE, VEGA = (f"https://vega.github.io/schema/{x}/v6.json" for x in ("vega-lite", "vega"))
ROWS = [{"x": "a", "y": 28}, {"x": "b", "y": 55}, {"x": "c", "y": 43}]


def spec(rows, mark="bar", x="x:N", y="y:Q", **more):
    kinds = {"N": "nominal", "Q": "quantitative", "T": "temporal"}
    encoding = {c: {"field": f[:-2], "type": kinds[f[-1]]} for c, f in (("x", x), ("y", y)) if f}
    encoding.update(more.pop("encoding", {}))
    return {
        "$schema": LITE,
        "width": 300,
        "height": 200,
        "data": {"name": "rows"},
        "datasets": {"rows": rows},
        "mark": mark,
        "encoding": encoding,
        "config": {"aria": False, "font": "DejaVu Sans", "view": {"stroke": None}},
        **more,
    }


RUNS = {
    "run": [EXAMPLE],
    "dual": [f"{ROOT}/tests/data/parsl-2026-dual/runinfo"],
    "two": [EXAMPLE, f"{ROOT}/tests/data/parsl-2026-dual/runinfo"],
    "traced": [f"{ROOT}/tests/data/parsl-2026-traced/runinfo"],
    "nodes": [EXAMPLE, f"{ROOT}/tests/data/nodes"],
}
EXPERIMENTS = {  # made by `spanloom experiment import` of these words
    "experiment": ["--score", "usec_per_task", "--time", "unix_time", f"{ROOT}/examples/experiment/runs.csv"],
    "factorial": ["--score", "seconds", "--time", "unix_time", "--logs", "logs", "factorial/runs.csv"],
}
PLOTS = {  # name: the store, and what is behind the name
    "critical-path": ("run",),
    "cumulative": ("two",),
    "density": ("run", "running", "running_ended"),
    "diff": ("run", "run.db", "dual.db"),
    "durations": ("run", "submitted", "exec_done"),
    "durations-over-time": ("run", "running", "running_ended"),
    "experiment-beside": ("experiment",),
    "experiment-biplot": ("experiment",),
    "experiment-drift": ("experiment",),
    "experiment-enough": ("experiment", "", "log"),
    "experiment-failures": ("experiment",),
    "experiment-fit": ("experiment", "", "log interactions"),
    "experiment-means": ("experiment",),
    "experiment-model": ("experiment", "", "log"),
    "experiment-parts": ("factorial",),
    "experiment-scatter": ("experiment", "cfg_poll_100", "cfg_1_worker"),
    "experiment-scree": ("experiment",),
    "experiment-sequence": ("experiment", "", "rate"),
    "experiment-shapley": ("experiment",),
    "experiment-strip": ("experiment",),
    "experiment-tiles": ("experiment", "", "log"),
    "experiment-treemap": ("experiment",),
    "experiment-variance": ("experiment", "", "log"),
    "experiment-vs": ("experiment", "cfg_no_init_logging = 0 AND src_biglogs_remove = 0"),
    "flame": ("traced",),
    "flame-diff": ("traced", f"{ROOT}/examples/words/before.pfw", f"{ROOT}/examples/words/after.pfw"),
    "icicle": ("traced",),
    "nodes": ("nodes",),
    "rate": ("run", "exec_done"),
    "resources": ("run",),
    "sequences": ("run",),
    "skew": ("run",),
    "states": ("run",),
    "tasks": ("run",),
    "utilisation": ("run",),
    "workers": ("run",),
}


def plot(name, to):
    """The path of a picture."""
    store, *words = PLOTS[name]
    for s in {store, *(w[:-3] for w in words if w.endswith(".db"))}:
        if s == "factorial":
            with tarfile.open(f"{ROOT}/examples/experiment/factorial.tar.xz") as archive:
                archive.extractall(path("."))
        if s in EXPERIMENTS:
            spanloom("experiment", "import", "-d", f"{s}.db", *EXPERIMENTS[s])
        else:
            imported(*RUNS[s], store=f"{s}.db")
    spanloom("plot", name, *words, "-d", f"{store}.db", "-o", to)
    return path(to)
