# SPDX-License-Identifier: Apache-2.0
"""Other processes: those that multiprocessing starts lie in the span that started them, and their trace is complete before
they leave, as that of whoever calls os._exit()."""
import atexit
import functools
import os
import sys

import _spanloom


class _Watch:
    """Something for multiprocessing to know us by."""


_watch = _Watch()


def _finish_at_exit(_=None):
    util = sys.modules["multiprocessing.util"]
    util.Finalize(None, _spanloom.finish, exitpriority=-(2**62))


class _Context:
    """What a process that is sent by pickle (spawn, forkserver) has with it: the span that is open where it is sent."""

    def __reduce__(self):
        return _arrive, (_spanloom.traceparent(),)


def _arrive(context):
    _spanloom._lie_in(context)
    _tell_environ()
    return _Context()


def _with_context(start):
    @functools.wraps(start)
    def wrapper(self):
        self._spanloom = _Context()
        try:
            return start(self)
        finally:
            del self._spanloom

    return wrapper


class _Importing:
    """Waits for the import of multiprocessing, which is too much to load for programs that do without it; and sees
    whose perfflowaspect is there."""

    def find_spec(self, *_):
        _look_for_theirs()
        base = getattr(sys.modules.get("multiprocessing.process"), "BaseProcess", None)
        if base and not hasattr(base.start, "__wrapped__"):  # self stays: whoever asked is going through the list
            base.start = _with_context(base.start)


_told = False


def _look_for_theirs():
    """PerfFlowAspect's own package, where sys.path has it before ours: two traces of one process, and neither is whole."""
    global _told
    package = sys.modules.get("perfflowaspect")
    if not _told and package and not (getattr(package, "__file__", None) or "").endswith(".so"):
        _told = True
        sys.stderr.write(f"spanloom: perfflowaspect is PerfFlowAspect's own here ({package.__file__}): what it records is in "
                         "files of its own; for Spanloom's, take it out of PYTHONPATH or uninstall it\n")


def _watch_multiprocessing():
    util, process = sys.modules.get("multiprocessing.util"), sys.modules.get("multiprocessing.process")
    if util:  # what it will call in a child whose finalizers it has cleared
        util.register_after_fork(_watch, _finish_at_exit)
    if util and process.parent_process() is not None:
        _finish_at_exit()


def _tell_environ():
    """What children are to know goes into os.environ, too, of which some ways to start one make their environment.

    Without putenv(): in C's environment it has its place, where the runtime changes it after a fork.
    """
    data = getattr(os.environ, "_data", None)  # absent where somebody has put another object in its place
    for name, value in _spanloom._told_children().items():
        if data is not None and value is not None:
            data[os.environ.encodekey(name)] = value


def _in_child():
    _spanloom._forget_thread()
    _watch_multiprocessing()
    _tell_environ()


def _has_daemons():
    threading = sys.modules.get("threading")
    return threading and any(thread.daemon for thread in threading.enumerate())


def _finish_early():
    """Where there is no later: CPython ends a program that Ctrl-C stopped by a signal to itself, behind which no library is
    asked; and daemon threads of 3.10 crash if the process is still there when the interpreter is not."""
    interrupted = issubclass(getattr(sys, "last_type", None) or Exception, KeyboardInterrupt)
    if interrupted or (sys.version_info[:2] == (3, 10) and _has_daemons()):
        _spanloom.finish()


def _finishing(leave):
    @functools.wraps(leave)
    def _exit(status):
        if isinstance(status, int):  # else it raises, and the process goes on
            _spanloom._finish_at_once()
        leave(status)

    _exit.__module__ = "os"  # by which pickle finds it
    return _exit


def watch():
    _tell_environ()
    if _spanloom.may_record:
        os._exit = _finishing(os._exit)
    atexit.register(_finish_early)
    os.register_at_fork(after_in_child=_in_child)
    _watch_multiprocessing()
    if _spanloom.may_record:
        sys.meta_path.insert(0, _Importing())
        sys.meta_path[0].find_spec()
