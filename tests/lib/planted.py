# SPDX-License-Identifier: Apache-2.0
"""A Parsl workflow that is slow for one known reason: planted.py CAUSE planted|repaired DIRECTORY.

Its tasks sleep, so that nothing but the reason decides how long it takes, also on a machine that does other work.
"""
import concurrent.futures
import os
import sys
import time

import parsl
from parsl import join_app, python_app
from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.launchers import SimpleLauncher
from parsl.providers import LocalProvider


@python_app
def work(seconds, *after):
    import time
    time.sleep(seconds)
    return seconds


@python_app
def fetch(seconds):
    import time
    time.sleep(seconds)


@python_app
def analyse(seconds, *after):
    import time
    time.sleep(seconds)


@python_app
def flaky(seconds, fails, marks, *after):
    """Fails so many times, each after so many seconds; marks: a file that counts."""
    import os
    import time
    time.sleep(seconds)
    with open(marks, "a") as file:
        file.write(".")
    if os.path.getsize(marks) <= fails:
        raise OSError(f"cannot reach the licence server ({marks[-1]})")


@python_app
def on_block(seconds, slow, factor):
    """Slower by a factor on one block."""
    import os
    import time
    time.sleep(seconds * (factor if os.environ.get("PARSL_WORKER_BLOCK_ID") == slow else 1))


@python_app
def cold(seconds, imports):
    """Slower where its worker has run nothing before."""
    import sys
    import time
    time.sleep(seconds + (0 if hasattr(sys, "warm") else imports))
    sys.warm = True


@python_app
def heavy(data, seconds):
    import time
    time.sleep(seconds)
    return len(data)


@python_app
def locked(free, turns, each, lock):
    """Takes turns with all that take this lock; "": there is none."""
    import fcntl
    import time
    time.sleep(free)
    for _ in range(turns):
        if not lock:
            time.sleep(each)
            continue
        with open(lock, "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            time.sleep(each)


@join_app
def step(n, seconds):
    """So many tasks one after the other, each submitted when the one before is done."""
    last = analyse(seconds)
    return last if n == 1 else then(n - 1, seconds, last)


@join_app
def then(n, seconds, _):
    return step(n, seconds)


@join_app
def at_once(n, seconds):
    return [analyse(seconds) for _ in range(n)]


def wait(futures):
    return [f.result() for f in futures]


WORKERS = 4


def straggler(planted):
    yield {}
    long = [work(0.5) for _ in range(30)]
    long.append(work(14 if planted else 0.5))
    long += [work(0.5) for _ in range(17)]
    wait(long)


def few_workers(planted):
    yield {"workers": 1 if planted else WORKERS}
    wait([work(0.5) for _ in range(40)])


def barrier(planted):
    """Stages whose tasks are unequal; repaired, nothing waits for the others of its stage."""
    yield {}
    times = [[1.0 if i else 4.0 for i in range(4)], [1.0 if i != 1 else 4.0 for i in range(4)],
             [1.0 if i != 2 else 4.0 for i in range(4)]]
    if planted:
        for stage in times:
            wait([work(t) for t in stage])
    else:
        wait([work(t) for stage in times for t in stage])


def window(planted):
    """A driver that has two tasks in flight, at most."""
    yield {}
    going = set()
    for i in range(48):
        while len(going) >= (2 if planted else 48):
            _, going = concurrent.futures.wait(going, return_when=concurrent.futures.FIRST_COMPLETED)
        going.add(work(0.5 + 0.1 * (i % 3)))
    wait(going)


def late_task(planted):
    yield {}
    if not planted:
        long = analyse(12)
    wait([work(1.0) for _ in range(40)])
    wait([analyse(12) if planted else long])


def made_again(planted):
    """A task fails, with all that depend on it; the driver calls them once more."""
    yield {}
    for number in range(2):
        first = flaky(6.0, 1 if planted else 0, f"{os.getcwd()}/marks")
        if not any([f.exception() for f in [analyse(0.5, first) for _ in range(12)]]):
            return


def failed_block(planted):
    yield {"workers": 2, "blocks": 2, "worker_init": 'case "$0" in *block-1*) no_such_module_system load gcc || exit 7;; esac' if planted else ""}
    wait([work(1.0) for _ in range(60)])


def few_blocks(planted):
    yield {"workers": 2, "blocks": 3, "init_blocks": 1 if planted else 3}
    wait([work(1.0) for _ in range(60)])


def slow_block(planted):
    yield {"workers": 2, "blocks": 2}
    wait([on_block(0.4, "1", 5 if planted else 1) for _ in range(40)])


def late_input(planted):
    yield {}
    data = fetch(10 if planted else 0.5)
    wait([analyse(0.5, data) for _ in range(16)])


def chain(planted):
    yield {}
    last, all_of_it = None, []
    for _ in range(24):
        last = work(0.5, *([last] if planted and last else []))
        all_of_it.append(last)
    wait(all_of_it)


def failed_tries(planted):
    yield {"retries": 3}
    marks = f"{os.getcwd()}/marks"
    early = [flaky(2.0, 3 if planted else 0, f"{marks}{i}") for i in range(4)]
    wait([analyse(0.3, e) for e in early for _ in range(4)])


def joined_chain(planted):
    """Of which parsl.log names no dependency."""
    yield {}
    wait([step(16, 0.6) if planted else at_once(16, 0.6)])


def pause(planted):
    """Before each try that is made again the driver sleeps."""
    def asked(exception, task):
        time.sleep(2)
        return 1
    yield {"retries": 3, "retry_handler": asked if planted else None}
    marks = f"{os.getcwd()}/marks"
    wait([flaky(0.3, 1 if i % 4 == 0 else 0, f"{marks}{i}") for i in range(16)])


def late_block(planted):
    yield {"worker_init": "sleep 12" if planted else ""}
    wait([work(0.5) for _ in range(16)])


def slow_driver(planted):
    yield {}
    work(0.1).result()  # on a busy machine all would be submitted before a worker is there
    futures = []
    for _ in range(40):
        futures.append(work(0.1))
        time.sleep(0.35 if planted else 0)
    wait(futures)


def idle_driver(planted):
    """Between two stages the driver computes."""
    yield {}
    for i in range(4):
        wait([work(0.5 + 0.05 * (i % 3)) for i in range(8)])
        time.sleep((2.0, 3.5, 1.5, 0)[i] if planted else 0)


def stages(planted):
    """Each task passes all futures of the stage before it on, though it needs one of them."""
    yield {}
    last = []
    for k in range(4):
        last = [work(3.0 if (i + k) % 5 == 0 else 0.4 + 0.02 * i, *(last if planted else last[i:i + 1])) for i in range(12)]
    wait(last)


def first_tasks(planted):
    yield {}
    wait([cold(0.5, 6 if planted else 0) for _ in range(32)])


def slow_start(planted):
    time.sleep(0)
    yield {}
    time.sleep(9 if planted else 0)  # such as a table that is read before the first task
    wait([work(0.5) for _ in range(16)])


def slow_end(planted):
    yield {}
    wait([work(0.5) for _ in range(16)])
    time.sleep(9 if planted else 0)


def small_tasks(planted):
    yield {"workers": 2}
    if planted:
        wait([work(0.001) for _ in range(1500)])
    else:
        wait([work(0.05) for _ in range(30)])


def slow_app(planted):
    yield {}
    first = [fetch(0.3) for _ in range(16)]
    wait([analyse(2.5 if planted else 0.5, f) for f in first])


def lost_worker(planted):
    """A task kills its worker; Parsl tries it again when the manager has told."""
    yield {"retries": 2, "heartbeat": 15}
    marks = f"{os.getcwd()}/marks"
    futures = [work(0.5) for _ in range(12)]
    futures.append(killer(planted, marks))
    wait(futures)


@python_app
def killer(kills, marks):
    import os
    import time
    time.sleep(0.5)
    if kills and not os.path.exists(marks):
        open(marks, "w").close()
        time.sleep(6)
        os._exit(9)


def one_lock(planted):
    yield {}
    lock = f"{os.getcwd()}/lock" if planted else ""
    wait([locked(0.3, 1, 0.4, lock) for _ in range(60)])


def slow_disk(planted):
    """All tasks share what has room for one; blocks come one after the other."""
    yield {"workers": 2, "blocks": 4, "worker_init": 'case "$0" in *block-1*) sleep 6;; *block-2*) sleep 12;; *block-3*) sleep 18;; esac'}
    lock = f"{os.getcwd()}/lock" if planted else ""
    wait([locked(0.2, 10, 0.05, lock) for _ in range(80)])


def sound(planted):
    """Nothing to be found."""
    yield {}
    wait([work(1.0) for _ in range(60)])


CAUSES = {f.__name__: f for f in (straggler, few_workers, barrier, window, late_task, made_again, failed_block, few_blocks, slow_block, late_input, chain, joined_chain, pause, failed_tries, late_block,
                                  slow_driver, idle_driver, stages, first_tasks, slow_start, slow_end, small_tasks, slow_app, lost_worker, one_lock, slow_disk, sound)}


def main(cause, planted, directory):
    os.makedirs(directory, exist_ok=True)
    os.chdir(directory)
    steps = CAUSES[cause](planted == "planted")
    how = next(steps)
    provider = LocalProvider(init_blocks=how.get("init_blocks", how.get("blocks", 1)), min_blocks=0, max_blocks=how.get("blocks", 1),
                             worker_init=how.get("worker_init", ""), launcher=SimpleLauncher())
    executor = HighThroughputExecutor(label="htex", address="127.0.0.1", provider=provider, worker_debug=True,
                                      max_workers_per_node=how.get("workers", WORKERS), cores_per_worker=0.1,
                                      heartbeat_period=2, heartbeat_threshold=how.get("heartbeat", 10), encrypted=False)
    config = Config(executors=[executor], retries=how.get("retries", 0), retry_handler=how.get("retry_handler"), run_dir=f"{os.getcwd()}/runinfo", initialize_logging=True,
                    usage_tracking=0, strategy="none")
    with parsl.load(config):
        for _ in steps:
            pass


if __name__ == "__main__":
    main(*sys.argv[1:])
