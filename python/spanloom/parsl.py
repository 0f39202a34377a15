# SPDX-License-Identifier: Apache-2.0
"""Parsl: apps whose functions are traced where they run, and blocks whose workers trace into one folder.

    @python_app
    @spanloom.parsl.app()
    def simulate(n): ...

    provider = LocalProvider(launcher=spanloom.parsl.Launcher(SingleNodeLauncher()))

`spanloom import runinfo` finds the traces with Parsl's logs, and each call lies in the try of its task.
"""
import functools
import os
import re
import shlex
import site

import _spanloom
from parsl.app.app import AppBase
from parsl.app.errors import wrap_error

try:
    from parsl.launchers.base import Launcher as _Launcher
except ImportError:  # Parsl of 2023
    from parsl.launchers.launchers import Launcher as _Launcher

from ._decorate import critical_path, name_of


def app(function=None, *, name=None, args=None):
    """A decorator for above or below @python_app, @bash_app or @join_app.

    Each call is a span of the process or thread that runs the app, as by critical_path(name=name, args=args). Of a bash
    app, it ends with the command if this stands above @bash_app, and the command begins by `export TRACEPARENT=...;`, so
    that what is traced of it lies in the call; below it, the function that makes the command is traced.
    """
    def decorate(function):
        trace = critical_path(name=name, args=args)
        if not isinstance(function, AppBase):
            return trace(function)
        inner = function.func if _is_bash(function) else function.func.__wrapped__
        if _is_bash(function):
            function.wrapped_remote_function = wrap_error(trace(_named(function.wrapped_remote_function.__wrapped__, inner)))
        else:
            function.func = wrap_error(trace(inner))
        return function

    return decorate(function) if function is not None else decorate


def _is_bash(function):
    return hasattr(function, "wrapped_remote_function")


def _named(runner, function):
    """What runs the command of a bash app, by the name of the app's function."""
    named = functools.partial(runner.func, _Telling(runner.args[0]), *runner.args[1:], **runner.keywords)
    named.__module__, named.__name__ = function.__module__, function.__name__
    named.__qualname__ = name_of(function)
    named.__wrapped__ = function
    return named


class _Telling:
    """A bash app's function: the command that it makes knows the call that runs it, as does what this leaves behind."""

    def __init__(self, function):
        self.function, self.__name__ = function, getattr(function, "__name__", "bash_app")

    def __call__(self, *args, **kwargs):
        command, told = self.function(*args, **kwargs), _spanloom.traceparent()
        return f"export TRACEPARENT={told}; {command}" if told and isinstance(command, str) else command


class Launcher(_Launcher):
    """Any launcher of Parsl, whose workers, and what these start, trace into one folder.

    folder      where to; None: `traces` beside the logs of the workers, which is in the directory of the run
    options     PERFFLOW_OPTIONS for them, such as "log-event=Compact"

    What the block's environment has in PERFFLOW_OPTIONS and SPANLOOM_OPTIONS goes over that. Where the package lies
    outside of what is installed, as in a clone, the workers find it by PYTHONPATH, behind what that has.
    """

    def __init__(self, launcher, folder=None, options=None):
        super().__init__(debug=getattr(launcher, "debug", True))
        self.launcher, self.folder, self.options = launcher, folder, options

    def __call__(self, command, *args, **kwargs):
        return self.launcher(self._tracing(command, kwargs.get("script_dir") or (args[2:3] or [""])[0]), *args, **kwargs)

    def _tracing(self, command, script_dir):
        options = f"log-dir={self.folder or _folder(command, script_dir)}" + (f":{self.options}" if self.options else "")
        set_ = [f"PERFFLOW_OPTIONS={_quoted(options)}${{PERFFLOW_OPTIONS:+:$PERFFLOW_OPTIONS}}"]
        if paths := _paths():
            set_.append(f"PYTHONPATH=${{PYTHONPATH:+$PYTHONPATH:}}{_quoted(':'.join(paths))}")
        words = " ".join(f'"{s}"' for s in set_)
        if re.search(r"[;&|()<>\n]", command):
            command = f"bash -c {shlex.quote(command)}"
        # One command, which goes where the launcher takes it: to other nodes, into a container.
        return f"env {words} {command}"


def _quoted(text):
    return re.sub(r'([\\"$`])', r"\\\1", text)


def _folder(command, script_dir):
    logs = re.search(r"--logdir=(\S+)", command)
    beside = logs.group(1) if logs else script_dir
    return os.path.abspath(os.path.join(os.path.dirname(beside), "traces"))


def _paths():
    """Where the package was found, but for where pip installs: Python looks there by itself."""
    own = [os.path.dirname(os.path.dirname(os.path.abspath(__file__))), os.path.dirname(os.path.abspath(_spanloom.__file__))]
    installed = {os.path.realpath(p) for p in [*site.getsitepackages(), site.getusersitepackages()]}
    return [p for p in dict.fromkeys(own) if os.path.realpath(p) not in installed]
