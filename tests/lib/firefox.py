# SPDX-License-Identifier: Apache-2.0
"""Firefox without a window, driven by WebDriver BiDi, which it speaks itself: nothing but Debian's package is needed."""
import base64
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time

from waiting import Waiting

PROGRAM = shutil.which("firefox-esr") or shutil.which("firefox")
# nothing of its own goes out, nor comes up
PREFERENCES = {
    "app.normandy.enabled": False, "app.update.disabledForTesting": True, "browser.aboutwelcome.enabled": False, "browser.newtabpage.enabled": False,
    "browser.safebrowsing.malware.enabled": False, "browser.safebrowsing.phishing.enabled": False, "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore", "datareporting.policy.dataSubmissionEnabled": False, "dom.disable_open_during_load": False,
    "extensions.update.enabled": False, "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
    "network.dns.disablePrefetch": True, "services.settings.server": "data:,", "toolkit.telemetry.enabled": False, "gfx.webrender.software": True,
}


class Socket:
    """Messages of a WebSocket (RFC 6455), as its client."""

    def __init__(self, port, path):
        self.s = socket.create_connection(("127.0.0.1", port), 60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.s.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            self.rest += self.more()
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise RuntimeError(head.decode())

    def more(self):
        got = self.s.recv(1 << 20)
        if not got:
            raise RuntimeError("firefox ended")
        return got

    def take(self, n):
        while len(self.rest) < n:
            self.rest += self.more()
        got, self.rest = self.rest[:n], self.rest[n:]
        return got

    def send(self, text, opcode=1):
        data, mask = text.encode(), os.urandom(4)
        n = len(data)
        head = bytes([0x80 | opcode]) + (bytes([0x80 | n]) if n < 126 else b"\xfe" + struct.pack(">H", n) if n < 65536 else b"\xff" + struct.pack(">Q", n))
        masked = (int.from_bytes(data, "big") ^ int.from_bytes((mask * (n // 4 + 1))[:n], "big")).to_bytes(n, "big")
        self.s.sendall(head + mask + masked)

    def receive(self, seconds):
        self.s.settimeout(seconds)
        message = b""
        while True:
            first, second = self.take(2)
            n = second & 127
            n = struct.unpack(">H", self.take(2))[0] if n == 126 else struct.unpack(">Q", self.take(8))[0] if n == 127 else n
            data = self.take(n)
            if first & 15 == 8:
                raise RuntimeError("firefox closed the connection")
            if first & 15 in (0, 1):
                message += data
                if first & 128:
                    return message.decode()


class Browser:
    """with Browser() as b: page = b.open("file:///x.html"); page.run("1 + 1")"""

    def __init__(self, **preferences):
        self.preferences = {**PREFERENCES, **preferences}

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="spanloom-firefox-", ignore_cleanup_errors=True)
        with open(f"{self.profile.name}/user.js", "w", encoding="utf-8") as file:
            for name, value in self.preferences.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        self.log = open(f"{self.profile.name}/log", "w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen(
            [PROGRAM, "--headless", "--no-remote", "--remote-debugging-port=0", "--profile", self.profile.name, "about:blank"],
            start_new_session=True, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env={**os.environ, "HOME": self.profile.name, "MOZ_CRASHREPORTER_DISABLE": "1"})
        end = time.monotonic() + 120
        while not (found := re.search(r"BiDi listening on ws://127\.0\.0\.1:(\d+)", self.told())):
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"firefox did not begin: {self.told()[-1000:]}")
            time.sleep(0.05)
        self.socket = Socket(int(found[1]), "/session")
        self.number, self.messages = 0, []
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent", "browsingContext.userPromptOpened"])
        return self

    def told(self):
        with open(self.log.name, encoding="utf-8", errors="replace") as file:
            return file.read()

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.socket.s.close()
        self.log.close()
        self.profile.cleanup()

    def call(self, method, timeout=600, **params):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": params}))
        while (answer := json.loads(self.socket.receive(timeout))).get("id") != self.number:
            self.messages.append(answer)
        if answer["type"] == "error":
            raise RuntimeError(f"{method}: {answer['error']}: {answer['message']}")
        return answer["result"]

    def open(self, url, width=1280, height=900):
        return Page(self, url, width, height)


class Page(Waiting):
    def __init__(self, browser, url, width, height):
        self.browser = browser
        self.context = browser.call("browsingContext.create", type="tab")["context"]
        browser.call("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height})
        browser.messages.clear()
        browser.call("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def run(self, script, timeout=600):
        """The value of a JavaScript expression, or what the promise that it is comes to."""
        answer = self.browser.call("script.evaluate", timeout, expression=f"Promise.resolve({script}).then(x => JSON.stringify(x))", target={"context": self.context}, awaitPromise=True, userActivation=True)
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"].get("value", "null"))

    def act(self, kind, actions, **more):
        self.browser.call("input.performActions", context=self.context, actions=[{"type": kind, "id": kind, "actions": actions, **more}])
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def drag(self, x, y, to_x, to_y):
        at = [{"type": "pointerMove", "x": round(a), "y": round(b)} for a, b in ((x, y), ((x + to_x) / 2, y), (to_x, to_y))]
        self.act("pointer", [at[0], {"type": "pointerDown", "button": 0}, *at[1:], {"type": "pointerUp", "button": 0}])

    def press(self, *keys):
        codes = {"Escape": "\ue00c", "Enter": "\ue007", "Tab": "\ue004", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015"}
        for key in keys:
            self.act("key", [{"type": kind, "value": codes.get(key, key)} for kind in ("keyDown", "keyUp")])

    def said(self):
        """What the console had, as texts, and dialogs."""
        mine = [m for m in self.browser.messages if m.get("params", {}).get("source", m.get("params", {})).get("context") == self.context]
        return [m["params"].get("text") or m["params"].get("message") or m["method"] for m in mine if m["method"] in ("log.entryAdded", "browsingContext.userPromptOpened")]

    def asked(self):
        """Addresses that were asked for; Firefox has a font of its own in one that begins with data:, which asks nobody."""
        urls = [m["params"]["request"]["url"] for m in self.browser.messages if m["method"] == "network.beforeRequestSent" and m["params"]["context"] == self.context]
        return [url for url in urls if not url.startswith("data:")]
