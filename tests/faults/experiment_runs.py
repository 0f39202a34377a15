#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs of an experiment that is killed, again and again: none is lost, none is made twice, files are put back, and what
was set up is torn down."""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["ROOT"], "tests/lib"))
from harness import main, path, test

KILLS = int(os.environ.get("KILLS", 20 if os.environ.get("QUICK") else 200))
PLAN = """
experiment: kills
command: 'changed=$(grep -c changed code.txt); kill -USR1 "$WHO"; read x <hold.fifo; echo "score $changed"'
score: {regex: 'score (.*)', overhead: difference}
factors:
  a:
    levels:
      0: {ideal: -1}
      1: {ideal: 0, edit: {file: code.txt, replace: original, with: changed}}
  b: {environment: {B: up}, setup: 'mkdir $B', teardown: 'rmdir $B'}
  c: {placebo: yes}
  d: {placebo: yes}
repeats: %d
"""


@test
def of_many_kills_none_loses_or_repeats_a_run():
    folder = pathlib.Path(path())
    (folder / "experiment.yaml").write_text(PLAN % (KILLS // 8 + 1))
    (folder / "code.txt").write_text("original\n")
    os.mkfifo(folder / "hold.fifo")
    hold = os.open(folder / "hold.fifo", os.O_RDWR | os.O_NONBLOCK)
    env = {**os.environ, "WHO": str(os.getpid())}
    command = ["spanloom", "experiment", "run", "--no-import"]
    subprocess.run(["spanloom", "experiment", "design", "full"], check=True, stdout=subprocess.DEVNULL, cwd=folder)
    planned = (folder / "kills.design.csv").read_text().count("\n") - 1
    choose = random.Random(3)
    log = folder / "kills.runs.jsonl"

    def runs():
        """Whole lines alone: what a kill cut off is no run."""
        whole = log.read_text().split("\n")[:-1] if log.exists() else []
        return [r for r in map(json.loads, whole) if r["record"] == "run"]

    def drain():
        try:
            while os.read(hold, 100):
                pass
        except BlockingIOError:
            pass

    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    before = 0
    for number in range(KILLS):
        process = subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd=folder)
        signal.sigtimedwait({signal.SIGUSR1}, 3)  # a run is on, or was: what a killed run left behind may signal late
        how = choose.randrange(3)
        if how:  # it ends: the kill comes near what is done behind it ...
            os.write(hold, b"\n")
        if how == 1:
            for _ in range(choose.randrange(100000)):
                pass
        elif how == 2:  # ... or in the next one
            signal.sigtimedwait({signal.SIGUSR1}, 3)
        process.kill()
        process.wait()
        while signal.sigtimedwait({signal.SIGUSR1}, 0):
            pass
        drain()
        assert len(runs()) >= before, f"kill {number}: {before} runs were over, now {len(runs())}"
        before = len(runs())
        if number % 5 == 2:  # a line that was cut off
            with open(log, "a", encoding="utf-8") as file:
                file.write('{"record": "run", "experi')
    assert 0 < before < planned, before
    process = subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd=folder)
    os.write(hold, b"\n" * 4 * planned)
    assert process.wait() == 0
    done = [r["run"] for r in runs()]
    assert sorted(done, key=int) == [str(i + 1) for i in range(planned)], "each run once"
    assert (folder / "code.txt").read_text() == "original\n"
    assert not (folder / ".kills.undo").exists()
    assert not (folder / "up").exists()  # had it been there once, mkdir would have failed, and its run
    for run in runs():  # the file was as the setting says, whatever had been killed before
        assert (run["score"], run["outcome"]) == (1, "done"), run
        assert run["measured"] == int(run["a"]), run
    subprocess.run(["spanloom", "import", str(log)], check=True, stdout=subprocess.DEVNULL, cwd=folder)
    counted = subprocess.run(["spanloom", "sql", "--format", "tsv", "SELECT count(*), count(DISTINCT key) FROM spans "
                              "WHERE type = 'experiment.run'"], check=True, capture_output=True, text=True, cwd=folder).stdout
    assert counted.split("\n")[1] == f"{planned}\t{planned}", counted


main()
