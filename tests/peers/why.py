#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spanloom why of real Parsl runs that are slow for a known reason (lib/planted.py), and of the same without it.

How long workers take to start differs from run to run, and with what else the machine does: so what is compared is the time
from then on, and not closely.  Worked-out schedules (sql/why.py) are.
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import PROGRAM, ROOT, cases, check, environment, main, note, path, spanloom  # noqa: E402
import peers  # noqa: E402

peers.needs("parsl")
FINDING = {"straggler": "straggler", "few_workers": "too-few-workers", "barrier": "barrier", "window": "barrier", "late_task": "late-submission", "made_again": "made-again", "failed_block": "failed-blocks", "few_blocks": "few-blocks", "slow_block": "slow-workers",
           "late_input": "bottleneck-task", "chain": "chain", "joined_chain": "chain", "failed_tries": "failed-tries", "pause": "retry-handler",
           "lost_worker": "lost-workers", "slow_driver": "slow-driver", "idle_driver": "idle-driver", "stages": "stage-dependencies", "first_tasks": "first-tasks", "one_lock": "one-at-a-time", "slow_disk": "contention"}


def runs(cause, kinds=("planted", "repaired")):
    """What is found in a run with the reason, and in one without; both go on at once."""
    where = {"PATH": f"{os.path.dirname(peers.python())}:{os.path.dirname(PROGRAM)}:{os.environ['PATH']}"}
    going = [subprocess.Popen([peers.python(), f"{ROOT}/tests/lib/planted.py", cause, kind, path(kind)], env={**environment(), **where},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for kind in kinds]
    for process in going:
        out, _ = process.communicate(timeout=300)
        check(process.returncode == 0, out[-2000:])
    return [json.loads(spanloom("why", "--format", "json", "-d", path(f"{kind}.db"), f"{path(kind)}/runinfo").out) for kind in kinds]


def costs(told):
    """Of what sound runs lack."""
    return [(f["finding"], round(f["seconds"], 2)) for f in told["findings"] if f["seconds"] is not None and not f["usual"]]


@cases(*FINDING)
def the_reason_is_the_first_finding(cause):
    planted, repaired = runs(cause)
    check(costs(planted) and costs(planted)[0][0] == FINDING[cause], costs(planted))
    check(FINDING[cause] not in [name for name, _ in costs(repaired)], "repaired:", costs(repaired))
    if cause == "joined_chain":  # it is join apps that submit what comes next, once their tasks are done
        check("barrier" not in [name for name, _ in costs(planted)], costs(planted))
    first = next(f for f in planted["findings"] if f["finding"] == FINDING[cause])
    was, now = planted["run"][0], repaired["run"][0]
    gained = was["makespan_s"] - was["first_run_s"] - (now["makespan_s"] - now["first_run_s"])
    note(f"{first['seconds']:.2f} s told, {gained:.2f} s gained: {first['text']}")
    # seconds of few workers are those of twice as many, and four times as many were taken; a further block comes when it comes
    if cause not in ("few_workers", "slow_block", "failed_block", "few_blocks"):
        check(abs(first["seconds"] - gained) < 0.35 * gained + 1, f"{first['seconds']} s told, {gained} s gained")


@cases("sound")
def a_sound_run_has_no_finding(cause):
    [sound] = runs(cause, ("planted",))
    check(all(seconds < 0.05 * sound["run"][0]["makespan_s"] for _, seconds in costs(sound)), costs(sound))


@cases("late_block")
def workers_that_came_late(cause):
    late, usual = runs(cause)
    name, seconds = costs(late)[0]  # worker_init sleeps for 12 s, and a busy machine takes its time besides
    check(name == "late-workers" and 9 < seconds < 15 + usual["run"][0]["first_run_s"], costs(late), usual["run"][0]["first_run_s"])
    check("late-workers" not in [name for name, _ in costs(usual)], costs(usual))


main()
