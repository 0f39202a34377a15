#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The module in C with AddressSanitizer and UndefinedBehaviorSanitizer, under the tests of what programs record."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from pythons import *  # noqa

PYTHON = "/usr/bin/python3"  # its memory is what malloc gives, and Debian has its headers


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


ACCOUNTS = ("reference counts", "memory")  # are not the same with a malloc that keeps what was freed


@cases("decorator", "stretches", "transparency", "arguments", "events", "calltrees", "futures", "asynchronous")
def no_fault_in(tests):
    include = output(PYTHON, "-c", "import sysconfig; print(sysconfig.get_path('include'))")
    command = ["gcc", "-shared", "-fPIC", "-O1", "-g", "-std=gnu17", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-D_GNU_SOURCE",
               "-DPy_LIMITED_API=0x03090000", "-ftls-model=initial-exec", f"-I{ROOT}/include", f"-I{include}", *sorted(glob.glob(f"{ROOT}/python/_spanloom/*.c")),
               "-o", path("_spanloom.abi3.so"), f"-L{BUILD}", "-lspanloom-trace", f"-Wl,-rpath,{BUILD}"]
    r = subprocess.run(command, capture_output=True, text=True)
    check(r.returncode == 0, r.stderr)
    libraries = " ".join(output("gcc", f"-print-file-name=lib{x}.so") for x in ("asan", "ubsan"))
    r = subprocess.run([PYTHON, f"{ROOT}/tests/python/{tests}.py"], capture_output=True, text=True,
                       env={**os.environ, "SANITIZED_MODULE": path(), "SANITIZERS": libraries})
    check("Sanitizer" not in r.stdout and "runtime error" not in r.stdout, r.stdout[-3000:])
    failed = [line for line in r.stdout.splitlines() if line.startswith("not ok") and not any(a in line for a in ACCOUNTS)]
    check(not failed and "\nok 1 " in r.stdout, r.stdout[-3000:] + r.stderr[-2000:])


if __name__ == "__main__":
    main()
