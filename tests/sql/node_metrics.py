#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of the monitor in a store: their figures against the lines worked out in Python, which run a node joins, and
files that are cut, grown, halved or hostile."""
import csv
import io
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import *  # noqa
import monitor_files as files

CODE = {f"max_t_{k}": f"max_t_({k})" for k in ("cpu_pct_per_cpu_avg", "cpu_pct_per_cpu_min", "cpu_pct_per_cpu_max", "mem_percent")}


def put(*nodes, folder="mon"):
    for n in nodes:
        write(path(folder, files.name(n)), files.text(n))
    return path(folder)


def table(*args, store=None):
    return list(csv.DictReader(io.StringIO(spanloom(*args, "--format", "csv", *(("-d", store) if store else ())).out)))


def compare(row, lines, names=dict):
    want = files.summary(lines)
    for metric in files.SUMMARY:
        got = row[names().get(metric, metric)]
        if metric not in want:
            equal(got, "", metric)
        else:
            check(got != "" and abs(float(got) - want[metric]) <= 1e-9 * max(1, abs(want[metric])), metric, got, want[metric])


@test
def figures_are_those_of_the_lines():
    nodes = [files.node("node1", 7, rank=2), files.node("node2", 8, rank=0, n=3, cpus=64, end=False), files.node("node3", 9, rank=1, n=200)]
    store = imported(put(*nodes)).store
    rows = {r["host"]: r for r in table("metrics", store=store)}
    code = {r["host"]: r for r in table("metrics", "--names", "code", store=store)}
    for n in nodes:
        compare(rows[n[0]["host"]], n)
        compare(code[n[0]["host"]], n, lambda: CODE)
        equal(rows[n[0]["host"]]["step"], n[0]["rank"])
        equal(int(rows[n[0]["host"]]["samples"]), len(n) - 1)
    equal(rows, {r["host"]: r for r in table("metrics", path("mon"))} | {h: {**r, "node": rows[h]["node"]} for h, r in rows.items()}, "without a store")
    for r in table("sql", f"SELECT host, {', '.join(files.SUMMARY)} FROM node_metrics", store=store):
        equal({m: r[m] for m in files.SUMMARY}, {m: rows[r["host"]][m] for m in files.SUMMARY}, "in SQL")
    rows = {(r["node"], r["time_ns"]): r for r in table("sql", "SELECT * FROM node_samples", store=store)}
    equal(len(rows), sum(len(n) - 1 for n in nodes))


@test
def whole_numbers_are_numbers():
    """A JSON writer may leave out the fraction; nothing is divided as integers are."""
    lines = [{k: int(v) if isinstance(v, float) else v for k, v in line.items()} for line in files.node("whole", n=7, end=False, began=1795162290)]
    [row] = table("metrics", put(lines))
    compare(row, lines)
    [row] = json.loads(spanloom("usage", "-d", imported(path("mon")).store, "--format", "json").out)
    equal(row["cpu_s"], float(lines[-1]["cpu_busy_s"]))


@test
def what_is_not_offered_is_absent():
    lines = files.node("bare", offers=lambda key: key in ("uptime_s", "interval_s", "cpu_pct_per_cpu_avg", "mem_percent"))
    [row] = table("metrics", put(lines))
    compare(row, lines)
    check(row["total_disk_io_read_mb"] == "" and row["max_t_disk_usage_percent"] == "", row)
    reports = json.loads(spanloom("metrics", "--reports", path("mon")).out)
    equal(set(reports["0"][0]), {"n", "uptime_s", "interval_s", "cpu_pct_per_cpu_avg", "mem_percent", "timestamp"})


@test
def thresholds_are_reached_by_equal_values():
    [row] = table("metrics", put(files.node("edge", n=4, end=False, busy=lambda i: (20, 40, 80, 100)[i - 1])))
    equal([float(row[f"cpu_avg_utilization_{w}_pct"]) for w in ("over20", "over40", "over80", "at100")], [100, 75, 50, 25])
    [row] = table("metrics", put(files.node("edge", n=4, end=False, busy=lambda i: (19.99, 39.99, 79.99, 99.99)[i - 1])))
    equal([float(row[f"cpu_avg_utilization_{w}_pct"]) for w in ("over20", "over40", "over80", "at100")], [75, 50, 25, 0])


@test
def a_clock_that_is_set_back():
    """Samples go in the order of the time that never jumps."""
    lines = files.node("back", n=40)
    for line in lines[21:]:
        line["timestamp"] -= 3600
    [row] = table("metrics", put(lines))
    compare(row, lines)
    store = imported(path("mon")).store
    [row] = table("usage", store=store)
    memory = sum(8000 - s["mem_available_mb"] for s in lines[1:-1]) + (8000 - lines[-1]["mem_available_mb"]) / 2
    check(abs(float(row["mem_mb"]) - memory / 40.5) < 1e-6 * memory, row, memory / 40.5)
    equal(float(row["cpu_s"]), lines[-1]["cpu_busy_s"])
    equal([r["uptime_s"] for r in json.loads(spanloom("metrics", "--reports", path("mon")).out)["0"]], [s["uptime_s"] for s in lines[1:]])


@test
def several_monitors_of_a_node_at_a_time():
    """What ranks that share a node each start: every one counts all of it, and usage takes it once."""
    whole, later = files.node("vm", 5, n=30), files.node("vm", 6, n=30, began=files.T0 + 20)
    inside = files.node("vm", 7, n=10, began=files.T0 + 3)
    store = imported(put(whole, later, inside), EXAMPLE).store
    rows = table("usage", store=store)
    # of the later one what it counted beyond the end of the first, 10.5 s after it began itself
    cpu = whole[-1]["cpu_busy_s"] + later[-1]["cpu_busy_s"] - (later[10]["cpu_busy_s"] + later[11]["cpu_busy_s"]) / 2
    check(abs(sum(float(r["cpu_s"]) for r in rows) - cpu) < 1e-5, rows, cpu)
    out = spanloom("usage", "-d", store).out
    check(out.startswith("1 node sampled for 50.5 s in all"), out)
    out = spanloom("metrics", "-d", store).out
    check("3 monitors of 1 node" in out and "each row is of all of that node" in out and "CPU hours, " not in out, out)
    shutil.rmtree(path("mon"))
    out = spanloom("metrics", put(whole, files.node("vm", 8, n=5, began=files.T0 + 31))).out
    check(out.startswith("2 monitors of 1 node, sampled for 5.5 s to 30.5 s; "), out)


@test
def steps_are_ranks_or_hosts_by_name():
    for ranks, want in (((2, 0, 1), {"b": "2", "a": "0", "c": "1"}), ((None, None, None), {"a": "0", "b": "1", "c": "2"}),
                        ((0, 0, 1), {"a": "0", "b": "1", "c": "2"}), ((0, None, 1), {"a": "0", "b": "1", "c": "2"})):
        shutil.rmtree(path("mon"), ignore_errors=True)
        put(*[files.node(h, 5 + i, rank=k, n=2) for i, (h, k) in enumerate(zip("bac", ranks))])
        equal({r["host"]: r["step"] for r in table("metrics", path("mon"))}, want, ranks)


@test
def reports_have_the_shape_of_save_to():
    nodes = [files.node(h, 5, rank=i, n=5) for i, h in enumerate("ab")]
    reports = json.loads(spanloom("metrics", "--reports", put(*nodes)).out)
    equal(list(reports), ["0", "1"])
    for step, lines in enumerate(nodes):
        equal(len(reports[str(step)]), 6)
        for got, line in zip(reports[str(step)], lines[1:]):
            for key in ("cpu_pct_per_cpu_avg", "mem_percent", "disk_io_read_mb", "net_io_ext_recv_mb", "timestamp"):
                check(abs(got[key] - line[key]) < 1e-6, key, got[key], line[key])


@test
def a_format_that_is_not_known():
    lines = files.node("future", n=3)
    lines[0]["format"] = 2
    store = imported(put(lines)).store
    equal(query(store, "SELECT count(*) FROM spans WHERE type = 'node'"), [(0,)])
    check("format 2 of a newer spanloom monitor" in spanloom("rejects", "-d", store).out)
    check("--reports is JSON" in spanloom("metrics", "--reports", "--format", "csv", path("mon"), code=2).err)


@test
def the_same_again_is_nothing_new():
    folder = put(files.node("a"), files.node("b", 8))
    store = imported(folder).store
    before = dump(store, places=True)
    check("0 new spans" in imported(folder).out + imported(folder).err or dump(store, places=True) == before, "changed")
    same(dump(store, places=True), before)


@test
def a_file_that_grows_and_is_halved():
    """In any steps it comes to what one import of the last version gives."""
    lines = files.node("a", n=40)
    file = path("mon", files.name(lines))
    for i, part in enumerate((lines[:2], lines[:10], lines[:25])):
        text = files.text(part)
        write(file, text if i != 1 else text[:-30])  # caught in the middle of a line
        store = imported(path("mon")).store
    for version in ([lines[0]] + [s for s in lines[1:] if s.get("n", 0) % 2 == 1], [lines[0]] + [s for s in lines[1:] if s.get("n", 0) % 4 == 1] + lines[-1:]):
        write(file, files.text(version))
        imported(path("mon"))
        same(store, imported(path("mon"), store="fresh.db").store)
        os.remove(path("fresh.db"))
        [row] = table("metrics", store=store)
        compare(row, version)


@test
def a_file_cut_anywhere():
    """kill -9, a full disk: what is whole counts, the rest is one reject."""
    lines = files.node("a", n=6)
    data = files.text(lines).encode()
    for at in [len(data) - 1] + [rng().randrange(1, len(data)) for _ in range(3 if os.environ.get("QUICK") else 25)]:
        store = path("cut.db")
        if os.path.exists(store):
            os.remove(store)
        write(path("mon", files.name(lines)), data[:at])
        imported(path("mon"), store="cut.db")
        whole_lines = data[:at].count(b"\n")
        equal(query(store, "SELECT count(*) FROM rejects"), [(int(not data[:at].endswith(b"\n") and (whole_lines > 0 or at > 20)),)], at)
        equal(query(store, "SELECT count(DISTINCT time_ns) FROM samples"), [(max(0, whole_lines - 1),)], at)
        if whole_lines > 1:
            compare(table("metrics", store=store)[0], [json.loads(x) for x in data[:at].decode().split("\n")[:whole_lines]])


HOSTILE = [
    b'{"record":"sample"}', b'{"record":"sample","timestamp":"yesterday"}', b'{"record":"sample","timestamp":1e400,"mem_percent":1}',
    b'{"record":"sample","timestamp":1795162299,"mem_percent":"NaN","cpu_pct":[null,[],{}],"disks":{"":{"":{}}},"cpus":-3}',
    b'{"record":"process","timestamp":1795162299}', b'{"record":"process","timestamp":1795162299,"pid":1,"start":-1e300,"rss_mb":1}',
    b'{"record":"gpu","timestamp":1795162299,"gpu_pct":5}', b'{"record":"end","timestamp":1795162299,"uptime_s":-5e9,"why":"\xff\xfe\x00"}',
    b'{"record":{"record":"sample"}}', b'[1,2,3]', b'{"record":"monitor"}', b'{' * 100, b'\x00' * 50, b'{"record":"sample","timestamp":1795162299,"mem_percent":' + b'9' * 5000 + b'}',
    b'{"record":"monitor","host":"' + b"h" * 3000 + b'","pid":5,"timestamp":1795162299}', b'{"record":"new in format 2","timestamp":1}']


@test
def hostile_lines_cost_themselves():
    lines = files.node("a", n=10)
    good = files.text(lines).encode().splitlines(keepends=True)
    r = rng()
    for k in range(4 if os.environ.get("QUICK") else 12):
        mixed = good[:1]
        for line in good[1:]:
            mixed += [r.choice(HOSTILE[:-2]) + b"\n"] * r.randrange(2) + [line]
        write(path("mon", files.name(lines)), b"".join(mixed))
        store = imported(path("mon"), store=f"h{k}.db").store
        whole(store)
        rows = table("metrics", store=store)
        spanloom("usage", "-d", store)
        spanloom("metrics", "--reports", "-d", store)
        check(any(row["host"] == "a" and row["total_disk_io_write_mb"] == str(files.summary(lines)["total_disk_io_write_mb"]) for row in rows), rows)


# ---- which run a node joins

def joined(store):
    return sorted(r[0] for r in query(store, """SELECT x.value FROM links l JOIN attributes x ON x.span = l.right_span AND x.name = 'host'
        JOIN spans s ON s.id = l.left_span WHERE l.rule = 'node.run' AND s.key = ?""", RUN_ID))


def doubtful(store):
    return query(store, "SELECT count(DISTINCT right_span) FROM doubts WHERE rule = 'node.run'")[0][0]


@test
def a_node_joins_its_run_by_host_and_time():
    put(files.node("vm", 5), files.node("vm.example.org", 6), files.node("other", 7), files.node("vm2", 8), files.node("vm", 9, began=files.T0 + 5000),
        files.node("vm", 10, began=files.T0 - 5000))
    store = imported(path("mon"), EXAMPLE).store
    equal(joined(store), ["vm", "vm.example.org"])
    equal(query(store, "SELECT count(*) FROM links WHERE rule = 'node.run'"), [(2,)])
    other = imported(EXAMPLE, store="order.db").store
    imported(path("mon"), store="order.db")
    same(other, store, "in another order")
    rows = table("metrics", "--run", "000", store=store)
    equal(len(rows), 2)


@test
def of_two_runs_it_is_in_doubt():
    """Two runs on one host at one time; the number of a worker pool settles it."""
    copy_run(path("a"))
    other = "11111111-2222-3333-4444-555555555555"
    copy_run(path("b"), db=False, number="001", change=lambda log, data: data.replace(RUN_ID.encode(), other.encode()).replace(b"1954f1261cd1", b"aaaaaaaaaaaa"))
    os.rename(path("b/001/htex_Local/block-0/1954f1261cd1"), path("b/001/htex_Local/block-0/aaaaaaaaaaaa"))
    put(files.node("vm", 5))
    store = imported(path("mon"), path("a"), path("b")).store
    check(query(store, "SELECT 1 FROM spans WHERE key = ?", other), "the copy is a run of its own")
    equal((joined(store), doubtful(store)), ([], 1))
    put(files.node("vm", 5, job={"PARSL_WORKER_POOL_ID": "1954f1261cd1"}))
    imported(path("mon"))
    equal((joined(store), doubtful(store)), (["vm"], 0))


@test
def a_job_of_another_number_is_another_run():
    """The blocks of the example have process ids as job ids."""
    [(job,)] = query(imported(EXAMPLE).store, "SELECT DISTINCT value FROM attributes WHERE name = 'job_id'")
    put(files.node("vm", 5, job={"SLURM_JOB_ID": "999999"}), files.node("elsewhere", 6, job={"PBS_JOBID": str(job)}))
    store = imported(path("mon")).store
    equal(joined(store), ["elsewhere"])


# ---- tasks, and who used the nodes

@test
def tasks_are_the_differences_of_their_rows():
    store = imported(EXAMPLE).store
    want = {}
    for task, attempt, user, system, mem, rss, r, w in query(f"{EXAMPLE}/monitoring.db", """SELECT task_id, try_id, psutil_process_time_user, psutil_process_time_system,
            psutil_process_memory_percent, psutil_process_memory_resident, psutil_process_disk_read, psutil_process_disk_write FROM resource"""):
        want.setdefault((str(task), str(attempt)), []).append((user + system, mem, rss, r, w))
    rows = table("metrics", "--by", "task", store=store)
    equal(len(rows), len(want))
    for row in rows:
        cpu, mem, rss, r, w = zip(*want[row["task"], row["try"]])
        check(abs(float(row["max_t_mem_mb"]) - max(rss) / 2**20) < 1e-6 and abs(float(row["max_t_mem_percent"]) - max(mem)) < 1e-9, row)
        if len(cpu) == 1:
            equal((row["cpu_hours"], row["total_disk_io_read_mb"]), ("", ""), "one row says nothing of use")
        else:
            check(abs(float(row["cpu_hours"]) * 3600 - (max(cpu) - min(cpu))) < 1e-9, row)
            check(abs(float(row["total_disk_io_write_mb"]) - (max(w) - min(w)) / 2**20) < 1e-9, row)
    apps = {a["app"]: a for a in table("metrics", "--by", "app", store=store)}
    check(abs(sum(float(a["cpu_hours"] or 0) for a in apps.values()) - sum(float(r["cpu_hours"] or 0) for r in rows)) < 1e-12, apps)


def brute_force(store, lines):
    """{try: CPU seconds} of one node, segment by segment, as analyse/usage_shares.h defines it; and what nobody used."""
    tries = {}
    for span, kind, t in query(store, """SELECT e.span, e.type, e.time_ns FROM events e JOIN spans s ON s.id = e.span
            WHERE s.type = 'parsl.monitoring.try' AND e.type IN ('running', 'running_ended')"""):
        tries.setdefault(span, {})[kind] = t / 1e9
    last = dict(query(store, "SELECT e.span, max(e.time_ns) / 1e9 FROM events e JOIN spans s ON s.id = e.span WHERE s.type = 'parsl.monitoring.try' GROUP BY 1"))
    tries = {s: (t["running"], t.get("running_ended", last[s])) for s, t in tries.items() if "running" in t}
    rows = {}
    for span, t, metric, value in query(store, "SELECT span, time_ns / 1e9, metric, value FROM samples WHERE metric IN ('psutil_process_time_user', 'psutil_process_time_system') ORDER BY 2"):
        rows.setdefault(span, {}).setdefault(t, []).append(value)
    rows = {s: [(t, sum(v)) for t, v in sorted(r.items())] for s, r in rows.items() if len(r) > 1}

    def counter(span, t):
        r = rows[span]
        if t <= r[0][0]:
            return r[0][1]
        for (t0, c0), (t1, c1) in zip(r, r[1:]):
            if t <= t1:
                return c0 + (c1 - c0) * (t - t0) / (t1 - t0)
        return r[-1][1]
    used, nobody = dict.fromkeys(tries, 0.0), 0.0
    before, busy_before = lines[0]["timestamp"], 0.0
    for s in lines[1:]:
        a, b, cpu = before, s["timestamp"], s["cpu_busy_s"] - busy_before
        before, busy_before = b, s["cpu_busy_s"]
        there = {t: (max(a, x), min(b, y)) for t, (x, y) in tries.items() if x < b and y > a}
        own = {t: max(0, counter(t, y) - counter(t, x)) for t, (x, y) in there.items() if t in rows}
        scale = min(1, cpu / sum(own.values())) if sum(own.values()) else 1
        for t, c in own.items():
            used[t] += c * scale
        rest = cpu - sum(own.values()) * scale
        others = {t: v for t, v in there.items() if t not in rows}
        points = sorted({a, b, *[p for v in others.values() for p in v]})
        for p, q in zip(points, points[1:]):
            now = [t for t, (x, y) in others.items() if x <= p and y >= q]
            for t in now:
                used[t] += rest * (q - p) / (b - a) / len(now)
            nobody += 0 if now else rest * (q - p) / (b - a)
    return used, nobody


@test
def usage_is_split_as_defined_and_adds_up():
    lines = files.node("vm", 5, n=30)
    store = imported(put(lines), EXAMPLE).store
    used, nobody = brute_force(store, lines)
    parts = {r["span"]: r for r in table("sql", "SELECT span, cpu_s, mem_mb_s, disk_mb, net_mb, cores FROM node_usage()", store=store)}
    equal({r["cores"] for s, r in parts.items() if s} - {""}, {"1.0"}, "the example asks for one core per worker")
    for span, cpu in used.items():
        got = float(parts.get(str(span), {}).get("cpu_s", 0))
        check(abs(got - cpu) < 1e-5, span, got, cpu)  # times of the store are nanoseconds, those here doubles
    check(abs(float(parts[""]["cpu_s"]) - nobody) < 1e-4, parts[""], nobody)
    last = lines[-1]
    for column, total in (("cpu_s", last["cpu_busy_s"]), ("disk_mb", last["disk_io_read_mb"] + last["disk_io_write_mb"]),
                          ("net_mb", sum(last[f"net_io_{k}_mb"] for k in ("lo_sent", "lo_recv", "ext_sent", "ext_recv")))):
        check(abs(sum(float(r[column]) for r in parts.values()) - total) < 1e-6 * total, column, total)
        check(all(float(r[column]) >= -1e-9 for r in parts.values()), column)
    memory = sum(8000 * s["mem_percent"] / 100 * (b - a) for s, a, b in zip(lines[1:], [x["uptime_s"] for x in lines], [x["uptime_s"] for x in lines[1:]]))
    check(abs(sum(float(r["mem_mb_s"]) for r in parts.values()) - memory) < 1e-6 * memory, "mem_mb_s", memory)
    for by in ("task", "app", "type"):
        rows = table("usage", "--by", by, store=store)
        check(abs(sum(float(r["cpu_s"]) for r in rows) - last["cpu_busy_s"]) < 1e-6, by)
        equal(rows[-1]["what"], "unattributed")
    apps = {r["what"]: int(r["runs"]) for r in table("usage", "--by", "app", store=store)[:-1]}
    names = dict(query(f"{EXAMPLE}/monitoring.db", "SELECT task_func_name, count(*) FROM task GROUP BY 1"))
    check(set(apps) <= set(names) and sum(apps.values()) == len([u for u in parts if u]), apps, names)


@test
def without_runs_all_is_unattributed():
    lines = files.node("vm", 5, n=5)
    store = imported(put(lines)).store
    [row] = table("usage", store=store)
    equal((row["what"], float(row["cpu_s"])), ("unattributed", lines[-1]["cpu_busy_s"]))
    for r in (spanloom("usage", "-d", imported(EXAMPLE, store="none.db").store, code=1), spanloom("metrics", "-d", path("none.db"), code=1)):
        check("no node was monitored" in r.err, r)


@test
def every_table_fits_a_terminal():
    put(*[files.node(f"a-rather-long-name-of-a-host-{i}.example.org", 5 + i, n=3) for i in range(9)], files.node("vm", 50))
    store = imported(path("mon"), EXAMPLE).store
    for args in (["metrics"], ["metrics", "--by", "task"], ["metrics", "--by", "app"], ["usage"], ["usage", "--by", "task"], ["usage", "--by", "type"]):
        out = spanloom(*args, "-d", store).out
        wide = [line for line in out.splitlines() if len(line) > 80]
        check(not wide and len(out.splitlines()) > 2, args, wide[:1] or out[:200])


main()
