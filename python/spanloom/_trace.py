# SPDX-License-Identifier: Apache-2.0
"""Which functions are traced without a decorator, and by which names. SPANLOOM_PYTHON says what is meant:

    script:PATH     what lies in the script's folder or below it
    module:NAME     what lies in the package of `python -m NAME`, or beside it where it has none
    below:FOLDER    which of both it was, for the processes that this one starts
    only:GLOB,...   modules of such names, wherever they are

The first three leave out the standard library and installed packages, unless the folder is within one.
"""
import fnmatch
import importlib.util
import os
import re
import sys
import sysconfig
import types

import _spanloom

OURS = os.path.dirname(os.path.realpath(__file__)) + os.sep
INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
LIBRARIES = tuple(os.path.realpath(sysconfig.get_path(p)) + os.sep for p in ("stdlib", "platstdlib"))
CLASS_BODY = 0x1 | 0x2  # neither of these flags: CO_OPTIMIZED, CO_NEWLOCALS


def _of_module(name):
    """The folder that belongs to it, or the file if that lies among others' modules."""
    sys.path.insert(0, os.getcwd())
    try:
        spec = importlib.util.find_spec(name.partition(".")[0])
    finally:
        del sys.path[0]
    if spec is None or not (spec.submodule_search_locations or spec.origin):
        return os.getcwd()
    if spec.submodule_search_locations:
        return list(spec.submodule_search_locations)[0]
    folder = os.path.dirname(spec.origin)
    return spec.origin if _is_library(os.path.realpath(folder) + os.sep) else folder


def _is_library(path):
    return path.startswith(LIBRARIES) or any(i in path for i in INSTALLED)


def _by_folder(root):
    own = _is_library(root + os.sep)

    def wanted(path):
        return (path == root or path.startswith(root.rstrip(os.sep) + os.sep)) and (own or not _is_library(path[len(root):]) and
                                                                      not path.startswith(LIBRARIES))
    known = {}

    def is_wanted(module, file):
        if file not in known:
            known[file] = file == "<stdin>" or (bool(file) and not file.startswith("<") and wanted(os.path.realpath(file)))
        return known[file]
    return is_wanted


def _by_modules(globs):
    match = re.compile("|".join(fnmatch.translate(g.strip()) for g in globs.split(","))).match
    return lambda module, file: match(module) and not os.path.realpath(file).startswith(OURS)


# ---- names, where code does not know them (before 3.11)

_names, _held = {}, []


def _learn_names(code, prefix=""):
    """Of all functions that code makes, by where they stand in it."""
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            _names[id(inner)] = prefix + inner.co_name
            _learn_names(inner, prefix + inner.co_name + (".<locals>." if inner.co_flags & CLASS_BODY else "."))


def _qualname(code, frame):
    if code.co_name == "<module>":
        _held.append(code)
        _learn_names(code)
    if id(code) in _names:
        return _names[id(code)]
    found = [frame.f_globals.get(code.co_name)]
    if code.co_argcount:
        first = frame.f_locals.get(code.co_varnames[0])
        for cls in type.mro(first) if type(first) is type else type(first).__mro__:
            found.append(cls.__dict__.get(code.co_name))
    for f in found:
        f = f.fget if type(f) is property else f.__func__ if type(f) in (classmethod, staticmethod) else f
        if type(f) is types.FunctionType and f.__code__ is code:
            return f.__qualname__
    return code.co_name


# ---- all of it

def _asked(is_wanted):
    def asked(code, names, frame):
        names = names or (frame.f_globals if frame else {})
        module, file = names.get("__name__"), names.get("__file__")
        module = module if isinstance(module, str) else "python"
        if not is_wanted(module, file if isinstance(file, str) else code.co_filename):
            return None
        name = _qualname(code, frame) if frame else code.co_qualname
        return name, module, code.co_filename, code.co_firstlineno
    return asked


def start():
    """From now on, in all threads and in what this process starts."""
    kind, _, what = os.environ["SPANLOOM_PYTHON"].partition(":")
    if kind == "only":
        is_wanted = _by_modules(what)
    elif kind in ("script", "module", "below"):
        root = what if kind == "below" else _of_module(what) if kind == "module" else \
            what if os.path.isdir(what) else os.path.dirname(os.path.realpath(what))
        root = os.path.realpath(root)
        os.environ["SPANLOOM_PYTHON"] = f"below:{root}"
        is_wanted = _by_folder(root)
    else:
        raise ValueError(f"SPANLOOM_PYTHON={kind}")
    if not _spanloom.may_record:
        return
    monitoring = getattr(sys, "monitoring", None)
    if monitoring is None:
        _spanloom.monitor(_asked(is_wanted), None)
        return
    tool = next(i for i in (4, 3, 5, 2, 1, 0) if monitoring.get_tool(i) is None)  # the others have names of their own
    monitoring.use_tool_id(tool, "spanloom")
    begin, end, throw, unwind = _spanloom.monitor(_asked(is_wanted), monitoring.DISABLE)
    on = monitoring.events
    callbacks = {on.PY_START: begin, on.PY_RESUME: begin, on.PY_THROW: throw, on.PY_RETURN: end, on.PY_YIELD: end, on.PY_UNWIND: unwind}
    for event, callback in callbacks.items():
        monitoring.register_callback(tool, event, callback)
    monitoring.set_events(tool, sum(callbacks))


def environment(what):
    """For a Python that is to trace itself from its start."""
    import spanloom

    site = os.path.join(OURS, "_site")
    path = dict.fromkeys(os.path.dirname(os.path.realpath(p)) for p in (os.path.dirname(spanloom.__file__), _spanloom.__file__))
    shadowed = os.environ.get("PYTHONPATH")
    return {"SPANLOOM_PYTHON": what, "SPANLOOM_PYTHON_PATH": os.pathsep.join(path),
            "PYTHONPATH": site + os.pathsep + shadowed if shadowed else site}
