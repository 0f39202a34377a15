#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`spanloom run`, `span` and `monitor` in place of a command: files, signals, exit statuses, and what becomes of the traces."""
import os
import pty
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

VIA = [("run", "--quiet", "--"), ("span", "s", "--"), ("monitor", "--quiet", "--")]
SLOW = "trap 'echo got TERM; exit 7' TERM; trap 'echo got INT; exit 8' INT; trap 'echo got USR1' USR1; echo ready; while :; do sleep 0.02; done"


def start(via, *command, **more):
    return subprocess.Popen([PROGRAM, *via, *command], env=environment(), cwd=path(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, **more)


def ready(p):
    equal(p.stdout.readline(), "ready\n")
    return p


def child_of(p):
    def children():
        with open(f"/proc/{p.pid}/task/{p.pid}/children") as f:
            return f.read().split()
    return int(until(children, "a child")[0])


def ends(p, code, out=None):
    got, err = p.communicate(timeout=PATIENCE)
    equal(p.returncode, code, err)
    if out is not None:
        equal(got, out)


def traces(where="."):
    """All traces below, which must be valid JSON."""
    found = []
    for d, _, names in os.walk(path(where)):
        for n in sorted(names):
            if n.endswith(".pfw"):
                with open(os.path.join(d, n)) as f:
                    found.append(json.load(f))
    return found


@cases(*((via, code) for via in VIA for code in (0, 1, 77, 255)))
def the_exit_status_is_the_commands(via, code):
    ends(start(via, "sh", "-c", f"exit {code}"), code)


@cases(*((via, sig) for via in VIA for sig in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGINT, signal.SIGPIPE, signal.SIGABRT)))
def a_signal_that_ended_the_command_ends_us(via, sig):
    ends(start(via, "sh", "-c", f"kill -{int(sig)} $$"), -sig)


@cases(*VIA)
def what_cannot_be_run(*via):
    ends(start(via, "no-such-command"), 127, "")
    ends(start(via, "/"), 126, "")
    write(path("script"), "exit 4\n")
    os.chmod(path("script"), 0o755)
    ends(start(via, "./script"), 4)  # without #!, as execvp() has it


@cases(*((via, sig, code, out) for via in VIA for sig, code, out in ((signal.SIGTERM, 7, "got TERM\n"), (signal.SIGINT, 8, "got INT\n"))))
def signals_sent_to_us_go_to_the_command(via, sig, code, out):
    p = ready(start(via, "sh", "-c", SLOW))
    p.send_signal(signal.SIGUSR1)
    equal(p.stdout.readline(), "got USR1\n")
    p.send_signal(sig)
    ends(p, code, out)


@cases(*VIA)
def a_signal_to_the_whole_group(*via):
    p = ready(start(via, "sh", "-c", "trap 'exit 9' INT; echo ready; while :; do sleep 0.02; done", start_new_session=True))
    os.killpg(p.pid, signal.SIGINT)
    ends(p, 9)
    p = ready(start(via, "sh", "-c", "echo ready; exec sleep 30", start_new_session=True))
    os.killpg(p.pid, signal.SIGTERM)
    ends(p, -signal.SIGTERM)


@cases(*VIA)
def interrupt_from_the_terminal_comes_once(*via):
    script = ("import signal, time, sys\nn = []\nsignal.signal(signal.SIGINT, lambda *a: n.append(1))\nprint('ready', flush=True)\n"
              "end = time.time() + 600\nwhile not n and time.time() < end: time.sleep(0.01)\ntime.sleep(0.3)\nprint('got', len(n), flush=True)\n")
    pid, fd = pty.fork()
    if not pid:
        signal.alarm(PATIENCE)
        os.chdir(path())
        os.execve(PROGRAM, [PROGRAM, *via, sys.executable, "-c", script], environment())
    seen = b""
    while b"ready" not in seen:
        seen += os.read(fd, 1000)
    os.write(fd, b"\x03")
    while b"got" not in seen or not seen.endswith(b"\n"):
        seen += os.read(fd, 1000)
    check(b"got 1" in seen, seen)
    equal(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
    os.close(fd)


@cases(*VIA)
def suspended_from_the_terminal(*via):
    """Ctrl-Z under an interactive shell, then fg."""
    pid, fd = pty.fork()
    if not pid:
        signal.alarm(PATIENCE)
        os.chdir(path())
        os.execvpe("bash", ["bash", "--norc", "-i"], environment(PS1="$ "))

    seen = bytearray()

    def seen_until(text):
        while text not in seen:
            try:
                seen.extend(os.read(fd, 1000))
            except OSError as e:
                raise AssertionError(f"{text} did not come, but {bytes(seen)}") from e
        del seen[:seen.index(text) + len(text)]  # what comes behind may be what is waited for next

    # No shell: one that is stopped between vfork and exec cannot be. SIGCONT comes from the shell and from us, so once and more.
    code = ('import os, signal, time; signal.signal(signal.SIGCONT, lambda *a: (os.write(1, b"do" b"ne"), os._exit(9))); '
            'os.write(1, b"rea" b"dy"); [time.sleep(0.05) for _ in iter(int, 1)]')  # pause() may begin after the signal
    os.write(fd, f"{PROGRAM} {' '.join(via)} {sys.executable} -c '{code}'\n".encode())
    seen_until(b"ready")
    os.write(fd, b"\x1a")
    seen_until(b"Stopped")
    os.write(fd, b"fg; echo status $?\n")
    seen_until(b"done")
    seen_until(b"status 9")
    os.write(fd, b"exit\n")
    os.waitpid(pid, 0)
    os.close(fd)


@cases(*VIA)
def a_command_killed_beside_us(*via):
    p = ready(start(via, "sh", "-c", SLOW))
    os.kill(child_of(p), signal.SIGKILL)
    ends(p, -signal.SIGKILL)


@cases(*VIA)
def a_command_stopped_and_continued(*via):
    p = ready(start(via, "sh", "-c", SLOW))
    c = child_of(p)
    os.kill(c, signal.SIGSTOP)
    time.sleep(0.2)
    check(p.poll() is None)
    with open(f"/proc/{p.pid}/stat") as f:
        check(f.read().rpartition(")")[2].split()[0] != "T", "we stopped with it")
    os.kill(c, signal.SIGCONT)
    os.kill(c, signal.SIGTERM)
    ends(p, 7, "got TERM\n")


@cases(*VIA)
def files_are_the_commands(*via):
    write(path("third"), "more\n")
    with open(path("third")) as f:
        p = subprocess.run([PROGRAM, *via, "sh", "-c", f"cat; echo e >&2; cat <&{f.fileno()}"], cwd=path(), env=environment(), input="in\n",
                           capture_output=True, text=True, pass_fds=(f.fileno(),))
    equal((p.returncode, p.stdout, p.stderr), (0, "in\nmore\n", "e\n"))


@cases(*VIA)
def signals_mean_to_the_command_what_they_meant_to_us(*via):
    status = "grep -E 'Sig(Blk|Ign)' /proc/self/status"
    for before in (lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL),
                   lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN),
                   lambda: (signal.signal(signal.SIGINT, signal.SIG_IGN), signal.signal(signal.SIGXFSZ, signal.SIG_DFL))):
        def run(*command):
            return subprocess.run(command, cwd=path(), env=environment(), capture_output=True, text=True, preexec_fn=before).stdout
        equal(run(PROGRAM, *via, "sh", "-c", status), run("sh", "-c", status))


@test
def a_directory_that_cannot_be_written():
    os.mkdir(path("ro"))
    os.chmod(path("ro"), 0o555)
    run = lambda *words: subprocess.run([PROGRAM, *words], cwd=path("ro"), env=environment(), capture_output=True, text=True, preexec_fn=without_rights)
    for words, code in ((("span", "s", "--", "sh", "-c", "exit 6"), 6), (("begin", "a"), 0), (("event", "a"), 0)):
        r = run(*words)
        equal((r.returncode, r.stdout, r.stderr.count("\n")), (code, "", 1), words)
        check("Permission denied; name another place: SPANLOOM_OPTIONS=log-dir=DIR" in r.stderr, r.stderr)
    r = run("end")
    equal((r.returncode, r.stderr), (0, ""))
    equal(run("run", "true").returncode, 125)


@test
def a_full_disk():
    """A write that finds no room leaves what was there, and the script goes on."""
    spanloom("begin", "a", "--pid", os.getpid())
    size = os.path.getsize(next(iter(glob_traces())))
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, size + 20))
    r = spanloom("event", "long", "x=" + 200 * "x", "--pid", os.getpid(), before=limit)
    check("nothing is recorded" in r.err, r.err)
    equal([e["name"] for e in traces()[0]], ["spanloom", "process_name", "a"])
    spanloom("end", "--pid", os.getpid())
    equal([e["ph"] for e in traces()[0]], ["M", "M", "B", "E"])


def glob_traces():
    return [path(n) for n in os.listdir(path()) if n.endswith(".pfw")]


@test
def torn_writes_are_mended():
    me = ("--pid", os.getpid())
    spanloom("begin", "a", *me)
    spanloom("event", "b", *me)
    file, = glob_traces()
    data = read_bytes(file)
    first = data.index(b"\n", 3) + 1
    for cut in list(range(1, len(data))) + [None]:
        with open(file, "wb") as f:
            f.write(data[:cut] if cut else data + b'torn{"')
        if cut and cut % 7 and cut != first:
            continue
        spanloom("event", "next", *me)
        names = [e["name"] for e in traces()[0]]
        check(names[0] == "spanloom" and names[-1] == "next", cut, names)


def read_bytes(file):
    with open(file, "rb") as f:
        return f.read()


@test
def many_shells_at_once():
    """50 shells write 20 spans each, and all of them into one, too."""
    script = ("for i in 1 2 3 4 5 6 7 8 9 10; do spanloom begin outer i=$i; spanloom begin inner; spanloom end inner; spanloom end outer; "
              f"spanloom event from-$$ --pid {os.getpid()}; done")
    some = [subprocess.Popen(["sh", "-c", script], cwd=path(), env=environment(PATH=f"{os.path.dirname(PROGRAM)}:{os.environ['PATH']}")) for _ in range(50)]
    for p in some:
        equal(p.wait(timeout=PATIENCE), 0)
    found = traces()
    equal(len(found), 51)
    for t in found:
        pid = t[0]["args"]["pid"]
        phases = "".join(e["ph"] for e in t)
        equal(phases, "MM" + ("i" * 500 if pid == os.getpid() else "BBEE" * 10), pid)
        times = [e["ts"] for e in t if "ts" in e]
        equal(times, sorted(times))


@test
def a_pid_that_comes_again():
    spanloom("begin", "a", "--pid", os.getpid())
    file, = glob_traces()
    data = read_bytes(file)
    with open(file, "wb") as f:
        f.write(re.sub(rb'"start_ticks": \d+', b'"start_ticks": 1', data))
    equal(spanloom("end", "--pid", os.getpid(), code=0).err.count("nothing is open"), 1)
    spanloom("begin", "b", "--pid", os.getpid())
    equal(sorted(t[2]["name"] for t in traces()), ["a", "b"])


@test
def beside_each_other():
    """Pipelines and & : no span ends another's, and each lies in the one that the script had open."""
    write(path("s"), "spanloom begin all\nspanloom span a -- sleep 0.2 | spanloom span b -- cat\nspanloom span c -- sh -c 'touch on; until test -e go; do sleep 0.01; done' &\n"
                     "until test -e on; do sleep 0.01; done\nspanloom begin d\nspanloom end d\ntouch go\nwait\nspanloom end all\n")
    r = subprocess.run(["sh", "s"], cwd=path(), env=environment(PATH=f"{os.path.dirname(PROGRAM)}:{os.environ['PATH']}"), capture_output=True, text=True)
    equal((r.returncode, r.stdout + r.stderr), (0, ""))
    found = {t[0]["args"]["pid"]: t for t in traces()}
    main, = [t for t in found.values() if t[0]["args"]["program"] == "sh"]
    spans = {e["name"]: e["args"]["span_id"] for t in found.values() for e in t if e["ph"] == "B"}
    equal(sorted(spans), ["a", "all", "b", "c", "d"])
    stack = []
    for e in main:
        if e["ph"] == "B":
            stack.append(e["name"])
        elif e["ph"] == "E":
            equal(stack.pop(), e["name"])
    equal(stack, [])
    for t in found.values():
        if t is not main:
            equal(t[0]["args"]["parent_id"], spans["all"])
            equal(t[0]["args"]["trace_id"], main[0]["args"]["trace_id"])


@test
def a_span_that_was_killed_is_no_hindrance():
    p = start(("span", "long", "--"), "sleep", "30")
    c = child_of(p)
    os.kill(p.pid, signal.SIGKILL)
    p.wait()
    os.kill(c, signal.SIGKILL)
    equal(spanloom("end", "--pid", os.getpid(), code=0).err.count("nothing is open"), 1)
    p = start(("span", "next", "--"), "true")
    ends(p, 0)
    equal(len(traces()), 1)


main()
