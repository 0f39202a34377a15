# SPDX-License-Identifier: Apache-2.0
"""In which task of Parsl traced spans lie."""
from harness import check, query

# Each call, and the task of the run that it lies in, through whatever is between; the tries are the tasks' children.
IN_TASK = """
WITH RECURSIVE inside(task, span) AS (
    SELECT t.id, t.id FROM spans t WHERE t.type = 'parsl.rundir.task'
    UNION SELECT i.task, s.id FROM inside i JOIN spans s ON s.parent = i.span WHERE s.type LIKE 'parsl.%'
    UNION SELECT i.task, k.right_span FROM inside i JOIN links k ON k.left_span = i.span AND k.kind = 'in'
    UNION SELECT i.task, s.id FROM inside i JOIN spans p ON p.id = i.span AND p.type IN ('trace.process', 'trace.thread')
        JOIN spans s ON s.parent = p.id)
SELECT t.key, c.id, c.key, (SELECT min(time_ns) FROM events WHERE span = c.id AND type = 'begin'),
    (SELECT max(time_ns) FROM events WHERE span = c.id AND type = 'end'), c.type
FROM inside i JOIN spans t ON t.id = i.task JOIN spans c ON c.id = i.span AND c.type IN ('trace.call', 'trace.process')
"""
# What a call lies in, and what is in doubt for any of that: the tasks of a worker, by the number that its executor gives.
DOUBTS = """
WITH RECURSIVE up(call, span) AS (
    SELECT a.span, a.span FROM attributes a JOIN spans s ON s.id = a.span AND s.type = 'trace.call' WHERE a.name = 'image'
    UNION SELECT u.call, s.parent FROM up u JOIN spans s ON s.id = u.span WHERE s.type IN ('trace.call', 'trace.thread')
    UNION SELECT u.call, k.left_span FROM up u JOIN links k ON k.right_span = u.span AND k.kind = 'in')
SELECT u.call, d.left_span FROM up u JOIN doubts d ON d.right_span = u.span AND d.rule = 'trace.worker'
"""


def judge(store):
    """Of the calls whose argument image=xN says that they are task N's: how many lie there, and how many are in doubt.

    None lies in another task, in two, or in none without a word.
    """
    truth = {span: text[1:] for span, text in query(store, """SELECT a.span, CAST(a.value AS TEXT) FROM attributes a
        JOIN spans s ON s.id = a.span WHERE a.name = 'image' AND s.type = 'trace.call'""")}
    found, doubts = {}, {}
    for task, span, *_ in query(store, IN_TASK):
        if span in truth:
            found.setdefault(span, set()).add(task)
    for span, task in query(store, DOUBTS):
        doubts.setdefault(span, set()).add(task)
    wrong = {f"x{truth[s]}": tasks for s, tasks in found.items() if tasks != {truth[s]}}
    check(not wrong, f"{len(wrong)} of {len(truth)} lie in another task:", wrong)
    lost = {f"x{truth[s]}" for s in truth if s not in found and len(doubts.get(s, ())) < 2}
    check(not lost, "neither in a task nor in doubt:", sorted(lost))
    return sum(s in found for s in truth), sum(s not in found for s in truth)
