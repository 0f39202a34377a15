#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`spanloom export mlflow` and `monitor --mlflow` against a real tracking server, read back by MLflow's own interface; and
what comes between: a server that is away, answers that are lost, credentials, TLS."""
import atexit
import base64
import http.client
import http.server
import os
import signal
import socket
import ssl
import subprocess
import sys
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import *  # noqa: E402
import monitor_files as files  # noqa: E402
import peers  # noqa: E402

peers.needs("mlflow")
HOME = tempfile.mkdtemp(prefix="spanloom-mlflow-")
atexit.register(shutil.rmtree, HOME, True)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


PORT = free_port()
URI = f"http://127.0.0.1:{PORT}"


def start_server():
    # no telemetry, no jobs of its own: it is asked for runs only
    env = {**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true", "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "DO_NOT_TRACK": "true"}
    with open(f"{HOME}/log", "w") as log:
        server = subprocess.Popen([f"{peers.VENV}/bin/mlflow", "server", "--backend-store-uri", f"sqlite:///{HOME}/mlflow.db", "--artifacts-destination", f"{HOME}/artifacts",
                                   "--host", "127.0.0.1", "--port", str(PORT), "--workers", "1"], stdout=log, stderr=log, env=env, start_new_session=True)
    atexit.register(os.killpg, server.pid, signal.SIGTERM)

    def up():
        check(server.poll() is None, open(f"{HOME}/log").read()[-2000:])
        try:
            c = http.client.HTTPConnection("127.0.0.1", PORT, timeout=5)
            c.request("GET", "/health")
            return c.getresponse().status == 200
        except OSError:
            return False
    until(up, "the tracking server")


start_server()


def api(path_, **parameters):
    c = http.client.HTTPConnection("127.0.0.1", PORT)
    c.request("GET", f"/api/2.0/{path_}?{urllib.parse.urlencode(parameters)}")
    return json.loads(c.getresponse().read())


def post(path_, **body):
    c = http.client.HTTPConnection("127.0.0.1", PORT)
    c.request("POST", f"/api/2.0/{path_}", json.dumps(body), {"Content-Type": "application/json"})
    return json.loads(c.getresponse().read())


def new_run():
    return post("mlflow/runs/create", experiment_id="0", start_time=1)["run"]["info"]["run_id"]


def history(run, key):
    """[(step, timestamp, value)], every row that the server has."""
    return sorted((int(m.get("step", 0)), int(m["timestamp"]), float(m["value"])) for m in api("mlflow/metrics/get-history", run_id=run, metric_key=key).get("metrics", []))


def runs_of(experiment):
    found = api("mlflow/experiments/get-by-name", experiment_name=experiment)
    if "experiment" not in found:
        return []
    return post("mlflow/runs/search", experiment_ids=[found["experiment"]["experiment_id"]]).get("runs", [])


def environ(uri=URI, **more):
    return {"MLFLOW_TRACKING_URI": uri, "XDG_STATE_HOME": path("state"), **more}


def nodes(*hosts, **more):
    for i, h in enumerate(hosts):
        lines = files.node(h, 5 + i, **more)
        write(path("mon", files.name(lines)), files.text(lines))
    return {h: files.node(h, 5 + i, **more) for i, h in enumerate(hosts)}


def compare(run, all_lines):
    for step, host in enumerate(sorted(all_lines)):
        lines = all_lines[host]
        for metric, value in files.summary(lines).items():
            got = [h for h in history(run, metric) if h[0] == step]
            equal(len(got), 1, f"{metric} of {host}")
            check(abs(got[0][2] - value) <= 1e-9 * max(1, abs(value)) and got[0][1] == int(lines[-1]["timestamp"] * 1000), metric, got, value)


@test
def all_metrics_of_all_nodes_arrive_once():
    lines, run = nodes("c", "a", "b"), new_run()
    env = environ(MLFLOW_RUN_ID=run)
    r = spanloom("export", "mlflow", "mon", env=env)
    check(f"sent to run {run}" in r.err, r)
    compare(run, lines)
    c = http.client.HTTPConnection("127.0.0.1", PORT)
    artifact = api("mlflow/runs/get", run_id=run)["run"]["info"]["artifact_uri"].split("mlflow-artifacts:/")[1]
    c.request("GET", f"/api/2.0/mlflow-artifacts/artifacts/{artifact}/spanloom-nodes.json")
    equal(json.loads(c.getresponse().read()), json.loads(spanloom("metrics", "--reports", "mon").out))
    equal(api("mlflow/runs/get", run_id=run)["run"]["info"]["status"], "RUNNING", "it is not ours to end")
    check("not sent again" in spanloom("export", "mlflow", "mon", env=env).err, "a second time")
    compare(run, lines)


@test
def a_run_is_made_in_the_experiment():
    nodes("a")
    name = "überraschend / 1 ' \" %20"
    env = environ(MLFLOW_EXPERIMENT_NAME=name)
    store = imported(path("mon")).store
    spanloom("export", "mlflow", "-d", store, env=env)
    spanloom("export", "mlflow", "-d", store, env=env)
    [run] = runs_of(name)
    equal(run["info"]["status"], "FINISHED")
    spanloom("export", "mlflow", "-d", store, env=environ(MLFLOW_EXPERIMENT_ID=run["info"]["experiment_id"]))
    equal(len(runs_of(name)), 2)
    r = spanloom("export", "mlflow", "-d", store, env=environ(MLFLOW_RUN_ID="0" * 32), code=1)
    check("HTTP 404" in r.err and "0" * 32 in r.err, r)
    check("sent" not in spanloom("export", "mlflow", "--spooled", env=environ()).err, "what is refused does not wait")


@test
def mlflows_own_names_and_more_than_a_request_takes():
    lines, run = nodes("a", "b", n=400), new_run()
    spanloom("export", "mlflow", "mon", "--names", "system", env=environ(MLFLOW_RUN_ID=run))
    for host in "ab":
        got = history(run, f"system/{host}/cpu_utilization_percentage")
        equal([(s, v) for s, _, v in got], [(i, line["cpu_pct_per_cpu_avg"]) for i, line in enumerate(lines[host][1:])])
        [(_, _, last)] = history(run, f"system/{host}/network_receive_megabytes")[-1:]
        check(abs(last - (lines[host][-1]["net_io_lo_recv_mb"] + lines[host][-1]["net_io_ext_recv_mb"]) * 1.048576) < 1e-9, last)


@test
def names_that_mlflow_refuses():
    nodes("a")
    r = spanloom("export", "mlflow", "mon", "--names", "code", env=environ(MLFLOW_EXPERIMENT_NAME="code"), code=1)
    check("HTTP 400" in r.err and "max_t_(" in r.err, r)
    equal([run["info"]["status"] for run in runs_of("code")], ["FAILED"])


@test
def an_away_server_gets_it_by_the_next_call():
    lines, run = nodes("a", "b"), new_run()
    gate = Between("closed")
    env = environ(gate.uri, MLFLOW_RUN_ID=run)
    r = spanloom("export", "mlflow", "mon", env=env, code=1)
    check("1 export waits" in r.err, r)
    check("1 export waits" in spanloom("export", "mlflow", "mon", env=env, code=1).err, "the same is there once")
    equal(history(run, "node_cpu_hours"), [])
    equal(oct(os.stat(path("state/spanloom")).st_mode & 0o777), "0o700")
    gate.mood = "open"
    check("sent to run" in spanloom("export", "mlflow", "--spooled", env=env).err, "sent")
    compare(run, lines)
    equal(spanloom("export", "mlflow", "--spooled", env=env).err, "", "nothing waits")


class Between:
    """A server in front of the real one. closed: no answer; deaf: requests of this number (from 1) reach the server, and
    the answer is lost; busy: 503."""

    def __init__(self, mood="open", lose=(), tls=None, want=None):
        outer = self
        self.mood, self.lose, self.count, self.seen = mood, set(lose), 0, []

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def pass_on(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                outer.seen.append((self.command, self.path, self.headers.get("Authorization")))
                if want and self.headers.get("Authorization") != want:
                    return self.answer(401, b'{"message": "who are you?"}')
                if outer.mood == "closed":
                    return self.connection.close()
                if outer.mood == "busy":
                    return self.answer(503, b"try later")
                c = http.client.HTTPConnection("127.0.0.1", PORT)
                c.request(self.command, self.path, body, {"Content-Type": "application/json"})
                r = c.getresponse()
                data = r.read()
                outer.count += 1
                if outer.count in outer.lose:
                    return self.connection.shutdown(socket.SHUT_RDWR)
                self.answer(r.status, data)
            do_GET = do_POST = do_PUT = pass_on

            def answer(self, status, data):
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(tls)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.uri = f"http{'s' if tls else ''}://127.0.0.1:{self.server.server_port}"


@test
def whatever_answer_is_lost_nothing_arrives_twice():
    """Each request of an export in turn is heard and its answer lost; the next call finds out what arrived."""
    lines = nodes("a", "b", n=300)
    number = 0
    while True:
        number += 1
        gate, experiment = Between(lose=[number]), f"lost {number}"
        env = environ(gate.uri, MLFLOW_EXPERIMENT_NAME=experiment, XDG_STATE_HOME=path(f"state{number}"))
        r = spanloom("export", "mlflow", "mon", "--names", "system", env=env, code=(0, 1))
        if r.code == 0:
            break
        spanloom("export", "mlflow", "--spooled", env=env)
        [run] = runs_of(experiment)
        for host in "ab":
            got = history(run["info"]["run_id"], f"system/{host}/cpu_utilization_percentage")
            equal([(s, v) for s, _, v in got], [(i, line["cpu_pct_per_cpu_avg"]) for i, line in enumerate(lines[host][1:])], f"answer {number} lost")
        posts = [p for m, p, _ in gate.seen if p.endswith("log-batch")]
        check(len(posts) <= 5, f"{len(posts)} requests for 4 batches")
    check(number > 8, f"an export was {number - 1} requests")


@test
def a_busy_server_is_asked_again_later():
    nodes("a")
    gate, run = Between("busy"), new_run()
    env = environ(gate.uri, MLFLOW_RUN_ID=run)
    check("HTTP 503" in spanloom("export", "mlflow", "mon", env=env, code=1).err, "busy")
    gate.mood = "open"
    spanloom("export", "mlflow", "--spooled", env=env)
    equal(len(history(run, "node_cpu_hours")), 1)


@test
def two_at_once_send_it_once():
    nodes("a", n=50)
    gate, run = Between(), new_run()
    env = environment(**environ(gate.uri, MLFLOW_RUN_ID=run))
    both = [subprocess.Popen([PROGRAM, "export", "mlflow", path("mon")], env=env, cwd=path(), stderr=subprocess.PIPE) for _ in range(4)]
    for p in both:
        p.communicate()
    spanloom("export", "mlflow", "--spooled", env=environ(gate.uri, MLFLOW_RUN_ID=run))
    equal(len(history(run, "node_cpu_hours")), 1)
    equal(sum(p.endswith("log-batch") for _, p, _ in gate.seen), 1)


@test
def credentials_and_tls():
    nodes("a")
    pem = path("server.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", path("key"), "-out", path("cert"), "-days", "2", "-subj", "/CN=127.0.0.1",
                    "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    write(pem, open(path("key")).read() + open(path("cert")).read())
    basic = "Basic " + base64.b64encode(b"me:pa:ss").decode()
    tries = 0
    for want, more in ((basic, {"MLFLOW_TRACKING_USERNAME": "me", "MLFLOW_TRACKING_PASSWORD": "pa:ss"}), ("Bearer t0ken", {"MLFLOW_TRACKING_TOKEN": "t0ken"})):
        for trust in ({"MLFLOW_TRACKING_SERVER_CERT_PATH": path("cert")}, {"MLFLOW_TRACKING_INSECURE_TLS": "true"}):
            tries += 1
            gate, run = Between(tls=pem, want=want), new_run()
            env = environ(gate.uri, MLFLOW_RUN_ID=run, XDG_STATE_HOME=path(f"state{tries}"))
            r = spanloom("export", "mlflow", "mon", env={**env, **more}, code=1)
            check("certificate" in r.err and not gate.seen, "not trusted", r)
            r = spanloom("export", "mlflow", "--spooled", env={**env, **trust}, code=1)
            check("HTTP 401" in r.err and "who are you?" in r.err, r)
            spanloom("export", "mlflow", "--spooled", env={**env, **trust, **more})
            equal(len(history(run, "node_cpu_hours")), 1)
            with open(f"{path(f'state{tries}')}/spanloom/{[f for f in os.listdir(path(f'state{tries}/spanloom')) if f.endswith('.db')][0]}", "rb") as f:
                held = f.read()
            check(b"t0ken" not in held and b"pa:ss" not in held, "a credential lies in the file")
    gate, run = Between(want=basic), new_run()
    spanloom("export", "mlflow", "mon", env=environ(gate.uri.replace("//", "//me:pa:ss@"), MLFLOW_RUN_ID=run, XDG_STATE_HOME=path("uri")))
    equal(len(history(run, "node_cpu_hours")), 1, "in the address")


@test
def credentials_go_to_their_server_only():
    nodes("a")
    first, second = Between("closed"), Between()
    spanloom("export", "mlflow", "mon", env=environ(first.uri, MLFLOW_RUN_ID=new_run()), code=1)
    first.mood = "open"
    spanloom("export", "mlflow", "mon", env=environ(second.uri, MLFLOW_RUN_ID=new_run(), MLFLOW_TRACKING_TOKEN="t0ken"))
    equal({a for _, _, a in second.seen}, {"Bearer t0ken"})
    equal({a for _, _, a in first.seen}, {None})


@test
def a_monitor_sends_at_its_end():
    run = new_run()
    env = environ(MLFLOW_RUN_ID=run, OMPI_COMM_WORLD_RANK="3")
    r = spanloom("monitor", "--mlflow", "--interval", "50ms", "sh", "-c", "sleep 0.3; exit 7", env=env, code=7)
    check(f"sent to run {run}" in r.err, r)
    [file] = [f for f in os.listdir(path()) if f.endswith(".jsonl")]
    with open(path(file)) as f:
        lines = [json.loads(line) for line in f]
    lines = [line for line in lines if line["record"] in ("monitor", "sample", "end")]
    for metric, value in files.summary(lines).items():
        [(step, _, got)] = history(run, metric)
        check(step == 3 and abs(got - value) <= 1e-9 * max(1, abs(value)), metric, step, got, value)
    r = spanloom("monitor", "--mlflow", "true", env={k: v for k, v in env.items() if k != "MLFLOW_RUN_ID"}, code=2)
    check("MLFLOW_RUN_ID" in r.err, r)
    r = spanloom("monitor", "--mlflow", "sh", "-c", "exit 7", env=environ("http://127.0.0.1:1"), code=7)
    check("waits" in r.err, r)


@test
def what_is_missing_is_said():
    nodes("a")
    for uri in ("", "file:///tmp/mlruns", "databricks"):
        check("MLFLOW_TRACKING_URI" in spanloom("export", "mlflow", "mon", env=environ(uri), code=2).err, uri)
    check("no metrics of nodes" in spanloom("export", "mlflow", "-d", imported(EXAMPLE).store, env=environ(), code=1).err, "no nodes")


main()
