#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What fixed inputs cost, in instructions, is what tests/faults/instructions.txt says: 2 % more fail, and name the
functions.

Counts are of one compiler, libc and set of libraries, which the file names: with others there is nothing to compare,
and a note says so. `make bless` writes those of today.
"""
import os
import platform
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from callgrind import *  # noqa
from traced import *  # noqa

sys.path.insert(0, f"{ROOT}/bench")
import make_run  # noqa: E402

RECORD = f"{ROOT}/tests/faults/instructions.txt"
GROWTH = 1.02
LEAST = 0.005  # of the whole: functions that cost less are not recorded
# that of the system, which others have too
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
blessed = {}


def first_line(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]


def versions():
    """What counts depend on. Of processors, valgrind gives programs one of three."""
    with open("/proc/cpuinfo") as f:
        processor = platform.machine() + (" with AVX2" if re.search(r"\bavx2\b", f.read()) else "")
    libraries = ("sqlite3", "libpcre2-8", "yaml-0.1", "libxxhash", "zlib")
    return [processor, *(first_line(program, "--version") for program in ("gcc", "ldd", "valgrind")),
            *(f"{name} {first_line('pkg-config', '--modversion', name)}" for name in libraries)]


def version_of_python():
    return "Python " + first_line(PYTHON, "-c", "import sys; print(sys.version)")


def recorded():
    """The versions, and {what: {function: instructions}}, of which "" is the sum."""
    with open(RECORD) as f:
        head, *parts = f.read().split("\n\n")
    counts = {}
    for part in parts:
        title, *lines = part.strip().splitlines()
        what, total = title.rsplit(": ", 1)
        counts[what] = {"": total, **{function: count for count, function in (line.split(None, 1) for line in lines)}}
        counts[what] = {function: int(count.replace(",", "")) for function, count in counts[what].items()}
    return {line[4:] for line in head.splitlines() if line.startswith("#   ")}, counts


def bless(what, now):
    """All that was counted so far is the record."""
    total = sum(now.values())
    blessed[what] = [f"\n{what}: {total:,}\n",
                     *(f"{n:>15,} {function}\n" for function, n in now.most_common() if n >= LEAST * total)]
    with open(RECORD, "w") as f:
        f.write("# SPDX-License-Identifier: Apache-2.0\n"
                "# Instructions that tests/faults/instructions.py counted (`make bless` writes it), with\n")
        f.writelines(f"#   {line}\n" for line in [*versions(), version_of_python()])
        f.writelines(line for lines in blessed.values() for line in lines)


def compare(what, now, *more_versions):
    if os.environ.get("BLESS"):
        bless(what, now)
    total = sum(now.values())
    known, counts = recorded()
    if other := [v for v in (*versions(), *more_versions) if v not in known]:
        note(f"{what}: {total:,} instructions, not compared, as the record is not of {', '.join(other)}")
        return
    check(what in counts, f"{what} is not in {RECORD}: `make bless`")
    then = counts[what]
    percent = 100 * (total / then[""] - 1)
    note(f"{what}: {total:,} instructions, {percent:+.2f} %")
    grown = sorted(((n - then.get(function, LEAST * then[""]), function) for function, n in now.items()), reverse=True)
    check(total <= GROWTH * then[""],
          f"{what} costs {percent:.1f} % more instructions, {total:,} instead of {then['']:,}. What grew most:",
          ", ".join(f"{function} by {n:,.0f}" for n, function in grown[:3] if n > 0), "- if it is worth that: `make bless`")
    if total * GROWTH < then[""]:
        note("less than it was: `make bless` keeps it so")


@test
def a_run_of_1000_tasks():
    """Its import, and questions to the store that it makes."""
    make_run.main(path("runinfo"), 1000, quiet=False, number=0)
    compare("import of a run of 1,000 tasks",
            instructions(PROGRAM, "import", "--quiet", "--jobs", "1", "-d", "s.db", "runinfo"))
    for command in "sequences", "critical-path":
        compare(f"{command} of that store", instructions(PROGRAM, command, "-d", "s.db"))


@test
def span():
    exe = compiled("""
    __attribute__((noinline)) static void spans(void) { for (int i = 0; i < 100000; i++) { SPANLOOM_SPAN("s"); } }
    int main(void) { spans(); return 0; }""")
    compare("100,000 spans in C", instructions(exe, inside="spans", env={"SPANLOOM_OPTIONS": "log-format=binary"}))


@test
def decorated_call():
    write(path("calls.py"), """
import sys, spanloom
def bare(): pass
traced = spanloom.critical_path()(bare)
def calls(f):
    for _ in range(50000): f()
calls(traced if sys.argv[1] == "traced" else bare)
""")
    env = {"PYTHONPATH": f"{ROOT}/python:{BUILD}/python", "PYTHONDONTWRITEBYTECODE": "1",
           "SPANLOOM_OPTIONS": "log-format=binary"}
    traced, bare = (instructions(PYTHON, "calls.py", f, env=env) for f in ("traced", "bare"))
    traced.subtract(bare)
    compare("50,000 calls in Python add, when decorated", traced, version_of_python())


if __name__ == "__main__":
    main()
