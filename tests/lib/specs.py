# SPDX-License-Identifier: Apache-2.0
"""Specifications for tests of pictures."""

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
