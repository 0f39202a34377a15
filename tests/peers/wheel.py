#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The wheel that pip builds from the clone: what is in it, and that it works in every Python that is here."""
import email
import os
import sys
import sysconfig
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from pythons import *  # noqa: E402
import peers  # noqa: E402

PIP = [peers.python(), "-m", "pip", "-q", "--disable-pip-version-check", "--retries", "1", "--timeout", "15"]
NO_INDEX = "Could not find a version that satisfies the requirement|No matching distribution|Connection ?Error|Network is unreachable"
PROGRAM_PY = """
import spanloom

@spanloom.critical_path()
def inner(n):
    return n + 1

@spanloom.critical_path()
def outer():
    return sum(inner(i) for i in range(3))

assert outer() == 6
"""
PROGRAM_C = "int main(void) { SPANLOOM_SPAN(\"in c\"); return 0; }"


def built():
    """The wheel, or None where pip has no index to take meson-python from."""
    folder = f"{tempfile.mkdtemp(prefix='spanloom-wheel-', dir=SCRATCH)}"
    atexit.register(shutil.rmtree, folder, True)
    r = subprocess.run([*PIP, "wheel", "--no-deps", "-w", folder, ROOT], capture_output=True, text=True, errors="replace")
    if r.returncode and re.search(NO_INDEX, r.stdout + r.stderr):
        peers.skip("there is no index of Python packages")
    if r.returncode:
        sys.exit(f"Bail out! the wheel is not built\n{r.stdout[-3000:]}{r.stderr[-3000:]}")
    [found] = os.listdir(folder)
    return f"{folder}/{found}"


if not os.path.exists(peers.python()):
    peers.skip("there is no index of Python packages")
WHEEL = built()
_installed = {}


def installed(version):
    """A new environment of this Python, with the wheel and nothing else."""
    if version not in _installed:
        venv = f"{os.path.dirname(WHEEL)}/{version}"
        subprocess.run([python(version), "-m", "venv", "--without-pip", venv], check=True)
        subprocess.run([*PIP[:3], "--python", f"{venv}/bin/python", *PIP[3:], "install", "--no-index", WHEEL], check=True)
        _installed[version] = venv
    return _installed[version]


def by(version, source, *args, **more):
    write(path("prog.py"), source)
    venv = installed(version)
    return run(f"{venv}/bin/python", "prog.py", *args, env={"PATH": f"{venv}/bin:{os.environ['PATH']}", "PYTHONPATH": ""}, **more)


def command(version, *words, **more):
    venv = installed(version)
    r = subprocess.run([f"{venv}/bin/spanloom", *words], capture_output=True, text=True, cwd=path(),
                       env=bare_environment(PATH=f"{venv}/bin:{os.environ['PATH']}", PYTHONPATH=""), **more)
    check(r.returncode == 0, words, r.stdout, r.stderr)
    return r.stdout + r.stderr


def cc(flags, source, *more, to="prog"):
    write(path(f"{to}.c"), "#include <spanloom/trace.h>\n" + source)
    r = subprocess.run(f"cc -O1 -o {to} {to}.c {' '.join(more)} {flags.strip()}", shell=True, cwd=path(), capture_output=True, text=True)
    check(r.returncode == 0, r.stderr)
    return path(to)


def nested(t):
    return sorted((s.name, s.parent) for s in t.spans())


# ---- what it is

@test
def its_name():
    machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    equal(os.path.basename(WHEEL), f"spanloom-{own_version()}-cp39-abi3-{machine}.whl")
    with zipfile.ZipFile(WHEEL) as z:
        [wheel] = [n for n in z.namelist() if n.endswith(".dist-info/WHEEL")]
        tags = email.message_from_string(z.read(wheel).decode())
    equal((tags["Tag"], tags["Root-Is-Purelib"]), (f"cp39-abi3-{machine}", "false"))


def own_version():
    with open(f"{ROOT}/meson.build") as f:
        return re.search(r"version: '([^']+)'", f.read())[1]


@test
def its_metadata():
    with zipfile.ZipFile(WHEEL) as z:
        [name] = [n for n in z.namelist() if n.endswith(".dist-info/METADATA")]
        about = email.message_from_string(z.read(name).decode())
        check(any(n.endswith("licenses/LICENSE") for n in z.namelist()), "no license")
    equal([about[k] for k in ("Name", "Version", "License-Expression", "Requires-Python")], ["spanloom", own_version(), "Apache-2.0", ">=3.9"])
    with open(f"{ROOT}/README.md", encoding="utf-8") as f:
        equal(about.get_payload().strip(), f.read().strip())


@test
def what_is_in_it():
    """All files of the packages, and what programs are compiled and linked with."""
    with zipfile.ZipFile(WHEEL) as z:
        names = {n for n in z.namelist() if ".dist-info/" not in n}
    want = {"_spanloom.abi3.so", "_spanloom_sampler.abi3.so", "perfflowaspect/__init__.abi3.so", f"spanloom-{own_version()}.data/scripts/spanloom"}
    want |= {f"spanloom/{n}" for n in ("spanloom.so", "libspanloom-trace.so", "libspanloom-trace.so.0", "libspanloom-trace.a")}
    want |= {f"spanloom/include/spanloom/{n}" for n in os.listdir(f"{ROOT}/include/spanloom")}
    if os.path.exists(f"{ROOT}/page/dist/page.html"):  # for plots as HTML, where `make plots` was
        want |= {f"spanloom/page/{n}" for n in ("page.html", "report.html", "run.html", "serve.html", "NOTICE")}
    for folder, _, files_ in os.walk(f"{ROOT}/python/spanloom"):
        if "__pycache__" not in folder:
            want |= {os.path.relpath(f"{folder}/{n}", f"{ROOT}/python") for n in files_}
    equal(names, want)


@test
def nothing_in_it_names_this_machine():
    with zipfile.ZipFile(WHEEL) as z:
        for name in z.namelist():
            for place in ROOT, os.path.expanduser("~") + "/", peers.VENV, ".mesonpy-":
                found = re.search(re.escape(place.encode()) + rb"[^\0\n]{0,60}", z.read(name))
                check(not found, name, found and found[0])


@test
def what_its_parts_need():
    """Found from where they lie; and of libc no more than what they had where they were built."""
    with zipfile.ZipFile(WHEEL) as z:
        z.extractall(path())
    for name, rpath in ("_spanloom.abi3.so", "$ORIGIN/spanloom"), ("spanloom/spanloom.so", None), ("spanloom/libspanloom-trace.so.0", None), \
            (f"spanloom-{own_version()}.data/scripts/spanloom", None):
        out = subprocess.run(["readelf", "-dW", path(name)], capture_output=True, text=True, check=True).stdout
        equal(re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", out), [rpath] if rpath else [], name)
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", out))
        if "scripts" not in name:
            check(needed - {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"} == ({"libspanloom-trace.so.0"} if rpath else set()), name, needed)
        soname = re.findall(r"\(SONAME\).*\[(.*)\]", out)
        check("libspanloom" not in name or soname == ["libspanloom-trace.so.0"], soname)


# ---- that it works

@cases(*VERSIONS)
def decorated_functions(version):
    r = by(version, PROGRAM_PY + "print(spanloom.__version__, spanloom.__file__)")
    equal(r.out.split()[0], own_version())
    check(r.out.split()[1].startswith(os.path.dirname(WHEEL)), r.out)
    equal(nested(trace()), [("inner", "outer")] * 3 + [("outer", None)])


@cases(*VERSIONS)
def the_program(version):
    equal(command(version, "--version"), f"spanloom {own_version()}\n")
    write(path("prog.py"), PROGRAM_PY)
    out = command(version, "run", "--", "python", "prog.py")
    check(re.search(r"\bouter\b", out) and re.search(r"\binner\b", out), out)


@cases(*VERSIONS)
def stores(version):
    imported(EXAMPLE)
    by(version, """
import spanloom
db = spanloom.open("spanloom.db")
assert db.without is None, db.without
assert db.execute("SELECT count(*) > 20 FROM event_sequences('parsl.rundir.task')").fetchone() == (1,)
print(db.show("task", 42))
""")
    command(version, "sequences", "-d", path("spanloom.db"))


@cases("", "--static")
def programs_in_c(option):
    for version in VERSIONS[0], VERSIONS[-1]:
        program = cc(command(version, "flags", "c", *option.split()), PROGRAM_C)
        run(program, options=f"log-dir={path(version)}")
        equal(nested(trace(path(version))), [("in c", None)])


IN_ONE = """
import ctypes, os, sys
%s

@spanloom.critical_path()
def outer():
    library.work(helped)

@ctypes.CFUNCTYPE(None)
def helped():
    with spanloom.span("back in python"):
        pass

outer()
with open("/proc/self/maps") as maps:
    copies = {line.split()[-1] for line in maps if "spanloom-trace" in line}
assert len(copies) == 1, copies
"""
LOADS = ["import spanloom", "library = ctypes.CDLL('./lib.so')"]


@cases(*((v, of, order) for v in VERSIONS for of in ("wheel", "tree") for order in ("python first", "c first")))
def python_and_c_in_one_process(version, of, order):
    """One runtime, one trace, one stack; also where the library was linked with another copy of it."""
    flags = command(version, "flags", "c") if of == "wheel" else f"-I{ROOT}/include -L{BUILD} -Wl,-rpath,{BUILD} -lspanloom-trace"
    cc(flags, "void work(void (*f)(void)); void work(void (*f)(void)) { SPANLOOM_SPAN(\"in c\"); f(); }", "-shared", "-fPIC", to="lib.so")
    by(version, IN_ONE % "\n".join(LOADS if order == "python first" else LOADS[::-1]))
    equal(nested(trace()), [("back in python", "in c"), ("in c", "outer"), ("outer", None)])


@test
def below_any_folder():
    """pip install --target, and where the environment was moved."""
    target, moved = path("a folder"), path("moved *[1]")
    subprocess.run([*PIP, "install", "--no-index", "--target", target, WHEEL], check=True)
    os.rename(target, moved)
    write(path("prog.py"), PROGRAM_PY + "import spanloom._store as s\nassert s._program().startswith(sys.argv[1]), s._program()\nassert s._extension()\n"
          .replace("import spanloom._store", "import sys, spanloom._store"))
    run(sys.executable, "prog.py", moved, env={"PYTHONPATH": moved})
    equal(len(trace().spans()), 4)
    flags = subprocess.run([f"{moved}/bin/spanloom", "flags", "c"], capture_output=True, text=True, check=True).stdout
    check(f"-L'{moved}/spanloom'" in flags, flags)
    run(cc(flags, PROGRAM_C), options=f"log-dir={path('c')}")
    equal(nested(trace(path("c"))), [("in c", None)])


# ---- beside PerfFlowAspect's own

USES_THEIRS = """
from perfflowaspect import aspect

@aspect.critical_path()
def f():
    pass

f()
"""
THEIRS = next(line.strip() for line in open(f"{ROOT}/tests/peers/requirements.txt") if line.startswith("perfflowaspect=="))


def pip(venv, *words):
    r = subprocess.run([*PIP[:3], "--python", f"{venv}/bin/python", *PIP[3:], *words], capture_output=True, text=True)
    check(r.returncode == 0, words, r.stdout, r.stderr)


def whose(venv, folder, **more):
    """Whose package a program gets that asks for theirs, by the trace that it leaves."""
    os.makedirs(path(folder))
    write(path(folder, "prog.py"), USES_THEIRS)
    r = run(f"{venv}/bin/python", "prog.py", cwd=path(folder), env={"PATH": f"{venv}/bin:{os.environ['PATH']}", "PYTHONPATH": "", **more})
    return {"perfflow.array": "ours", "perfflow": "theirs"}[os.path.basename(files(folder=path(folder))[0]).removesuffix(f".{HOST}.{r.pid}.pfw")]


@cases(*((v, *order, gone) for v in (VERSIONS[0], VERSIONS[-1]) for order in (("theirs", "ours"), ("ours", "theirs")) for gone in order))
def both_installed(version, first, second, gone):
    """Ours takes the place of theirs whichever came first, and either can be uninstalled: the other stays whole."""
    venv, names = path("env"), {"ours": "spanloom", "theirs": "perfflowaspect"}
    subprocess.run([python(version), "-m", "venv", "--without-pip", venv], check=True)
    for which in first, second:
        pip(venv, "install", *(["--no-index", WHEEL] if which == "ours" else [THEIRS]))
    equal(whose(venv, "both"), "ours")
    pip(venv, "uninstall", "-y", names[gone])
    left = "theirs" if gone == "ours" else "ours"
    equal(whose(venv, "one"), left)
    pip(venv, "uninstall", "-y", names[left])
    [packages] = glob.glob(f"{venv}/lib/python3*/site-packages")
    check(not os.path.exists(f"{packages}/perfflowaspect"), "something is left of it")


@test
def theirs_beside_an_editable_install():
    """Where what is imported lies in the clone, and modules are found by a finder that pip has put before all others."""
    venv, clone = path("env"), path("clone")
    names = subprocess.run(["git", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(os.path.isfile, (f"{ROOT}/{n}" for n in names if not n.startswith(("examples/", "tests/data/", "tests/fuzz/corpus/")))):
        os.makedirs(os.path.dirname(to := clone + name.removeprefix(ROOT)), exist_ok=True)
        shutil.copy2(name, to)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    pip(venv, "install", "meson-python", "meson", "ninja", "wheel", THEIRS)
    r = subprocess.run([*PIP[:3], "--python", f"{venv}/bin/python", *PIP[3:], "install", "--no-build-isolation", "--no-deps", "-e", clone],
                       capture_output=True, text=True, env={**os.environ, "PATH": f"{venv}/bin:{os.environ['PATH']}"})
    check(r.returncode == 0, r.stdout[-2000:], r.stderr[-2000:])
    equal(whose(venv, "both"), "ours")
    pip(venv, "uninstall", "-y", "spanloom")
    equal(whose(venv, "one"), "theirs")


@test
def theirs_in_PYTHONPATH():
    """It goes first, and a process with both says so; one with theirs alone has nothing of ours to say it."""
    theirs = {"PYTHONPATH": os.path.dirname(peers.package("perfflowaspect"))}
    venv = installed(VERSIONS[0])
    equal(whose(venv, "alone", **theirs), "theirs")
    for name, source in ("after", "import spanloom\n" + USES_THEIRS), ("before", USES_THEIRS + "import spanloom\n"):
        write(path(f"{name}.py"), source)
        r = run(f"{venv}/bin/python", f"{name}.py", env=theirs, err=None)
        equal((r.err.count("\n"), f"({peers.package('perfflowaspect')}/__init__.py)" in r.err), (1, True), r.err)


main()
