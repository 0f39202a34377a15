# SPDX-License-Identifier: Apache-2.0
"""critical_path(): how a function comes to be traced."""
import functools
import types

import _spanloom

from . import _pickling

_spanloom.helpers(_pickling.reduce, _pickling.is_taken_apart)

FUNCTION, GENERATOR, COROUTINE, ASYNC_GENERATOR, ITERABLE_COROUTINE = range(5)
KINDS = ((0x100, ITERABLE_COROUTINE), (0x80, COROUTINE), (0x200, ASYNC_GENERATOR), (0x20, GENERATOR))  # inspect.CO_*
IMPLICIT = {"__new__": staticmethod, "__init_subclass__": classmethod, "__class_getitem__": classmethod}
POINTCUTS = {p: i for i, p in enumerate(("around", "before", "after", "around_async", "before_async", "after_async"))}


def critical_path(pointcut="around", scope="", name=None, args=None):
    """A decorator: each call is a span, named by __qualname__, of the category __module__.

    pointcut  'around': from the call to its end, however that comes; 'before', 'after': a moment there;
              'around_async', 'before_async', 'after_async': an asynchronous span, and its ends
    scope     of asynchronous spans: a text that is told with them
    name      instead of __qualname__
    args      what is recorded of arguments: True for all, names of parameters, a dict of constants,
              or a function that is called with the same arguments and returns a dict

    Of generators, coroutines and asynchronous generators each stretch of running is a span, and the whole, with the
    waiting between, an asynchronous one. Where the environment says log-enable=False, the function itself is
    returned.
    """
    if callable(pointcut) or isinstance(pointcut, (classmethod, staticmethod, property)):  # @critical_path
        return critical_path()(pointcut)
    for given, what in ((scope, "scope"), (name, "name")):
        if given is not None and not isinstance(given, str):
            raise TypeError(f"critical_path: {what} is a str, not {given!r}")
    if not isinstance(pointcut, str) or pointcut not in POINTCUTS:
        raise ValueError(f"Invalid pointcut: {pointcut}; it is one of {', '.join(POINTCUTS)}")

    def decorate(function):
        if isinstance(function, type):
            raise TypeError(f"critical_path: a function, not the class {function.__qualname__}; decorate its methods, such as __init__")
        if not _spanloom.may_record and callable(getattr(function, "__get__", function)):
            return function
        if isinstance(function, (classmethod, staticmethod)):
            return type(function)(decorate(function.__func__))
        if isinstance(function, property):
            for f, change in ((function.fget, "getter"), (function.fset, "setter"), (function.fdel, "deleter")):
                if f:
                    function = getattr(function, change)(decorate(f))  # which keeps its type
            return function
        if not callable(function):
            raise TypeError(f"critical_path: a function, not {function!r}")
        traced = wrap(function, pointcut, scope, name, args)
        implicit = IMPLICIT.get(traced.__dict__.get("__name__"))  # which Python makes of functions, by their type
        return implicit(traced) if implicit and "." in traced.__dict__.get("__qualname__", "") else traced

    return decorate


def code_of(function):
    """Its code, or that of the function that a method or functools.partial calls; None: it is not of Python."""
    while isinstance(function, (types.MethodType, functools.partial)):
        function = function.__func__ if isinstance(function, types.MethodType) else function.func
    code = attribute_of(function, "__code__")
    return code if type(code) is types.CodeType else None


def attribute_of(function, name):
    """None where it has none; objects that others have made may raise anything."""
    try:
        return getattr(function, name, None)
    except Exception:
        return None


def innermost(function):
    for _ in range(100):  # there are circles
        own = attribute_of(function, "__dict__")
        function = own.get("__wrapped__", function) if type(own) is dict else function
    return function


def kind_of(function):
    code = code_of(function)
    flags = code.co_flags if code else 0
    return next((kind for flag, kind in KINDS if flags & flag), FUNCTION)


def name_of(function):
    names = (attribute_of(function, a) for a in ("__qualname__", "__name__"))
    name = next((name for name in names if isinstance(name, str)), None)
    if name is None and isinstance(function, functools.partial):
        return name_of(function.func)
    return type(function).__qualname__ if name is None else name


def wrap(function, pointcut="around", scope="", name=None, args=None):
    module = attribute_of(function, "__module__")
    code = code_of(innermost(function))
    if code and pointcut.startswith("around"):  # its spans are those of the decorator
        _spanloom.leave_alone(code)
    traced = _spanloom.traced(
        function, name or name_of(function), module if isinstance(module, str) else "python",
        code.co_filename if code else "", code.co_firstlineno if code else 0,
        kind_of(function), POINTCUTS[pointcut], scope or None, recorder(function, args))
    own = traced.__dict__
    own.update(attribute_of(function, "__dict__") or {})
    for attribute in "__module__", "__name__", "__qualname__", "__doc__":
        value = attribute_of(function, attribute)
        if isinstance(value, str) or attribute == "__doc__":
            own[attribute] = value
    own["__wrapped__"] = function
    _pickling.remember(traced, pointcut, scope, name, args)
    return traced


def recorder(function, args):
    """A function of (args, kwargs) that gives what is to be recorded of a call as a dict; None: nothing is."""
    if args is None or args is False:
        return None
    if isinstance(args, dict):
        constants = {str(k): v for k, v in args.items()}
        return lambda given, named: constants
    if callable(args):
        return lambda given, named: args(*given, **named)
    return parameters(function, args)


MISSING = object()


def parameters(function, args):
    """What record() looks up of a call: positions and defaults are found once."""
    import inspect  # which takes its time

    signature = inspect.signature(function)
    wanted = None if args is True else {args} if isinstance(args, str) else set(args)
    unknown = sorted(map(str, (wanted or set()) - set(signature.parameters)))
    if unknown:
        raise ValueError(f"critical_path: {name_of(function)} has no parameter {', '.join(unknown)}")
    single, rest, others, positions = [], None, None, 0
    named = {n for n, p in signature.parameters.items() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    for name, p in signature.parameters.items():
        at = None
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            at, positions = positions, positions + 1
        if wanted is not None and name not in wanted:
            continue
        if p.kind == p.VAR_POSITIONAL:
            rest = name, positions
        elif p.kind == p.VAR_KEYWORD:
            others = name
        else:
            single.append((name, at, name in named, MISSING if p.default is p.empty else p.default))
    order = [n for n in signature.parameters if wanted is None or n in wanted]

    def record(given, by_name):
        found = {}
        for name, at, may_be_named, default in single:
            value = given[at] if at is not None and at < len(given) else by_name.get(name, default) if may_be_named else default
            if value is not MISSING:  # else the call itself will say so
                found[name] = value
        if rest:
            found[rest[0]] = given[rest[1]:]
        if others:
            found[others] = {n: v for n, v in by_name.items() if n not in named}
        return found if not rest and not others else {n: found[n] for n in order if n in found}

    return record
