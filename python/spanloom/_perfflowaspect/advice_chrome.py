# SPDX-License-Identifier: Apache-2.0
"""The advice that records Chrome Trace events; what it does is spanloom's. docs/from-perfflowaspect.md says what differs."""
import os
import time
from _thread import allocate_lock, get_native_id

import _spanloom
import spanloom
from spanloom._decorate import wrap

from .aspect_base import perfflowaspect
from .environment import (cannonicalize_perfflow_options, get_foreign_wm, get_perfflow_instance_path,  # noqa: F401, their place
                          get_uniq_id_from_foreign_wm, is_true, parse_perfflow_options, perfflow_options,
                          set_perfflow_instance_path, trace_file)

parse_perfflow_options()
counter, counter_mutex = 0, allocate_lock()  # of nothing: the runtime counts, and needs no lock


def _text(given):
    return given if isinstance(given, str) else str(given)


def _advice(pointcut, scope=""):
    scope = None if scope is None else _text(scope)

    def decorate(func):
        if isinstance(func, type):  # there, what is decorated becomes a function, whatever it was
            return wrap(func, pointcut, scope)
        return spanloom.critical_path(pointcut, scope)(func)

    return decorate


def _event(name, cat, ph):
    return {"name": name, "cat": cat, "pid": os.getpid(), "tid": get_native_id(), "ts": time.time() * 1000000, "ph": ph}


@perfflowaspect
class ChromeTracingAdvice:
    """Its attributes say what holds in this process. Only enable_logging may be set, for the decorators that follow."""

    enable_logging = bool(_spanloom.may_record)
    inst_path = os.environ.get("PERFFLOW_INSTANCE_PATH", "")  # where the runtime has put it for children
    fn = trace_file(inst_path)
    log_dir, log_enable = perfflow_options["log-dir"], perfflow_options["log-enable"]
    cpu_mem_usage, log_event = perfflow_options["cpu-mem-usage"], perfflow_options["log-event"]
    enable_cpu_mem_usage = is_true("cpu-mem-usage")
    enable_compact_log_event = log_event.lower() == "compact"
    log_format = perfflow_options["log-format"]
    array_format = log_format.lower() != "object"
    caliper_flag, enable_caliper = perfflow_options["caliper-enable"], False
    logger = None  # nothing is logged: events go to the runtime
    sync_pointcut_phase_map = {"before": "B", "after": "E"}
    async_pointcut_phase_map = {"before": "b", "instant": "n", "after": "e"}

    @classmethod
    def create_sync_event(cls, name, cat, ph):
        """The event as a dict, which is not recorded: sync_event() does that."""
        if ph not in ("B", "E"):
            raise ValueError(f"Invalid Phase: {ph}")
        return _event(name, cat, ph)

    @classmethod
    def create_async_event(cls, name, cat, ph, scope=None, id=None):
        if ph not in ("b", "n", "e", "s", "t", "f"):
            raise ValueError(f"Invalid Phase: {ph}")
        return {**_event(name, cat, ph), "id": id or 123, **({"scope": scope} if scope else {})}

    @staticmethod
    def sync_event(pointcut, name, cat):
        spanloom.sync_event(pointcut, _text(name), _text(cat))

    @staticmethod
    def async_event(pointcut, name, cat, scope=None, id=None):
        spanloom.async_event(pointcut, _text(name), _text(cat), scope and _text(scope), id or None)

    @staticmethod
    def around(func):
        return _advice("around")(func)

    @staticmethod
    def before(func):
        return _advice("before")(func)

    @staticmethod
    def after(func):
        return _advice("after")(func)

    @staticmethod
    def around_async(func):
        return _advice("around_async")(func)

    @staticmethod
    def before_async(scope):
        return _advice("before_async", scope)

    @staticmethod
    def after_async(scope):
        return _advice("after_async", scope)


def _forked():
    ChromeTracingAdvice.fn = trace_file(ChromeTracingAdvice.inst_path, forked=True)


os.register_at_fork(after_in_child=_forked)
