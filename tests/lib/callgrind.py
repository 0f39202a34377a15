# SPDX-License-Identifier: Apache-2.0
"""How many instructions a program takes, by valgrind: as many on a slow machine, and beside other work."""
import collections

from harness import *  # noqa

_LINE = re.compile(r"^ *([\d,]+) \( *[\d.]+%\)  (.*?)(?: \[([^\[]*)\])?$", re.M)


def _valgrind(command, options, code, env, cwd):
    # Without the user's environment addresses are the same, and with them the order in some tables of libraries.
    clean = {k: os.environ[k] for k in ("PATH", "TMPDIR") if k in os.environ}
    clean.update(HOME="/nonexistent", LC_ALL="C.UTF-8", TZ="UTC", PYTHONHASHSEED="0", **(env or {}))
    r = subprocess.run(["valgrind", "-q", *options, *map(str, command)], cwd=cwd or path(), env=clean,
                       stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    equal(r.returncode, code, f"{' '.join(map(str, command))}\n{r.stdout[-1000:]}{r.stderr[-3000:]}\n")


def instructions(*command, code=0, env=None, cwd=None, inside=None):
    """Counter {function: instructions of its own} of a command; with inside, of what that function does and calls."""
    out = path("callgrind.out")
    options = ["--tool=callgrind", f"--callgrind-out-file={out}", *([f"--toggle-collect={inside}"] if inside else [])]
    _valgrind(command, options, code, env, cwd)
    text = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", out], capture_output=True, text=True,
                          check=True).stdout
    found = collections.Counter()
    for count, name, file in _LINE.findall(text):
        if name != "PROGRAM TOTALS":
            found[_known_as(name, file)] += int(count.replace(",", ""))
    return found


def _known_as(name, file):
    """`flush (src/writer/flush.c)`, `malloc`; what has no name, by its library, if it has one."""
    function = re.split(r"[.@]|'\d", name.rpartition(":")[2])[0]
    if function.startswith("0x"):
        return f"in {os.path.basename(file)}" if file and file != "???" else "without a name"
    ours = re.search(r"\b(?:src|python/_spanloom)/[^:]+", name)
    return f"{function} ({ours[0]})" if ours else function


def cost(*args, code=0, env=None, cwd=None):
    """Instructions of `spanloom ARGS`, without whose they are, which is half of the work. Most of it is valgrind's own, of
    translating each piece of the program once: it is less where a piece is not gone on with in those that it jumps to."""
    out = path("cachegrind.out")
    _valgrind((PROGRAM, *args), ["--tool=cachegrind", "--cache-sim=no", "--vex-guest-chase=no", f"--cachegrind-out-file={out}"], code, env, cwd)
    with open(out) as f:
        return int(re.search(r"^summary: (\d+)", f.read(), re.M)[1])
