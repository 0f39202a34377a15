# SPDX-License-Identifier: Apache-2.0
"""What the tests of `spanloom monitor` share: monitors that run, and their files."""
import os
import signal

from harness import *  # noqa

FAST = ("--interval", "20ms", "--no-gpu")
TICK = 0.01
BURN = "import time\nend = time.process_time() + {}\nwhile time.process_time() < end: pass\n"


def compiled(name, *options):
    """A C file of tests/lib."""
    to = path(name.replace(".c", ""))
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-o", to, f"{ROOT}/tests/lib/{name}", *options], check=True)
    return to


def start(*words, env=None, **more):
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.Popen([PROGRAM, "monitor", *map(str, words)], cwd=path(), env=environment(**(env or {})), stdin=subprocess.DEVNULL,
                            text=True, **more)


def file_of(p):
    """The file of a monitor that runs."""
    return until(lambda: next((path(n) for n in os.listdir(path()) if n.endswith(f".{p.pid}.jsonl")), None), "a file")


def lines(file, whole=True):
    """All of them as objects; a last one that is cut off is left out, if not `whole`."""
    with open(file) as f:
        text = f.read()
    check(not whole or text.endswith("\n"), "the last line is cut off")
    return [json.loads(x) for x in text[:text.rfind("\n") + 1].splitlines()]


def of(records, kind):
    return [r for r in records if r["record"] == kind]


def samples(file):
    return of(lines(file, False), "sample")


def wait_for(p, n):
    """Until so many samples are in the file."""
    file = file_of(p)
    until(lambda: len(samples(file)) >= n or p.poll() is not None, f"{n} samples")
    return file


def stop(p, sig=signal.SIGTERM, code=0):
    p.send_signal(sig)
    out, err = p.communicate(timeout=PATIENCE)
    equal(p.returncode, code, err)
    return err


def monitored(*words, code=0, **more):
    """Runs it to its end, and gives its records."""
    r = spanloom("monitor", "-o", path("m.jsonl"), *words, code=code, **more)
    records = lines(path("m.jsonl"))
    os.remove(path("m.jsonl"))
    equal((records[0]["record"], records[-1]["record"]), ("monitor", "end"))
    return records, r
