#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whatever happened to a run between imports, in the end the store says what a fresh import of its files says.

Random stories: logs grow, shrink, are written anew, go away and are forgotten; or they grow, move and are copied.
A story that fails is told again without one step after another, and the shortest that still fails is printed.
ROUNDS=N for more stories, SEED=N for others.
"""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa

ROUNDS = int(os.environ.get("ROUNDS", 6))
OTHER = "11111111-2222-3333-4444-555555555555"
TZ = {"TZ": "JST-9"}
RUNS = {"000": RUN_ID, "001": OTHER}
TABLES = ("sl_span", "sl_event", "sl_link", "sl_attr", "sl_sample", "sl_source", "sl_reject", "sl_weak")
_known = {}


def data(run, log, style, version):
    """What a log holds: style is (form of 2023?, offset); versions differ in their times."""
    key = (run, log, style, version)
    if key not in _known:
        old, offset = style
        _known[key] = rewrite_log(log, cut(read(log), .2 if log == WORKER1 else .12), offset, old, (run == "001") * 1000 + 7 * version, RUNS[run])
    return _known[key]


# A story is a list of steps, tuples that begin with what is done:
#   write run log style version share    the file now holds so much of that version
#   remove run log                       it is gone, and forgotten
#   import jobs seed share               a command that names some of the files there are; all, where runs move
#   forget                               forget --replaced
#   move, copy                           the directory of the runs

def perform(story, store, base, changes):
    """Live through it; the directory where the runs are in the end."""
    where, files = f"{base}/runinfo", set()
    places = 0
    for step in story:
        what, *how = step
        if what == "write":
            run, log, style, version, share = how
            if log != PARSL and f"{run}/{PARSL}" not in files:
                continue  # a run without its id is as good as another one, once it moves
            d = data(run, log, style, version)
            write(f"{where}/{run}/{log}", d[:int(len(d) * share)])
            files.add(f"{run}/{log}")
        elif what == "remove":
            file = f"{how[0]}/{how[1]}"
            if file in files:
                files.discard(file)
                os.remove(f"{where}/{file}")
                if os.path.exists(store) and query(store, "SELECT 1 FROM sources WHERE path = ?", f"{where}/{file}"):
                    spanloom("forget", "-d", store, f"{where}/{file}")
        elif what == "import" and files:
            some = sorted(files, key=lambda f: (how[1] * 7919 + sum(map(ord, f)) * 104729) % 1000)[:max(1, round(how[2] * len(files)))]
            if not changes:
                some = [""]
            imported(*[f"{where}/{f}" for f in some], store=store, env=TZ, options=("--jobs", how[0]))
        elif what == "forget" and os.path.exists(store):
            spanloom("forget", "-d", store, "--replaced")
        elif what in ("move", "copy") and files:
            places += 1
            to = f"{base}/place{places}"
            if what == "move":
                os.rename(where, to)
                where = to
            else:
                shutil.copytree(where, to)
                imported(*([to, where] if how[0] else [where, to]), store=store, env=TZ)
    return where if files else None


def wrong(story, moved):
    """What is wrong with the store after this story, or None."""
    base = tempfile.mkdtemp(dir=path())
    store, fresh = f"{base}/s.db", f"{base}/f.db"
    try:
        where = perform(story, store, base, not moved)
        if not where:
            return None
        imported(where, store=store, env=TZ)
        if not moved:
            spanloom("forget", "-d", store, "--replaced")
        def said(s):
            return sorted(re.sub(rf"{base}/\w+/", "", x) for x in dump(s, places=not moved, rejects=not moved))
        want = said(imported(where, store=fresh, env=TZ).store)
        whole(store)
        same(said(store), want)
        imported(where, store=store, env=TZ)
        same(said(store), want, "imported once more")
        for table in () if moved else TABLES:
            equal(query(store, f"SELECT count(*) FROM {table}"), query(fresh, f"SELECT count(*) FROM {table}"), f"rows of {table}")
    except AssertionError as e:
        return str(e)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return None


def tell(story, moved):
    if not wrong(story, moved):
        return
    short, n = list(story), len(story) // 2 or 1
    end = time.time() + 60
    while n and time.time() < end:
        for i in range(0, len(short), n):
            shorter = short[:i] + short[i + n:]
            if wrong(shorter, moved):
                short = shorter
                break
        else:
            n //= 2
    lines = [" ".join(str(round(w, 2) if isinstance(w, float) else w) for w in step) for step in short]
    raise AssertionError("\n".join(["the story:", *lines, wrong(short, moved) or "(not every time)"]))


def stories(kind):
    for i in range(ROUNDS):
        r = random.Random(f"{os.environ.get('SEED', 1)} {kind} {i}")
        runs = ["000", "001"][:r.choice((1, 2))]
        yield r, {run: (r.random() < .5, int(r.choice((0, 5.5 * 3600, -6 * 3600)))) for run in runs}


@test
def a_story_that_failed():
    """Logs shrank, one after another: spans that nobody names any more are gone."""
    style = (True, -21600)
    story = [("write", "000", PARSL, style, 0, .18), ("write", "000", WORKER1, style, 0, .75), ("write", "000", MANAGER, style, 1, .15), ("write", "000", WORKER0, style, 0, .48),
             ("import", 2, 904, .47), ("write", "000", INTERCHANGE, style, 0, .17), ("write", "000", WORKER1, style, 0, .41), ("import", 2, 490, .77),
             ("write", "000", INTERCHANGE, style, 0, .01)]
    check(not wrong(story, False), wrong(story, False))


@test
def files_that_change():
    """Each file at its place: its latest version is what counts."""
    for r, runs in stories("change"):
        story, share, version = [], {}, {}
        for _ in range(r.randint(3, 8)):
            for run, style in runs.items():
                for log in LOGS:
                    k, what = (run, log), r.random()
                    if what < .35:  # grows, perhaps to within a line
                        share[k] = min(1, share.get(k, 0) + r.random() * .7)
                    elif what < .45:  # shrinks
                        share[k] = share.get(k, 0) * r.random()
                    elif what < .55:
                        version[k], share[k] = r.randrange(3), r.random()
                    elif what < .6 and log != PARSL:
                        story.append(("remove", run, log))
                        share.pop(k, None)
                        continue
                    else:
                        continue
                    if log == PARSL:  # which tells the run's id in its first lines
                        share[k] = max(share[k], .1)
                    story.append(("write", run, log, style, version.get(k, 0), share[k]))
            story.append(("import", r.choice((1, 2)), r.randrange(1000), r.random()))
            if r.random() < .2:
                story.append(("forget",))
        tell(story, False)


@test
def files_that_grow_and_move():
    """Runs that go on, are carried about and copied: nothing counts twice."""
    for r, runs in stories("move"):
        story, share = [], {}
        for i in range(r.randint(3, 8)):
            for run, style in runs.items():
                for log in LOGS:
                    if r.random() < .5 or (log == PARSL and i == 0):  # which tells the run's id in its first lines
                        k = (run, log)
                        share[k] = min(1, max(share.get(k, 0), .1) + r.random() * .5)
                        story.append(("write", run, log, style, 0, share[k]))
            story += [("move",)] * (r.random() < .5) + [("copy", r.random() < .5)] * (r.random() < .4)
            story.append(("import", r.choice((1, 2)), 0, 1))
        story += [("write", run, log, style, 0, 1.0) for run, style in runs.items() for log in LOGS]
        tell(story, True)


main()
