# SPDX-License-Identifier: Apache-2.0
"""trace_futures(): what is submitted to executors of concurrent.futures, from its submission to its end."""
import concurrent.futures
import contextvars
import functools
import inspect
import types

import _spanloom

from ._decorate import name_of

CATEGORY = "concurrent.futures"


class Submitted:
    """What is submitted instead of the function: tells where and when that runs. It may be pickled if the function may."""

    __slots__ = "function", "name", "id", "decorated"

    def __init__(self, function):
        inner = innermost(function)
        self.function, self.name, self.id = function, name_of(inner), _spanloom.new_id()
        self.decorated = has_own_span(inner)

    def __call__(self, /, *args, **kwargs):
        _spanloom.async_event("instant", "running", CATEGORY, None, self.id)
        if self.decorated:
            _spanloom._arrive(self.name, CATEGORY, self.id)
            return self.function(*args, **kwargs)
        with _spanloom.span(self.name, CATEGORY, id=self.id):
            _spanloom.flow(self.name, self.id, "in", CATEGORY)
            return self.function(*args, **kwargs)


def end(name, id, exception):
    _spanloom.async_event("after", name, CATEGORY, None, id)
    if exception:
        _spanloom._args_of_event(exception=exception)


def innermost(function):
    """What a person would say was submitted: not the partial, the bound method, the asyncio.to_thread() around it."""
    while True:
        if isinstance(function, functools.partial):
            first = function.args[:1]
            carries = first and (is_run_of_context(function.func) or name_of(function.func) == "_process_chunk")
            function = first[0] if carries else function.func
        elif type(function) is types.MethodType:
            function = function.__func__
        else:
            return function


def is_run_of_context(function):
    return isinstance(getattr(function, "__self__", None), contextvars.Context)


def has_own_span(function):
    return (type(function) is _spanloom.Traced and function.__spanloom__[0] == "around" and
            not any(is_kind(function.__traced__) for is_kind in (
                inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction)))


def name_of_exception(future):
    if future.cancelled():
        return "CancelledError"
    exception = future.exception()
    return exception and type(exception).__name__


def traced(submit):
    @functools.wraps(submit)
    def traced_submit(self, fn, /, *args, **kwargs):
        what = Submitted(fn)
        with _spanloom.span("submit", CATEGORY):  # for the arrow to begin in
            _spanloom.async_event("before", what.name, CATEGORY, None, what.id)
            _spanloom.flow(what.name, what.id, "out", CATEGORY)
            try:
                future = submit(self, what, *args, **kwargs)
            except BaseException as e:
                end(what.name, what.id, type(e).__name__)
                raise
        name, id = what.name, what.id  # the future does not hold the function
        future.add_done_callback(lambda done: end(name, id, name_of_exception(done)))
        return future

    return traced_submit


_patched = []  # (class, its submit, ours)


def _executors():
    yield concurrent.futures.ThreadPoolExecutor
    try:
        yield concurrent.futures.ProcessPoolExecutor
    except ImportError:  # no semaphores here
        pass


def trace_futures(on=True):
    """Tells from now on what is submitted to thread and process pools, or no longer. Returns whether it did.

    Each is an asynchronous span of the function's name and the category "concurrent.futures", from its submission to
    its end, with a moment "running" where it starts; a span where it runs, which for a decorated function is its own;
    and an arrow to there from its submission. spanloom-python(7) has more.
    """
    was = bool(_patched)
    if on and not was and _spanloom.may_record:
        for executor in _executors():
            original = executor.submit
            ours = traced(original)
            executor.submit = ours
            _patched.append((executor, original, ours))
    while not on and _patched:
        executor, original, ours = _patched.pop()
        if executor.submit is ours:  # else somebody has put something over it, which calls ours
            executor.submit = original
    return was
