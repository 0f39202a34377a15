#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The test suite of PerfFlowAspect's Python package, from its source distribution, with theirs and with ours in its place.

It is a script for sharness, with jq, neither of which is in the distribution: what it uses of them is written here anew.
"""
import glob
import os
import re
import stat
import subprocess
import sys
import tarfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, cases, check, equal, main, path  # noqa: E402
import peers  # noqa: E402

BUILD = os.environ.get("BUILD", f"{ROOT}/build-gcc")
SHARNESS = """
count=0
mkdir "$PWD/trash" && cd "$PWD/trash" || exit 1
say() { echo "# $*"; }
test_cmp() { diff -u "$@"; }
test_expect_success() {
    count=$((count + 1))
    if eval "$2" >log 2>&1; then echo "ok $count - $1"; else echo "not ok $count - $1"; sed 's/^/# /' log; fi
}
test_done() { echo "1..$count"; exit 0; }
"""
JQ = """
import json, sys
what, file = sys.argv[1:]
found = json.load(open(file, encoding="utf-8"))
for x in {".": lambda: [found], "length": lambda: [len(found)], ".[].name": lambda: [e.get("name") for e in found]}[what]():
    print(json.dumps(x))
"""
NAMES = r"perfflow\.(?=\$\(hostname\)|\{|mycomponent|generic)"


def distribution():
    """The archive of the sources, which is fetched once; pip asks its build system what it is."""
    with open(f"{ROOT}/tests/peers/requirements.txt", encoding="utf-8") as file:
        wanted = re.search(r"^(perfflowaspect==\S+)$", file.read(), re.M)[1]
    to = f"{peers.VENV}/sdist"
    if not glob.glob(f"{to}/perfflowaspect-*.tar.gz"):
        r = subprocess.run([peers.python(), "-m", "pip", "-q", "--disable-pip-version-check", "--retries", "1", "--timeout", "15", "download",
                            "--no-deps", "--no-binary", ":all:", "-d", to, wanted], capture_output=True, text=True)
        if r.returncode:
            peers.skip(f"the sources of {wanted} could not be fetched: {r.stderr[-300:]}")
    return glob.glob(f"{to}/perfflowaspect-*.tar.gz")[0]


def executable(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(name, 0o755)


def suite(packages, rename, **env):
    """What it prints with the Python of build-peers, which finds perfflowaspect in packages ("": theirs, where it is installed)."""
    with tarfile.open(ARCHIVE) as tar:
        tar.extractall(path("sources"))
    [test] = glob.glob(path("sources/*/test"))
    os.makedirs(path("bin"))
    executable(path("bin/jq"), f"#!{sys.executable}\n{JQ}")
    executable(path("bin/lspci"), "#!/bin/sh\n")  # there is no GPU
    executable(path("bin/python"), f"#!/bin/sh\nPYTHONPATH={packages} exec {peers.python()} \"$@\"\n")
    os.makedirs(f"{test}/../../common/sharness")
    executable(f"{test}/../../common/sharness/sharness.sh", SHARNESS)
    for program in glob.glob(f"{test}/*.py"):
        os.chmod(program, os.stat(program).st_mode | stat.S_IXUSR)
    [script] = glob.glob(f"{test}/*.t")
    with open(script, encoding="utf-8") as file:
        text = rename(file.read()).replace("../../common", os.path.realpath(f"{test}/../../common"))
    executable(script, text)
    clean = {k: v for k, v in os.environ.items() if not re.match(r"SPANLOOM_|PERFFLOW_|TRACEPARENT|SLURM_|LSB_|LS_|FLUX_|PYTHON", k)}
    r = subprocess.run(["sh", script], cwd=test, capture_output=True, text=True, timeout=600,
                       env={**clean, "PATH": f"{path('bin')}:{clean['PATH']}", "PYTHONDONTWRITEBYTECODE": "1", **env})
    check(r.returncode == 0, r.stdout, r.stderr)
    return r.stdout


@cases("theirs", "ours")
def its_own_suite(whose):
    """Their scripts close the JSON themselves; names of files are those of later releases, which have the format."""
    out = suite("", str) if whose == "theirs" else \
        suite(f"{ROOT}/python:{BUILD}/python", lambda text: re.sub(NAMES, "perfflow.array.", text), SPANLOOM_OPTIONS="log-close=False")
    said = [line.partition(" ")[0] for line in out.splitlines() if not line.startswith(("#", "1.."))]
    equal(said, ["ok"] * 23, out)


peers.needs("perfflowaspect")
ARCHIVE = distribution()
main()
