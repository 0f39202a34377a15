# SPDX-License-Identifier: Apache-2.0
"""What Python imports before a program where `spanloom trace` put this folder into PYTHONPATH: functions are traced.

The program finds sys.path and its own sitecustomize as if this were not here. Old Pythons come by, too: they do nothing.
"""
import os
import sys


def _start():
    path = [p for p in os.environ.get("SPANLOOM_PYTHON_PATH", "").split(os.pathsep) if p]
    sys.path[:0] = path
    try:
        import spanloom._trace
        spanloom._trace.start()
    except Exception as error:  # the program does not suffer from it
        sys.stderr.write("spanloom: functions of Python are not traced: %s: %s\n" % (type(error).__name__, error))
    finally:
        del sys.path[:len(path)]


def _chain():
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p) != here]
    ours = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize  # noqa: F401, that which stands behind this one
    except ImportError as error:
        sys.modules["sitecustomize"] = ours
        if getattr(error, "name", "sitecustomize") != "sitecustomize":
            raise


try:
    _chain()
finally:
    if os.environ.get("SPANLOOM_PYTHON") and sys.version_info >= (3, 9) and sys.implementation.name == "cpython":
        _start()
