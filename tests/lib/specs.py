# SPDX-License-Identifier: Apache-2.0
"""Specifications for tests of pictures, and each of our plots of a real run."""
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
PLOTS = {  # name: the store, and what is behind the name
    "critical-path": ("run",),
    "cumulative": ("two",),
    "density": ("run", "running", "running_ended"),
    "diff": ("run", "run.db", "dual.db"),
    "durations": ("run", "submitted", "exec_done"),
    "durations-over-time": ("run", "running", "running_ended"),
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
        imported(*RUNS[s], store=f"{s}.db")
    spanloom("plot", name, *words, "-d", f"{store}.db", "-o", to)
    return path(to)
