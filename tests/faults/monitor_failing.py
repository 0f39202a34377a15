#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`spanloom monitor` where it can neither write nor read: its file is whole lines, and what failed is said, and without a command is its
exit status."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from monitors import *  # noqa

def on_disk(size, script):
    return (*namespace("-m"), "bash", "-c", f'mkdir -p disk && mount -t tmpfs -o size={size} tmpfs disk || exit 99\n{script}\ns=$?\ncp -r disk kept; umount disk; exit $s')


@test
def a_full_disk():
    """What has no room is lost, and told; what comes when there is room again is there; no line is cut off."""
    script = f'''cat /dev/zero >disk/zero 2>/dev/null; truncate -s 20k disk/zero
        {PROGRAM} monitor --interval 10ms --top 0 --no-gpu -o disk bash -c '
            f=$(echo disk/spanloom-*); size() {{ stat -c %s $f; }}; full=0
            while [ $full -lt 20 ]; do a=$(size); read -t 0.015 <> <(:); [ $a -lt $(size) ] || full=$((full + 1)); done
            n=$(size); rm disk/zero; while [ $(size) -le $n ]; do read -t 0.01 <> <(:); done; exit 5' '''
    r = subprocess.run(on_disk("64k", script), cwd=path(), env=environment(), capture_output=True, text=True)
    equal(r.returncode, 5, r.stderr)
    records = lines(path("kept", os.listdir(path("kept"))[0]))
    end = records[-1]
    check(end["lost"] >= 10 and "No space left on device" in end["lost_why"], end)
    check(re.search(r"^spanloom: disk/spanloom-monitor\S+: \d+ samples could not be written: No space left on device$", r.stderr, re.M), r.stderr)
    ss = [x["n"] for x in of(records, "sample")]
    gap = max(b - a for a, b in zip(ss, ss[1:]))
    check(gap > 10, "there is a gap", ss)


@test
def a_disk_with_no_room_for_halving():
    """So long all samples stay; when there is room, the file is written anew."""
    script = f'''cat /dev/zero >disk/zero 2>/dev/null; truncate -s 40k disk/zero
        {PROGRAM} monitor --interval 10ms --top 0 --no-gpu --max-length 8 -o disk bash -c '
            f=$(echo disk/spanloom-*); many() {{ grep -c sample $f; }}
            while [ $(many) -le 8 ]; do read -t 0.01 <> <(:); done; echo too many
            rm disk/zero; while [ $(many) -gt 8 ]; do read -t 0.01 <> <(:); done; exit 5' '''
    r = subprocess.run(on_disk("64k", script), cwd=path(), env=environment(), capture_output=True, text=True)
    equal((r.returncode, r.stdout), (5, "too many\n"), r.stderr)
    name, = os.listdir(path("kept"))
    records = lines(path("kept", name))
    check(len(of(records, "sample")) <= 8 and "lost" not in records[-1], records[-1])


@test
def a_disk_that_is_full_from_the_start():
    r = subprocess.run(on_disk("64k", f"cat /dev/zero >disk/zero 2>/dev/null; {PROGRAM} monitor -o disk sh -c 'echo out; exit 6'"),
                       cwd=path(), env=environment(), capture_output=True, text=True)
    equal((r.returncode, r.stdout), (6, "out\n"), r.stderr)
    check("No space left on device" in r.stderr, r.stderr)
    equal([n for n in os.listdir(path("kept")) if n != "zero"], [])


@test
def a_full_disk_and_no_command():
    """Then it is the exit status, and said though it is to be quiet."""
    script = f'''cat /dev/zero >disk/zero 2>/dev/null; truncate -s 20k disk/zero
        {PROGRAM} monitor --quiet --interval 10ms --top 0 --no-gpu -o disk & m=$!
        f=; while [ ! "$f" ]; do f=$(ls disk/spanloom-* 2>/dev/null); done
        size() {{ stat -c %s $f; }}; full=0
        while [ $full -lt 20 ]; do a=$(size); read -t 0.015 <> <(:); [ $a -lt $(size) ] || full=$((full + 1)); done
        kill -TERM $m; wait $m'''
    r = subprocess.run(on_disk("64k", script), cwd=path(), env=environment(), capture_output=True, text=True)
    equal(r.returncode, 1, r.stderr)
    check(re.fullmatch(r"spanloom: disk/spanloom-monitor\S+: \d+ samples could not be written, nor how it ended: No space left on device\n", r.stderr), r.stderr)
    records = lines(path("kept", next(n for n in os.listdir(path("kept")) if n != "zero")))
    equal((records[0]["record"], records[-1]["record"]), ("monitor", "sample"))


def failing(what):
    """An environment in which a call fails: see tests/lib/failing.c."""
    return {"LD_PRELOAD": compiled("failing.c", "-shared", "-fPIC", "-ldl"), "FAILING": what, "ASAN_OPTIONS": "verify_asan_link_order=0"}


def until_there_are(n, file):
    """A command that ends with 7 when so many samples are in the file; it starts no other processes."""
    return "sh", "-c", f"""while [ "$n" != {n} ]; do n=0; while read -r x; do case $x in *'"sample"'*) n=$((n + 1)); [ $n -lt {n} ] || break;; esac; done <{file}; done; exit 7"""


@test
def a_first_line_that_cannot_be_written():
    """Without it there is no file."""
    env = failing("pwrite 5 1 1 .jsonl")
    r = spanloom("monitor", "--quiet", *FAST, "-o", "m.jsonl", "sh", "-c", "exit 7", env=env, code=7)
    equal(r.err, "spanloom: m.jsonl: Input/output error\n")
    p = start("--quiet", *FAST, "-o", "m.jsonl", env=env)
    equal((p.wait(PATIENCE), p.stderr.read()), (1, "spanloom: m.jsonl: Input/output error\n"))
    check(not os.path.exists(path("m.jsonl")))


@cases(("pwrite 5 4 6 .jsonl", 4), ("pwrite 28 4 999999 .jsonl", 2))
def samples_that_cannot_be_written(what, there):
    """Those that can be are whole lines. The command's status is passed on; without one it is the monitor's own."""
    error, ends = os.strerror(int(what.split()[1])), there > 2
    told = rf"spanloom: m.jsonl: {'3 samples' if ends else '[0-9]+ samples?'} could not be written{'' if ends else ', nor how it ended'}: {error}\n"
    r = spanloom("monitor", "--quiet", *FAST, "-o", "m.jsonl", *until_there_are(there, "m.jsonl"), env=failing(what), code=7)
    check(re.fullmatch(told, r.err), r.err)
    records = lines(path("m.jsonl"))
    equal([(x["lost"], x["lost_why"]) for x in of(records, "end")], [(3, error)] * ends)
    os.remove(path("m.jsonl"))
    p = start("--quiet", *FAST, "-o", "m.jsonl", env=failing(what))
    until(lambda: os.path.exists(path("m.jsonl")) and len(samples(path("m.jsonl"))) >= there, "samples")
    err = stop(p, code=1)
    check(re.fullmatch(told, err), err)
    equal(len(of(lines(path("m.jsonl")), "end")), ends)


@test
def a_file_that_cannot_be_halved():
    """All samples are in it, and nothing beside it."""
    p = start("--quiet", *FAST, "--max-length", 4, "-o", path("m.jsonl"), env=failing("rename 5 1 999999 m.jsonl"))
    until(lambda: os.path.exists(path("m.jsonl")) and len(samples(path("m.jsonl"))) > 4, "samples")
    equal(stop(p, code=1), f"spanloom: {path('m.jsonl')}: more samples are kept than --max-length says: Input/output error\n")
    equal((os.listdir(path()).count("m.jsonl"), [n for n in os.listdir(path()) if "m.jsonl." in n]), (1, []))
    equal(lines(path("m.jsonl"))[-1]["record"], "end")


@test
def a_standard_output_that_is_full():
    with open("/dev/full", "w") as full:
        p = start("--quiet", *FAST, "-o", "-", stdout=full)
    equal((p.wait(PATIENCE), p.stderr.read()), (1, "spanloom: standard output: No space left on device\n"))


@test
def what_cannot_be_read():
    """A reading that fails is told apart from what is not there, and from a process that has ended."""
    env = failing("pread 5 5 6 /proc/stat")  # what cannot be read is opened once more
    r = spanloom("monitor", "--quiet", *FAST, "-o", "m.jsonl", *until_there_are(8, "m.jsonl"), env=env, code=7)
    equal(r.err, "spanloom: 1 reading failed: /proc/stat: Input/output error\n")
    equal(sum("cpus" not in s for s in samples(path("m.jsonl"))), 1, "samples without CPUs")
    p = start("--quiet", *FAST, env=env)
    file = wait_for(p, 8)
    equal(stop(p, code=1), "spanloom: 1 reading failed: /proc/stat: Input/output error\n")
    check("cpus" in lines(file)[-1])
    r = spanloom("monitor", "--quiet", *FAST, "-o", "n.jsonl", *until_there_are(12, "n.jsonl"), env=failing("openat 24 2 9 /stat"), code=7)
    check(re.fullmatch(r"spanloom: 8 readings failed: /proc/\d+/stat: Too many open files\n", r.err), r.err)
    trees = of(lines(path("n.jsonl")), "tree")
    equal({t["processes"] for t in trees[:12]}, {1}, "it did not end")


main()
