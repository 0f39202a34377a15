#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The example notebook runs, and what Jupyter is handed of its plots and frames is what the program makes."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from pythons import *  # noqa
import peers  # noqa: E402

for _name in "nbconvert", "ipykernel", "pandas":
    peers.needs(_name)

LITE = "application/vnd.vegalite.v6+json"


@test
def the_example():
    imported(EXAMPLE)
    env = {"PYTHONPATH": PACKAGES, "PYTHONDONTWRITEBYTECODE": "1", "HOME": path("home"), "JUPYTER_PLATFORM_DIRS": "1",
           "IPYTHONDIR": path("ipython")}
    shutil.copy(f"{ROOT}/examples/notebook/where-the-time-went.ipynb", path("example.ipynb"))
    run(peers.python(), "-m", "nbconvert", "--to", "notebook", "--execute", "--output", "done.ipynb", "example.ipynb", env=env, err=None)
    with open(path("done.ipynb"), encoding="utf-8") as f:
        cells = {cell["id"]: cell.get("outputs", []) for cell in json.load(f)["cells"]}
    check(not [o for outputs in cells.values() for o in outputs if o["output_type"] not in ("execute_result", "display_data")], cells)

    for cell, words in (("histogram", ["durations", "invoked", "returned"]), ("states", ["states"])):
        [shown] = cells[cell]
        equal(shown["data"][LITE], json.loads(spanloom("plot", *words, "-o", "-", "--format", "json").out), cell)
        if "text/html" in shown["data"]:  # where the program makes pages
            check("".join(shown["data"]["text/html"]).startswith("<iframe sandbox"), cell)
    [ran] = cells["ran"]
    with open(path("ran.json"), encoding="utf-8") as f:
        equal(ran["data"][LITE], json.load(f))
    equal(ran["data"][LITE]["title"]["text"], "How long the functions ran")

    rows = json.loads(spanloom("durations", "invoked", "returned", "--format", "json").out)
    check(f"count    {len([r for r in rows if r['duration_s'] is not None])}.0" in "".join(cells["durations"][0]["data"]["text/plain"]),
          cells["durations"])
    check("text/html" in cells["what-if"][0]["data"] and "interchange" in str(cells["critical-path"]), cells["what-if"])

    run(peers.python(), "-m", "nbconvert", "--to", "html", "done.ipynb", env=env, err=None)  # what is handed on to others
    check(os.path.getsize(path("done.html")) > 100000, "no page")


main()
