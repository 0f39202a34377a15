# SPDX-License-Identifier: Apache-2.0
"""Spanloom: where the time of composite workflows went.

    import spanloom

    @spanloom.critical_path()
    def solve(n): ...

    with spanloom.span("load", file=path): ...

Run the program by `spanloom run -- python3 program.py`, or import the `perfflow.*.pfw` that it leaves. spanloom-python(7)
describes all of it.
"""
from _spanloom import (args, async_event, counter, enable, finish, flow, flush, instant, new_id, span, sync_event,
                       thread_name, traceparent, version as __version__)

from ._decorate import critical_path
from ._advice import Advice, advise
from . import _processes

# without open(), which `import *` is not to hide
__all__ = ["advise", "args", "async_event", "counter", "critical_path", "enable", "finish", "flow", "flush", "instant",
           "new_id", "span", "sync_event", "thread_name", "trace_futures", "traceparent"]

_processes.watch()


def __getattr__(name):
    """What not every traced program needs is loaded when it is asked for."""
    if name in ("open", "Answer", "Plot", "Store"):
        from . import _store
        found = getattr(_store, name)
    elif name == "trace_futures":
        from ._futures import trace_futures as found
    else:
        raise AttributeError(f"module 'spanloom' has no attribute {name!r}")
    globals()[name] = found
    return found
