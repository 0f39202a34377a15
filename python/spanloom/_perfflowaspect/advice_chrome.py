# SPDX-License-Identifier: Apache-2.0
"""The advice that records Chrome Trace events; what it does is spanloom's."""
import _spanloom
import spanloom
from spanloom._decorate import wrap

from .aspect_base import perfflowaspect


def _text(given):
    return given if isinstance(given, str) else str(given)


def _advice(pointcut, scope=""):
    def decorate(func):
        if isinstance(func, type):  # there, what is decorated becomes a function, whatever it was
            return wrap(func, pointcut, scope)
        return spanloom.critical_path(pointcut, scope)(func)

    return decorate


@perfflowaspect
class ChromeTracingAdvice:
    enable_logging = bool(_spanloom.may_record)
    sync_pointcut_phase_map = {"before": "B", "after": "E"}
    async_pointcut_phase_map = {"before": "b", "instant": "n", "after": "e"}

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
