# SPDX-License-Identifier: Apache-2.0
"""Processes that multiprocessing starts leave by os._exit(): their trace is to be complete before."""
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


def _tell_children():
    """What the runtime tells them: many are started with a copy of os.environ."""
    os.environ.update(_spanloom._environment())


def _in_child():
    _spanloom._forget_thread()
    _tell_children()
    _watch_multiprocessing()


def watch():
    os.register_at_fork(after_in_child=_in_child)
    _tell_children()
    _watch_multiprocessing()
