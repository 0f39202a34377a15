#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The module in C as others build it, under the tests of what programs record: with AddressSanitizer and
UndefinedBehaviorSanitizer, and with the headers of each Python that is here, for the oldest."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from pythons import *  # noqa

DEBIAN = "/usr/bin/python3"  # its memory is what malloc gives
ACCOUNTS = ("reference counts", "memory")  # are not the same with a malloc that keeps what was freed


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def include_of(python):
    return output(python, "-c", "import sysconfig; print(sysconfig.get_path('include'))")


_built = {}


def build(include, *flags):
    """The module, in this test's directory; compiled once with these flags."""
    if (include, flags) not in _built:
        _built[include, flags] = compiled_module(include, *flags)
    write(path("_spanloom.abi3.so"), _built[include, flags])


def compiled_module(include, *flags):
    command = ["gcc", "-shared", "-fPIC", "-g", "-std=gnu17", *flags, "-D_GNU_SOURCE", '-DSL_VERSION="0"', "-DPy_LIMITED_API=0x03090000", "-ftls-model=initial-exec",
               f"-I{ROOT}/include", f"-I{include}", *sorted(glob.glob(f"{ROOT}/python/_spanloom/*.c")),
               "-o", path("made.so"), f"-L{BUILD}", "-lspanloom-trace", f"-Wl,-rpath,{BUILD}"]
    r = subprocess.run(command, capture_output=True, text=True)
    check(r.returncode == 0, r.stderr)
    with open(path("made.so"), "rb") as f:
        return f.read()


def passes(python, tests, may_fail=(), **env):
    r = subprocess.run([python, f"{ROOT}/tests/python/{tests}.py"], capture_output=True, text=True, env={**os.environ, "MODULE": path(), **env})
    check("Sanitizer" not in r.stdout and "runtime error" not in r.stdout, r.stdout[-3000:])
    failed = [line for line in r.stdout.splitlines() if line.startswith("not ok") and not any(m in line for m in may_fail)]
    check(not failed and "\nok 1 " in r.stdout, r.stdout[-3000:] + r.stderr[-2000:])


@cases("decorator", "stretches", "transparency", "arguments", "events", "advice", "calltrees", "futures", "asynchronous")
def sanitized(tests):
    build(include_of(DEBIAN), "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    passes(DEBIAN, tests, ACCOUNTS, SANITIZERS=" ".join(output("gcc", f"-print-file-name=lib{x}.so") for x in ("asan", "ubsan")))


@cases(*[v for v in VERSIONS if os.path.exists(f"{include_of(python(v))}/Python.h")])
def with_headers_of(version):
    build(include_of(python(version)), "-O2", "-Wall", "-Wextra", "-Werror")
    for tests in ("transparency", "events"):
        passes(python(VERSIONS[0]), tests)
    write(path("prog.py"), """
import spanloom, sys
def many(n=3000):
    for i in range(n):
        with spanloom.span("x"): pass
        spanloom.counter("c", 1), spanloom.instant("i"), spanloom.sync_event("after", "e", "c"), spanloom.async_event("after", "e", "c")
        spanloom.flow("f", 1), spanloom.args(a=1), spanloom.enable(True)
        spanloom.advise(before=print).remove()
many(10)
before = [sys.getrefcount(x) for x in (None, True, False)]
many()
print(max(abs(a - sys.getrefcount(x)) for a, x in zip(before, (None, True, False))) < 100)
""")
    equal(run(python(VERSIONS[0]), "prog.py", env={"PYTHONPATH": f"{ROOT}/python:{path()}"}).out, "True\n", "references to None, True, False")


if __name__ == "__main__":
    main()
