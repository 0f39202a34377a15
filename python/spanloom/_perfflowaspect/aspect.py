# SPDX-License-Identifier: Apache-2.0
"""critical_path(), sync_event(), async_event(): what programs are annotated with."""
import functools
import sys

from .advice_chrome import ChromeTracingAdvice
from .advice_dispatch import AdviceDispatcher

advice_kind = "ChromeTracing"


def critical_path(pointcut="around", scope=""):
    """A decorator: spanloom.critical_path(), but an unknown pointcut is reported at each call, which goes through."""
    if callable(pointcut) or isinstance(pointcut, (classmethod, staticmethod, property)):  # @critical_path
        return critical_path()(pointcut)

    def decorate(function):
        if not ChromeTracingAdvice.enable_logging:
            return function
        try:
            advice = AdviceDispatcher.get(advice_kind, pointcut, scope)
        except KeyError as error:
            return _reporting(function, f"perfflow error: {error}")
        return advice(function)

    return decorate


def _reporting(function, error):
    if isinstance(function, (classmethod, staticmethod)):
        return type(function)(_reporting(function.__func__, error))
    if isinstance(function, property):
        return function.getter(_reporting(function.fget, error)) if function.fget else function

    @functools.wraps(function)
    def report(*args, **kwargs):
        print(error, file=sys.stderr)
        return function(*args, **kwargs)

    return report


def sync_event(pointcut, name, category):
    """The begin ('before') or end ('after') of a span of this thread."""
    if ChromeTracingAdvice.enable_logging:
        AdviceDispatcher.get_advice(advice_kind).sync_event(pointcut, name, category)


def async_event(pointcut, name, category, scope=None, id=None):
    """The begin ('before'), end ('after') or a moment ('instant') of an asynchronous span."""
    if ChromeTracingAdvice.enable_logging:
        AdviceDispatcher.get_advice(advice_kind).async_event(pointcut, name, category, scope=scope, id=id)
