#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`spanloom serve`: what it answers and to whom, whatever is sent to it; and its page in Chromium, of a run that goes on."""
import contextlib
import csv
import http.client
import io
import json
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import EXAMPLE, ROOT, check, environment, equal, imported, main, note, path, query, small_run, spanloom, test, until, write  # noqa: E402
import peers  # noqa: E402

if not os.path.exists(f"{ROOT}/page/dist/serve.html"):
    peers.skip("there is no npm, or its registry does not answer")
PROGRAM = f"{os.environ['BUILD']}/spanloom"


class Server:
    def __init__(self, *options):
        self.process = subprocess.Popen([PROGRAM, "serve", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        self.url = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#([0-9a-f]{32})", self.url)
        check(found, self.url)
        self.port, self.token = int(found[1]), found[2]

    def ask(self, what, body=None, **headers):
        """(status, headers, body)"""
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        c.request("GET" if body is None else "POST", what, body, {"X-Spanloom-Token": self.token, **headers})
        r = c.getresponse()
        return r.status, dict(r.getheaders()), r.read().decode()

    def json(self, what, body=None, status=200):
        got, _, text = self.ask(what, body)
        equal(got, status, text[:500])
        return json.loads(text)

    def raw(self, data, timeout=20):
        """All that comes back."""
        with socket.create_connection(("127.0.0.1", self.port), timeout) as s:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                s.sendall(data)
            got = b""
            with contextlib.suppress(ConnectionResetError):
                while chunk := s.recv(65536):
                    got += chunk
        return got

    def end(self, by=signal.SIGINT):
        self.process.send_signal(by)
        _, err = self.process.communicate(timeout=60)
        equal(self.process.returncode, 0, err)
        check("ERROR" not in err and "runtime error" not in err, err)
        return err


@contextlib.contextmanager
def serving(*options):
    s = Server("-d", path("spanloom.db"), *options)
    try:
        yield s
        s.end()
    finally:
        s.process.kill()
        s.process.wait()


@test
def it_answers_what_the_commands_say():
    imported(EXAMPLE)
    with serving() as s:
        runs = s.json("/api/runs")
        said = json.loads(spanloom("runs", "-d", path("spanloom.db"), "--format", "json").out)
        equal(runs["data"]["run"], [r["run"] for r in said])
        run = runs["data"]["run"][0]
        report = json.loads(spanloom("report", "-d", path("spanloom.db"), "--json").out)
        equal(s.json(f"/api/report?run={run}"), report)
        sql = "SELECT app, count(*) AS tasks, sum(run_s) AS run_s FROM task WHERE app <> 'x' GROUP BY 1 ORDER BY 1"
        got = s.json(f"/api/sql?run={run}", sql)
        want = json.loads(spanloom("sql", "-d", path("spanloom.db"), "--run", run, "--format", "json", sql).out)
        equal([dict(zip(got["columns"], row)) for row in zip(*(got["data"][c] for c in got["columns"]))], want)
        equal(got["limit"], None)
        span = query(path("spanloom.db"), "SELECT id FROM spans WHERE type = 'parsl.executor.htex.worker.task' LIMIT 1")[0][0]
        events = s.json(f"/api/span?id={span}")["events"]["data"]
        equal([int(t) for t in events["time_ns"]], [row[0] for row in query(path("spanloom.db"), f"SELECT time_ns FROM events WHERE span = {span} ORDER BY 1")])
        zero = query(path("spanloom.db"), "SELECT min(time_ns) FROM sl_event")[0][0]
        a, b = zero + 16 * 10**9, zero + 17 * 10**9
        there = query(path("spanloom.db"), f"SELECT span, min(time_ns), max(time_ns) FROM sl_event GROUP BY 1 HAVING max(time_ns) >= {a} AND min(time_ns) <= {b} ORDER BY 1")
        got = s.json(f"/api/spans?run={run}&start_ns={zero}&from_ns={a}&to_ns={b}")
        data = got["spans"]["data"]
        equal(sorted((i, round(f, 9), round(length, 9)) for i, f, length in zip(data["span"], data["from_s"], data["length_s"])),
              [(i, round((f - zero) / 1e9, 9), round((t - f) / 1e9, 9)) for i, f, t in there])
        equal(got["n"], len(there))
        check(got["links"]["rows"] > 0)
        status, headers, page = s.ask("/")
        equal(status, 200)
        equal((headers["X-Content-Type-Options"], headers["Referrer-Policy"], headers["Cache-Control"]), ("nosniff", "no-referrer", "no-store"))
        check("frame-ancestors 'none'" in headers["Content-Security-Policy"])
        check("connect-src 'self'" in page and s.token not in page)
        check("Access-Control-Allow-Origin" not in headers)


@test
def sql_reads_and_has_limits():
    imported(EXAMPLE)
    before = query(path("spanloom.db"), "SELECT count(*) FROM sl_event")
    with serving() as s:
        for sql in ("DELETE FROM sl_event", "ATTACH 'x.db' AS x", "PRAGMA journal_mode = delete", "SELECT 1; DELETE FROM sl_event", "CREATE TEMP TABLE x (a)",
                    f"VACUUM INTO '{path('copy.db')}'", "SELECT load_extension('x')", "PRAGMA writable_schema = 1", "", "--", "SELECT", "SELECT nothing", "SELECT zeroblob(100000000)",
                    "SELECT 1\0, 2", "BEGIN IMMEDIATE", "SELECT writefile('x', 'y')"):
            check("error" in s.json("/api/sql", sql.encode(), 422), sql)
        check("more than 10 s" in s.json("/api/sql", "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t", 422)["error"])
        many = s.json("/api/sql", "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t")
        equal((many["rows"], many["data"]["n"][-1]), (10000, 10000))
        check("10000" in many["limit"], many["limit"])
        large = s.json("/api/sql", "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT hex(zeroblob(200000)) AS n FROM t")
        check(large["limit"] and 8 << 20 <= len("".join(large["data"]["n"])) < 10 << 20, large["rows"])
    equal(query(path("spanloom.db"), "SELECT count(*) FROM sl_event"), before)
    check(not os.path.exists(path("copy.db")) and not os.path.exists("x"))


@test
def what_spans_of_a_stretch_lie_in():
    """Up to the workflow's task, also where what is between has no events, as where a manager logs no tasks."""
    imported(f"{ROOT}/tests/data/slurm")
    with serving() as s:
        run = s.json("/api/runs")["data"]["run"][0]
        rows = json.loads(spanloom("sql", "-d", path("spanloom.db"), "--run", run, "--format", "json", "SELECT span, task, from_ns, to_ns FROM worker_run WHERE task NOTNULL").out)
        for row in rows:
            got = s.json(f"/api/spans?run={run}&start_ns={row['from_ns']}&from_ns={row['from_ns']}&to_ns={row['to_ns']}")
            around = {}
            for figure in got["spans"]["data"], got["groups"]["data"]:
                for span, parent in zip(figure["span"], figure["parent"]):
                    around.setdefault(span, []).append(parent)
            for kind, left, right in zip(*(got["links"]["data"][c] for c in ("kind", "left_span", "right_span"))):
                if kind == "in":
                    around.setdefault(right, []).append(left)
            seen, now = set(), [row["span"]]
            while now:
                now = [p for span in now for p in around.get(span, []) if p not in seen]
                seen.update(now)
            check(row["task"] in seen, row, seen)


@test
def to_nobody_else():
    """Without the key, from another site, under another name; and what is not there."""
    imported(EXAMPLE)
    with serving() as s:
        for what, headers, status in (
            ("/", {"X-Spanloom-Token": ""}, 200), ("/api/runs", {"X-Spanloom-Token": ""}, 403), ("/api/runs", {"X-Spanloom-Token": "0" * 32}, 403),
            ("/api/runs", {"X-Spanloom-Token": s.token.upper() + "0"}, 403), ("/api/runs", {"Origin": "http://evil.example"}, 403), ("/api/runs", {"Origin": "null"}, 403),
            ("/api/runs", {"Sec-Fetch-Site": "cross-site"}, 403), ("/api/runs", {"Sec-Fetch-Site": "same-site"}, 403), ("/api/runs", {"Host": "evil.example"}, 421), ("/", {"Host": f"evil.example:{s.port}"}, 421),
            ("/", {"Host": "127.0.0.1"}, 421), ("/api/runs", {"Host": f"localhost:{s.port}", "Origin": f"http://localhost:{s.port}"}, 200),
            ("/nothing", {}, 404), ("/../etc/passwd", {}, 404), ("/api/", {}, 404), ("/api/sql", {}, 404), ("/api/report?run=nothing", {}, 422), ("/api/span", {}, 422)):
            got, _, text = s.ask(what, **headers)
            equal(got, status, f"{what} {headers}: {text[:200]}")
        got, _, _ = s.ask(f"/api/runs?token={s.token}", **{"X-Spanloom-Token": ""})
        equal(got, 403)
        with socket.socket() as other:  # on 127.0.0.1 alone
            other.settimeout(2)
            check(other.connect_ex(("127.0.0.2", s.port)) != 0)


@test
def ten_thousand_malformed_requests():
    """Each is refused or not answered, and the server goes on."""
    imported(EXAMPLE)
    draw = random.Random(7)
    with serving() as s:
        good = f"GET /api/version HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\nX-Spanloom-Token: {s.token}\r\n\r\n".encode()
        answers = {}
        for i in range(10_000):
            data = bytearray(good if i % 2 else b"POST /api/sql HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n")
            for _ in range(draw.randrange(1, 5)):
                at = draw.randrange(len(data))
                match draw.randrange(5):
                    case 0: data[at] = draw.randrange(256)
                    case 1: del data[at : at + draw.randrange(1, 20)]
                    case 2: data[at:at] = draw.randbytes(draw.randrange(1, 40))
                    case 3: data[at:at] = data[: draw.randrange(1, len(data) + 1)]
                    case 4: data[at:at] = b"\r\n" * draw.randrange(1, 3)
                if not data:
                    break
            if i % 500 == 0:
                data = draw.randbytes(100_000)
            with socket.create_connection(("127.0.0.1", s.port), 30) as c:
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    c.sendall(data)
                    c.shutdown(socket.SHUT_WR)
                got = b""
                with contextlib.suppress(ConnectionResetError):
                    while chunk := c.recv(4096):
                        got += chunk
            status = got[9:12].decode() if got else "none"
            check(status == "none" or got.startswith(b"HTTP/1.1 "), got[:100])
            answers[status] = answers.get(status, 0) + 1
        check({"400", "403", "421"} <= set(answers) and "500" not in answers, answers)
        note(f"answers to 10,000 malformed requests: {dict(sorted(answers.items()))}")
        equal(s.json("/api/version")["store"], path("spanloom.db"))
        children = int(subprocess.run(["ps", "--no-headers", "--ppid", str(s.process.pid)], capture_output=True, text=True).stdout.count("\n"))
        check(children <= 1, children)


@test
def slow_and_many():
    """Who sends nothing, or reads nothing, holds up nobody: 200 of them, and all are rid of."""
    imported(EXAMPLE)
    with serving() as s:
        idle = []
        for i in range(200):
            c = socket.create_connection(("127.0.0.1", s.port), 30)
            c.sendall(b"" if i % 2 else b"GET /api/ru")
            idle.append(c)
        begin = time.monotonic()
        equal(len(s.json("/api/runs")["data"]["run"]), 1)
        check(time.monotonic() - begin < 5)
        open_files = len(os.listdir(f"/proc/{s.process.pid}/fd"))
        check(open_files < 90, open_files)
        deaf = []
        for _ in range(4):  # they ask for much, and read none of it
            c = socket.socket()
            c.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            c.connect(("127.0.0.1", s.port))
            c.sendall(f"GET /api/report HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\nX-Spanloom-Token: {s.token}\r\n\r\n".encode())
            deaf.append(c)
        equal(len(s.json("/api/runs")["data"]["run"]), 1)
        for _ in range(100):
            c = socket.socket()
            c.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            c.connect(("127.0.0.1", s.port))
            c.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\n\r\n".encode())
            deaf.append(c)
        s.json("/api/report")
        for i in range(100):  # what they ask for is there
            c = socket.socket()
            c.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            c.connect(("127.0.0.1", s.port))
            c.sendall(f"GET /api/report HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\nX-Spanloom-Token: {s.token}\r\n\r\n".encode())
            deaf.append(c)
            if i % 10 == 9:
                equal(len(s.json("/api/runs")["data"]["run"]), 1)
        # an answer that is read as slowly as one likes is whole
        slow = socket.create_connection(("127.0.0.1", s.port), 30)
        slow.sendall(f"GET /api/report HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\nX-Spanloom-Token: {s.token}\r\n\r\n".encode())
        got = b""
        while more := slow.recv(100_000):
            got += more
            s.json("/api/version")
        equal(json.loads(got.partition(b"\r\n\r\n")[2]), s.json("/api/report"))
        slow.close()
        until(lambda: not subprocess.run(["ps", "--no-headers", "--ppid", str(s.process.pid)], capture_output=True, text=True).stdout.strip(), "answers that nobody reads end")
        for c in idle + deaf:
            c.close()


@test
def ends_by_any_signal():
    imported(EXAMPLE)
    for by in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        s = Server("-d", path("spanloom.db"))
        c = socket.create_connection(("127.0.0.1", s.port))
        c.sendall(f"POST /api/sql HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\nX-Spanloom-Token: {s.token}\r\nContent-Length: 85\r\n\r\n".encode()
                  + b"WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t".ljust(85)[:85])
        begin = time.monotonic()
        s.end(by)
        check(time.monotonic() - begin < 5)
        c.close()
    r = spanloom("serve", "-d", path("nothing.db"), code=1)
    check("nothing.db" in r.err, r.err)
    s = Server("-d", path("spanloom.db"))
    r = spanloom("serve", "-d", path("spanloom.db"), "--port", str(s.port), code=1)
    check("cannot listen" in r.err, r.err)
    s.end()


class Live:
    def __init__(self, server):
        peers.needs_chromium()
        self.browser = peers.browser()
        self.page = self.browser.open("about:blank")
        self.browser.messages.clear()
        for method in "Runtime.enable", "Log.enable", "Network.enable", "Page.enable":
            self.browser.call(method, self.page.session)
        self.browser.call("Emulation.setDeviceMetricsOverride", self.page.session, width=1280, height=900, deviceScaleFactor=1, mobile=False)
        self.browser.call("Page.navigate", self.page.session, url=server.url)
        self.page.wait("document.documentElement?.dataset.ready === 'yes'", 60)
        self.run = self.page.run

    def said(self):
        words = "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening"
        return [m for m in self.browser.messages if m.get("sessionId") == self.page.session and m.get("method") in words]


@test
def the_page_and_its_sql():
    imported(EXAMPLE)
    hostile = "</script><img src=x onerror=alert(1)>"
    with serving() as s:
        live = Live(s)
        check(s.token not in live.run("location.href") and not live.run("document.cookie"))
        check("parsl-htex" in live.run("document.querySelector('h1').innerText"))
        live.run(f"document.querySelector('#sql textarea').value = \"SELECT '{hostile}' AS a, 'x, \\\"y\\\"' AS b, count(*) AS n FROM task\"; document.querySelector('#sql button').click()")
        live.page.wait("!!document.querySelector('#sql table')", 30)
        equal(live.run("document.querySelector('#sql td').innerText"), hostile)
        equal(live.run("document.images.length"), 0)
        # as csv it reads back
        text = live.run("""new Promise(done => {
            const make = URL.createObjectURL;
            URL.createObjectURL = blob => { blob.text().then(done); return make(blob); };
            [...document.querySelectorAll('#sql button')].find(b => b.innerText === 'Save as csv').click(); })""")
        equal(list(csv.reader(io.StringIO(text))), [["a", "b", "n"], [hostile, 'x, "y"', "198"]])
        # a reload keeps the key of this tab
        live.browser.call("Page.reload", live.page.session)
        time.sleep(0.5)
        live.page.wait("document.documentElement?.dataset.ready === 'yes'", 60)
        equal(live.said(), [])
        asked = {m["params"]["request"]["url"].split("/")[2] for m in live.browser.messages if m.get("sessionId") == live.page.session and m.get("method") == "Network.requestWillBeSent" and m["params"]["request"]["url"].startswith("http")}
        equal(asked, {f"127.0.0.1:{s.port}"})


@test
def an_empty_store_has_its_bar():
    imported(f"{ROOT}/tests/data/slurm")
    spanloom("forget", "-d", path("spanloom.db"), f"{ROOT}/tests/data/slurm")
    with serving() as s:
        page = peers.browser().open(s.url)
        page.wait("document.documentElement?.dataset.ready === 'yes'", 60)
        check(page.run("document.querySelector('.top').offsetHeight > 0 && document.querySelector('.top a').innerText") == "SQL")


@test
def a_report_that_takes_long():
    """Until it is there the page says that it is read, and for how long; not once it is."""
    imported(EXAMPLE)
    with serving() as s:
        peers.needs_chromium()
        page = peers.browser().open("about:blank")
        page.browser.call("Page.enable", page.session)
        page.browser.call("Page.addScriptToEvaluateOnNewDocument", page.session, source="""const now = window.fetch;
            window.fetch = (what, ...more) => String(what).includes("report") ? new Promise(go => (window.go = go)).then(() => now(what, ...more)) : now(what, ...more);""")
        page.browser.call("Page.navigate", page.session, url=s.url)
        words = "document.querySelector('.live')?.innerText ?? ''"
        page.wait(f"/reading …\\s+[1-9] s so far/.test({words})", 60)
        equal(page.run("document.querySelector('.live select').value"), "parsl-htex")
        page.run("window.go(), 1")
        page.wait("document.documentElement?.dataset.ready === 'yes'", 60)
        check("so far" not in page.run(words) and "reading" not in page.run(words), page.run(words))
        equal(page.run("document.querySelectorAll('.top').length"), 1)


@test
def hostile_texts_and_no_mouse():
    """The live page of a run whose names are made to do harm: nothing of it runs or is asked for; axe finds no fault, and all can be reached by keys."""
    texts = ["</script><script>document.title='run'</script>", "<img src=x onerror=\"document.title='run'\">", "javascript:document.title='run'", "\u202eevil", "x" * 100_000]
    small_run(path("runinfo"), tasks=20)
    db = sqlite3.connect(path("runinfo", "monitoring.db"))
    for i, text in enumerate(texts):
        db.execute("UPDATE task SET task_func_name = ? WHERE task_id % ? = ?", (text, len(texts), i))
    db.commit()
    db.close()
    imported(path("runinfo"))
    with serving() as s:
        live = Live(s)
        live.run("(T => { T.choose(3, true); T.find('evil'); })(document.querySelector('.timeline').timeline); document.querySelectorAll('details').forEach(d => (d.open = true)); document.querySelector('#apps button.pick').click(); 1")
        live.run("document.querySelector('#sql textarea').value = 'SELECT DISTINCT app, app AS \"<b>\" FROM task'; document.querySelector('#sql button').click(); 1")
        live.page.wait("document.querySelectorAll('#sql tbody tr').length === 5", 30)
        live.run("new Promise(done => setTimeout(() => done(1), 500))")
        equal(live.run("document.querySelectorAll('img, iframe, object, embed, form, a:not([href^=\"#\"])').length"), 0)
        check("run" not in live.run("document.title").split(":")[0].split() and live.run("document.documentElement.scrollWidth") <= 1280, live.run("document.title"))
        with open(f"{ROOT}/page/node_modules/axe-core/axe.min.js", encoding="utf-8") as file:
            live.run(file.read() + "; 1")
        found = live.run("axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.filter(v => v.impact !== 'minor').map(v => [v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + n.failureSummary)]))")
        equal(found, [])
        # by Tab alone to the run, a chart, the timeline and the SQL
        live.run("document.querySelectorAll('details').forEach(d => (d.open = false)); document.activeElement.blur(); scrollTo(0, 0); 1")
        seen = set()
        for _ in range(400):
            live.page.press("Tab")
            seen.add(live.run("(e => e.matches('.timeline canvas') ? 'timeline' : e.matches('.chart canvas') ? 'chart' : e.matches('#sql textarea') ? 'sql' : e.matches('.live select') ? 'run' : e.type === 'search' ? 'search' : '')(document.activeElement)"))
            if "sql" in seen:
                break
        equal(seen, {"timeline", "chart", "sql", "run", "search", ""})
        equal([m for m in live.said()], [])


@test
def an_answer_is_kept_while_nothing_changed():
    """What a report costs once it costs again when the store, or a section of the user's, has changed, and not before."""
    imported(EXAMPLE)
    os.environ["XDG_CONFIG_HOME"] = path("config")
    try:
        with serving() as s:
            def spent():
                """CPU seconds of children that have ended."""
                until(lambda: not subprocess.run(["ps", "--no-headers", "--ppid", str(s.process.pid)], capture_output=True, text=True).stdout.strip(), "the child ends")
                with open(f"/proc/{s.process.pid}/stat", encoding="utf-8") as file:
                    return sum(map(int, file.read().rpartition(")")[2].split()[13:15])) / os.sysconf("SC_CLK_TCK")

            def ask():
                before = spent()
                return s.ask("/api/report?run=parsl-htex")[2], spent() - before
            first, cost = ask()
            again, kept = ask()
            equal(again, first)
            check(kept < cost / 3, kept, cost)
            write(path("config", "spanloom", "report", "hosts.yaml"), "title: Hosts\nabout: x\nfigures:\n  hosts:\n    about: x\n    sql: SELECT 1 AS a\n")
            check('"name":"hosts"' in ask()[0])
            spanloom("import", "--quiet", "-d", path("spanloom.db"), f"{ROOT}/tests/data/parsl-2026-dual")
            check(ask()[0] != first and len(s.json("/api/runs")["data"]["run"]) == 2)
            note(f"a report of 198 tasks: {cost:.2f} s of CPU, then {kept:.2f} s")
    finally:
        del os.environ["XDG_CONFIG_HOME"]


@test
def a_run_that_goes_on():
    """What its logs gain is on the page by itself."""
    small_run(path("whole"), tasks=40)
    shutil.copytree(path("whole"), path("grows"))
    for folder, _, files in os.walk(path("grows")):
        for name in files:
            if name.endswith(".log"):
                with open(f"{folder}/{name}", "rb") as file:
                    data = file.read()
                cut = data.find(b"\n", len(data) // 2) + 1
                write(f"{folder}/{name}", data[:cut])
            else:
                os.remove(f"{folder}/{name}")
    imported(path("whole"), store="whole.db")
    want = json.loads(spanloom("runs", "-d", path("whole.db"), "--format", "json").out)[0]["tasks"]
    with serving("--follow", path("grows")) as s:
        live = Live(s)
        tasks = "Number(document.querySelector('.facts').innerText.match(/tasks\\s+(\\d+)/)?.[1] ?? 0)"
        before = live.run(tasks)
        check(0 < before < want, before)
        version = s.json("/api/version")["version"]
        time.sleep(5)
        equal(s.json("/api/version")["version"], version, "nothing is new, and the store is left as it is")
        # what a reader has set up is as it was, when the page is made anew: a time, an app, how tables are sorted, what is unfolded, the timeline, focus and place
        live.run("document.querySelector('#apps button.pick').click(); document.querySelector('#apps .behind').open = true; [...document.querySelectorAll('#tasks th button')].find(b => b.innerText === 'queued').click(); 1")
        live.run("T = document.querySelector('.timeline').timeline; T.go([0, T.whole[1] * 0.8]); T.search.value = 'task 3'; T.find('task 3'); T.groups.at(-1).open = !T.groups.at(-1).open; T.layout(); 1")
        live.page.wait("document.querySelectorAll('.selection .chip').length === 3", 20)
        live.run("document.querySelector('#tasks').scrollIntoView(); document.querySelectorAll('#tasks button')[3].focus({preventScroll: true}); 1")
        setup = """JSON.stringify([[...document.querySelectorAll('.selection .chip')].map(e => e.innerText), document.querySelector('#apps .behind').open, [...document.querySelectorAll('#tasks th')].findIndex(e => e.ariaSort),
            (T => [T.view, T.search.value, T.hits.length > 0, T.groups.at(-1).open])(document.querySelector('.timeline').timeline), document.activeElement.closest('section')?.id, document.activeElement.tagName,
            Math.round(document.querySelector('#tasks').getBoundingClientRect().top / 4)])"""
        was = live.run(setup)
        live.run("document.querySelector('main').dataset.before = 'yes'; 1")
        for folder, _, files in os.walk(path("grows")):
            for name in files:
                shutil.copy(f"{folder.replace(path('grows'), path('whole'))}/{name}", f"{folder}/{name}")
        live.page.wait(f"{tasks} === {want}", 60)
        equal(live.run("document.querySelector('main').dataset.before ?? null"), None)
        equal(live.run(setup), was)
        check("following" in live.run("document.querySelector('.live').innerText"))
        live.page.wait("/The run (has ended|has no task left|is silent|goes on)/.test(document.querySelector('.live [role=status]').innerText)", 20)
        [state] = {f["data"]["state"][0] for r in s.json(f"/api/report?run={s.json('/api/runs')['data']['run'][0]}")["runs"] for sec in r["sections"] for f in sec["figures"] if f["name"] == "run"}
        note(f"at the end: {state}, {live.run('document.title')}")
        check(state not in ("ended", "done") or "has" in live.run("document.title"), state)
        equal(live.said(), [])


main()
