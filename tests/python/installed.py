#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The package as `make install` leaves it: its parts find each other from where they lie."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from pythons import *  # noqa


@test
def as_make_install_leaves_it():
    r = subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", path("root")], capture_output=True, text=True)
    equal(r.returncode, 0, r.stdout + r.stderr)
    [module] = glob.glob(path("root", "**", "_spanloom.abi3.so"), recursive=True)
    packages = os.path.dirname(module)
    prefix = packages[:packages.rindex("/lib")]
    equal(sorted(os.listdir(f"{packages}/spanloom")),
          sorted(n for n in os.listdir(f"{ROOT}/python/spanloom") if n != "__pycache__"), "files of the package")
    if os.path.exists("/etc/debian_version"):  # else PYTHONPATH may be needed, see spanloom-python(7)
        known = subprocess.run(["/usr/bin/python3", "-c", "import site; print(*site.getsitepackages())"], capture_output=True, text=True).stdout
        check(packages.removeprefix(path("root")) in known.split(), packages, known)
    imported(EXAMPLE)
    source = """
import spanloom
from spanloom import _store
with spanloom.span("here"):
    db = spanloom.open("spanloom.db")
assert db.without is None, db.without
assert db.execute("SELECT count(*) > 20 FROM event_sequences('parsl.rundir.task')").fetchone() == (1,)
assert len(db.show("task", 42)) > 5
print(_store._program(), _store._extension())
with open("/proc/self/maps") as maps:
    print(*{line.split()[-1] for line in maps if "spanloom-trace" in line})
"""
    for version in VERSIONS:
        out = script(source, version=version, env={"PYTHONPATH": packages}, options=f"log-dir={path(version)}").out
        check(len(out.split()) == 3 and all(name.startswith(prefix) for name in out.split()), out)
        equal([s.name for s in trace(path(version)).spans()], ["here"])
    flags = subprocess.run([f"{prefix}/bin/spanloom", "flags", "c"], capture_output=True, text=True, check=True).stdout
    check(f"-I{prefix}/include" in flags and f"-L{prefix}/lib" in flags, flags)


main()
