# SPDX-License-Identifier: Apache-2.0
"""Every Python that is here, to run programs that use the package, as it is in the tree: one build is for all of them."""
import glob
import shutil

from traced import *  # noqa

MODULE = os.environ.get("MODULE")  # a folder with a _spanloom of another build, for this Python alone (tests/python/builds.py)
SANITIZERS = os.environ.get("SANITIZERS")  # libraries that it must be loaded after
PACKAGES = f"{ROOT}/python:{MODULE or BUILD + '/python'}"
OLDEST, NEWEST = 9, 15


def _pythons():
    """{(3, 11): path}: that which runs the tests first, then those of PATH, then pyenv's, whose scripts in PATH take longer."""
    pyenv = shutil.which("pyenv")
    roots = [os.path.dirname(os.path.dirname(os.path.realpath(pyenv)))] if pyenv else []
    named = [shutil.which(f"python3.{n}") for n in range(OLDEST, NEWEST)]
    asked = [sys.executable, "/usr/bin/python3", *(p for p in named if p and not any(p.startswith(f"{root}/shims/") for root in roots)),
             *(p for root in roots for p in sorted(glob.glob(f"{root}/versions/3.*/bin/python3")))]
    found = {}
    for command in asked:
        try:
            r = subprocess.run([command, "-I", "-S", "-c", "import sys; print(*sys.version_info[:2], sys.executable)"], capture_output=True, text=True)
        except OSError:
            continue
        if not r.returncode:
            major, minor, path = r.stdout.split(None, 2)
            if (int(major), int(minor)) >= (3, OLDEST):
                found.setdefault((int(major), int(minor)), path.strip())
    return found


PYTHONS = {sys.version_info[:2]: sys.executable} if MODULE else _pythons()
VERSIONS = [f"{a}.{b}" for a, b in sorted(PYTHONS)]  # for @cases(*VERSIONS)


def python(version=None):
    return PYTHONS[tuple(map(int, version.split(".")))] if version else next(iter(PYTHONS.values()))


def script(source, *args, version=None, env=None, name="prog.py", **more):
    """Runs source in this test's directory by a Python of this version (None: any)."""
    write(path(name), source)
    ours = {"PYTHONPATH": PACKAGES, "PYTHONDONTWRITEBYTECODE": "1"}
    if SANITIZERS:
        ours |= {"LD_PRELOAD": SANITIZERS, "PYTHONMALLOC": "malloc", "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1"}
    return run(python(version), name, *args, env={**ours, **(env or {})}, **more)
