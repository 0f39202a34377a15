#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""experiment run --launcher slurm under Debian's slurmctld, slurmd and munged: two nodes on this machine, one of which
goes away while it runs."""
import collections
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["ROOT"], "tests/lib"))
from harness import equal, main, skip, test, until

CONF = """
ClusterName=here
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={dir}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool.%n
SlurmctldPidFile={dir}/slurmctld.pid
SlurmdPidFile={dir}/slurmd.%n.pid
SlurmctldLogFile={dir}/slurmctld.log
SlurmdLogFile={dir}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=5
SchedulerParameters=bf_interval=1,sched_interval=2,sched_min_interval=0
MinJobAge=10
{nodes}
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""
PLAN = """
experiment: slurm
command: 'echo $SLURMD_NODENAME >>began; read x <hold-$SLURMD_NODENAME; echo "score $((10 + 5 * ${A:-0}))"'
score: {regex: 'score (.*)'}
factors:
  a: {environment: {A: 1}}
  b: {placebo: yes}
repeats: 4
"""


class Slurm:
    def __init__(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="spanloom-slurm-"))
        self.started = []
        os.chmod(self.dir, 0o755)
        ports = []
        for _ in range(3):
            s = socket.socket()
            s.bind(("127.0.0.1", 0))
            ports.append(s)
        numbers = [s.getsockname()[1] for s in ports]
        for s in ports:
            s.close()
        host = socket.gethostname()
        nodes = "\n".join(f"NodeName=n{i} NodeAddr=127.0.0.1 NodeHostname={host} Port={numbers[i]} CPUs=1 State=UNKNOWN"
                          for i in (1, 2))
        (self.dir / "slurm.conf").write_text(CONF.format(host=host, port=numbers[0], dir=self.dir, nodes=nodes))
        (self.dir / "munge.key").write_bytes(os.urandom(128))
        os.chmod(self.dir / "munge.key", 0o400)
        (self.dir / "state").mkdir()
        os.environ["SLURM_CONF"] = str(self.dir / "slurm.conf")
        self.start("munged", "--foreground", "--force", f"--key-file={self.dir}/munge.key", f"--socket={self.dir}/munge.socket",
                   f"--pid-file={self.dir}/munge.pid", f"--log-file={self.dir}/munge.log", f"--seed-file={self.dir}/munge.seed")
        until((self.dir / "munge.socket").exists, "munged listens")
        self.start("slurmctld", "-D")
        self.nodes = {n: self.start("slurmd", "-D", "-N", n) for n in ("n1", "n2")}
        until(lambda: self.ask("sinfo", "-h", "-o", "%T").strip() == "idle", "both nodes are idle")

    def start(self, program, *args):
        path = shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
        log = open(self.dir / f"{program}.{len(self.started)}.out", "wb")
        process = subprocess.Popen([path, *args], stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
        self.started.append(process)
        return process

    def ask(self, *command):
        return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout

    def end(self):
        subprocess.run(["scancel", "--me"], capture_output=True, timeout=60)
        for process in reversed(self.started):
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        shutil.rmtree(self.dir, ignore_errors=True)


def make(folder, text=PLAN):
    (folder / "experiment.yaml").write_text(text)
    for node in ("n1", "n2"):
        os.mkfifo(folder / f"hold-{node}")
    (folder / "began").write_text("")
    subprocess.run(["spanloom", "experiment", "design", "full"], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def runs(folder):
    return [r for log in folder.glob("slurm.*.runs.jsonl") for r in map(json.loads, log.read_text().splitlines()) if
            r["record"] == "run"]


def launch(folder, *more):
    return subprocess.run(["spanloom", "experiment", "run", "--launcher", "slurm", *more], cwd=folder, capture_output=True,
                          text=True, timeout=300)


@test
def blocks_run_on_nodes_also_when_one_goes_away():
    if os.geteuid() != 0:
        skip("slurmd wants to be root")
    slurm = Slurm()
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        make(folder)
        hold = {n: os.open(folder / f"hold-{n}", os.O_RDWR | os.O_NONBLOCK) for n in ("n1", "n2")}
        said = launch(folder)
        assert said.returncode == 0 and "was submitted, with 4 blocks" in said.stdout, (said.stdout, said.stderr)
        again = launch(folder)
        assert "is in Slurm's queue; 0 of 16 runs are made" in again.stdout, again.stdout + again.stderr
        until(lambda: len((folder / "began").read_text().split()) == 2, "a run on each node")
        # n2 makes one run, and goes away in its second
        os.write(hold["n2"], b"\n")
        until(lambda: (folder / "began").read_text().split().count("n2") == 2, "the second run on n2")
        before = {r["run"] for r in runs(folder)}
        equal(len(before), 1)
        take_away(slurm, "n2")
        until(lambda: "down" in slurm.ask("sinfo", "-h", "-n", "n2", "-o", "%T"), "Slurm sees that n2 is gone")
        os.write(hold["n1"], b"\n" * 200)
        until(lambda: not slurm.ask("squeue", "-h").strip(), "the job ends")
        done = collections.Counter(r["run"] for r in runs(folder))
        equal(sorted(done, key=int), [str(i + 1) for i in range(16)], "all runs")
        equal(set(done.values()), {1}, "each once")
        assert before <= set(done)
        hosts = collections.Counter(r["host"] for r in runs(folder))
        equal(dict(hosts), {"n1": 15, "n2": 1}, "where they ran")
        said = launch(folder)
        assert "all planned runs have been made" in said.stdout, said.stdout + said.stderr
        model = subprocess.run(["spanloom", "experiment", "model", "--no-time", "--format", "json"], cwd=folder, check=True,
                               capture_output=True, text=True).stdout
        assert '"a"' in model, model
        equal([round(float(c)) for c in counts(folder)], [16, 10, 15], "scores in the store")
    except BaseException:
        for log in sorted(slurm.dir.glob("*.log")) + sorted(folder.glob("slurm.slurm/*")):
            print(f"# {log.name}:", *("#   " + line for line in log.read_text(errors="replace").splitlines()[-12:]), sep="\n")
        raise
    finally:
        slurm.end()
        shutil.rmtree(folder, ignore_errors=True)


def take_away(slurm, node):
    """As when the power goes: first those who could still tell Slurm of it."""
    of_node, parents = [], set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if f"SLURMD_NODENAME={node}".encode() in pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                of_node.append(int(pid))
                parents.add(int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]))
        except OSError:
            continue
    steps = [p for p in parents if pathlib.Path(f"/proc/{p}/comm").read_text().startswith("slurmstepd")]
    assert steps, "a step daemon of the node"
    for pid in (slurm.nodes[node].pid, *steps, *of_node):
        os.kill(pid, signal.SIGKILL)


def counts(folder):
    out = subprocess.run(["spanloom", "sql", "--format", "csv", "SELECT count(*), min(score), max(score) FROM experiment_run"],
                         cwd=folder, check=True, capture_output=True, text=True).stdout
    return out.splitlines()[1].split(",")


main()
