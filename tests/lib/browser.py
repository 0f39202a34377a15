# SPDX-License-Identifier: Apache-2.0
"""Chromium without a window, driven over the DevTools protocol on a pipe: nothing but Debian's package is needed."""
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

from waiting import Waiting

PROGRAM = shutil.which("chromium")


class Browser:
    """with Browser() as b: page = b.open("chrome://tracing"); page.run("1 + 1")"""

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="spanloom-chromium-", ignore_cleanup_errors=True)
        with open(f"{self.profile.name}/Local State", "w", encoding="utf-8") as file:
            file.write('{"internal_only_uis_enabled": true}')  # chrome://tracing is one of these
        from_us, self.write_fd = os.pipe()
        self.read_fd, to_us = os.pipe()

        def pipes():
            high = [os.dup2(fd, n, inheritable=False) for fd, n in ((from_us, 203), (to_us, 204))]
            os.dup2(high[0], 3, inheritable=True)
            os.dup2(high[1], 4, inheritable=True)
        self.process = subprocess.Popen(
            [PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--no-default-browser-check", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--disable-extensions", "--disable-default-apps", "--metrics-recording-only",
             "--no-proxy-server", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
             f"--user-data-dir={self.profile.name}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=pipes, pass_fds=(3, 4), start_new_session=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.profile.name})
        os.close(from_us)
        os.close(to_us)
        self.number, self.rest, self.messages = 0, b"", []
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close", timeout=5)
            self.process.wait(5)
        except (OSError, RuntimeError, TimeoutError, subprocess.TimeoutExpired):
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.read_fd)
        os.close(self.write_fd)
        self.profile.cleanup()

    def receive(self, end):
        while b"\0" not in self.rest:
            if not select.select([self.read_fd], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("chromium does not answer")
            got = os.read(self.read_fd, 1 << 20)
            if not got:
                raise RuntimeError("chromium ended")
            self.rest += got
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def call(self, method, session=None, timeout=600, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_fd, data):]
        end = time.monotonic() + timeout
        while (answer := self.receive(end)).get("id") != message["id"]:
            self.messages.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, url):
        return Page(self, url)


class Page(Waiting):
    def __init__(self, browser, url):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.call("Page.navigate", self.session, url=url)

    def run(self, script, timeout=600):
        """The value of a JavaScript expression, or what the promise that it is comes to."""
        answer = self.browser.call("Runtime.evaluate", self.session, timeout, expression=script, returnByValue=True,
                                   awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def drag(self, x, y, to_x, to_y):
        def mouse(kind, a, b, **more):
            self.browser.call("Input.dispatchMouseEvent", self.session, type=kind, x=round(a), y=round(b), **more)
        held = dict(button="left", buttons=1, clickCount=1)
        mouse("mouseMoved", x, y)
        mouse("mousePressed", x, y, **held)
        mouse("mouseMoved", (x + to_x) / 2, y, **held)
        mouse("mouseMoved", to_x, to_y, **held)
        mouse("mouseReleased", to_x, to_y, **held)
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def press(self, *keys):
        codes = {"Escape": 27, "Enter": 13, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        for key in keys:
            more = {"text": {"Enter": "\r"}.get(key, key)} if len(key) == 1 or key == "Enter" else {}
            self.browser.call("Input.dispatchKeyEvent", self.session, type="keyDown", key=key, windowsVirtualKeyCode=codes.get(key, ord(key[0].upper())), **more)
            self.browser.call("Input.dispatchKeyEvent", self.session, type="keyUp", key=key, windowsVirtualKeyCode=codes.get(key, ord(key[0].upper())))
            self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def watch(self):
        """From here on said() and asked() tell."""
        self.browser.messages.clear()
        for method in "Runtime.enable", "Log.enable", "Network.enable", "Page.enable":
            self.browser.call(method, self.session)

    def told(self, *methods):
        self.run("1")
        return [m["params"] for m in self.browser.messages if m.get("sessionId") == self.session and m.get("method") in methods]

    def said(self):
        """What the console had, exceptions and dialogs."""
        return self.told("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening")

    def asked(self):
        """Addresses that were asked for."""
        return [p["request"]["url"] for p in self.told("Network.requestWillBeSent")]
