#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Type hints: __init__.pyi says of each function what it takes, as the function does."""
import ast
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from pythons import *  # noqa

SIGNATURES = """
import inspect, json, spanloom
for name in json.load(open("names")):
    f = getattr(spanloom, name)
    try:
        text = str(inspect.signature(f))
    except ValueError:  # a builtin's documentation begins with it
        text = f.__doc__.split("\\n")[0]
    print(text[text.index("("):])
"""


def parameters(arguments):
    """["name", "n=1", "**more"], without annotations."""
    return ast.unparse(ast.arguments(**{**vars(arguments), **{
        k: [ast.arg(a.arg) for a in getattr(arguments, k)] for k in ("posonlyargs", "args", "kwonlyargs")},
        "vararg": arguments.vararg and ast.arg(arguments.vararg.arg), "kwarg": arguments.kwarg and ast.arg(arguments.kwarg.arg)}))


@test
def of_every_function():
    with open(f"{ROOT}/python/spanloom/__init__.pyi", encoding="utf-8") as f:
        hinted = {d.name: parameters(d.args) for d in ast.parse(f.read()).body if isinstance(d, ast.FunctionDef)}
    with open(f"{ROOT}/python/spanloom/__init__.py", encoding="utf-8") as f:
        [public] = [ast.literal_eval(n.value) for n in ast.parse(f.read()).body
                    if isinstance(n, ast.Assign) and n.targets[0].id == "__all__"]
    public.append("open")
    equal(sorted(hinted), sorted(public), "functions in __init__.pyi")
    there = [n for n in public if os.path.exists(f"{ROOT}/python/spanloom/_futures.py") or n != "trace_futures"]
    write(path("names"), json.dumps(there))
    for name, text in zip(there, script(SIGNATURES).out.splitlines()):
        real = ast.parse(f"def f{text}: pass").body[0]
        equal(hinted[name], parameters(real.args), name)


main()
