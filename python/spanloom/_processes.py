# SPDX-License-Identifier: Apache-2.0
"""Processes that multiprocessing starts leave by os._exit(): their trace is to be complete before."""
import atexit
import os
import sys

import _spanloom


class _Watch:
    """Something for multiprocessing to know us by."""


_watch = _Watch()


def _finish_at_exit(_=None):
    util = sys.modules["multiprocessing.util"]
    util.Finalize(None, _spanloom.finish, exitpriority=-(2**62))


def _watch_multiprocessing():
    util, process = sys.modules.get("multiprocessing.util"), sys.modules.get("multiprocessing.process")
    if util:  # what it will call in a child whose finalizers it has cleared
        util.register_after_fork(_watch, _finish_at_exit)
    if util and process.parent_process() is not None:
        _finish_at_exit()


def _in_child():
    _spanloom._forget_thread()
    _watch_multiprocessing()


def _finish_if_interrupted():
    """CPython ends a program that Ctrl-C stopped by a signal to itself, behind which no library is asked."""
    if issubclass(getattr(sys, "last_type", None) or Exception, KeyboardInterrupt):
        _spanloom.finish()


def watch():
    atexit.register(_finish_if_interrupted)
    os.register_at_fork(after_in_child=_in_child)
    _watch_multiprocessing()
