# SPDX-License-Identifier: Apache-2.0
"""python3 -m spanloom [--modules GLOB,...] SCRIPT [ARGUMENT...]: runs it as python3 does, its functions traced.

It is this Python, started anew, which traces itself before it begins with the program: so that this is in no way about.
"""
import os
import subprocess
import sys

from . import _trace

USAGE = """usage: python3 -m spanloom [--modules GLOB,...] SCRIPT [ARGUMENT...]
       python3 -m spanloom [--modules GLOB,...] -m MODULE [ARGUMENT...]

Runs it as python3 does, with its functions traced: those of its own folder, or of the modules that match.
"""


def main(args):
    modules = None
    while args and args[0].startswith("--"):
        option, is_there, value = args.pop(0).partition("=")
        if option == "--":
            break
        if option == "--help":
            sys.exit(print(USAGE, end=""))
        if option != "--modules" or not (is_there or args):
            sys.exit(USAGE if option == "--modules" else f"spanloom: unknown option {option}\n{USAGE}")
        modules = value if is_there else args.pop(0)
    is_module = args[:1] == ["-m"]
    if len(args) < 1 + is_module or args[0].startswith("-") and args[0] not in ("-", "-m"):
        sys.stderr.write(USAGE)
        sys.exit(2)
    if sys.flags.ignore_environment or sys.flags.no_site:
        sys.exit("spanloom: Python does not trace itself where -E, -I or -S is among its options")
    what = f"only:{modules}" if modules else f"module:{args[1]}" if is_module else \
        f"script:{os.path.abspath(args[0]) if args[0] != '-' else os.getcwd()}"
    os.environ.update(_trace.environment(what))
    os.execv(sys.executable, [sys.executable, *subprocess._args_from_interpreter_flags(), *args])


main(sys.argv[1:])
